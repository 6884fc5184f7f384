"""`spinney report` and `spinney fit --report`: a page from the command line."""

import re

import pytest

from spinney import DecisionTreeClassifier
from tests.cli.run import facts, refusal, run


def test_a_page_of_a_model_and_its_table(penguins, tmp_path):
    model, page = tmp_path / "tree.spinney", tmp_path / "first.html"
    run("fit", penguins, "-t", "species", "-m", "tree", "--cv", 0, "--out", model, "--report", page)
    assert re.search(r"<title>species, by \d+ columns of penguins.csv</title>", page.read_text(encoding="utf-8"))
    found = facts("report", model, penguins, "--cv", 2, "--title", "Penguins")
    assert found["report"] == str(tmp_path / "tree.html")
    assert "<title>Penguins</title>" in (tmp_path / "tree.html").read_text(encoding="utf-8")


def test_groups_of_the_fit_are_kept_together(penguins, tmp_path):
    model, page = tmp_path / "tree.spinney", tmp_path / "tree.html"
    run("fit", penguins, "-t", "species", "-m", "tree", "--cv", 0, "--out", model, "--groups", "year")
    run("report", model, penguins, "--cv", 2)
    assert ", groups kept together" in page.read_text(encoding="utf-8")
    assert "3 groups cannot be divided into 5 folds" in refusal("report", model, penguins)  # 5 folds


def test_rows_in_the_order_of_the_fit(penguins, tmp_path):
    model, page = tmp_path / "tree.spinney", tmp_path / "tree.html"
    run("fit", penguins, "-t", "species", "-m", "tree", "--cv", 0, "--out", model, "--time", "year")
    run("report", model, penguins, "--cv", 2)
    assert "each predicted by a model of earlier rows" in page.read_text(encoding="utf-8")
    assert "cannot be used together" in refusal(
        "report", model, penguins, "--time", "year", "--groups", "island", code=2
    )


def test_an_interrupt_while_the_report_is_made(penguins, tmp_path, monkeypatch):
    """The model is there by then, and the message says so; a run before it does not count."""

    def interrupt(*given, **named):
        raise KeyboardInterrupt

    model, page = tmp_path / "m.spinney", tmp_path / "page.html"
    run("fit", penguins, "-t", "species", "-m", "tree", "--cv", 0, "--out", tmp_path / "other.spinney")
    monkeypatch.setattr("spinney.reporting.making.report", interrupt)
    arguments = ["fit", penguins, "-t", "species", "-m", "tree", "--cv", 0, "--out", model, "--report", page]
    _, error = run(*arguments, code=130)
    assert error == f"interrupted: only {model} was written.\n"
    assert model.exists()
    assert not page.exists()
    assert run("report", model, penguins, code=130)[1] == "interrupted: nothing was written.\n"


def test_refusals(penguins, tmp_path):
    model = tmp_path / "tree.spinney"
    run("fit", penguins, "-t", "species", "-m", "tree", "--cv", 0, "--out", model)
    assert "--cv must be 0 or a number of folds" in refusal("report", model, penguins, "--cv", 1, code=2)
    assert "--out must be an HTML file" in refusal("report", model, penguins, "--out", tmp_path / "page.txt", code=2)
    assert "--report must be an HTML file" in refusal("fit", penguins, "-t", "species", "--report", "page.txt", code=2)


@pytest.mark.parametrize("cv", [0, 1, 3])
def test_the_page_has_the_scores_that_fit_prints(penguins, tmp_path, monkeypatch, cv):
    """One command judges once, and fits nothing for the page."""
    fits, fit = [], DecisionTreeClassifier.fit
    monkeypatch.setattr(DecisionTreeClassifier, "fit", lambda *rest, **more: (fits.append(1), fit(*rest, **more))[1])
    model, page = tmp_path / "tree.spinney", tmp_path / "tree.html"
    common = ["-t", "species", "-m", "tree", "--cv", cv, "--out", model, "--report", page]
    found = facts("fit", penguins, *common)["score"]
    assert len(fits) == cv + 1
    if cv == 0:
        assert found is None
        assert "scores are optimistic" in page.read_text(encoding="utf-8")
        return
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert found["how"] in text
    assert all(name in text and f"{value:.4g}" in text for name, value in found["scores"].items())
