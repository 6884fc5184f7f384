"""Names of other libraries, and names misspelt: every call answers in a TypeError that gives ours."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

import spinney
from spinney.estimators.names import FIT, PARAMETERS, PREDICT

X = np.random.RandomState(0).randn(60, 3)
Y = X[:, 0] > 0
ALL = [kind for kind in (getattr(spinney, name) for name in spinney.__all__) if hasattr(kind, "get_params")]
Boosting = spinney.GradientBoostingClassifier


def needed(kind):
    """What a constructor must be given."""
    members = [("a", spinney.DecisionTreeClassifier()), ("b", spinney.ID3Classifier())]
    return {"estimators": members} if "estimators" in inspect.signature(kind).parameters else {}


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("name", ["num_leaves", "eta", "reg_lambda", "no_such_thing"])
def test_every_constructor_and_set_params_explain_what_they_do_not_know(kind, name):
    with pytest.raises(TypeError, match=f"^{kind.__name__} has no parameter '{name}': .*[.?]$"):
        kind(**needed(kind), **{name: 1})
    model = kind(**needed(kind))
    for error in (TypeError, ValueError):  # scikit-learn's is a ValueError
        with pytest.raises(error, match=f"^{kind.__name__} has no parameter '{name}': .*[.?]$"):
            model.set_params(**{name: 1})
    ours = PARAMETERS.get(name, ("",))[0]
    if ours and ours in model.get_params(deep=False):
        with pytest.raises(TypeError, match=f"': use {ours}"):
            kind(**needed(kind), **{name: 1})


@pytest.mark.parametrize("kind", ALL)
def test_every_fit_explains_what_it_does_not_know(kind):
    if "fit_params" in inspect.signature(kind.fit).parameters:
        pytest.skip("arguments are passed on to members")
    with pytest.raises(TypeError, match=rf"^{kind.__name__}\.fit has no argument 'early_stopping_rounds': "):
        kind(**needed(kind)).fit(X, Y, early_stopping_rounds=10)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"num_leaves": 7}, "has no parameter 'num_leaves': use max_leaf_nodes\\.$"),
        ({"early_stopping_rounds": 7}, r"use n_iter_no_change \(which turns early stopping on\)\.$"),
        ({"tree_method": "hist"}, r"use max_bins \(None is 'exact'"),
        ({"eval_metric": "auc"}, r"pass metrics to fit: fit\(X, y, eval_metric=\.\.\.\)\.$"),
        ({"eval_set": "auc"}, r"it is an argument of fit: fit\(X, y, eval_set=\.\.\.\)\.$"),
        ({"booster": "dart"}, "only plain gradient boosting is supported, not dart or goss\\.$"),
        ({"learning_rat": 0.1}, "did you mean learning_rate\\?$"),
        ({"linear_tree": True}, "'linear_tree': there is no equivalent\\.$"),
        (
            {"num_leaves": 7, "max_depth": 3, "eta": 0.1},
            "has no parameters 'num_leaves', 'eta'\\. num_leaves: use max_leaf_nodes; eta: use learning_rate\\.$",
        ),
    ],
)
def test_what_is_said_of_parameters(given, message):
    with pytest.raises(TypeError, match=message):
        Boosting(**given)
    with pytest.raises(TypeError, match=message):
        make_pipeline(Boosting()).set_params(**{f"gradientboostingclassifier__{name}": v for name, v in given.items()})


@pytest.mark.parametrize(
    ("kind", "given", "ours"),
    [
        (spinney.RandomForestClassifier, "reg_lambda", "l2_regularization"),
        (spinney.DecisionTreeClassifier, "ntree", "n_estimators"),
        (spinney.GradientBoostingClassifier, "base_estimator", "estimator"),
        (spinney.KMeans, "mtry", "max_features"),
    ],
)
def test_a_parameter_of_another_family_is_named(kind, given, ours):
    with pytest.raises(TypeError, match=f"'{given}': only other models have an equivalent, {ours}."):
        kind(**{given: 1})


@pytest.mark.parametrize(
    "given, message",
    [
        (
            {"early_stopping_rounds": 7},
            r"of the model: GradientBoostingClassifier\(n_iter_no_change=\.\.\.\) \(which turns",
        ),
        (
            {"verbose": False},
            r"use the parameter verbose of the model: GradientBoostingClassifier\(verbose=\.\.\.\)\.$",
        ),
        ({"base_margin": Y}, "has no argument 'base_margin': use init_score\\.$"),
        ({"eval_names": ["a"]}, r"use eval_set \(a dict from name to \(X, y\)\)\.$"),
        ({"init_model": None}, "set the parameter warm_start=True"),
        ({"evalset": None}, "did you mean eval_set\\?$"),
        ({"group": None}, "did you mean groups"),
        ({"qid": None}, "it accepts X, X_val, client, eval_init_score"),
    ],
)
def test_what_is_said_of_arguments_of_fit(given, message):
    with pytest.raises(TypeError, match=message):
        Boosting(n_estimators=2).fit(X, Y, **given)


@pytest.mark.slow
def test_what_is_said_of_arguments_of_predictions():
    model = Boosting(n_estimators=2).fit(X, Y)
    for name in PREDICT:
        for method in (model.predict, model.predict_proba):
            with pytest.raises(TypeError, match=rf"^\w+\.{method.__name__} has no argument '{name}': \w.*\.$"):
                method(X, **{name: 1})
    forest = spinney.RandomForestClassifier(2).fit(X, Y)
    with pytest.raises(
        TypeError, match=r"^RandomForestClassifier\.predict has no argument 'num_iteration': it accepts X\."
    ):
        forest.predict(X, num_iteration=1)


def test_other_errors_stay_as_they_are():
    model = Boosting(n_estimators=2).fit(X, Y)
    with pytest.raises(TypeError, match="takes 2 positional arguments but 4 were given"):
        model.predict(X, 1, 2)
    with pytest.raises(TypeError, match="can only concatenate tuple"):
        Boosting(n_estimators=2, callbacks=lambda info: info + "x").fit(X, Y)
    with pytest.raises(ValueError, match="Invalid parameter 'foo' for estimator LinearRegression"):
        spinney.BaggingRegressor(LinearRegression()).set_params(estimator__foo=3)


def test_what_the_tables_name_is_there():
    own = {name for kind in ALL for name in kind(**needed(kind)).get_params(deep=False)}
    assert {ours for ours, _ in PARAMETERS.values()} - {""} <= own
    assert not set(PARAMETERS) & set(Boosting().get_params())
    assert {ours for ours, _ in FIT.values()} - {""} <= set(inspect.signature(Boosting.fit).parameters)
    assert all(hasattr(Boosting, name) for name, _ in PREDICT.values())


@pytest.mark.parametrize("kind", ALL)
def test_signatures_stay_what_they_are(kind):
    names = set(inspect.signature(kind.__init__).parameters) - {"self"}
    assert set(inspect.signature(kind).parameters) == names == set(kind(**needed(kind)).get_params(deep=False))
    assert "kwargs" not in inspect.signature(kind.fit).parameters
    model = clone(kind(**needed(kind)))
    assert pickle.loads(pickle.dumps(model)).get_params(deep=False).keys() == names


def test_constructors_of_ones_own_are_left_alone():
    class Mine(Boosting):
        def __init__(self, extra=1, **others):
            super().__init__(**others)
            self.extra = extra

    assert (Mine(extra=2, n_estimators=3).extra, Mine(n_estimators=3).n_estimators) == (2, 3)
