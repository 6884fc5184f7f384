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

from typing import Any

import spinney

__all__ = [
    "export_graphviz",
    "export_rules",
    "export_text",
    "plot_adaboost_rounds",
    "plot_amount_of_say",
    "plot_bias_variance",
    "plot_confusion_matrix",
    "plot_elbow",
    "plot_em_steps",
    "plot_importances",
    "plot_impurity_curves",
    "plot_kmeans_steps",
    "plot_learning_curve",
    "plot_predictions",
    "plot_regions",
    "plot_residual_rounds",
    "plot_side_by_side",
    "plot_split_gains",
    "plot_staged_errors",
    "plot_tree",
    "plot_validation_curve",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'spinney.view' has no attribute {name!r}")
    return getattr(spinney, name)


def __dir__() -> list[str]:
    return sorted(__all__)
