"""The table of nodes: a plain walk over its rows, by values, gives what models predict."""

import sys

import numpy as np
import pandas as pd
import pytest

from spinney import (
    AdaBoostRegressor,
    BaggingClassifier,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ID3Classifier,
    RandomForestClassifier,
    export_text,
    trees_to_frame,
)
from tests.io.exported import FITS, fitted


def draw(n, seed=0):
    """Numbers, strings and missing values."""
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame(
        {
            "a": rng.randn(n),
            "b": rng.randint(0, 6, n).astype(float),
            "kind": rng.choice(list("pqrstuv"), n),
            "place": rng.choice([f"town {k}" for k in range(90)], n),
        }
    )
    y = frame["a"] + frame["kind"].isin(list("qs")) + 0.1 * frame["b"] + 0.3 * rng.randn(n)
    frame = frame.mask(rng.rand(n, 4) < 0.1)
    return frame, y.to_numpy()


X, Y = draw(300)
NEW = draw(60, 1)[0]
NEW.loc[:3, "kind"] = "never seen"
CLASSES = np.array(["low", "mid", "top"])[np.digitize(Y, [-0.5, 1.0])]
FEW = dict(n_estimators=4, random_state=0)


def walk(nodes, row):
    """The node where a row ends, in the rows of one tree."""
    at = nodes.loc[0]
    while isinstance(at["feature"], str):
        x = row[at["feature"]]
        if at["categories"] is not None:
            known = set().union(*nodes["categories"][nodes["feature"] == at["feature"]].dropna())
            known |= set(X[at["feature"]].dropna())
            if at.get("children") is not None and at["yes"] < 0:
                goes = at["children"][at["categories"].index(x)] if x in at["categories"] else at["missing"]
            else:
                goes = (at["yes"] if x in at["categories"] else at["no"]) if x in known else at["missing"]
        else:
            goes = at["missing"] if np.isnan(x) else at["yes"] if x <= at["threshold"] else at["no"]
        if goes < 0:
            return at
        at = nodes.loc[goes]
    return at


def answers(frame, table, columns):
    """(trees, rows, columns): what the table of nodes says of each row."""
    groups = [group.set_index("node") for _, group in frame.groupby(["tree", "output"])]
    rows = [row for _, row in table.iterrows()]
    return np.array([[walk(nodes, row)[columns].to_list() for row in rows] for nodes in groups], float)


VALUES = ["value_low", "value_mid", "value_top"]


@pytest.mark.parametrize("model", [DecisionTreeClassifier(max_depth=5), ID3Classifier(), RandomForestClassifier(**FEW)])
def test_classes(model):
    table, new = (X, NEW) if not isinstance(model, ID3Classifier) else (X[["kind", "place"]], NEW[["kind", "place"]])
    model.fit(table, CLASSES)
    frame = trees_to_frame(model)
    assert ("children" in frame) == isinstance(model, ID3Classifier)
    found = answers(frame, new, VALUES).mean(axis=0)
    np.testing.assert_allclose(found, model.predict_proba(new), rtol=1e-12)


@pytest.mark.parametrize("model", [DecisionTreeRegressor(max_depth=6), ExtraTreesRegressor(**FEW)])
def test_numbers(model):
    model.fit(X, Y)
    found = answers(trees_to_frame(model), NEW, ["value"]).mean(axis=0)
    np.testing.assert_allclose(found[:, 0], model.predict(NEW), rtol=1e-12)


def test_boosting():
    model = GradientBoostingRegressor(min_samples_leaf=3, min_samples_category=2, **FEW).fit(X, Y)
    frame = trees_to_frame(model)
    found = model._booster.start[0] + answers(frame, NEW, ["value"])[:, :, 0].sum(axis=0)
    np.testing.assert_allclose(found, model.predict(NEW), rtol=1e-12)
    shares = frame.dropna(subset="feature").groupby("feature")["gain"].sum().reindex(X.columns, fill_value=0.0)
    np.testing.assert_allclose(shares / shares.sum(), model.feature_importances_)
    assert frame["categories"].notna().any()
    assert frame.groupby("tree").size().tolist() == np.diff(model._booster.forest.first).tolist()


def test_a_round_has_a_tree_for_each_class():
    model = GradientBoostingClassifier(min_samples_leaf=3, **FEW).fit(X, CLASSES)
    frame = trees_to_frame(model)
    assert sorted(set(zip(frame["tree"], frame["output"]))) == [(k, c) for k in range(4) for c in range(3)]
    found = answers(frame, NEW, ["value"]).reshape(4, 3, 60).sum(axis=0) + model._booster.start[:, None]
    np.testing.assert_allclose(found.T, model.decision_function(NEW), rtol=1e-12)


@pytest.mark.slow
def test_members_are_asked_about_the_columns_of_the_table():
    model = BaggingClassifier(max_features=0.5, **FEW).fit(X, CLASSES)
    frame = trees_to_frame(model)
    for k, columns in enumerate(model.estimators_features_):
        assert set(frame.loc[frame["tree"] == k, "feature"].dropna()) <= set(X.columns[columns])
    np.testing.assert_allclose(answers(frame, NEW, VALUES).mean(axis=0), model.predict_proba(NEW), rtol=1e-12)
    model = AdaBoostRegressor(**FEW).fit(X, Y)
    first = answers(trees_to_frame(model), NEW, ["value"])[0, :, 0]
    np.testing.assert_allclose(first, model.estimators_[0].predict(NEW), rtol=1e-12)


def test_columns():
    tree = DecisionTreeRegressor(max_leaf_nodes=5).fit(X.to_numpy()[:, :2].astype(float), np.column_stack([Y, -Y]))
    frame = trees_to_frame(tree)
    assert set(frame["feature"].dropna()) <= {"feature_0", "feature_1"}
    np.testing.assert_array_equal(frame["value_0"], -frame["value_1"])
    leaf = frame["feature"].isna()
    assert (frame.loc[leaf, ["yes", "no", "missing"]] == -1).all(axis=None)
    assert (frame.loc[leaf, "gain"] == 0).all()
    assert (frame["depth"] == tree.tree_.depth).all()
    inner = frame[~leaf]
    for side in ("yes", "no"):
        assert (frame.loc[inner[side], "parent"].to_numpy() == inner["node"]).all()
    parts = trees_to_frame(C45Classifier().fit(X, CLASSES))
    assert set(parts.loc[parts["feature"].notna(), "missing"]) == {-2}


@pytest.mark.parametrize("name", list(FITS))
def test_every_model_of_trees(name):
    model = fitted(name)
    frame = trees_to_frame(model)
    alone = name.startswith(("c50", "adaboost-c45"))
    stores = [one.tree_.forest for one in model.estimators_] if alone else [model.forest_]
    assert len(frame) == sum(store.n_nodes for store in stores)
    roots = frame[frame["parent"] == -1]
    assert len(roots) == sum(store.n_trees for store in stores)
    assert (roots["node"] == 0).all()


def test_without_pandas(monkeypatch):
    model = DecisionTreeRegressor(max_depth=2).fit(X, Y)
    expected = trees_to_frame(model)
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = trees_to_frame(model)
    assert isinstance(found, dict)
    assert list(found) == list(expected.columns)
    assert all(len(column) == len(expected) for column in found.values())


def test_models():
    with pytest.raises(TypeError, match="got DataFrame"):
        trees_to_frame(X)


def test_linear_leaves_have_their_lines():
    X = np.linspace(0.0, 1.0, 200)[:, None].repeat(2, axis=1)
    X[:, 1] = X[::-1, 1] ** 2
    table = pd.DataFrame(X, columns=["a", "b"])
    model = GradientBoostingRegressor(leaves="linear", n_estimators=3).fit(table, np.sin(5 * X[:, 0]))
    frame, expected = trees_to_frame(model), np.full(len(X), model._booster.start[0])
    for tree, leaves in enumerate(model.apply(table).T):
        nodes = frame[frame["tree"] == tree].set_index("node")
        assert nodes.loc[nodes["yes"] >= 0, "lines"].isna().all()
        for row, leaf in enumerate(leaves):
            lines = nodes.loc[leaf, "lines"]
            adds = (
                slope * (min(max(table.loc[row, name], low), high) - mean) for name, slope, mean, low, high in lines
            )
            expected[row] += nodes.loc[leaf, "value"] + sum(adds)
    np.testing.assert_allclose(model.predict(table), expected)
    plain = GradientBoostingRegressor(n_estimators=1).fit(X, X[:, 0])
    assert "lines" not in trees_to_frame(plain)
    assert " (a - " in export_text(model, tree=0)
