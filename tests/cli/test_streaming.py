"""Large files and several files: the same model as from one table in memory."""

import json

import polars as pl
import pytest

import spinney
from spinney.tables import reading
from tests.cli.run import refusal, run


@pytest.fixture
def flights(tmp_path):
    from spinney.datasets import load_penguins

    X, y = load_penguins()
    return pl.from_pandas(X).with_columns(species=pl.Series(y.to_numpy()), w=pl.int_range(len(y)) % 3)


def fitted(data, tmp_path, *more):
    out = tmp_path / "m.spinney"
    said, errors = run(
        "fit", data, "-t", "species", "-o", out, "--cv", 3, "-p", "n_estimators=3", "--weights", "w", "--json", *more
    )
    assert errors == ""
    return json.loads(said)["fingerprint"], spinney.load(out)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["boosting", "forest"])
def test_a_large_table_stays_on_the_disk(flights, tmp_path, monkeypatch, model):
    flights.write_csv(tmp_path / "all.csv")
    flights.write_parquet(tmp_path / "all.parquet")
    wanted, _ = fitted(tmp_path / "all.csv", tmp_path, "-m", model)
    monkeypatch.setattr(reading, "LARGE", 1)
    monkeypatch.setattr("spinney.cli.fit.read_table", None)  # nobody may read it into memory
    monkeypatch.setattr(reading, "_ROWS", 100)
    monkeypatch.setattr(reading.parts_of, "__defaults__", (2000,))
    for name in ("all.csv", "all.parquet"):
        assert fitted(tmp_path / name, tmp_path, "-m", model)[0] == wanted


def test_several_files_are_one_table(flights, tmp_path):
    flights.write_csv(tmp_path / "all.csv")
    wanted, _ = fitted(tmp_path / "all.csv", tmp_path)
    for k in range(3):
        flights.slice(k * 115, 115).write_csv(tmp_path / f"part-{k}.csv")
        flights.slice(k * 115, 115).write_parquet(tmp_path / f"part-{k}.parquet")
    assert fitted(tmp_path / "part-*.csv", tmp_path)[0] == wanted
    assert fitted(tmp_path / "part-*.parquet", tmp_path)[0] == wanted


def test_what_is_wrong_with_several_files(flights, tmp_path):
    flights.write_parquet(tmp_path / "a-1.parquet")
    flights.drop("w").write_parquet(tmp_path / "a-2.parquet")
    flights.write_csv(tmp_path / "b-1.txt")
    flights.write_parquet(tmp_path / "b-2.txt")
    flights.select(sorted(flights.columns)).write_csv(tmp_path / "c-1.csv")
    flights.select(sorted(flights.columns, reverse=True)).write_csv(tmp_path / "c-2.csv")
    for pattern, words in (
        ("a-*", "has a column 'w'"),
        ("b-*", "is CSV, but"),
        ("c-*", "in another order"),
        ("d-*", "no file matches "),
    ):
        assert words in refusal("fit", tmp_path / pattern, "-t", "species", code=2 if pattern == "d-*" else 1)


@pytest.mark.parametrize("name", ["all.csv", "all.parquet"])
def test_a_report_of_a_large_table(flights, tmp_path, monkeypatch, name):
    getattr(flights, f"write_{name[4:]}")(tmp_path / name)
    monkeypatch.setattr(reading, "LARGE", 1)
    monkeypatch.setattr("spinney.cli.fit.read_table", None)
    monkeypatch.setattr("spinney.reporting.sample._IN_MEMORY", 150)
    fitted(tmp_path / name, tmp_path, "-m", "forest", "--report", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "150 of 344" in page
    assert "Based on 3-fold cross-validation: " in page  # by `fit`, of all rows
