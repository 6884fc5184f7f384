"""`spinney cluster`, `spinney datasets`: groups of rows, and tables to try things on."""

import io

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import make_blobs

import spinney
from spinney.cli.datasets import TABLES, load
from spinney.datasets import (
    load_flights,
    load_heart,
    load_penguins,
    load_restaurant,
    load_ten_points,
    load_tennis,
)
from tests.cli.run import facts, refusal, run


@pytest.fixture
def blobs(tmp_path):
    X, y = make_blobs(150, centers=3, random_state=3, cluster_std=0.6)
    table = pl.DataFrame(
        {"a": X[:, 0], "b": X[:, 1] * 1000, "word": ["u", "v", "w"] * 50, "blob": [f"blob {k}" for k in y]}
    )
    table.write_csv(tmp_path / "blobs.csv")
    return tmp_path / "blobs.csv"


@pytest.mark.parametrize("method", ["kmeans", "mixture"])
@pytest.mark.parametrize("k", ["3", "auto"])
def test_blobs_are_found(blobs, tmp_path, method, k):
    found = facts("cluster", blobs, "-k", k, "--method", method, "--out", tmp_path / "out.csv")
    assert (found["columns"], found["left_out"]) == (["a", "b"], ["word", "blob"])
    assert len(found["clusters"]) == 3
    assert ("tried" in found) == (k == "auto")
    table = pl.read_csv(tmp_path / "out.csv")
    assert table.columns == ["a", "b", "word", "blob", "cluster"]
    assert table.group_by("blob").agg(pl.col("cluster").n_unique())["cluster"].to_list() == [1, 1, 1]
    means = table.group_by("cluster").agg(pl.col("b").mean()).sort("cluster")["b"].to_list()
    assert np.allclose([one["means"]["b"] for one in found["clusters"]], means)


@pytest.mark.parametrize(("method", "more"), [("kmeans", []), ("mixture", []), ("kmeans", ["--no-scale"])])
def test_clusters_of_other_rows(method, more, penguins, tmp_path):
    saved, out, again = tmp_path / "groups.spinney", tmp_path / "out.csv", tmp_path / "again.csv"
    run("cluster", penguins, "-k", 3, "--method", method, "--save", saved, "--out", out, *more)
    run("predict", saved, penguins, "--out", again)
    assert pl.read_csv(again)["prediction"].to_list() == pl.read_csv(out)["cluster"].to_list()
    assert "does not predict a target" in refusal("evaluate", saved, penguins)


def test_probabilities_of_clusters(penguins, tmp_path):
    saved, out = tmp_path / "my groups.spinney", tmp_path / "out.csv"
    said, _ = run("cluster", penguins, "-k", 3, "--method", "mixture", "--save", saved)
    assert f"spinney predict '{saved}' TABLE" in said
    run("predict", saved, penguins, "--proba", "--out", out)
    found = pl.read_csv(out)
    shares = found.select(f"probability_{k}" for k in range(3)).to_numpy()
    assert found["prediction"].to_list() == shares.argmax(axis=1).tolist()
    assert facts("explain", saved, penguins)["probabilities"]["0"] == pytest.approx(shares[0, 0])
    run("cluster", penguins, "-k", 3, "--save", saved)
    assert "KMeans predicts no probabilities" in refusal("predict", saved, penguins, "--proba", code=2)


def test_what_cluster_says(penguins):
    said, _ = run("cluster", penguins, "-k", 3)
    assert "note: columns not used for clustering: 'island', 'sex', 'species'" in said
    assert "note: 8 missing values replaced by the median of the column" in said
    assert "3 clusters, with the means of their columns" in said


def test_scaling_can_be_left_out(blobs):
    scaled, plain = (facts("cluster", blobs, "-k", 2, *more)["clusters"] for more in ([], ["--no-scale"]))
    values = pl.read_csv(blobs).select("a", "b").to_numpy()
    labels = spinney.KMeans(2, random_state=0).fit(values).labels_
    assert sorted(one["rows"] for one in plain) == sorted(np.bincount(labels).tolist())
    assert sum(one["rows"] for one in scaled) == 150


def test_cluster_refusals(blobs, tmp_path):
    assert refusal("cluster", blobs, "-k", "many", code=2) == "-k must be a positive number or auto, got 'many'."
    assert (
        refusal("cluster", blobs, "--method", "dbscan", code=2) == "--method must be kmeans or mixture, got 'dbscan'."
    )
    assert refusal("cluster", blobs, "-k", 500) == "-k 500: there are only 150 rows."
    (tmp_path / "words.csv").write_text("a,b\n" + "x,y\nz,u\n" * 9)
    assert (
        refusal("cluster", tmp_path / "words.csv") == f"{tmp_path / 'words.csv'} has no numeric column to cluster by."
    )
    (tmp_path / "far.csv").write_text("a,b\n" + "1,2\n3,inf\n5,4\n" * 5)
    assert refusal("cluster", tmp_path / "far.csv", "-k", 2) == (
        "column 'b' holds an infinite number, which has no finite distance to other rows. Correct the cell, or name it "
        "in --missing to treat it as missing."
    )
    assert len(facts("cluster", tmp_path / "far.csv", "-k", 2, "--missing", "inf")["clusters"]) == 2


@pytest.mark.parametrize("method", ["kmeans", "mixture"])
def test_clusters_are_shown_in_the_units_of_the_table(tmp_path, method):
    table, model = tmp_path / "two.csv", tmp_path / "two.spinney"
    table.write_text("a,b\n" + "".join(f"{100 * (k % 2) + k / 50},{k % 7}\n" for k in range(60)))
    made = facts("cluster", table, "-k", 2, "--method", method, "--save", model)["clusters"]
    shown = facts("show", model)["clusters"]
    for one, other in zip(made, shown, strict=True):
        assert one["means"] == pytest.approx(other["means"])
    text = run("show", model)[0]
    assert "2 clusters, with the means of their columns" in text
    assert ("weight" if method == "mixture" else "rows") in text


def test_the_bundled_tables_are_those_of_python():
    for name, loader in {
        "flights": load_flights,
        "heart": load_heart,
        "penguins": load_penguins,
        "restaurant": load_restaurant,
        "ten-points": load_ten_points,
        "tennis": load_tennis,
    }.items():
        table, (X, y) = load(name), loader()
        about = TABLES[name]
        assert (len(table), table.width - 1) == (about.rows, about.columns)
        assert table.columns[-1] == about.target == y.name
        names = [one for one in table.columns[:-1] if one != "date"]
        assert names == X.columns.tolist()
        assert [str(one).lower() for one in table[about.target]] == [str(one).lower() for one in y]
        for column in names:
            ours, theirs = table[column].to_list()[:500], X[column].tolist()[:500]
            assert all(
                (a is None and b != b) or a == b or str(a).lower() == str(b).lower() for a, b in zip(ours, theirs)
            ), column


def test_datasets(tmp_path):
    assert "penguins       344        7  species" in run("datasets")[0]
    assert set(facts("datasets")["datasets"]) == set(TABLES)
    assert pl.read_csv(io.StringIO(run("datasets", "tennis")[0])).shape == (14, 5)
    assert refusal("datasets", "tennis", "--json", code=2).startswith("--json needs --out")
    assert refusal("datasets", "penguin", code=2) == "there is no bundled table 'penguin'; did you mean 'penguins'?"


def test_datasets_in_two_parts(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.parquet"
    found = facts("datasets", "flights", "--out", train, "--test-out", test)
    days = [set(table["date"].cast(pl.String)) for table in (pl.read_csv(train), pl.read_parquet(test))]
    assert not days[0] & days[1]
    assert len(days[1]) == round(0.25 * len(days[0] | days[1]))
    assert sum(one["rows"] for one in found["files"]) == 20_000


def test_outliers_are_no_clusters(tmp_path):
    """A row far from all others would be a cluster of its own, and hide the groups among the others."""
    X, y = make_blobs(150, centers=3, random_state=3, cluster_std=0.6)
    X[[7, 91]] = [900.0, -900.0], [-800.0, 900.0]
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}).write_csv(tmp_path / "t.csv")
    found = facts("cluster", tmp_path / "t.csv")
    assert found["outliers"] == [8, 92]
    assert len(found["clusters"]) == 3
    assert min(one["rows"] for one in found["clusters"]) >= 48
    said, _ = run("cluster", tmp_path / "t.csv")
    assert "note: 2 outlying rows (8, 92) left out of the clustering" in said


def test_columns_without_values(tmp_path, recwarn):
    """An empty column, and one that is empty in a cluster: no warning of NumPy's."""
    rows = "".join(f"{k % 2 * 100 + k / 90},{'' if k % 2 else k},\n" for k in range(60))
    (tmp_path / "t.csv").write_text(f"a,b,c\n{rows}")
    for more in ([], ["--types", "c=number"]):
        found = facts("cluster", tmp_path / "t.csv", "-k", 2, "--method", "mixture", *more)
        assert (found["columns"], found["left_out"]) == (["a", "b"], ["c"])
    assert len(recwarn) == 0
