"""Columns as codes and weights as units."""

import numpy as np
import pytest

from spinney.criteria.information import ROW
from spinney.data.schema import learn_and_read
from spinney.data.weights import read_weights
from spinney.grow.multiway.columns import MISSING, read_columns, read_units

pytestmark = pytest.mark.kernels

NAN = np.nan


def columns_of(X, kept=None):
    schema, table = learn_and_read(X)
    return read_columns(table, schema, kept)


def test_numbers_are_ranks_and_categories_their_index():
    X = np.array([[2.5, "b"], [-1.0, None], [NAN, "a"], [2.5, "b"]], dtype=object)
    columns = columns_of(X)
    assert columns.codes.tolist() == [[1, 0, MISSING, 1], [1, MISSING, 0, 1]]
    assert columns.n_values.tolist() == [2, 2]
    assert columns.is_number.tolist() == [1, 0]
    assert columns.numbers[columns.first_number[0] :][:2].tolist() == [-1.0, 2.5]
    assert columns.n_present().tolist() == [0, 2]


def test_rows_without_weight_are_left_out():
    columns = columns_of(np.array([["a"], ["b"], ["c"]], dtype=object), kept=np.array([0, 2]))
    assert columns.codes.tolist() == [[0, 2]]
    assert columns.n_values.tolist() == [3]
    assert columns.n_present().tolist() == [2]
    assert columns.most_branches == 3


def test_minus_zero_is_zero_and_infinities_are_numbers():
    columns = columns_of(np.array([[0.0], [-0.0], [np.inf], [-np.inf]]))
    assert columns.codes.tolist() == [[1, 1, 2, 0]]


@pytest.mark.parametrize(
    ("weight", "units", "kept"),
    [
        (None, [ROW] * 3, None),
        ([1, 1, 1], [ROW] * 3, None),
        ([2, 0, 3], [2 * ROW, 3 * ROW], [0, 2]),
        ([0.25, 0.5, 0.75], [ROW // 2, ROW, ROW // 2 * 3], None),
        ([0.5, 0.0, 1.5], [ROW // 2, ROW // 2 * 3], [0, 2]),
        ([1e-12, 1e-12, 1.0], [3 * ROW], [2]),
        ([200, 200, 200], [ROW] * 3, None),
    ],
)
def test_units(weight, units, kept):
    found, rows = read_units(read_weights(weight, 3), 3)
    assert found.tolist() == units
    assert (rows is None) == (kept is None)
    assert rows is None or rows.tolist() == kept
