"""SHAP values as bars: a waterfall of one row, mean absolute values by column, and a map of interactions."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.explain.drawing import (
    DARK,
    DOWN,
    UP,
    at_most,
    axes_for,
    name_columns,
    one_output,
    shorten,
    show,
    without_pairs,
)
from spinney.explain.explanation import Explanation, read_explanation
from spinney.view.colours import class_colours, mix
from spinney.view.numbers import write_value

_ROOM = 1.12  # of the longest bar: for the number after it
_DARK_FROM = 0.6  # of the largest number of a map: white text from here


def plot_waterfall(explanation: Any, *, most: int = 10, decimals: int = 2, ax: Any = None) -> Any:
    """Plot how the columns move one row from the base value to its prediction.

    Parameters
    ----------
    explanation : Explanation of one row
        Such as `shap(model, X)[0]`. If there are several outputs, choose one: `shap(model, X)[0, :, "yes"]`. A
        `shap.Explanation` is accepted too.
    most : int, default=10
        Maximum number of columns with a bar of their own. The others share the last bar.
    decimals : int, default=2
        Number of decimals shown.
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
    >>> from spinney.explain import plot_waterfall, shap
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> ax = plot_waterfall(shap(forest, X)[0, :, "Adelie"])
    """
    row = _one_row(one_output(explanation, "plot_waterfall"))
    order = np.argsort(-np.abs(row.values), kind="stable")[: at_most("most", most)]
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
    name_columns(ax, labels)
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


def plot_shap_bars(explanation: Any, *, most: int = 20, decimals: int = 2, ax: Any = None) -> Any:
    """Plot the mean absolute SHAP value of each column, the largest on top; stacked for several outputs.

    Parameters
    ----------
    explanation : Explanation
        From `shap`. A `shap.Explanation` is accepted too.
    most : int, default=20
        Maximum number of columns drawn.
    decimals : int, default=2
        Number of decimals shown next to the bars.
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
    order = np.argsort(-total, kind="stable")[: at_most("most", most)]
    ax = axes_for("plot_shap_bars", ax, (7.0, 1.2 + 0.32 * len(order)))
    places, left = np.arange(len(order)), np.zeros(len(order))
    for k, colour in enumerate(class_colours(sizes.shape[1])):
        label = None if whole.output_names is None else shorten(whole.output_names[k])
        ax.barh(places, sizes[order, k], left=left, height=0.7, color=colour, label=label)
        left += sizes[order, k]
    for place, value in zip(places, total[order]):
        text = write_value(float(value), decimals)
        ax.annotate(text, (value, place), (4, 0), textcoords="offset points", va="center", fontsize="small")
    name_columns(ax, [whole.feature_names[j] for j in order])
    ax.set_xlim(0.0, float(total.max(initial=0.0)) * _ROOM or 1.0)
    ax.set_xlabel(f"mean |SHAP value| ({whole.says})").set_parse_math(False)
    if whole.output_names is not None:
        ax.legend(loc="lower right", frameon=False)
    return ax


def plot_interactions(explanation: Any, *, most: int = 10, decimals: int = 2, ax: Any = None) -> Any:
    """Plot the mean absolute SHAP interaction of every pair of columns as a heat map.

    A pair has one cell, with both halves of its interaction. The diagonal shows the effect of each column alone.

    Parameters
    ----------
    explanation : Explanation with interactions
        From `shap(model, X, interactions=True)`. If there are several outputs, choose one.
    most : int, default=10
        Maximum number of columns drawn: those with the largest values.
    decimals : int, default=2
        Number of decimals shown.
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
    order = np.argsort(-sizes.sum(axis=1), kind="stable")[: at_most("most", most)]
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
    for text in [*ax.get_xticklabels(), *ax.get_yticklabels()]:
        text.set_parse_math(False)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title(f"mean |interaction| ({whole.says})", fontsize="medium").set_parse_math(False)
    return ax
