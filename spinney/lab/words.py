"""Numbers in sentences, shared by all methods."""

from __future__ import annotations


def count(n: int, what: str) -> str:
    """1 row, 2 rows, 2 trees."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def percent(share: float) -> str:
    """0.125 as 12.5 %, with a no-break space."""
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def number(value: float) -> str:
    """Three significant digits."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def listed(parts: list[str]) -> str:
    """a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
