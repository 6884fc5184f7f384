"""`spinney evaluate`: scores on a table whose target is known."""

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

import spinney
from tests.cli.run import facts, refusal, run


def test_classes(model, penguins, frame):
    said, _ = run("evaluate", model, penguins)
    assert said.startswith(f"{penguins}: 344 rows with 'species'\n")
    assert "Confusion matrix (rows: true class, columns: predicted class)\n" in said
    found = facts("evaluate", model, penguins)
    loaded, y = spinney.load(model), frame["species"].to_numpy()
    X = frame.select(loaded.feature_names_in_.tolist())
    assert np.isclose(found["score"]["scores"]["accuracy"], loaded.score(X, y))
    assert np.isclose(found["score"]["scores"]["log loss"], metrics.log_loss(y, loaded.predict_proba(X)))
    matrix = metrics.confusion_matrix(y, loaded.predict(X))
    assert found["confusion"] == {"labels": ["Adelie", "Chinstrap", "Gentoo"], "matrix": matrix.tolist()}
    assert np.isclose(
        found["classes"]["Gentoo"]["precision"], metrics.precision_score(y, loaded.predict(X), average=None)[2]
    )
    assert np.isclose(found["score"]["baseline"]["accuracy"], (y == "Adelie").mean())


def test_numbers_and_weights(forest, penguins, frame):
    found = facts("evaluate", forest, penguins, "--weights", "year")
    loaded, known = spinney.load(forest), frame.filter(pl.col("body_mass_g").is_not_null())
    y, weights = known["body_mass_g"].to_numpy(), known["year"].to_numpy()
    predicted = loaded.predict(known.select(loaded.feature_names_in_.tolist()))
    seen = "all of these rows were in the table that the model was fitted on: the scores are optimistic"
    assert found["warnings"] == ["2 rows without 'body_mass_g' left out", seen]
    scores = found["score"]["scores"]
    assert np.isclose(scores["R2"], metrics.r2_score(y, predicted, sample_weight=weights))
    assert np.isclose(scores["RMSE"], metrics.root_mean_squared_error(y, predicted, sample_weight=weights))
    assert np.isclose(scores["MAE"], metrics.mean_absolute_error(y, predicted, sample_weight=weights))
    assert abs(found["score"]["baseline"]["R2"]) < 1e-12


def test_two_classes_have_an_auc(penguins, frame, tmp_path):
    run("fit", penguins, "-t", "sex", "-m", "tree", "--cv", 0, "-o", tmp_path / "sex.spinney")
    found = facts("evaluate", tmp_path / "sex.spinney", penguins)
    loaded, known = spinney.load(tmp_path / "sex.spinney"), frame.filter(pl.col("sex").is_not_null())
    shares = loaded.predict_proba(known.select(loaded.feature_names_in_.tolist()))[:, 1]
    assert np.isclose(found["score"]["scores"]["AUC"], metrics.roc_auc_score(known["sex"].to_numpy() == "male", shares))


def test_another_name_and_classes_never_seen(model, frame, tmp_path):
    table = frame.with_columns(kind=pl.col("species").replace("Gentoo", "Emperor")).drop("species")
    table.write_csv(tmp_path / "t.csv")
    said = refusal("evaluate", model, tmp_path / "t.csv", code=2)
    assert said.startswith(f"--target: {tmp_path / 't.csv'} has no column 'species'; ")
    found = facts("evaluate", model, tmp_path / "t.csv", "--target", "kind")
    assert found["warnings"][-1] == (
        "classes that were not in the training data: 'Emperor'; their rows count as errors, and log loss and AUC leave "
        "them out"
    )
    assert found["score"]["scores"]["accuracy"] < 0.7


@pytest.mark.parametrize(
    ("fitted", "change", "words"),
    [
        (
            "forest",
            lambda frame: frame.with_columns(body_mass_g=pl.lit("heavy")),
            "column 'body_mass_g', row 1 of t.csv: 'heavy' is not a number",
        ),
        (
            "model",
            lambda frame: frame.with_columns(species=pl.lit("")),
            "the target 'species' is missing in all rows of t.csv.",
        ),
        ("model", lambda frame: frame.clear(), "t.csv has a header but no rows."),
    ],
    ids=["strings", "no targets", "no rows"],
)
def test_tables_that_are_refused(request, frame, monkeypatch, tmp_path, fitted, change, words):
    monkeypatch.chdir(tmp_path)
    change(frame).write_csv("t.csv")
    assert refusal("evaluate", request.getfixturevalue(fitted), "t.csv").startswith(words)


def test_weights_that_are_no_numbers(model, penguins):
    said = refusal("evaluate", model, penguins, "--weights", "sex")
    assert said == f"--weights: column 'sex' of {penguins} must hold a number of at least 0 in every row."


def test_models_that_predict_no_target(penguins, frame, tmp_path):
    X = frame.select("bill_length_mm", "year").fill_null(0)
    spinney.save(spinney.KMeans(2, random_state=0).fit(X), tmp_path / "k.spinney")
    assert "which does not predict a target" in refusal("evaluate", tmp_path / "k.spinney", penguins)


def test_models_that_do_not_know_their_target(penguins, frame, tmp_path):
    X = frame.select("bill_length_mm", "year").fill_null(0)
    spinney.save(spinney.DecisionTreeRegressor(max_depth=2).fit(X, frame["year"].to_numpy()), tmp_path / "r.spinney")
    assert "--target must name the target column" in refusal("evaluate", tmp_path / "r.spinney", penguins, code=2)
    assert facts("evaluate", tmp_path / "r.spinney", penguins, "-t", "year")["score"]["scores"]["R2"] > 0.99


def test_rows_of_the_fit_are_noticed(penguins, frame, tmp_path):
    """All of them, half of them, none; in another order, as another kind of file."""
    run("fit", penguins, "-t", "sex", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney")
    assert facts("evaluate", tmp_path / "m.spinney", penguins)["share_of_rows_seen"] == 1.0
    frame.sample(fraction=1.0, shuffle=True, seed=0).write_parquet(tmp_path / "t.parquet")
    assert facts("evaluate", tmp_path / "m.spinney", tmp_path / "t.parquet")["share_of_rows_seen"] == 1.0
    other = frame.with_columns(pl.col("body_mass_g") + pl.int_range(pl.len()) % 2)
    other.write_csv(tmp_path / "half.csv")
    said, _ = run("evaluate", tmp_path / "m.spinney", tmp_path / "half.csv")
    assert "note: about 50% of these rows were in the table that the model was fitted on" in said
    frame.with_columns(pl.col("body_mass_g") + 1).write_csv(tmp_path / "none.csv")
    assert "share_of_rows_seen" not in facts("evaluate", tmp_path / "m.spinney", tmp_path / "none.csv")


def test_a_threshold_that_finds_few(tmp_path):
    rows = {"x": [0] * 80 + [1] * 20, "y": [k % 8 == 0 for k in range(80)] + [k % 9 < 4 for k in range(20)]}
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    run("fit", tmp_path / "t.csv", "-t", "y", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney")
    said, _ = run("evaluate", tmp_path / "m.spinney", tmp_path / "t.csv")
    assert "The recall of 'true' is 0.0% at a threshold of 0.5. A lower threshold increases it" in said
