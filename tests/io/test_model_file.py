"""Model files: every estimator comes back as it was, and every byte is accounted for."""

import io
import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import spinney
from spinney.io import inspect
from tests.io.forging import Parts, saved
from tests.io.models import KINDS, answers, fitted, make, table, target


def same_parameters(one, other):
    a, b = one.get_params(), other.get_params()
    return list(a) == list(b) and all(repr(a[name]) == repr(b[name]) for name in a)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_estimator_comes_back(kind):
    model, X = fitted(kind)
    content = saved(model)
    again = spinney.load(content)
    assert type(again) is kind
    assert repr(again) == repr(model)
    assert same_parameters(again, model)
    assert set(again.__getstate__()) == set(model.__getstate__()) - set(vars(type(model)))
    expected = answers(model, X)
    assert expected
    for method, answer in answers(again, X).items():
        np.testing.assert_array_equal(answer, expected[method], err_msg=method)
        assert answer.dtype == expected[method].dtype
    if hasattr(model, "fingerprint_"):
        assert again.fingerprint_ == model.fingerprint_
    if hasattr(model, "classes_"):
        assert again.classes_.tolist() == model.classes_.tolist()
    if hasattr(model, "feature_importances_"):
        np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    assert again.feature_names_in_.tolist() == X.columns.tolist()
    assert saved(again) == content  # and so is saving twice
    assert len(pickle.dumps(model)) <= 1.2 * len(content)
    np.testing.assert_array_equal(*(answers(one, X)[method] for one in (pickle.loads(pickle.dumps(model)), model)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_models_that_are_not_fitted(kind):
    again = spinney.load(saved(make(kind)))
    assert repr(again) == repr(make(kind))
    assert not hasattr(again, "n_features_in_")
    assert not inspect(saved(make(kind)))["is_fitted"]


@pytest.fixture(scope="module")
def forest():
    """With arrays that are large enough to be mapped."""
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 3))
    return spinney.RandomForestRegressor(10, random_state=0).fit(X, random.normal(size=4000)), X


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.spinney"


def test_places_to_write_to_and_read_from(forest, path):
    model, X = forest
    spinney.save(model, path)
    content = path.read_bytes()
    file = io.BytesIO()
    spinney.save(model, file)
    assert file.getvalue() == content
    with path.open("rb") as opened:
        ways = [spinney.load(str(path)), spinney.load(path), spinney.load(content), spinney.load(opened)]
    ways += [spinney.load(memoryview(content)), spinney.load(bytearray(content)), spinney.load(path, mmap=True)]
    for again in ways:
        assert again.fingerprint_ == model.fingerprint_
        np.testing.assert_array_equal(again.predict(X[:100]), model.predict(X[:100]))
        assert again.forest_.answers.ctypes.data % 64 == 0
    assert sorted(os.listdir(path.parent)) == ["model.spinney"]


def test_mapped_arrays_are_those_of_the_file(forest, path):
    model, X = forest
    spinney.save(model, path)
    before = path.read_bytes()
    mapped = spinney.load(path, mmap=True)
    maps = Path("/proc/self/maps")
    if maps.exists():
        assert str(path) in maps.read_text()
        spans = [line.split()[0].split("-") for line in maps.read_text().splitlines() if str(path) in line]

        def is_mapped(array):  # the system may tell of one mapping in several lines
            return any(int(begin, 16) <= array.ctypes.data < int(end, 16) for begin, end in spans)

        assert is_mapped(mapped.forest_.answers)
        assert not is_mapped(mapped.forest_.first)  # small ones are packed
    np.testing.assert_array_equal(mapped.predict(X[:10]), model.predict(X[:10]))
    mapped.forest_.answers[:] = 0.0  # a private page
    assert path.read_bytes() == before
    spinney.save(model, path)  # the old file lives on under those who have mapped it
    again = spinney.load(path, mmap=True)
    np.testing.assert_array_equal(again.predict(X[:10]), model.predict(X[:10]))
    with pytest.raises(ValueError, match="mmap=True needs the path of a file"):
        spinney.load(before, mmap=True)
    with path.open() as text, pytest.raises(TypeError, match="open as text: model files are binary"):
        spinney.load(text)


@pytest.mark.parametrize("failing", ["write", "replace"])
def test_a_failing_save_leaves_the_old_file(forest, path, failing, monkeypatch):
    spinney.save(spinney.KMeans(), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(Path if failing == "replace" else os, "replace" if failing == "replace" else "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        spinney.save(forest[0], path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["model.spinney"]


def test_readers_see_the_old_file_or_the_new_one(path):
    models = [spinney.KMeans(2), spinney.KMeans(333)]
    spinney.save(models[0], path)
    done = threading.Event()

    def write():
        try:
            for k in range(30):
                spinney.save(models[k % 2], path)
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        assert spinney.load(path).n_clusters in (2, 333)
    writer.join()
    assert spinney.load(path).n_clusters == 333
    assert os.listdir(path.parent) == ["model.spinney"]


def test_files_have_the_usual_permissions(path):
    path.with_name("plain").write_bytes(b"")
    spinney.save(spinney.KMeans(), path)
    assert path.stat().st_mode == path.with_name("plain").stat().st_mode


def test_missing_files_and_folders(tmp_path):
    missing = str(tmp_path / "mode.spinney")
    for read in (spinney.load, spinney.io.inspect, lambda path: spinney.load(path, mmap=True)):
        with pytest.raises(FileNotFoundError, match=r"has no model files; spinney\.save") as caught:
            read(missing)
        assert str(caught.value).startswith(f"There is no file {missing!r}. The folder {str(tmp_path)!r}")
        with pytest.raises(IsADirectoryError, match=r"is a folder, not a model file\. Name a file in it\."):
            read(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"The folder '.*no' does not exist\."):
        spinney.load(tmp_path / "no" / "model.spinney")
    spinney.save(spinney.KMeans(), tmp_path / "model.spinney")
    with pytest.raises(FileNotFoundError, match=r"Did you mean '.*model\.spinney'\?"):
        spinney.load(missing)
    with pytest.raises(FileNotFoundError, match=r"Model files in '.*': model\.spinney\."):
        spinney.load(tmp_path / "something else")
    with pytest.raises(FileNotFoundError):
        spinney.save(spinney.KMeans(), tmp_path / "no folder" / "model")


# --- what is not ours ------------------------------------------------------------------------------------------------


class Own(spinney.KMeans):
    pass


@pytest.mark.parametrize(
    ("model", "place"),
    [
        (LogisticRegression, "this"),  # only as a part of stacking
        (lambda: make_pipeline(StandardScaler(), spinney.DecisionTreeClassifier()), "this"),
        (lambda: spinney.VotingClassifier([("a", StandardScaler())]), r"VotingClassifier\.estimators\[0\]\[1\]"),
        (lambda: spinney.BaggingRegressor(StandardScaler()), r"BaggingRegressor\.estimator"),
        (Own, "this"),
    ],
)
def test_foreign_models(model, place):
    with pytest.raises(
        TypeError, match=rf"^{place} is a [\w.]+, and a model file can hold only Spinney's models\. Use "
    ):
        saved(model())
    with pytest.raises(TypeError, match=r"pickle or joblib.*skops \(skops\.io\.dump\)"):
        saved(model())


def test_what_else_cannot_be_saved():
    model = spinney.KMeans()
    model.note = "mine"
    with pytest.raises(TypeError, match=r"KMeans has an attribute 'note' that does not belong to KMeans. Delete it"):
        saved(model)
    with pytest.raises(ValueError, match="this KMeans cannot be saved: A parameter cannot be used"):
        saved(spinney.KMeans(n_clusters=-1))
    with pytest.raises(TypeError, match=r"KMeans\.init is .* which a model file cannot hold"):
        saved(spinney.KMeans(init=len))


@pytest.mark.parametrize("value", ["a string", None, 3, [spinney.KMeans()]])
def test_values_are_no_models(value):
    with pytest.raises(TypeError, match="save needs a Spinney estimator, got"):
        saved(value)


# --- parameters and attributes of all kinds --------------------------------------------------------------------------


def test_parameters_of_all_kinds():
    from sklearn.model_selection import StratifiedKFold

    random = np.random.RandomState(3)
    random.normal()
    model = spinney.RandomForestClassifier(
        n_estimators=np.int64(3), class_weight={"a": 2.0, "b": 1}, max_features=np.float32(0.5), random_state=random
    )
    again = spinney.load(saved(model))
    assert again.class_weight == {"a": 2.0, "b": 1}
    assert type(again.n_estimators) is np.int64
    assert again.max_features == np.float32(0.5)
    assert again.random_state.normal() == random.normal()
    stack = spinney.StackingClassifier([("t", spinney.DecisionTreeClassifier())], cv=StratifiedKFold(3, shuffle=True))
    assert repr(spinney.load(saved(stack))) == repr(stack)


@pytest.mark.parametrize(
    "labels", [[1, 2, 1, 3], [True, False, True, False], [1.0, 2.0, 1.0, 4.0], ["a", "b", "a", "ä"], [2**40, 1, 1, 7]]
)
def test_classes_of_all_kinds(labels):
    y = np.array(labels)
    model = spinney.DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], y)
    again = spinney.load(saved(model))
    assert again.classes_.dtype == model.classes_.dtype
    assert again.predict([[0.0], [3.0]]).tolist() == model.predict([[0.0], [3.0]]).tolist()
    assert inspect(saved(model))["classes"] == model.classes_.tolist()


def test_several_outputs():
    X, y = np.arange(12.0).reshape(6, 2), [["a", "x"], ["b", "y"], ["a", "z"]] * 2
    model = spinney.RandomForestClassifier(3, random_state=0).fit(X, np.array(y))
    again = spinney.load(saved(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert inspect(saved(model))["classes"] == [["a", "b"], ["x", "y", "z"]]


def test_scorers_and_evaluation_sets():
    X, y = table(), target("classes", table())
    model = spinney.GradientBoostingClassifier(n_estimators=3, early_stopping=True, scoring="accuracy").fit(X, y)
    again = spinney.load(saved(model))
    assert again.scorer_ is model.scorer_
    assert again.evals_result_ == model.evals_result_


def test_initial_estimators_and_merged_forests():
    X, y = table(), target("numbers", table())
    boosted = spinney.GradientBoostingRegressor(init=spinney.DecisionTreeRegressor(max_depth=2), n_estimators=2).fit(
        X, y
    )
    assert spinney.load(saved(boosted)).fingerprint_ == boosted.fingerprint_
    forests = [spinney.RandomForestRegressor(2, random_state=k).fit(X, y) for k in range(2)]
    merged = spinney.merge_forests(forests)
    again = spinney.load(saved(merged))
    assert again.fingerprint_ == merged.fingerprint_
    for one, other in zip(again.estimators_samples_, merged.estimators_samples_):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["GradientBoostingClassifier", "RandomForestClassifier", "BaggingClassifier"])
def test_warm_starts_go_on(kind):
    X, y = table(), target("classes", table())
    whole = getattr(spinney, kind)(n_estimators=4, random_state=0).fit(X, y)
    half = getattr(spinney, kind)(n_estimators=2, random_state=0, warm_start=True).fit(X, y)
    again = spinney.load(saved(half)).set_params(n_estimators=4).fit(X, y)
    assert again.fingerprint_ == whole.fingerprint_


def test_minibatches_go_on():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = spinney.MiniBatchKMeans(2, random_state=0).partial_fit(X[:30])
    again = spinney.load(saved(model))
    assert again.partial_fit(X[30:]).fingerprint_ == model.partial_fit(X[30:]).fingerprint_


# --- sizes and headers -----------------------------------------------------------------------------------------------


def test_sizes():
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 28))
    number = X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] + random.normal(size=4000)
    y = number > 0
    boosted = spinney.GradientBoostingClassifier(n_estimators=100, learning_rate=0.1, max_leaf_nodes=31).fit(X, y)
    assert boosted.forest_.n_nodes == 6100
    content = saved(boosted)
    assert len(content) <= 26 * 6100
    assert len(pickle.dumps(boosted)) <= 1.2 * len(content)
    few = spinney.RandomForestRegressor(20, min_samples_leaf=3, random_state=0).fit(X, number)
    for forest, bar in (
        (spinney.RandomForestClassifier(20, random_state=0).fit(X, y), 22),
        (spinney.RandomForestRegressor(20, random_state=0).fit(X, number), 16),
        (few, 22),  # leaves have impurities
    ):
        content = saved(forest)
        assert len(content) <= bar * forest.forest_.n_nodes
        assert len(pickle.dumps(forest)) <= 1.2 * len(content)
        assert spinney.load(content).fingerprint_ == pickle.loads(pickle.dumps(forest)).fingerprint_


def test_inspect():
    model, _ = fitted(spinney.GradientBoostingClassifier)
    content = saved(model)
    found = inspect(content)
    assert found["class"] == "GradientBoostingClassifier"
    assert found["parameters"] == {name: one for name, one in model.get_params().items()}
    assert [one["name"] for one in found["schema"]] == model.feature_names_in_.tolist()
    assert found["schema"][3]["categories"] == ["Riga", "Turku", "Wien", "Åbo"]
    assert found["classes"] == ["maybe", "no", "yes"]
    assert found["trees"] == model.forest_.n_trees
    assert found["nodes"] == model.forest_.n_nodes
    assert found["bytes"] == len(content)
    assert found["fingerprint"] == model.fingerprint_
    assert found["library"] == spinney.__version__
    assert found["format"] == 1
    assert found["sources"] == []
    assert json.dumps(found)


def test_inspect_reads_the_header_alone(forest, path):
    spinney.save(forest[0], path)
    with path.open("r+b") as file:
        file.seek(-1000, os.SEEK_END)
        file.write(b"damage")
    assert inspect(path)["trees"] == 10
    with path.open("rb") as file:
        assert inspect(file)["trees"] == 10
    with pytest.raises(spinney.ModelFormatError, match="The checksum is wrong"):
        spinney.load(path)


def test_inspect_of_members_and_of_no_model():
    model, X = fitted(spinney.VotingClassifier)
    found = inspect(saved(model))
    assert [one["name"] for one in found["schema"]] == X.columns.tolist()
    assert found["parameters"]["estimators"][0] == ("tree", "<DecisionTreeClassifier>")
    with pytest.raises(spinney.ModelFormatError, match="This is not a Spinney model file"):
        inspect(b"nothing")


@pytest.mark.slow
def test_loading_imports_no_more_than_it_needs(path):
    """And works in a fresh process, where nothing has been imported."""
    model, X = fitted(spinney.DecisionTreeClassifier)
    spinney.save(model, path)
    code = (
        f"import spinney; print(spinney.load({str(path)!r}).fingerprint_, spinney.io.inspect({str(path)!r})['trees'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [model.fingerprint_, "1"]


def test_a_column_set_for_output():
    X = table()[["x"]]
    model = spinney.KMeans(2, random_state=0).set_output(transform="pandas").fit(X)
    assert isinstance(spinney.load(saved(model)).transform(X), pd.DataFrame)


def test_one_long_string_does_not_make_all_of_them_long():
    """An array of strings is as wide as its longest one: a small file could ask for any memory."""
    X, labels = np.arange(2400.0)[:, None], np.repeat([f"{k:05}" for k in range(1200)], 2)
    tree = spinney.DecisionTreeClassifier(max_depth=1).fit(X, labels)
    parts = Parts(saved(tree))
    stored = parts.record("DecisionTreeClassifier")["fitted"]["classes_"]
    stored["strings"][0], stored["width"] = 1000 * "0", 1000
    for read in (spinney.load, spinney.io.inspect):
        with pytest.raises(
            spinney.ModelFormatError, match="1,200 strings of width 1,000 take far more memory than the"
        ):
            read(parts.content())
    labels = np.where(labels == "00000", 1000 * "0", labels)
    wide = spinney.DecisionTreeClassifier(max_depth=1).fit(X, labels)
    content = saved(wide)
    assert len(content) < 100_000
    again = spinney.load(content)
    assert again.classes_.dtype == object
    assert again.classes_.tolist() == wide.classes_.tolist() == spinney.io.inspect(content)["classes"]
    assert saved(again) == content


def test_many_wide_strings_are_not_shown():
    """Each of them is within bounds."""
    parts = Parts(saved(spinney.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])))
    many = 9 * [{"strings": ["a"], "width": 2**16}]
    parts.record("DecisionTreeClassifier")["parameters"] |= {"random_state": many, "max_depth": {"tuple": many}}
    shown = spinney.io.inspect(parts.content())["parameters"]
    assert sum(isinstance(one, np.ndarray) for name in ("random_state", "max_depth") for one in shown[name]) == 4
    assert shown["random_state"][-1] == "<strings>"


def test_values_within_values_within_values():
    parts = Parts(saved(spinney.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])))
    nested = 0
    for _ in range(300):
        nested = {"tuple": [nested]}
    parts.record("DecisionTreeClassifier")["parameters"]["random_state"] = nested
    for read in (spinney.load, spinney.io.inspect):
        with pytest.raises(spinney.ModelFormatError, match="Values are nested more than 100 deep"):
            read(_without_check(parts))


def _without_check(parts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spinney.io.layout.check_depth", lambda value, place: None)
        return parts.content()


def test_a_deep_model_is_not_saved():
    deep = []
    for _ in range(150):
        deep = [deep]
    with pytest.raises(ValueError, match="cannot be saved: Values are nested more than 100 deep"):
        saved(spinney.DecisionTreeClassifier(random_state=deep))
    with pytest.raises(ValueError, match="cannot be saved: Values are nested more than 100 deep"):
        spinney.save(spinney.DecisionTreeClassifier(), io.BytesIO(), metadata={"deep": deep})
