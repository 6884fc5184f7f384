"""A boosted model as a series of rounds: trees, first rounds, ways of rows."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import export_graphviz

from spinney import GradientBoostingClassifier, GradientBoostingRegressor, export_text, prune
from spinney.datasets import load_penguins

X, Y = load_penguins()
MASS = X["body_mass_g"].fillna(4000.0).to_numpy()
FEW = dict(n_estimators=6, random_state=0, min_samples_leaf=5)
MODELS = {
    "numbers": lambda: GradientBoostingRegressor(**FEW).fit(X.drop(columns="body_mass_g"), MASS),
    "two": lambda: GradientBoostingClassifier(**FEW).fit(X, Y == "Gentoo"),
    "three": lambda: GradientBoostingClassifier(**FEW).fit(X, Y),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    model = MODELS[request.param]()
    return model, X.drop(columns="body_mass_g") if request.param == "numbers" else X


def raw(model, table):
    return model.predict(table)[:, None] if isinstance(model, GradientBoostingRegressor) else scores(model, table)


def scores(model, table):
    found = model.decision_function(table)
    return found[:, None] if found.ndim == 1 else found


def test_trees_add_up(fitted):
    model, table = fitted
    trees = model.estimators_
    assert trees.shape == (6, model._booster.n_outputs)
    leaves = model.apply(table).reshape(len(table), 6, -1)
    total = np.repeat(model._booster.start[None, :], len(table), axis=0)
    for r, one in enumerate(model):
        assert one.shape == (trees.shape[1],)
        for k, tree in enumerate(one):
            total[:, k] += tree.predict(table)
            np.testing.assert_array_equal(tree.apply(table), leaves[:, r, k])
            assert tree.get_n_leaves() > 1
    np.testing.assert_array_equal(total, raw(model, table))


def test_first_rounds_are_a_model(fitted):
    model, table = fitted
    assert len(model) == 6
    stages = list(model.staged_predict(table))
    for k in (1, 4, 6):
        first = model[:k]
        assert type(first) is type(model)
        assert len(first) == first.n_estimators == first.n_iter_ == first.best_iteration_ == k
        np.testing.assert_array_equal(first.predict(table), stages[k - 1])
        assert (first.fingerprint_ == model.fingerprint_) == (k == 6)
    assert len(model[0:-2]) == 4
    assert len(model[:100]) == 6
    assert len(model) == model.n_estimators == 6
    assert pickle.loads(pickle.dumps(model[:2])).fingerprint_ == model[:2].fingerprint_


def test_first_rounds_are_those_of_a_shorter_fit():
    long = GradientBoostingClassifier(**FEW).fit(X, Y, eval_set=(X, Y))
    short = GradientBoostingClassifier(**{**FEW, "n_estimators": 3}).fit(X, Y, eval_set=(X, Y))
    assert long[:3].fingerprint_ == short.fingerprint_
    assert long[:3].evals_result_ == short.evals_result_
    assert long[:3].get_params() == short.get_params()
    again = long[:3].set_params(warm_start=True, n_estimators=6).fit(X, Y)
    assert again.fingerprint_ == long.fingerprint_


def test_decision_path(fitted):
    model, table = fitted
    table = table.head(40)
    path, first = model.decision_path(table)
    leaves = model.apply(table).reshape(40, -1)
    assert path.shape == (40, first[-1])
    for number in range(len(first) - 1):
        own = model.estimators_.flat[number].decision_path(table)
        np.testing.assert_array_equal(path[:, first[number] : first[number + 1]].toarray(), own.toarray())
        assert own[np.arange(40), leaves[:, number]].all()


def test_a_tree_stands_alone(fitted):
    model, table = fitted
    tree = model[2][0]
    again = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(again.predict(table), tree.predict(table))
    assert len(pickle.dumps(tree)) < 12_000  # and does not carry the others along
    assert export_text(tree) == export_text(model, tree=2 if model._booster.n_outputs == 1 else (2, 0))
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    alone = prune.cost_complexity(tree, 1e9)
    assert (alone.tree_.n_nodes, tree.tree_.n_nodes > 1) == (1, True)


def test_trees_have_the_parameters_of_their_model(fitted):
    model, table = fitted
    tree = model[2, 0]
    np.testing.assert_array_equal(tree.predict(table), model[2][0].predict(table))
    expected = model.get_params() | {"max_leaf_nodes": model.max_leaf_nodes_, "max_features": model.max_features_}
    expected["min_samples_leaf"] = model.min_samples_leaf_
    assert tree.get_params() == {name: expected[name] for name in tree.get_params()}
    assert clone(tree).get_params() == pickle.loads(pickle.dumps(tree)).get_params() == tree.get_params()
    assert tree.max_leaf_nodes is not None


def test_scikit_learns_export_reads_a_boosted_tree():
    tree = GradientBoostingRegressor(**FEW).fit([[0.0], [1.0], [2.0]] * 5, [0.0, 1.0, 5.0] * 5)[1, 0]
    assert export_graphviz(tree, impurity=False).count("label=") >= tree.tree_.n_nodes


@pytest.mark.parametrize(
    "some",
    [slice(1, 3), slice(None, None, 2), slice(0, 0), slice(None, -6), slice(None, None, -1)],
    ids=str,
)
def test_slices_that_are_no_first_rounds(fitted, some):
    model, _ = fitted
    with pytest.raises(ValueError, match="is not supported: each tree is fitted on the residuals"):
        model[some]


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (slice(2, 5), ValueError, r"model\[2:5\] is not supported"),
        (6, IndexError, "round must be from 0 to 5, got 6"),
        ("a", TypeError, "rounds must be integers or slices"),
        ((slice(2), 0), TypeError, "rounds must be integers or slices"),
    ],
    ids=str,
)
def test_rounds_that_are_not_there(fitted, index, error, words):
    model, _ = fitted
    with pytest.raises(error, match=words):
        model[index]


@pytest.mark.parametrize(
    "call",
    [len, iter, lambda model: model[0], lambda model: model[:1]],
    ids=["len", "iter", "round", "slice"],
)
def test_a_model_that_is_not_fitted_has_no_rounds(call):
    with pytest.raises(NotFittedError):
        call(GradientBoostingRegressor())


def test_a_model_that_is_not_fitted_may_stand_in_a_condition():
    unfitted = GradientBoostingRegressor()
    assert unfitted
    assert not hasattr(unfitted, "estimators_")
