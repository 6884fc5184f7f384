"""tools/figures.py: the figures of the pages are those of benchmarks/results.toml."""

from decimal import Decimal

import pytest

from benchmarks import results
from tools import figures

ENTRIES = {
    "a.fit": [
        {
            "what": "fit",
            "spinney": Decimal("0.30"),
            "unit": "s",
            "others": {"Two": Decimal("3.00"), "Three": 1230},
            "date": "Monday",
        }
    ],
    "a.predict": [{"what": "predict", "spinney": "9 to 13", "unit": "us", "date": "Tuesday", "note": "later"}],
}
ENTRIES["a"] = ENTRIES["a.fit"] + ENTRIES["a.predict"]


def test_the_pages_are_current(capsys):
    assert figures.main(["--check"]) == 0, capsys.readouterr().out


def test_figures_in_a_text():
    text = "takes <!--result a.fit-->?<!--/-->, <!--result a.fit ratio--><!--/--> of <!--result a.fit Two-->1 s<!--/-->"
    made = figures.filled(text, ENTRIES)
    assert made == (
        "takes <!--result a.fit-->0.30 s<!--/-->, <!--result a.fit ratio-->0.10<!--/--> of "
        "<!--result a.fit Two-->3.00 s<!--/-->"
    )
    assert figures.filled(made, ENTRIES) == made
    assert figures.named(made) == {"a.fit"}
    assert figures.filled("on <!--result a.predict date--><!--/-->", ENTRIES).endswith("-->Tuesday<!--/-->")


def test_tables():
    text = (
        "<!--results a | what | spinney | ratio = Of the best, all | others | Three + date-->\nold\n<!--/results-->\n"
    )
    made = figures.filled(text, ENTRIES)
    assert made.splitlines()[1:-1] == [
        "| What | Spinney | Of the best, all | Other libraries, fastest first | Three + date |",
        "|---|--:|--:|---|--:|",
        "| fit | 0.30 s | 0.10 | Two 3.00 s, Three 1,230 s | 1,230 s, Monday |",
        "| predict (Tuesday) | 9 to 13 us | | later | Tuesday |",
    ]
    assert figures.filled(made, ENTRIES) == made
    assert figures.named(made) == {"a"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x <!--result b.fit-->1<!--/-->", "b.fit is not in"),
        ("x <!--result a-->1<!--/-->", "a is a group"),
        ("x <!--result a.fit speed-->1<!--/-->", "'fit' has no 'speed'"),
        ("x <!--result a.fit-->1", "no counterpart"),
        ("<!--results a-->\n<!--/results-->", "no counterpart"),
        ("x\n<!--result a.fit-->1<!--/-->", "a line begins with a marker"),
    ],
)
def test_markers_that_cannot_be_filled_in(text, complaint):
    with pytest.raises(figures.FigureError, match=complaint):
        figures.filled(text, ENTRIES)


def test_pages_are_compared_and_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "README.md"
    page.write_text("x <!--result a.fit-->1 s<!--/-->")
    (tmp_path / "CHANGELOG.md").write_text("")
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(results, "load", lambda: ENTRIES)
    assert figures.main(["--check"]) == 1
    assert "README.md: figures differ" in capsys.readouterr().out
    assert figures.main([]) == 0
    assert "0.30 s" in page.read_text()
    assert figures.main(["--check", "--unused"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["a.predict", "All figures are current."]
    page.write_text("x <!--result b-->1<!--/-->")
    assert figures.main([]) == 1
