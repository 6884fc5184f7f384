"""`spinney fit`: what it says, and what it makes."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import spinney
from spinney.cli.app import app
from spinney.cli.fit import _tell_time_left
from spinney.cli.report import shares
from spinney.datasets import load_penguins
from tests.cli.run import facts, refusal, run


def table(path, columns):
    pl.DataFrame(columns).write_csv(path)
    return path


@pytest.fixture
def simple(tmp_path, monkeypatch):
    """A table of 60 rows with all that options speak of."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.RandomState(0)
    x, w = rng.normal(size=60), rng.randint(1, 4, 60)
    columns = {
        "x": x,
        "c": rng.choice(["u", "v"], 60),
        "day": np.arange(60) // 6,
        "w": w,
        "price": x * 3 + 1,
        "won": x > 0,
    }
    return table(tmp_path / "simple.csv", columns)


def test_what_fit_says(penguins, tmp_path):
    said, errors = run("fit", penguins, "-t", "species", "-m", "tree", "-o", tmp_path / "m.spinney", "--cv", 3)
    assert errors == ""
    for line in [
        f"{penguins}: 344 rows, 8 columns (CSV, comma-separated)",
        "  island             category                  3  Torgersen",
        "  bill_length_mm     number          2       164  39.1",
        "  species            category                  3  Adelie     target",
        "Task: classification of 'species', since it holds 3 different strings",
        "  3 classes: Adelie 44.2%, Gentoo 36.0%, Chinstrap 19.8%",
        "Scores: 3-fold cross-validation",
        f"Saved to {tmp_path / 'm.spinney'}",
        f"    spinney show {tmp_path / 'm.spinney'} --rules",
    ]:
        assert line in said
    assert "higher is better" in said
    assert not [line for line in said.splitlines() if line != line.rstrip()]


def test_the_model_is_the_one_that_python_would_fit(penguins, model):
    X, y = load_penguins()
    ours = spinney.DecisionTreeClassifier(min_samples_leaf=0.02, random_state=0).fit(X, y)
    loaded = spinney.load(model)
    assert loaded.fingerprint_ == ours.fingerprint_
    assert (loaded.predict(X) == ours.predict(X)).all()
    assert loaded.classes_.tolist() == ["Adelie", "Chinstrap", "Gentoo"]
    found = spinney.io.inspect(model)["metadata"]["command_line"]
    assert (found["target"]["name"], found["task"], found["model"]) == ("species", "classification", "tree")


def test_facts(simple):
    found = facts("fit", simple, "-t", "price", "-m", "tree", "--cv", 2, "--drop", "w,day", "-p", "max_depth=3")
    assert (found["task"], found["estimator"], found["parameters"]) == (
        "regression",
        "DecisionTreeRegressor",
        {"max_depth": 3},
    )
    assert found["score"]["scores"]["R2"] > 0.5 > found["score"]["baseline"]["R2"]
    assert found["importances"]["x"] > 0.9
    assert found["out"] == "simple.spinney"
    assert found["table"]["dropped"] == ["w", "day"]
    assert spinney.load("simple.spinney").max_depth == 3


def test_quiet(simple):
    assert run("fit", simple, "-t", "won", "-m", "tree", "--cv", 0, "-q") == ("", "")


@pytest.mark.parametrize("name", ["boosting", "forest", "extra-trees", "tree", "c45", "adaboost"])
def test_models(simple, name):
    few = {"boosting": ["-p", "n_estimators=5"], "c45": [], "tree": []}.get(name, ["-p", "n_estimators=5"])
    found = facts("fit", simple, "-t", "won", "-m", name, "--cv", 1, "--threads", 1, *few)
    assert found["score"]["how"] == "12 held-out rows"
    assert found["score"]["scores"]["accuracy"] > 0.8
    assert found["score"]["baseline"]["accuracy"] < 0.7


def test_models_of_models(simple):
    found = facts("fit", simple, "-t", "won", "-m", "auto", "-p", "families=['tree']", "--cv", 0, "--time-budget", 30)
    assert found["estimator"] == "AutoClassifier"
    assert "combined" in run("show", "simple.spinney")[0]
    few = [f"{one}__n_estimators=3" for one in ("boosting", "forest", "extra_trees")]
    options = [part for one in few for part in ("-p", one)]
    found = facts("fit", simple, "-t", "price", "-m", "stack", "--cv", 0, "-p", "cv=2", *options)
    assert found["estimator"] == "StackingRegressor"
    assert len(run("predict", "simple.spinney", simple)[0].splitlines()) == 61


def test_id3_wants_words(simple, tmp_path):
    said = refusal("fit", simple, "-t", "won", "-m", "id3")
    assert said.startswith("ID3 supports only categories, but 'x', 'day', 'w', 'price' hold numbers. Use --model c45")
    run("datasets", "tennis", "-o", "tennis.csv")
    assert facts("fit", "tennis.csv", "-t", "PlayTennis", "-m", "id3", "--cv", 0)["estimator"] == "ID3Classifier"
    assert "|--- Outlook = Overcast" in run("show", "tennis.spinney")[0]


def test_weights_count_and_are_no_column(simple):
    weighted = facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 2, "--weights", "w", "--drop", "price,x")
    plain = facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 2, "--drop", "price,x,w")
    assert weighted["fingerprint"] != plain["fingerprint"]
    roles = {one["name"]: one["role"] for one in weighted["table"]["columns"]}
    assert (roles["w"], roles["won"], roles["c"]) == ("weights", "target", "feature")
    assert "w" not in weighted["importances"]
    frame = pl.read_csv(simple)
    y, X = frame["won"].to_numpy(), frame.select("c", pl.col("day").cast(pl.Int8))
    ours = spinney.DecisionTreeClassifier(min_samples_leaf=0.02, random_state=0).fit(X, y, frame["w"].to_numpy())
    assert ours.fingerprint_ == weighted["fingerprint"]
    said = refusal("fit", simple, "-t", "won", "--weights", "c")
    assert said == f"--weights: column 'c' of {simple} must hold a number of at least 0 in every row."


def test_later_rows_are_held_out(simple, tmp_path):
    table(
        tmp_path / "dated.csv",
        {"when": [f"2024-{1 + k % 12:02d}-{1 + k // 12:02d}" for k in range(60)], "y": range(60)},
    )
    late = ("fit", tmp_path / "dated.csv", "-t", "y", "-m", "tree", "--time", "when")
    score = facts(*late, "--cv", 1)["score"]
    assert score["how"] == "12 held-out rows, each predicted by a model of earlier rows"
    assert score["baseline"]["RMSE"] == pytest.approx(root_mean_square_of_last(12))
    assert "3-fold cross-validation, each predicted by" in facts(*late, "--cv", 3)["score"]["how"]
    assert spinney.io.inspect("dated.spinney")["metadata"]["command_line"]["times"] == "when"
    said, _ = run("fit", tmp_path / "dated.csv", "-t", "y", "-m", "tree", "--cv", 0)
    assert "'when' holds dates. If new rows come later than these, --time when evaluates" in said


def root_mean_square_of_last(n):
    """Of the rows sorted by date, around the mean of the others."""
    y = np.array([12 * (k % 5) + k // 5 for k in range(60)])  # months first, then days
    return float(np.sqrt(np.mean((y[-n:] - y[:-n].mean()) ** 2)))


def test_what_cannot_order_rows_in_time(simple, tmp_path):
    assert "must hold dates or numbers, but it holds" in refusal("fit", simple, "-t", "won", "--time", "c")
    assert "cannot be used together" in refusal("fit", simple, "-t", "won", "--time", "day", "--groups", "c", code=2)
    assert "--time: 'won' is the target." in refusal("fit", simple, "-t", "won", "--time", "won", code=2)
    some = table(tmp_path / "some.csv", {"when": ["2024-01-01", None, "2024-01-02"] * 9, "y": range(27)})
    assert "has no value in 9 of 27 rows" in refusal("fit", some, "-t", "y", "--time", "when")


def test_groups_are_kept_together(simple):
    found = facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 3, "--groups", "day")
    assert found["score"]["how"] == "3-fold cross-validation, groups kept together"
    assert "day" not in found["importances"]
    assert (
        "held-out rows, groups kept together"
        in facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 1, "--groups", "day")["score"]["how"]
    )
    assert "2 groups cannot be divided into 5 folds." in refusal("fit", simple, "-t", "won", "--cv", 5, "--groups", "c")


def test_tasks(simple, tmp_path):
    assert facts("fit", simple, "-t", "day", "-m", "tree", "--cv", 0)["task"] == "classification"
    assert (
        facts("fit", simple, "-t", "day", "-m", "tree", "--cv", 0, "--task", "regression")["why"]
        == "as given by --task"
    )
    assert facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 0)["why"] == "since it holds true and false"
    assert (
        facts("fit", simple, "-t", "price", "-m", "tree", "--cv", 0)["why"]
        == "since it holds numbers, 60 different ones"
    )
    said = refusal("fit", simple, "-t", "c", "--task", "regression")
    assert said.startswith("--task regression: the target 'c' holds text, such as ")
    assert "supports only classification" in refusal("fit", simple, "-t", "price", "-m", "c45", code=2)
    names = table(tmp_path / "names.csv", {"x": [k % 9 for k in range(3000)], "y": [f"n{k}" for k in range(3000)]})
    said = refusal("fit", names, "-t", "y")
    assert said.startswith("the target 'y' has 3,000 different values in 3,000 rows, such as 'n0': too many")


def test_targets_with_holes_and_without_a_choice(tmp_path):
    path = table(
        tmp_path / "t.csv",
        {"x": list(range(0, 80, 2)), "y": ["a", "b", None, ""] * 10, "z": [1] * 40, "e": [None] * 40},
    )
    found = facts("fit", path, "-t", "y", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney")
    assert "20 rows without 'y' left out" in found["warnings"]
    said = refusal("fit", path, "-t", "z")
    assert said == f"the target 'z' holds the same value, 1, in all rows of {path}: there is nothing to learn."
    assert refusal("fit", path, "-t", "e") == f"the target 'e' is missing in all 40 rows of {path}."
    alone = table(tmp_path / "alone.csv", {"y": [1, 2, 3]})
    assert refusal("fit", alone, "-t", "y") == f"{alone} has no column besides the target to fit on."
    names = table(tmp_path / "names.csv", {"name": [f"n{k}" for k in range(40)], "y": [0, 1] * 20})
    said = refusal("fit", names, "-t", "y")
    assert "left out: 'name' (text: nearly every value is unique); --types keeps a column." in said


def test_classes_of_one_row(tmp_path):
    path = table(tmp_path / "t.csv", {"x": range(0, 40, 2), "y": ["a"] * 10 + ["b"] * 9 + ["c"]})
    found = facts("fit", path, "-t", "y", "-m", "tree", "--cv", 4, "-o", tmp_path / "m.spinney")
    assert set(found["score"]["scores"]) == {"accuracy", "balanced accuracy", "log loss"}


def test_a_column_that_knows_too_much(tmp_path):
    path = table(tmp_path / "t.csv", {"price": [1, 5, 9, 5] * 20, "x": [3, 1, 4, 1, 5] * 16, "won": [1, 0, 1, 0] * 20})
    found = facts("fit", path, "-t", "won", "-m", "tree", "--cv", 2, "-o", tmp_path / "m.spinney")
    assert found["warnings"] == [
        "'price' alone predicts the target almost perfectly; if its value is not known at prediction time, leave it "
        "out with --drop"
    ]


def test_columns_that_know_nothing(tmp_path):
    rng = np.random.RandomState(1)
    path = table(tmp_path / "t.csv", {"x": rng.normal(size=80), "y": rng.normal(size=80)})
    found = facts("fit", path, "-t", "y", "-m", "tree", "--cv", 2, "-o", tmp_path / "m.spinney")
    assert found["warnings"][-1].startswith("the model is no better than the baseline")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["-t", "wun"], 2, "--target: {path} has no column 'wun'; did you mean 'won'?"),
        (["-t", "qqq"], 2, "--target: {path} has no column 'qqq'; there is 'x', 'c', 'day', 'w', 'price', 'won'."),
        (["-t", "won", "--drop", "won"], 2, "--drop: 'won' is the target."),
        (["-t", "won", "--drop", "dai"], 2, "--drop: {path} has no column 'dai'; did you mean 'day'?"),
        (
            ["-t", "won", "-m", "trees"],
            2,
            "--model must be one of boosting, auto, forest, extra-trees, tree, c45, id3, ",
        ),
        (["-t", "won", "--task", "guess"], 2, "--task must be classification or regression, got 'guess'."),
        (["-t", "won", "--cv", "-1"], 2, "--cv must be 0 or more, got -1."),
        (["-t", "won", "--time-budget", "0"], 2, "--time-budget must be a positive number of seconds, got 0."),
        (
            ["-t", "won", "-m", "tree", "--time-budget", "9"],
            2,
            "--time-budget is supported only with --model boosting and auto, not with tree.",
        ),
        (
            ["-t", "won", "-m", "forest", "--quality", "4"],
            2,
            "--quality is supported only with --model boosting, not with forest.",
        ),
        (["-t", "won", "-p", "depth"], 2, "--param must be name=value, such as --param max_depth=5, got 'depth'."),
        (
            ["-t", "won", "-p", "max_dpth=3"],
            2,
            "--param max_dpth: GradientBoostingClassifier has no such parameter; did you mean 'max_depth'",
        ),
        (
            ["-t", "won", "-p", "num_leaves=31"],
            2,
            "--param num_leaves: GradientBoostingClassifier has no such parameter; use max_leaf_nodes.",
        ),
        (
            ["-t", "won", "-p", "booster=dart"],
            2,
            "--param booster: GradientBoostingClassifier has no such parameter; only plain gradient boosting is",
        ),
        (
            ["-t", "won", "-p", "max_depth=0"],
            2,
            "--param: The 'max_depth' parameter of GradientBoostingClassifier must be",
        ),
        (
            ["-t", "won", "--types", "x"],
            2,
            "--types must be pairs such as age=number, with one of number, category, boolean, date, got 'x'.",
        ),
        (["-t", "won", "--types", "x=colour"], 2, "--types must be pairs such as age=number"),
        (["-t", "won", "--types", "c=number"], 1, "column 'c', row 1 of {path}: "),
        (["-t", "won", "--types", "c=date"], 1, "column 'c' of {path} has no known date format, such as"),
        (["-t", "won", "-o", "no/where.spinney"], 2, "--out: the folder no does not exist."),
        (["-t", "won", "--wrong"], 2, "No such option: --wrong"),
        ([], 2, "Missing option '--target'"),
    ],
)
def test_refusals(simple, options, code, said):
    assert refusal("fit", simple, *options, code=code).startswith(said.format(path=simple))


@pytest.mark.parametrize(("pattern", "name"), [("parts/*.csv", "parts"), ("*.csv", "model"), ("one-?.csv", "one")])
def test_models_of_several_files_have_plain_names(simple, tmp_path, pattern, name):
    (tmp_path / "parts").mkdir()
    for place in ("parts/a.csv", "parts/b.csv", "one-1.csv", "one-2.csv"):
        (tmp_path / place).write_bytes(simple.read_bytes())
    said, _ = run("fit", pattern, "-t", "won", "-m", "tree", "--cv", 0)
    assert [one.name for one in tmp_path.glob("*.spinney")] == [f"{name}.spinney"]
    assert f"spinney predict {name}.spinney NEW-DATA" in said


def test_the_target_is_counted_exactly(tmp_path, monkeypatch):
    monkeypatch.setattr("spinney.tables.kinds._COUNTED", 1_000)
    path = table(tmp_path / "t.csv", {"x": np.arange(9_000) / 8, "y": np.arange(9_000) % 2})
    found = facts("fit", path, "-t", "y", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney")
    assert [one["distinct_is_estimated"] for one in found["table"]["columns"]] == [True, False]


def test_types_can_be_given(simple):
    found = facts(
        "fit", simple, "-t", "won", "-m", "tree", "--cv", 0, "--types", "day=category", "--types", "x=float,c=text"
    )
    kinds = {one["name"]: (one["type"], one["guessed"]) for one in found["table"]["columns"]}
    assert kinds == {
        "x": ("number", False),
        "c": ("category", False),
        "day": ("category", False),
        "w": ("number", True),
        "price": ("number", True),
        "won": ("boolean", True),
    }
    assert "category (given)" in run("fit", simple, "-t", "won", "-m", "tree", "--cv", 0, "--types", "day=category")[0]


def test_words_for_missing_values_can_be_given(tmp_path):
    path = table(tmp_path / "t.csv", {"x": ["1", "2", "-", "NA"] * 10, "y": [0, 1] * 20})
    common = ["fit", path, "-t", "y", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney"]
    found = {one: facts(*common, "--missing", one)["table"]["columns"][0] for one in ("-,NA", "-")}
    assert (found["-,NA"]["type"], found["-,NA"]["missing"]) == ("number", 20)
    assert (found["-"]["type"], found["-"]["missing"]) == ("category", 10)


def test_money_is_a_target(tmp_path, recwarn):
    """Prices are numbers; 300 different words in 300 rows are no classes, and no library's warnings are shown."""
    rng = np.random.RandomState(0)
    sqm = rng.uniform(40, 200, 300)
    path = table(tmp_path / "t.csv", {"sqm": sqm, "price": [f"${1000 * one:,.0f}" for one in sqm]})
    found = facts("fit", path, "-t", "price", "-m", "tree", "--cv", 2, "-o", tmp_path / "m.spinney")
    assert (found["task"], found["table"]["columns"][1]["note"]) == ("regression", "thousands separators, $ removed")
    assert found["score"]["scores"]["R2"] > 0.9
    assert "e+0" not in run("fit", path, "-t", "price", "-m", "tree", "--cv", 2, "-o", tmp_path / "m.spinney")[0]
    words = table(tmp_path / "w.csv", {"sqm": sqm, "price": [f"p{one:.5f}" for one in sqm]})
    said = refusal("fit", words, "-t", "price")
    assert said == (
        f"the target 'price' has 300 different values in 300 rows, such as 'p{sqm[0]:.5f}': too many classes to learn. "
        "It looks like a name or an id. If it holds numbers, --types price=number finds the cell that is not one."
    )
    assert refusal("fit", words, "-t", "price", "--types", "price=number").startswith("column 'price', row 1 of ")
    assert len(recwarn) == 0


def test_infinite_targets(tmp_path):
    path = table(
        tmp_path / "t.csv", {"x": range(0, 40, 2), "y": [*(str(k / 7) for k in range(17)), "inf", "1.5", "-inf"]}
    )
    said = refusal("fit", path, "-t", "y")
    assert said.startswith(
        f"the target 'y', row 18 of {path}: 'inf' is infinite. Correct the cell, or name it in --missing"
    )
    assert facts("fit", path, "-t", "y", "-m", "tree", "--cv", 0, "--missing", "inf,-inf", "-o", tmp_path / "m.spinney")


def test_a_model_that_is_replaced_is_named(simple, tmp_path):
    run("fit", simple, "-t", "won", "-m", "tree", "--cv", 0, "-q")
    said, _ = run("fit", simple, "-t", "price", "-m", "tree", "--cv", 0)
    assert "  replaces simple.spinney: DecisionTreeClassifier of 'won'\n" in said
    other = facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 0, "-o", "other.spinney")
    assert "replaces" not in other
    said = refusal("fit", simple, "-t", "won", "-m", "tree", "-o", simple, code=2)
    assert said == f"--out: {simple} exists and is not a model file. Name another file, or remove it."
    assert simple.read_text().startswith("x,c,day")


def test_the_suggested_commands_work(tmp_path, monkeypatch):
    """Word for word, and none of them replaces the model."""
    import shlex

    monkeypatch.chdir(tmp_path)
    rows = {"a b": [k % 7 for k in range(60)], "c": [k % 5 for k in range(60)], "the kind": ["u", "v", "w"] * 20}
    table(tmp_path / "my table.csv", rows)
    table(tmp_path / "NEW-my table.csv", rows)
    said, _ = run("fit", "my table.csv", "-t", "the kind", "-p", "n_estimators=3", "--cv", 0)
    before = (tmp_path / "my table.spinney").read_bytes()
    commands = [line.strip() for line in said.splitlines() if line.startswith("    spinney ")]
    assert len(commands) == 3
    for command in commands:
        few = ["-p", "families=['tree']", "--cv", "0"] if "--model auto" in command else []
        run(*shlex.split(command)[1:], *few)
    assert (tmp_path / "my table.spinney").read_bytes() == before
    assert (tmp_path / "my table-auto.spinney").exists()


def test_copies_are_held_out_together(tmp_path):
    rng = np.random.RandomState(0)
    once = pl.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80), "y": rng.choice(["u", "v"], 80)})
    pl.concat([once] * 5).write_csv(tmp_path / "t.csv")
    said, _ = run("fit", tmp_path / "t.csv", "-t", "y", "-m", "tree", "-o", tmp_path / "m.spinney", "-p", "max_depth=9")
    assert "note: 320 rows of 400 are exact duplicates of another row; duplicates are held out together" in said
    assert "Scores: 5-fold cross-validation, duplicates kept together" in said
    found = facts("fit", tmp_path / "t.csv", "-t", "y", "-m", "tree", "-o", tmp_path / "m.spinney", "-p", "max_depth=9")
    assert found["copies"] == 320
    assert found["score"]["scores"]["accuracy"] < 0.75  # labels are drawn


def test_a_class_of_one_row(tmp_path):
    path = table(tmp_path / "t.csv", {"x": [k % 13 for k in range(60)], "y": ["u"] * 59 + ["v"]})
    said, _ = run("fit", path, "-t", "y", "-m", "tree", "-o", tmp_path / "m.spinney")
    assert (
        "Not evaluated: the class 'v' has 1 row, and without the held-out rows there would be only one class." in said
    )
    assert " fits: " not in said
    assert (tmp_path / "m.spinney").exists()


def test_different_values_are_counted_or_said_to_be_estimated(tmp_path, monkeypatch):
    path = table(tmp_path / "t.csv", {"x": [k / 3 for k in range(400)], "y": [0, 1] * 200})
    common = ["fit", path, "-t", "y", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney"]
    column = facts(*common)["table"]["columns"][0]
    assert (column["distinct"], column["distinct_is_estimated"]) == (400, False)
    monkeypatch.setattr("spinney.tables.kinds._COUNTED", 10)
    monkeypatch.setattr("spinney.cli.fit.EXACT", 10)
    column = facts(*common)["table"]["columns"][0]
    assert column["distinct_is_estimated"]
    assert f"  ~{column['distinct']}  " in run(*common)[0]


def test_hints_on_targets(tmp_path):
    many = table(tmp_path / "t.csv", {"x": range(90), "y": [k % 18 for k in range(90)], "z": ["Yes", "yes", "No"] * 30})
    common = ["-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney"]
    assert facts("fit", many, "-t", "y", *common)["why"].endswith(
        "18 different ones (--task classification if they are class labels)"
    )
    assert (
        "classes that differ in upper and lower case only: 'Yes', 'yes'"
        in facts("fit", many, "-t", "z", *common)["warnings"]
    )
    said, _ = run("fit", many, "-t", "z", *common)
    assert "No 33.3%, Yes 33.3%, yes 33.3%" in said
    assert shares([203, 197]) == ["50.8%", "49.2%"]  # 50.75 and 49.25: 100 together


def test_wide_tables_show_their_target(tmp_path):
    rng = np.random.RandomState(0)
    columns = {f"c{k}": rng.normal(size=30) for k in range(44)} | {"y": [0, 1] * 15}
    path = table(tmp_path / "t.csv", columns)
    said, _ = run("fit", path, "-t", "y", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney")
    assert "\n  y " in said
    assert "and 4 more columns" in said
    lines = said.split("Task")[0].splitlines()
    assert not any(len(word) > 10 for line in lines if line.startswith("  c") for word in line.split())


def test_time_is_said(simple):
    said, _ = run("fit", simple, "-t", "won", "-m", "tree", "--cv", 3)
    assert "  4 fits: 3 to evaluate the model on held-out rows, 1 on all rows\n" in said
    assert "Saved to simple.spinney (fitting " in said
    assert set(facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 3)["seconds_of"]) == {
        "fitting",
        "judging",
        "in all",
    }


def test_a_long_fit_is_announced(simple, monkeypatch):
    monkeypatch.setattr("spinney.cli.fit._LONG", 0.0)
    assert run("fit", simple, "-t", "won", "-m", "tree", "--cv", 3)[1] == ""  # SPINNEY_QUIET
    command = ["fit", str(simple), "-t", "won", "-m", "tree", "--cv", "3"]
    errors = CliRunner(env={"SPINNEY_QUIET": None}).invoke(app, command).stderr
    assert "spinney: the first of 4 fits took " in errors
    assert errors.endswith(" s left\n")


def test_the_time_left_is_without_compiling(monkeypatch, capfd):
    monkeypatch.setenv("SPINNEY_QUIET", "")
    monkeypatch.setattr("spinney._compile.speech._spent", {"a": [8.0, 1.5], "b": [2.5]})
    wishes = SimpleNamespace(quiet=False)
    _tell_time_left(20.0, 3, wishes)
    assert capfd.readouterr().err == (
        "spinney: the first of 3 fits took 20 s, 12 s of them for compiling: about 16 s left\n"
    )
    _tell_time_left(14.0, 3, wishes)  # nearly all of it
    assert capfd.readouterr().err == ""


def test_the_leaderboard_is_shown(simple):
    said, _ = run("fit", simple, "-t", "won", "-m", "auto", "-p", "families=['tree']", "--cv", 0)
    assert "weight" in said.split("Feature importances")[-1]
    shown = facts("show", simple.with_suffix(".spinney"))["leaderboard"]
    assert [one["name"] for one in shown] == ["tree"]
    assert shown[0]["weight"] == 1.0
