"""The search for a split: against the slow twin, against all subsets of categories, and by hand."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.gains import Penalty
from spinney.grow.boosting.memory import CANDIDATE, COLUMN, DESK, NODE, SLOTS
from spinney.grow.boosting.scan_bins import (
    AT_ONCE,
    _largest,
    _place_of,
    add_up_packed,
    add_up_wide,
    bin_at,
    fill_goes_left,
    is_better,
    load_packed,
    load_wide,
    search_categories,
    search_numbers,
)
from spinney.grow.boosting.statistics import make_fields
from spinney.tree.predict_boosted import in_set
from tests.compiled import few, outer, records
from tests.grow.cases import make_limits
from tests.oracles import boosting_batches as reference

pytestmark = pytest.mark.kernels

FIELDS = make_fields(1000, 1000, 1, 1.0, 1.0)
_fill_goes_left, _in_set, _is_better, _bin_at = outer(fill_goes_left), outer(in_set), outer(is_better), outer(bin_at)
_add_up_packed, _add_up_wide = outer(add_up_packed), outer(add_up_wide)
_largest_of, _first_place_of = outer(_largest), outer(_place_of)


@outer
def _search(packed, wide, is_wide, node, feature, column, fields, limits, desk, best, monotone):
    if column.is_categorical:
        if is_wide:
            load_wide(wide, desk)
        else:
            load_packed(packed, fields, desk)
        search_categories(node, feature, column, fields, limits, desk, best, monotone)
    else:
        packed, wide = packed[: column.n_bins], wide[:, : column.n_bins]
        n = add_up_wide(wide, desk) if is_wide else add_up_packed(packed, fields, desk)
        search_numbers(node, feature, column, wide[2] if is_wide else packed, n, fields, limits, desk, best, monotone)


def pack_sums(sums):
    gradient, hessian, count = sums.T
    return (gradient << FIELDS.gradient_shift) + (hessian << FIELDS.count_bits) + count


def no_split():
    """What a search begins with."""
    best = records(1, CANDIDATE)
    best.view(np.uint8).fill(77)
    best.score, best.feature = -np.inf, -1
    return best[0]


def search(sums, column, node, limits, is_wide, feature=0, best=None):
    """Run the kernel on sums (codes, 3), packed or wide; returns the best split so far."""
    part = sums[: column.n_slots]
    desk, best = records(1, DESK), no_split() if best is None else best
    desk.view(np.uint8).fill(77)
    sums, monotone = (pack_sums(part), part.T.copy()), limits.has_monotone or None
    _search(*sums, is_wide, node, np.int64(feature), column, FIELDS, limits, desk[0], best, monotone)
    return best


@dataclass
class Search:
    """A column, the sums of a node's rows on it, the node, and limits."""

    sums: np.ndarray = field(repr=False)
    column: Any
    node: Any = field(repr=False)
    limits: Any

    def run(self, is_wide):
        return search(self.sums, self.column, self.node, self.limits, is_wide)


@st.composite
def searches(draw):
    random = np.random.RandomState(draw(st.integers(0, 10**6)))
    column, node = records(1, COLUMN), records(1, NODE)
    n_bins, has_missing = draw(st.sampled_from((1, 2, 5, 70, 255))), draw(st.booleans())
    column.n_bins, column.n_slots = n_bins, n_bins + has_missing
    column.is_categorical, column.monotone = draw(st.booleans()), 0
    sums = np.zeros((SLOTS, 3), np.int64)
    n_slots = n_bins + has_missing
    sums[:n_slots, 2] = random.randint(0, 4, n_slots) * (random.rand(n_slots) < draw(st.sampled_from((1.0, 0.4))))
    spread = draw(st.sampled_from((3, 10**4)))  # small numbers have ties
    sums[:, 0] = random.randint(-spread, spread + 1, SLOTS) * sums[:, 2]
    sums[:, 1] = random.randint(draw(st.integers(0, 1)), spread + 1, SLOTS) * sums[:, 2]
    node.gradient, node.hessian, node.count = sums.sum(axis=0)
    node.lower, node.upper = -np.inf, np.inf
    limits = make_limits(
        1,
        min_count=draw(st.sampled_from((1, 3, 20))),
        min_hessian=draw(st.sampled_from((0.0, 10 * FIELDS.hessian_unit))),
        penalty=Penalty(draw(st.sampled_from((0.0, FIELDS.gradient_unit))), draw(st.sampled_from((0.0, 0.1)))),
        category_smoothing=draw(st.sampled_from((0.0, 1e-3, 1.0))),
        category_count=draw(st.sampled_from((1, 2, 4))),
        has_monotone=draw(st.booleans()),
    )
    if limits.has_monotone:
        column.monotone = draw(st.sampled_from((-1, 0, 1))) * (1 - int(column.is_categorical[0]))
        value = -sums[:, 0].sum() * FIELDS.gradient_unit / (sums[:, 1].sum() * FIELDS.hessian_unit + 1e-9)
        width = draw(st.sampled_from((np.inf, 0.1)))
        node.lower, node.upper = value - width, value + width
    return Search(sums, column[0], node[0], limits)


@pytest.mark.slow
@few(200, plain=60)
@given(searches(), st.booleans())
def test_the_slow_twin_finds_the_same_split(drawn, is_wide):
    found = drawn.run(is_wide)
    expected = reference.search(drawn.node, drawn.column, drawn.sums, FIELDS, drawn.limits)
    if expected is None:
        assert found.score == -np.inf
        return
    assert found.score == expected.score
    assert found.feature == 0
    assert (found.gradient, found.hessian, found.count) == tuple(expected.sums)
    assert (found.code, found.missing_left) == (expected.code, expected.missing_left)
    if drawn.column.is_categorical:
        np.testing.assert_array_equal(found.bits, expected.bits)


@few(60, plain=30)
@given(searches(), searches(), st.booleans(), st.permutations(range(4)))
def test_the_best_of_several_columns_in_any_order(one, other, is_wide, order):
    """Ties go to the first column; a column that is no better leaves no trace."""
    mixed = one.sums.copy()
    mixed[: one.column.n_slots] = one.sums[np.random.RandomState(0).permutation(one.column.n_slots)]
    other.column.n_bins, other.column.n_slots = one.column.n_bins, one.column.n_slots
    columns = [(one.sums, one.column), (mixed, other.column), (one.sums, one.column), (mixed, one.column)]
    alone = [search(*columns[k], one.node, one.limits, is_wide, k) for k in range(4)]
    expected = max(alone, key=lambda found: (found.score, -found.feature))
    best = no_split()
    for k in order:
        search(*columns[k], one.node, one.limits, is_wide, k, best)
    assert best.tobytes() == (expected if expected.score > -np.inf else no_split()).tobytes()


@few(60, plain=30)
@given(searches(), st.booleans())
def test_rows_go_where_the_sums_say(drawn, is_wide):
    """The rule that a split leaves behind sends the codes left whose sums the search counted as left."""
    found, sums, column = drawn.run(is_wide), drawn.sums, drawn.column
    if found.score == -np.inf:
        return
    goes_left = np.empty(SLOTS, np.uint8)
    _fill_goes_left(goes_left, found, column)
    np.testing.assert_array_equal(sums[goes_left > 0].sum(axis=0), (found.gradient, found.hessian, found.count))
    assert found.count >= drawn.limits.min_count
    assert drawn.node.count - found.count >= drawn.limits.min_count
    codes = np.arange(SLOTS)[: column.n_slots]
    np.testing.assert_array_equal(goes_left[codes] > 0, reference.goes_left(found, column, codes))


@few(60, plain=30)
@given(st.integers(0, 10**6), st.integers(2, 7))
def test_the_best_of_all_subsets_of_categories(seed, n):
    """Without penalties, no subset is better than the best cut of the order (Fisher 1958)."""
    random = np.random.RandomState(seed)
    sums = np.zeros((SLOTS, 3), np.int64)
    sums[:n] = np.stack((random.randint(-999, 1000, n), random.randint(1, 1000, n), np.ones(n)), axis=1)
    column, node = records(1, COLUMN)[0], records(1, NODE)[0]
    column.n_bins = column.n_slots = n
    column.is_categorical = 1
    node.gradient, node.hessian, node.count = sums.sum(axis=0)
    free = Penalty(0.0, 0.0)
    limits = make_limits(1, penalty=free, category_penalty=free, category_smoothing=0.0)
    real = sums[:n, :2] * (FIELDS.gradient_unit, FIELDS.hessian_unit)
    total = real.sum(axis=0)

    def score(subset):
        left = real[list(subset)].sum(axis=0)
        return left[0] ** 2 / left[1] + (total[0] - left[0]) ** 2 / (total[1] - left[1])

    best = max(score(subset) for size in range(1, n) for subset in combinations(range(n), size))
    assert search(sums, column, node, limits, False).score == pytest.approx(best, rel=1e-12)


def number_column(counts, gradients, n_bins):
    """Sums of rows with hessian 100 units each."""
    sums = np.zeros((SLOTS, 3), np.int64)
    sums[: len(counts), 2] = counts
    sums[: len(counts), 0] = np.array(gradients) * counts
    sums[:, 1] = 100 * sums[:, 2]
    column, node = records(1, COLUMN)[0], records(1, NODE)[0]
    column.n_bins, column.n_slots = n_bins, len(counts)
    node.gradient, node.hessian, node.count = sums.sum(axis=0)
    return sums, column, node


@pytest.mark.parametrize("is_wide", [False, True])
def test_ties_go_to_the_smaller_code_and_to_missing_on_the_right(is_wide):
    sums, column, node = number_column([1, 0, 1], [5, 0, -5], 3)
    assert search(sums, column, node, make_limits(1), is_wide).code == 0  # an empty bin: cutting on either side is one
    sums, column, node = number_column([1, 1, 1, 1], [5, -5, -5, 5], 4)
    assert search(sums, column, node, make_limits(1), is_wide).code == 0  # first or last from the rest
    sums, column, node = number_column([1, 1, 1], [5, -5, 0], 2)  # two bins and a neutral missing
    found = search(sums, column, node, make_limits(1), is_wide)
    assert (found.code, found.missing_left) == (0, 0)


@pytest.mark.parametrize("is_wide", [False, True])
def test_missing_alone_on_the_right(is_wide):
    sums, column, node = number_column([3, 2, 4], [1, 1, -1], 2)
    found = search(sums, column, node, make_limits(1), is_wide)
    assert (found.code, found.missing_left, found.count) == (1, 0, 5)


@pytest.mark.parametrize("is_wide", [False, True])
def test_missing_is_never_alone_on_the_left(is_wide):
    """Missing and all numbers are parted with missing on the right or, where values must rise, not at all."""
    sums, column, node = number_column([0, 0, 3, 4], [0, 0, -1, 1], 3)  # the first bins are empty
    column.monotone = 1
    node.lower, node.upper = -np.inf, np.inf
    rising = make_limits(1, has_monotone=True)
    assert search(sums, column, node, rising, is_wide).score == -np.inf
    assert reference.search(node, column, sums, FIELDS, rising) is None
    column.monotone = -1
    found = search(sums, column, node, rising, is_wide)
    assert (found.code, found.missing_left, found.count) == (2, 0, 3)


@pytest.mark.parametrize("is_wide", [False, True])
def test_missing_goes_with_the_larger_side_where_there_was_none(is_wide):
    sums, column, node = number_column([4, 1], [1, -1], 2)
    assert search(sums, column, node, make_limits(1), is_wide).missing_left == 1
    sums, column, node = number_column([1, 4], [1, -1], 2)
    assert search(sums, column, node, make_limits(1), is_wide).missing_left == 0
    sums, column, node = number_column([2, 2], [1, -1], 2)  # of equals to the right, as in all trees
    assert search(sums, column, node, make_limits(1), is_wide).missing_left == 0


def test_rare_categories_go_together():
    """Two categories of one row each share a place, and unknown ones go with them."""
    sums, column, node = number_column([5, 1, 5, 1], [-9, 9, 8, -9], 4)
    column.is_categorical = 1
    found = search(sums, column, node, make_limits(1, category_count=2), False)
    assert found.count == 5
    assert [_in_set(found.bits, code) for code in (0, 1, 2, 3, 200)] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("is_wide", [False, True])
def test_categories_without_weight_are_in_the_middle(is_wide):
    """No smoothing and no hessian: what is not known to be above or below zero is neither."""
    sums, column, node = number_column([2, 2, 2, 2], [9, 5, -5, -9], 4)
    sums[1:3, 1] = 0
    node.gradient, node.hessian, node.count = sums.sum(axis=0)
    column.is_categorical = 1
    limits = make_limits(1, category_smoothing=0.0)
    found, expected = search(sums, column, node, limits, is_wide), reference.search(node, column, sums, FIELDS, limits)
    assert found.score == expected.score
    np.testing.assert_array_equal(found.bits, expected.bits)
    codes = [_in_set(found.bits, code) for code in range(4)]
    assert (codes[3], codes[0]) == (1, 0)


# --- the parts of a search ---------------------------------------------------------------------------------------


@few(60)
@given(st.integers(0, 10**6), st.integers(1, 255), st.sampled_from((1.0, 0.3, 0.0)))
def test_sums_up_to_the_bins_that_hold_rows(seed, n, share):
    random = np.random.RandomState(seed)
    sums = np.stack((random.randint(-999, 999, n), random.randint(0, 999, n), random.randint(1, 4, n)), axis=1)
    sums[random.rand(n) >= share] = 0
    full = np.flatnonzero(sums[:, 2])
    expected = sums.cumsum(axis=0)[full]
    desk = records(2, DESK)
    assert _add_up_packed(pack_sums(sums), FIELDS, desk[0]) == len(full)
    assert _add_up_wide(sums.T.copy(), desk[1]) == len(full)
    for k in range(2):
        found = np.stack((desk[k].gradient, desk[k].hessian, desk[k].count), axis=1)
        np.testing.assert_array_equal(found[: len(full)], expected)
    for place, code in enumerate(full):
        assert _bin_at(pack_sums(sums), place) == _bin_at(sums[:, 2].copy(), place) == code


SCORES = st.sampled_from((-np.inf, -1.5, -0.0, 0.0, 2.0, 1e300, 5e-324)) | st.floats(allow_nan=False)


@few(80)
@given(st.lists(SCORES, max_size=20), st.lists(SCORES, max_size=3), st.sampled_from((0, 44, 45, 60, 200)))
def test_the_largest_score_and_its_first_place(scores, more, n_low):
    scores = n_low * [-2.0] + scores
    room = np.array(scores + more + AT_ONCE * [7.0])
    largest = _largest_of(room, len(scores))
    assert largest == max(scores, default=-np.inf)
    if scores:
        assert _first_place_of(room, largest) == np.argmax(scores)


def test_is_better():
    best = no_split()
    assert not _is_better(-np.inf, 0, best)
    assert _is_better(0.0, 5, best)
    best.score, best.feature = 2.0, 3
    assert [_is_better(2.0, feature, best) for feature in (2, 3, 4)] == [True, False, False]
    assert _is_better(2.1, 4, best)
    assert not _is_better(1.9, 2, best)


@few(40)
@given(st.sets(st.integers(0, 255)))
def test_in_set(codes):
    bits = np.packbits(np.isin(np.arange(256), sorted(codes)), bitorder="little").view(np.uint64)
    assert {code for code in range(256) if _in_set(bits, code)} == codes
