"""Parameters that cannot be meant are refused, with an error that says what would be right."""

import numpy as np
import pandas
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney.data.schema import Schema
from spinney.estimators.params import column_index, count_share, read_groups, read_monotone, read_seed

X = np.random.RandomState(0).randn(60, 3)
Y = X[:, 0] > 0
FRAME = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 0, "x", "y")})

WRONG = {
    "learning_rate": [0, -0.1, "fast"],
    "n_estimators": [0, 1.5],
    "max_iter": [0, 1.5],
    "criterion": ["gini"],
    "min_samples_split": [1, 0.0, 1.5],
    "min_weight_fraction_leaf": [-0.1, 0.6],
    "min_impurity_decrease": [-0.1],
    "ccp_alpha": [-0.1],
    "init": ["one", [3]],
    "scoring": [3],
    "max_leaf_nodes": [1, 2.5],
    "max_depth": [0, 1.5],
    "growth": ["depth_first", None],
    "min_samples_leaf": [0, 1.5],
    "min_child_weight": [-1],
    "min_split_gain": [-0.1],
    "l1_regularization": [-1],
    "l2_regularization": [-1],
    "category_smoothing": [-1],
    "category_l2": [-1],
    "min_samples_category": [0],
    "max_bins": [1, 256, 16.5],
    "max_features": [0, 0.0, 1.5, "half"],
    "max_features_per_tree": [0, 0.0, 1.5, "half"],
    "subsample": [0.0, 1.1],
    "categorical_features": ["all", 3],
    "handle_unknown": ["ignore", None],
    "quality": [0, 6, 2.5],
    "leaves": ["quadratic", None, 1],
    "extrapolate": ["yes", 2],
    "monotonic_cst": [1, "rising"],
    "interaction_cst": ["none", 3],
    "early_stopping": ["yes", 3],
    "validation_fraction": [0.0, 1.0, 0],
    "n_iter_no_change": [0],
    "tol": [-1e-9],
    "time_budget": [0, -1.0, "short"],
    "warm_start": ["yes"],
    "random_state": ["seed", -1],
    "n_jobs": ["all", 1.5],
    "device": ["gpu", None],
    "verbose": [-1],
    "callbacks": [3],
    "quantile": [0.0, 1.0],
    "alpha": [0.0, 1.0],
    "power": [1.0, 2.0],
    "class_weight": ["heavy"],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in WRONG.items() for value in values])
def test_values_out_of_range_are_refused_as_scikit_learn_does(name, value):
    kind = Classifier if name == "class_weight" else Regressor
    with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of {kind.__name__} must be .* Got "):
        kind(**{name: value}).fit(X, Y)


def test_every_parameter_is_in_that_list():
    for kind in (Classifier, Regressor):
        assert set(kind().get_params()) - {"loss"} <= set(WRONG)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_jobs": 0}, r"n_jobs must be a positive number of threads, None or -1 \(every core\), got 0"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has shape 2 but the input data X has 3 features"),
        ({"monotonic_cst": [1, 0, 2]}, r"monotonic_cst must hold only -1 \(decreasing\), 0 \(no constraint\) or 1"),
        ({"monotonic_cst": {"a": 0.5}}, "monotonic_cst must hold only -1"),
        (
            {"monotonic_cst": [0, 0, 1]},
            "monotonic_cst must be 0 for categorical columns, because categories have no order",
        ),
        (
            {"monotonic_cst": {"z": 1}},
            r"monotonic_cst names the column 'z', which X does not have. Its columns are \['a', 'b'",
        ),
        ({"interaction_cst": [["a", "z"]]}, "interaction_cst names the column 'z', which X does not have"),
        ({"interaction_cst": ["a", "b"]}, "interaction_cst must be a list of groups, each .* got the group 'a'"),
        ({"interaction_cst": [0, 1]}, "interaction_cst must be a list of groups, each .* got the group 0"),
        ({"interaction_cst": [[0, 3]]}, "interaction_cst must hold column names or numbers from 0 to 2, got 3"),
        ({"interaction_cst": [[0, -1]]}, "interaction_cst must hold column names or numbers from 0 to 2, got -1"),
        ({"interaction_cst": [[0, 1.5]]}, r"interaction_cst must hold column names or numbers from 0 to 2, got 1\.5"),
        ({"categorical_features": ["z"]}, r"categorical_features must be .*got \['z'\]: X has no column 'z'"),
        ({"class_weight": {7: 1.0}}, "classes, .*, are not in class_weight"),
    ],
)
def test_values_that_do_not_fit_the_table_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Classifier(**parameters).fit(FRAME, Y)


@pytest.mark.parametrize("name", ["monotonic_cst", "interaction_cst"])
def test_names_need_a_table_with_names(name):
    value = {"a": 1} if name == "monotonic_cst" else [["a", "b"]]
    with pytest.raises(ValueError, match=f"{name} names the column 'a', but X has no column names. Use column numbers"):
        Regressor(**{name: value}).fit(X, Y)


def test_callbacks_must_be_functions():
    with pytest.raises(TypeError, match="callbacks must be functions that accept a Round, got 3"):
        Regressor(callbacks=[print, 3]).fit(X, Y)


def test_an_unknown_word_for_interactions():
    with pytest.raises(ValueError, match="interaction_cst must be 'pairwise', 'no_interactions' or groups of columns"):
        read_groups("none", Schema.learn(X))


def test_resolved_values():
    schema = Schema.learn(pandas.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]}))
    assert read_monotone(None, schema).size == 0
    assert read_monotone({"c": -1, 0: 1}, schema).tolist() == [1, 0, -1]
    assert read_groups(None, schema).shape == (0, 3)
    assert read_groups("pairwise", schema).tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    assert read_groups([["a", 1]], schema).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert column_index("b", schema.names, 3, "x") == 1
    assert [count_share(value, 16) for value in (None, 0.5, 4, 17, "sqrt")] == [1.0, 0.5, 0.25, 1.0, 0.25]
    assert read_seed(3) == read_seed(np.random.RandomState(3)) != read_seed(4)


@pytest.mark.parametrize(
    "kind",
    [
        *("GradientBoostingRegressor", "BaggingRegressor", "DecisionTreeRegressor", "ExtraTreeRegressor"),
        *("RandomForestRegressor", "ExtraTreesRegressor", "IsolationForest"),
    ],
)
def test_more_columns_than_there_are_mean_all_of_them(kind):
    """Everywhere alike, as in scikit-learn's trees."""
    import spinney

    table, y = np.arange(90.0).reshape(30, 3) ** 1.5 % 7, np.arange(30.0)
    make = getattr(spinney, kind)
    few = {"n_estimators": 3} if "n_estimators" in make().get_params() else {}
    models = [make(max_features=n, random_state=0, **few).fit(table, y) for n in (3, 4, 1000)]
    assert len({model.fingerprint_ for model in models}) == 1
