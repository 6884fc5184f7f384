"""How many trees there are: against all of them."""

from itertools import product

import pytest

from spinney.criteria import count_trees


def functions(n_columns, depth):
    """What all trees of a depth say of all rows."""
    rows = list(product((0, 1), repeat=n_columns))
    if depth == 0:
        return {(k,) * len(rows) for k in (0, 1)}
    below = functions(n_columns, depth - 1)
    found = set(below)
    for j in range(n_columns):
        found |= {tuple(a[i] if row[j] else b[i] for i, row in enumerate(rows)) for a in below for b in below}
    return found


@pytest.mark.parametrize("n_columns", [0, 1, 2, 3])
def test_every_function_is_that_of_a_tree(n_columns):
    assert len(functions(n_columns, n_columns)) == count_trees(n_columns)


def test_the_lecture():
    assert [count_trees(d) for d in (5, 6)] == [4294967296, 18446744073709551616]


@pytest.mark.parametrize("wrong", [-1, 21, 2.0, True, "3"])
def test_wrong(wrong):
    with pytest.raises(ValueError, match="n_columns must be an integer from 0 to 20"):
        count_trees(wrong)
