"""`spinney predict`: tables that are as they were, and tables that have changed."""

import gzip
import io
import json

import numpy as np
import polars as pl
import pytest

import spinney
from spinney.tables.reading import batches
from tests.cli.run import process, refusal, run


def predicted(*arguments, **given):
    return pl.read_csv(io.StringIO(run("predict", *arguments, **given)[0]))


@pytest.fixture
def new(frame, tmp_path):
    """A function that writes a table and says where it is."""

    def write(table, name="new.csv"):
        table.write_csv(tmp_path / name)
        return tmp_path / name

    return write


def test_predictions_are_those_of_python(model, penguins, frame):
    loaded = spinney.load(model)
    X = frame.select(loaded.feature_names_in_.tolist())
    found = predicted(model, penguins, "--proba")
    assert found.columns == ["prediction", "probability_Adelie", "probability_Chinstrap", "probability_Gentoo"]
    assert found["prediction"].to_list() == loaded.predict(X).tolist()
    assert np.allclose(found.select(pl.exclude("prediction")).to_numpy(), loaded.predict_proba(X))


def test_batches_do_not_matter(model, penguins, monkeypatch):
    whole = run("predict", model, penguins, "--proba", "--keep", "island")[0]
    monkeypatch.setattr("spinney.cli.predict.batches", lambda *a: batches(*a, size=50))
    assert run("predict", model, penguins, "--proba", "--keep", "island")[0] == whole


def test_columns_in_another_order_and_others_besides(model, frame, new):
    table = frame.select(reversed(frame.columns)).with_columns(colour=pl.lit("grey")).drop("species")
    said, errors = run("predict", model, new(table), "--keep", "colour,sex")
    assert said.splitlines()[:2] == ["colour,sex,prediction", "grey,male,Adelie"]
    assert errors == ""
    _, errors = run("predict", model, new(table))
    assert errors == "  note: ignored columns that were not in the training data: 'colour'\n"
    assert run("predict", model, new(table), "-q")[1] == ""


def test_columns_that_are_not_there(model, frame, new):
    path = new(frame.drop("island").rename({"bill_depth_mm": "bill_depth"}))
    said = f"{path} has no columns 'island', 'bill_depth_mm', which the model was fitted on; did you mean 'bill_depth'?"
    assert refusal("predict", model, path) == said
    path = new(frame.drop("sex"))
    assert refusal("predict", model, path) == f"{path} has no column 'sex', which the model was fitted on."
    path = new(frame.drop("island").rename({"species": "specie"}))
    assert not refusal("evaluate", model, path, "-t", "specie").endswith("?")
    path = new(frame.select("species").with_columns(age=1))
    assert refusal("predict", model, path).endswith("which the model was fitted on.")


def test_text_where_numbers_were(model, frame, new):
    cells = frame.with_columns(body_mass_g=pl.col("body_mass_g").cast(pl.String)).with_row_index()
    cells = cells.with_columns(body_mass_g=pl.when(pl.col("index") == 16).then(pl.lit("fat")).otherwise("body_mass_g"))
    path = new(cells)
    said = refusal("predict", model, path)
    assert said.startswith(
        f"column 'body_mass_g', row 17 of {path}: 'fat' is not a number. Correct the cell, or name it in --missing"
    )
    assert len(predicted(model, path, "--missing", "fat")) == 344
    frame.with_columns(year=pl.date("year", 1, 1)).write_parquet(path.with_suffix(".parquet"))
    said = refusal("predict", model, path.with_suffix(".parquet"))
    assert said.startswith("column 'year', row 1 of ")


def test_unknown_categories_are_counted(model, frame, new):
    path = new(frame.with_columns(island=pl.when(pl.col("year") == 2009).then(pl.lit("Atlantis")).otherwise("island")))
    _, errors = run("predict", model, path)
    row = int((frame["year"] == 2009).arg_max()) + 1
    n = int((frame["year"] == 2009).sum())
    assert (
        errors == f"  note: {n} values of 'island' were not in the training data and are treated as missing, such as "
        f"'Atlantis' in row {row}\n"
    )


def test_types_may_be_others_as_long_as_values_are_the_same(model, penguins, frame, tmp_path):
    table = frame.with_columns(
        pl.col("island").cast(pl.Categorical), pl.col("year").cast(pl.String), pl.col("body_mass_g").cast(pl.Float32)
    )
    table.write_parquet(tmp_path / "t.parquet")
    assert predicted(model, tmp_path / "t.parquet").equals(predicted(model, penguins))


def test_dates_flags_and_commas_are_read_as_at_fit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{1 + k % 28:02d}.03.2024;{k % 9},5;{'true' if k % 2 else 'false'};{k % 9 + (k % 2)}\n" for k in range(60)]
    (tmp_path / "t.csv").write_text("when;x;flag;y\n" + "".join(rows))
    run("fit", "t.csv", "-t", "y", "-m", "tree", "--cv", 0, "--task", "regression")
    found = predicted("t.spinney", "t.csv")["prediction"].to_numpy()
    plain = [
        f'{{"when":"2024-03-{1 + k % 28:02d}","x":{k % 9}.5,"flag":{str(k % 2 == 1).lower()}}}\n' for k in range(60)
    ]
    (tmp_path / "t.jsonl").write_text("".join(plain))
    assert np.allclose(predicted("t.spinney", "t.jsonl")["prediction"].to_numpy(), found)
    pl.read_ndjson(tmp_path / "t.jsonl").with_columns(pl.col("when").str.to_date()).write_ipc(tmp_path / "t.arrow")
    assert np.allclose(predicted("t.spinney", "t.arrow")["prediction"].to_numpy(), found)


def test_the_same_table_in_another_dress(tmp_path, monkeypatch):
    """Ways of writing numbers and dates are guessed at predict as they are at fit; and said."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"2024-03-{1 + k % 28:02d}", 1000.5 + 37 * k, k % 2) for k in range(60)]
    (tmp_path / "t.csv").write_text("day,x,y\n" + "".join(f"{day},{x},{y}\n" for day, x, y in rows))
    run("fit", "t.csv", "-t", "y", "-m", "tree", "--cv", 0)
    found = predicted("t.spinney", "t.csv")
    german = [f"{day[8:]}.{day[5:7]}.{day[:4]};{x:,.2f} €;{y}\n".replace(",", "") for day, x, y in rows]
    (tmp_path / "g.csv").write_text("day;x;y\n" + "".join(one.replace(".5", ",5") for one in german))
    said, errors = run("predict", "t.spinney", "g.csv")
    assert pl.read_csv(io.StringIO(said)).equals(found)
    assert errors.splitlines() == [
        "  note: 'day' has another format than at fit; it was read with: day/month/year",
        "  note: 'x' has another format than at fit; it was read with: decimal comma, € removed",
    ]
    run("fit", "g.csv", "-t", "y", "-m", "tree", "--cv", 0)
    assert predicted("g.spinney", "t.csv").equals(found)
    assert refusal("predict", "t.spinney", tmp_path / "bad.csv", code=2)
    (tmp_path / "bad.csv").write_text("day,x\n2024-03-01,many\n")
    assert "'many' is not a number" in refusal("predict", "t.spinney", "bad.csv")


def test_empty_columns_are_said(model, frame, new):
    _, errors = run("predict", model, new(frame.with_columns(body_mass_g=pl.lit(None), sex=pl.lit("NA"))))
    said = "  note: columns 'body_mass_g', 'sex' have no value in this table: all their cells are treated as missing\n"
    assert errors == said


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.jsonl", "p.csv.gz", "p.parquet", "p.arrow"])
def test_where_predictions_go(model, penguins, tmp_path, name):
    said, errors = run("predict", model, penguins, "--out", tmp_path / name, "--keep", "sex")
    assert (said, errors) == ("", f"344 predictions in {tmp_path / name}\n")
    content = (tmp_path / name).read_bytes()
    read = {
        "p.csv": lambda: pl.read_csv(content),
        "p.tsv": lambda: pl.read_csv(content, separator="\t"),
        "p.jsonl": lambda: pl.read_ndjson(content),
        "p.csv.gz": lambda: pl.read_csv(gzip.decompress(content)),
        "p.parquet": lambda: pl.read_parquet(content),
        "p.arrow": lambda: pl.read_ipc(content),
    }[name]()
    assert read.columns == ["sex", "prediction"]
    assert read["prediction"].to_list() == predicted(model, penguins)["prediction"].to_list()
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_a_file_is_whole_or_not_there(model, frame, new, tmp_path):
    path = new(frame.with_columns(pl.when(pl.col("year") == 2009).then(pl.lit("x")).otherwise("year").alias("year")))
    refusal("predict", model, path, "--out", tmp_path / "p.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["new.csv"]


def test_facts(model, penguins, tmp_path):
    said, errors = run("predict", model, penguins, "--out", tmp_path / "p.csv", "--json")
    assert json.loads(said) == {
        "file": str(penguins),
        "rows": 344,
        "ignored": [],
        "unknown_categories": {},
        "out": str(tmp_path / "p.csv"),
    }
    assert errors == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--json",), "--json needs --out"),
        (("--out", "p.xlsx"), "must end in .csv"),
        (("--out", "no/p.csv"), "--out: the folder"),
        (("--keep", "nom"), "no column 'nom'"),
    ],
)
def test_arguments_that_are_refused(model, penguins, monkeypatch, tmp_path, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert words in refusal("predict", model, penguins, *arguments, code=2)


def test_intervals_and_sets(penguins, tmp_path):
    where = tmp_path / "m.spinney"
    for target in ("body_mass_g", "species"):
        settings = ("-m", "forest", "-p", "n_estimators=30", "-p", "oob_score=true", "--cv", "0")
        run("fit", penguins, "-t", target, *settings, "--out", where)
        loaded = spinney.load(where)
        X = pl.read_csv(penguins, null_values=["", "NA"]).select(loaded.feature_names_in_.tolist())
        found = predicted(where, penguins, "--interval", "0.8")
        if target == "species":
            sets = [loaded.classes_[row].tolist() for row in loaded.predict_set(X, 0.8)]
            assert [one.split("|") if one else [] for one in found["set"].to_list()] == sets
        else:
            assert np.allclose(found.select("low", "high").to_numpy(), loaded.predict_interval(X, 0.8))


def test_intervals_of_models_that_know_nothing(model, forest, penguins):
    assert "has no calibration" in refusal("predict", forest, penguins, "--interval", "0.9", code=2)
    said = refusal("predict", model, penguins, "--interval", "0.9", code=2)
    assert "has no calibration" in said
    assert "--model forest with --param oob_score=true" in said  # not only a method of Python
    assert "level must be" in refusal("predict", model, penguins, "--interval", "1", code=2)


def test_probabilities_of_numbers(forest, penguins):
    assert "predicts no probabilities" in refusal("predict", forest, penguins, "--proba", code=2)


@pytest.mark.parametrize(
    ("path", "words", "code"),
    [
        ("no.spinney", "no.spinney does not exist.", 2),
        (".", ". is a folder, not a model file.", 2),
        ("t.csv", "t.csv: This is not a Spinney model file (in the first bytes).", 1),
    ],
    ids=["missing", "folder", "table"],
)
def test_what_is_no_model_file(penguins, monkeypatch, tmp_path, path, words, code):
    (tmp_path / "t.csv").write_bytes(penguins.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert refusal("predict", path, penguins, code=code) == words


def test_a_table_without_rows(model, penguins, tmp_path):
    (tmp_path / "none.csv").write_text(",".join(pl.read_csv(penguins).columns) + "\n")
    assert refusal("predict", model, tmp_path / "none.csv") == f"{tmp_path / 'none.csv'} has a header but no rows."


def test_a_damaged_model_file(model, penguins, tmp_path):
    damaged = tmp_path / "damaged.spinney"
    damaged.write_bytes(model.read_bytes()[:-1])
    assert "bytes but should have" in refusal("predict", damaged, penguins)


def test_lines_without_values_are_said(model, frame, tmp_path):
    text = frame.head(3).write_csv() + "\n" + "," * 7 + "\n"
    (tmp_path / "t.csv").write_text(text)
    said, errors = run("predict", model, tmp_path / "t.csv")
    assert len(said.splitlines()) == 4
    assert errors == "  note: 2 lines without any value skipped, without predictions\n"


def test_names_that_are_taken(model, frame, new):
    path = new(frame.with_columns(prediction=pl.lit(0)))
    assert predicted(model, path, "--keep", "prediction").columns == ["prediction", "prediction_2"]


def test_models_of_python_without_a_recipe(frame, penguins, tmp_path):
    X = frame.select("island", "bill_length_mm", "year")
    tree = spinney.DecisionTreeClassifier(max_depth=3).fit(X, frame["species"].to_numpy())
    spinney.save(tree, tmp_path / "named.spinney")
    assert predicted(tmp_path / "named.spinney", penguins)["prediction"].to_list() == tree.predict(X).tolist()
    numbers = X.drop("island")
    plain = spinney.DecisionTreeRegressor(max_depth=3).fit(numbers.to_numpy(), np.arange(344.0))
    spinney.save(plain, tmp_path / "plain.spinney")
    numbers.write_csv(tmp_path / "numbers.csv")
    found = predicted(tmp_path / "plain.spinney", tmp_path / "numbers.csv")["prediction"].to_numpy()
    assert np.allclose(found, plain.predict(numbers.to_numpy()))
    said = refusal("predict", tmp_path / "plain.spinney", penguins)
    assert said == f"{penguins} has 8 columns, but the model was fitted on 2 columns without names."


def test_a_pipe(model, penguins):
    result = process("predict", model, "-", "--proba", input=penguins.read_bytes())
    assert (result.returncode, result.stderr) == (0, b"")
    assert len(result.stdout.splitlines()) == 345
    assert result.stdout.decode() == run("predict", model, penguins, "--proba")[0]
