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

from typing import TYPE_CHECKING

from spinney._lazy_names import lazy_names

if TYPE_CHECKING:
    from spinney.explain.counterfactuals.counterfactual import counterfactual as counterfactual
    from spinney.explain.counterfactuals.result import Counterfactual as Counterfactual
    from spinney.explain.counterfactuals.result import Counterfactuals as Counterfactuals
    from spinney.explain.decision_path import path as path
    from spinney.explain.dependence.ale import ale as ale
    from spinney.explain.dependence.displays import ALEDisplay as ALEDisplay
    from spinney.explain.dependence.displays import PartialDependenceDisplay as PartialDependenceDisplay
    from spinney.explain.dependence.h_statistic import friedman_h as friedman_h
    from spinney.explain.dependence.partial_dependence import ice as ice
    from spinney.explain.dependence.partial_dependence import partial_dependence as partial_dependence
    from spinney.explain.importance import importances as importances
    from spinney.explain.proximities import nearest_rows as nearest_rows
    from spinney.explain.proximities import outlier_scores as outlier_scores
    from spinney.explain.proximities import proximity as proximity
    from spinney.explain.rule_set import ensemble_rules as ensemble_rules
    from spinney.explain.selection import Selection as Selection
    from spinney.explain.selection import select_features as select_features
    from spinney.explain.shapley.explanation import Explanation as Explanation
    from spinney.explain.shapley.plots import plot_beeswarm as plot_beeswarm
    from spinney.explain.shapley.plots import plot_interactions as plot_interactions
    from spinney.explain.shapley.plots import plot_shap_bars as plot_shap_bars
    from spinney.explain.shapley.plots import plot_shap_dependence as plot_shap_dependence
    from spinney.explain.shapley.plots import plot_waterfall as plot_waterfall
    from spinney.explain.shapley.shap_values import shap as shap
    from spinney.explain.surrogates import Surrogate as Surrogate
    from spinney.explain.surrogates import surrogate as surrogate

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
