"""The examples in the guides are true: what follows `>>>` is run, and gives what the guide says."""

import doctest
from pathlib import Path

import pytest

import spinney

DOCS = Path(spinney.__file__).parents[1] / "docs"
TESTED_ELSEWHERE = ("pruning.md", "reading.md")  # beside the rooms they are about
GUIDES = [guide.name for guide in sorted(DOCS.glob("*.md")) if ">>>" in guide.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", [name for name in GUIDES if name not in TESTED_ELSEWHERE])
def test_examples_in_the_guides(name):
    result = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert not result.failed


def test_links_between_the_guides_lead_somewhere():
    for guide in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]:
        words = guide.read_text(encoding="utf-8").replace("`", " ").replace("(", " ").split()
        named = {word.rstrip(".,;:)") for word in words if word.startswith(("docs/", "examples/"))}
        assert not [path for path in named if not (DOCS.parent / path).exists()], guide.name
