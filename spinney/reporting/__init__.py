"""The report of a model: one page of HTML, without anything from elsewhere.

    report      a fitted model and a table with its target -> `Report`, to be saved or shown in a notebook

Names are loaded at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.reporting.report import Report, report

__all__ = ["Report", "report"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'spinney.reporting' has no attribute {name!r}")
    from spinney.reporting import report as home

    return getattr(home, name)


def __dir__() -> list[str]:
    return sorted(__all__)
