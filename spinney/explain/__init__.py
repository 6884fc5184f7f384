"""What a fitted model depends on, and why it says what it says.

    partial_dependence, ice, ale, friedman_h      what the answer depends on, and together with what
    importances                                   which columns matter
    path, ensemble_rules                          why this answer: the row's way in words, rules
    proximity, nearest_rows, outlier_scores       rows that the model treats alike
    PartialDependenceDisplay, ALEDisplay          pictures

Names are loaded at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# public name -> where it lives
_HOMES = {
    "ALEDisplay": "displays",
    "PartialDependenceDisplay": "displays",
    "ale": "accumulated",
    "ensemble_rules": "rule_set",
    "friedman_h": "interaction",
    "ice": "dependence",
    "importances": "importance",
    "nearest_rows": "proximities",
    "outlier_scores": "proximities",
    "partial_dependence": "dependence",
    "path": "why",
    "proximity": "proximities",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spinney.explain' has no attribute {name!r}")
    return getattr(import_module(f"spinney.explain.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
