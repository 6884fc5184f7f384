"""Explain fitted models: SHAP values, dependence plots, importances, decision paths and counterfactuals.

    shap, Explanation                             SHAP values, and SHAP interaction values
    plot_waterfall, plot_shap_bars,
    plot_beeswarm, plot_shap_dependence,
    plot_interactions                             plots of SHAP values
    partial_dependence, ice, ale, friedman_h      how predictions change with columns, and which columns interact
    PartialDependenceDisplay, ALEDisplay          plots of them
    importances                                   feature importances
    path, ensemble_rules                          decision path of a row; rules of a small ensemble
    proximity, nearest_rows, outlier_scores       rows that the model treats alike
    counterfactual                                the smallest change of a row that changes the prediction
    surrogate, select_features                    a small tree that approximates a model; feature selection

The guide is docs/explaining.md. Names are loaded at first use: importing this package does not load Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# public name -> where it lives
_HOMES = {
    "ALEDisplay": "dependence.displays",
    "Counterfactual": "counterfactuals.result",
    "Counterfactuals": "counterfactuals.result",
    "Explanation": "shapley.explanation",
    "PartialDependenceDisplay": "dependence.displays",
    "Selection": "selection",
    "Surrogate": "surrogates",
    "ale": "dependence.ale",
    "counterfactual": "counterfactuals.counterfactual",
    "ensemble_rules": "rule_set",
    "friedman_h": "dependence.h_statistic",
    "ice": "dependence.partial_dependence",
    "importances": "importance",
    "nearest_rows": "proximities",
    "outlier_scores": "proximities",
    "partial_dependence": "dependence.partial_dependence",
    "path": "decision_path",
    "plot_beeswarm": "shapley.plots",
    "plot_interactions": "shapley.plots",
    "plot_shap_bars": "shapley.plots",
    "plot_shap_dependence": "shapley.plots",
    "plot_waterfall": "shapley.plots",
    "proximity": "proximities",
    "select_features": "selection",
    "shap": "shapley.shap_values",
    "surrogate": "surrogates",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.explain' has no attribute {name!r}")
    return getattr(import_module(f"spinney.explain.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
