"""Questions to a fitted model: which columns matter, what the answer depends on, and why it is what it is.

    shap, Explanation                             SHAP values of rows, interactions of pairs of columns
    plot_waterfall, plot_shap_bars,
    plot_beeswarm, plot_shap_dependence,
    plot_interactions                             pictures of them
    partial_dependence, ice, ale, friedman_h      what the answer depends on, and together with what
    PartialDependenceDisplay, ALEDisplay          pictures of that
    importances                                   which columns matter
    path, ensemble_rules                          why this answer: the row's way in words, rules
    proximity, nearest_rows, outlier_scores       rows that the model treats alike
    counterfactual                                the least change of a row that turns the answer
    surrogate, select_features                    a small tree that imitates a model; the columns that it needs

The guide is docs/explaining.md. Names are loaded at first use: importing this package does not load Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# public name -> where it lives
_HOMES = {
    "ALEDisplay": "displays",
    "Counterfactual": "result",
    "Counterfactuals": "result",
    "Explanation": "explanation",
    "PartialDependenceDisplay": "displays",
    "Selection": "selection",
    "Surrogate": "surrogates",
    "ale": "accumulated",
    "counterfactual": "counterfactuals",
    "ensemble_rules": "rule_set",
    "friedman_h": "interaction",
    "ice": "dependence",
    "importances": "importance",
    "nearest_rows": "proximities",
    "outlier_scores": "proximities",
    "partial_dependence": "dependence",
    "path": "why",
    "plot_beeswarm": "points",
    "plot_interactions": "bars",
    "plot_shap_bars": "bars",
    "plot_shap_dependence": "points",
    "plot_waterfall": "bars",
    "proximity": "proximities",
    "select_features": "selection",
    "shap": "shap_values",
    "surrogate": "surrogates",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.explain' has no attribute {name!r}")
    return getattr(import_module(f"spinney.explain.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
