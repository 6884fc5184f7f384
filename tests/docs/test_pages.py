"""The form of the pages: where readers start, cells that can be read, files that exist, one page of changes."""

import re

import pytest

from tests.docs.pages import DOCS, ROOT, blocks, pages, text_of

# pages to look things up in, from the first line on
NO_START = {"index", "architecture", "benchmark-methods", "dependencies", "glossary", "lectures", "performance"}
GUIDES = sorted(path.name for path in DOCS.glob("*.md") if path.stem not in NO_START)
MOST_LINES, MOST_WORDS = 10, 40


def start_of(text):
    """The first section, without its code, tables and pictures, as lines of text."""
    _, _, rest = text.partition("\n## Start here\n")
    part = re.sub(r"^```.*?^```", "", rest.partition("\n## ")[0], flags=re.DOTALL | re.MULTILINE)
    return [line for line in part.splitlines() if line.strip() and not line.startswith(("    ", "|", "!["))]


def wide_cells(text):
    """Cells of tables with more words than a reader holds in mind; code and markers are one word each."""
    plain = re.sub(r"<!--.*?-->", "", re.sub(r"`[^`\n]+`", "x", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)))
    cells = [cell for line in plain.splitlines() if line.startswith("|") for cell in line.split("|")]
    return [cell.strip() for cell in cells if len(cell.split()) > MOST_WORDS]


@pytest.mark.parametrize("name", GUIDES)
def test_guides_begin_with_what_most_readers_need(name):
    text = text_of(DOCS / name)
    before, _, _ = text.partition("\n## ")
    assert re.search(r"\n## (.*)", text)[1] == "Start here"
    assert len(before.splitlines()) <= 12
    assert 0 < len(start_of(text)) <= MOST_LINES


@pytest.mark.parametrize("name", pages())
def test_cells_of_tables_are_short(name):
    assert name.endswith("architecture.md") or wide_cells(text_of(pages()[name])) == []


def test_the_checks_can_fail():
    assert len(start_of("# A\n\n## Start here\n\none\n\n```text\nno\n```\n\n- two\n\n## B\nthree")) == 2
    assert wide_cells("| a | " + "word " * 41 + "|\n| `" + "code " * 50 + "` |") == [("word " * 41).strip()]


def test_files_that_pages_name_exist():
    """A page that names the file of a formula must follow it when it moves."""
    for name, page in pages().items():
        code = re.findall(r"`((?:spinney|tests|tools|benchmarks|examples|docs)/[\w./-]+)`", text_of(page))
        made = {"spinney/_kernels"}  # by the build of a wheel
        assert not [path for path in code if not (ROOT / path).exists() and path not in made], name


def test_every_method_of_the_mathematics_names_its_file():
    sections = text_of(DOCS / "mathematics.md").split("\n## ")[2:]
    assert len(sections) == 9
    assert not [part.partition("\n")[0] for part in sections if "`spinney/" not in part]


def test_the_changelog_is_a_page_and_begins_with_what_is_not_released():
    text = text_of(ROOT / "CHANGELOG.md")
    assert len(text.splitlines()) < 200
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[0] == "[Unreleased]"


def test_the_index_has_parts_for_users_and_for_developers():
    index = text_of(DOCS / "index.md")
    users, _, developers = index.partition("\n## For developers\n")
    for page in ("architecture", "model-format", "benchmark-methods", "performance", "dependencies"):
        assert f"({page}.md)" in developers
        assert f"]({page}.md)" not in users
    assert not blocks(developers)
