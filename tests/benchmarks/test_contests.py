"""The contests run, on tiny tables: what they measure is for a quiet machine."""

import gc
import json
import re

import numpy as np
import pytest

from benchmarks.data import GENERATORS
from benchmarks.versus import (
    adaboost,
    adaboost_cases,
    boosting_cases,
    clustering,
    clustering_cases,
    explain,
    explain_cases,
    forest_cases,
    forests,
    tree_cases,
)
from benchmarks.versus.measure import MEASURES, Result
from benchmarks.versus.report import rival, verdict
from benchmarks.versus.tree_peers import PEERS, Settings, gini_by_hand
from benchmarks.versus.trees import main


@pytest.fixture(autouse=True)
def without_collections(monkeypatch):
    """Before every measurement all garbage is collected, which takes longest here."""
    monkeypatch.setattr(gc, "collect", lambda *args: 0)


@pytest.mark.parametrize(
    "cases",
    [
        boosting_cases.CASES,
        tree_cases.CASES,
        adaboost_cases.CASES,
        forest_cases.CASES,
        clustering_cases.CASES,
        explain_cases.CASES,
    ],
)
def test_cases_name_what_there_is(cases):
    for case in cases.values():
        assert case.table in GENERATORS
        assert case.kind in MEASURES
        assert set(case.peers) <= set(case.registry)
        assert case.against in (None, "fastest", *case.peers)


def test_a_run_is_printed_and_kept(tmp_path, capsys):
    file = tmp_path / "figures.json"
    cases, peers = "million8,categories", "spinney,sklearn"
    main(f"--case {cases} --peers {peers} --rows 600 --repeats 1 --markdown --json {file}".split())
    printed = capsys.readouterr().out
    assert printed.count("spinney / sklearn = ") == 2
    found = json.loads(file.read_text())["cases"]
    assert [case["case"] for case in found] == ["million8", "categories"]
    for case in found:
        for result in case["results"]:
            assert result["error"] is None
            assert result["value"] > 0
            assert 0.4 < result["quality"]["accuracy"] <= 1
    assert all(result["quality"]["of n log n"] > 0 for result in found[0]["results"])


@pytest.mark.slow
def test_a_run_of_adaboost(tmp_path, capsys):
    file = tmp_path / "figures.json"
    adaboost.main(f"--case stumps,regression --rows 400 --repeats 1 --json {file}".split())
    assert capsys.readouterr().out.count("spinney / sklearn = ") == 2
    for case in json.loads(file.read_text())["cases"]:
        assert [result["error"] for result in case["results"]] == [None, None]
        assert all(result["quality"]["rounds"] > 2 for result in case["results"])
    adaboost.main(["--case", "stumps", "--rows", "400", "--compare"])
    printed = capsys.readouterr().out
    assert float(re.search(r"at most (\S+) apart", printed).group(1)) < 1e-9
    assert "50 members have the same first split" in printed


@pytest.mark.slow
def test_clustering_is_measured(tmp_path):
    file = tmp_path / "figures.json"
    options = f"--case kmeans_rows,kmeans,mixture --peers spinney,sklearn --rows 1500 --repeats 1 --json {file}"
    clustering.main(options.split())
    for case in json.loads(file.read_text())["cases"]:
        mine, theirs = sorted((result["quality"] for result in case["results"]), key=lambda one: one["loss"])
        assert mine["loss"] == pytest.approx(theirs["loss"], rel=0.1)  # other first centres
        assert mine["iterations"] <= 20


@pytest.mark.slow
def test_explanations_are_measured(tmp_path):
    file = tmp_path / "figures.json"
    explain.main(f"--case values --peers spinney,lightgbm --rows 500 --repeats 1 --json {file}".split())
    for case in json.loads(file.read_text())["cases"]:
        assert [result["error"] for result in case["results"]] == [None, None]
        mine, theirs = (result["quality"]["mean size"] for result in case["results"])
        assert mine == pytest.approx(theirs, rel=0.5)  # other trees, and a base value among theirs


def test_information_is_no_rival():
    case = tree_cases.CASES["depth8"]
    results = [Result("spinney", 2.0), Result("lightgbm", 1.0), Result("sklearn", 4.0)]
    assert rival(case, results).peer == "sklearn"
    assert verdict(case, results).startswith("spinney / sklearn = 0.50: clears")


def test_peers_grow_the_same_sort_of_tree():
    table = GENERATORS["binary"](500)
    settings = Settings(criterion="gini", depth=3, threads=1)
    trees = [PEERS[name].fit(table.X, table.y, settings).fitted.tree_ for name in ("spinney", "sklearn")]
    assert trees[0].feature[0] == trees[1].feature[0]
    assert trees[0].threshold[0] == pytest.approx(trees[1].threshold[0], rel=1e-6)


def test_the_gini_by_hand_is_the_decrease_of_gini():
    left, right = np.array([30.0, 10.0]), np.array([5.0, 55.0])
    gini = lambda side: 1 - ((side / side.sum()) ** 2).sum()
    whole = left + right
    expected = gini(whole) - (40 * gini(left) + 60 * gini(right)) / 100
    assert gini_by_hand(left, right) == pytest.approx(expected)


@pytest.mark.slow
def test_a_run_of_forests(tmp_path, capsys):
    file = tmp_path / "figures.json"
    forests.main(f"--case forest,extra --peers spinney,sklearn --rows 400 --repeats 1 --json {file}".split())
    assert capsys.readouterr().out.count("spinney / sklearn = ") == 2
    for case in json.loads(file.read_text())["cases"]:
        assert all(result["error"] is None and result["quality"]["nodes"] > 20 for result in case["results"])


@pytest.mark.slow
def test_forests_without_a_target_are_measured(tmp_path):
    file = tmp_path / "figures.json"
    cases = "tree,tree_numbers,isolation,outliers,embedding,embed"
    forests.main(f"--case {cases} --rows 500 --repeats 1 --json {file}".split())
    for case in json.loads(file.read_text())["cases"]:
        mine, theirs = case["results"]
        assert mine["error"] is theirs["error"] is None
        if "loss" in mine["quality"]:
            assert mine["quality"]["loss"] == pytest.approx(theirs["quality"]["loss"], rel=0.1)
