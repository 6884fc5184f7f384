"""Fill in the measured figures of README.md, CHANGELOG.md and docs/ from benchmarks/results.toml.

    python -m tools.figures            # write them into the pages
    python -m tools.figures --check    # write nothing; exit code 1 if a page is not current
    python -m tools.figures --unused   # list the results that no page prints

In a text, a marker stands around one figure:

    takes <!--result gpu.predict-->27 ms<!--/-->        Spinney's figure, with its unit
    <!--result gpu.predict ratio-->                           Spinney's figure over the smallest of the others'
    <!--result gpu.predict XGBoost-->                         another library's figure
    <!--result gpu.predict date-->                            any other field of the entry, or of its group

Tables are written as a whole; the marker names the entries (or a group: all its entries), then the columns:

    <!--results boosting.leaves31 boosting.depth6 | what | spinney | ratio | others-->
    (the table)
    <!--/results-->

A column is `what`, `spinney`, `ratio`, `others` (all other libraries, fastest first), a library or a field; `a + b`
puts two in one cell, and `ratio = Header` gives a column another header. An entry states its
date where it differs from the first entry's.
"""

from __future__ import annotations

import argparse
import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks import results

ROOT = Path(__file__).parent.parent
_INLINE = re.compile(r"(<!--result\s+([\w.]+)(?:\s+([^>]+?))?-->).*?<!--/-->", re.DOTALL)
_TABLE = re.compile(r"(<!--results\s+([^|>]+)\|([^>]+?)-->\n).*?(<!--/results-->)", re.DOTALL)
_ANY = re.compile(r"<!--(?:/|/?results?\b[^>]*)-->")
HEADERS = {
    "what": "What",
    "spinney": "Spinney",
    "ratio": "Ratio to the fastest",
    "others": "Other libraries, fastest first",
    "before": "Before",
    "after": "After",
    "result": "Result",
}
TO_THE_LEFT = ("what", "others", "before", "after", "result", "from")


class FigureError(ValueError):
    """A marker that cannot be filled in."""


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def filled(text: str, entries: dict[str, list[results.Entry]]) -> str:
    """The text with every marked figure taken from the entries."""

    def table_of(match: re.Match[str]) -> str:
        names, columns = match[2].split(), [column.strip() for column in match[3].split("|")]
        chosen = [entry for name in names for entry in _entries(name, entries)]
        return f"{match[1]}{table(chosen, columns)}\n{match[4]}"

    def figure_of(match: re.Match[str]) -> str:
        (entry, *more) = _entries(match[2], entries)
        if more:
            raise FigureError(f"{match[2]} is a group; name one of its entries.")
        return match[1] + cell(entry, match[3] or "spinney") + "<!--/-->"

    if line := re.search(r"^\s*<!--result\s.*", text, re.MULTILINE):  # would be a block of HTML
        raise FigureError(f"a line begins with a marker; move a word before it: {line[0].strip()[:60]}")
    rest = _ANY.findall(_INLINE.sub("", _TABLE.sub("", text)))
    if rest:
        raise FigureError(f"{rest[0]} has no counterpart or no name.")
    return _INLINE.sub(figure_of, _TABLE.sub(table_of, text))


def named(text: str) -> set[str]:
    """The entries and groups that a text takes figures from."""
    inline = {match[2] for match in _INLINE.finditer(text)}
    return inline.union(*(match[2].split() for match in _TABLE.finditer(text)))


def table(entries: list[results.Entry], columns: list[str]) -> str:
    """A Markdown table with a row per entry."""
    parts = [[part.strip() for part in column.split("=")] for column in columns]
    keys, headers = (
        [part[0] for part in parts],
        [part[1] if part[1:] else HEADERS.get(part[0], part[0]) for part in parts],
    )
    lines = [_line(headers), "|" + "|".join("---" if key in TO_THE_LEFT else "--:" for key in keys) + "|"]
    first = entries[0].get("date")
    for entry in entries:
        row = [_cells(entry, key) for key in keys]
        if keys[0] == "what" and entry.get("date", first) != first:
            row[0] += f" ({entry['date']})"
        lines.append(_line(row))
    return "\n".join(lines)


def cell(entry: results.Entry, key: str, optional: bool = False) -> str:
    """One figure or field of an entry, as the pages print it."""
    others = entry.get("others", {})
    if key == "ratio":
        if "ratio" in entry:
            return str(entry["ratio"])
        value = results.ratio(entry)
        return "" if value is None else f"{value:.2f}" if value >= Decimal("0.0995") else f"{value:.2g}"
    if key == "others":
        pairs = ", ".join(f"{name} {_with_unit(value, entry)}" for name, value in others.items())
        return "; ".join(part for part in (pairs, entry.get("note", "")) if part)
    if key in others:
        return _with_unit(others[key], entry)
    if key in entry:
        return _with_unit(entry[key], entry) if key == "spinney" else _number(entry[key])
    if optional:
        return ""
    raise FigureError(f"{entry.get('what', 'the group')!r} has no {key!r}.")


def _cells(entry: results.Entry, keys: str) -> str:
    """One cell of a table: the fields that the entry has."""
    return ", ".join(filter(None, (cell(entry, key.strip(), optional=True) for key in keys.split("+"))))


def _entries(name: str, entries: dict[str, list[results.Entry]]) -> list[results.Entry]:
    if name not in entries:
        raise FigureError(f"{name} is not in {results.FILE.name}.")
    return entries[name]


def _line(row: list[str]) -> str:
    return "|" + "|".join(f" {one} " if one else " " for one in row) + "|"


def _with_unit(value: Any, entry: results.Entry) -> str:
    unit = entry.get("unit", "")
    return f"{_number(value)} {unit}".strip()


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | Decimal) else str(value)


def main(arguments: list[str] | None = None) -> int:
    """Write the figures into the pages, or compare; 1 if a page names what is not there or is not current."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.figures", description="Fill in the measured figures of the pages."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a page is not current")
    parser.add_argument("--unused", action="store_true", help="list the results that no page prints")
    options = parser.parse_args(arguments)
    entries, complaints, used = results.load(), [], set()
    for page in pages():
        text, place = page.read_text(encoding="utf-8"), page.relative_to(ROOT)
        used |= named(text)
        try:
            new = filled(text, entries)
        except FigureError as error:
            complaints.append(f"{place}: {error}")
            continue
        if new != text and options.check:
            complaints.append(f"{place}: figures differ from benchmarks/results.toml. Run python -m tools.figures.")
        elif new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{place}: figures written")
    if options.unused:
        print("\n".join(name for name in entries if "." in name and not {name, name.split(".")[0]} & used))
    print("\n".join(complaints) if complaints else "All figures are current.")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
