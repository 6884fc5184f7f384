"""`spinney show`, `spinney export` and `spinney inspect`: what is in a model."""

import json

import polars as pl
import pytest

import spinney
from spinney.cli.export import FORMS
from tests.cli.run import facts, refusal, run


def test_a_tree_is_drawn(model):
    said, _ = run("show", model)
    loaded = spinney.load(model)
    assert said.startswith(
        f"DecisionTreeClassifier: classification of 'species' by 7 columns ({loaded.get_n_leaves()} leaves, depth"
    )
    assert "2-fold cross-validation: accuracy 0." in said
    assert spinney.export_text(loaded, max_depth=4, show_weights=True).rstrip() in said
    assert "  weights: training rows per class (Adelie, Chinstrap, Gentoo)\n" in said
    assert "Feature importances" in said
    assert (
        "deeper splits are not shown; --max-depth 5 shows more" in run("show", model, "--tree", 0, "--max-depth", 1)[0]
    )


def test_rules_and_importances(model):
    rules = facts("show", model, "--rules")["rules"]
    assert rules == [rule.text for rule in spinney.export_rules(spinney.load(model), sort="samples")]
    said, _ = run("show", model, "--rules", "--most", 2)
    assert rules[1] in said
    assert rules[2] not in said
    assert f"and {len(rules) - 2} more (--most {len(rules)} shows all)" in said
    shares = facts("show", model, "--importances")["importances"]
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert "|---" not in run("show", model, "--importances")[0]
    few = run("show", model, "--importances", "--most", 2)[0]
    assert "and 3 more columns" in few
    assert "2 columns not used" in few


def test_a_forest_shows_what_it_looks_at_and_its_trees(forest):
    said, _ = run("show", forest)
    assert "(5 trees)" in said
    assert "Feature importances" in said
    assert "|---" not in said
    assert (
        spinney.export_text(spinney.load(forest), tree=3, max_depth=2)
        == facts("show", forest, "--tree", 3, "--max-depth", 2)["tree"]
    )
    assert "Tree 3 of 5, counted from 0\n" in run("show", forest, "--tree", 3)[0]
    assert "of tree 0 of 5, counted from 0, sorted by number of rows" in run("show", forest, "--rules")[0]


def test_trees_that_are_not_there(model, forest):
    assert refusal("show", forest, "--tree", "x", code=2) == "--tree must be a number, or ROUND,CLASS, got 'x'."
    assert refusal("show", forest, "--tree", 9, code=2) == "--tree must be a number from 0 to 4, got 9."
    assert refusal("show", model, "--tree", 1, code=2) == "--tree 1: a DecisionTreeClassifier has only one tree."


def test_boosting_of_several_classes(penguins, tmp_path):
    path = tmp_path / "b.spinney"
    run("fit", penguins, "-t", "species", "-p", "n_estimators=3", "--cv", 0, "-o", path)
    second = run("show", path, "--tree", "2,1")[0]
    assert "Round 2 of 3, class 1 (Chinstrap); classes and rounds are counted from 0\n" in second
    assert "the raw score of a row is the sum of the leaf values of all 9 trees" in second
    assert run("export", path, "--to", "rules", "--tree", "2,1")[0].count("\n") >= 2
    assert "Round 1 of 3, class 0 (Adelie)" in run("show", path, "--tree", "1")[0]
    said = refusal("show", path, "--tree", "0,3", code=2)
    assert said == "--tree must be ROUND,CLASS from 0,0 to 2,2, got 0,3."
    assert "of round 0 of 3, class 0 (Adelie)" in run("show", path, "--rules")[0]
    assert "note: this is round 0 of 3, class 0 (Adelie)" in run("export", path, "--to", "rules")[1]


def test_models_without_importances(frame, tmp_path):
    X = frame.select("bill_length_mm", "year").fill_null(0)
    spinney.save(spinney.KMeans(2, random_state=0).fit(X), tmp_path / "k.spinney")
    assert refusal("show", tmp_path / "k.spinney", "--importances") == "KMeans has no feature importances."
    assert run("show", tmp_path / "k.spinney")[0] == "KMeans: other by 2 columns\n"


def test_exports_of_one_tree(model, tmp_path):
    loaded = spinney.load(model)
    assert run("export", model, "--to", "text")[0] == spinney.export_text(loaded, max_depth=None)
    assert run("export", model, "--to", "rules")[0].strip() == str(spinney.export_rules(loaded)).strip()
    said, _ = run("export", model, "--to", "dot", "--out", tmp_path / "t.dot")
    assert said == f"one tree for Graphviz: {tmp_path / 't.dot'}\n"
    assert (tmp_path / "t.dot").read_text().startswith("digraph Tree {")


@pytest.mark.parametrize("form", ["onnx", "json", "python", "c"])
def test_exports_of_whole_models(model, tmp_path, form):
    """By the library's own functions."""
    path = tmp_path / "exported"
    run("export", model, "--to", form, "--out", path)
    content, loaded = path.read_bytes(), spinney.load(model)
    ours = getattr(spinney, f"to_{form}")(loaded)
    assert content == (ours.SerializeToString() if form == "onnx" else ours.encode())
    assert "--tree is supported only with --to dot, text and rules" in refusal(
        "export", model, "--to", form, "--tree", 0, code=2
    )


def test_exports_with_intervals(penguins, tmp_path):
    where = tmp_path / "m.spinney"
    run("fit", penguins, "-t", "species", "-m", "forest", "-p", "oob_score=true", "--cv", "0", "--out", where)
    assert run("export", where, "--to", "json")[0] == spinney.to_json(spinney.load(where))
    run("export", where, "--to", "onnx", "--interval", "0.8", "--out", tmp_path / "m.onnx")
    wanted = spinney.to_onnx(spinney.load(where), interval=0.8).SerializeToString()
    assert (tmp_path / "m.onnx").read_bytes() == wanted


def test_export_refusals(model):
    words = "--interval is supported only with --to onnx, python and c, got 'json'"
    assert words in refusal("export", model, "--to", "json", "--interval", "0.9", code=2)
    assert "interval must be a number between 0 and 1" in refusal("export", model, "--to", "c", "--interval", "90")
    assert "has no calibration" in refusal("export", model, "--to", "c", "--interval", "0.9")
    assert refusal("export", model, "--to", "pdf", code=2) == f"--to must be one of {', '.join(FORMS)}, got 'pdf'."
    assert "--out: the folder" in refusal("export", model, "--to", "dot", "--out", "no/t.dot", code=2)


def test_inspect(model):
    said, _ = run("inspect", model)
    for line in [
        "  class        DecisionTreeClassifier",
        "  parameters   min_samples_leaf=0.02, random_state=0",
        "  columns      7, 2 of them categories",
        "  classes      Adelie, Chinstrap, Gentoo",
        "  trees        1",
        "Fitted by the command line: classification of 'species', --model tree",
        "  sex                category",
    ]:
        assert line in said
    found = facts("inspect", model)
    assert found["fingerprint"] == spinney.load(model).fingerprint_
    assert json.dumps(found["metadata"]["command_line"]["columns"][0]) == '{"name": "island", "kind": "category"}'


def test_stacks_and_votes_name_their_members(penguins, frame, tmp_path):
    path = tmp_path / "s.spinney"
    few = [part for one in ("boosting", "forest", "extra_trees") for part in ("-p", f"{one}__n_estimators=3")]
    run("fit", penguins, "-t", "body_mass_g", "-m", "stack", "-p", "cv=2", *few, "--cv", 0, "-o", path)
    found = facts("show", path)["members"]
    assert [one["name"] for one in found] == ["boosting", "forest", "extra_trees"]
    assert sum(one["weight"] for one in found) == pytest.approx(1.0)
    assert "3 members, combined by " in run("show", path)[0]
    X, y = frame.select("year").to_numpy(), frame["species"].to_numpy()
    trees = [("a", spinney.DecisionTreeClassifier(max_depth=1)), ("b", spinney.DecisionTreeClassifier(max_depth=2))]
    spinney.save(spinney.VotingClassifier(trees, weights=[1, 3]).fit(X, y), path)
    said, _ = run("show", path)
    assert "2 members, combined by voting\n" in said
    assert [line.split()[-1] for line in said.splitlines() if "DecisionTreeClassifier" in line] == ["25.0%", "75.0%"]


def test_the_model_of_a_tree_is_named(frame, tmp_path):
    """Of a combination, a tree is one of the model with the largest weight, or of the best one."""
    X, y = frame.select("body_mass_g", "year").fill_null(0).to_numpy(), frame["species"].to_numpy()
    trees = [("a", spinney.DecisionTreeClassifier(max_depth=1)), ("b", spinney.DecisionTreeClassifier(max_depth=2))]
    path = tmp_path / "m.spinney"
    averaged = spinney.BayesianModelAveraging(trees, cv=2).fit(X, y)
    bucket = spinney.BucketOfModels(trees, cv=2).fit(X, y)
    auto = spinney.AutoClassifier(families=["random_forest"], cv=2, random_state=0).fit(X, y)
    k = int(averaged.weights_.argmax())
    for model, words in (
        (auto, "of the model random_forest, which has a weight of 100.0%"),
        (averaged, f"of the model {'ab'[k]}, which has a weight of {averaged.weights_[k]:.1%}"),
        (bucket, f"of the model {bucket.best_name_}, the best one"),
    ):
        spinney.save(model, path)
        assert f"  {words}\n" in run("show", path, "--tree", 0)[0]
        assert f"  {words}\n" in run("show", path, "--rules")[0]
        assert words in run("export", path, "--to", "text")[1]
    spinney.save(averaged, path)
    assert [one["weight"] for one in facts("show", path)["members"]] == averaged.weights_.tolist()
    assert "2 members, with weights from their likelihoods\n" in run("show", path)[0]
    spinney.save(bucket, path)
    assert f"the best of 2 models: {bucket.best_name_}, DecisionTreeClassifier\n" in run("show", path)[0]


def test_true_is_written_as_in_files(frame, tmp_path):
    table = frame.select("bill_length_mm", "year", big=pl.col("species") == "Gentoo")
    table.write_csv(tmp_path / "t.csv")
    path = tmp_path / "m.spinney"
    run("fit", tmp_path / "t.csv", "-t", "big", "-m", "tree", "--cv", 0, "-o", path)
    assert "  classes      false, true\n" in run("inspect", path)[0]
    for said in (run("show", path)[0], run("show", path, "--rules")[0], run("export", path, "--to", "text")[0]):
        assert "true" in said
        assert "True" not in said


@pytest.mark.parametrize("how", [["--tree", 0], ["--rules"]])
def test_thresholds_of_dates_are_explained(tmp_path, how):
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 31), eager=True)
    pl.DataFrame({"day": days, "x": [k * 7 % 31 for k in range(31)], "y": [k / 2 for k in range(31)]}).write_csv(
        tmp_path / "t.csv"
    )
    for drop, told in (("x", True), ("day", False)):
        run("fit", tmp_path / "t.csv", "-t", "y", "-m", "tree", "--cv", 0, "-o", tmp_path / "m.spinney", "--drop", drop)
        said, _ = run("show", tmp_path / "m.spinney", *how)
        assert ("'day': days since 1970-01-01; 20000 is 2024-10-04" in said) == told


def test_the_contents_of_a_stack(penguins, tmp_path):
    small = [f"{name}__n_estimators=2" for name in ("boosting", "forest", "extra_trees")]
    few = [one for name in small for one in ("-p", name)]
    run("fit", penguins, "-t", "species", "-m", "stack", "--cv", 0, "-o", tmp_path / "m.spinney", *few)
    said, _ = run("inspect", tmp_path / "m.spinney")
    assert "  columns     7\n" in said  # which of them are categories only the members know
    assert "None" not in said.replace("None, <NA>", "")
