"""Find phrases that must not come back in the public texts; `make lint` runs it.

    python -m tools.wording            # all public texts
    python -m tools.wording FILE ...   # these files

Public texts are README.md, CONTRIBUTING.md, CHANGELOG.md, docs/*.md (except architecture.md) and, in `spinney`, the
docstrings of public names and every other string: messages, help, labels. Private docstrings and comments are not
checked, nor is code in Markdown. Every finding names the words to use instead. The list has only phrases that are
never right; take one out if it turns out to be.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LEFT_OUT = ("docs/architecture.md",)
# subpackages without public names: only their messages are checked
INTERNAL = ("cluster", "data", "distributed", "gpu", "grow", "tables", "tree")
_LIBRARY = (
    "CuPy|torch|PyTorch|Dask|SciPy|NumPy|pandas|polars|Arrow|scikit-learn|XGBoost|LightGBM|CatBoost|Numba|Spinney"
)
_THING = "rows?|columns?|trees?|nodes?|folds?|rounds?|workers?|threads?|values?|seconds?"
_KIND = "category|class|classifier|column|criterion|estimator|feature|file|integer|metric|model|number|option|parameter"

PHRASES = {  # a regular expression -> what to write instead
    r"(?<!,\s)so many(?! \w+ that| that)": "this many; n",
    r"of equals,? the first": "ties go to the first",
    r"of equally good": "ties go to",
    r"(?:its|their) kin": "and the other prediction methods; related",
    r"and (?:its|their) likes?": "and similar; name them",
    r"whoever": "users who; name the agent",
    rf"(?<!place\s)(?<!that\s)(?<!those\s)of (?:{_LIBRARY})'s(?=[.,;:)]|$| (?:and|or|is|are|in|on|with|that)\b)": (
        "CuPy arrays; a SciPy matrix"
    ),
    rf"(?:one|two|\d+) \w+ an? (?:{_THING})(?=[.,;:)]|$)": "per, as in one row per fold",
    r"(?:any|any \w+|either|these|this|that) will do(?=[.,;:)]|$)": "is accepted; is enough",
    r"the lectures(?:')?(?! notes)": "some textbooks; cite the source; or leave it out",
    r"of one's own": "custom; your",
    r"of (?:yours|ours)": "your; Spinney's",
    r"(?:loss|losses|criterion|criteria|metrics?|callbacks?) of your own": "a custom loss; your loss",
    r"our own": "Spinney's",
    rf"(?<!there\s)is no (?:{_KIND}|sum|tree|table|regressor)": "is not a",
    r"best leaf first": "best-first",
    r"level by level": "level-wise",
    r"whole numbers?": "integer",
    r"whole weights?": "integer weight",
    r"(?:is|are|be) taken for": "is treated as",
    r"(?:table|tables|matrix|matrices) laid out|lays? (?:it|them|the table) out": "dense; converted to a dense array",
    r"price (?:of|for) (?:a leaf|a node|each leaf|nodes|leaves)": "penalty per leaf",
    r"what (?:the|its|their) rows hold": "row contents",
    r"anew": "again; re-",
    r"as they come": "directly; without preprocessing",
    r"go(?:es)? in as": "are accepted",
    r"nine in ten": "90 %",
    r"(?<!they\s)(?:is|are) for the CPU": "is supported only on the CPU",
    r"refused in words": "raises an error that",
    r"the fit before": "the previous fit",
    r"turns? the answer": "changes the prediction",
    r"the least (?:change|value|number|weight|loss)": "the smallest; the minimum",
    r"flatters?": "is biased towards; is optimistic",
    r"first centres": "initial centroids",
    r"takes? off the impurity": "reduces the impurity",
    r"(?:is|are|be|splits|branches) taken back": "pruned; undone",
    r"(?:and|which|it|that) says so": "prints; warns; raises",
    r"(?:model|tree|trees|forest|it|they) says? of": "predicts for",
    r"(?:the|its|their|our) peers": "other libraries",
    r"all but for|everything but for|the same but for": "except",
    r"(?:is|are|was|were) kept aside": "held out",
    r"(?<=\.\s)(?-i:Of) (?:many|several|such|what)": "begin with the subject",
    r"questions? (?:is|are) (?:asked|about)|(?:is|are) asked about": "split; a split tests",
    r"optional(?=\n)|default (?:None|True|False)(?=\n)": "default=None, in the docstring of a parameter",
}
_COMPILED = {
    re.compile(rf"\b(?:{words.replace(' ', chr(92) + 's+')})(?!\w)", re.IGNORECASE): instead
    for words, instead in PHRASES.items()
}


def main(arguments: list[str] | None = None) -> int:
    """Print every finding; 1 if there is one."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.wording", description="Find phrases that must not come back in the public texts."
    )
    parser.add_argument("files", nargs="*", type=Path, help="default: all public texts")
    found = [line for path in parser.parse_args(arguments).files or public_texts() for line in check(path)]
    print("\n".join(found) if found else "No phrase to replace.")
    return 1 if found else 0


def public_texts() -> list[Path]:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    found = sorted(pages) + sorted((ROOT / "spinney").rglob("*.py"))
    return [path for path in found if str(path.relative_to(ROOT)) not in LEFT_OUT]


def check(path: Path) -> Iterator[str]:
    """A line for every phrase in one file."""
    path = path.resolve()
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    source = path.read_text(encoding="utf-8")
    texts = strings(source, place) if path.suffix == ".py" else [(1, without_code(source))]
    for line, text in texts:
        for offset, phrase, instead in findings(text):
            yield f"{place}:{line + offset}: {phrase!r}; write: {instead}"


def findings(text: str) -> Iterator[tuple[int, str, str]]:
    """Line (from 0), phrase and what to write instead, of every phrase in a text."""
    for pattern, instead in _COMPILED.items():
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()), " ".join(match[0].split()), instead


def without_code(text: str) -> str:
    """Markdown with its code left out; lines stay where they are."""
    blank = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
    return blank.sub(lambda match: "\n" * match[0].count("\n") or "``", text)


def strings(source: str, place: Path) -> list[tuple[int, str]]:
    """First line and text of what users can read of a module: public docstrings and all other strings."""
    tree = ast.parse(source)
    docstrings = {
        id(node): public for node, public in _docstrings(tree, _is_public(place), "estimators" in place.parts)
    }
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and docstrings.get(id(node), True)
    ]


def _is_public(place: Path) -> bool:
    """Whether a module has docstrings that users read."""
    inner = place.with_suffix("").parts[1:]
    return not any(part.startswith("_") and not part.startswith("__") for part in inner) and inner[0] not in INTERNAL


def _docstrings(node: ast.AST, public: bool, mixins: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Every docstring below a node, and whether it is public: of a public name or its methods, or of a mixin."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            a_class = isinstance(child, ast.ClassDef)
            known = isinstance(node, ast.ClassDef) or child.name in _public_names() or (mixins and a_class)
            mine = public and known and (not child.name.startswith("_") or (mixins and a_class))
            yield from _docstrings(child, mine and a_class, mixins)
            yield from _first_string(child, mine)
        else:
            yield from _docstrings(child, public, mixins)
    if isinstance(node, ast.Module):
        yield from _first_string(node, False)


@cache
def _public_names() -> set[str]:
    from tools.site.reference import public_names

    return {name.rpartition(".")[2] for name in public_names()}


def _first_string(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, public: bool) -> Any:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        yield first.value, public


if __name__ == "__main__":
    sys.exit(main())
