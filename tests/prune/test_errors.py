"""What the functions say of models, parameters and validation rows that they cannot work with."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import spinney
from spinney import prune
from tests.prune.drawn import RandomClassTree, draw

CASE = draw(1)
CALLS = {
    "cost_complexity": lambda model: prune.cost_complexity(model, 0.1),
    "cost_complexity_path": prune.cost_complexity_path,
    "reduced_error": lambda model: prune.reduced_error(model, CASE.X, CASE.y),
    "pessimistic": prune.pessimistic,
    "significance": prune.significance,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_not_fitted(call):
    with pytest.raises(NotFittedError, match="RandomClassTree"):
        call(RandomClassTree())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(
    "model",
    [
        LinearRegression().fit([[0], [1]], [0, 1]),
        DecisionTreeClassifier().fit([[0], [1]], [0, 1]),
        "a tree",
        None,
    ],
    ids=["linear", "scikit-learn's tree", "string", "none"],
)
def test_not_a_tree_model(call, model):
    with pytest.raises(TypeError, match="model must be a fitted model of "):
        call(model)


_TREES = [("a", spinney.DecisionTreeClassifier(max_depth=2)), ("b", spinney.ExtraTreeClassifier(max_depth=2))]
COMBINED = {
    "bagging of boosting": spinney.BaggingClassifier(spinney.GradientBoostingClassifier(n_estimators=2), 2),
    "bagging of forests": spinney.BaggingClassifier(spinney.RandomForestClassifier(2), 2),
    "AdaBoost of forests": spinney.AdaBoostClassifier(spinney.RandomForestClassifier(2, max_depth=2), n_estimators=2),
    "voting": spinney.VotingClassifier(_TREES, voting="soft"),
    "stacking": spinney.StackingClassifier(_TREES, cv=2),
    "automatic": spinney.AutoClassifier(["tree"], cv=2),
}


@pytest.mark.parametrize("model", COMBINED.values(), ids=COMBINED)
def test_ensembles_of_ensembles_have_no_trees_of_their_own(model):
    X, y = make_moons(60, noise=0.3, random_state=0)
    model.fit(X, y)
    for call in CALLS.values():
        with pytest.raises(TypeError, match="model must be a fitted model of "):
            call(model)


@pytest.mark.parametrize("alpha", [-0.1, np.nan, "0.1", None, True])
def test_alpha_of_cost_complexity(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number of at least 0, got "):
        prune.cost_complexity(CASE.model, alpha)


@pytest.mark.parametrize("cf", [0, 0.6, 1, -1, np.nan, "0.2"])
def test_cf(cf):
    with pytest.raises(ValueError, match=r"cf must be a number above 0 and at most 0.5, got "):
        prune.pessimistic(CASE.model, cf)


@pytest.mark.parametrize("alpha", [0, 1, -1, np.nan, "0.2"])
def test_alpha_of_significance(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number between 0 and 1, both excluded, got "):
        prune.significance(CASE.model, alpha)


def test_pessimistic_is_for_classes():
    with pytest.raises(TypeError, match="pessimistic supports only classification trees, got RandomNumberTree"):
        prune.pessimistic(draw(1, is_class=False).model)


def test_significance_of_several_numbers():
    with pytest.raises(ValueError, match="regression trees of one output, got 2"):
        prune.significance(draw(1, is_class=False, n_outputs=2).model)


def test_significance_compares_variances():
    model = draw(1, is_class=False).model
    model.criterion = "absolute_error"
    with pytest.raises(ValueError, match="criterion='squared_error', got 'absolute_error'"):
        prune.significance(model)
    with pytest.raises(ValueError, match="relabel=True is not supported with criterion='absolute_error'"):
        prune.reduced_error(model, CASE.X, CASE.y, relabel=True)


@pytest.mark.parametrize("name, value", [("equal", "cut"), ("order", "random")])
def test_choices_of_reduced_error(name, value):
    with pytest.raises(ValueError, match=f"{name} must be '.*' or '.*', got '{value}'"):
        prune.reduced_error(CASE.model, CASE.X, CASE.y, **{name: value})


VALIDATION = {
    "an unknown class": (
        {"y_val": np.where(np.arange(len(CASE.y)) == 3, 7, CASE.y[:, 0])},
        r"y holds the class 7, which is not among the classes of fit: \[0, 1, 2\]",
    ),
    "columns": ({"X_val": CASE.X[:, :3]}, "X has 3 features, but RandomClassTree is expecting 4"),
    "rows": ({"y_val": CASE.y[:-1]}, "inconsistent numbers of samples"),
    "outputs": (
        {"y_val": np.column_stack([CASE.y, CASE.y])},
        "y must have 1 columns, as the model was fitted with; got 2",
    ),
    "negative weights": ({"sample_weight": -CASE.weight}, "Negative values in data passed to `sample_weight`"),
    "weights of zero": ({"sample_weight": 0 * CASE.weight}, r"(?i)sample.weight"),
}


@pytest.mark.parametrize("name", VALIDATION)
def test_validation_rows(name):
    wrong, words = VALIDATION[name]
    with pytest.raises(ValueError, match=words):
        prune.reduced_error(CASE.model, **({"X_val": CASE.X, "y_val": CASE.y} | wrong))


def test_validation_numbers_that_are_missing():
    with pytest.raises(ValueError, match="NaN"):
        prune.reduced_error(draw(1, is_class=False).model, CASE.X, np.full(len(CASE.X), np.nan))
