"""Questions to a fitted model: what each column contributes to an answer.

    shap                                    SHAP values of rows, and interactions of pairs of columns
    Explanation                             what it returns: values with names, to be sliced, drawn and handed over
    plot_waterfall, plot_shap_bars,
    plot_beeswarm, plot_shap_dependence,
    plot_interactions                       pictures of them

The guide is docs/explaining.md. Importing this package does not load Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.explain.bars import plot_interactions, plot_shap_bars, plot_waterfall
    from spinney.explain.explanation import Explanation
    from spinney.explain.points import plot_beeswarm, plot_shap_dependence
    from spinney.explain.shap_values import shap

_HOMES = {
    "Explanation": "explanation",
    "plot_beeswarm": "points",
    "plot_interactions": "bars",
    "plot_shap_bars": "bars",
    "plot_shap_dependence": "points",
    "plot_waterfall": "bars",
    "shap": "shap_values",
}

__all__ = [
    "Explanation",
    "plot_beeswarm",
    "plot_interactions",
    "plot_shap_bars",
    "plot_shap_dependence",
    "plot_waterfall",
    "shap",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.explain' has no attribute {name!r}")
    return getattr(import_module(f"spinney.explain.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
