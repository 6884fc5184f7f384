"""XGBoost's models: raw scores to the last bit, predictions to the last digit, and every refusal in words."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from spinney import from_xgboost
from spinney.io.checks import ModelFormatError

xgboost = pytest.importorskip("xgboost")

ROWS = 300
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, 4))
X[RNG.random(X.shape) < 0.15] = np.nan
Y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1] * X[:, 2])
GRADES = np.digitize(Y, [-0.5, 0.5])
TARGETS = {
    "binary:logistic": Y > 0,
    "binary:logitraw": Y > 0,
    "binary:hinge": Y > 0,
    "reg:logistic": np.abs(np.sin(Y)),
    "reg:squarederror": Y,
    "reg:squaredlogerror": np.abs(Y),
    "reg:pseudohubererror": Y,
    "reg:absoluteerror": Y,
    "reg:quantileerror": Y,
    "reg:gamma": np.abs(Y) + 0.1,
    "reg:tweedie": np.abs(Y),
    "count:poisson": np.round(np.abs(Y)),
    "survival:cox": np.abs(Y) + 0.1,
    "multi:softmax": GRADES,
    "multi:softprob": GRADES,
    "rank:pairwise": GRADES,
    "rank:ndcg": GRADES,
    "rank:map": GRADES > 0,
}
ULPS = 4 * np.finfo(np.float32).eps


def train(objective="reg:squarederror", rounds=4, y=None, **params):
    given = {"objective": objective, "max_depth": 3, "nthread": 1, **params}
    if objective.startswith("multi"):
        given["num_class"] = 3
    group = {"qid": np.arange(ROWS) // 30} if objective.startswith("rank") else {}
    target = TARGETS[objective] if y is None else y
    return xgboost.train(given, xgboost.DMatrix(X, np.asarray(target, float), **group), rounds)


@pytest.mark.slow
@pytest.mark.parametrize("objective", TARGETS)
def test_objectives(objective):
    more = {"quantile_alpha": [0.1, 0.5, 0.9]} if objective == "reg:quantileerror" else {}
    theirs = train(objective, **more)
    table = xgboost.DMatrix(X)
    for form in ("ubj", "json"):
        ours = from_xgboost(bytes(theirs.save_raw(form)))
        assert np.array_equal(ours.decision_function(X), theirs.predict(table, output_margin=True))
        assert ours.objective_ == objective
        found, given = ours.predict(X), theirs.predict(table)
        if objective in ("binary:logistic", "multi:softprob"):
            shares = ours.predict_proba(X)
            assert np.array_equal(found, (given > 0.5) if given.ndim == 1 else given.argmax(axis=1))
            found = shares[:, 1] if given.ndim == 1 else shares
        if objective == "binary:logitraw":
            given = given > 0
        np.testing.assert_allclose(found, given, rtol=ULPS, atol=0)


@pytest.mark.parametrize(
    ("params", "n_trees"),
    [
        ({"booster": "dart", "rate_drop": 0.5, "seed": 3}, 4),
        ({"num_parallel_tree": 3, "subsample": 0.6}, 12),
        ({"objective": "multi:softprob", "num_parallel_tree": 2, "subsample": 0.6}, 24),
        ({"max_bin": 700, "max_depth": 9, "rounds": 30}, 30),
        ({"tree_method": "exact"}, 4),
        ({"base_score": 3.0}, 4),
        ({"rounds": 0}, 0),
    ],
)
def test_boosters(params, n_trees):
    theirs = train(**params)
    ours = from_xgboost(theirs)
    assert ours.forest_.n_trees == n_trees
    assert np.array_equal(ours.decision_function(X), theirs.predict(xgboost.DMatrix(X), output_margin=True))


def test_dropout_in_either_form():
    """Up to 3.3 the trees' weights lie beside a booster named dart, since then beside the trees."""
    theirs = train(booster="dart", rate_drop=0.5, seed=3)
    whole = json.loads(bytes(theirs.save_raw("json")))
    given = whole["learner"]["gradient_booster"]
    model = given.get("gbtree", given)["model"]
    factors = given.pop("weight_drop", None) or model.pop("weight_drop")
    assert len(set(factors)) > 1
    old = {"gbtree": {"model": model, "name": "gbtree"}, "name": "dart", "weight_drop": factors}
    new = {"model": {**model, "weight_drop": factors}, "name": "gbtree"}
    for form in (old, new):
        whole["learner"]["gradient_booster"] = form
        ours = from_xgboost(json.dumps(whole).encode())
        assert np.array_equal(ours.decision_function(X), theirs.predict(xgboost.DMatrix(X), output_margin=True))
    del old["weight_drop"]
    whole["learner"]["gradient_booster"] = old
    with pytest.raises(ModelFormatError, match="'weight_drop' is missing"):
        from_xgboost(json.dumps(whole).encode())


def test_survival_times():
    table = xgboost.DMatrix(X)
    table.set_float_info("label_lower_bound", np.abs(Y) + 0.1)
    table.set_float_info("label_upper_bound", np.where(Y > 0, np.abs(Y) + 0.1, np.inf))
    theirs = xgboost.train({"objective": "survival:aft", "max_depth": 2, "nthread": 1}, table, 3)
    ours = from_xgboost(theirs)
    assert np.array_equal(ours.decision_function(X), theirs.predict(table, output_margin=True))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(table), rtol=ULPS)


def test_several_targets():
    theirs = xgboost.XGBRegressor(n_estimators=3, max_depth=2, n_jobs=1).fit(X, np.c_[Y, -Y])
    ours = from_xgboost(theirs)
    assert ours.n_outputs_ == ours.n_trees_per_iteration_ == 2
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    labels = xgboost.XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1).fit(X, np.c_[Y > 0, Y > 1].astype(int))
    np.testing.assert_allclose(from_xgboost(labels).predict(X), labels.predict_proba(X), rtol=ULPS)


def test_values_are_rounded_to_float32_as_there():
    """Values within float32's precision of every threshold."""
    theirs = train(rounds=10)
    ours = from_xgboost(theirs)
    near = np.repeat(ours.forest_.threshold, 4)
    near = near + np.tile([0.0, 1.0, -1.0, 4.0], len(near) // 4) * np.spacing(near)
    table = np.stack([np.roll(near, k) for k in range(4)], axis=1)
    assert np.array_equal(ours.predict(table), theirs.predict(xgboost.DMatrix(table)))
    single = table.astype(np.float32)
    assert np.array_equal(ours.predict(single), theirs.predict(xgboost.DMatrix(single)))


def test_categories_by_name():
    words = RNG.choice(["red", "green", "blue", "grey", "pink"], ROWS)
    numbers = RNG.choice([20, 5, 7, 11], ROWS)
    frame = pd.DataFrame({"size": X[:, 0], "hue": pd.Categorical(words, categories=sorted(set(words))[::-1])})
    frame["code"] = pd.Categorical(numbers)
    frame.loc[::9, "hue"] = np.nan
    y = Y + 2 * (words == "red") - (numbers == 7)
    theirs = xgboost.XGBRegressor(n_estimators=6, max_depth=4, enable_categorical=True, max_cat_to_onehot=1).fit(
        frame, y
    )
    ours = from_xgboost(theirs)
    assert np.array_equal(ours.predict(frame), theirs.predict(frame))
    assert np.array_equal(ours.predict(frame.astype({"hue": object})), theirs.predict(frame))  # by value
    assert ours.feature_names_in_.tolist() == ["size", "hue", "code"]
    assert [column.categories for column in ours._schema.columns] == [None, tuple(sorted(set(words))), (5, 7, 11, 20)]
    assert ours.predict_row(frame.iloc[3].to_dict()) == theirs.predict(frame)[3]


def test_categories_by_number():
    """Numbers are cut after the point, and those that no set names go left, where missing ones need not go."""
    table = np.c_[X[:, 0], RNG.integers(0, 12, ROWS)]
    table[::9, 1] = np.nan
    kinds = {"feature_types": ["q", "c"], "enable_categorical": True}
    y = Y + 2 * np.isin(table[:, 1], [3, 8])
    theirs = xgboost.train(
        {"max_depth": 4, "max_cat_to_onehot": 1, "nthread": 1}, xgboost.DMatrix(table, y, **kinds), 8
    )
    ours = from_xgboost(theirs)
    table[:30, 1], table[30:60, 1], table[60:63, 1] = 40, table[30:60, 1] + 0.7, 12
    assert np.array_equal(ours.predict(table), theirs.predict(xgboost.DMatrix(table, **kinds)))
    assert ours.predict_row(table[0]) == ours.predict(table)[0]


def test_files_and_models(tmp_path):
    model = xgboost.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1).fit(X, GRADES)
    for name in ("model.ubj", "model.json"):
        model.save_model(tmp_path / name)
        for given in (tmp_path / name, str(tmp_path / name)):
            ours = from_xgboost(given)
            assert np.array_equal(ours.predict(X), model.predict(X))
            assert ours.classes_.tolist() == [0, 1, 2]
    assert ours.source_.startswith("XGBoost 3.")


def test_early_stopping_and_rounds():
    half = ROWS // 2
    model = xgboost.XGBRegressor(n_estimators=40, early_stopping_rounds=2, learning_rate=1.0, n_jobs=1)
    model.fit(X[:half], Y[:half], eval_set=[(X[half:], Y[half:])], verbose=False)
    assert model.best_iteration + 3 == model.get_booster().num_boosted_rounds()
    assert np.array_equal(from_xgboost(model).predict(X), model.predict(X))
    booster = model.get_booster()
    assert np.array_equal(from_xgboost(booster).predict(X), booster.predict(xgboost.DMatrix(X)))
    two = booster.predict(xgboost.DMatrix(X), iteration_range=(0, 2))
    assert np.array_equal(from_xgboost(booster, n_rounds=2).predict(X), two)
    with pytest.raises(ValueError, match=re.escape("n_rounds must be a positive integer or None, got 0.")):
        from_xgboost(booster, n_rounds=0)


def test_cells_that_a_sparse_table_does_not_store_are_missing():
    sparse = csr_matrix(np.where(np.abs(np.nan_to_num(X)) < 0.5, 0.0, np.nan_to_num(X)))
    theirs = xgboost.train({"max_depth": 3, "nthread": 1}, xgboost.DMatrix(sparse, Y), 5)
    assert np.array_equal(from_xgboost(theirs).predict(sparse), theirs.predict(xgboost.DMatrix(sparse)))


def saved(change=None):
    """A model in JSON, with a change."""
    table = xgboost.DMatrix(np.c_[X[:, 0], GRADES], Y, feature_types=["q", "c"], enable_categorical=True)
    whole = json.loads(
        bytes(xgboost.train({"max_depth": 2, "max_cat_to_onehot": 1, "nthread": 1}, table, 2).save_raw("json"))
    )
    learner = whole["learner"]
    model = learner["gradient_booster"]["model"]
    tree = next(one for one in model["trees"] if one["categories_nodes"])
    if change is not None:
        change(
            {"file": whole, "learner": learner, "model": model, "tree": tree, "shape": learner["learner_model_param"]}
        )
    return json.dumps(whole).encode()


def put(where, key, value):
    return lambda parts: parts[where].__setitem__(key, value)


def first(key, value, where=0, left=None):
    """Change the first number of a tree's list, or another one; perhaps give that node a child."""

    def change(parts):
        parts["tree"][key][where] = value
        if left is not None:
            parts["tree"]["left_children"][where] = left

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            lambda parts: parts["learner"]["gradient_booster"].update(name="gblinear"),
            "only boosters of trees are supported",
        ),
        (
            put("learner", "objective", {"name": "my:own"}),
            "the objective 'my:own' is not supported. Supported: binary:hinge",
        ),
        (put("learner", "gradient_booster", 3), "'gradient_booster' is missing or has the wrong type"),
        (put("learner", "feature_names", ["a", "a"]), "there are 2 columns, but these are their names: ['a', 'a']"),
        (put("shape", "base_score", "x"), "'base_score' must be a number or a list of them, got 'x'"),
        (put("shape", "base_score", "nan"), "'base_score' must be a number, got nan"),
        (put("shape", "base_score", "[1,2,3]"), "'base_score' has 3 numbers, but there are 1 outputs"),
        (put("shape", "num_feature", "-1"), "'num_feature' must be an integer, got '-1'"),
        (put("shape", "num_feature", "0"), "a model can have 1 to 4,194,304 columns, this one has 0"),
        (put("shape", "num_feature", "999999999"), "a model can have 1 to 4,194,304 columns, this one has 999,999,999"),
        (put("shape", "num_feature", "1"), "a split is on column 1, but there are 1 columns"),
        (put("shape", "num_class", "900000000"), "2 trees cannot be those of 900,000,000 outputs"),
        (put("shape", "num_class", "2"), "outputs have different numbers of trees: [2, 0]"),
        (put("model", "tree_info", [0]), "'tree_info' must be a list of 2 numbers, got 1"),
        (put("model", "tree_info", [0, 1]), "'tree_info' names output 1, but there are 1"),
        (put("model", "trees", [3, 4]), "there is no object in the file"),
        (put("model", "cats", {"enc": [{}, {}, {}]}), "3 columns have categories, but there are 2"),
        (put("model", "cats", {"enc": [{}]}), "'values' is missing"),
        (put("model", "cats", {"enc": [{"offsets": [0, 9], "values": [97]}]}), "column 0 are not contiguous"),
        (put("model", "cats", {"enc": [{"offsets": [0, 1], "values": [255]}]}), "a category of column 0 is not UTF-8"),
        (put("model", "cats", {"enc": [{"values": [1, 1]}]}), "column 0 has a category twice"),
        (put("model", "cats", {"enc": [{"values": []}, {"values": [1]}]}), "of column 1, which has 1"),
        (put("tree", "left_children", ["a"]), "'left_children' must be a list of numbers"),
        (put("tree", "left_children", [[1]]), "'left_children' must be a list of numbers, got a list of lists"),
        (put("tree", "default_left", None), "'default_left' is missing"),
        (put("tree", "categories", [-1]), "are not contiguous"),
        (first("categories_nodes", 77), "belongs to a node that does not exist"),
        (first("categories", 1 << 24), "categories must be numbers from 0 to 16,777,215"),
        (first("split_type", 1, where=-1, left=0), "a split on categories has no set"),
        (put("file", "version", [3, 5, 0]), "the model was saved by XGBoost 3.5.0, and this release of Spinney reads"),
        (put("file", "version", [4, 0, 0]), "the model was saved by XGBoost 4.0.0, and this release of Spinney reads"),
        (put("file", "version", ["3"]), "'version' must be a list of integers, got ['3']"),
        (put("file", "intercept", 1), "has a field 'intercept' in 'file', which this release of Spinney does not know"),
        (put("learner", "scale", 1), "has a field 'scale' in 'learner'"),
        (put("shape", "scale", "1"), "has a field 'scale' in 'learner_model_param'"),
        (put("model", "factors", [1, 1]), "has a field 'factors' in 'model'"),
        (put("model", "cats", {"hashes": []}), "has a field 'hashes' in 'cats'"),
        (put("tree", "leaf_vector", []), "has a field 'leaf_vector' in 'tree'"),
        (put("model", "weight_drop", [1.0]), "'weight_drop' must be a list of 2 numbers, got 1"),
        (put("tree", "tree_param", {"size_leaf_vector": "2"}), "trees with a vector in each leaf"),
    ],
)
def test_what_is_refused(change, why):
    with pytest.raises(ModelFormatError, match=re.escape(why)):
        from_xgboost(saved(change))


def test_two_sets_of_one_node():
    def change(parts):
        parts["tree"].update(
            categories_nodes=[0, 0], categories_sizes=[1, 0], categories_segments=[0, 1], categories=[1]
        )

    with pytest.raises(ModelFormatError, match="a node has two sets of categories"):
        from_xgboost(saved(change))


@pytest.mark.parametrize(
    ("objective", "score", "why"),
    [
        ("binary:logistic", "1", "between 0 and 1, got 1.0"),
        ("reg:gamma", "0", "'base_score' must be positive, got 0.0"),
    ],
)
def test_start_values_that_have_no_link(objective, score, why):
    def change(parts):
        parts["learner"]["objective"]["name"], parts["shape"]["base_score"] = objective, score

    with pytest.raises(ModelFormatError, match=re.escape(why)):
        from_xgboost(saved(change))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"binf\0\0", "Files in the old binary format can be loaded with xgboost below 3.1 and saved again as .ubj"),
        (b'{"learner": ', "this is not a complete JSON file"),
        (b'{"a":' * 100_000, "this is not a complete JSON file"),
        (b"{}", "'learner' is missing"),
        (b"{L", "this is not a complete UBJSON file"),
    ],
)
def test_files_that_are_refused(data, why):
    with pytest.raises(ModelFormatError, match=re.escape(why)):
        from_xgboost(data)


def test_vectors_in_leaves_are_refused():
    theirs = xgboost.XGBRegressor(n_estimators=1, multi_strategy="multi_output_tree").fit(X, np.c_[Y, -Y])
    with pytest.raises(ModelFormatError, match="multi_strategy='multi_output_tree'"):
        from_xgboost(theirs)


def test_what_is_no_model():
    with pytest.raises(TypeError, match=r"from_xgboost takes a Booster, .* got int\."):
        from_xgboost(3)
    with pytest.raises(FileNotFoundError):
        from_xgboost("no such file.ubj")
