"""Evaluate models: scikit-learn's tools on data that is read, sorted and binned once, and what they lack.

    confusion_matrix, classification_report, specificity_score     of predictions
    cross_validate                                                 of a model on folds
    search                                                         of parameters: grid, random, successive halving
    validation_curve, learning_curve                               over a parameter, over the number of rows
    bias_variance                                                  of a model over bootstraps
    OpenedTable                                                    for scikit-learn's own tools

The guide is docs/judging.md. Names are loaded at first use, so that importing this subpackage does not load Numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._lazy_names import lazy_names

if TYPE_CHECKING:
    from spinney.data.opened_table import OpenedTable as OpenedTable
    from spinney.evaluate.confusion import ConfusionMatrix as ConfusionMatrix
    from spinney.evaluate.confusion import classification_report as classification_report
    from spinney.evaluate.confusion import confusion_matrix as confusion_matrix
    from spinney.evaluate.confusion import specificity_score as specificity_score
    from spinney.evaluate.cross_validation import CrossValidation as CrossValidation
    from spinney.evaluate.cross_validation import cross_validate as cross_validate
    from spinney.evaluate.curves import LearningCurve as LearningCurve
    from spinney.evaluate.curves import ValidationCurve as ValidationCurve
    from spinney.evaluate.curves import learning_curve as learning_curve
    from spinney.evaluate.curves import validation_curve as validation_curve
    from spinney.evaluate.decomposition import BiasVariance as BiasVariance
    from spinney.evaluate.decomposition import bias_variance as bias_variance
    from spinney.evaluate.searching import search as search

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
