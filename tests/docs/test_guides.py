"""The examples in the guides are true: what follows `>>>` is run, and gives what the guide says; the README too."""

import doctest

import pytest

from tests.docs.pages import DOCS, ROOT, blocks, pages, text_of

TESTED_ELSEWHERE = ("pruning.md", "reading.md")  # beside the rooms they are about
# blocks without prompts have tests of their own: test_the_readme, tests/io/test_shipping.py, tests/io/test_to_json.py
WITHOUT_PROMPTS = ("README.md", "docs/shipping.md", "docs/exporting.md")
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


def test_every_block_of_python_is_run():
    for name, page in pages().items():
        for language, code in blocks(text_of(page)):
            assert language, f"{name}: a block must say its language"
            assert language != "python" or ">>> " in code or name in WITHOUT_PROMPTS, name


def test_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = [code for language, code in blocks(text_of(ROOT / "README.md")) if language == "python"]
    names = {}
    exec(block.replace("random_state=0).fit", "n_estimators=3, random_state=0).fit"), names)
    assert (tmp_path / "penguins.spinney").exists()
    assert "then Gentoo" in capsys.readouterr().out
