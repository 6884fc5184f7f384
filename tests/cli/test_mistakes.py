"""Mistakes that people make: the wrong file, a file cut in half, an impossible target. One sentence each, in time."""

import pickle
import subprocess
import sys

import pytest

import spinney
from spinney.cli.report import Report, tell_scores
from spinney.evaluate.judging import Judged
from spinney.tables.files import open_source
from tests.cli.run import process, refusal, run


def write(path, text):
    path.write_text(text)
    return path


@pytest.fixture
def table(tmp_path):
    """Numbers, fractions, days and a target of two classes."""
    rows = "".join(f"{k % 7},{k / 8},2024-01-{k % 28 + 1:02d},{k % 2}\n" for k in range(40))
    return write(tmp_path / "table.csv", "a,b,day,y\n" + rows)


def test_the_other_file(model, penguins, tmp_path):
    assert refusal("fit", model, "-t", "y") == f"{model} is a model file, not a table."
    assert refusal("predict", penguins, model, code=2) == (
        f"the model file comes first, then the table: {model} {penguins}."
    )
    assert "not a Spinney model file (in the first bytes)" in refusal("predict", penguins, penguins)
    pickled = tmp_path / "model.pkl"
    pickled.write_bytes(pickle.dumps([1]))
    assert refusal("fit", pickled, "-t", "y").startswith(f"{pickled} is a pickle, not a table")
    assert "but a pickle: unpickle it if you trust it" in refusal("show", pickled)


def test_a_table_without_a_name(model):
    assert refusal("predict", model, "", code=2).startswith("the name of the table is empty. Name a file")


def test_places_that_cannot_be_written(table, model, penguins, tmp_path, monkeypatch):
    """Said before the model is fitted, with the name that the user gave."""
    told = refusal("fit", table, "-t", "y", "--out", tmp_path, code=2)
    assert told == f"--out: {tmp_path} is a folder. Name a file in it."
    (tmp_path / "out.csv").mkdir()
    told = refusal("predict", model, penguins, "--out", tmp_path / "out.csv", code=2)
    assert told.endswith("is a folder. Name a file in it.")
    monkeypatch.setattr("os.access", lambda path, how: False)
    told = refusal("fit", table, "-t", "y", "--out", tmp_path / "m.spinney")
    assert told == f"--out: no permission to write in the folder {tmp_path}."


def test_saving_names_the_path(tmp_path):
    tree = spinney.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(FileNotFoundError) as caught:
        spinney.save(tree, tmp_path / "none" / "m.spinney")
    assert caught.value.filename == str(tmp_path / "none" / "m.spinney")
    with pytest.raises(IsADirectoryError):
        spinney.save(tree, tmp_path)
    with pytest.raises(TypeError, match="save needs a model, got the class KMeans"):
        spinney.save(spinney.KMeans, tmp_path / "m.spinney")


def test_targets(table):
    assert refusal("fit", table, "-t", "day").startswith("the target 'day' holds dates, which cannot be predicted. Use")
    assert refusal("fit", table, "-t", "b", "--task", "classification") == (
        "--task classification: the target 'b' holds fractions, such as 0.125; --types b=category treats every number "
        "as a class."
    )
    assert refusal("fit", table, "-t", "y", "--weights", "y", code=2) == "--weights: 'y' is the target."
    assert refusal("fit", table, "-t", "y", "--groups", "y", code=2) == "--groups: 'y' is the target."
    assert refusal("fit", table, "-t", "Y", code=2).endswith("no column 'Y'; did you mean 'y'?")


def test_numbers_out_of_range(table, tmp_path):
    assert "--seed" in refusal("fit", table, "-t", "y", "--seed", -1, code=2)
    told = refusal("fit", table, "-t", "y", "--cv", 41, "--quiet", "--out", tmp_path / "m.spinney")
    assert told == "40 rows cannot be divided into 41 folds."


def test_a_file_cut_in_half(table, tmp_path):
    """The last line may have too few cells; the file can be used, and the doubt is said."""
    model = tmp_path / "m.spinney"
    run("fit", table, "-t", "y", "-m", "tree", "--cv", 0, "--quiet", "--out", model)
    cut = write(tmp_path / "cut.csv", table.read_text()[:-16])
    note = "the last line has 2 of 4 cells and no line break; the file may be truncated"
    assert open_source(str(cut)).notes == (note,)
    assert f"note: {note}" in run("fit", cut, "-t", "y", "-m", "tree", "--cv", 0, "--out", tmp_path / "n.spinney")[0]
    assert note in run("predict", model, cut)[1]
    whole = write(tmp_path / "whole.csv", table.read_text().rstrip("\n"))
    assert open_source(str(whole)).notes == ()


def test_rows_that_all_end_early(table, tmp_path):
    """A program may leave out empty cells at the ends of rows."""
    model = tmp_path / "m.spinney"
    run("fit", table, "-t", "y", "-m", "tree", "--cv", 0, "--quiet", "--out", model)
    short = write(tmp_path / "short.csv", "a,b,day\n1,2\n3,4\n")
    assert len(run("predict", model, short)[0].splitlines()) == 3


def test_encoding_of_what_is_no_text(table, tmp_path):
    import polars as pl

    pl.read_csv(table).write_parquet(tmp_path / "t.parquet")
    assert open_source(str(tmp_path / "t.parquet")).format == "Parquet"
    run("fit", tmp_path / "t.parquet", "-t", "y", "-m", "tree", "--encoding", "latin-1", "--quiet", "--out",
        tmp_path / "m.spinney")  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_pipe_by_name(model, penguins):
    """`spinney predict model <(zcat table.csv.gz)`: a file that can be read once only."""
    with subprocess.Popen(["cat", str(penguins)], stdout=subprocess.PIPE) as cat:
        result = process("predict", model, "/dev/stdin", stdin=cat.stdout)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(b"prediction\n")


def test_one_row_is_judged_without_warnings(model, penguins, tmp_path, recwarn):
    one = write(tmp_path / "one.csv", "".join(penguins.read_text().splitlines(keepends=True)[:2]))
    run("evaluate", model, one)
    assert not [warning for warning in recwarn if "single label" in str(warning.message)]


def test_good_classes_with_bad_probabilities(capsys):
    """A log loss worse than the baseline's alone does not make a model useless."""
    base = {"accuracy": 0.6, "balanced accuracy": 0.5, "log loss": 0.67}
    tell_scores(Report(), Judged("", {"accuracy": 0.8, "balanced accuracy": 0.8, "log loss": 1.1}, {}, base))
    assert (
        "the predicted classes are better than the baseline, but the probabilities are not" in capsys.readouterr().out
    )
    tell_scores(Report(), Judged("", {"accuracy": 0.6, "balanced accuracy": 0.5, "log loss": 1.1}, {}, base))
    assert "the model is no better than the baseline" in capsys.readouterr().out


def test_help_is_quick():
    """scikit-learn and SciPy take a second to import: help and version do without."""
    code = "import sys, spinney.cli.app; sys.exit(any(name in sys.modules for name in ('sklearn', 'scipy', 'numba')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = """
import sys
from spinney.cli import main
try:
    main(["--version"])
finally:
    assert not {"numpy", "typer", "polars"} & set(sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
