"""Small charts as SVG: text stays readable on a phone, and colours are the page's (page.css), light or dark.

In: numbers. Out: a `Markup` of one <figure>. Names are escaped here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup, escape

from spinney.view.numbers import short

WIDTH, HEIGHT = 360, 250
_RIGHT, _TOP, _BOTTOM = 12, 10, 40
_LETTER = 6.2  # of a tick's number
_MOST_POINTS = 240  # of a line
_NAME = 18  # letters of a category
WIDE = 430  # a swarm that is alone


class Line(NamedTuple):
    """A line of a chart."""

    name: str
    x: np.ndarray
    y: np.ndarray
    style: str = "s0"  # s0 .. s7: colours of the page
    low: np.ndarray | None = None  # a band around it
    high: np.ndarray | None = None


def ticks(low: float, high: float, most: int = 5, whole: bool = False) -> list[float]:
    """Round numbers between two; `whole`: none with decimals."""
    if not high > low:
        return [low]
    raw = max((high - low) / most, 1.0 if whole else 0.0)
    size = 10.0 ** np.floor(np.log10(raw))
    steps = (size * one for one in (1, 2, 2.5, 5, 10) if not whole or (size * one) % 1 == 0)
    step = next(one for one in steps if one >= raw * 0.999)
    first = np.ceil(low / step - 1e-9)
    return [float(k * step) for k in np.arange(first, np.floor(high / step + 1e-9) + 1)]


def tick_texts(values: Sequence[float]) -> list[str]:
    """Ticks as text, all with the decimals that the step between them needs.

    >>> tick_texts([2007.0, 2007.5]), tick_texts([0.0, 0.25, 0.5]), tick_texts([0.0, 20000.0])
    (['2007', '2007.5'], ['0', '0.25', '0.5'], ['0', '20,000'])
    """
    step = min((b - a for a, b in pairwise(values)), default=0.0)
    if not 1e-4 <= step < 1.0:
        return [short(one) for one in values]
    texts = [f"{one:.{2 - int(np.floor(np.log10(step)))}f}".rstrip("0").rstrip(".") for one in values]
    return ["0" if one == "-0" else one for one in texts]


class Axes:
    """Where numbers lie in a chart."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], height: int = HEIGHT, left: float = 0) -> None:
        self.x, self.y, self.height = _wide(x), _wide(y), height
        self.left = left or round(26 + _LETTER * max(map(len, tick_texts(ticks(*self.y)))))

    def across(self, values: Any) -> np.ndarray:
        low, high = self.x
        return self.left + (np.asarray(values, float) - low) / (high - low) * (WIDTH - self.left - _RIGHT)

    @property
    def place(self) -> str:
        """Where the page's script finds this chart's numbers: left, right, top and bottom of the inside."""
        return f"{self.left} {WIDTH - _RIGHT} {_TOP} {self.height - _BOTTOM}"

    def up(self, values: Any) -> np.ndarray:
        low, high = self.y
        room = self.height - _TOP - _BOTTOM
        return _TOP + room - (np.asarray(values, float) - low) / (high - low) * room

    def frame(self, x_label: str, y_label: str, whole: bool = False) -> str:
        """Lines, ticks and labels; `whole`: x has no decimals."""
        base = self.height - _BOTTOM
        parts = []
        ups, alongs = ticks(*self.y), ticks(*self.x, whole=whole)
        for value, text in zip(ups, tick_texts(ups)):
            at = float(self.up(value))
            parts.append(f'<line class="grid" x1="{self.left}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            parts.append(_tick(self.left - 5, at + 3.5, text, "end"))
        parts += [_tick(float(self.across(one)), base + 15, text) for one, text in zip(alongs, tick_texts(alongs))]
        parts.append(_label((self.left + WIDTH - _RIGHT) / 2, self.height - 6, x_label))
        parts.append(
            f'<text class="label" transform="translate(11 {(_TOP + base) / 2}) rotate(-90)" text-anchor="middle">'
            f"{escape(y_label)}</text>"
        )
        return "".join(parts)


def _tick(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text class="tick" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text class="label" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _wide(bounds: tuple[float, float]) -> tuple[float, float]:
    low, high = float(bounds[0]), float(bounds[1])
    if high > low:
        return low, high
    return low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2


def figure(
    title: str,
    body: str,
    height: int = HEIGHT,
    words: str = "",
    note: str = "",
    key: str = "",
    width: int = WIDTH,
    place: str = "",
) -> Markup:
    """One chart with its title; `words` are for those who cannot see it."""
    more = f' data-place="{place}"' if place else ""
    below = f'<p class="note">{escape(note)}</p>' if note else ""
    return Markup(
        f'<figure><figcaption>{escape(title)}</figcaption>{key}<svg viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(words or title)}"{more}>{body}</svg>{below}</figure>'
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
    dots: bool = False,
    sizes: np.ndarray | None = None,
    note: str = "",
) -> Markup:
    """Lines; `marker` is the id of a point that the page moves along, `sizes` are shares that dots stand for."""
    ends = [one for line in lines for one in (line.low, line.high, line.y) if one is not None and len(one)]
    every = np.concatenate(ends) if ends else np.zeros(1)
    every = every[np.isfinite(every)]
    along = np.concatenate([line.x for line in lines])
    axes = Axes(
        x_range or (float(along.min()), float(along.max())),
        y_range or ((float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)),
    )
    body = axes.frame(x_label, y_label, bool((along == np.round(along)).all()) and x_range is None)
    if diagonal:
        body += f'<path class="guide" d="{path_of(axes.across(axes.x), axes.up(axes.y))}"/>'
    for line in lines:
        x = axes.across(line.x)
        if line.low is not None and line.high is not None:
            around = path_of(np.concatenate([x, x[::-1]]), axes.up(np.concatenate([line.low, line.high[::-1]])))
            body += f'<path class="band {line.style}" d="{around}Z"/>'
        body += f'<path class="line {line.style}" d="{path_of(x, axes.up(line.y))}"/>'
        if dots:
            radii = np.full(len(x), 3.0) if sizes is None else 2.0 + 7.0 * np.sqrt(sizes)
            body += "".join(
                f'<circle class="dot {line.style}" cx="{a:.1f}" cy="{b:.1f}" r="{r:.1f}"/>'
                for a, b, r in zip(x.tolist(), axes.up(line.y).tolist(), radii.tolist())
            )
    key = legend([(line.name, line.style) for line in lines]) if len(lines) > 1 else ""
    if marker:
        body += f'<circle class="marker" id="{marker}" r="5" cx="-9" cy="-9"/>'
    place = axes.place if marker else ""
    return figure(title, body, words=f"{title}: {y_label} by {x_label}", note=note, key=key, place=place)


class Strip(NamedTuple):
    """A row of a chart of categories."""

    name: str
    values: np.ndarray  # one per series
    low: float = np.nan  # of several categories that are shown together
    high: float = np.nan


def strips_chart(
    title: str, strips: Sequence[Strip], series: Sequence[tuple[str, str]], x_label: str, note: str = ""
) -> Markup:
    """Categories from top to bottom, with a point for each series: they have no order that a line could follow."""
    step, first = 20, 8
    height = first + step * len(strips) + 40
    ends = [[*one.values.tolist(), one.low, one.high] for one in strips]
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    room = (high - low) * 0.06
    left = 12 + _LETTER * min(_NAME, max(len(one.name) for one in strips))
    axes = Axes((low - room, high + room), (0.0, 1.0), height, left)
    body = ""
    alongs = ticks(*axes.x)
    for value, text in zip(alongs, tick_texts(alongs)):
        at = float(axes.across(value))
        body += f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{first}" y2="{height - 36}"/>'
        body += _tick(at, height - 22, text)
    for k, one in enumerate(strips):
        at = first + step * (k + 0.5)
        place = f'class="strip" x="{left - 6:.1f}" y="{at + 4:.1f}" text-anchor="end"'
        body += f"<text {place}>{escape(_cut(one.name, _NAME))}</text>"
        x = axes.across(one.values)
        body += f'<line class="grid" x1="{left:.1f}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        if np.isfinite(one.low):
            least, most = (float(end) for end in axes.across([one.low, one.high]))
            body += f'<path class="stalk" d="M{least:.1f} {at:.1f}H{most:.1f}"/>'
        for (_, style), place in zip(series, x.tolist()):
            body += f'<circle class="dot {style}" cx="{place:.1f}" cy="{at:.1f}" r="4"/>'
    body += _label((left + WIDTH - _RIGHT) / 2, height - 6, x_label)
    key = legend(series) if len(series) > 1 else ""
    return figure(title, body, height, words=f"{title}: {x_label} of {len(strips)} categories", note=note, key=key)


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
    return figure(title, body, words=f"{title}: {y_label} by {x_label}")


def whole_bins(values: np.ndarray, most: int) -> np.ndarray | None:
    """Edges of bins that hold equally many whole numbers; None for other numbers.

    >>> whole_bins(np.array([1.0, 4.0]), 20)
    array([0.5, 1.5, 2.5, 3.5, 4.5])
    """
    low, high = float(values.min()), float(values.max())
    if abs(low) > 1e9 or abs(high) > 1e9 or (values != np.round(values)).any():
        return None
    each = int(np.ceil((high - low + 1) / most))
    n_bins = int(np.ceil((high - low + 1) / each))
    return low - 0.5 + each * np.arange(n_bins + 1)


def spark(shares: np.ndarray) -> Markup:
    """A tiny histogram for a table."""
    n, most = len(shares), float(max(shares.max(initial=0.0), 1e-300))
    bars = "".join(
        f'<rect x="{k + 0.08:.2f}" y="{1 - share / most:.3f}" width=".84" height="{share / most:.3f}"/>'
        for k, share in enumerate(shares.tolist())
    )
    return Markup(f'<svg class="spark" viewBox="0 0 {n} 1" preserveAspectRatio="none" aria-hidden="true">{bars}</svg>')


def swarm(
    title: str, names: Sequence[str], values: np.ndarray, shades: np.ndarray, x_label: str, width: int = WIDTH
) -> Markup:
    """One strip of points per column, the first on top; `shades` (0 to 1, or NaN) say the colours."""
    step, first = 34, 6
    height = first + step * len(names) + 36
    bound = (float(values.min(initial=0.0)), float(values.max(initial=0.0)))
    low, high = _wide(bound)

    def across(numbers: np.ndarray) -> np.ndarray:
        return 10 + (numbers - low) / (high - low) * (width - 20)

    zero = float(across(np.zeros(1))[0])
    body = f'<line class="guide" x1="{zero:.1f}" x2="{zero:.1f}" y1="4" y2="{height - 32}"/>'
    for k, name in enumerate(names):
        top = first + step * k
        body += f'<text class="strip" x="6" y="{top + 9}">{escape(_cut(name, 46))}</text>'
        x = across(values[:, k])
        for a, b, shade in zip(x.tolist(), _spread(x), shades[:, k].tolist()):
            style = "none" if shade != shade else f"h{min(6, int(shade * 7))}"
            body += f'<circle class="bee {style}" cx="{a:.1f}" cy="{top + 21 + b:.1f}" r="1.9"/>'
    alongs = ticks(low, high)
    for at, text in zip(across(np.array(alongs)).tolist(), tick_texts(alongs)):
        body += _tick(at, height - 20, text)
    body += _label(width / 2, height - 5, x_label)
    return figure(title, body, height, width=width, words=f"{title}: {x_label}, a strip of points for each column")


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
