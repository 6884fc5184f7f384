"""What the tests of the documentation share: all pages, their blocks of code, links, headings and tables."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[[^]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"``?[^`\n]+``?")


def pages():
    """Every page that people read, by its path from the root."""
    found = [*DOCS.glob("*.md"), *DOCS.glob("gallery/*.md"), *ROOT.glob("*.md")]
    return {str(path.relative_to(ROOT)): path for path in sorted(found)}


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


def blocks(text):
    """(language, code) of every fenced block."""
    return _BLOCK.findall(text)


def without_code(text):
    return _CODE.sub("", "\n".join(line for line in _BLOCK.sub("", text).splitlines() if not line.startswith("    ")))


def links(text):
    """Targets of links and pictures."""
    return _LINK.findall(without_code(text))


def anchors(text):
    """The names that headings can be linked by, as code hosts and the site make them."""
    headings = re.findall(r"^#+ (.+)$", _BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def tables(text, heading):
    """The rows of all tables below a heading, as lists of cells; headers left out."""
    _, _, rest = text.partition(f"\n## {heading}\n")
    part = rest.split("\n## ")[0]
    rows = [line.strip().strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    rules = {number for number, row in enumerate(cells) if set("".join(row)) <= set("-: ")}
    return [row for number, row in enumerate(cells) if number not in rules and number + 1 not in rules]


def names(cell):
    """What is in backticks."""
    return re.findall(r"`([^`]+)`", cell)
