"""Numbers and lists as text, for everything that people read.

In: numbers and how many decimals are wanted. Out: text that is still true: thresholds on one path are written
differently if they differ, and in order, with more decimals where that needs them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

_MORE = 8  # decimals beyond those asked for, before a number is written out in full
_LARGE = 1e16  # from here a float64 has no decimals


def write(value: float, decimals: int, trim: bool = False) -> str:
    """`value` with `decimals` decimals; `trim` drops zeros at the end but one.

    >>> write(0.8, 2), write(0.8, 2, trim=True), write(2, 3, trim=True)
    ('0.80', '0.8', '2.0')
    """
    if not abs(value) < _LARGE:
        return repr(float(value))
    text = f"{value:.{decimals}f}"
    if trim and "." in text:
        text = text.rstrip("0")
        text += "0" if text.endswith(".") else ""
    return text[1:] if text.startswith("-") and float(text) == 0 else text


def write_value(value: float, decimals: int, trim: bool = False) -> str:
    """Like `write`, but a small number that is not 0 does not read as 0."""
    text = write(value, decimals, trim)
    return f"{value:.{max(decimals, 1)}g}" if value != 0 and float(text) == 0 else text


def write_amount(value: float, decimals: int, whole: bool = True) -> str:
    """A weight; without a point if it reads as a whole number and `whole` is true."""
    text = write_value(value, decimals, trim=True)
    return text.removesuffix(".0") if whole else text


def write_share(share: float) -> str:
    """A share as a percentage; 100 is written only for the whole, 0 only for nothing.

    >>> write_share(1), write_share(0.978), write_share(0.9999)
    ('100 %', '98 %', '99.9 %')
    """
    percent = 100 * share
    if 0 < percent < 0.5 or 99.5 <= percent < 100:
        return f"{min(max(percent, 0.1), 99.9):.1f} %"
    return f"{percent:.0f} %"


def spell(
    values: Iterable[float], decimals: int, trim: bool = False, ordered: Iterable[tuple[float, float]] = ()
) -> dict[float, str]:
    """Thresholds of one column as text: only 0 reads as 0, and pairs in `ordered`, low and high, read so.

    >>> spell([2.001, 2.004, 7.5], 2, ordered=[(2.001, 2.004)])
    {2.001: '2.001', 2.004: '2.004', 7.5: '7.50'}
    """
    pairs = list(ordered)
    digits = dict.fromkeys(sorted({*values, *chain(*pairs)}), decimals)
    while True:
        texts = {value: _written(value, n, decimals, trim) for value, n in digits.items()}
        unclear = {value for value, text in texts.items() if float(text) == 0 != value}
        unclear.update(chain(*((low, high) for low, high in pairs if float(texts[low]) >= float(texts[high]))))
        if not unclear:
            return texts
        for value in unclear:
            digits[value] += 1


def _written(value: float, digits: int, decimals: int, trim: bool) -> str:
    return write(value, digits, trim) if digits <= decimals + _MORE else repr(float(value))


def write_boolean(value: Any) -> str:
    """true or false.

    >>> write_boolean(True)
    'true'
    """
    return "true" if value else "false"


def short(value: Any, digits: int = 4) -> str:
    """A number in few digits.

    >>> short(12345.678), short(0.123456), short(0.123456, 3), short(7), short(-0.0)
    ('12,346', '0.1235', '0.123', '7', '0')
    """
    value = float(value) + 0.0  # no negative zero
    if not math.isfinite(value):
        return "-"
    if abs(value) >= 10**digits or (value == int(value) and abs(value) < 1e15):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"
    return f"{value:.{digits}g}"


def percent(share: float) -> str:
    """A share as a percentage of one decimal, with a no-break space.

    >>> percent(0.125).replace(chr(160), " ")
    '12.5 %'
    """
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def plural(n: int, noun: str, many: str | None = None) -> str:
    """A number of things.

    >>> plural(1, "row"), plural(2000, "row"), plural(2, "class", "classes")
    ('1 row', '2,000 rows', '2 classes')
    """
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"


def listed(parts: Sequence[str]) -> str:
    """A list in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
