"""Evaluate models: confusion matrices, cross-validation, parameter searches and curves.

    confusion_matrix, classification_report, specificity_score     of predictions
    cross_validate                                                 of a model on folds
    search                                                         of parameters: grid, random, successive halving
    validation_curve, learning_curve                               over a parameter, over the number of rows
    bias_variance                                                  of a model over bootstraps

The guide is docs/judging.md. Names are loaded at first use, so that importing this subpackage does not load Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.evaluate.confusion import ConfusionMatrix, confusion_matrix, specificity_score
    from spinney.evaluate.cross_validation import CrossValidation, cross_validate
    from spinney.evaluate.curves import LearningCurve, ValidationCurve, learning_curve, validation_curve
    from spinney.evaluate.decomposition import BiasVariance, bias_variance
    from spinney.evaluate.report import classification_report
    from spinney.evaluate.search_result import SearchResult
    from spinney.evaluate.searching import search

# public name -> where it lives
_HOMES = {
    "BiasVariance": "decomposition",
    "ConfusionMatrix": "confusion",
    "CrossValidation": "cross_validation",
    "LearningCurve": "curves",
    "SearchResult": "search_result",
    "ValidationCurve": "curves",
    "bias_variance": "decomposition",
    "classification_report": "report",
    "confusion_matrix": "confusion",
    "cross_validate": "cross_validation",
    "learning_curve": "curves",
    "search": "searching",
    "specificity_score": "confusion",
    "validation_curve": "curves",
}

__all__ = [
    "BiasVariance",
    "ConfusionMatrix",
    "CrossValidation",
    "LearningCurve",
    "SearchResult",
    "ValidationCurve",
    "bias_variance",
    "classification_report",
    "confusion_matrix",
    "cross_validate",
    "learning_curve",
    "search",
    "specificity_score",
    "validation_curve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.evaluate' has no attribute {name!r}")
    return getattr(import_module(f"spinney.evaluate.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
