"""Why a model answers as it does, and what would change its answer.

    counterfactual       the least change of a row that turns the answer
    select_features      the columns that a model needs, by cross-validation
    surrogate            a small tree that imitates a model

They are loaded at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# public name -> where it lives
_HOMES = {
    "Counterfactual": "result",
    "Counterfactuals": "result",
    "Selection": "selection",
    "Surrogate": "surrogates",
    "counterfactual": "counterfactuals",
    "select_features": "selection",
    "surrogate": "surrogates",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.explain' has no attribute {name!r}")
    return getattr(import_module(f"spinney.explain.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
