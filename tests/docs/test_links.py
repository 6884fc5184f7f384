"""Links lead somewhere: to files that are there, and to headings that these have. No network is needed."""

import pytest

from tests.docs.pages import DOCS, anchors, links, pages, text_of
from tools.site.contents import AWAITED, MADE


@pytest.mark.parametrize("name", pages())
def test_links(name):
    page = pages()[name]
    dead = [link for link in links(text_of(page)) if "://" not in link and not leads_somewhere(page, link)]
    assert dead == []


def leads_somewhere(page, link):
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if target.parent == DOCS and target.name in AWAITED:
        return True
    if not target.exists():
        return str(target.relative_to(DOCS)) in MADE
    return not anchor or anchor in anchors(text_of(target))


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n[there](#a-page) [not](#nowhere) [nor](other.md) `[code](is.md)` ![picture](no.png)\n")
    found = [link for link in links(text_of(page)) if not (link == "#a-page" or link.startswith(("other", "no.")))]
    assert found == ["#nowhere"]
    assert leads_somewhere(page, "#a-page")
    assert not leads_somewhere(page, "#nowhere")
