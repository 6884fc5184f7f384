"""LightGBM's models: raw scores to the last bit, predictions to the last digits, and every refusal in words."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from spinney import from_lightgbm
from spinney.io.checks import ModelFormatError

lightgbm = pytest.importorskip("lightgbm")

ROWS = 400
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, 4))
X[RNG.random(X.shape) < 0.15] = np.nan
X[RNG.random(X.shape) < 0.15] = 0.0
X[:, 2] = np.round(np.abs(np.nan_to_num(X[:, 2])) * 3)  # no missing values here
X[:, 3] = RNG.integers(0, 40, ROWS)
Y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * X[:, 2] + np.isin(X[:, 3] % 10, [3, 7, 8])
GRADES = np.digitize(Y, [-0.5, 0.5])
TARGETS = {
    "binary": Y > 0,
    "multiclass": GRADES,
    "multiclassova": GRADES,
    "regression": Y,
    "regression_l1": Y,
    "huber": Y,
    "fair": Y,
    "quantile": Y,
    "mape": Y,
    "poisson": np.round(np.abs(Y)),
    "gamma": np.abs(Y) + 0.1,
    "tweedie": np.abs(Y),
    "cross_entropy": np.abs(np.sin(Y)),
    "cross_entropy_lambda": np.abs(np.sin(Y)),
    "lambdarank": GRADES,
    "rank_xendcg": GRADES,
}
ASKED = X.copy()
ASKED[:20, 3], ASKED[20:40, 3], ASKED[40:60, 3], ASKED[60:80, 3] = 77, -1, np.nan, ASKED[60:80, 3] + 0.7
ASKED[80:90, 3], ASKED[90:120, 2], ASKED[120:125, 0], ASKED[125:130, 0] = -0.5, np.nan, 1e-36, -1e-36


def train(objective="regression", rounds=5, **params):
    given = {"objective": objective, "verbose": -1, "num_threads": 1, "num_leaves": 8, "min_data_in_leaf": 5, **params}
    given |= {"min_data_per_group": 5, "cat_smooth": 1.0, "deterministic": True}
    if objective.startswith("multi"):
        given["num_class"] = 3
    group = {"group": [40] * (ROWS // 40)} if "rank" in objective else {}
    table = lightgbm.Dataset(X, np.asarray(TARGETS[objective], float), categorical_feature=[3], **group)
    return lightgbm.train(given, table, rounds)


@pytest.mark.parametrize("objective", TARGETS)
def test_objectives(objective):
    more = {"sigmoid": 1.7} if objective in ("binary", "multiclassova") else {}
    theirs = train(objective, **more)
    ours = from_lightgbm(theirs.model_to_string())
    assert np.array_equal(ours.decision_function(ASKED), theirs.predict(ASKED, raw_score=True))
    found, given = ours.predict(ASKED), theirs.predict(ASKED)
    if objective in ("binary", "multiclass", "multiclassova"):
        shares = ours.predict_proba(ASKED)
        assert np.array_equal(found, (given > 0.5) if given.ndim == 1 else given.argmax(axis=1))
        found = shares[:, 1] if given.ndim == 1 else shares
    np.testing.assert_allclose(found, given, rtol=1e-14)
    assert ours.objective_.startswith(objective)
    assert ours.source_ == "LightGBM v4"


@pytest.mark.parametrize(
    "params",
    [
        {"zero_as_missing": True},
        {"use_missing": False},
        {"boosting": "dart", "drop_rate": 0.5},
        {"objective": "multiclass", "zero_as_missing": True},
        {"reg_sqrt": True},
        {"max_cat_to_onehot": 100},
        {"rounds": 60, "num_leaves": 31},
    ],
    ids=lambda params: ", ".join(params),
)
def test_missing_values_and_boosters(params):
    theirs = train(**params)
    ours = from_lightgbm(theirs)
    assert np.array_equal(ours.decision_function(ASKED), theirs.predict(ASKED, raw_score=True))
    assert ours.predict_row(ASKED[25]) == pytest.approx(ours.predict(ASKED)[25], abs=0)
    if "zero_as_missing" in params:
        assert ours._reading.zero_is_missing


def test_forests_are_averaged():
    theirs = train(boosting="rf", bagging_freq=1, bagging_fraction=0.5)
    assert np.array_equal(from_lightgbm(theirs).predict(ASKED), theirs.predict(ASKED))


def test_categories_by_name():
    words = RNG.choice(["red", "green", "blue", "grey", "pink"], ROWS)
    frame = pd.DataFrame({"my size": X[:, 0], "hue": pd.Categorical(words, categories=sorted(set(words))[::-1])})
    frame["code"] = pd.Categorical(RNG.choice([20, 5, 7, 11], ROWS))
    frame.loc[::9, "hue"] = np.nan
    labels = np.where(Y + 2 * (words == "red") - (frame["code"] == 7) > 0, "up", "down")
    theirs = lightgbm.LGBMClassifier(n_estimators=5, min_data_per_group=5, cat_smooth=1.0, verbose=-1, n_jobs=1).fit(
        frame, labels
    )
    ours = from_lightgbm(theirs)
    assert np.array_equal(ours.predict(frame), theirs.predict(frame))
    np.testing.assert_allclose(ours.predict_proba(frame), theirs.predict_proba(frame), rtol=1e-14)
    assert ours.classes_.tolist() == ["down", "up"]
    assert ours.feature_names_in_.tolist() == ["my_size", "hue", "code"]
    assert [column.categories for column in ours._schema.columns] == [None, tuple(sorted(set(words))), (5, 7, 11, 20)]
    polars = pytest.importorskip("polars")
    assert np.array_equal(ours.predict(polars.from_pandas(frame.astype({"hue": "str"}))), theirs.predict(frame))


def test_files(tmp_path):
    theirs = train()
    theirs.save_model(tmp_path / "model.txt")
    text = (tmp_path / "model.txt").read_bytes()
    (tmp_path / "other.txt").write_bytes(text.replace(b"\n", b"\r\n"))
    for given in (tmp_path / "model.txt", str(tmp_path / "other.txt"), text, text.decode()):
        assert np.array_equal(from_lightgbm(given).predict(X), theirs.predict(X))


def test_early_stopping():
    half = ROWS // 2
    model = lightgbm.LGBMRegressor(n_estimators=50, learning_rate=1.0, verbose=-1, n_jobs=1)
    stop = lightgbm.early_stopping(3, verbose=False)
    model.fit(X[:half], Y[:half], eval_set=[(X[half:], Y[half:])], callbacks=[stop])
    ours = from_lightgbm(model)
    assert ours.forest_.n_trees == model.best_iteration_ < 50
    assert np.array_equal(ours.predict(X), model.predict(X))


def test_trees_of_one_leaf_and_sparse_tables():
    sparse = csr_matrix(np.nan_to_num(X))
    theirs = lightgbm.LGBMRegressor(n_estimators=3, min_child_samples=ROWS, verbose=-1, n_jobs=1).fit(sparse, Y)
    assert np.array_equal(from_lightgbm(theirs).predict(sparse), theirs.predict(sparse))
    theirs = lightgbm.LGBMRegressor(n_estimators=3, zero_as_missing=True, verbose=-1, n_jobs=1).fit(sparse, Y)
    assert np.array_equal(from_lightgbm(theirs).predict(sparse), theirs.predict(sparse))


def test_objectives_of_ones_own_predict_raw_scores():
    table = lightgbm.Dataset(X, Y)
    theirs = lightgbm.train(
        {"objective": lambda p, d: (p - d.get_label(), np.ones(ROWS)), "verbose": -1, "num_threads": 1}, table, 3
    )
    ours = from_lightgbm(theirs)
    assert ours.objective_ == "custom"
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@pytest.fixture(scope="module")
def text():
    words = pd.Categorical(np.array(["a", "b", "c", "d"])[X[:, 3].astype(int) % 4])
    frame = pd.DataFrame({"x": X[:, 0], "word": words})
    params = {"verbose": -1, "num_threads": 1, "num_leaves": 4, "min_data_per_group": 5, "cat_smooth": 1.0}
    found = lightgbm.train(params, lightgbm.Dataset(frame, Y + 3 * (words == "b")), 2).model_to_string()
    assert "num_cat=1" in found
    return found


@pytest.mark.parametrize(
    ("line", "other", "why"),
    [
        (r"^tree$", "three", "its text begins with 'tree' and 'version=v4'"),
        (r"^version=v4$", "", "its text begins with 'tree' and 'version=v4'"),
        (r"^version=v4$", "version=v5", "the model has version 'v5' of LightGBM's format, and this release"),
        (
            r"^tree_sizes=",
            "offset=1\ntree_sizes=",
            "the text has a line 'offset' that this release of Spinney does not",
        ),
        (r"^shrinkage=", "scale=2\nshrinkage=", "the text has a line 'scale' that this release of Spinney does not"),
        (
            r"^objective=.*$",
            "objective=regression cube",
            "the option 'cube' of the objective 'regression' is not known",
        ),
        (r"^decision_type=\S+", "decision_type=16", "'decision_type' has unknown bits"),
        (r"^end of trees$", "", "the line 'end of trees' is missing"),
        (r"^objective=.*$", "objective=own", "the objective 'own' is not supported. Supported: binary"),
        (r"^objective=.*$", "objective=binary sigmoid:x", "the parameter sigmoid must be a number, got 'x'"),
        (r"^objective=.*$", "objective=multiclass", "'multiclass' cannot have 1 trees per round"),
        (r"^max_feature_idx=1$", "max_feature_idx=x", "'max_feature_idx' must be an integer, got 'x'"),
        (r"^max_feature_idx=1$", "max_feature_idx=0", "is on column 1, but there are 1 columns"),
        (r"^max_feature_idx=1$", "max_feature_idx=2", "there are 3 columns, but these are their names"),
        (r"^num_tree_per_iteration=1$", "num_tree_per_iteration=3", "2 trees cannot be rounds of 3"),
        (r"^num_tree_per_iteration=1$", "num_tree_per_iteration=900000", "2 trees cannot be those of 900,000 outputs"),
        (r"^num_leaves=4$", "num_leaves=0", "a tree has no leaves"),
        (r"^num_leaves=4$", "num_leaves=5", "'split_feature' must be a list of 4 numbers, got 3"),
        (
            r"^is_linear=0$",
            "is_linear=1",
            "trees with linear models in their leaves (linear_tree=true) are not supported",
        ),
        (r"^leaf_value=\S+", "leaf_value=x", "'leaf_value' must be a list of numbers, got 'x "),
        (r"^leaf_value=\S+", "leaf_value=nan", "the value of a node, or its weight, is not a finite number"),
        (r"^left_child=\S+", "left_child=7", "a node leads out of its tree"),
        (r"^cat_boundaries=.*$", "cat_boundaries=0", "a split on categories has no set"),
        (r"^cat_boundaries=.*$", "cat_boundaries=0 7", "the sets of categories are not contiguous"),
        (r"^cat_threshold=.*$", "cat_threshold=-1", "'cat_threshold' must be numbers of 32 bits"),
        (r"^cat_threshold=.*$", "cat_threshold=4096", "a set names category 12 of column 1, of 4"),
        (r"^pandas_categorical:.*$", "pandas_categorical:[3]", "must be a list of lists of categories"),
        (r"^pandas_categorical:.*$", "pandas_categorical:[", "must be a list of lists of categories"),
        (r"^pandas_categorical:.*$", 'pandas_categorical:[["a", 1]]', "differ and be all strings or numbers: ['a', 1]"),
        (
            r"^pandas_categorical:.*$",
            'pandas_categorical:[["a"], ["b"]]',
            "of 2 columns of a pandas table are known, but 1",
        ),
    ],
)
def test_what_is_refused(text, line, other, why):
    changed, n = re.subn(line, other, text, flags=re.MULTILINE)
    assert n
    with pytest.raises(ModelFormatError, match=re.escape(why)):
        from_lightgbm(changed)


def test_types_of_missing_values_that_are_refused(text):
    kinds = re.findall(r"^decision_type=(.*)$", text, re.MULTILINE)
    assert all(set(one.split()) <= {"1", "8", "9", "10"} for one in kinds)
    with pytest.raises(ModelFormatError, match="names a type of missing values that does not exist"):
        from_lightgbm(re.sub(r"\b(8|10)\b(?=[ \d]*\nleft_child)", "12", text))
    with pytest.raises(
        ModelFormatError, match="trees disagree on whether 0 is missing in column 0, which is not supported"
    ):
        from_lightgbm(re.sub(r"\b(8|10)\b(?=[ \d]*\nleft_child)", "4", text, count=1))


def test_what_is_no_model():
    with pytest.raises(TypeError, match=r"from_lightgbm takes a Booster, .* got int\."):
        from_lightgbm(3)
    with pytest.raises(ModelFormatError, match="the file is not text"):
        from_lightgbm(b"\xff\xfe")
    with pytest.raises(FileNotFoundError):
        from_lightgbm("no such file.txt")


def test_sets_too_large_to_read(text, monkeypatch):
    from spinney.io import from_lightgbm as module

    monkeypatch.setattr(module, "_MOST_BITS", 16)
    with pytest.raises(ModelFormatError, match="the sets of categories are too large to be read"):
        from_lightgbm(text)
