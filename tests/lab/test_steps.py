"""Steps against the library and against the lectures' worked numbers."""

import json
import re
from importlib import resources
from itertools import pairwise

import numpy as np
import pytest

import spinney
from spinney import datasets, prune
from spinney.lab.methods import METHODS, PRESETS
from spinney.lab.panels import CELLS, LEVELS
from spinney.lab.parameters import LabError, LabParameter, read_values
from spinney.lab.tables import SOURCES, hold_out, make_table

SMALL = {  # quick series of every method
    "tree": {"params": {"max_depth": 2}},
    "optimal": {},
    "id3": {},
    "c45": {},
    "pruning": {},
    "bagging": {"params": {"n_estimators": 4}},
    "forest": {"params": {"n_estimators": 4}},
    "extra_trees": {"params": {"n_estimators": 4}},
    "adaboost": {"params": {"n_estimators": 5}},
    "boosting": {"params": {"n_estimators": 4}},
    "voting": {},
    "stacking": {},
    "kmeans": {},
    "em": {"params": {"n_components": 2}},
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_steps_that_can_be_drawn(method, lab):
    found = json.loads(lab.series({"method": method, **SMALL[method]}))
    table, steps = found["table"], found["steps"]
    assert len(steps) > 2
    assert len({one["sentence"] for one in steps}) > 1
    for one in steps:
        assert one["sentence"].endswith(".")
        assert any(character.isdigit() for character in one["sentence"])
        assert one["numbers"]
        assert one["panels"]
        for panel in one["panels"]:
            assert panel["kind"] in ("plane", "curve", "tree", "table")
            if "region" in panel:
                assert sum(panel["region"][::2]) == CELLS**2
                assert max(panel["region"][1::2]) < LEVELS * 8
            for name in ("sizes", "colours", "shares"):
                assert panel.get(name) is None or len(panel[name]) == table["rows"]
            for name in ("hollow", "wrong", "dim", "ring"):
                assert all(0 <= row < table["rows"] for row in panel.get(name) or [])


@pytest.mark.parametrize("method", METHODS)
def test_tables_that_the_page_offers_are_accepted(method, lab):
    offered = METHODS[method].as_json()["tables"]
    assert METHODS[method].default in offered
    for table in offered:
        assert lab._read({"method": method, "table": table})[0].name == method
    wanted = {"id3": ["tennis", "restaurant"], "c45": ["iris", "penguins", "tennis", "restaurant"]}
    assert wanted.get(method, offered) == offered


def test_the_page_knows_no_method_and_no_table_by_name():
    page = resources.files("spinney.lab").joinpath("static/page.js").read_text(encoding="utf-8")
    quoted = set(re.findall(r"""["'`](\w+)["'`]""", page))
    assert not quoted & ({*METHODS, *SOURCES} - {"tree", "curve"})  # panels of these kinds


def test_a_series_is_fitted_once(lab):
    first = lab.series({"method": "id3"})
    assert lab.series({"method": "id3", "step": 5}) is first


def test_restaurant(steps):
    """Entropy 1 bit; Patrons gains 0.541 and Type nothing; inside Full the entropy is 0.918."""
    found = steps("id3", table="restaurant")
    assert found[0]["numbers"] == {"rows": 12, "impurity": 1.0}
    gains = found[1]["numbers"]["gains"]
    assert round(gains["Patrons"], 3) == 0.541
    assert gains["Type"] == 0
    assert max(gains, key=gains.get) == "Patrons"
    assert "Patrons has the largest gain: 0.541 bits" in found[1]["sentence"]
    assert round(found[3]["numbers"]["impurity"], 3) == 0.918
    listing = found[1]["panels"][1]
    assert listing["rows"][listing["chosen"]][0] == "Patrons"
    model = spinney.ID3Classifier(max_depth=8).fit(*datasets.load_restaurant())
    assert len(found) == 1 + 2 * int((~model.tree_.is_leaf).sum())


def test_the_optimal_tree_is_not_led_astray(steps):
    """Four leaves for the exclusive or; the greedy tree asks the decoy first, and needs eight."""
    one, two, three = (found["numbers"] for found in steps("optimal", table="decoy"))
    assert (two["optimal_error"], two["optimal_leaves"], two["gap"]) == (0.0, 4, 0.0)
    assert two["greedy_error"] > 0.2
    assert (three["greedy_error"], three["greedy_leaves"], three["optimal_leaves"]) == (0.0, 8, 4)
    for table in ("moons", "penguins", "restaurant"):
        for found in steps("optimal", table=table, params={"max_depth": 2}):
            assert found["numbers"]["optimal_error"] <= found["numbers"]["greedy_error"] + 1e-12


def test_tennis(steps):
    """Outlook at the root, Humidity under Sunny, Windy under Rainy, by gain as by gain ratio."""
    for method in ("id3", "c45"):
        asked = [one["numbers"]["feature"] for one in steps(method, table="tennis")[1:7:2]]
        names = ["Outlook", "Temperature", "Humidity", "Windy"]
        assert [names[k] for k in asked] in (["Outlook", "Windy", "Humidity"], ["Outlook", "Humidity", "Windy"])
    gains = steps("id3", table="tennis")[1]["numbers"]["gains"]
    assert {name: round(gain, 3) for name, gain in gains.items()} == {
        "Outlook": 0.247,
        "Temperature": 0.029,
        "Humidity": 0.152,
        "Windy": 0.048,
    }


def test_waiting_minutes_are_cut_where_the_lecture_cuts_them(steps):
    found = steps("c45", table="restaurant", tableParams={"waiting": "minutes"})
    rows = {row[0]: row for row in found[1]["panels"][1]["rows"]}
    assert rows["WaitMinutes"][1:3] == ["≤ 16", "0.196"]


def test_the_best_candidate_is_the_one_that_the_tree_asks(steps):
    for one in steps("tree", params={"max_depth": 2})[1::2]:
        gains = [line for panel in one["panels"] if panel["kind"] == "curve" for line in panel["lines"]]
        assert max(max(line["y"], default=0) for line in gains) == pytest.approx(one["numbers"]["gain"], rel=1e-4)


def test_pruning_from_the_leaves_ends_where_reduced_error_does(lab, steps):
    table = make_table(SOURCES["moons"], {}, plane=True)
    from spinney.lab.tables import hold_out

    parts = hold_out(table, 0)
    full = spinney.DecisionTreeClassifier(random_state=0).fit(table.X[parts.train], table.y[parts.train])
    pruned = prune.reduced_error(full, table.X[parts.held], table.y[parts.held])
    last = steps("pruning", params={"way": "error"})[-1]["numbers"]
    assert last["leaves"] == pruned.get_n_leaves()
    assert last["held_out_error"] == pytest.approx(1 - pruned.score(table.X[parts.held], table.y[parts.held]))


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_out_of_bag_error_is_the_forest_s(steps):
    table = make_table(SOURCES["moons"], {}, plane=True)
    given = {"n_estimators": 12, "max_depth": 8, "max_features": 1, "random_state": 0}
    model = spinney.RandomForestClassifier(**given, oob_score=True).fit(table.X, table.y)
    numbers = steps("forest", params={"n_estimators": 12})[-1]["numbers"]
    assert numbers["vote_error"] == pytest.approx(1 - model.oob_score_)
    assert numbers["in_bag"] + numbers["out_of_bag"] == table.n_rows


def test_boosting_at_rate_1_is_trees_fitted_to_residuals(steps):
    """Three rounds of squared loss equal three trees, each fitted to what is left over."""
    from spinney.lab.tables import hold_out

    table = make_table(SOURCES["curve"], {}, plane=True)
    train = hold_out(table, 0).train
    x, y = table.X[train, :1], table.X[train, 1]
    left = y - y.mean()
    found = steps("boosting", params={"n_estimators": 4, "learning_rate": 1.0})
    for k in range(1, 4):
        left = left - spinney.DecisionTreeRegressor(max_depth=2).fit(x, left).predict(x)
        assert found[k]["numbers"]["training_error"] == pytest.approx(np.mean(left**2), rel=1e-4)


def test_adaboost_says_what_the_lecture_computes(steps):
    for one in steps("adaboost", params={"n_estimators": 5}):
        numbers = one["numbers"]
        assert numbers["say"] == pytest.approx(0.5 * np.log((1 - numbers["error"]) / numbers["error"]))


def test_clusterings_only_get_better(steps):
    sums = [one["numbers"]["sse"] for one in steps("kmeans")]
    assert sums == sorted(sums, reverse=True)
    rises = [one["numbers"]["log_likelihood"] for one in steps("em", params={"n_components": 2})]
    assert all(b >= a - 1e-9 for a, b in pairwise(rises))


def test_the_numbers_of_a_step_of_kmeans_are_those_of_its_sentence(lab, steps):
    table = make_table(SOURCES["blobs"], {}, plane=True)
    found = steps("kmeans")
    labels = None
    for at, one in enumerate(found):
        centres = np.array(one["numbers"]["centres"])
        apart = ((table.X[:, None] - centres) ** 2).sum(axis=2)
        if at % 2 == 0:  # rows choose
            labels = apart.argmin(axis=1)
        sse = apart[np.arange(table.n_rows), labels].sum()
        assert one["numbers"]["sse"] == pytest.approx(sse)
        assert f"{sse:.0f}" in one["sentence"] or f"{sse:.3g}" in one["sentence"]
        (dots,) = one["panels"][1]["lines"]
        assert dots["y"][at] == pytest.approx(sse, rel=1e-5)
        assert one["panels"][1]["at"] == dots["x"][at]


def test_an_empty_branch_says_which_class_it_predicts_and_why(steps):
    said = [one["sentence"] for one in steps("id3", table="restaurant")]
    (one,) = [sentence for sentence in said if "empty" in sentence]
    assert "French is empty and predicts leave, the first of the tied majority classes" in one
    assert not [sentence for sentence in said if "takes the majority" in sentence]


def test_defaults_teach_what_they_should(steps):
    vote = steps("voting")[3]["numbers"]
    assert vote["error"] < min(vote["members"])
    for table, least in (("curve", "held_out_error"), ("moons", "held_out_loss")):
        errors = [one["numbers"][least] for one in steps("boosting", table=table)]
        assert int(np.argmin(errors)) >= 10  # not after a round or two
        assert min(errors) < 0.7 * errors[0]
    ada = steps("adaboost", params={"n_estimators": 5})
    assert {line["name"] for line in ada[0]["panels"][3]["lines"]} == {"training rows", "held-out rows"}
    said = " ".join(one["sentence"] for one in steps("stacking"))
    assert "% for the nearest neighbours" in said


def test_adaboost_holds_rows_out(steps):
    table = make_table(SOURCES["moons"], {}, plane=True)
    parts = hold_out(table, 0)
    weak = spinney.DecisionTreeClassifier(max_depth=1)
    model = spinney.AdaBoostClassifier(weak, n_estimators=5, algorithm="discrete").fit(
        table.X[parts.train], table.y[parts.train]
    )
    numbers = steps("adaboost", params={"n_estimators": 5})[-1]["numbers"]
    for name, rows in (("training_error", parts.train), ("held_out_error", parts.held)):
        assert numbers[name] == pytest.approx(1 - model.score(table.X[rows], table.y[rows]))


def test_points_are_added_to_what_is_fitted(lab):
    request = {"method": "kmeans", "points": [[0.0, 0.0, 0], [1.5, 2.0, 3]]}
    found = json.loads(lab.series(request))["table"]
    assert found["rows"] == 152
    assert found["points"]["class"][-2:] == [0, 3]
    assert "points added by hand" in lab.code(request, 0)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ([], "A request must be an object"),
        ({}, "method must be one of tree, optimal, id3"),
        ({"method": "tree", "table": "x"}, "table must be one of moons"),
        ({"method": "tree", "params": []}, None),
        ({"method": "tree", "params": 7}, "params must be an object"),
        ({"method": "tree", "params": {"depth": 3}}, "There is no parameter 'depth'"),
        ({"method": "tree", "params": {"max_depth": 99}}, "maximum depth must be an integer from 1 to 6, got 99"),
        ({"method": "tree", "params": {"max_depth": "x"}}, "maximum depth must be an integer"),
        ({"method": "tree", "params": {"criterion": "x"}}, "criterion must be one of gini, entropy"),
        ({"method": "kmeans", "table": "tennis"}, "k-means needs two numeric columns"),
        ({"method": "tree", "table": "curve"}, "Decision tree needs at least two classes"),
        ({"method": "boosting", "params": {"task": "classes"}}, "This table has no classes"),
        ({"method": "tree", "table": "iris", "columns": ["a", "b"]}, "Choose two different columns"),
        ({"method": "tree", "points": [[0, 0, 9]]}, "A point must be two finite numbers"),
        ({"method": "tree", "points": [[0, 0, 0]] * 501}, "At most 500 points"),
        ({"method": "tree", "table": "own", "own": "x"}, "Load the file again"),
        ({"method": "id3", "table": "iris"}, "numbers"),
        ({"method": "kmeans", "table": "blobs", "tableParams": {"rows": 3}}, "rows must be an integer from 20"),
    ],
)
def test_mistakes_get_a_sentence(request_, said, lab):
    if said is None:
        lab.series(request_)
        return
    with pytest.raises(ValueError, match=said):
        lab.series(request_)


def test_wrong_steps(lab):
    with pytest.raises(LabError, match="step must be an integer from 0 to"):
        lab.code({"method": "id3"}, 99)


def test_parameters():
    seed = LabParameter("s", "seed", 0, 0, 9)
    assert read_values((seed,), {"s": 3.0}) == {"s": 3}
    with pytest.raises(LabError, match=r"seed must be an integer from 0 to 9, got 2\.5"):
        read_values((seed,), {"s": 2.5})


def test_lecture_examples(lab):
    """Every preset runs, and shows the slides' numbers."""
    found = {}
    for one in PRESETS:
        sent = one.as_json()
        del sent["title"]
        found[one.title.split(":")[0]] = json.loads(lab.series(sent))["steps"]
    rounds = [one["numbers"] for one in found["Ten points"]]
    assert [(round(one["error"], 2), round(one["say"], 2)) for one in rounds] == [
        (0.3, 0.42),
        (0.21, 0.65),
        (0.14, 0.92),
    ]
    assert rounds[-1]["training_error"] == 0
    assert "misclassifies 0.0" in found["Ten points"][-1]["sentence"]
    eighty, heart = found["80 and 20 rows"][0]["numbers"], found["Heart"][0]["numbers"]
    assert (round(eighty["error"], 12), round(eighty["say"], 4), eighty["wrong"]) == (0.2, 0.6931, 20)
    assert (heart["error"], round(heart["say"], 2), heart["wrong"]) == (1 / 8, 0.97, 1)
    first = found["EM"][0]
    assert [round(one, 2) for one in first["numbers"]["at_zero"]] == [0.65, 0.35]
    assert "At x = 0, the responsibilities are 0.65 and 0.35." in first["sentence"]
    assert found["Restaurant"]
    assert found["Tennis"]


def test_given_means_are_those_of_two_components(lab):
    with pytest.raises(LabError, match="Choose 2 components"):
        lab.series({"method": "em", "params": {"n_components": 3, "init_params": "given"}})


def test_an_empty_branch_of_a_tie_predicts_the_first_class(steps):
    """French is empty below Full and hungry, where 2 wait and 2 leave: there is no majority (000)."""
    said = " ".join(one["sentence"] for one in steps("id3", table="restaurant"))
    assert "French is empty and predicts leave, the first of the tied majority classes of its parent" in said


def test_the_sse_of_moving_centres_is_the_one_that_is_told(steps):
    """Steps in which centres move: the sentence, the numbers and the code have the SSE after the move (004)."""
    for before, one in pairwise(steps("kmeans")):
        if "centroids move" in one["panels"][0]["title"] and "falls" in one["sentence"]:
            told = [float(word.rstrip(".")) for word in one["sentence"].split() if word.rstrip(".").isdigit()]
            assert one["numbers"]["sse"] <= before["numbers"]["sse"]
            assert told[-1] == pytest.approx(one["numbers"]["sse"], abs=0.6)
