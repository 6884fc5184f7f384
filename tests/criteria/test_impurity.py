"""Scores and decreases of impurity beside the textbook's formulas."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria import impurity
from spinney.criteria.impurity import ENTROPY, ERROR, GINI, LOG_BITS, NAMES, POISSON, SQUARED, class_impurity, log_table
from spinney.estimators.params import CLASS_CRITERIA, NUMBER_CRITERIA
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

pair_score, pair_decrease = outer(impurity.pair_score), outer(impurity.pair_decrease)
side_score, term_score = outer(impurity.side_score), outer(impurity.term_score)
variance_score, may_exceed = outer(impurity.variance_score), outer(impurity.may_exceed)
class_term, x_log_x = outer(impurity.class_term), outer(impurity.x_log_x)

NO_LOGS = np.empty(0, np.int64)
LOGS = log_table(500)
ROUNDING = 2.0**-LOG_BITS  # of one tabled logarithm
COUNTS = st.integers(0, 60)


def of_classes(criterion, counts):
    """Impurity, from the definition."""
    total = sum(counts)
    shares = [count / total for count in counts]
    if criterion == GINI:
        return 1 - sum(p * p for p in shares)
    if criterion == ERROR:
        return 1 - max(shares)
    return -sum(p * math.log2(p) for p in shares if p > 0)


def fall(criterion, left, right):
    """Decrease of impurity, from the definition."""
    n_left, n_right = sum(left), sum(right)
    n = n_left + n_right
    both = [a + b for a, b in zip(left, right, strict=True)]
    parts = n_left / n * of_classes(criterion, left) + n_right / n * of_classes(criterion, right)
    return of_classes(criterion, both) - parts


@pytest.mark.parametrize("logs", [LOGS, NO_LOGS], ids=["tabled", "computed"])
@pytest.mark.parametrize("criterion", [GINI, ENTROPY, ERROR])
@few(60, plain=30)
@given(st.tuples(COUNTS, COUNTS), st.tuples(COUNTS, COUNTS))
def test_two_classes(criterion, logs, left, right):
    w_left, w_right = sum(left), sum(right)
    if min(w_left, w_right) == 0:
        return
    score = pair_score(criterion, w_left, left[1], w_right, right[1], logs)
    found = pair_decrease(criterion, score, w_left + w_right, left[1] + right[1], logs)
    assert found == pytest.approx(fall(criterion, left, right), rel=1e-9, abs=1e-12 + 9 * ROUNDING)


@pytest.mark.parametrize("criterion", [GINI, ENTROPY, ERROR])
@few(60, plain=30)
@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=6))
def test_several_classes(criterion, sides):
    """Side by side, and from terms that are kept up to date."""
    left, right = (np.array(side, np.int64) for side in zip(*sides, strict=True))
    w_left, w_right = int(left.sum()), int(right.sum())
    if min(w_left, w_right) == 0:
        return
    total = left + right
    score = side_score(criterion, left, w_left, LOGS) + side_score(criterion, right, w_right, LOGS)
    found = (score - side_score(criterion, total, w_left + w_right, LOGS)) / (w_left + w_right)
    assert found == pytest.approx(fall(criterion, left, right), rel=1e-9, abs=1e-12 + 20 * ROUNDING)
    if criterion != ERROR:
        terms = [sum(class_term(criterion, int(k), LOGS) for k in side) for side in (left, right)]
        assert term_score(criterion, *terms, w_left, w_right, 1, LOGS) == pytest.approx(score, rel=1e-12)


@few(60, plain=30)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=12), st.data())
def test_squared_error(y, data):
    cut = data.draw(st.integers(1, len(y) - 1))
    y = np.array(y)
    n_left, n_right = cut, len(y) - cut
    score = pair_score(SQUARED, n_left, int(y[:cut].sum()), n_right, int(y[cut:].sum()), NO_LOGS)
    found = pair_decrease(SQUARED, score, len(y), int(y.sum()), NO_LOGS)
    expected = y.var() - (n_left * y[:cut].var() + n_right * y[cut:].var()) / len(y)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@few(60, plain=30)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=12), st.data())
def test_poisson_deviance(y, data):
    cut = data.draw(st.integers(1, len(y) - 1))
    y = np.array(y)

    def deviance(part):
        return sum(v * math.log(v / part.mean()) for v in part if v > 0)

    score = pair_score(POISSON, cut, int(y[:cut].sum()), len(y) - cut, int(y[cut:].sum()), NO_LOGS)
    if min(y[:cut].sum(), y[cut:].sum()) == 0:
        assert score == -math.inf  # a mean of 0 promises what nobody can
        return
    found = pair_decrease(POISSON, score, len(y), int(y.sum()), NO_LOGS)
    assert found == pytest.approx((deviance(y) - deviance(y[:cut]) - deviance(y[cut:])) / len(y), abs=1e-12)


def test_equal_gini_gains_are_equal_to_the_last_bit():
    """Sides in the same proportions, whatever their sizes: one node's exact ties stay ties."""
    node = 12, 6  # weight, weight of the second class
    scores = {pair_score(GINI, w, s, 12 - w, 6 - s, NO_LOGS) for w, s in ((3, 3), (9, 3))}
    assert len(scores) == 1
    assert pair_score(GINI, 4, 2, 8, 4, NO_LOGS) == 0.0
    assert pair_decrease(GINI, 0.0, *node, NO_LOGS) == 0.0


def test_tabled_logarithms():
    assert LOGS.dtype == np.int64
    assert LOGS[:3].tolist() == [0, 0, 2 << LOG_BITS]
    exact = [c * math.log2(c) if c else 0.0 for c in range(501)]
    np.testing.assert_allclose(LOGS * ROUNDING, exact, rtol=0, atol=0.5001 * ROUNDING)
    assert len(log_table(0)) == 1


@pytest.mark.parametrize("logs", [LOGS, NO_LOGS], ids=["tabled", "computed"])
def test_x_log_x(logs):
    assert x_log_x(0, logs) == 0.0
    assert x_log_x(8, logs) == pytest.approx(24.0, abs=1e-12)


def test_impurity_of_nodes():
    weights = np.array([[2.0, 2, 2, 2], [5, 0, 0, 0], [3, 1, 0, 0], [0, 0, 0, 0]])[:, None]
    np.testing.assert_allclose(class_impurity(GINI, weights), [0.75, 0.0, 0.375, 0.0])
    np.testing.assert_allclose(class_impurity(ENTROPY, weights), [2.0, 0.0, 0.8112781244591328, 0.0])
    np.testing.assert_allclose(class_impurity(ERROR, weights), [0.75, 0.0, 0.25, 0.0])
    assert not np.signbit(class_impurity(ENTROPY, weights)).any()


def test_impurity_is_the_mean_over_outputs():
    weights = np.array([[[1.0, 1.0], [2.0, 0.0]], [[0.5, 1.5], [1.0, 1.0]]])
    np.testing.assert_allclose(class_impurity(GINI, weights), [0.25, 0.4375])


def test_a_pure_node_has_no_impurity_at_all():
    weights = np.random.RandomState(0).rand(50, 1, 1) * [[[1.0, 0.0, 0.0]]]
    for criterion in (GINI, ENTROPY, ERROR):
        assert (class_impurity(criterion, weights) == 0.0).all()


def test_every_name_has_a_criterion():
    assert {NAMES["log_loss"], NAMES["gain_ratio"]} == {ENTROPY}
    assert NAMES["friedman_mse"] == NAMES["squared_error"] == SQUARED


@few(100, plain=50)
@given(
    weights=st.tuples(st.integers(1, 2**31), st.integers(1, 2**31)),
    sums=st.tuples(st.integers(-(2**60), 2**60), st.integers(-(2**60), 2**60)),
)
def test_no_split_is_passed_over_that_is_as_good_as_the_best(weights, sums):
    given = weights[0], sums[0], weights[1], sums[1]
    score = variance_score(*given)
    for other in (-math.inf, 0.0, score / 2.0, np.nextafter(score, 0.0), score):
        assert may_exceed(*given, other)
    if score > 0.0:
        assert not may_exceed(*given, score * (1.0 + 1e-9))


def test_a_criterion_without_a_branch_is_an_error_at_import():
    impurity.check_branches("here", impurity.OF_CLASSES, GINI, ERROR, ENTROPY)
    with pytest.raises(NotImplementedError, match=r"here has no branch, or one too many, for criterion \[1\]"):
        impurity.check_branches("here", impurity.OF_CLASSES, GINI, ERROR)
    with pytest.raises(NotImplementedError, match=r"criterion \[7\]"):
        impurity.check_branches("here", (*impurity.OF_TERMS, 7), GINI, ENTROPY)


def test_every_name_is_a_parameter():
    options = {*CLASS_CRITERIA[0].options, *NUMBER_CRITERIA[0].options}
    assert options == set(NAMES)
