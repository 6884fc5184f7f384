"""Trees as rules."""

import math

import pytest

from spinney import export_rules
from tests.view.trees import (
    ALL,
    flowers,
    in_set,
    islands,
    leaf,
    make_model,
    number,
    prices,
    single,
    tennis,
    two_numbers,
    two_outputs,
)


def test_tests_of_one_column_are_merged():
    assert str(export_rules(flowers())).splitlines() == [
        "if petal width <= 0.80 then setosa (50 samples, 100 %)",
        "if 0.80 < petal width <= 1.75 and petal length <= 4.95 then versicolor (48 samples, 98 %)",
        "if 0.80 < petal width <= 1.75 and petal length > 4.95 then virginica (6 samples, 67 %)",
        "if petal width > 1.75 then virginica (46 samples, 98 %)",
    ]


def test_sets_are_intersected():
    assert str(export_rules(islands(), show_missing=True)).splitlines() == [
        "if island in {Dream, Faial} then no (10 samples, 90 %)",
        "if island = Biscoe then yes (10 samples, 80 %)",
        "if (island in {Elba, Gozo} or missing) and (mass <= 40.50 or missing) then yes (3 samples, 100 %)",
        "if (island in {Elba, Gozo} or missing) and mass > 40.50 then no (4 samples, 100 %)",
    ]
    assert "missing" not in str(export_rules(islands()))


def test_branches():
    assert str(export_rules(tennis())).splitlines() == [
        "if Outlook = Overcast then Yes (4 samples, 100 %)",
        "if Outlook = Rainy and Windy = false then Yes (3 samples, 100 %)",
        "if Outlook = Rainy and Windy = true then No (2 samples, 100 %)",
        "if Outlook = Sunny and Humidity = High then No (3 samples, 100 %)",
        "if Outlook = Sunny and Humidity = Normal then Yes (2 samples, 100 %)",
    ]


def test_what_a_rule_holds():
    rule = export_rules(flowers())[1]
    width, length = rule.conditions
    assert (rule.prediction, rule.n_samples, rule.leaf, rule.weight) == ("versicolor", 48, 4, 48.0)
    assert rule.confidence == 47 / 48
    assert (width.feature, width.low, width.high, width.categories, width.missing) == (1, 0.8, 1.75, None, False)
    assert (length.feature, length.low, length.high) == (0, -math.inf, 4.95)
    assert str(width) == "0.80 < petal width <= 1.75"


def test_categories_of_a_rule_are_values_of_the_column():
    assert export_rules(islands())[0].conditions[0].categories == ("Dream", "Faial")
    assert export_rules(tennis())[2].conditions[1].categories == (True,)


def test_regression():
    first = export_rules(prices())[0]
    assert str(first) == "if feature_0 <= 2.00 then 1.50 (10 samples, squared_error 0.25)"
    assert (first.prediction, first.confidence, first.impurity) == (1.5, None, 0.25)


def test_several_outputs():
    first = export_rules(two_outputs())[0]
    assert (first.prediction, first.confidence) == (("a", "no"), 5 / 6)
    assert str(first) == "if x <= 0.50 then [a, no] (6 samples, 83 %)"
    assert export_rules(two_numbers())[1].prediction == (2.0, 20.0)


def test_a_single_leaf():
    assert str(export_rules(single())) == "always yes (12 samples, 75 %)"


def test_one_sample():
    model = make_model(number(0, 1, leaf([1, 0]), leaf([0, 2])), {"x": None}, ["n", "p"])
    assert str(export_rules(model)[0]).endswith("n (1 sample, 100 %)")


def test_filters_and_order():
    by = {
        sort: [rule.leaf for rule in export_rules(flowers(), sort=sort)] for sort in ("tree", "samples", "confidence")
    }
    assert by == {"tree": [1, 4, 5, 6], "samples": [1, 4, 6, 5], "confidence": [1, 4, 6, 5]}
    assert [rule.leaf for rule in export_rules(flowers(), sort="prediction")] == [1, 4, 6, 5]
    assert [rule.leaf for rule in export_rules(prices(), sort="confidence")] == [1, 3, 4]
    assert [rule.leaf for rule in export_rules(flowers(), min_samples=48)] == [1, 4]
    assert [rule.leaf for rule in export_rules(flowers(), min_confidence=0.978)] == [1, 4, 6]


def test_names():
    rule = export_rules(flowers(), feature_names=["length", "width"], class_names=["A", "B", "C"])[0]
    assert str(rule) == "if width <= 0.80 then A (50 samples, 100 %)"
    assert rule.prediction == "A"


def test_close_bounds_can_be_told_apart():
    spec = number(0, 2.0041, number(0, 2.0012, leaf([1, 0]), leaf([0, 1])), leaf([1, 0]))
    rule = export_rules(make_model(spec, {"x": None}, ["n", "p"]))[1]
    assert str(rule).startswith("if 2.001 < x <= 2.004 then p")


def test_no_value_is_left():
    words = make_model(in_set(0, [0, 1], leaf([1, 0]), leaf([0, 1])), {"x": ["a", "b"]}, ["n", "p"])
    texts = [str(rule.conditions[0]) for rule in export_rules(words, show_missing=True)]
    assert texts == ["x is not missing", "x is missing"]


@pytest.mark.parametrize("make", ALL)
def test_leaves_and_rules_are_the_same_rows(make):
    model = make()
    rules = export_rules(model)
    assert len(rules) == model.tree_.n_leaves
    assert sum(rule.n_samples for rule in rules) == model.tree_.n_samples[0]


def test_a_list_that_prints():
    rules = export_rules(flowers())
    assert repr(rules) == str(rules)
    assert str(rules[:2]) == "\n".join(str(rule) for rule in rules).rsplit("\n", 2)[0]
    assert rules == export_rules(flowers())
    assert hash(rules[0]) == hash(export_rules(flowers())[0])


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"sort": "size"}, "sort must be one of 'tree', 'samples', 'confidence', 'prediction', got 'size'"),
        ({"min_confidence": 50}, "min_confidence must be a number from 0 to 1, got 50"),
        ({"min_samples": -1}, "min_samples must be an integer of at least 0, got -1"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        export_rules(flowers(), **parameters)


def test_numbers_have_no_confidence():
    with pytest.raises(ValueError, match=r"min_confidence must be 0 for a regression tree, got 0\.5"):
        export_rules(prices(), min_confidence=0.5)
