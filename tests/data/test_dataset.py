"""The encoded table: words hold the codes, and every column has histogram places of its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data.dataset import LANES
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
    """(rows, words * 8): the codes as they lie in memory."""
    shape = dataset.n_rows, len(dataset.layout.lane_column)
    return dataset.words.astype("<u8").view(np.uint8).reshape(shape)


@few(60)
@given(datasets())
def test_words_hold_the_codes(dataset):
    assert len(dataset.words) == dataset.n_rows * -(-dataset.n_columns // LANES)
    for lane, column in enumerate(dataset.layout.lane_column):
        expected = dataset.codes[column] if column >= 0 else np.zeros(dataset.n_rows)
        np.testing.assert_array_equal(lanes(dataset)[:, lane], expected)
    columns = dataset.layout.lane_column
    assert sorted(columns[columns >= 0]) == list(range(dataset.n_columns))


@few(60)
@given(datasets())
def test_histogram_places_do_not_overlap(dataset):
    layout = dataset.layout
    owner = np.full(layout.size, -1)
    for column, (first, n_slots) in enumerate(zip(layout.column_start, layout.n_slots)):
        assert (owner[first : first + n_slots] == -1).all()
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
    part = dataset.take(rows, ALONE)
    assert part.n_rows == len(rows)
    np.testing.assert_array_equal(part.codes, dataset.codes[:, rows])
    np.testing.assert_array_equal(lanes(part), lanes(dataset)[rows])
    assert part.layout is dataset.layout


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
def test_threads_do_not_matter():
    random = np.random.RandomState(0)
    dataset = make_dataset([random.randn(30_000) for _ in range(9)])
    with Team(3) as team:
        again = dataset.take(np.arange(30_000), team)
    np.testing.assert_array_equal(again.words, dataset.words)
