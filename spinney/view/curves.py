"""Curves of the criteria: how impure a node of two classes is."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.view.colours import class_colours
from spinney.view.plot import import_pyplot

_STEPS = 401


def plot_impurity_curves(ax: Any = None) -> Any:
    """Plot entropy (in bits), Gini impurity and misclassification rate of two classes by the fraction of one class.

    Parameters
    ----------
    ax : matplotlib axes, default=None
        Axes to draw on. None: the current axes.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Examples
    --------
    >>> from spinney import plot_impurity_curves
    >>> ax = plot_impurity_curves()
    """
    from spinney.criteria.impurity import ENTROPY, ERROR, GINI, class_impurity

    plt = import_pyplot("plot_impurity_curves")
    ax = plt.gca() if ax is None else ax
    p = np.linspace(0, 1, _STEPS)
    shares = np.column_stack([p, 1 - p])
    curves = {"entropy (bits)": ENTROPY, "Gini": GINI, "misclassification": ERROR}
    for (name, criterion), colour in zip(curves.items(), class_colours(len(curves))):
        ax.plot(p, class_impurity(criterion, shares[:, None, :]), label=name, color=colour, linewidth=2.5)
    ax.set(xlabel="fraction of the first class", ylabel="impurity", xlim=(0, 1), ylim=(0, 1.05))
    ax.grid(alpha=0.3)
    ax.legend()
    return ax
