"""SHAP values of linear leaves: what their terms contribute beside the leaves' values.

In: a `Program`, the terms of its leaves, rows, and background rows or none. Out: contributions, added to those of the
leaves' values (quadrature.py, interventional.py).

A term adds slope * (x_j - centre) to rows that reach its leaf. Its game is that of a leaf of value 1 but for column j,
whose factors o and p (quadrature.py) are multiplied by the term at the row's x_j and at what stands for an unknown x_j:
the value of a background row, or without a background the mean of the leaf's rows, at which a term is 0. So the same
integrals are exact. Games of leaves that neither the row nor the background can reach are passed over.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk, stop_wanted
from spinney.data.tables import Panel, Table
from spinney.explain.shapley.nodes import Program, against, answer, entry_no
from spinney.explain.shapley.quadrature import Points
from spinney.tree.descend import add_values, term_of
from spinney.tree.forest import Forest, LineTerms

_ROWS = 16  # that a thread takes at a time


class LeafTerms(NamedTuple):
    """The terms of a program's leaves."""

    first: np.ndarray  # int64: by place of a leaf, where they begin,
    last: np.ndarray  # and end
    column: np.ndarray  # int64: among the columns that are tested
    line: np.ndarray


def terms_of_leaves(terms: LineTerms, program: Program, ends: np.ndarray) -> LeafTerms:
    """Those of the nodes `ends`, which are the program's leaves by place."""
    column = np.searchsorted(program.columns, terms.column).astype(np.int64)
    return LeafTerms(terms.first[ends], terms.first[ends + 1], column, terms.line)


def base_of_terms(forest: Forest, background: np.ndarray, n_outputs: int, team: Team) -> np.ndarray:
    """The mean of what all terms add to background rows (rows, columns of the table)."""
    rows = np.ascontiguousarray(background)
    table = Table(len(rows), rows.shape[1], (Panel(rows, tuple(range(rows.shape[1]))),))
    scores = np.zeros((n_outputs, len(rows)))
    add_values(replace(forest, answers=np.zeros_like(forest.answers)), table, range(forest.n_trees), scores, team)
    mean: np.ndarray = scores.mean(axis=1)
    return mean


def add_term_values(
    program: Program,
    points: Points,
    terms: LeafTerms,
    background: np.ndarray | None,
    pairs: bool,
    block: np.ndarray,
    found: np.ndarray,
    team: Team,
) -> None:
    """Add to `found`, which is laid out as the contributions of the leaves' values; columns are those that are
    tested."""
    n_columns, levels = len(program.columns), int(program.depth.max(initial=0)) + 1
    out = found if pairs else found[:, :, None]
    desks = np.empty((team.size, levels), np.int64), np.empty((team.size, 4, levels))
    if background is None:
        nothing = np.full(n_columns, np.nan)
        team.run(_add_terms, program, points, terms, nothing, pairs, block, *desks, 1.0, out)
        return
    for row in background:
        team.run(
            _add_terms, against(program, row), points, terms, row, pairs, block, *desks, 1.0 / len(background), out
        )


@kernel
def _add_terms(rank, size, sync, program, points, terms, other, pairs, block, opened, desks, share, out):
    while True:
        begin = next_chunk(sync) * _ROWS
        if begin >= block.shape[0] or stop_wanted(sync):
            return
        for row in range(begin, min(begin + _ROWS, block.shape[0])):
            for tree in range(program.first.size - 1):
                output = tree % out.shape[3]
                for at in range(program.first[tree], program.first[tree + 1]):
                    entry = program.entries[at]
                    if entry.column >= 0:
                        opened[rank, entry.level] = at
                    elif terms.first[entry.place] < terms.last[entry.place]:
                        known = program, points, tree, terms, other, pairs, share
                        _add_leaf(known, at, block[row], opened[rank], desks[rank], out[row, :, :, output])


@inner_kernel
def _add_leaf(known, at, x, opened, desk, out):
    """The games of all terms of a leaf."""
    program, points, tree, terms, other, pairs, share = known
    own, rest, columns = desk[0], desk[1], desk[2]
    n = _find_columns(program, at, x, opened, own, rest, columns)
    if n < 0:
        return
    n_points = points.n[tree]
    integral = points.points[points.first[tree] : points.first[tree] + 3 * n_points]
    place = program.entries[at].place
    for k in range(terms.first[place], terms.last[place]):
        column, line = terms.column[k], terms.line[k]
        mine = 0
        while np.int64(columns[mine]) != column:  # it is on the way
            mine += 1
        before, rest_before = own[mine], rest[mine]
        own[mine] = before * term_of(x[column], line) if before > 0.0 else 0.0
        rest[mine] = rest_before * term_of(other[column], line) if rest_before > 0.0 else 0.0
        if own[mine] != 0.0 or rest[mine] != 0.0:
            for i in range(n):
                a = np.int64(columns[i])
                out[a, a if pairs else 0] += share * _integrate(integral, n_points, own, rest, n, i, i)
                for j in range(i):
                    if pairs:
                        out[a, np.int64(columns[j])] += share * _integrate(integral, n_points, own, rest, n, i, j)
        own[mine], rest[mine] = before, rest_before


@inner_kernel
def _find_columns(program, at, x, opened, own, rest, columns):
    """The o and p of each column on the way to a leaf; returns how many there are, -1 if nobody can come here."""
    n = 0
    for level in range(program.entries[at].level):
        asked = program.entries[opened[level]]
        is_yes = at < entry_no(program.entries, opened[level])
        told = answer(asked, program.sets, x[asked.column])
        told = told if is_yes else 1.0 - told
        k = 0
        while k < n and np.int64(columns[k]) != asked.column:
            k += 1
        if k == n:
            columns[k], own[k] = asked.column, 1.0
            n += 1
        own[k] *= told
        rest[k] = asked.yes if is_yes else asked.no
    for k in range(n):
        if own[k] == 0.0 and rest[k] == 0.0:
            return -1
    return n


@inner_kernel
def _integrate(integral, n_points, own, rest, n, i, j):
    """The integral of the product over all columns; (o - p) stands for the factors of columns i and j."""
    total = 0.0
    for k in range(n_points):
        t, u, product = integral[k], integral[n_points + k], integral[2 * n_points + k]
        for m in range(n):
            product *= own[m] - rest[m] if m in (i, j) else t * own[m] + u * rest[m]
        total += product
    return total
