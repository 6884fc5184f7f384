"""Odd and bad input to CART: a right tree, or an error that says what would be right."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from spinney import DecisionTreeClassifier as Classifier
from spinney import DecisionTreeRegressor as Regressor

BOTH = pytest.mark.parametrize("kind", [Classifier, Regressor])
X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 3.0], [3.0, 2.0], [4.0, 1.0], [5.0, 0.0]])
Y = np.array([0, 0, 1, 1, 0, 1])
NAN, INF = np.nan, np.inf


# --- tables ---------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "table, message",
    [
        (np.empty((0, 2)), r"Found array with 0 sample\(s\)"),
        (np.empty((3, 0)), r"Found array with 0 feature\(s\)"),
        (pd.DataFrame({"a": []}), r"Found array with 0 sample\(s\)"),
        (np.arange(6.0), "Expected 2D array, got 1D array instead"),
        (np.zeros((6, 2, 2)), "dim 3"),
    ],
)
def test_what_is_no_table(kind, table, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(table, Y[: len(table)])


@BOTH
def test_one_row(kind):
    model = kind().fit([[1.5, NAN]], [7])
    assert model.get_n_leaves() == 1
    assert model.predict([[0.0, 0.0], [NAN, INF]]).tolist() == [7, 7]
    assert model.feature_importances_.tolist() == [0.0, 0.0]


@BOTH
def test_one_answer(kind):
    model = kind(min_samples_leaf=2).fit(X, np.full(6, 3))
    assert model.get_n_leaves() == 1
    assert model.tree_.impurity.tolist() == [0.0]
    assert (model.predict(X) == 3).all()


def test_one_class_has_probability_one():
    model = Classifier(monotonic_cst=[1, 0]).fit(X, ["yes"] * 6)
    assert model.predict_proba(X).tolist() == [[1.0]] * 6
    assert model.classes_.tolist() == ["yes"]


@BOTH
@pytest.mark.parametrize("filler", [NAN, 3.25, INF, -INF])
def test_columns_that_say_nothing_are_not_asked(kind, filler):
    model = kind().fit(np.column_stack([np.full(6, filler), X[:, 0], np.full(6, filler)]), Y)
    assert set(model.tree_.feature[~model.tree_.is_leaf]) == {1}
    assert model.score(np.column_stack([np.full(6, 9.0), X[:, 0], np.full(6, NAN)]), Y) == 1.0


@BOTH
def test_a_table_that_says_nothing(kind):
    model = kind().fit(np.full((6, 2), NAN), Y)
    assert model.get_n_leaves() == 1


@BOTH
def test_columns_of_one_missing_value_of_strings(kind):
    table = pd.DataFrame({"a": pd.Series([None] * 6, dtype="str"), "b": X[:, 0]})
    model = kind().fit(table, Y, [2, 1, 1, 1, 1, 1])
    assert model.predict(pd.DataFrame({"a": ["new"] * 6, "b": X[:, 0]})).tolist() == Y.tolist()


@BOTH
def test_missing_or_not_can_be_the_question(kind):
    values = np.array([[NAN], [2.0], [NAN], [7.0], [1.0], [NAN]])
    y = np.isnan(values[:, 0]).astype(int)
    model = kind().fit(values, y)
    assert model.get_n_leaves() == 2
    assert model.tree_.threshold[0] == INF
    assert model.predict([[NAN], [1e300], [-INF], [INF]]).tolist() == [1, 0, 0, 0]


@BOTH
def test_infinities_are_numbers(kind):
    values = np.array([[-INF], [-1.0], [0.0], [3.0], [INF], [NAN]])
    for y in np.eye(6, dtype=int):  # each of them alone
        model = kind().fit(values, y)
        assert model.predict(values).tolist() == y.tolist()
        thresholds = model.tree_.threshold[~model.tree_.is_leaf]
        assert not np.isnan(thresholds).any()
    extremes = kind().fit([[-INF], [INF]], [0, 1])
    assert extremes.predict([[-INF], [INF], [-1e308], [0.0]]).tolist() == [0, 1, 1, 1]


@BOTH
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_numbers_of_all_sizes(kind, splitter):
    values = np.array([-1.7e308, -1e300, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2), 1e300, 1.7e308])[:, None]
    y = np.arange(9) % 2
    model = kind(splitter=splitter, random_state=0).fit(values, y)
    assert model.predict(values).tolist() == y.tolist()


def test_neighbours_among_floats_are_told_apart():
    values = np.array([1.7e9, np.nextafter(1.7e9, 2e9), np.nextafter(np.nextafter(1.7e9, 2e9), 2e9)])[:, None]
    model = Classifier().fit(values, [0, 1, 0])
    assert model.predict(values).tolist() == [0, 1, 0]


def test_thresholds_lie_between_the_values_also_in_float32():
    values = np.array([[16777216.0], [16777218.0]], np.float32)
    model = Classifier().fit(values, [0, 1])
    assert model.tree_.threshold[0] == 16777217.0
    assert model.predict(values).tolist() == [0, 1]


@pytest.mark.parametrize("n_categories", [255, 100_000])
def test_many_categories(n_categories):
    """By number or by name; up to 255 are learnt whatever their rows, and rare ones of more form one group."""
    random = np.random.RandomState(0)
    codes = np.concatenate([np.arange(n_categories), random.randint(0, n_categories, 500)])
    y = (codes * 7919 % 13 < 6).astype(int)
    table = pd.DataFrame({"code": codes})
    model = Classifier(categorical_features=["code"]).fit(table, y, np.ones(len(y)) + (np.arange(len(y)) == 0))
    is_learnt = n_categories == 255
    assert model.get_n_leaves() == 1 + is_learnt
    assert (model.score(table, y) == 1.0) == is_learnt
    by_name = pd.DataFrame({"code": np.array([f"c{code:06}" for code in codes])})
    again = Classifier().fit(by_name, y, np.ones(len(y)) + (np.arange(len(y)) == 0))
    assert again.fingerprint_ == model.fingerprint_


def test_unknown_categories_go_where_missing_ones_go():
    table = pd.DataFrame({"colour": ["red"] * 5 + ["blue"] * 3, "size": np.arange(8.0)})
    model = Classifier(max_depth=1).fit(table, [0] * 5 + [1] * 3, [2] * 8)
    assert model.predict(pd.DataFrame({"colour": ["green", None, "blue"], "size": [0.0, 1.0, 2.0]})).tolist() == [
        0,
        0,
        1,
    ]


def test_strings_need_a_word():
    table = pd.DataFrame({"colour": ["red", "blue"], "size": [1.0, 2.0]})
    with pytest.raises(TypeError, match="Name the column in categorical_features"):
        Classifier(categorical_features=["size"]).fit(table, [0, 1])


# --- predicting -----------------------------------------------------------------------------------------------------


@BOTH
def test_other_columns_at_predict(kind):
    model = kind().fit(X, Y)
    name = kind.__name__
    for method in (model.predict, model.apply, model.decision_path):
        with pytest.raises(ValueError, match=f"X has 3 features, but {name} is expecting 2 features as input"):
            method(np.zeros((1, 3)))
    named = kind().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match=r"The feature names should match those that were passed during fit"):
        named.predict(pd.DataFrame(X, columns=["a", "c"]))
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        named.predict(pd.DataFrame(X, columns=["b", "a"]))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.predict(X)


@BOTH
def test_before_fit(kind):
    for call in (
        lambda m: m.predict(X),
        lambda m: m.apply(X),
        lambda m: m.get_depth(),
        lambda m: m.feature_importances_,
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            call(kind())
    assert not hasattr(kind(), "fingerprint_")


# --- targets --------------------------------------------------------------------------------------------------------


@BOTH
def test_a_target_that_is_not_there(kind):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        kind().fit(X, None)
    with pytest.raises(ValueError, match="X and y must have the same number of rows: X has 6, y has 5"):
        kind().fit(X, Y[:5])


@BOTH
@pytest.mark.parametrize("hole", [NAN, INF, -INF])
def test_holes_in_the_target(kind, hole):
    with pytest.raises(ValueError, match=r"Input y contains NaN or infinity\. Drop those rows or fill them in"):
        kind().fit(X, [0.0, 1.0, hole, 1.0, 0.0, 1.0])


@pytest.mark.parametrize("hole", [None, NAN, pd.NA])
def test_labels_that_are_missing(hole):
    with pytest.raises(ValueError, match=r"Input y contains missing labels \(None or NaN\)"):
        Classifier().fit(X, np.array(["a", "b", hole, "b", "a", "b"], object))


def test_numbers_are_no_classes():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        Classifier().fit(X, Y + 0.5 * np.arange(6))


def test_words_are_no_numbers():
    with pytest.raises(ValueError, match="y must hold numbers for DecisionTreeRegressor, got strings such as 'a'"):
        Regressor().fit(X, list("abcdef"))


@pytest.mark.parametrize(
    "y",
    [
        [False, True, True, False, True, False],
        list("xyyxyx"),
        np.array(list("xyyxyx"), object),
        np.array([1, 2, 2, 1, 2, 1], np.uint8),
        np.array([-5.0, 7.0, 7.0, -5.0, 7.0, -5.0]),
        pd.Series(list("xyyxyx"), dtype="category"),
        pd.Series([True, False] * 3, index=range(6, 0, -1)),
        np.array([[1], [0], [0], [1], [1], [0]]),
    ],
    ids=["bool", "strings", "objects", "bytes", "floats", "categories", "series", "column"],
)
def test_labels_of_any_type(y):
    model = Classifier().fit(X, y)
    expected = np.asarray(y).ravel()
    found = model.predict(X)
    assert found.tolist() == expected.tolist()
    assert model.classes_.tolist() == sorted(set(expected.tolist()))
    assert found.dtype == model.classes_.dtype


def test_several_outputs_of_strings():
    y = np.array([["a", "x"], ["b", "y"], ["a", "z"], ["b", "x"], ["a", "y"], ["c", "z"]])
    model = Classifier().fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert [one.tolist() for one in model.classes_] == [["a", "b", "c"], ["x", "y", "z"]]
    assert model.n_classes_ == [3, 3]
    assert [p.shape for p in model.predict_proba(X)] == [(6, 3), (6, 3)]


def test_several_outputs_must_be_of_one_type():
    y = np.array([["a", 1], ["b", 2], ["a", 2], ["b", 1], ["a", 1], ["a", 2]], object)
    with pytest.raises(ValueError, match="Unknown label type"):  # scikit-learn's word for numbers among objects
        Classifier().fit(X, y)
    assert Classifier().fit(X, y.astype(str)).predict(X).tolist() == y.astype(str).tolist()


def test_outputs_of_different_sizes():
    """A huge output decides the splits; a small one has its means all the same."""
    random = np.random.RandomState(0)
    values = random.randn(200, 2)
    y = np.column_stack([1e15 * values[:, 0], 1e-9 * random.rand(200)])
    model = Regressor(min_samples_leaf=20).fit(values, y)
    leaves = model.apply(values)
    for leaf in set(leaves):
        expected = y[leaves == leaf].mean(axis=0)
        np.testing.assert_allclose(model.predict(values[leaves == leaf][:1])[0], expected, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-150, 1e150, 1e300])
def test_targets_of_any_size_are_split_alike(scale):
    random = np.random.RandomState(0)
    values, y = random.randn(100, 2), random.randint(-1000, 1000, 100).astype(float)
    for criterion in ("squared_error", "absolute_error"):
        model = Regressor(criterion=criterion, max_depth=4)
        one, other = (clone(model).fit(values, y * factor, np.full(100, 2)) for factor in (1.0, scale))
        assert one.tree_.threshold.tobytes() == other.tree_.threshold.tobytes()
        np.testing.assert_allclose(
            other.predict(values), one.predict(values) * scale, rtol=1e-3 if scale < 1e-310 else 1e-9
        )


def test_targets_whose_sum_overflows():
    model = Regressor().fit(X, np.where(Y, 1.7e308, -1.7e308))
    assert model.predict(X).tolist() == np.where(Y, 1.7e308, -1.7e308).tolist()


def test_ten_thousand_classes():
    random = np.random.RandomState(0)
    values = random.randn(10_000, 2)
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        model = Classifier(max_depth=3).fit(values, np.arange(10_000))
    assert len(model.classes_) == 10_000
    assert model.predict_proba(values[:3]).shape == (3, 10_000)
    np.testing.assert_allclose(model.predict_proba(values[:3]).sum(axis=1), 1.0)


def test_poisson_counts():
    with pytest.raises(ValueError, match="criterion='poisson' needs y of at least 0, got negative values"):
        Regressor(criterion="poisson").fit(X, Y - 1)
    with pytest.raises(ValueError, match="criterion='poisson' needs a positive sum of y, but all values are 0"):
        Regressor(criterion="poisson").fit(X, 0 * Y)
    rare = Regressor(criterion="poisson").fit(X, [0, 0, 0, 0, 0, 3])
    assert (rare.predict(X) > 0).all()  # no leaf says never


# --- weights --------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "weight, message",
    [
        ([1, 1, 1, -1, 1, 1], "sample_weight must not be negative"),
        ([0] * 6, "Sample weights must contain at least one non-zero number"),
        ([1, 1, NAN, 1, 1, 1], "Input sample_weight contains NaN"),
        ([1, 1, INF, 1, 1, 1], "Input sample_weight contains infinity"),
        ([1e308] * 6, "sample_weight must have a finite sum: scale the weights down"),
        ([1e-310] * 6, "sample_weight must hold a value of at least 1e-300: scale the weights up"),
        ([1, 1], "sample_weight.shape == .2,., expected .6,."),
    ],
)
def test_impossible_weights(kind, weight, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(X, Y, weight)


@BOTH
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_weights_of_any_size(kind, scale):
    weight = np.array([3.5, 1.25, 2.0, 8.5, 1.0, 1.0])
    one, other = (kind(max_depth=2).fit(X, Y, weight * factor) for factor in (1.0, scale))
    assert one.tree_.threshold.tobytes() == other.tree_.threshold.tobytes()
    np.testing.assert_allclose(one.predict(X), other.predict(X))
    np.testing.assert_allclose(other.tree_.weight / scale, one.tree_.weight, rtol=1e-9)


def test_a_class_without_weight_is_not_forgotten():
    model = Classifier().fit(X, [0, 0, 1, 1, 2, 2], [1, 1, 1, 1, 0, 0])
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.predict_proba(X)[:, 2] == 0).all()
    assert set(model.predict(X)) == {0, 1}


# --- parameters -----------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "option",
    [
        {"criterion": "ginny"},
        {"splitter": "worst"},
        {"max_depth": 0},
        {"min_samples_split": 1},
        {"min_samples_split": 1.5},
        {"min_samples_leaf": 0},
        {"min_weight_fraction_leaf": 0.6},
        {"max_features": 0},
        {"max_features": "most"},
        {"max_leaf_nodes": 1},
        {"min_impurity_decrease": -0.1},
        {"significance": 0.0},
        {"significance": 1.0},
        {"validation_fraction": 0.0},
        {"n_iter_no_change": 0},
        {"ccp_alpha": -1.0},
        {"max_bins": 1},
        {"max_bins": 256},
        {"n_jobs": 0},
        {"random_state": "x"},
    ],
    ids=str,
)
def test_parameters_out_of_range(kind, option):
    (name,) = option
    with pytest.raises(
        ValueError, match=f"The '{name}' parameter of {kind.__name__} must be .* Got {option[name]!r} instead"
    ):
        kind(**option).fit(X, Y)


@BOTH
@pytest.mark.parametrize(
    "wanted, message",
    [
        ([1], "monotonic_cst has shape 1 but the input data X has 2 features"),
        ([1, 2], r"monotonic_cst must hold only -1 \(decreasing\), 0 \(no constraint\) or 1 \(increasing\)"),
        ({"a": 1}, "monotonic_cst names the column 'a', but X has no column names"),
    ],
)
def test_impossible_directions(kind, wanted, message):
    with pytest.raises(ValueError, match=message):
        kind(monotonic_cst=wanted).fit(X, Y)


def test_directions_need_an_order_and_one_answer():
    with pytest.raises(
        ValueError, match="monotonic_cst must be 0 for categorical columns, because categories have no order"
    ):
        Classifier(monotonic_cst=[1, 0], categorical_features=[0]).fit(X, Y)
    with pytest.raises(ValueError, match="Monotonicity constraints are not supported with multiclass classification"):
        Classifier(monotonic_cst=[1, 0]).fit(X, [0, 1, 2, 0, 1, 2])
    for kind in (Classifier, Regressor):
        with pytest.raises(ValueError, match="Monotonicity constraints are not supported with multiple outputs"):
            kind(monotonic_cst=[1, 0]).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="Monotonicity constraints are not supported with a custom criterion"):
        Regressor(monotonic_cst=[1, 0], criterion=lambda left, right: 0.0).fit(X, Y)
    free, same = (Regressor(monotonic_cst=wanted).fit(X, Y) for wanted in ([0, 0], None))
    assert free.fingerprint_ == same.fingerprint_


@BOTH
def test_held_out_rows_must_leave_some(kind):
    with pytest.raises(ValueError, match="n_iter_no_change needs at least two rows of positive weight"):
        kind(n_iter_no_change=2).fit([[1.0]], [1])


def test_class_weights_for_classes_that_are_not_there():
    with pytest.raises(ValueError, match="class"):
        Classifier(class_weight={5: 2.0, 0: 1.0}).fit(X, ["a", "b", "a", "b", "a", "b"])
