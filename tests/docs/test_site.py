"""The site is whole: every page has its place, every public name a page, every picture its script. Building it takes a
minute, and is done where Sphinx is installed (`make docs`)."""

import re
import subprocess
import sys

import pytest

import spinney
from tests.docs.pages import DOCS, ROOT, pages, text_of
from tools.site import gallery, reference
from tools.site.contents import MADE, is_there, page_name, sections, titles, with_navigation

# pictures without an entry in the gallery, and why
NOT_IN_THE_GALLERY: dict[str, str] = {}


# --- contents --------------------------------------------------------------------------------------------------------


def test_every_page_has_a_place_in_the_index():
    listed, there = set(titles()), {path.name for path in DOCS.glob("*.md")}
    assert there - listed == {"index.md"}
    assert all(is_there(path) for path in listed)


def test_the_index_of_the_site_has_a_table_of_contents():
    made = with_navigation("# I\n\n## One\n\n- [A](trees.md): a\n  and on\n- [C](../CHANGELOG.md)\n")
    assert "A <trees>\nC <changelog>" in made
    assert "and on" in made


def test_sections_are_headings_and_pages_are_links_at_the_start_of_items():
    index = "# I\n[x](x.md)\n\n## One\n\n1. [A](a.md): a, [b](b.md)\n2. [C](c.md)\n\n## Two\n\nnothing\n"
    assert sections(index) == {"One": {"a.md": "A", "c.md": "C"}}
    assert page_name("../CHANGELOG.md") == "changelog"


def test_pages_begin_with_their_title():
    assert not [name for name, page in pages().items() if not text_of(page).startswith("# ")]


# --- reference -------------------------------------------------------------------------------------------------------


def test_every_public_name_is_in_one_group_of_the_reference():
    listed = [name for _, _, names in reference.GROUPS.values() for name in names]
    assert len(listed) == len(set(listed))
    assert set(reference.public_names()) - set(listed) == set(), "give them a group in tools/site/reference.py"
    for name in listed:
        assert reference.find(name).__doc__, name


def test_the_guides_of_the_groups_are_there():
    assert not [guide for _, guide, _ in reference.GROUPS.values() if guide not in MADE and not (DOCS / guide).exists()]


def test_rooms_with_public_names_are_in_the_reference():
    rooms = {
        path.parent.name for path in (ROOT / "spinney").glob("[a-z]*/__init__.py") if "__all__ = " in text_of(path)
    }
    assert rooms - {"cli", "lab"} == set(reference.ROOMS), "change ROOMS in tools/site/reference.py"


def test_methods_are_ours_or_scikit_learns():
    ours, others = reference.methods(spinney.DecisionTreeClassifier)
    assert {"fit", "predict", "predict_proba", "predict_row", "get_n_leaves"} <= set(ours)
    assert not {"class_numbers", "_grow"} & set(ours)  # for internal use
    assert {"get_params", "score"} <= set(others)
    assert not [name for name in ours + others if name.endswith("_request")]


def test_words_that_end_in_an_underscore_are_no_links():
    assert reference.without_targets("n_iter_, a_b and `classes_`") == r"n_iter\_, a_b and `classes_`"
    assert reference.without_targets("    >>> model.classes_") == "    >>> model.classes_"


def test_pages_of_the_reference(tmp_path):
    reference.write(tmp_path)
    names = reference.public_names()
    assert {f"spinney.{name}.rst" for name in names} <= {path.name for path in tmp_path.iterdir()}
    assert ".. automethod:: KMeans.fit" in (tmp_path / "spinney.KMeans.rst").read_text()


# --- gallery ---------------------------------------------------------------------------------------------------------


def test_every_picture_has_an_entry():
    code = "\n".join(one.code for one in gallery.entries())
    drawn = set(re.findall(r"\bplot_\w+(?=\()", code))
    public = {name.rpartition(".")[2] for name in reference.public_names()}
    missing = {name for name in public if name.startswith("plot_")} - drawn - set(NOT_IN_THE_GALLERY)
    assert missing == set(), "write a script in docs/gallery and list it in docs/gallery/index.md"


def test_every_script_is_listed_and_says_what_it_shows():
    listed = gallery.entries()
    assert {f"{one.name}.py" for one in listed} == {path.name for path in gallery.SCRIPTS.glob("*.py")}
    assert not [one.name for one in listed if not one.title or not one.text]


@pytest.mark.slow
@pytest.mark.parametrize("name", [one.name for one in gallery.entries()])
def test_scripts_draw(name):
    plt = pytest.importorskip("matplotlib.pyplot")
    from tests.pictures import check_figure

    try:
        figures = gallery.draw(name)
        assert figures
        for figure in figures:
            check_figure(figure)
    finally:
        plt.close("all")


def broken(plt, kind):
    """A picture in which something is missing."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(20, 3) if kind == "small labels" else (6, 3))
    left.plot([1, 2])
    if kind != "an empty panel":
        right.plot([1, 2])
    if kind == "a hidden panel":
        right.set_visible(False)
    if kind != "no names":
        left.set(xlabel="x[0]" if kind == "a number for a name" else "width", ylabel="height")
    return figure


@pytest.mark.parametrize(
    "kind", ["an empty panel", "a hidden panel", "no names", "a number for a name", "small labels", "whole"]
)
def test_the_check_of_pictures_can_fail(kind):
    plt = pytest.importorskip("matplotlib.pyplot")
    from tests.pictures import check_figure

    try:
        if kind == "whole":
            check_figure(broken(plt, kind))
            return
        with pytest.raises(AssertionError):
            check_figure(broken(plt, kind))
    finally:
        plt.close("all")


def test_images_are_drawn_by_scripts_and_shown_somewhere():
    shown = "\n".join(text_of(page) for page in pages().values())
    for path in gallery.IMAGES.iterdir():
        assert path.stem == "lab" or (gallery.SCRIPTS / f"{path.stem}.py").exists(), (
            path.name
        )  # the lab's is of a browser
        assert f"images/{path.name})" in shown, path.name
        assert path.stat().st_size < 100_000, path.name


# --- README ----------------------------------------------------------------------------------------------------------


def test_the_readme_fits_on_two_screens():
    assert len(text_of(ROOT / "README.md").splitlines()) <= 95


# --- the whole -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_site_is_built_without_warnings_and_loads_nothing_from_elsewhere():
    pytest.importorskip("furo")
    done = subprocess.run([sys.executable, "-m", "tools.site"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    site = ROOT / "build" / "site"
    pattern = re.compile(
        r"<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=[\"'](?:https?:)?//[^\"']+", re.IGNORECASE
    )
    outside = {found for page in site.rglob("*.html") for found in pattern.findall(text_of(page))}
    outside |= {
        str(sheet) for sheet in site.rglob("*.css") if re.search(r"(@import|url\()[^;)]*https?://", text_of(sheet))
    }
    assert outside == set()
