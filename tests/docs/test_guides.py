"""The examples in the guides are true: what follows `>>>` is run, and gives what the guide says; the README too."""

import doctest
import re

import pytest

from tests.docs.pages import DOCS, ROOT, blocks, pages, text_of

TESTED_ELSEWHERE = ("pruning.md", "reading.md")  # beside the rooms they are about
# blocks without prompts have tests: test_the_readme, test_recipes, tests/io/test_shipping.py, tests/io/test_to_json.py
WITHOUT_PROMPTS = ("README.md", "docs/shipping.md", "docs/exporting.md", "docs/recipes.md")
RECIPES = [
    code for language, code in blocks(text_of(DOCS / "recipes.md")) if language == "python" and ">>>" not in code
]
GUIDES = [guide.name for guide in sorted(DOCS.glob("*.md")) if ">>>" in guide.read_text(encoding="utf-8")]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in GUIDES if name not in TESTED_ELSEWHERE])
def test_examples_in_the_guides(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert not result.failed


def test_links_between_the_guides_lead_somewhere():
    for guide in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]:
        words = guide.read_text(encoding="utf-8").replace("`", " ").replace("(", " ").split()
        named = {word.rstrip(".,;:)") for word in words if word.startswith(("docs/", "examples/"))}
        assert not [path for path in named if not (DOCS.parent / path).exists()], guide.name


def test_every_block_of_python_is_run():
    for name, page in pages().items():
        for language, code in blocks(text_of(page)):
            assert language, f"{name}: a block must say its language"
            assert language != "python" or ">>> " in code or name in WITHOUT_PROMPTS, name


def imported(code):
    """The packages that a block imports."""
    found = re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)
    return sorted(set(found) - {"spinney", "sklearn"})


@pytest.mark.parametrize("code", RECIPES, ids=["+".join(imported(code)) for code in RECIPES])
def test_recipes(code, tmp_path, monkeypatch):
    """Those for other packages, where they are installed."""
    assert imported(code)
    for package in imported(code):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    exec(compile(code, "recipes.md", "exec"), {"__name__": "recipe"})


def test_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = [code for language, code in blocks(text_of(ROOT / "README.md")) if language == "python"]
    exec(compile(block, "README.md", "exec"), {})
    assert (tmp_path / "penguins.spinney").exists()
    (shown,) = [code for language, code in blocks(text_of(ROOT / "README.md")) if language == "text"]
    assert capsys.readouterr().out == shown
