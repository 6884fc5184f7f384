"""`spinney fit`: what it says, and what it makes."""

import numpy as np
import polars as pl
import pytest

import spinney
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
        "Task: classification of 'species', since it holds 3 different words",
        "  3 classes: Adelie 44.2%, Gentoo 36.0%, Chinstrap 19.8%",
        "How good it is: 3-fold cross-validation",
        f"Saved in {tmp_path / 'm.spinney'}",
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
    assert found["score"]["how"] == "12 rows held out"
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
    assert said.startswith("ID3 asks about categories only, and 'x', 'day', 'w', 'price' hold numbers: use --model c45")
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


def test_groups_are_kept_together(simple):
    found = facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 3, "--groups", "day")
    assert found["score"]["how"] == "3-fold cross-validation, groups kept together"
    assert "day" not in found["importances"]
    assert (
        "held out, groups kept together"
        in facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 1, "--groups", "day")["score"]["how"]
    )
    assert "--groups: 2 groups cannot be parted into 5 folds." in refusal(
        "fit", simple, "-t", "won", "--cv", 5, "--groups", "c"
    )


def test_tasks(simple, tmp_path):
    assert facts("fit", simple, "-t", "day", "-m", "tree", "--cv", 0)["task"] == "classification"
    assert facts("fit", simple, "-t", "day", "-m", "tree", "--cv", 0, "--task", "regression")["why"] == "as --task says"
    assert facts("fit", simple, "-t", "won", "-m", "tree", "--cv", 0)["why"] == "since it is true or false"
    assert (
        facts("fit", simple, "-t", "price", "-m", "tree", "--cv", 0)["why"]
        == "since it holds numbers, 60 different ones"
    )
    said = refusal("fit", simple, "-t", "c", "--task", "regression")
    assert said.startswith("--task regression: the target 'c' holds words, such as ")
    assert "is for classification only" in refusal("fit", simple, "-t", "price", "-m", "c45", code=2)
    names = table(tmp_path / "names.csv", {"x": [k % 9 for k in range(3000)], "y": [f"n{k}" for k in range(3000)]})
    said = refusal("fit", names, "-t", "y")
    assert said.startswith("the target 'y' has 3,000 different values in 3,000 rows: too many classes to learn")


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
    assert refusal("fit", alone, "-t", "y") == f"{alone} has no column to learn from besides the target."
    names = table(tmp_path / "names.csv", {"name": [f"n{k}" for k in range(40)], "y": [0, 1] * 20})
    said = refusal("fit", names, "-t", "y")
    assert "left out: 'name' (text: nearly every row has a value of its own); --types keeps a column." in said


def test_classes_of_one_row(tmp_path):
    path = table(tmp_path / "t.csv", {"x": range(0, 40, 2), "y": ["a"] * 10 + ["b"] * 9 + ["c"]})
    found = facts("fit", path, "-t", "y", "-m", "tree", "--cv", 4, "-o", tmp_path / "m.spinney")
    assert set(found["score"]["scores"]) == {"accuracy", "balanced accuracy", "log loss"}


def test_a_column_that_knows_too_much(tmp_path):
    path = table(tmp_path / "t.csv", {"price": [1, 5, 9, 5] * 20, "x": [3, 1, 4, 1, 5] * 16, "won": [1, 0, 1, 0] * 20})
    found = facts("fit", path, "-t", "won", "-m", "tree", "--cv", 2, "-o", tmp_path / "m.spinney")
    assert found["warnings"] == [
        "'price' alone says nearly all about the target: would it be known before? --drop leaves it out"
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
            "--time-budget is for --model boosting and auto, not for tree.",
        ),
        (["-t", "won", "-p", "depth"], 2, "--param wants name=value, such as --param max_depth=5; got 'depth'."),
        (
            ["-t", "won", "-p", "max_dpth=3"],
            2,
            "--param max_dpth: GradientBoostingClassifier has no such parameter; did you mean 'max_depth'",
        ),
        (
            ["-t", "won", "-p", "max_depth=0"],
            2,
            "--param: The 'max_depth' parameter of GradientBoostingClassifier must be",
        ),
        (
            ["-t", "won", "--types", "x"],
            2,
            "--types wants pairs such as age=number, with one of number, category, boolean, date; got 'x'.",
        ),
        (["-t", "won", "--types", "x=colour"], 2, "--types wants pairs such as age=number"),
        (["-t", "won", "--types", "c=number"], 1, "column 'c', row 1 of {path}: "),
        (["-t", "won", "--types", "c=date"], 1, "column 'c' of {path} is in no format of dates that is known, such as"),
        (["-t", "won", "-o", "no/where.spinney"], 2, "--out: the folder no does not exist."),
        (["-t", "won", "--wrong"], 2, "No such option: --wrong"),
        ([], 2, "Missing option '--target'"),
    ],
)
def test_refusals(simple, options, code, said):
    assert refusal("fit", simple, *options, code=code).startswith(said.format(path=simple))


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
