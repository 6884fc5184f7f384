"""Shared by all plots of SHAP values: the part of an explanation to draw, axes, texts and colours.

In: an `Explanation` or a `shap.Explanation`. Out: parts of it, axes, texts, colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.explain.explanation import Explanation, read_explanation
from spinney.view.colours import class_colours
from spinney.view.numbers import write_amount
from spinney.view.phrases import check_count
from spinney.view.plot import import_pyplot

UP, DOWN, GREY = "#d8543c", "#3b83bd", "#b4b4b4"
LOW_TO_HIGH = (DOWN, "#8a6fae", UP)  # small and large values; the report's page has them, too
DARK, OTHERS = "#404040", "#6f6a64"
_LONGEST = 28  # letters of a name or a value
_MOST_NAMES = 8  # categories with colours of their own


def axes_for(function: str, ax: Any, size: tuple[float, float]) -> Any:
    """The axes to draw on: those given, else the current ones, else new ones with room for long names."""
    plt = import_pyplot(function)
    if ax is not None:
        return ax
    if not plt.get_fignums():
        return plt.figure(figsize=size, layout="constrained").add_subplot()
    return plt.gca()


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


def at_most(name: str, most: int) -> int:
    """Check a positive number of columns."""
    if check_count(name, most) == 0:
        raise ValueError(f"{name} must be a positive integer, got 0.")
    return most


def shorten(text: Any) -> str:
    """A name or value that is not too long to be a label."""
    words = str(text)
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def is_missing(values: Any) -> np.ndarray:
    """Which values are missing; of numbers or of objects."""
    if values.dtype != object:
        return np.isnan(values)
    return np.array([one is None or (isinstance(one, float) and one != one) for one in values], bool)


def show(value: Any) -> str:
    """A value of a row as text."""
    if value is None or (isinstance(value, float | np.floating) and value != value):
        return "missing"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | float | np.number):
        return write_amount(float(value), 3)
    return shorten(value)


def is_category(values: np.ndarray) -> bool:
    """Whether a column of the data has categories rather than numbers."""
    return values.dtype == object and any(
        not isinstance(one, int | float | np.number) or isinstance(one, bool | np.bool_)
        for one in values[~is_missing(values)][:50]
    )


def categories_of(values: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """(the categories that occur, in order; the place of each value among them, -1 for missing)."""
    missing = is_missing(values)
    kinds = sorted(set(values[~missing].tolist()))
    place = {one: k for k, one in enumerate(kinds)}
    return kinds, np.array([-1 if gone else place[one] for one, gone in zip(values.tolist(), missing)], np.int64)


def ranks(values: np.ndarray) -> np.ndarray:
    """Numbers as places from 0 (small) to 1 (large), outliers held back; NaN for missing ones."""
    numbers = values.astype(np.float64)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return numbers
    low, high = np.percentile(known, [5, 95])
    if low == high:
        low, high = known.min(), known.max()
    return np.clip((numbers - low) / (high - low), 0.0, 1.0) if high > low else np.where(np.isnan(numbers), np.nan, 0.5)


def low_to_high() -> Any:
    """The colours of small and large values."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("low to high", LOW_TO_HIGH)


def category_key(values: np.ndarray) -> tuple[list[tuple[str, str]], np.ndarray]:
    """(names and colours of categories, the colour of each value); of many categories the commonest are named."""
    kinds, place = categories_of(values)
    names = [shorten(show(one)) for one in kinds]
    if len(kinds) <= _MOST_NAMES:
        key = list(zip(names, class_colours(len(kinds))))
        return key, np.array([*(colour for _, colour in key), GREY])[place]
    counts = np.bincount(place[place >= 0], minlength=len(kinds))
    common = np.sort(np.argsort(-counts, kind="stable")[: _MOST_NAMES - 1])
    colours = np.array([OTHERS] * len(kinds) + [GREY])
    colours[common] = class_colours(len(common))
    others = f"{len(kinds) - len(common)} others"
    return [*((names[k], str(colours[k])) for k in common), (others, OTHERS)], colours[place]


def colours_of(values: np.ndarray) -> Any:
    """The colour of each value: by size, or by category; grey where it is missing."""
    if is_category(values):
        return category_key(values)[1]
    from matplotlib.colors import to_rgba

    size = ranks(values)
    colours = low_to_high()(np.nan_to_num(size))
    colours[np.isnan(size)] = to_rgba(GREY)
    return colours


def name_columns(ax: Any, names: list[str]) -> None:
    """The columns as labels of the y axis, the first on top."""
    ax.set_yticks(np.arange(len(names)), [shorten(one) for one in names])
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
