"""Linear leaves: slopes for the leaves of a tree just grown.

In: the tree, the leaf of each row, derivatives, and the table's numbers. Out: the terms of `Forest`, in the units of
the fit. The tree and its leaves' values stay as they are.

A leaf of value b adds b + the sum of w_j (x_j - m_j) over some columns j of its path to raw scores; m_j is the mean of
its rows, weighted by their hessians. About these means b and the slopes w do not depend on each other, so b is the
value of a constant leaf. The slopes minimise the second-order objective with a ridge penalty on standardised columns,

    sum_i g_i (w z_i) + 1/2 sum_i h_i (w z_i)^2 + RIDGE/2 sum_j w_j^2 v_j        z_i = x_i - m, v_j the variance of x_j

so that (S + RIDGE/H diag S) w = -sum_i g_i z_i with S = sum_i h_i z_i z_i' and H = sum_i h_i. Missing values have
z = 0. All sums are of integers, the same in any order of the rows:

    sums     one pass over the rows, about the middle of the box that the path leaves of each column
    settle   the means; sums about these follow, as (x - m)^2 = (x - middle)^2 - ..., but not where values are missing,
             nor with enough digits where a leaf's values are close together. Then there is a second pass, about the
             means, and a third if the first did not find these well
    solve    one leaf after the other, by Cholesky's factors

The integers are kept in float64, which adds them exactly below 2**53. A leaf's sums are rows of `LANES` numbers:

    0 .. 3   h z_k z        4   g z        5   h z        6   h of missing values
    7, 8     least and greatest values                    9   h, g, h of rows with a missing value
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import PLAIN_PYTHON, Writer, inner_kernel, kernel, vector_code
from spinney._team import Team, next_chunk
from spinney.grow.boosting.freeze import Laid
from spinney.grow.boosting.memory import BoostingRows, BoostingWork
from spinney.grow.boosting.partition import CHUNK
from spinney.grow.rules import BoostingRules
from spinney.tree.descend import term_of

LANES = 4  # terms of a leaf at most: the columns of its path that are nearest to it
RIDGE = 5.0  # rows of hessian 1
_OF_GRADIENT, _OF_HESSIAN, _MISSING, _LEAST, _GREATEST, _TOTALS, _ROWS = 4, 5, 6, 7, 8, 9, 10
_COARSER = 2.0**-10  # from sums of 61 bits to 51
_TO_INTEGER = 1.5 * 2.0**52
_PASSES = 3  # at most
_FAR_OFF = 1e-10  # of a column's reach: a mean of a second pass, which a third makes smaller
_FEW_DIGITS = 1e-5  # of a sum about the middle, what is left about the mean
_LEFT_OVER = 1e-10  # part of a column's variance that other columns must leave over for a slope of its own


class Slopes(NamedTuple):
    """What the leaves of one tree say, with rooms for `LANES` terms each."""

    value: np.ndarray  # float64 (leaves,)
    columns: np.ndarray  # int64 (leaves, LANES)
    line: np.ndarray  # float64 (leaves, LANES, 4): slope, centre, low, high; slope 0: there is none
    of_piece: np.ndarray  # int64: the leaf, after pruning, of each piece (leaves.py)


class Numbers(NamedTuple):
    """What a fit knows of the table."""

    values: np.ndarray  # (rows, columns)
    ends: np.ndarray  # (2, columns): the least and the greatest
    edges: np.ndarray  # (columns, codes): upper edges of bins
    usable: np.ndarray  # uint8: columns of numbers


class LeafRows(NamedTuple):
    """What the sums are taken over."""

    chosen: np.ndarray
    n: int
    derivatives: np.ndarray
    counts: np.ndarray
    leaf_of_row: np.ndarray  # its piece
    leaf_of_piece: np.ndarray  # int64
    columns: np.ndarray  # int64 (leaves, LANES)
    values: np.ndarray
    gradient_scale: float
    hessian_scale: float


def fit_slopes(
    tree: Laid, rows: BoostingRows, work: BoostingWork, rules: BoostingRules, table: Numbers, monotone: Any, team: Team
) -> Slopes:
    """Slopes for the leaves of a tree."""
    leaves, fields = tree.nodes[tree.size == 1], rows.fields
    value, columns, line, of_piece = slopes = no_slopes(tree, work)
    place, boxes = np.zeros((len(leaves), 2, LANES)), np.empty((LANES, 2))
    _choose_columns(tree.nodes, tree.size, table, np.empty(len(tree.size), np.int64), boxes, columns, place)
    scales = fields.fine_gradient_scale * _COARSER, fields.fine_hessian_scale * _COARSER
    own = work.leaf_of_row, of_piece, columns, table.values
    asked = LeafRows(rows.chosen, rows.n, rows.derivatives, rows.counts, *own, *scales)
    sums = np.empty((team.size, len(leaves), _ROWS * LANES))
    for number in range(_PASSES):
        team.run(_add_sums, asked, place, sums)
        if not _settle(sums, place, line, number == 0):
            break
    units = fields.fine_gradient_unit / _COARSER, fields.fine_hessian_unit / _COARSER
    desk = np.zeros((LANES + 1, LANES))
    _solve(leaves, sums[0], units, rules, columns, place, monotone, desk, line)
    return slopes


def no_slopes(tree: Laid, work: BoostingWork) -> Slopes:
    """Slopes of zero."""
    leaves = tree.nodes[tree.size == 1]
    pieces = work.nodes["begin"][work.pieces[: work.state[0]["n_leaves"]]]
    of_piece = np.searchsorted(leaves["begin"], pieces, side="right") - 1
    n = len(leaves)
    return Slopes(leaves["value"].copy(), np.zeros((n, LANES), np.int64), np.zeros((n, LANES, 4)), of_piece)


@kernel
def _choose_columns(nodes, size, table, path, boxes, columns, place):
    """The columns of each leaf's path that may get slopes, the nearest to the leaf first, and for each the middle of
    its box and 1 / half of its width (0: no slope); leaves in preorder."""
    depth, leaf = 0, 0
    for at in range(size.size):
        while depth > 0 and at >= path[depth - 1] + size[path[depth - 1]]:
            depth -= 1
        if size[at] > 1:
            path[depth] = at
            depth += 1
            continue
        found, below = 0, at
        for d in range(depth - 1, -1, -1):
            node = nodes[path[d]]
            column, is_left = node.feature, below == path[d] + 1
            below = path[d]
            if table.usable[column] == 0:
                continue
            k = 0
            while k < found and columns[leaf, k] != column:
                k += 1
            if k == LANES:
                continue
            if k == found:
                columns[leaf, k], found = column, found + 1
                boxes[k, 0], boxes[k, 1] = table.ends[0, column], table.ends[1, column]
            edge = table.edges[column, node.code]
            if is_left:
                boxes[k, 1] = min(boxes[k, 1], edge)
            else:
                boxes[k, 0] = max(boxes[k, 0], edge)
        for k in range(found):
            half = boxes[k, 1] / 2 - boxes[k, 0] / 2
            place[leaf, 0, k] = boxes[k, 0] + half
            place[leaf, 1, k] = 1.0 / half if half > _SMALLEST else 0.0
        for k in range(found, LANES):
            columns[leaf, k] = columns[leaf, 0]
        leaf += 1


_SMALLEST = 1e-300


@kernel
def _add_sums(rank, size, sync, asked, place, sums):
    """The sums of every leaf (see above); each thread has its own."""
    sums = sums[rank]
    sums[:] = 0.0
    sums[:, _LEAST * LANES : _GREATEST * LANES] = np.inf
    sums[:, _GREATEST * LANES : _TOTALS * LANES] = -np.inf
    while True:
        begin = next_chunk(sync) * CHUNK
        if begin >= asked.n:
            return
        for i in range(begin, min(asked.n, begin + CHUNK)):
            row = np.uint64(asked.chosen[i]) if asked.chosen.size else np.uint64(i)
            leaf = np.uint64(asked.leaf_of_piece[np.uint64(asked.leaf_of_row[row])])
            count = np.float64(asked.counts[row]) if asked.counts.size else 1.0
            hessian = np.float64(asked.derivatives[row, 1]) * asked.hessian_scale
            gradient = np.float64(asked.derivatives[row, 0]) * asked.gradient_scale
            if not hessian > 0.0:
                continue
            x, y = _value(asked, row, leaf, 0), _value(asked, row, leaf, 1)
            z, w = _value(asked, row, leaf, 2), _value(asked, row, leaf, 3)
            own = sums[leaf]
            own[_TOTALS * LANES] += count * _rounded(hessian)
            own[_TOTALS * LANES + 1] += count * _rounded(gradient)
            if x - x + (y - y) + (z - z) + (w - w) != 0.0:
                _note_missing(asked, row, leaf, place, count * _rounded(hessian), own)
            add_row(own, place[leaf].reshape(-1), x, y, z, w, gradient, hessian, count)


@inner_kernel
def _value(asked, row, leaf, k):
    return np.float64(asked.values[row, np.uint64(asked.columns[leaf, k])])


@inner_kernel
def _note_missing(asked, row, leaf, place, hessian, own):
    """Add the row to the sums of those that lack a value."""
    lacks = False
    for k in range(LANES):
        x = _value(asked, row, leaf, k)
        if x - x != 0.0 and place[leaf, 1, k] > 0.0:
            own[_MISSING * LANES + k] += hessian
            lacks = True
    if lacks:
        own[_TOTALS * LANES + 2] += hessian


@inner_kernel
def _rounded(value):
    """A number below 2**51 to the nearest integer."""
    return (value + _TO_INTEGER) - _TO_INTEGER


@vector_code(LANES)
def _add_row(
    write: Writer, own: Any, place: Any, x: Any, y: Any, z: Any, w: Any, gradient: Any, hessian: Any, count: Any
) -> None:
    builder, size = write.builder, write.size
    values: Any = write.zero
    for k, one in enumerate((x, y, z, w)):
        values = builder.insert_element(values, one, write.integers.element(k))
    values = builder.fadd(values, write.zero)  # -0.0 becomes 0.0
    known = builder.fcmp_ordered("==", builder.fsub(values, values), write.zero)
    gap = builder.fmul(builder.fsub(values, write.load(1, place, size(0))), write.load(1, place, size(LANES)))
    gap = builder.select(known, gap, write.zero)
    often, to_integer = write.splat(count), write.splat(write.number(_TO_INTEGER))
    factors = [builder.fmul(builder.extract_element(gap, write.integers.element(k)), hessian) for k in range(LANES)]
    for k, factor in enumerate([*factors, gradient, hessian]):
        product = builder.fmul(write.splat(factor), gap)
        whole = builder.fsub(builder.fadd(product, to_integer), to_integer)
        at = size(k * LANES)
        write.store(builder.fadd(write.load(0, own, at), builder.fmul(often, whole)), 0, own, at)
    for k, order in ((_LEAST, "<"), (_GREATEST, ">")):
        before = write.load(0, own, size(k * LANES))
        is_new = builder.and_(known, builder.fcmp_ordered(order, values, before))
        write.store(builder.select(is_new, values, before), 0, own, size(k * LANES))


def _plain_add_row(
    own: Any, place: Any, x: float, y: float, z: float, w: float, gradient: float, hessian: float, count: float
) -> None:
    values = np.array([x, y, z, w]) + 0.0
    known = np.isfinite(values)
    gap = np.where(known, (np.where(known, values, 0.0) - place[:LANES]) * place[LANES:], 0.0)
    for k, factor in enumerate([*(gap * hessian), gradient, hessian]):
        own[k * LANES : (k + 1) * LANES] += count * ((factor * gap + _TO_INTEGER) - _TO_INTEGER)
    least, greatest = own[_LEAST * LANES : _GREATEST * LANES], own[_GREATEST * LANES : _TOTALS * LANES]
    least[known], greatest[known] = np.minimum(least, values)[known], np.maximum(greatest, values)[known]


# add_row(own, place, x, y, z, w, gradient, hessian, count): adds a row of four values to the sums of its leaf, whose
# middles and inverse widths `place` has.
add_row: Any = _plain_add_row if PLAIN_PYTHON else _add_row


@inner_kernel
def _merge(sums):
    """All threads' sums in the first one's."""
    for rank in range(1, sums.shape[0]):
        for leaf in range(sums.shape[1]):
            for k in range(_ROWS * LANES):
                own, other = sums[0, leaf, k], sums[rank, leaf, k]
                if k < _LEAST * LANES or k >= _TOTALS * LANES:
                    sums[0, leaf, k] = own + other
                elif k < _GREATEST * LANES:
                    sums[0, leaf, k] = min(own, other)
                else:
                    sums[0, leaf, k] = max(own, other)


@kernel
def _settle(sums, place, line, is_first):
    """Merge the threads' sums, set the terms' centres and ends, and after the first pass turn sums about the middle
    into sums about the centre; True if there must be another pass, for which `place` is made ready."""
    _merge(sums)
    again = False
    for leaf in range(line.shape[0]):
        own = sums[0, leaf]
        total, gradient = own[_TOTALS * LANES], own[_TOTALS * LANES + 1]
        again = again or (is_first and own[_TOTALS * LANES + 2] > 0.0)
        for k in range(LANES):
            low, high = own[_LEAST * LANES + k], own[_GREATEST * LANES + k]
            weight = total - own[_MISSING * LANES + k]
            if not (high > low and place[leaf, 1, k] > 0.0 and weight > 0.0):  # one value only, or none
                place[leaf, 1, k] = 0.0
                continue
            mean = own[_OF_HESSIAN * LANES + k] / weight
            centre = min(max(place[leaf, 0, k] + mean / place[leaf, 1, k], low), high)
            line[leaf, k, 1], line[leaf, k, 2], line[leaf, k, 3] = centre, low, high
            if not is_first:
                again = again or abs(mean) > _FAR_OFF
                continue
            whole = own[k * LANES + k]
            for other in range(k + 1):
                own[k * LANES + other] -= mean * own[_OF_HESSIAN * LANES + other]
            again = again or own[k * LANES + k] < _FEW_DIGITS * whole
            own[_OF_GRADIENT * LANES + k] -= mean * gradient
    if again:
        for leaf in range(line.shape[0]):
            for k in range(LANES):
                if place[leaf, 1, k] > 0.0:
                    centre = line[leaf, k, 1]
                    place[leaf, 0, k] = centre
                    place[leaf, 1, k] = 1.0 / max(line[leaf, k, 3] - centre, centre - line[leaf, k, 2])
    return again


@kernel
def _solve(leaves, sums, units, rules, columns, place, monotone, factor, line):
    """line[leaf, k, 0] = slopes; the last row of `factor` has the solution on its way."""
    found = factor[LANES]
    for leaf in range(line.shape[0]):
        own, node = sums[leaf], leaves[leaf]
        weight = own[_TOTALS * LANES] * units[1]
        ridge = 1.0 + RIDGE / weight if weight > 0.0 else 1.0
        for k in range(LANES):
            alone = own[k * LANES + k] * units[1] if place[leaf, 1, k] > 0.0 else 0.0
            found[k] = factor[k, k] = 0.0
            for other in range(k + 1):
                total = own[k * LANES + other] * units[1]
                total = total * ridge if other == k else total
                for a in range(other):
                    total -= factor[k, a] * factor[other, a]
                if other < k:
                    factor[k, other] = total / factor[other, other] if factor[other, other] > 0.0 else 0.0
                elif alone > 0.0 and total > _LEFT_OVER * alone:
                    factor[k, k] = np.sqrt(total)
            if factor[k, k] > 0.0:
                total = -own[_OF_GRADIENT * LANES + k] * units[0]
                for a in range(k):
                    total -= factor[k, a] * found[a]
                found[k] = total / factor[k, k]
        for k in range(LANES - 1, -1, -1):
            total = found[k]
            for a in range(k + 1, LANES):
                total -= factor[a, k] * found[a]
            found[k] = total / factor[k, k] if factor[k, k] > 0.0 else 0.0
        _write(node, rules, columns[leaf], place[leaf, 1], monotone, found, line[leaf])


@inner_kernel
def _write(node, rules, columns, inverse, monotone, found, line):
    """The slopes of a leaf: with the learning rate, and as steep as its bounds let them be."""
    up = down = 0.0
    for k in range(LANES):
        slope = rules.learning_rate * found[k] * inverse[k]
        if monotone.size and slope * monotone[columns[k]] < 0.0:
            slope = 0.0
        below, above = slope * (line[k, 2] - line[k, 1]), slope * (line[k, 3] - line[k, 1])
        up, down = up + max(below, above), down - min(below, above)
        line[k, 0] = slope
    room_above = rules.learning_rate * node.upper - node.value
    room_below = node.value - rules.learning_rate * node.lower
    if rules.link.power > 0.0:
        longest = rules.learning_rate * rules.link.longest
        room_above, room_below = min(room_above, longest), min(room_below, longest)
    shrink = 1.0
    if up > room_above:
        shrink = max(room_above, 0.0) / up
    if down * shrink > room_below:
        shrink = max(room_below, 0.0) / down
    for k in range(LANES):
        line[k, 0] *= shrink


def add_linear_tree(
    rows: BoostingRows, work: BoostingWork, slopes: Slopes, table: Numbers, scores: np.ndarray, team: Team
) -> None:
    """Add what the leaves of the tree just grown say to the scores of its rows."""
    team.run(_add_linear_tree, rows.chosen, rows.n, work.leaf_of_row, slopes, table.values, scores)


@kernel
def _add_linear_tree(rank, size, sync, chosen, n_rows, leaf_of_row, slopes, values, scores):
    while True:
        begin = next_chunk(sync) * CHUNK
        if begin >= n_rows:
            return
        for i in range(begin, min(n_rows, begin + CHUNK)):
            row = np.uint64(chosen[i]) if chosen.size else np.uint64(i)
            leaf = np.uint64(slopes.of_piece[np.uint64(leaf_of_row[row])])
            total = 0.0
            for k in range(LANES):
                x = np.float64(values[row, np.uint64(slopes.columns[leaf, k])])
                total += term_of(x, slopes.line[leaf, k])
            scores[row] += slopes.value[leaf] + total
