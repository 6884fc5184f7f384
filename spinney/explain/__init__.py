"""Questions to a fitted model: what each column contributes to an answer.

    shap                                    SHAP values of rows, and interactions of pairs of columns
    Explanation                             what it returns: values with names, to be sliced, drawn and handed over

The guide is docs/explaining.md. Importing this package does not load Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.explain.explanation import Explanation
    from spinney.explain.shap_values import shap

_HOMES = {
    "Explanation": "explanation",
    "shap": "shap_values",
}

__all__ = [
    "Explanation",
    "shap",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.explain' has no attribute {name!r}")
    return getattr(import_module(f"spinney.explain.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
