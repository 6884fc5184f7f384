"""Out-of-bag predictions and permutation importances.

In: a `Forest`, the table it was grown on, and how often each row is in the sample of each tree. Out: sums and counts of
votes, or permutation importances (Breiman's: each tree is evaluated on its own out-of-bag rows, before and after one
column's values are shuffled among them).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spinney._random import SHUFFLES, stream_key
from spinney._team import Team
from spinney.data.tables import Panel, Table
from spinney.ensemble.forests.bootstrap import fill_keys
from spinney.tree.descend import sum_answers
from spinney.tree.forest import Forest


class Votes(NamedTuple):
    """Out-of-bag sums and counts for every row of the table."""

    sums: np.ndarray  # float64 (rows, outputs, classes or 1)
    n: np.ndarray  # int64: trees that were not grown on the row


def count_votes(
    forest: Forest,
    table: Table,
    in_bag: Callable[[int], np.ndarray],
    team: Team,
    answers: np.ndarray | None = None,
) -> Votes:
    """Sum the predictions of each row's out-of-bag trees; `answers` of all nodes, if given, replace the forest's."""
    sums = np.zeros((table.n_rows, *forest.answers.shape[1:]))
    n = np.zeros(table.n_rows, np.int64)
    for k in range(forest.n_trees):
        seen = in_bag(k) > 0
        sum_answers(forest, table, team, range(k, k + 1), seen.view(np.uint8), sums, answers)
        n += ~seen
    return Votes(sums, n)


def permutation_importances(
    forest: Forest,
    table: Table,
    in_bag: Callable[[int], np.ndarray],
    error: Callable[[np.ndarray, np.ndarray], float],
    seed: int,
    team: Team,
    groups: Sequence[Sequence[int]] | None = None,
) -> np.ndarray:
    """The increase of each tree's error on its out-of-bag rows when a column is shuffled, (columns, trees).

    `error(answers, rows)` evaluates predictions (rows, outputs, classes or 1) for some rows of the table. Trees without
    out-of-bag rows give NaN. The columns of a group, if there are `groups`, are shuffled together: (groups, trees).
    """
    groups = [[j] for j in range(table.n_columns)] if groups is None else groups
    rises = np.zeros((len(groups), forest.n_trees))
    for k in range(forest.n_trees):
        rows = np.flatnonzero(in_bag(k) == 0)
        if len(rows) == 0:
            rises[:, k] = np.nan
            continue
        values = _values(table, rows)
        whole = Table(len(rows), table.n_columns, (Panel(values, tuple(range(table.n_columns))),))
        some, one = range(k, k + 1), forest.tree(k)
        before = error(sum_answers(forest, whole, team, some), rows)
        for g, group in enumerate(groups):
            if one.columns_asked.isdisjoint(group):
                continue
            kept = values[:, group].copy()
            values[:, group] = kept[_shuffled(len(rows), seed, k * table.n_columns + group[0])]
            rises[g, k] = error(sum_answers(forest, whole, team, some), rows) - before
            values[:, group] = kept
    return rises


def _values(table: Table, rows: np.ndarray) -> np.ndarray:
    values = np.empty((len(rows), table.n_columns))
    for panel in table.panels:
        values[:, panel.columns] = panel.values[rows]
    return values


def _shuffled(n: int, seed: int, number: int) -> np.ndarray:
    """A pseudo-random permutation, by hashes."""
    keys = np.empty(n, np.uint64)
    fill_keys(np.uint64(stream_key(np.uint64(seed), SHUFFLES, np.uint64(number))), keys)
    return np.argsort(keys, kind="stable")
