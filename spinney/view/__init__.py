"""Trees as text, rules, DOT and plots; plots of how models are trained and how good they are.

    export_text, export_rules, export_graphviz, plot_tree     one tree
    plot_regions, plot_predictions, plot_side_by_side         predictions
    plot_importances                                          feature importances
    plot_impurity_curves, plot_split_gains                    criteria
    plot_adaboost_rounds, plot_amount_of_say,
    plot_residual_rounds, plot_staged_errors,
    plot_kmeans_steps, plot_em_steps, plot_elbow              training
    plot_confusion_matrix, plot_learning_curve,
    plot_validation_curve, plot_bias_variance                 evaluation

All of them are names of `spinney` too. They are loaded at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._lazy_names import lazy_names

if TYPE_CHECKING:
    from spinney.view.clusters import plot_elbow as plot_elbow
    from spinney.view.clusters import plot_em_steps as plot_em_steps
    from spinney.view.clusters import plot_kmeans_steps as plot_kmeans_steps
    from spinney.view.criteria import plot_amount_of_say as plot_amount_of_say
    from spinney.view.criteria import plot_impurity_curves as plot_impurity_curves
    from spinney.view.criteria import plot_split_gains as plot_split_gains
    from spinney.view.graphviz import export_graphviz as export_graphviz
    from spinney.view.importances import plot_importances as plot_importances
    from spinney.view.judging import plot_bias_variance as plot_bias_variance
    from spinney.view.judging import plot_confusion_matrix as plot_confusion_matrix
    from spinney.view.judging import plot_learning_curve as plot_learning_curve
    from spinney.view.judging import plot_validation_curve as plot_validation_curve
    from spinney.view.plot import plot_tree as plot_tree
    from spinney.view.predictions import plot_predictions as plot_predictions
    from spinney.view.predictions import plot_regions as plot_regions
    from spinney.view.predictions import plot_side_by_side as plot_side_by_side
    from spinney.view.rounds import plot_adaboost_rounds as plot_adaboost_rounds
    from spinney.view.rounds import plot_residual_rounds as plot_residual_rounds
    from spinney.view.rounds import plot_staged_errors as plot_staged_errors
    from spinney.view.rules import export_rules as export_rules
    from spinney.view.text import export_text as export_text

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
