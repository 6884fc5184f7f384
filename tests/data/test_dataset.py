"""The encoded table: words hold the codes, narrow columns side by side in a lane, and every column has its places."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data.dataset import LANES, STRIDE, aligned, pack_words
from tests.compiled import PLAIN_PYTHON, few
from tests.grow.cases import ALONE, make_dataset

pytestmark = pytest.mark.kernels


@st.composite
def datasets(draw):
    random = np.random.RandomState(draw(st.integers(0, 10**6)))
    n = draw(st.integers(1, 40))
    widths = draw(st.lists(st.sampled_from((255, 200, 64, 63, 16, 15, 4, 3, 2, 1)), min_size=1, max_size=20))
    columns = [random.randint(0, width, n).astype(float) for width in widths]
    for column, width in zip(columns, widths):
        column[0] = width - 1
        if random.rand() < 0.3:
            column[1:] = np.nan
    return make_dataset(columns, [True] * len(widths))


def lanes(dataset):
    """(rows, words * 4): the bytes as they lie in memory."""
    words = pack_words(dataset, ALONE)
    assert len(words) == dataset.n_rows * dataset.layout.n_words
    return words.view(np.uint8).reshape(dataset.n_rows, dataset.layout.n_words * LANES)


@few(60)
@given(datasets())
def test_words_hold_the_codes(dataset):
    """Every code can be read back from its lane, and nothing else is in there."""
    layout, found = dataset.layout, lanes(dataset)
    expected = np.zeros_like(found, np.int64)
    for column, codes in enumerate(dataset.codes):
        byte = found[:, layout.lane[column]]
        np.testing.assert_array_equal(byte // layout.divisor[column] % layout.n_slots[column], codes)
        expected[:, layout.lane[column]] += codes * layout.divisor[column]
    np.testing.assert_array_equal(found, expected)


@few(60)
@given(datasets())
def test_the_members_of_lanes(dataset):
    layout = dataset.layout
    assert len(layout.first_member) == len(set(layout.lane)) + 1
    assert sorted(layout.members) == list(range(dataset.n_columns))
    for lane, (first, last) in enumerate(zip(layout.first_member, layout.first_member[1:], strict=False)):
        columns = layout.members[first:last]
        assert (layout.lane[columns] == lane).all()
        sizes = np.maximum(layout.n_slots[columns], 2).astype(np.int64)  # a constant column counts to two as well
        assert layout.divisor[columns].tolist() == [sizes[:k].prod() for k in range(len(sizes))]
        assert (layout.lane_slots[columns] == sizes.prod()).all()
        assert sizes.prod() <= 256 < STRIDE


@few(60)
@given(datasets())
def test_there_are_no_more_lanes_and_words_than_needed(dataset):
    layout = dataset.layout
    used = np.unique(layout.lane)
    assert used.tolist() == list(range(len(used)))
    assert layout.n_words == -(-len(used) // LANES) + 1  # the statistics take a word
    slots = sorted(dict(zip(layout.lane, layout.lane_slots)).values())
    assert len(slots) < 2 or slots[0] * slots[1] > 256  # no two would go into one


def test_eight_booleans_take_one_lane():
    columns = [np.arange(256) >> bit & 1 for bit in range(9)]  # the ninth is constant
    dataset = make_dataset([np.arange(256), *columns])
    layout = dataset.layout
    assert layout.divisor[1:9].tolist() == [1, 2, 4, 8, 16, 32, 64, 128]
    assert len(set(layout.lane[1:9])) == 1
    np.testing.assert_array_equal(lanes(dataset)[:, layout.lane[1]], np.arange(256))
    assert layout.n_words == 2


@few(60)
@given(datasets())
def test_histogram_places_do_not_overlap(dataset):
    layout = dataset.layout
    owner = np.full(layout.size, -1)
    for column, (first, n_slots) in enumerate(zip(layout.column_start, layout.n_slots)):
        assert (owner[first : first + n_slots] == -1).all()
        assert first % 8 == 0  # with a cache line
        assert first + n_slots <= layout.size
        owner[first : first + n_slots] = column
        assert dataset.codes[column].max() < n_slots


@few(60)
@given(datasets())
def test_missing_has_a_place_only_where_something_is_missing(dataset):
    has_missing = (dataset.codes == dataset.bins.n_bins[:, None]).any(axis=1)
    np.testing.assert_array_equal(dataset.layout.n_slots, dataset.bins.n_bins + has_missing)
    np.testing.assert_array_equal(dataset.layout.n_bins, dataset.bins.n_bins)


@few(30)
@given(datasets(), st.data())
def test_take(dataset, data):
    rows = np.array(data.draw(st.lists(st.integers(0, dataset.n_rows - 1), min_size=1, max_size=30)))
    part = dataset.take(rows)
    assert part.n_rows == len(rows)
    np.testing.assert_array_equal(part.codes, dataset.codes[:, rows])
    np.testing.assert_array_equal(lanes(part), lanes(dataset)[rows])
    assert part.layout is dataset.layout


@few(30)
@given(datasets(), st.randoms(use_true_random=False))
def test_keys_are_those_of_the_codes(dataset, random):
    """Rows of equal codes have equal keys, others do not, wherever they stand."""
    keys = dataset.row_keys(ALONE)
    assert keys.dtype == np.uint32
    _, which, first = np.unique(dataset.codes, axis=1, return_index=True, return_inverse=True)
    assert len(set(keys)) == len(which)
    np.testing.assert_array_equal(keys, keys[which][first])
    order = np.array(random.sample(range(dataset.n_rows), dataset.n_rows))
    np.testing.assert_array_equal(dataset.take(order).row_keys(ALONE), keys[order])


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
def test_threads_do_not_matter():
    random = np.random.RandomState(0)
    dataset = make_dataset([random.randn(30_000) for _ in range(9)] + [random.rand(30_000) < 0.5 for _ in range(9)])
    words = pack_words(dataset, ALONE)
    with Team(3) as team:
        np.testing.assert_array_equal(pack_words(dataset, team), words)
        np.testing.assert_array_equal(dataset.row_keys(team), dataset.row_keys(ALONE))


@pytest.mark.parametrize("shape", [0, 5, (3, 7), (2, 0)])
def test_aligned(shape):
    for dtype in (np.uint8, np.int32, np.uint64):
        array = aligned(shape, dtype)
        assert array.shape == np.empty(shape).shape
        assert array.dtype == dtype
        assert array.size == 0 or array.ctypes.data % 64 == 0
        assert array.flags.c_contiguous
