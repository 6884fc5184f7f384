"""Links lead somewhere: to files that are there, and to headings that these have. No network is needed."""

import pytest

from tests.docs.pages import DOCS, anchors, links, pages, text_of
from tools.site.contents import MADE


@pytest.mark.parametrize("name", pages())
def test_links(name):
    page = pages()[name]
    dead = [link for link in links(text_of(page)) if "://" not in link and not leads_somewhere(page, link)]
    assert dead == []


def leads_somewhere(page, link):
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return target.is_relative_to(DOCS) and str(target.relative_to(DOCS)) in MADE
    return not anchor or anchor in anchors(text_of(target))


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# Other\n")
    page.write_text(
        "# A page\n\n[a](#a-page) [b](#nowhere)\n"
        "[c](other.md#other) [d](other.md#no) [e](missing.md) `[f](code.md)` ![g](no.png)\n"
    )
    dead = [link for link in links(text_of(page)) if not leads_somewhere(page, link)]
    assert dead == ["#nowhere", "other.md#no", "missing.md", "no.png"]
