"""How many trees there are."""

from __future__ import annotations

from numbers import Integral
from typing import Any


def count_trees(n_columns: Any) -> int:
    """Count the different decision trees of Boolean columns: those that classify some row differently.

    d columns have 2**d different rows, each of which can have either class: 2**(2**d) functions. Every function is that
    of some tree.

    Parameters
    ----------
    n_columns : int
        Number of Boolean columns.

    Returns
    -------
    count : int
        The number of functions.

    Examples
    --------
    >>> from spinney.criteria import count_trees
    >>> count_trees(6)
    18446744073709551616
    """
    is_integer = isinstance(n_columns, Integral) and not isinstance(n_columns, bool)
    if not is_integer or not 0 <= int(n_columns) <= _MOST:
        raise ValueError(f"n_columns must be an integer from 0 to {_MOST}, got {n_columns!r}.")
    return int(2 ** (2 ** int(n_columns)))


_MOST = 20  # a number of 300,000 digits
