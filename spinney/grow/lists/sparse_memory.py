"""A sparse table as the loop in sparse_grower.py sees it, and the memory of a fit beyond `memory.py`.

A node has a segment of the rows list, and one of the entries (data/sparse_presort.py): those of its rows in all
columns. The column at hand is a *stretch* of it. Rows that no entry names are zeros.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.data.bin_values import Middles
from spinney.data.presort import BUCKETS, DIGITS, Presorted
from spinney.data.sparse_presort import SparseLists, list_by_rows
from spinney.grow.lists.memory import CANDIDATE, Work, make_work
from spinney.grow.rules import TreeRules

# A column's entries in a node, and how many of the node's rows are on which side of zero.
STRETCH = np.dtype(
    [
        ("column", np.int64),
        ("begin", np.int64),  # its entries
        ("end", np.int64),
        ("n_below", np.int64),  # entries below zero,
        ("n_zeros", np.int64),  # rows of zero,
        ("n_known", np.int64),  # and rows that are not missing
        ("n_rows", np.int64),  # of the node
    ],
    align=True,
)


# Of a node: where its entries begin and end; and, where columns are drawn, the `owner` of its rows, since entries of
# other nodes' rows may be among them, and where there is room behind all that is in use.
BEGIN, END, OWNER, TOP = range(4)


class Cells(NamedTuple):
    """The table, and a thread's memory."""

    entries: np.ndarray  # uint64, cut up as the tree grows; where columns are drawn, behind them room for more
    spare: np.ndarray
    n_entries: int
    start: np.ndarray  # see SparseLists
    zero: np.ndarray
    values: np.ndarray
    column: np.ndarray
    is_binned: bool
    middles: Middles
    spans: np.ndarray  # int64 (nodes, 4): see above
    owner: np.ndarray  # int64, by row: where columns are drawn, the node that last took its rows for itself
    row_first: np.ndarray  # int64 (rows + 1): there, where each row's places begin in `row_places`
    row_places: np.ndarray  # uint32, ascending in each row
    buckets: np.ndarray  # int64, for sorting
    stretch: Any  # one STRETCH record
    candidates: Any  # CANDIDATE records, by column: none, but while a node is searched
    found: np.ndarray  # int64 (columns): columns that have been searched in this node
    order: np.ndarray  # int64 (columns)
    groups: np.ndarray  # int64 (4, most entries of a column and 2): rows, weight, amount and square of equal values
    is_listed: np.ndarray  # uint8, by row: 0, but while a column is put together


def make_cells(lists: SparseLists, middles: Middles, n_nodes: int, is_drawn: bool) -> Cells:
    """Memory for one tree; the lists themselves, unless columns are drawn."""
    most = int(np.diff(lists.first).max(initial=0)) + 2
    n, entries = len(lists.entries), lists.entries
    row_first, row_places = np.zeros(lists.n_rows + 1, np.int64), np.empty(n if is_drawn else 0, np.uint32)
    if is_drawn:
        entries = np.empty(2 * n + most, np.uint64)
        entries[:n] = lists.entries
        list_by_rows(lists.entries, row_first, row_places)
    candidates = np.zeros(lists.n_columns, CANDIDATE)
    candidates["score"] = -np.inf
    return Cells(
        entries=entries,
        spare=np.empty(n, np.uint64),
        n_entries=n,
        start=lists.start,
        zero=lists.zero,
        values=lists.values,
        column=lists.column,
        is_binned=lists.is_binned,
        middles=middles,
        spans=np.empty((n_nodes, 4), np.int64),
        owner=np.zeros(lists.n_rows if is_drawn else 0, np.int64),
        row_first=row_first,
        row_places=row_places,
        buckets=np.empty((DIGITS, BUCKETS), np.int64),
        stretch=np.zeros(1, STRETCH),
        candidates=candidates,
        found=np.empty(lists.n_columns, np.int64),
        order=np.empty(lists.n_columns, np.int64),
        groups=np.empty((4, most), np.int64),
        is_listed=np.zeros(lists.n_rows, np.uint8),
    )


def make_sparse_work(n_rows: int, n_sums: int, n_outputs: int, rules: TreeRules) -> Work:
    """What the loop shares with that of other tables: lists are the rows and, for absolute error, those by target."""
    nothing = np.zeros(0, np.int64)
    lists = np.empty((n_outputs + 1, n_rows), np.uint64)
    rows = Presorted(lists, nothing, np.empty((0, 0)), np.zeros(0, bool), False)
    return make_work(rows, n_sums, n_outputs, rules, 1, n_rows)
