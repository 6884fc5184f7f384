"""What one solved child proves about the children of other tests on the same column.

In: the tests of a node, one of them, a lower bound of its left or right child. Out: raised bounds of its neighbours.

    codes        0 1 2 3 | 4 5 | 6 7 8
    left child   rows with codes up to 3 cost at least v; rows with codes up to 5 are more rows: at least v, too
    right child  rows with codes from 4 on cost at least v; without those of 4 and 5, at least v minus what these can
                 add to the cost of a tree: `move` for each unit of weight (0: not known)

The first holds since a tree for more rows, without the leaves that become empty, is one for fewer rows, and costs no
less. The second since a tree for fewer rows is one for all of them, and costs at most that much more.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel


@inner_kernel
def raise_left(costs, tests, n_tests, t, value):
    """The left child of test t costs at least `value`."""
    column, bounds = tests.column, tests.left
    bounds[t] = max(bounds[t], value)
    other = t + 1
    while other < n_tests and column[other] == column[t]:
        bounds[other] = max(bounds[other], value - costs.slack)
        other += 1
    other = t - 1
    while costs.move > 0.0 and other >= 0 and column[other] == column[t]:
        _lower(costs, bounds, other, value, tests.moved[t] - tests.moved[other])
        other -= 1


@inner_kernel
def raise_right(costs, tests, n_tests, t, value):
    """The right child of test t costs at least `value`."""
    column, bounds = tests.column, tests.right
    bounds[t] = max(bounds[t], value)
    other = t - 1
    while other >= 0 and column[other] == column[t]:
        bounds[other] = max(bounds[other], value - costs.slack)
        other -= 1
    other = t + 1
    while costs.move > 0.0 and other < n_tests and column[other] == column[t]:
        _lower(costs, bounds, other, value, tests.moved[other] - tests.moved[t])
        other += 1


@inner_kernel
def _lower(costs, bounds, other, value, weight):
    bounds[other] = max(bounds[other], value - costs.slack - np.int64(np.ceil(float(weight) * costs.move)))
