"""Imported models are models: drawn, written, tabulated, pickled and asked row by row; but they cannot be fitted."""

import copy
import doctest
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance

import spinney
from spinney.estimators import imported
from spinney.estimators import imported as imported_model
from spinney.estimators.imported import ImportedClassifier, ImportedRegressor
from spinney.io.imported import Answering
from spinney.tree.formula import Reading
from spinney.tree.recode import recoded

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
X[RNG.random(X.shape) < 0.1] = np.nan
Y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1])
GRADES = np.digitize(Y, [-0.5, 0.5])


@pytest.fixture(scope="module")
def models():
    """(ours, theirs) of every library and kind; all ask about missing values."""
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    forest = sklearn.ensemble.RandomForestClassifier(5, random_state=0).fit(X, GRADES)
    boosted = sklearn.ensemble.HistGradientBoostingRegressor(max_iter=8).fit(X, Y)
    trees = xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1).fit(X, GRADES)
    leaves = lightgbm.LGBMRegressor(n_estimators=8, num_leaves=8, verbose=-1, n_jobs=1).fit(X, Y)
    return {
        "forest": (spinney.from_sklearn(forest), forest),
        "boosted": (spinney.from_sklearn(boosted), boosted),
        "xgboost": (spinney.from_xgboost(trees), trees),
        "lightgbm": (spinney.from_lightgbm(leaves), leaves),
    }


NAMES = ["forest", "boosted", "xgboost", "lightgbm"]


@pytest.mark.parametrize("name", NAMES)
def test_what_all_of_them_can_do(models, name):
    ours, theirs = models[name]
    many = name == "xgboost"
    assert is_classifier(ours) == is_classifier(theirs)
    assert is_regressor(ours) == is_regressor(theirs)
    assert ours.n_features_in_ == 3
    assert ours.score(X, GRADES if is_classifier(ours) else Y) == theirs.score(X, GRADES if is_classifier(ours) else Y)
    tree = (0, 1) if many else 0
    text = spinney.export_text(ours, tree=tree)
    assert text.count("|---") == 3 * (text.count("value") + text.count("class")) - 2  # ways and leaves
    assert "empty" not in text
    assert len(spinney.export_rules(ours, tree=tree)) == ours.forest_.tree(1 if many else 0).n_leaves
    assert "empty" not in str(spinney.export_rules(ours, tree=tree))
    assert spinney.export_graphviz(ours, tree=tree).startswith("digraph")
    frame = spinney.trees_to_frame(ours)
    assert len(frame) == ours.forest_.n_nodes
    assert frame["output"].max() == (2 if many else 0)
    assert ours.feature_importances_.sum() == pytest.approx(1)
    assert ours.feature_importances_[2] < 0.2


@pytest.mark.parametrize("name", NAMES)
def test_leaves_are_the_nodes_of_the_table(models, name):
    """A walk down the table of nodes, by its columns alone."""
    ours, _ = models[name]
    frame, n_outputs = spinney.trees_to_frame(ours), ours.n_trees_per_iteration_
    found = ours.apply(X)
    assert found.shape == (300, ours.forest_.n_trees)
    for number in (0, 2, ours.forest_.n_trees - 1):
        tree = frame[(frame["tree"] == number // n_outputs) & (frame["output"] == number % n_outputs)]
        tree = tree.reset_index(drop=True)
        for row in range(0, 300, 17):
            node = 0
            while tree["yes"][node] >= 0:
                value = X[row, int(tree["feature"][node].removeprefix("feature_"))]
                way = "missing" if np.isnan(value) else "yes" if value <= tree["threshold"][node] else "no"
                node = tree[way][node]
            assert found[row, number] == node


@pytest.mark.parametrize("name", NAMES)
def test_pickles_rows_and_threads(models, name):
    ours, _ = models[name]
    copy = pickle.loads(pickle.dumps(ours))
    assert copy.fingerprint_ == ours.fingerprint_
    predicted, size = ours.predict(X), len(pickle.dumps(copy))
    assert np.array_equal(copy.set_params(n_jobs=2).predict(X), predicted)
    assert np.array_equal([ours.predict_row(X[row]) for row in range(20)], predicted[:20])
    assert np.array_equal(np.concatenate([ours.predict(X[row : row + 1]) for row in range(20)]), predicted[:20])
    assert np.array_equal(ours.predict(np.asfortranarray(X)), predicted)
    assert np.array_equal(ours.predict(X.tolist()), predicted)
    assert len(pickle.dumps(copy.set_params(n_jobs=None))) == size  # what predicting makes ready is not kept
    if name != "forest":
        assert recoded(ours.forest_) is not None
        assert np.array_equal(ours.decision_function(X[:1]), ours.decision_function(X)[:1])


def test_fingerprints_know_what_predicts(models):
    prints = [ours.fingerprint_ for ours, _ in models.values()]
    assert len(set(prints)) == len(prints)
    ours, _ = models["xgboost"]
    copy = pickle.loads(pickle.dumps(ours))
    copy._answering.start[0] += 1
    assert copy.fingerprint_ != ours.fingerprint_


def test_drawings(models):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    for name in NAMES:
        texts = spinney.plot_tree(models[name][0], tree=(0, 0) if name == "xgboost" else 0, max_depth=1)
        assert ("samples" in str(texts)) == (name != "xgboost")  # XGBoost does not keep their number
        plt.close("all")


def test_tools_of_scikit_learn(models):
    ours, theirs = models["lightgbm"]
    found = permutation_importance(ours, X, Y, n_repeats=2, random_state=0).importances
    assert np.allclose(found, permutation_importance(theirs, X, Y, n_repeats=2, random_state=0).importances)
    shares = models["forest"][0].predict_log_proba(X)
    assert np.array_equal(np.exp(shares).round(12), models["forest"][1].predict_proba(X).round(12))


def test_they_cannot_be_fitted(models):
    for model in (ImportedClassifier(), ImportedRegressor(), models["forest"][0]):
        with pytest.raises(TypeError, match=f"{type(model).__name__} holds a model that another library has fitted"):
            model.fit(X, Y)
    for model in (ImportedClassifier(), ImportedRegressor()):
        with pytest.raises(NotFittedError):
            model.predict(X)
        with pytest.raises(NotFittedError):
            model.feature_importances_  # noqa: B018


def test_questions_that_make_no_sense(models):
    assert not hasattr(models["forest"][0], "decision_function")
    xgboost = pytest.importorskip("xgboost")
    hinge = spinney.from_xgboost(xgboost.train({"objective": "binary:hinge"}, xgboost.DMatrix(X, Y > 0), 2))
    assert not hasattr(hinge, "predict_proba")
    assert set(hinge.predict(X)) == {0, 1}
    with pytest.raises(ValueError, match="X has 2 features, but ImportedClassifier is expecting 3 features as input"):
        hinge.predict(X[:, :2])


@pytest.mark.slow
def test_the_libraries_are_not_needed():
    """Nothing but their own objects brings them in; to import is light."""
    code = "import sys, spinney; spinney.from_xgboost, spinney.from_lightgbm, spinney.from_sklearn; "
    code += "assert not {'xgboost', 'lightgbm', 'numba'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


@pytest.mark.parametrize("module", [imported, imported_model], ids=lambda module: module.__name__)
def test_examples(module):
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_saved_and_loaded(models, name, tmp_path):
    ours, _ = models[name]
    spinney.save(ours, tmp_path / "model.spinney")
    again = spinney.load(tmp_path / "model.spinney")
    assert type(again) is type(ours)
    assert again.fingerprint_ == ours.fingerprint_
    assert again.source_ == ours.source_
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))
    np.testing.assert_array_equal(again.apply(X), ours.apply(X))
    if is_classifier(ours):
        np.testing.assert_array_equal(again.predict_proba(X), ours.predict_proba(X))


def test_categories_by_number_are_saved():
    xgboost, pandas = pytest.importorskip("xgboost"), pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": RNG.integers(0, 9, 300), "b": RNG.normal(size=300)}).astype({"a": "category"})
    theirs = xgboost.XGBRegressor(n_estimators=5, enable_categorical=True, n_jobs=1)
    ours = spinney.from_xgboost(theirs.fit(frame, frame["a"].astype(int) % 3 + frame["b"]))
    data = io.BytesIO()
    spinney.save(ours, data)
    numbers = np.column_stack([np.arange(12.0), np.zeros(12)])
    np.testing.assert_array_equal(spinney.load(data.getvalue()).predict(numbers), ours.predict(numbers))


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("n_outputs_", 2, "score per class or output"),
        ("_answering", Answering(link="magic"), "link is unknown"),
        ("_answering", Answering(second_from="luck"), "rule that predicts the second of two classes is unknown"),
        ("_answering", Answering(start=np.zeros(3)), "whole rounds"),
        ("_reading", Reading(numbered=(0,)), "must be numbers"),
        ("_reading", Reading(zero_is_missing=(7,)), "column does not exist"),
    ],
)
def test_parts_that_do_not_fit_are_not_loaded(models, attribute, value, message, tmp_path):
    ours = copy.copy(models["boosted"][0])
    setattr(ours, attribute, value)
    with pytest.raises(ValueError, match=message):  # a file is read back before it counts as saved
        spinney.save(ours, tmp_path / "model.spinney")
