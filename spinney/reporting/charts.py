"""Small charts as SVG: text stays readable on a phone, and colours are the page's (page.css), light or dark.

In: numbers. Out: a `Markup` of one <figure>. Names are escaped here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup, escape

WIDTH, HEIGHT = 360, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 10, 40
_MOST_POINTS = 240  # of a line


class Line(NamedTuple):
    """A line of a chart."""

    name: str
    x: np.ndarray
    y: np.ndarray
    style: str = "s0"  # s0 .. s7: colours of the page
    low: np.ndarray | None = None  # a band around it
    high: np.ndarray | None = None


def short(value: Any) -> str:
    """A number in few digits.

    >>> short(12345.678), short(0.123456), short(7)
    ('12,346', '0.1235', '7')
    """
    value = float(value)
    if not np.isfinite(value):
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}" if abs(value) >= 10_000 else f"{int(value)}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between two."""
    if not high > low:
        return [low]
    raw = (high - low) / most
    size = 10.0 ** np.floor(np.log10(raw))
    step = next(size * one for one in (1, 2, 2.5, 5, 10) if size * one >= raw * 0.999)
    first = np.ceil(low / step - 1e-9)
    return [float(k * step) for k in np.arange(first, np.floor(high / step + 1e-9) + 1)]


class Axes:
    """Where numbers lie in a chart."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], height: int = HEIGHT) -> None:
        self.x, self.y, self.height = _wide(x), _wide(y), height

    def across(self, values: Any) -> np.ndarray:
        low, high = self.x
        return _LEFT + (np.asarray(values, float) - low) / (high - low) * (WIDTH - _LEFT - _RIGHT)

    def up(self, values: Any) -> np.ndarray:
        low, high = self.y
        room = self.height - _TOP - _BOTTOM
        return _TOP + room - (np.asarray(values, float) - low) / (high - low) * room

    def frame(self, x_label: str, y_label: str, x_names: Sequence[str] | None = None) -> str:
        """Lines, ticks and labels."""
        parts = []
        for value in ticks(*self.y):
            at = float(self.up(value))
            parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            place = f'x="{_LEFT - 5}" y="{at + 3.5:.1f}"'
            parts.append(f'<text class="tick" {place} text-anchor="end">{short(value)}</text>')
        base = self.height - _BOTTOM
        if x_names is None:
            for value in ticks(*self.x):
                at = float(self.across(value))
                place = f'x="{at:.1f}" y="{base + 15}"'
                parts.append(f'<text class="tick" {place} text-anchor="middle">{short(value)}</text>')
        else:
            for k, name in enumerate(x_names):
                at = float(self.across(k))
                shown = name if len(name) <= 9 else name[:8] + "…"
                parts.append(
                    f'<text class="tick" x="{at:.1f}" y="{base + 15}" text-anchor="middle">{escape(shown)}</text>'
                )
        middle = (_LEFT + WIDTH - _RIGHT) / 2
        parts.append(
            f'<text class="label" x="{middle}" y="{self.height - 6}" text-anchor="middle">{escape(x_label)}</text>'
        )
        parts.append(
            f'<text class="label" transform="translate(11 {(_TOP + base) / 2}) rotate(-90)" text-anchor="middle">'
            f"{escape(y_label)}</text>"
        )
        return "".join(parts)


def _wide(bounds: tuple[float, float]) -> tuple[float, float]:
    low, high = float(bounds[0]), float(bounds[1])
    if high > low:
        return low, high
    return low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2


def figure(title: str, body: str, height: int = HEIGHT, words: str = "", note: str = "", key: str = "") -> Markup:
    """One chart with its title; `words` are for those who cannot see it."""
    below = f'<p class="note">{escape(note)}</p>' if note else ""
    return Markup(
        f'<figure><figcaption>{escape(title)}</figcaption>{key}<svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(words or title)}">{body}</svg>{below}</figure>'
    )


def path_of(x: np.ndarray, y: np.ndarray) -> str:
    """A line through points of the chart, a few of them if there are many."""
    if len(x) > _MOST_POINTS:
        keep = np.unique(np.linspace(0, len(x) - 1, _MOST_POINTS).round().astype(int))
        x, y = x[keep], y[keep]
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist()))


def legend(names: Sequence[tuple[str, str]]) -> str:
    """Names of the lines, in their colours."""
    return f'<p class="legend">{"".join(f"<span class={style}>{escape(name)}</span>" for name, style in names)}</p>'


def line_chart(
    title: str,
    lines: Sequence[Line],
    x_label: str,
    y_label: str,
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    diagonal: bool = False,
    marker: str = "",
    x_names: Sequence[str] | None = None,
    dots: bool = False,
    note: str = "",
) -> Markup:
    """Lines; `marker` is the id of a point that the page moves along."""
    ends = [one for line in lines for one in (line.low, line.high, line.y) if one is not None and len(one)]
    every = np.concatenate(ends) if ends else np.zeros(1)
    every = every[np.isfinite(every)]
    along = np.concatenate([line.x for line in lines])
    axes = Axes(
        x_range or (float(along.min()), float(along.max())),
        y_range or ((float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)),
    )
    body = axes.frame(x_label, y_label, x_names)
    if diagonal:
        body += f'<path class="guide" d="{path_of(axes.across(axes.x), axes.up(axes.y))}"/>'
    for line in lines:
        x = axes.across(line.x)
        if line.low is not None and line.high is not None:
            around = path_of(np.concatenate([x, x[::-1]]), axes.up(np.concatenate([line.low, line.high[::-1]])))
            body += f'<path class="band {line.style}" d="{around}Z"/>'
        body += f'<path class="line {line.style}" d="{path_of(x, axes.up(line.y))}"/>'
        if dots:
            body += "".join(
                f'<circle class="dot {line.style}" cx="{a:.1f}" cy="{b:.1f}" r="3"/>'
                for a, b in zip(x.tolist(), axes.up(line.y).tolist())
            )
    key = legend([(line.name, line.style) for line in lines]) if len(lines) > 1 else ""
    if marker:
        body += f'<circle class="marker" id="{marker}" r="5" cx="-9" cy="-9"/>'
    return figure(title, body, words=f"{title}: {y_label} by {x_label}", note=note, key=key)


def scatter(title: str, x: np.ndarray, y: np.ndarray, x_label: str, y_label: str, diagonal: bool = False) -> Markup:
    """Points; with the line on which both numbers are the same, or where y is 0."""
    both = np.concatenate([x, y])
    bounds = (float(both.min()), float(both.max()))
    axes = Axes(bounds, bounds) if diagonal else Axes((x.min(), x.max()), (y.min(), y.max()))
    body = axes.frame(x_label, y_label)
    ends = (axes.across(axes.x), axes.up(axes.y if diagonal else (0.0, 0.0)))
    body += "".join(
        f'<circle class="dot s0" cx="{a:.1f}" cy="{b:.1f}" r="2"/>'
        for a, b in zip(axes.across(x).tolist(), axes.up(y).tolist())
    )
    body += f'<path class="guide" d="{path_of(*ends)}"/>'
    return figure(title, body, words=f"{title}: {y_label} by {x_label}")


def columns_chart(title: str, counts: np.ndarray, edges: np.ndarray, x_label: str, y_label: str = "rows") -> Markup:
    """A histogram."""
    axes = Axes((float(edges[0]), float(edges[-1])), (0.0, float(counts.max(initial=1))))
    body = axes.frame(x_label, y_label)
    base = float(axes.up(0.0))
    for k, count in enumerate(counts.tolist()):
        left, right, top = float(axes.across(edges[k])), float(axes.across(edges[k + 1])), float(axes.up(count))
        body += (
            f'<rect class="bar s0" x="{left + 0.5:.1f}" y="{top:.1f}" width="{max(0.5, right - left - 1):.1f}" '
            f'height="{base - top:.1f}"/>'
        )
    return figure(title, body)


def spark(shares: np.ndarray) -> Markup:
    """A tiny histogram for a table."""
    n, most = len(shares), float(max(shares.max(initial=0.0), 1e-300))
    bars = "".join(
        f'<rect x="{k + 0.08:.2f}" y="{1 - share / most:.3f}" width=".84" height="{share / most:.3f}"/>'
        for k, share in enumerate(shares.tolist())
    )
    return Markup(f'<svg class="spark" viewBox="0 0 {n} 1" preserveAspectRatio="none" aria-hidden="true">{bars}</svg>')


def swarm(title: str, names: Sequence[str], values: np.ndarray, shades: np.ndarray, x_label: str) -> Markup:
    """One strip of points per column, the first on top; `shades` (0 to 1, or NaN) say the colours."""
    step, first = 34, 6
    height = first + step * len(names) + 36
    bound = (float(values.min(initial=0.0)), float(values.max(initial=0.0)))
    low, high = _wide(bound)

    def across(numbers: np.ndarray) -> np.ndarray:
        return 10 + (numbers - low) / (high - low) * (WIDTH - 20)

    zero = float(across(np.zeros(1))[0])
    body = f'<line class="guide" x1="{zero:.1f}" x2="{zero:.1f}" y1="4" y2="{height - 32}"/>'
    for k, name in enumerate(names):
        top = first + step * k
        body += f'<text class="strip" x="6" y="{top + 9}">{escape(name if len(name) <= 46 else name[:45] + "…")}</text>'
        x = across(values[:, k])
        for a, b, shade in zip(x.tolist(), _spread(x), shades[:, k].tolist()):
            style = "none" if shade != shade else f"h{min(6, int(shade * 7))}"
            body += f'<circle class="bee {style}" cx="{a:.1f}" cy="{top + 21 + b:.1f}" r="1.9"/>'
    for value in ticks(low, high):
        at = float(across(np.array([value]))[0])
        body += f'<text class="tick" x="{at:.1f}" y="{height - 20}" text-anchor="middle">{short(value)}</text>'
    body += f'<text class="label" x="{WIDTH / 2}" y="{height - 5}" text-anchor="middle">{escape(x_label)}</text>'
    return figure(title, body, height)


def _spread(x: np.ndarray) -> list[float]:
    """Heights of points that would lie on each other."""
    seen: dict[int, int] = {}
    found = []
    for place in (x / 2.5).astype(int).tolist():
        n = seen.get(place, 0)
        seen[place] = n + 1
        level = min((n + 1) // 2, 5)
        found.append(1.7 * level * (1 if n % 2 else -1))
    return found
