"""`spinney explain`: one row, its contributions and counterfactuals."""

import polars as pl
import pytest

import spinney
from tests.cli.run import facts, refusal, run


def test_a_row_is_explained(model, penguins, frame):
    said, _ = run("explain", model, penguins, "--row", 17)
    loaded = spinney.load(model)
    assert said.startswith("Row 17: species ")
    assert "Contributions of the columns to the score of " + said.split()[3] in said
    found = facts("explain", model, penguins, "--row", 17)
    assert found["prediction"] == loaded.predict(frame.drop("species"))[16]
    best = max(found["probabilities"].values())
    assert found["probabilities"][found["prediction"]] == best
    assert found["base"] + sum(found["contributions"].values()) == pytest.approx(best)


def test_the_least_change_is_found(model, penguins):
    now = facts("explain", model, penguins, "--row", 3)["prediction"]
    wanted = next(one for one in ("Gentoo", "Chinstrap") if one != now)
    search = "explain", model, penguins, "--row", 3, "--counterfactual", "-t", wanted, "--max-nodes", 100_000
    one = facts(*search, "--fixed", "year,sex")
    found = one["counterfactuals"][0]
    assert found["prediction"] == wanted
    assert found["optimal"]
    assert not {"year", "sex"} & {change["column"] for change in found["changes"]}
    said, _ = run(*search, "--n", 2)
    assert f"What would make it {wanted}" in said
    assert "(the least possible), by" in said


def test_numbers_have_ranges(forest, penguins):
    found = facts("explain", forest, penguins, "--counterfactual", "--target", "5000:", "--max-nodes", 100)
    assert found["counterfactuals"][0]["prediction"] >= 5000
    said = refusal("explain", forest, penguins, "--counterfactual", code=2)  # before anything is printed
    assert said == "--counterfactual needs --target for regression: a range such as 10:20, 10: or :20."
    said = refusal("explain", forest, penguins, "--counterfactual", "-t", "a:b", code=2)
    assert said == "--target must be a range such as 10:20, 10: or :20, got 'a:b'."
    assert run("explain", forest, penguins, "--counterfactual", code=2)[0] == ""


def test_columns_that_contribute_nothing_are_counted(model, penguins):
    said, _ = run("explain", model, penguins, "--row", 17)
    found = facts("explain", model, penguins, "--row", 17)["contributions"]
    n_none = sum(value == 0.0 for value in found.values())
    assert n_none > 1
    assert f"  and {n_none} columns without a contribution\n" in said


def test_true_is_written_as_in_files(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.select("bill_length_mm", "body_mass_g", big=pl.col("species") == "Gentoo").write_csv(path)
    run("fit", path, "-t", "big", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney")
    said, _ = run("explain", tmp_path / "m.spinney", path, "--counterfactual")
    assert "What would make it true\n  true, at a cost of " in said


def test_mistakes(model, penguins):
    assert refusal("explain", model, penguins, "--row", 9999).startswith("--row 9999: ")
    assert "--target and --fixed are supported only with --counterfactual." in refusal(
        "explain", model, penguins, "-t", "x", code=2
    )
    said = refusal("explain", model, penguins, "--counterfactual", "-t", "Emu", code=2)
    assert said == "--target must be one of 'Adelie', 'Chinstrap', 'Gentoo', got 'Emu'."
    assert "fixed names the column 'wing'" in refusal("explain", model, penguins, "--counterfactual", "--fixed", "wing")


def test_models_without_shap_values_say_why(tmp_path, penguins):
    import spinney
    from spinney.datasets import load_penguins

    X = load_penguins()[0][["year", "body_mass_g"]]
    spinney.save(spinney.AdaBoostRegressor(n_estimators=2, random_state=0).fit(X, X["year"]), tmp_path / "m.spinney")
    said, _ = run("explain", tmp_path / "m.spinney", penguins)
    assert said.startswith("Row 1: ")
    assert "weighted median" in said


def test_dates_are_kept_as_a_whole(tmp_path):
    """The month of a date is a feature of its own."""
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 12, 28), eager=True)
    pl.DataFrame({"my day": days, "late": (days.dt.month() > 6).cast(pl.String)}).write_csv(tmp_path / "t.csv")
    common = tmp_path / "m.spinney", tmp_path / "t.csv"
    run("fit", common[1], "-t", "late", "-m", "tree", "--cv", 0, "-o", common[0], "-p", "max_features=1.0")
    said, _ = run("explain", *common, "--row", 3, "--counterfactual", "--n", 3)
    assert "2024-01-03" in said
    assert "no other one exists" in said
    assert "the parts of the date 'my day' change one by one; --fixed 'my day' keeps it" in said
    assert not facts("explain", *common, "--counterfactual", "--fixed", "my day")["counterfactuals"]
