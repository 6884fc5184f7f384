"""What all plots share: colours, panels in one figure, and which iterations and columns are drawn.

Colours are strong where a tree is sure and pale where it is not. All fills are light enough for black text. The first
eight class colours can be told apart by readers who see few colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from colorsys import hls_to_rgb
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney._distribution import install_command
from spinney._docstrings import Parameter, completed
from spinney.data.tables import as_matrix
from spinney.tree.decision import DecisionTree

# --- colours ----------------------------------------------------------------------------------------------------------


_CLASSES = ("#4fa6df", "#f0a030", "#3fb58a", "#d98bbd", "#e8dc4a", "#e8804f", "#9a94e0", "#a9a9a9")
_NUMBERS = "#e8804f"  # the scale of regression trees runs from white to this
_EMPTY = "#f4f4f4"  # a branch without training rows
_TURN = 0.618034  # of the colour circle, from one class to the next, when there are many


def class_colours(n_classes: int) -> list[str]:
    """One strong colour a class."""
    if n_classes <= len(_CLASSES):
        return list(_CLASSES[:n_classes])
    wheel = [hls_to_rgb((0.57 + i * _TURN) % 1.0, 0.72 + 0.06 * (i % 3 - 1), 0.7) for i in range(n_classes)]
    return [_text(np.array(rgb)) for rgb in wheel]


def mix(colour: str, strength: float) -> str:
    """The colour on white: strength 0 is white, 1 the colour itself.

    >>> mix("#4fa6df", 0.5)
    '#a7d2ef'
    """
    return _text(1 + np.clip(strength, 0.0, 1.0) * (_rgb(colour) - 1))


def node_colours(tree: DecisionTree) -> list[str]:
    """The fill of every node: by its class and how pure it is, or by its number."""
    if tree.n_outputs > 1:
        return _by_impurity(tree)
    return _by_number(tree) if not tree.is_class else _by_class(tree)


def _by_class(tree: DecisionTree) -> list[str]:
    """The most common class's colour; paler the closer the node is to equal shares."""
    shares = tree.probabilities[:, 0]
    n_classes = shares.shape[1]
    even = 1 / n_classes
    strength = (shares.max(axis=1) - even) / (1 - even) if n_classes > 1 else np.ones(len(shares))
    colours, winner = class_colours(n_classes), shares.argmax(axis=1)
    return [
        mix(colours[winner[node]], strength[node]) if tree.n_samples[node] > 0 else _EMPTY
        for node in range(tree.n_nodes)
    ]


def _by_number(tree: DecisionTree) -> list[str]:
    values = tree.answers[:, 0, 0]
    low, high = float(values.min()), float(values.max())
    span = high - low
    return [mix(_NUMBERS, (value - low) / span if span > 0 else 0.5) for value in values.tolist()]


def _by_impurity(tree: DecisionTree) -> list[str]:
    """Several outputs have no one class: pure nodes are strong."""
    worst = float(tree.impurity.max())
    return [mix(_NUMBERS, 1 - impurity / worst if worst > 0 else 1.0) for impurity in tree.impurity.tolist()]


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def _text(rgb: np.ndarray) -> str:
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in rgb)


# --- panels -----------------------------------------------------------------------------------------------------------


def import_pyplot(function: str) -> Any:
    """Import matplotlib.pyplot, which only plotting functions load."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"{function} needs matplotlib: {install_command('plot')}") from error
    return plt


_DRAWING = {
    "ax": Parameter("matplotlib axes", "Axes to draw on. None: the current axes."),
    "decimals": Parameter("int", "Number of decimals shown."),
}
drawing = completed(_DRAWING, returns="matplotlib axes\n    The axes drawn on.")


def axes_for(function: str, ax: Any, size: tuple[float, float] | None = None) -> Any:
    """The axes that a plotting function draws on: those given, the current ones, or new ones of a size in inches."""
    plt = import_pyplot(function)
    if ax is None and not plt.get_fignums():
        return plt.figure(figsize=size, layout="constrained").add_subplot()  # long names are not cut off
    return plt.gca() if ax is None else ax


def name_rows(ax: Any, names: Sequence[str]) -> None:
    """Labels of the y axis for rows of bars or points, the first on top."""
    ax.set_yticks(np.arange(len(names)), names)
    plainly(ax.get_yticklabels())
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def name_places(ax: Any, places: Any, names: Sequence[str]) -> None:
    """Labels of the x axis for categories: turned if they do not fit side by side; of very many, every k-th."""
    inches = ax.get_window_extent().width / ax.figure.dpi
    every = -(-len(names) // max(2, int(inches * _TURNED)))
    kept = list(names[::every])
    fits = max(map(len, kept), default=0) + 1 <= inches * _LETTERS / max(1, len(kept))
    turned = {} if fits else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(list(places[::every]), kept, **turned)
    plainly(ax.get_xticklabels())


def plainly(texts: Iterable[Any]) -> None:
    """Text from the data is no formula, whatever dollar signs it has."""
    for text in texts:
        text.set_parse_math(False)


_PANEL = 3.0  # inches
_LETTERS, _TURNED = 12, 6  # per inch: letters of a label, and labels that are turned
_ACROSS = 3  # panels in a row
_DEFAULT = (0, 1, 2, 4, 8, 16, 32, 64, 128)
_MOST = 6  # panels, unless more are asked for


def history_of(model: Any, name: str) -> list[Any]:
    """The history of a model fitted with `keep_history=True`."""
    if not hasattr(type(model), "history_"):
        raise TypeError(f"model must be a fitted {name}, got {type(model).__name__}.")
    check_is_fitted(model)
    if model.history_ is None:
        raise ValueError("model must be fitted with keep_history=True, since the plot shows the iterations.")
    steps: list[Any] = model.history_
    return steps


def read_values(model: Any, X: Any) -> np.ndarray:
    """The table of a fit as numbers."""
    table = model.schema_.read(X, type(model).__name__)
    return as_matrix(table.panels, table.n_rows, table.n_columns).astype(np.float64)


def chosen_steps(steps: Sequence[int] | None, last: int) -> list[int]:
    """Iterations to draw: those requested, or a few with growing distances, including the last."""
    if steps is None:
        some = [*(step for step in _DEFAULT if step < last), last]
        if len(some) == _MOST - 1:  # one more, so that no panel stays empty
            some = sorted({*some, min(set(range(last)) - set(some))})
        return [some[round(i)] for i in np.linspace(0, len(some) - 1, min(_MOST, len(some)))]
    whole = [isinstance(one, int | np.integer) and not isinstance(one, bool) and 0 <= one <= last for one in steps]
    if not len(whole) or not all(whole):
        raise ValueError(f"steps must be integers from 0 (the start) to {last} (the end), got {steps!r}.")
    return [int(one) for one in steps]


def chosen_rounds(rounds: Sequence[int], n_rounds: int) -> list[int]:
    """The requested rounds that the model has."""
    wanted = list(rounds)
    whole = [isinstance(one, int | np.integer) and not isinstance(one, bool) and one >= 1 for one in wanted]
    if not all(whole) or not wanted or min(wanted) > n_rounds:
        raise ValueError(f"rounds must be integers from 1 to {n_rounds}, got {rounds!r}.")
    return [int(one) for one in wanted if one <= n_rounds]


def chosen_columns(model: Any, features: Sequence[int | str]) -> tuple[list[int], list[str]]:
    """The numbers and names of the columns to draw."""
    own = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = read_features(features, own, int(model.n_features_in_))
    return columns, [own[column] if own else f"x[{column}]" for column in columns]


def read_features(features: Sequence[int | str], own: Sequence[str], n_columns: int, n_axes: int = 2) -> list[int]:
    """The numbers of the columns that are the axes of a picture; `own`: the names of all columns, if they have any."""
    places = [own.index(one) if isinstance(one, str) and one in own else one for one in features]
    valid = [isinstance(p, int | np.integer) and not isinstance(p, bool) and 0 <= p < n_columns for p in places]
    if isinstance(features, str) or not all(valid) or not len(places) == len(set(places)) == n_axes:
        known = f"numbers from 0 to {n_columns - 1}" + (" or names" if own else "")
        if n_axes == 1:
            raise ValueError(f"feature must be a column of X, {known}, got {features[0]!r}.")
        raise ValueError(f"features must be two different columns of X, {known}, got {features!r}.")
    return [int(place) for place in places]


def panels(plt: Any, n: int, size: float = _PANEL) -> tuple[Any, list[Any]]:
    """A figure with n axes that share their scales; `size`: height of each in inches."""
    across = min(n, _ACROSS) if n != 4 else 2
    down = -(-n // across)
    figure, axes = plt.subplots(
        down, across, figsize=(size * across * 1.1, size * down), squeeze=False, sharex=True, sharey=True
    )
    for ax in axes.flat[n:]:
        ax.set_visible(False)
    return figure, list(axes.flat[:n])


def label_axes(axes: Sequence[Any], names: Sequence[str]) -> None:
    """Names of the columns, at the edge only: on the left, and where no panel is below."""
    across = axes[0].get_gridspec().ncols
    for number, ax in enumerate(axes):
        ax.yaxis.set_label_text(names[1], parse_math=False)
        ax.label_outer()
        if number + across >= len(axes):
            ax.xaxis.set_label_text(names[0], parse_math=False)
            ax.xaxis.set_tick_params(labelbottom=True)
