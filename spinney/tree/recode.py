"""Converts trees that compare values to trees that compare codes: rows are encoded once, then all trees read bytes.

In: any `Forest` without bins. Out: `Recoded`, the same trees with the distinct thresholds of a column as its bin edges.
A byte distinguishes 254 edges. A column with more edges is repeated, each copy with the next 254, and a question uses
the copy that has its threshold. Categories that are on the same side of every question share a code. Rows reach the
same leaves.

Encoding takes time, so this pays only for forests whose rows pass more nodes than there are columns to encode. Others,
with few nodes or with thousands of thresholds per column, are evaluated by values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spinney.data.encode import Bins
from spinney.data.tables import Panel, Table
from spinney.tree.forest import MISSING_LEFT, Forest, pack_sets, small, unpack_sets

_EDGES = 254  # of a byte: 255 bins and the code of missing values
_CODES = 255  # of categories
_WORDS = 4  # of a set of codes
_STEPS = 2  # that a row takes by value in the time in which a column is encoded


@dataclass(frozen=True)
class Recoded:
    """Trees that compare codes, and the columns that are repeated after those of the table."""

    forest: Forest
    copies: tuple[int, ...]

    def table(self, table: Table) -> Table:
        """The table with its repeated columns."""
        if not self.copies:
            return table
        extra = np.stack([table.column(j) for j in self.copies], axis=1)
        width = table.n_columns + len(self.copies)
        return Table(table.n_rows, width, (*table.panels, Panel(extra, tuple(range(table.n_columns, width)))))


def recoded(forest: Forest) -> Recoded | None:
    """`recode`, once per forest: kept with its other packed forms, and not in pickles."""
    known = vars(forest)
    if "recoded" not in known:
        known["recoded"] = recode(forest)
    found: Recoded | None = known["recoded"]
    return found


def recode(forest: Forest) -> Recoded | None:
    """The trees by codes; None if values are faster, or if there are too many categories for bytes."""
    if forest.bins is not None or not len(forest.feature):
        return None
    most = _steps(forest) / _STEPS
    if forest.n_columns > most:
        return None
    number = ~forest.is_set
    columns, threshold = forest.feature[number].astype(np.int64), forest.threshold[number]
    edges, place = _edges(columns, threshold, forest.n_columns)
    home, copies = _homes(edges, forest.n_columns)
    if forest.n_columns + len(copies) > most:
        return None
    codes = _category_codes(forest)
    if codes is None:
        return None
    feature = forest.feature.astype(np.int64)
    feature[number] = np.array([home[j][k // _EDGES] for j, k in zip(columns.tolist(), place.tolist())], np.int64)
    code = np.zeros(len(feature), np.uint8)
    code[number] = place % _EDGES
    bins = _bins(edges, home, codes, forest.n_columns + len(copies))
    sets = _recode_sets(forest, bins)
    other = replace(
        forest,
        n_columns=bins.n_columns,
        bins=bins,
        feature=small(feature),
        code=code,
        threshold=np.empty(0),
        sets=sets,
        set_start=np.arange(0, len(sets) + 1, _WORDS, dtype=np.int64),
    )
    return Recoded(other, tuple(copies))


def _steps(forest: Forest) -> float:
    """How many questions a row is asked: each tree's mean depth of a leaf, summed."""
    depth = np.where(forest.is_leaf, forest.shape.depth, 0)
    return float((np.add.reduceat(depth, forest.first[:-1]) / forest.n_leaves).sum())


def _edges(columns: np.ndarray, threshold: np.ndarray, n_columns: int) -> tuple[list[np.ndarray], np.ndarray]:
    """(the distinct thresholds of every column, the place of each question's among them)."""
    order = np.lexsort((threshold, columns))
    by, values = columns[order], threshold[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (by[1:] != by[:-1]) | (values[1:] != values[:-1])
    start = np.searchsorted(by[is_new], np.arange(n_columns + 1))
    distinct = values[is_new]
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(is_new) - 1 - start[by]
    return [distinct[start[j] : start[j + 1]] for j in range(n_columns)], place


def _homes(edges: list[np.ndarray], n_columns: int) -> tuple[list[list[int]], list[int]]:
    """(where the first 254 edges of every column are, the next 254, ...; columns that copies are made of)."""
    home: list[list[int]] = []
    copies: list[int] = []
    for j, own in enumerate(edges):
        n = -(-len(own) // _EDGES)
        home.append([j, *range(n_columns + len(copies), n_columns + len(copies) + n - 1)])
        copies += [j] * (n - 1)
    return home, copies


def _category_codes(forest: Forest) -> list[np.ndarray] | None:
    """The code of every category by column (empty: numbers), the same for those that no question tells apart."""
    found = [np.empty(0, np.uint8) for _ in range(forest.n_columns)]
    column = forest.feature[forest.is_set].astype(np.int64)
    for j in np.unique(column).tolist():
        mine = np.flatnonzero(column == j)
        n_words = int(forest.set_start[mine[0] + 1] - forest.set_start[mine[0]])
        words = forest.sets[forest.set_start[mine, None] + np.arange(n_words)]
        patterns = unpack_sets(words).T  # (categories, sets)
        if len(patterns) <= _CODES:
            found[j] = np.arange(len(patterns), dtype=np.uint8)
            continue
        kinds, code = np.unique(patterns, axis=0, return_inverse=True)
        if len(kinds) > _CODES:
            return None
        found[j] = code.astype(np.uint8)
    return found


def _bins(edges: list[np.ndarray], home: list[list[int]], codes: list[np.ndarray], n_columns: int) -> Bins:
    cut = [np.empty(0) for _ in range(n_columns)]
    for own, places in zip(edges, home):
        for k, at in enumerate(places):
            cut[at] = own[k * _EDGES : (k + 1) * _EDGES]
    category_codes = [*codes, *(np.empty(0, np.uint8) for _ in range(n_columns - len(codes)))]
    n_bins = [int(code.max()) + 1 if len(code) else len(own) + 1 for own, code in zip(cut, category_codes)]
    is_category = np.array([len(code) > 0 for code in category_codes])
    return Bins(tuple(cut), tuple(category_codes), np.array(n_bins, np.int32), is_category)


def _recode_sets(forest: Forest, bins: Bins) -> np.ndarray:
    """The sets as codes, four words each; missing values have a code, too."""
    column = forest.feature[forest.is_set].astype(np.int64)
    sets = np.zeros((len(column), _WORDS), np.uint64)
    left = (forest.turn[forest.is_set] & MISSING_LEFT) != 0
    start = forest.set_start
    for k, j in enumerate(column.tolist()):
        bits = np.zeros(_WORDS * 64, bool)
        bits[bins.category_codes[j][unpack_sets(forest.sets[start[k] : start[k + 1]])]] = True
        bits[bins.n_bins[j]] = left[k]
        sets[k] = pack_sets(bits)
    return sets.ravel()
