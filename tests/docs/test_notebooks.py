"""The notebooks of docs/notebooks print what is kept in them, and stay small."""

import json
import re

import pytest

from tools.notebooks import FOLDER, MOST_BYTES, outputs_of, run, texts_of
from tools.site.notebooks import write

QUICK = "from_scikit_learn"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=() if p.stem == QUICK else pytest.mark.slow, id=p.stem) for p in NOTEBOOKS]
)
def test_cells_print_what_is_kept(path):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    notebook = json.loads(path.read_text())
    kept = [texts_of(cell) for cell in notebook["cells"]]
    run(notebook)
    assert [texts_of(cell) for cell in notebook["cells"]] == kept


def test_notebooks_are_small_and_complete():
    assert len(NOTEBOOKS) == 5
    index = (FOLDER.parent / "index.md").read_text()
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text())
        assert path.stat().st_size <= MOST_BYTES
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
        assert re.match("# ", notebook["cells"][0]["source"][0])
        assert all(cell["outputs"] or not ends_in_value(cell) for cell in notebook["cells"] if "outputs" in cell)
        assert f"notebooks/{path.name}" in index


def ends_in_value(cell):
    return cell["source"][-1].startswith(("print", "plot"))


def test_pages_of_the_site(tmp_path):
    write(tmp_path / "pages")
    pages = {path.stem: path.read_text() for path in (tmp_path / "pages").glob("*.md")}
    assert set(pages) == {path.stem for path in NOTEBOOKS}
    assert "\n\n# A first model\n\n" in pages["first_model"]
    assert "```text\ntraining 0.987" in pages["first_model"]
    for page in pages.values():
        for picture in re.findall(r"!\[.*\]\((.*)\)", page):
            assert (tmp_path / "pages" / picture).read_bytes().startswith(b"\x89PNG")


def test_outputs():
    names = {}
    assert outputs_of("x = 1", names, 1) == []
    printed, value = outputs_of("print(x + 1)\nx", names, 2)
    assert (printed["text"], value["data"]["text/plain"]) == (["2\n"], ["1"])
    with pytest.raises(ZeroDivisionError):
        outputs_of("x / 0", names, 3)
