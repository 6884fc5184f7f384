"""The growing exact tree and the memory of a fit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.data.encode import Bins
from spinney.data.presort import Presorted
from spinney.data.tables import Table
from spinney.data.thresholds import Middles
from spinney.grow.rules import TreeRules

BLOCK = 128  # entries of a list looked at together
SMALL = 64  # rows of a subtree that is grown by sets of rows, at most: a word has a bit for each
_ENTRIES = 8192  # of such a subtree's lists, at most: they stay in the first-level cache
_LANES = 8  # columns of its tables are filled up to a multiple
STACK = 64  # a thread's open nodes: the smaller child goes first, so there are at most log2(rows)

# One node of the growing tree; children stand side by side (right = left + 1).
NODE = np.dtype(
    [
        ("left", np.int64),  # NO_NODE for a leaf
        ("begin", np.int64),  # its rows: begin .. end of every list
        ("end", np.int64),
        ("depth", np.int64),
        ("feature", np.int64),  # the best split found, NO_SPLIT if none: column,
        ("threshold", np.float64),  # if it was drawn, or is the edge of a bin;
        ("below", np.int64),  # else the rows on both sides of the cut,
        ("above", np.int64),  # NO_ROW if that is between known and missing
        ("position", np.int64),  # entries of the column's list that go left,
        ("focus", np.int64),  # categories: what they were ordered by
        ("missing_left", np.uint8),
        ("n_left", np.int64),  # rows that go left, missing ones among them
        ("keep", np.int64),  # children that will be searched, see partition.py
        ("decrease", np.float64),  # of impurity, times the node's weight
        ("key", np.float64),  # priority on the frontier
        ("split_number", np.int64),  # best-first: when it was split, from 0
        ("random", np.uint64),  # key of its random choices, from its path alone
        ("lower", np.float64),  # bounds of its value
        ("upper", np.float64),
        ("left_value", np.float64),  # of the sides, where columns are monotone
        ("right_value", np.float64),
        ("impurity", np.float64),  # absolute error only; else computed at the end
    ],
    align=True,
)

# The best split of one column for one node.
CANDIDATE = np.dtype(
    [
        ("score", np.float64),  # -inf: none
        ("position", np.int64),
        ("focus", np.int64),
        ("missing_left", np.uint8),
        ("n_left", np.int64),
        ("weight_left", np.int64),
        ("threshold", np.float64),
        ("ratio", np.float64),  # gain ratio, where columns are compared by it
        ("bar", np.float64),  # the score of another column: what is below it need not be noted
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("phase", np.int64),
        ("n_chunks", np.int64),
        ("n_open", np.int64),  # nodes being searched or partitioned by the whole team
        ("n_tasks", np.int64),  # nodes whose subtrees one thread grows alone
        ("heap_size", np.int64),
        ("n_leaves", np.int64),
        ("n_splits", np.int64),
    ],
    align=True,
)


# A waiting node of a small subtree.
WAITING = np.dtype(
    [
        ("node", np.int64),
        ("table", np.int64),  # of the two tables the one that its lists are in
        ("rows", np.uint64),  # a bit for each
        ("weight", np.int64),  # its sums
        ("amount", np.int64),
    ],
    align=True,
)


class PresortedColumns(NamedTuple):
    """What kernels need to know of the presorted columns."""

    values: np.ndarray
    is_categorical: np.ndarray
    is_binned: bool
    middles: Middles  # of the bins, for random thresholds


class ExactSubtrees(NamedTuple):
    """Memory for subtrees of a few rows; the first axis is that of threads."""

    order: np.ndarray  # uint16 (2, rows, columns): two tables of entries
    ranks: np.ndarray  # uint8 (rows, columns)
    entries: np.ndarray  # uint64: of the rows list
    amounts: np.ndarray  # int64, by row
    weights: np.ndarray
    y: np.ndarray
    sums: np.ndarray  # int64 (2, columns): amount and weight on the left
    best: np.ndarray  # float64: each column's best score
    cuts: np.ndarray  # int64: and its place
    stack: Any  # WAITING records


class ExactWork(NamedTuple):
    """Memory of a fit."""

    lists: np.ndarray  # uint64 (columns and others, rows): see data/presort.py; the last one holds the rows themselves
    nodes: Any  # NODE records
    n_nodes: np.ndarray  # int64 (1): how many there are
    state: Any  # one STATE record
    open: np.ndarray  # int64: nodes for the whole team, then the one that each thread is at
    parents: np.ndarray  # int64: those that have just been partitioned
    tasks: np.ndarray  # int64
    stacks: np.ndarray  # int64 (threads, STACK)
    heap: np.ndarray  # int64
    totals: np.ndarray  # int64 (open nodes, then threads; sums): sums of nodes being searched
    candidates: Any  # CANDIDATE records (open nodes, then threads; columns)
    side: np.ndarray  # uint8, by row: 1 if it goes left
    entries: np.ndarray  # uint64 (threads, rows): a list being put together
    left: np.ndarray  # int64 (threads, 2, sums): the left side's sums, and the right side's
    floats: np.ndarray  # float64 (threads, 2, sums)
    cuts: np.ndarray  # int64 (threads, 4, BLOCK): place, weight, amount and square of cuts
    scores: np.ndarray  # float64 (threads, BLOCK)
    errors: np.ndarray  # float64 (threads, rows + 1): this and the next four for absolute error only
    medians: np.ndarray  # float64 (threads, 2, rows + 1): of the sides of cuts, where columns are monotone
    by_place: np.ndarray  # int64 (threads, rows)
    fenwick: np.ndarray  # int64 (threads, 2, rows + 1)
    place: np.ndarray  # int64 (outputs, rows): a row's place in its node by target
    runs: np.ndarray  # int64 (threads, 3, categories)
    run_keys: np.ndarray  # float64 (threads, categories)
    chosen: np.ndarray  # int64 (threads, columns): columns in random order
    small: ExactSubtrees
    team_rows: int  # nodes of more rows are searched by the whole team


def make_work(
    presorted: Presorted, n_sums: int, n_outputs: int, rules: TreeRules, n_threads: int, team_rows: int | None = None
) -> ExactWork:
    """Memory for one tree; `n_outputs` are those with absolute error as criterion. See Work for `team_rows`."""
    n, columns = presorted.n_rows, presorted.n_columns
    most_nodes = 2 * n - 1
    if rules.max_depth < 40:
        most_nodes = min(most_nodes, 2 ** (rules.max_depth + 1) - 1)
    if rules.best_first:
        most_nodes = min(most_nodes, 2 * rules.max_leaves + 1)
    if team_rows is None:
        team_rows = n if n_threads == 1 and not rules.best_first else max(2048, n // (16 * n_threads))
    n_open = 2 if rules.best_first else 2 * (n // team_rows) + 2
    widest = int(presorted.n_ranks.max(initial=0)) if presorted.is_categorical.any() else 0
    return ExactWork(
        lists=presorted.lists,
        nodes=np.empty(most_nodes, NODE),
        n_nodes=np.ones(1, np.int64),
        state=np.zeros(1, STATE),
        open=np.empty(n_open + n_threads, np.int64),
        parents=np.empty(n_open, np.int64),
        stacks=np.empty((n_threads, STACK), np.int64),
        tasks=np.empty(most_nodes if team_rows < n else 1, np.int64),
        heap=np.empty(rules.max_leaves + 1 if rules.best_first else 1, np.int64),
        totals=np.empty((n_open + n_threads, n_sums), np.int64),
        candidates=np.zeros((n_open + n_threads, columns), CANDIDATE),
        side=np.empty(n, np.uint8),
        entries=np.empty((n_threads, n), np.uint64),
        left=np.zeros((n_threads, 2, n_sums), np.int64),
        floats=np.empty((n_threads, 2, n_sums)),
        cuts=np.empty((n_threads, 4, BLOCK), np.int64),
        scores=np.empty((n_threads, BLOCK)),
        errors=np.empty((n_threads, n + 1 if n_outputs else 0)),
        medians=np.empty((n_threads, 2, n + 1 if n_outputs and rules.is_monotone else 0)),
        by_place=np.empty((n_threads, n if n_outputs else 0), np.int64),
        fenwick=np.empty((n_threads, 2, n + 1 if n_outputs else 0), np.int64),
        place=np.empty((n_outputs, n), np.int64),
        runs=np.empty((n_threads, 3, widest), np.int64),
        run_keys=np.empty((n_threads, widest)),
        chosen=np.empty((n_threads, columns), np.int64),
        small=_make_small(n_threads, columns),
        team_rows=team_rows,
    )


def _make_small(n_threads: int, n_columns: int) -> ExactSubtrees:
    width = -(-n_columns // _LANES) * _LANES
    rows = min(SMALL, _ENTRIES // max(width, 1)) if n_columns else 0
    by_row, by_column = (n_threads, rows), (n_threads, width)
    return ExactSubtrees(
        order=np.zeros((n_threads, 2, rows, width), np.uint16),
        ranks=np.zeros((n_threads, rows, width), np.uint8),
        entries=np.empty(by_row, np.uint64),
        amounts=np.empty(by_row, np.int64),
        weights=np.empty(by_row, np.int64),
        y=np.empty(by_row),
        sums=np.empty((n_threads, 2, width), np.int64),
        best=np.empty(by_column),
        cuts=np.empty(by_column, np.int64),
        stack=np.zeros(by_row, WAITING),
    )


class Sorted(NamedTuple):
    """A table with its columns sorted."""

    table: Table
    n_categories: np.ndarray  # per column; 0 for numbers
    rows: np.ndarray | None  # the rows of the table that count, ascending; None: all
    bins: Bins | None  # if given, thresholds are their edges only
    presorted: Any  # Presorted, of a sparse table SparseLists: rows that count; the last lists are room for the grower
    middles: Middles  # of the bins, for random thresholds
