"""Panels of a step, as plain data that the page draws.

    plane   points over regions, with boxes, lines, centres and ellipses
    curve   lines and dots over an axis
    tree    boxes and links, with their positions
    table   rows of text, one of them marked

In: models, tables, numbers. Out: dictionaries of JSON and NumPy types. Regions are run-length encoded cells, row by row
from the bottom left: the count, then the colour, which is class * LEVELS + certainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spinney.lab.tables import LabTable
from spinney.view.phrases import TreePhrases, choose_tree, words_of
from spinney.view.plot import arrange
from spinney.view.predictions import Grid

CELLS = 96  # cells along each axis of a region
LEVELS = 8  # shades of a class, from uncertain to certain
_SURE = 5  # the shade of a prediction without probability
_LINE, _PAD, _CHARACTER = 15.0, 8.0, 6.7  # of a tree's boxes, in pixels

Panel = dict[str, Any]
Step = dict[str, Any]


def step(sentence: str, numbers: dict[str, Any], *panels: Panel | None) -> Step:
    """Return a step: a sentence, its numbers, and panels."""
    return {"sentence": sentence, "numbers": numbers, "panels": [one for one in panels if one]}


# --- planes ----------------------------------------------------------------------------------------------------------


def grid_of(table: LabTable) -> np.ndarray:
    """Return all cells of the plane as rows."""
    return np.asarray(Grid(table.X, (0, 1), CELLS).table(), np.float64)


def by_class(predicted: np.ndarray, classes: Sequence[Any]) -> list[int]:
    """Return a region of predicted classes."""
    return runs(np.searchsorted(np.asarray(classes), predicted) * LEVELS + _SURE)


def by_share(shares: np.ndarray) -> list[int]:
    """Return a region of probabilities (cells, classes): the likeliest class, stronger where it is certain."""
    even = 1.0 / shares.shape[1]
    sure = (shares.max(axis=1) - even) / (1.0 - even) if shares.shape[1] > 1 else np.ones(len(shares))
    level = np.clip((sure * LEVELS).astype(np.int64), 0, LEVELS - 1)
    return runs(shares.argmax(axis=1) * LEVELS + level)


def runs(cells: np.ndarray) -> list[int]:
    """Run-length encode cells: [count, value, count, value, ...]."""
    ends = np.flatnonzero(np.append(cells[1:] != cells[:-1], True))
    counts = np.diff(ends, prepend=-1)
    return np.column_stack([counts, cells[ends]]).ravel().tolist()


def plane(title: str, **more: Any) -> Panel:
    """Return a panel of points with any of `region`, `boxes`, `lines`, `sizes`, `hollow`, `bag`, `wrong`, `dim`, ..."""
    return {"kind": "plane", "title": title, **more}


def wrong_rows(predicted: np.ndarray, y: np.ndarray) -> list[int]:
    """Return the misclassified rows."""
    return np.flatnonzero(np.asarray(predicted) != y).tolist()


# --- curves and tables -----------------------------------------------------------------------------------------------


def line(name: str, x: Iterable[Any], y: Iterable[Any], style: str = "line", colour: int = 0) -> dict[str, Any]:
    """Return a line of a curve in one of the class colours; style: line, dots (line and dots), steps or points."""
    pairs = np.array([x if isinstance(x, np.ndarray) else list(x), y if isinstance(y, np.ndarray) else list(y)], float)
    across, up = _six_digits(pairs[:, np.isfinite(pairs).all(axis=0)])
    return {"name": name, "x": across, "y": up, "style": style, "colour": colour}


def dotted(x: Iterable[Any], ys: Iterable[Any], names: Sequence[str] = ("training rows", "held-out rows")) -> list[Any]:
    """Return a line with dots for each of several series; `ys` may have fewer than there are names."""
    return [line(name, x, y, "dots", k) for k, (name, y) in enumerate(zip(names, ys))]


def _six_digits(numbers: np.ndarray) -> list[list[float]]:
    """Round to six significant digits: more are not visible, and would make responses larger."""
    size = np.abs(numbers)
    places = 5 - np.floor(np.log10(size, out=np.zeros_like(size), where=size > 0.0))
    tens = 10.0 ** np.abs(places)  # an integer, so that quotients have few digits
    up, down = np.round(numbers * tens) / tens, np.round(numbers / tens) * tens
    return np.where(places >= 0, up, down).tolist()  # type: ignore[no-any-return]


def curve(title: str, x: str, y: str, lines: list[dict[str, Any]], at: float | None = None, **more: Any) -> Panel:
    """Return a panel of lines; `at` is the position of this step."""
    return {"kind": "curve", "title": title, "xLabel": x, "yLabel": y, "lines": lines, "at": at, **more}


def text_table(
    title: str, columns: list[str], rows: list[list[str]], chosen: int | None = None, bars: bool = False
) -> Panel:
    """Return a panel of rows of text; `chosen` is marked. `bars` also draws the last, numeric column."""
    return {"kind": "table", "title": title, "columns": columns, "rows": rows, "chosen": chosen, "bars": bars}


# --- trees -----------------------------------------------------------------------------------------------------------


class TreePicture:
    """The layout of a tree; `panel` returns the nodes of a step."""

    def __init__(self, model: Any, names: Sequence[str], classes: Sequence[str]) -> None:
        self.tree = model.tree_
        self.words: TreePhrases = words_of(
            choose_tree(model), list(names), list(classes), decimals=2, trim=True, most=3, at_most="≤"
        )
        self.lines = [[self._lines(node, False), self._lines(node, True)] for node in range(self.tree.n_nodes)]
        widths = [2 * _PAD + _CHARACTER * max(len(t) for t in [*a, *b]) for a, b in self.lines]
        heights = [2 * _PAD + _LINE * 3 - 4] * self.tree.n_nodes
        children = [self.words.children(node) for node in range(self.tree.n_nodes)]
        self.widths, self.children = widths, children
        self.layout = arrange(children, widths, heights, 10.0, 34.0)
        shares = self.tree.probabilities[:, 0]
        even = 1.0 / shares.shape[1]
        sure = np.clip((shares.max(axis=1) - even) / (1 - even) * LEVELS, 0, LEVELS - 1).astype(int)
        self.colour = (shares.argmax(axis=1) * LEVELS + sure).tolist()

    def _lines(self, node: int, asks: bool) -> list[str]:
        """Return the text of a box: its split or class, the rows per class, and the impurity."""
        words = self.words
        counts = words.weights(node)[0].tolist()
        told = ", ".join(f"{round(one, 1):g}" for one in counts)
        first = words.question(node) if asks and not self.tree.is_leaf[node] else words.prediction(node)
        return [first, f"[{told}]", f"{words.criterion} {float(self.tree.impurity[node]):.3f}"]

    def panel(self, title: str, asking: set[int], current: int | None = None) -> Panel:
        """Return the panel of the tree in which the nodes of `asking` are split; `current` is marked."""
        there = [0]
        for node in there:
            if node in asking:
                there += self.children[node]
        nodes = [
            {
                "x": round(float(self.layout.x[node]), 1),
                "y": round(float(self.layout.top[node]), 1),
                "w": round(self.widths[node], 1),
                "h": round(float(self.layout.heights[node]), 1),
                "lines": self.lines[node][node in asking],
                "colour": self.colour[node],
                "leaf": node not in asking,
                "current": node == current,
                "parent": there.index(int(self.tree.parent[node])) if node else -1,
                "tag": self._tag(node),
            }
            for node in there
        ]
        deepest = max(one["y"] + one["h"] for one in nodes)
        left, right = min(one["x"] - one["w"] / 2 for one in nodes), max(one["x"] + one["w"] / 2 for one in nodes)
        for one in nodes:
            one["x"] = round(one["x"] - left, 1)
        return {"kind": "tree", "title": title, "width": right - left, "height": deepest, "nodes": nodes}

    def _tag(self, node: int) -> str:
        return "" if node == 0 else self.words.tag(int(self.tree.parent[node]), int(self.tree.branch[node]))


def boxes_of(
    picture: TreePicture, table: LabTable, asking: set[int], current: int | None = None
) -> list[dict[str, Any]]:
    """Return the rectangles of the leaves of a partial tree."""
    found, there = [], [0]
    for node in there:
        if node in asking:
            there += picture.children[node]
            continue
        limits = picture.words.limits[node]
        ends = []
        for column, (low, high) in enumerate(table.ranges):
            own = limits.get(column)
            ends += [low, high] if own is None else [max(low, own.low), min(high, own.high)]
        found.append({"ends": ends, "colour": picture.colour[node], "current": node == current})
    return found
