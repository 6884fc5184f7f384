"""The table of contents: docs/index.md in, sections of pages out.

A section of the site's navigation is a heading of the second level in the index, and its pages are the links at the
beginning of list items below it: `- [Decision trees](trees.md): ...`. So the order of pages has one home, which reads
well as Markdown, too.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# pages that the build makes, and the file that each of them comes from
MADE = {"api/index.md": "tools/site/reference.py", "gallery/index.md": "docs/gallery/index.md"}
_ITEM = re.compile(r"^(?:- |\d+\. )\[(?P<title>[^]]+)\]\((?P<path>[^)#]+\.md)\)", re.MULTILINE)


def sections(index: str) -> dict[str, dict[str, str]]:
    """Title of a section -> path of a page -> its title."""
    _, *parts = re.split(r"^## ", index, flags=re.MULTILINE)
    found = {
        part.partition("\n")[0].strip(): {one["path"]: one["title"] for one in _ITEM.finditer(part)} for part in parts
    }
    return {title: pages for title, pages in found.items() if pages}


def titles() -> dict[str, str]:
    """Path of a page, as in the index -> its short title."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    return {path: title for pages in sections(index).values() for path, title in pages.items()}


def is_there(path: str) -> bool:
    """Whether a page of the index exists, or will be made."""
    return path in MADE or (DOCS / path).exists()


def page_name(path: str) -> str:
    """The name of a page on the site: that of its file; files above docs/ become pages beside the others."""
    name = path.removeprefix("../")
    return (name if name == path else name.lower()).removesuffix(".md")


def with_navigation(index: str) -> str:
    """The index as the site shows it: with a hidden table of contents for each section."""
    trees = []
    for title, pages in sections(index).items():
        lines = [f"{name} <{page_name(path)}>" for path, name in pages.items()]
        trees.append("\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *lines, "```"]))
    return "\n\n".join([index.rstrip("\n"), *trees]) + "\n"
