"""SHAP values as points: one per row, by column, or against the data of one column."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.explain.drawing import (
    DARK,
    GREY,
    at_most,
    axes_for,
    categories_of,
    category_key,
    colours_of,
    is_category,
    is_missing,
    low_to_high,
    name_columns,
    ranks,
    rows_to_draw,
    shorten,
    show,
)
from spinney.explain.explanation import Explanation, read_explanation
from spinney.view.colours import class_colours

_SLOTS = 90  # places along the axis in which points that would hide each other are set side by side
_ACROSS = 0.38  # of the distance between columns: how far points spread
_CHUNK = 40  # rows that are alike in a column, to see what else moves their values


def plot_beeswarm(explanation: Any, *, most: int = 12, ax: Any = None) -> Any:
    """Plot the SHAP values of all rows by column, coloured by the data; the most important column is on top.

    Small numbers are blue and large ones red. Categories have colours of their own, and missing values are grey.

    Parameters
    ----------
    explanation : Explanation of several rows
        If there are several outputs, choose one: `shap(model, X)[..., "yes"]`. A `shap.Explanation` is accepted too.
    most : int, default=12
        Maximum number of columns drawn.
    ax : matplotlib axes, default=None
        Axes to draw on. None: the current axes.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import plot_beeswarm, shap
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> ax = plot_beeswarm(shap(forest, X)[..., "Adelie"])
    """
    whole = rows_to_draw(explanation, "plot_beeswarm")
    if len(whole) == 0:
        raise ValueError("plot_beeswarm needs at least one row, got none.")
    order = np.argsort(-whole.mean_abs, kind="stable")[: at_most("most", most)]
    ax = axes_for("plot_beeswarm", ax, (8.0, 1.4 + 0.48 * len(order)))
    ax.axvline(0.0, color=GREY, linewidth=0.8, zorder=0)
    shown = whole.values[:, order]
    span = float(shown.max() - shown.min()) or 1.0
    size = float(np.clip(4000.0 / len(whole), 3.0, 16.0))
    has_numbers = has_missing = False
    for k, j in enumerate(order):
        values = whole.values[:, j]
        data = None if whole.data is None else whole.data[:, j]
        colours = GREY if data is None else colours_of(data)
        ax.scatter(values, k + _spread(values, span), s=size, c=colours, linewidths=0, rasterized=len(whole) > 2000)
        if data is not None:
            has_numbers |= not is_category(data)
            has_missing |= bool(is_missing(data).any())
    name_columns(ax, [whole.feature_names[j] for j in order])
    if whole.data is not None:
        _name_categories(ax, [whole.data[:, j] for j in order])
    ax.set_xlabel(f"SHAP value ({whole.says})").set_parse_math(False)
    _key(ax, has_numbers, has_missing)
    return ax


def _spread(values: np.ndarray, span: float) -> np.ndarray:
    """How far each point is moved across so that it can be seen: points of one slot from the middle outwards."""
    slot = np.floor((values - values.min(initial=0.0)) / span * _SLOTS).astype(np.int64)
    order = np.argsort(slot, kind="stable")
    first = np.concatenate([[True], slot[order][1:] != slot[order][:-1]])
    start = np.flatnonzero(first)
    number = np.arange(len(values)) - np.repeat(start, np.diff(np.append(start, len(values))))
    shift = np.empty(len(values))
    shift[order] = (number + 1) // 2 * np.where(number % 2, 1.0, -1.0)
    most = np.abs(shift).max(initial=0.0)
    return shift / max(most, 8.0) * _ACROSS


def _name_categories(ax: Any, columns: list[np.ndarray]) -> None:
    """The categories of a column in their colours, under its name."""
    from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea

    for k, data in enumerate(columns):
        if not is_category(data):
            continue
        look = {"fontsize": "x-small", "weight": "bold", "parse_math": False}
        listed: list[Any] = [TextArea(name, textprops={"color": one, **look}) for name, one in category_key(data)[0]]
        place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "box_alignment": (1.0, 1.0), "pad": 0.0}
        place |= {"xybox": (-6, 0), "boxcoords": "offset points", "annotation_clip": False, "frameon": False}
        ax.add_artist(AnnotationBbox(HPacker(children=listed, pad=0, sep=4), (0.0, k + 0.17), **place))


def _key(ax: Any, has_numbers: bool, has_missing: bool) -> None:
    """What the colours mean."""
    if has_numbers:
        from matplotlib.cm import ScalarMappable

        bar = ax.figure.colorbar(ScalarMappable(cmap=low_to_high()), ax=ax, aspect=30, pad=0.02, ticks=[0, 1])
        bar.ax.set_yticklabels(["low", "high"])
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=0)
        bar.set_label("value of the column", labelpad=-14)
    if has_missing:
        ax.scatter([], [], s=16, c=GREY, label="missing")
        ax.legend(loc="lower right", frameon=False, fontsize="small", handletextpad=0.1)


def plot_shap_dependence(
    explanation: Any, column: str | int, *, colour: str | int | None = "auto", ax: Any = None
) -> Any:
    """Plot the SHAP values of one column against its data, coloured by the column that it interacts with most.

    Parameters
    ----------
    explanation : Explanation of several rows
        If there are several outputs, choose one. With interactions (`shap(model, X, interactions=True)`) the strongest
        interaction is known. Without them, the colour is the column that best explains the differences among rows with
        similar values.
    column : str or int
        Column to plot.
    colour : str, int or None, default="auto"
        Column that colours the points. None uses one colour, and "auto" the column with the strongest interaction.
    ax : matplotlib axes, default=None
        Axes to draw on. None: the current axes.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import plot_shap_dependence, shap
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> found = shap(forest, X, interactions=True)[..., "Adelie"]
    >>> ax = plot_shap_dependence(found, "bill_length_mm")
    """
    given = read_explanation(explanation)
    whole = rows_to_draw(given, "plot_shap_dependence")
    if whole.data is None:
        raise ValueError("plot_shap_dependence needs the data of the rows. Pass an explanation with data.")
    j = _column_of(whole, "column", column)
    other = None
    if isinstance(colour, str) and colour == "auto":
        other = strongest_partner(given, j)
    elif colour is not None:
        other = _column_of(whole, "colour", colour)
    ax = axes_for("plot_shap_dependence", ax, (7.0, 4.4))
    x = _places(ax, whole.data[:, j])
    colours = class_colours(1)[0] if other is None else colours_of(whole.data[:, other])
    ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=0)
    size = float(np.clip(8000.0 / max(len(whole), 1), 4.0, 22.0))
    ax.scatter(x, whole.values[:, j], s=size, c=colours, linewidths=0, rasterized=len(whole) > 2000)
    ax.set_xlabel(whole.feature_names[j]).set_parse_math(False)
    ax.set_ylabel(f"SHAP value ({whole.says})").set_parse_math(False)
    ax.spines[["top", "right"]].set_visible(False)
    if other is not None:
        _name_colours(ax, whole.feature_names[other], whole.data[:, other])
    return ax


def _column_of(whole: Explanation, parameter: str, column: Any) -> int:
    if isinstance(column, str) and column in whole.feature_names:
        return whole.feature_names.index(column)
    if isinstance(column, int | np.integer) and 0 <= column < len(whole.feature_names):
        return int(column)
    raise ValueError(f"{parameter} must be one of the columns {whole.feature_names!r:.200}, got {column!r}.")


def strongest_partner(found: Explanation, column: int) -> int | None:
    """Return the column that interacts most with this one; None if there is no other."""
    if len(found.feature_names) < 2:
        return None
    if found.interactions:
        sizes = found.mean_abs[column].copy()
        sizes[column] = -1.0
        return int(sizes.argmax())
    x = _numbers(found.data[:, column])
    order = np.argsort(np.nan_to_num(x, nan=np.inf), kind="stable")
    best, most = None, -1.0
    for other in range(len(found.feature_names)):
        if other != column:
            told = _explained(found.values[order, column], _numbers(found.data[order, other]))
            if told > most:
                best, most = other, told
    return best


def _explained(values: np.ndarray, other: np.ndarray) -> float:
    """How much another column moves the values of rows that stand together."""
    total = 0.0
    for start in range(0, len(values), _CHUNK):
        some, partner = values[start : start + _CHUNK], other[start : start + _CHUNK]
        known = ~np.isnan(partner)
        if known.sum() > 2 and np.ptp(partner[known]) > 0:
            a, b = some[known] - some[known].mean(), partner[known] - partner[known].mean()
            total += abs(float(a @ b)) / float(np.sqrt(b @ b))
    return total


def _numbers(values: np.ndarray) -> np.ndarray:
    if not is_category(values):
        return values.astype(np.float64)
    place = categories_of(values)[1].astype(np.float64)
    return np.where(place < 0, np.nan, place)


def _places(ax: Any, values: np.ndarray) -> np.ndarray:
    """Where rows stand along the x axis; categories side by side, missing values to the left of all."""
    missing = is_missing(values)
    if is_category(values):
        kinds, place = categories_of(values)
        jitter = ((np.arange(len(place)) * 0.618034) % 1.0 - 0.5) * 0.5
        names = [shorten(show(one)) for one in kinds]
        ticks = list(range(len(kinds)))
        if missing.any():
            ticks, names = [*ticks, -1], [*names, "missing"]
        many = sum(map(len, names)) > 60
        ax.set_xticks(ticks, names, rotation=30 if many else 0, ha="right" if many else "center")
        for text in ax.get_xticklabels():
            text.set_parse_math(False)
        ax.set_xlim(min(ticks) - 0.6, max(ticks) + 0.6)
        return place + jitter
    x = values.astype(np.float64)
    if missing.any():
        known = x[~missing]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        room = (high - low or 1.0) * 0.08
        x = np.where(missing, low - room, x)
        ax.axvspan(low - 1.5 * room, low - 0.5 * room, color="#f0f0f0", zorder=0)
        look = {"ha": "center", "va": "top", "color": DARK, "rotation": 90, "fontsize": "x-small"}
        ax.annotate("missing", (low - room, 0.99), xycoords=("data", "axes fraction"), **look)
        ax.set_xlim(low - 1.5 * room, high + 0.5 * room)
    return x


def _name_colours(ax: Any, name: str, data: np.ndarray) -> None:
    """A colour bar, or a list of the categories' colours."""
    missing = is_missing(data)
    if is_category(data):
        for one, colour in category_key(data)[0]:
            ax.scatter([], [], s=20, c=colour, label=one)
        if missing.any():
            ax.scatter([], [], s=20, c=GREY, label="missing")
        _beside(ax, shorten(name))
        return
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    numbers = data.astype(np.float64)
    size = ranks(data)
    low, high = numbers[size == 0.0], numbers[size == 1.0]
    ends = (float(low.max()), float(high.min())) if len(low) and len(high) else (0.0, 1.0)
    bar = ax.figure.colorbar(ScalarMappable(Normalize(*ends), low_to_high()), ax=ax, aspect=30, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(shorten(name))
    bar.ax.yaxis.label.set_parse_math(False)
    if missing.any():
        ax.scatter([], [], s=20, c=GREY, label=f"{shorten(name)} missing")
        ax.legend(loc="best", frameon=False, fontsize="small", handletextpad=0.1)


def _beside(ax: Any, title: str) -> None:
    """The legend beside the axes, where it hides no point."""
    legend = ax.legend(
        title=title, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize="small", handletextpad=0.1
    )
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)
