"""Spinney: decision trees and everything built on them.

    >>> from spinney import GradientBoostingClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = GradientBoostingClassifier(random_state=0).fit(X, y)

Importing spinney is light: Numba is loaded by the first fit or predict.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.criteria.custom import Loss
    from spinney.ensemble.callbacks import Round
    from spinney.estimators.boosting import GradientBoostingClassifier, GradientBoostingRegressor
    from spinney.evaluate.boosting_cv import boosting_cv

__version__ = "0.1.0"

# public name -> where it lives; loaded at first use
_HOMES = {
    "C45Classifier": "spinney.estimators.classic",
    "GradientBoostingClassifier": "spinney.estimators.boosting",
    "GradientBoostingRegressor": "spinney.estimators.boosting",
    "ID3Classifier": "spinney.estimators.classic",
    "Loss": "spinney.criteria.custom",
    "Round": "spinney.ensemble.callbacks",
    "boosting_cv": "spinney.evaluate.boosting_cv",
}

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor", "Loss", "Round", "boosting_cv"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
