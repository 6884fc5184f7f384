"""docs/environment.md has every environment variable that the source names, and no others."""

import re

from tests.docs.pages import DOCS, ROOT, text_of

_OURS = re.compile(r"\bSPINNEY_[A-Z][A-Z_]*[A-Z]\b")
_OTHERS = re.compile(r"\b(?:NUMBA_[A-Z_]+|OMP_[A-Z_]+|XDG_[A-Z_]+|LOCALAPPDATA)\b")


def test_variables_of_the_page_are_those_of_the_source():
    folders = ("spinney", "tests", "tools", "benchmarks", ".ci")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    source = "\n".join(
        text_of(path) for path in files if path.suffix in (".py", "") and "__pycache__" not in path.parts
    )
    page = text_of(DOCS / "environment.md")
    assert set(_OURS.findall(page)) == set(_OURS.findall(source))


def test_variables_of_others_that_the_package_reads():
    files = [*(ROOT / "spinney").rglob("*.py")]
    page = text_of(DOCS / "environment.md")
    assert set(_OTHERS.findall(page)) == {name for path in files for name in _OTHERS.findall(text_of(path))}
