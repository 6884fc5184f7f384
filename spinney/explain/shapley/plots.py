"""Plots of SHAP values: a waterfall of one row, bars by column, interactions, and rows as points.

In: an `Explanation` or a `shap.Explanation`. Out: a picture on matplotlib's axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.explain.shapley.explanation import Explanation, read_explanation
from spinney.view.figures import axes_for, class_colours, drawing, mix, name_places, name_rows, plainly
from spinney.view.numbers import write_amount, write_value
from spinney.view.phrases import check_count

UP, DOWN, GREY = "#d8543c", "#3b83bd", "#b4b4b4"
LOW_TO_HIGH = (DOWN, "#8a6fae", UP)  # small and large values; the report's page has them, too
DARK, OTHERS = "#404040", "#6f6a64"
_LONGEST = 28  # letters of a name or a value
_MOST_NAMES = 8  # categories with colours of their own


def rows_to_draw(found: Any, what: str) -> Explanation:
    """Values (rows, columns) of one output; of interactions their sums."""
    whole = one_output(found, what)
    if whole.interactions:
        whole = without_pairs(whole)
    if whole.values.ndim != 2:
        raise ValueError(f"{what} draws many rows, got one. Pass the explanation of all rows.")
    return whole


def one_output(found: Any, what: str) -> Explanation:
    """An explanation of one output, or an error with the remedy."""
    whole = read_explanation(found)
    if whole.output_names is not None:
        raise ValueError(
            f"{what} draws one output, got {len(whole.output_names)}. Choose one, as in "
            f"explanation[..., {whole.output_names[0]!r}]."
        )
    return whole


def without_pairs(whole: Explanation) -> Explanation:
    """SHAP values from interactions: sums over the partners of a pair."""
    axis = 1 if whole.values.ndim == 2 else 2
    values, is_row = whole.values.sum(axis=axis), whole.values.ndim == 2
    data = whole.data if whole.data is None or not is_row else whole.data[None]
    part = Explanation(
        values[None] if is_row else values, whole.base_values, data, whole.feature_names, says=whole.says
    )
    return part[0] if is_row else part


def shorten(text: Any) -> str:
    """A name or value that is not too long to be a label."""
    words = str(text)
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def show(value: Any) -> str:
    """A value of a row as text."""
    if value is None or (isinstance(value, float | np.floating) and value != value):
        return "missing"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | float | np.number):
        return write_amount(float(value), 3)
    return shorten(value)


class _ColumnData:
    """The data of a column: numbers or categories, and how they are coloured."""

    def __init__(self, values: np.ndarray) -> None:
        is_object = values.dtype == object
        nothing = [one is None or (isinstance(one, float) and one != one) for one in values] if is_object else ()
        self.missing = np.array(nothing, bool) if is_object else np.isnan(values)
        self.is_category = is_object and any(
            not isinstance(one, int | float | np.number) or isinstance(one, bool | np.bool_)
            for one in values[~self.missing][:50]
        )
        self.names: list[str] = []  # of the categories that occur, in order
        if self.is_category:
            kinds = sorted(set(values[~self.missing].tolist()))
            self.names, places = [shorten(show(one)) for one in kinds], {one: float(k) for k, one in enumerate(kinds)}
            found = [np.nan if gone else places[one] for one, gone in zip(values.tolist(), self.missing)]
            values = np.array(found)
        self.numbers = values.astype(np.float64)  # those of categories; NaN: missing

    def sizes(self) -> np.ndarray:
        """Numbers as places from 0 (small) to 1 (large), outliers held back; NaN for missing ones."""
        numbers, known = self.numbers, self.numbers[~self.missing]
        if not len(known):
            return numbers
        low, high = np.percentile(known, [5, 95])
        if low == high:
            low, high = known.min(), known.max()
        same = np.where(self.missing, np.nan, 0.5)
        return np.clip((numbers - low) / (high - low), 0.0, 1.0) if high > low else same

    def key(self) -> list[tuple[str, str]]:
        """Names and colours of the categories; of many the commonest are named."""
        return self._key_and_colours()[0]

    def colours(self) -> Any:
        """The colour of each value: by size, or by category; grey where it is missing."""
        if self.is_category:
            return self._key_and_colours()[1]
        from matplotlib.colors import to_rgba

        colours = low_to_high()(np.nan_to_num(self.sizes()))
        colours[self.missing] = to_rgba(GREY)
        return colours

    def _key_and_colours(self) -> tuple[list[tuple[str, str]], np.ndarray]:
        n, place = len(self.names), np.where(self.missing, -1, self.numbers).astype(np.int64)
        common = np.arange(n)
        if n > _MOST_NAMES:
            counts = np.bincount(place[place >= 0], minlength=n)
            common = np.sort(np.argsort(-counts, kind="stable")[: _MOST_NAMES - 1])
        colours = np.array([OTHERS] * n + [GREY])
        colours[common] = class_colours(len(common))
        key = [(self.names[k], str(colours[k])) for k in common]
        return key + [(f"{n - len(common)} others", OTHERS)] * (n > len(common)), colours[place]


def low_to_high() -> Any:
    """The colours of small and large values."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("low to high", LOW_TO_HIGH)


# ----------------------------------------------------------------------------------------------------------------------
# SHAP values as bars: a waterfall of one row, mean absolute values by column, and a map of interactions.

_ROOM = 1.12  # of the longest bar: for the number after it
_DARK_FROM = 0.6  # of the largest number of a map: white text from here


@drawing
def plot_waterfall(explanation: Any, *, most: int = 10, decimals: int = 2, ax: Any = None) -> Any:
    """Plot how the columns move one row from the base value to its prediction.

    Parameters
    ----------
    explanation : Explanation of one row
        Such as `shap(model, X)[0]`. If there are several outputs, choose one: `shap(model, X)[0, :, "yes"]`. A
        `shap.Explanation` is accepted too.
    most : int, default=10
        Maximum number of columns with a bar of their own. The others share the last bar.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import plot_waterfall, shap
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> ax = plot_waterfall(shap(forest, X)[0, :, "Adelie"])
    """
    row = _one_row(one_output(explanation, "plot_waterfall"))
    order = np.argsort(-np.abs(row.values), kind="stable")[: check_count("most", most, 1)]
    rest = np.setdiff1d(np.arange(len(row.values)), order)
    labels = [shorten(row.feature_names[j]) for j in order]
    if row.data is not None:
        labels = [f"{label} = {show(row.data[j])}" for label, j in zip(labels, order)]
    sizes = row.values[order].tolist()
    if len(rest):
        labels.append(f"{len(rest)} other column{'s' if len(rest) > 1 else ''}")
        sizes.append(float(row.values[rest].sum()))
    ax = axes_for("plot_waterfall", ax, (7.5, 1.6 + 0.38 * len(labels)))
    base = float(np.asarray(row.base_values))
    ends = base + np.cumsum(sizes[::-1])[::-1]
    starts = np.append(ends[1:], base)
    ax.barh(
        np.arange(len(sizes)), ends - starts, left=starts, height=0.62, color=[UP if s > 0 else DOWN for s in sizes]
    )
    _connect(ax, ends, starts)
    _number_steps(ax, starts, ends, sizes, decimals)
    name_rows(ax, [shorten(one) for one in labels])
    told = f"{row.says}: {write_value(float(ends[0]), decimals)}"
    ax.set_title(told, loc="left", fontsize="medium").set_parse_math(False)
    ax.axvline(base, color=DARK, linewidth=0.8, linestyle=":")
    ax.set_xlabel(f"{row.says}, from the base value {write_value(base, decimals)}").set_parse_math(False)
    return ax


def _one_row(whole: Explanation) -> Explanation:
    if whole.interactions:
        whole = without_pairs(whole)
    if whole.values.ndim == 2 and len(whole) == 1:
        whole = whole[0]
    if whole.values.ndim != 1:
        raise ValueError(f"plot_waterfall draws one row, got {len(whole)}. Choose one, as in explanation[0].")
    return whole


def _connect(ax: Any, ends: np.ndarray, starts: np.ndarray) -> None:
    """A thin line from the start of a bar to the end of the one below it, which is the same number."""
    for k in range(len(ends) - 1):
        ax.plot([starts[k], starts[k]], [k - 0.31, k + 1.31], color=DARK, linewidth=0.6)


def _number_steps(ax: Any, starts: np.ndarray, ends: np.ndarray, sizes: list[float], decimals: int) -> None:
    low, high = float(np.minimum(starts, ends).min()), float(np.maximum(starts, ends).max())
    texts = [f"{'+' if size > 0 else ''}{write_value(size, decimals)}" for size in sizes]
    room = (high - low) * max(0.14, 0.024 * max(map(len, texts))) or 0.5
    ax.set_xlim(low - room, high + room)
    for k, (size, text) in enumerate(zip(sizes, texts)):
        place, shift, side = (ends[k], 4, "left") if size > 0 else (ends[k], -4, "right")
        ax.annotate(text, (place, k), (shift, 0), textcoords="offset points", va="center", ha=side, fontsize="small")


@drawing
def plot_shap_bars(explanation: Any, *, most: int = 20, decimals: int = 2, ax: Any = None) -> Any:
    """Plot the mean absolute SHAP value of each column, the largest on top; stacked for several outputs.

    Parameters
    ----------
    explanation : Explanation
        From `shap`. A `shap.Explanation` is accepted too.
    most : int, default=20
        Maximum number of columns drawn.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import plot_shap_bars, shap
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> ax = plot_shap_bars(shap(forest, X))
    """
    whole = read_explanation(explanation)
    if whole.interactions:
        raise ValueError("plot_shap_bars draws SHAP values, got interactions. Use plot_interactions.")
    if len(whole) == 0:
        raise ValueError("plot_shap_bars needs at least one row, got none.")
    sizes = whole.mean_abs if whole.output_names is not None else whole.mean_abs[:, None]
    total = sizes.sum(axis=1)
    order = np.argsort(-total, kind="stable")[: check_count("most", most, 1)]
    ax = axes_for("plot_shap_bars", ax, (7.0, 1.2 + 0.32 * len(order)))
    places, left = np.arange(len(order)), np.zeros(len(order))
    for k, colour in enumerate(class_colours(sizes.shape[1])):
        label = None if whole.output_names is None else shorten(whole.output_names[k])
        ax.barh(places, sizes[order, k], left=left, height=0.7, color=colour, label=label)
        left += sizes[order, k]
    for place, value in zip(places, total[order]):
        text = write_value(float(value), decimals)
        ax.annotate(text, (value, place), (4, 0), textcoords="offset points", va="center", fontsize="small")
    name_rows(ax, [shorten(whole.feature_names[j]) for j in order])
    ax.set_xlim(0.0, float(total.max(initial=0.0)) * _ROOM or 1.0)
    ax.set_xlabel(f"mean |SHAP value| ({whole.says})").set_parse_math(False)
    if whole.output_names is not None:
        ax.legend(loc="lower right", frameon=False)
    return ax


@drawing
def plot_interactions(explanation: Any, *, most: int = 10, decimals: int = 2, ax: Any = None) -> Any:
    """Plot the mean absolute SHAP interaction of every pair of columns as a heat map.

    A pair has one cell, with both halves of its interaction. The diagonal shows the effect of each column alone.

    Parameters
    ----------
    explanation : Explanation with interactions
        From `shap(model, X, interactions=True)`. If there are several outputs, choose one.
    most : int, default=10
        Maximum number of columns drawn: those with the largest values.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import plot_interactions, shap
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> ax = plot_interactions(shap(forest, X, interactions=True)[..., "Adelie"])
    """
    whole = read_explanation(explanation)
    if not whole.interactions:
        raise ValueError("plot_interactions needs interactions. Use shap(model, X, interactions=True).")
    whole = one_output(whole, "plot_interactions")
    sizes = whole.mean_abs * (2.0 - np.eye(len(whole.feature_names)))
    order = np.argsort(-sizes.sum(axis=1), kind="stable")[: check_count("most", most, 1)]
    sizes, n = sizes[np.ix_(order, order)], len(order)
    ax = axes_for("plot_interactions", ax, (2.4 + 0.62 * n, 1.8 + 0.5 * n))
    largest = float(sizes.max(initial=0.0)) or 1.0
    for i in range(n):
        for j in range(i + 1):
            share = sizes[i, j] / largest
            ax.fill_between([j - 0.5, j + 0.5], i - 0.5, i + 0.5, color=mix(UP, share), linewidth=0)
            colour = "white" if share > _DARK_FROM else DARK
            text = f"{sizes[i, j]:.{decimals}f}"
            ax.text(j, i, text, ha="center", va="center", color=colour, fontsize="small")
    names = [shorten(whole.feature_names[j]) for j in order]
    ax.set_xticks(np.arange(n), names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(np.arange(n), names)
    plainly([*ax.get_xticklabels(), *ax.get_yticklabels()])
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title(f"mean |interaction| ({whole.says})", fontsize="medium").set_parse_math(False)
    return ax


# ----------------------------------------------------------------------------------------------------------------------
# SHAP values as points: one per row, by column, or against the data of one column.

_SLOTS = 90  # places along the axis in which points that would hide each other are set side by side
_ACROSS = 0.38  # of the distance between columns: how far points spread
_CHUNK = 40  # rows that are alike in a column, to see what else moves their values


@drawing
def plot_beeswarm(explanation: Any, *, most: int = 12, ax: Any = None) -> Any:
    """Plot the SHAP values of all rows by column, coloured by the data; the most important column is on top.

    Small numbers are blue and large ones red. Categories have colours of their own, and missing values are grey.

    Parameters
    ----------
    explanation : Explanation of several rows
        If there are several outputs, choose one: `shap(model, X)[..., "yes"]`. A `shap.Explanation` is accepted too.
    most : int, default=12
        Maximum number of columns drawn.

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
    order = np.argsort(-whole.mean_abs, kind="stable")[: check_count("most", most, 1)]
    ax = axes_for("plot_beeswarm", ax, (8.0, 1.4 + 0.48 * len(order)))
    ax.axvline(0.0, color=GREY, linewidth=0.8, zorder=0)
    shown = whole.values[:, order]
    span = float(shown.max() - shown.min()) or 1.0
    size = float(np.clip(4000.0 / len(whole), 3.0, 16.0))
    data = [] if whole.data is None else [_ColumnData(whole.data[:, j]) for j in order]
    for k, j in enumerate(order):
        values, colours = whole.values[:, j], data[k].colours() if data else GREY
        ax.scatter(values, k + _spread(values, span), s=size, c=colours, linewidths=0, rasterized=len(whole) > 2000)
    name_rows(ax, [shorten(whole.feature_names[j]) for j in order])
    _name_categories(ax, data)
    ax.set_xlabel(f"SHAP value ({whole.says})").set_parse_math(False)
    if any(not one.is_category for one in data):
        bar = _colour_bar(ax, (0.0, 1.0), "value of the column", ticks=[0, 1])
        bar.ax.set_yticklabels(["low", "high"])
        bar.ax.tick_params(length=0)
        bar.ax.yaxis.labelpad = -14
    if any(one.missing.any() for one in data):
        _missing_key(ax, "missing", 16)
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


def _name_categories(ax: Any, columns: list[_ColumnData]) -> None:
    """The categories of a column in their colours, under its name."""
    from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea

    for k, data in enumerate(columns):
        if not data.is_category:
            continue
        look = {"fontsize": "x-small", "weight": "bold", "parse_math": False}
        listed: list[Any] = [TextArea(name, textprops={"color": one, **look}) for name, one in data.key()]
        place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "box_alignment": (1.0, 1.0), "pad": 0.0}
        place |= {"xybox": (-6, 0), "boxcoords": "offset points", "annotation_clip": False, "frameon": False}
        ax.add_artist(AnnotationBbox(HPacker(children=listed, pad=0, sep=4), (0.0, k + 0.17), **place))


def _colour_bar(ax: Any, ends: tuple[float, float], label: str, **more: Any) -> Any:
    """What the colours of numbers mean."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    bar = ax.figure.colorbar(ScalarMappable(Normalize(*ends), low_to_high()), ax=ax, aspect=30, pad=0.02, **more)
    bar.outline.set_visible(False)
    bar.set_label(label)
    bar.ax.yaxis.label.set_parse_math(False)
    return bar


def _missing_key(ax: Any, label: str, size: float, place: str = "lower right") -> None:
    ax.scatter([], [], s=size, c=GREY, label=label)
    ax.legend(loc=place, frameon=False, fontsize="small", handletextpad=0.1)


@drawing
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
    x = _places(ax, _ColumnData(whole.data[:, j]))
    partner = None if other is None else _ColumnData(whole.data[:, other])
    colours = class_colours(1)[0] if partner is None else partner.colours()
    ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=0)
    size = float(np.clip(8000.0 / max(len(whole), 1), 4.0, 22.0))
    ax.scatter(x, whole.values[:, j], s=size, c=colours, linewidths=0, rasterized=len(whole) > 2000)
    ax.set_xlabel(whole.feature_names[j]).set_parse_math(False)
    ax.set_ylabel(f"SHAP value ({whole.says})").set_parse_math(False)
    ax.spines[["top", "right"]].set_visible(False)
    if other is not None and partner is not None:
        _name_colours(ax, shorten(whole.feature_names[other]), partner)
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
    x = _ColumnData(found.data[:, column]).numbers
    order = np.argsort(np.nan_to_num(x, nan=np.inf), kind="stable")
    best, most = None, -1.0
    for other in range(len(found.feature_names)):
        if other != column:
            told = _explained(found.values[order, column], _ColumnData(found.data[order, other]).numbers)
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


def _places(ax: Any, data: _ColumnData) -> np.ndarray:
    """Where rows stand along the x axis; categories side by side, missing values to the left of all."""
    missing, x = data.missing, data.numbers
    if data.is_category:
        jitter = ((np.arange(len(x)) * 0.618034) % 1.0 - 0.5) * 0.5
        ticks, names = list(range(len(data.names))), data.names
        if missing.any():
            ticks, names = [*ticks, -1], [*names, "missing"]
        name_places(ax, ticks, names)
        ax.set_xlim(min(ticks) - 0.6, max(ticks) + 0.6)
        return np.asarray(np.where(missing, -1.0, x) + jitter)
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


def _name_colours(ax: Any, name: str, data: _ColumnData) -> None:
    """A colour bar; for categories the list of their colours, beside the axes, where it hides no point."""
    if data.is_category:
        for one, colour in data.key() + [("missing", GREY)] * bool(data.missing.any()):
            ax.scatter([], [], s=20, c=colour, label=one)
        look = {"bbox_to_anchor": (1.01, 1.0), "frameon": False, "fontsize": "small", "handletextpad": 0.1}
        legend = ax.legend(title=name, loc="upper left", **look)
        plainly([*legend.get_texts(), legend.get_title()])
        return
    sizes = data.sizes()
    low, high = data.numbers[sizes == 0.0], data.numbers[sizes == 1.0]
    _colour_bar(ax, (float(low.max()), float(high.min())) if len(low) and len(high) else (0.0, 1.0), name)
    if data.missing.any():
        _missing_key(ax, f"{name} missing", 20, "best")
