"""A plot of a tree, with matplotlib, and where its boxes go.

`arrange` takes the children of every box, and the boxes' widths and heights, and returns the place of every box, in the
same units. It knows nothing of what is in the boxes. A tidy tree, after Reingold and Tilford: boxes of one level share
their top edge, a parent stands over the middle of its children, equal subtrees look equal, and neighbouring subtrees
are as close as their outlines allow:

    outline of a subtree, level by level      two subtrees pushed together
            [ a ]                                   [ a ]   [ x ]
         [ b ] [  c  ]                           [ b ] [  c  ] [y]
            [ d ]                                   [ d ]
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from spinney._docstrings import completed
from spinney.view.figures import import_pyplot, node_colours
from spinney.view.graphviz import MORE, export_graphviz
from spinney.view.phrases import Box, TreePhrases, check_count, check_depth, choose_tree, words_of


@dataclass(frozen=True)
class Layout:
    """Where boxes go: from the left and from the top. And how large they and the whole are."""

    x: np.ndarray  # of the boxes' centres
    top: np.ndarray  # of their top edges
    heights: np.ndarray
    width: float
    height: float


@dataclass
class _Outline:
    """How far a subtree reaches to the left and right of its root, on each of its levels."""

    left: list[float]
    right: list[float]


def arrange(
    children: Sequence[Sequence[int]], widths: Sequence[float], heights: Sequence[float], gap: float, rise: float
) -> Layout:
    """Place the boxes; `children` come after their parents. `gap` lies between boxes, `rise` between levels."""
    depth = _depths(children)
    x = _across(children, widths, gap)
    levels = np.zeros(max(depth) + 1)
    np.maximum.at(levels, depth, heights)
    tops = np.concatenate([[0.0], np.cumsum(levels + rise)])
    tall, half = np.asarray(heights), np.asarray(widths) / 2
    left, right = float((x - half).min()), float((x + half).max())
    return Layout(x - left, tops[depth], tall, right - left, float(tops[-1] - rise))


def _depths(children: Sequence[Sequence[int]]) -> list[int]:
    depth = [0] * len(children)
    for box, below in enumerate(children):
        for child in below:
            depth[child] = depth[box] + 1
    return depth


def _across(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> np.ndarray:
    """The centres from left to right: subtrees are joined from the leaves up, then placed from the root down."""
    offset = np.zeros(len(children))  # of each box from its parent
    outlines: dict[int, _Outline] = {}
    for box in range(len(children) - 1, -1, -1):
        below = list(children[box])
        parts = [outlines.pop(child) for child in below]
        places = _spread(parts, gap)
        offset[below] = places
        half = widths[box] / 2
        joined = _join(parts, places)
        outlines[box] = _Outline([-half, *joined.left], [half, *joined.right])
    x = np.zeros(len(children))
    for box in range(len(children)):
        for child in children[box]:
            x[child] = x[box] + offset[child]
    return x


def _spread(parts: list[_Outline], gap: float) -> list[float]:
    """Places of subtrees side by side, the middle between the first and the last being 0.

    Packed from the left, small subtrees stick to their left neighbour, packed from the right to the other one: the
    mean of the two keeps all distances and stands in between.
    """
    from_left = np.array(_pack(parts, gap))
    if not len(from_left):
        return []
    mirrored = [_Outline([-x for x in one.right], [-x for x in one.left]) for one in reversed(parts)]
    from_right = from_left[-1] - np.array(_pack(mirrored, gap))[::-1]
    places = (from_left + from_right) / 2
    return (places - (places[0] + places[-1]) / 2).tolist()


def _pack(parts: list[_Outline], gap: float) -> list[float]:
    """Places of subtrees from left to right, each as close to those before it as their outlines allow."""
    places: list[float] = []
    reach: list[float] = []  # how far right the subtrees placed so far reach, on each level
    for part in parts:
        place = max((right + gap - left for right, left in zip(reach, part.left)), default=0.0)
        places.append(place)
        here = [place + right for right in part.right]
        reach = here + reach[len(here) :]  # what comes later lies right of what came before
    return places


def _join(parts: list[_Outline], places: list[float]) -> _Outline:
    """The outline of subtrees side by side."""
    left: list[float] = []
    right: list[float] = []
    for part, place in zip(parts, places):
        left += [place + reach for reach in part.left[len(left) :]]
        here = [place + reach for reach in part.right]
        right = here + right[len(here) :]
    return _Outline(left, right)


# --- plots ------------------------------------------------------------------------------------------------------------


_FONT = 10.0  # size at which boxes are measured, in points; lengths below are in points at this size
_LARGEST, _SMALLEST, _LEAST = 14.0, 3.0, 0.1  # sizes: no larger; no smaller without a warning; no smaller
_TRIES = 8  # to find the size
_HOPELESS = 0.05  # a tree twenty times too large is not worth measuring again
_WORTH = 1.1  # so much larger must text become for lines to be wrapped or leaves staggered
_PAD = 0.35  # around the text of a box, in font sizes
_GAP, _RISE = 9.0, 30.0  # between boxes; between levels
_TAG_RISE = 44.0  # between levels if branches have names
_TUCKED = 0.97  # of half a box: where branches end, behind it
_TAG_AT = 0.66  # a tag's place on its branch
_TAG_SIZE = 0.9  # of the font
_STRETCH = (1.9, 3.0)  # how much wider and higher than needed a tree may be drawn
_MARGIN = 0.97  # of the axes that is used
_SLIDE = (960.0, 540.0)  # 13.3 by 7.5 inches: lines are wrapped in trees that need more
_SMALLEST_FIGURE, _LARGEST_FIGURE = (2.5, 1.5), (40.0, 25.0)  # inches
_NARROW = 12  # letters: shorter lines are not wrapped
_SHORT_WORD = 8  # letters: "class" and its like are not parted from what follows
_SHORT_VALUE = 26  # letters: shorter lists of class weights are not broken
_TAG_LETTERS = 22  # longer names of categories are cut


@dataclass(frozen=True)
class _Piece:
    """One box of the picture."""

    lines: tuple[str, ...]
    fill: str
    children: tuple[int, ...]  # numbers of pieces
    tag: str | None = None  # what is written on the branch that leads here
    is_knee: bool = False  # no box: a point where the branch to a lowered leaf turns down

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@completed(export_graphviz)
def plot_tree(
    model: Any,
    *,
    tree: Any = None,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    label: str = "all",
    filled: bool = True,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rounded: bool = True,
    precision: int = 3,
    ax: Any = None,
    fontsize: float | None = None,
) -> list[Any]:
    """Plot a tree.

    Parameters
    ----------
    filled : bool, default=True
        Colour the boxes: by class, the stronger the purer; or by the predicted number, the stronger the larger.
    rounded : bool, default=True
        Round the corners of the boxes.
    ax : matplotlib axes, default=None
        Axes to draw on; they are cleared. None: the current axes, or a new figure as large as the tree needs.
    fontsize : float, default=None
        Font size. None: the largest size without overlapping boxes.

    Returns
    -------
    list of matplotlib annotations
        One per box, in the order of the nodes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import DecisionTreeClassifier, plot_tree
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> boxes = plot_tree(model, class_names=["setosa", "versicolor", "virginica"])
    """
    decimals, deepest = check_count("precision", precision), check_depth(max_depth)
    chosen = choose_tree(model, tree)
    words = words_of(
        chosen, feature_names, class_names, generic="x[{}]", decimals=decimals, trim=True, at_most="≤", most=2
    )
    box = Box(label, impurity, node_ids, proportion, class_names is not False)
    pieces = _pieces(words, box, deepest, filled)
    plt = import_pyplot("plot_tree")
    is_new = ax is None and not plt.get_fignums()
    ax = _clear(plt, ax)
    room = _SLIDE if is_new else _room(ax)
    layout, pieces = _best(ax, pieces, room)
    if is_new:
        _fit_figure(ax, layout)
    if fontsize is None:
        layout, fontsize = _shrink(ax, pieces, layout)
    return _draw(ax, pieces, layout, fontsize, rounded)


def _clear(plt: Any, ax: Any) -> Any:
    """The axes to draw on, empty; an empty figure is used from edge to edge."""
    if ax is None:
        ax = plt.gca() if plt.gcf().axes else plt.gcf().add_axes((0.0, 0.0, 1.0, 1.0))
    ax.clear()
    ax.set_axis_off()
    return ax


# --- what is drawn -------------------------------------------------------------------------------------------------


def _pieces(words: TreePhrases, box: Box, deepest: float, filled: bool) -> list[_Piece]:
    """The nodes down to `deepest`, parents first, each cut branch ending in one piece "..."."""
    tree = words.tree
    shown = [node for node in words.nodes if tree.depth[node] <= deepest]
    number = {node: index for index, node in enumerate(shown)}
    fills = node_colours(tree) if filled else ["#ffffff"] * tree.n_nodes
    pieces: list[_Piece] = []
    cut: list[_Piece] = []
    for node in shown:
        below = words.children(node)
        children = [number[child] for child in below if child in number]
        if below and not children:
            children = [len(shown) + len(cut)]
            cut.append(_Piece((MORE,), "#ffffff", ()))
        pieces.append(_Piece(tuple(words.box(node, box)), fills[node], tuple(children), _tag(words, node)))
    return pieces + cut


def _tag(words: TreePhrases, node: int) -> str | None:
    parent = int(words.tree.parent[node])
    if parent < 0 or not words.needs_tag(parent):
        return None
    tag = words.tag(parent, int(words.tree.branch[node]))
    return tag if len(tag) <= _TAG_LETTERS else tag[: _TAG_LETTERS - 1] + "…"


def _narrow(piece: _Piece) -> _Piece:
    """The piece with its longest line, if it stands out, on several."""
    *others, longest = sorted(piece.lines, key=len)
    width = max(_NARROW, *map(len, others)) if others else _NARROW
    lines = [part for line in piece.lines for part in (_wrap(line, width) if line is longest else [line])]
    return replace(piece, lines=tuple(lines))


def _wrap(line: str, width: int) -> list[str]:
    """The line on several of at most `width` letters, if it can be broken in good places."""
    glued = line.replace("= ", "=\xa0").replace("≤ ", "≤\xa0").replace(": ", ":\xa0")
    if line.find(" = ") <= _SHORT_WORD:
        glued = glued.replace(" =", "\xa0=")
    if len(line) <= _SHORT_VALUE and "[" in line:
        glued = glued.replace(", ", ",\xa0")
    lines = textwrap.wrap(glued, width, break_long_words=False, break_on_hyphens=False)
    return [part.replace("\xa0", " ") for part in lines]


def _stagger(pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces with every second of neighbouring leaves lowered by a level, so that they need half the width.

    before:   [ leaf ] [ leaf ]        after:   [ leaf ] |          | is a knee
                                                     [ leaf ]
    """
    lowered = {child for piece in pieces for child in _every_second_leaf(piece, pieces)}
    place, n_knees = [], 0  # place of each piece, with the knees among them
    for index in range(len(pieces)):
        n_knees += index in lowered
        place.append(index + n_knees)
    staggered = []
    for index, piece in enumerate(pieces):
        if index in lowered:
            staggered.append(_Piece((), "", (place[index],), piece.tag, is_knee=True))
        children = tuple(place[child] - (child in lowered) for child in piece.children)
        staggered.append(replace(piece, children=children, tag=None if index in lowered else piece.tag))
    return staggered


def _every_second_leaf(piece: _Piece, pieces: Sequence[_Piece]) -> list[int]:
    """Of the children that are leaves, or cut off, and stand side by side: the second, the fourth, ..."""
    runs = groupby(piece.children, key=lambda child: all(pieces[low].text == MORE for low in pieces[child].children))
    return [child for is_last, run in runs if is_last for child in list(run)[1::2]]


# --- where -----------------------------------------------------------------------------------------------------------


def _best(ax: Any, pieces: list[_Piece], room: tuple[float, float]) -> tuple[Layout, list[_Piece]]:
    """The layout as it is; where it has too little room, with long lines wrapped or leaves staggered if that helps."""
    best, chosen = _lay_out(ax, pieces, _FONT), pieces
    if _fit(best, room) >= 1 or _fit(best, room) < _HOPELESS:
        return best, chosen
    narrow = [_narrow(piece) for piece in pieces]
    for other in (narrow, _stagger(pieces), _stagger(narrow)):
        layout = _lay_out(ax, other, _FONT)
        if _fit(layout, room) > _fit(best, room) * _WORTH:
            best, chosen = layout, other
    return best, chosen


def _lay_out(ax: Any, pieces: Sequence[_Piece], font: float) -> Layout:
    """Measure the pieces at a font size and place them, in points at the measuring size."""
    texts = {piece.text for piece in pieces} | {piece.tag for piece in pieces if piece.tag}
    sizes = {text: _measure(ax, text, font) for text in texts}
    pads = [0.0 if p.is_knee else 2 * _PAD * _FONT for p in pieces]
    widths = [sizes[p.text][0] + pad for p, pad in zip(pieces, pads)]
    heights = [sizes[p.text][1] + pad for p, pad in zip(pieces, pads)]
    for index, piece in enumerate(pieces):
        if piece.tag:  # tags stand where branches have not yet spread to their full distance
            widths[index] = max(widths[index], sizes[piece.tag][0] * _TAG_SIZE / _TAG_AT)
    rise = _TAG_RISE if any(len(p.children) > 2 for p in pieces) else _RISE
    return arrange([p.children for p in pieces], widths, heights, _GAP, rise)


def _measure(ax: Any, text: str, font: float) -> tuple[float, float]:
    """Width and height of text at a font size, in points at the measuring size: small text is a little wider."""
    if not text:
        return 0.0, 0.0
    probe = ax.text(0.5, 0.5, text, fontsize=font, parse_math=False)
    extent = probe.get_window_extent()
    probe.remove()
    points = 72 / ax.figure.dpi * _FONT / font
    return extent.width * points, extent.height * points


def _room(ax: Any) -> tuple[float, float]:
    """Width and height of the axes, in points."""
    extent = ax.get_window_extent()
    points = 72 / ax.figure.dpi
    return extent.width * points * _MARGIN, extent.height * points * _MARGIN


def _shrink(ax: Any, pieces: Sequence[_Piece], layout: Layout) -> tuple[Layout, float]:
    """The font size that fits, and the layout measured at it: letters are whole pixels wide."""
    room = _room(ax)
    size = min(_fit(layout, room) * _FONT, _LARGEST)
    for _ in range(_TRIES):
        layout = _lay_out(ax, pieces, max(size, _LEAST))
        fits = _fit(layout, room) * _FONT
        if fits >= size:
            break
        size = fits
    if size < _SMALLEST:
        _warn(size)
    return layout, max(size, _LEAST)


def _warn(size: float) -> None:
    warnings.warn(
        f"plot_tree: the tree fits only with text of {size:.2g} points, too small to read. "
        "Set max_depth, or draw on a larger figure.",
        UserWarning,
        stacklevel=4,
    )


def _fit(layout: Layout, room: tuple[float, float]) -> float:
    """The factor that makes the layout as large as the room."""
    return min(room[0] / layout.width, room[1] / layout.height)


def _fit_figure(ax: Any, layout: Layout) -> None:
    """Give a figure of our own the size of the tree."""
    need = [max(length / 72, least) / _MARGIN for length, least in zip((layout.width, layout.height), _SMALLEST_FIGURE)]
    shrink = min(1.0, *(most / length for most, length in zip(_LARGEST_FIGURE, need)))
    ax.figure.set_size_inches(*(shrink * length for length in need))


# --- how -------------------------------------------------------------------------------------------------------------


def _draw(ax: Any, pieces: Sequence[_Piece], layout: Layout, size: float, rounded: bool) -> list[Any]:
    room, zoom = _room(ax), size / _FONT
    # points of the layout -> shares of the axes; small trees do not spread over all of it
    across = min(room[0] / layout.width, zoom * _STRETCH[0]) / room[0] * _MARGIN
    down = min(room[1] / layout.height, zoom * _STRETCH[1]) / room[1] * _MARGIN
    half = layout.heights / 2 * zoom / room[1] * _MARGIN
    x = 0.5 + (layout.x - layout.width / 2) * across
    y = -layout.top * down - half
    y += 0.5 - ((y + half).max() + (y - half).min()) / 2
    ends = half * _TUCKED
    for index, piece in enumerate(pieces):
        for child in piece.children:
            _branch(ax, (x[index], y[index] - ends[index]), (x[child], y[child] + ends[child]), pieces[child].tag, size)
    return [_box(ax, piece, (x[i], y[i]), size, rounded) for i, piece in enumerate(pieces) if not piece.is_knee]


def _box(ax: Any, piece: _Piece, place: tuple[float, float], size: float, rounded: bool) -> Any:
    style = {
        "boxstyle": f"{'round' if rounded else 'square'},pad={_PAD}",
        "facecolor": piece.fill,
        "edgecolor": "none" if piece.text == MORE else "#404040",
        "linewidth": 0.08 * size,
    }
    text = {"ha": "center", "va": "center", "fontsize": size, "color": "black", "parse_math": False, "zorder": 3}
    return ax.annotate(piece.text, place, xycoords="axes fraction", bbox=style, **text)


def _branch(ax: Any, start: Any, end: Any, tag: str | None, size: float) -> None:
    """A line from a box to the next, and what is written on it."""
    xs, ys = zip(start, end)
    ax.plot(xs, ys, color="#707070", linewidth=0.09 * size, transform=ax.transAxes, zorder=1)
    if tag:
        middle = [a + (b - a) * _TAG_AT for a, b in (xs, ys)]
        back = {"boxstyle": "square,pad=0.12", "facecolor": "white", "edgecolor": "none"}
        style = {"fontsize": size * _TAG_SIZE, "color": "#303030", "ha": "center", "va": "center", "zorder": 2}
        ax.text(*middle, tag, transform=ax.transAxes, bbox=back, parse_math=False, **style)
