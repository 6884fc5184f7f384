"""Trees as text."""

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

import spinney
from spinney import DecisionTreeClassifier, ID3Classifier, export_rules, export_text
from spinney.datasets import load_restaurant
from spinney.tree.decision import SPREADS
from tests.view.trees import (
    ByHand,
    branches,
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


def lines(text):
    """The lines without the empty one around a text written over several."""
    return "\n".join(line[4:] for line in text.strip("\n").splitlines())


def test_numbers():
    expected = """
    |--- petal width <= 0.80
    |   |--- class: setosa
    |--- petal width >  0.80
    |   |--- petal width <= 1.75
    |   |   |--- petal length <= 4.95
    |   |   |   |--- class: versicolor
    |   |   |--- petal length >  4.95
    |   |   |   |--- class: virginica
    |   |--- petal width >  1.75
    |   |   |--- class: virginica
    """
    assert export_text(flowers()) == lines(expected)


def test_sets_name_only_categories_that_can_come_to_the_node():
    expected = """
    |--- island in {Biscoe, Dream, Faial}
    |   |--- island in {Dream, Faial}
    |   |   |--- class: no
    |   |--- island = Biscoe
    |   |   |--- class: yes
    |--- island in {Elba, Gozo} or missing
    |   |--- mass <= 40.50 or missing
    |   |   |--- class: yes
    |   |--- mass >  40.50
    |   |   |--- class: no
    """
    assert export_text(islands(), show_missing=True) == lines(expected)


def test_branches_and_what_missing_values_get():
    expected = """
    |--- Outlook is missing
    |   |--- class: Yes
    |--- Outlook = Overcast
    |   |--- class: Yes
    |--- Outlook = Rainy
    |   |--- Windy is missing
    |   |   |--- class: Yes
    |   |--- Windy = false
    |   |   |--- class: Yes
    |   |--- Windy = true
    |   |   |--- class: No
    |--- Outlook = Sunny
    |   |--- Humidity is missing
    |   |   |--- class: No
    |   |--- Humidity = High
    |   |   |--- class: No
    |   |--- Humidity = Normal
    |   |   |--- class: Yes
    """
    assert export_text(tennis(), show_missing=True) == lines(expected)
    assert "missing" not in export_text(tennis())


def test_missing_values_that_go_every_way():
    model = make_model(branches(0, leaf([1, 0]), leaf([0, 1]), missing=SPREADS), {"a": ["x", "y"]}, ["n", "p"])
    assert "|--- a is missing: every branch, by its weight\n" in export_text(model, show_missing=True)


def test_regression_and_columns_without_names():
    expected = """
    |--- feature_0 <= 2.0
    |  |--- value: [1.5]
    |--- feature_0 >  2.0
    |  |--- feature_1 <= -0.2
    |  |  |--- value: [3.0]
    |  |--- feature_1 >  -0.2
    |  |  |--- value: [4.2]
    """
    assert export_text(prices(), decimals=1, spacing=2) == lines(expected).replace("|---", "|--")


def test_several_outputs():
    assert "class: [a, no]" in export_text(two_outputs())
    assert "weights: [0.00, 1.00, 3.00], [1.00, 3.00] class: [c, yes]" in export_text(two_outputs(), show_weights=True)
    assert "class: [b2, y]" not in export_text(two_outputs(), class_names=[["a2", "b2", "c2"], ["n", "y"]])
    assert "class: [c2, y]" in export_text(two_outputs(), class_names=[["a2", "b2", "c2"], ["n", "y"]])
    assert "value: [1.00, 10.00]" in export_text(two_numbers())


def test_a_single_leaf():
    assert export_text(single()) == "|--- class: yes\n"


def test_depth():
    text = export_text(flowers(), max_depth=1)
    assert "|   |   |--- truncated branch of depth 2\n" in text
    assert "petal length" not in text
    assert export_text(flowers(), max_depth=0).endswith("|   |--- truncated branch of depth 3\n")
    assert export_text(flowers(), max_depth=None) == export_text(flowers())


def test_names():
    text = export_text(flowers(), feature_names=["length", "width"], class_names=["A", "B", "C"])
    assert text.startswith("|--- width <= 0.80\n|   |--- class: A\n")


def test_many_categories_are_named_by_the_shorter_list():
    letters = [chr(ord("a") + i) for i in range(26)]
    model = make_model(in_set(0, range(20), leaf([1, 0]), leaf([0, 1])), {"letter": letters}, ["n", "p"])
    assert export_text(model).splitlines()[::2] == [
        "|--- letter not in {u, v, w, x, y, z}",
        "|--- letter in {u, v, w, x, y, z}",
    ]
    model = make_model(in_set(0, [3], leaf([1, 0]), leaf([0, 1])), {"letter": letters}, ["n", "p"])
    assert export_text(model).splitlines()[::2] == ["|--- letter = d", "|--- letter != d"]


def test_a_split_of_missing_values_from_the_rest():
    numbers = make_model(number(0, float("inf"), leaf([1, 0]), leaf([0, 1])), {"x": None}, ["n", "p"])
    words = make_model(in_set(0, [0, 1], leaf([1, 0]), leaf([0, 1])), {"x": ["a", "b"]}, ["n", "p"])
    for model in (numbers, words):
        assert export_text(model, show_missing=True).splitlines()[::2] == ["|--- x is not missing", "|--- x is missing"]


def test_odd_names_stay_on_their_line():
    model = make_model(
        branches(0, leaf([1, 0]), leaf([0, 1]), leaf([1, 0])), {"two\nlines": ["", "a, b", "x\ny"]}, ["n", "p"]
    )
    assert export_text(model).splitlines()[::2] == [
        "|--- two lines = ''",
        "|--- two lines = 'a, b'",
        "|--- two lines = 'x\\ny'",
    ]


def test_close_thresholds_can_be_told_apart():
    spec = number(0, 2.001, leaf([1, 0]), number(0, 2.004, leaf([0, 1]), leaf([1, 0])))
    text = export_text(make_model(spec, {"x": None}, ["n", "p"]))
    assert "x <= 2.001" in text
    assert "x >  2.004" in text


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"feature_names": ["a"]}, "feature_names must be a list of 2 names, got 1: "),
        ({"feature_names": "ab"}, "feature_names must be a list of 2 names, got 'ab'"),
        ({"class_names": ["a", "b"]}, "class_names must be a list of 3 names, got 2: "),
        ({"max_depth": -1}, "max_depth must be an integer of at least 0, got -1"),
        ({"decimals": 1.5}, "decimals must be an integer of at least 0, got 1.5"),
        ({"spacing": 0}, "spacing must be a positive integer, got 0"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        export_text(flowers(), **parameters)


def test_class_names_of_several_outputs_are_lists():
    with pytest.raises(ValueError, match="class_names must be 2 lists of names, one for each output"):
        export_text(two_outputs(), class_names=["a", "b"])


@pytest.mark.parametrize("function", ["export_text", "export_rules", "export_graphviz", "plot_tree"])
def test_models(function):
    read = getattr(spinney, function)
    with pytest.raises(NotFittedError, match="This ByHand is not fitted yet: call fit first"):
        read(ByHand())
    with pytest.raises(TypeError, match=r"must be fitted: a decision tree, .* got the class ByHand"):
        read(ByHand)
    for kind in ("GradientBoostingClassifier", "RandomForestRegressor", "AdaBoostClassifier", "BaggingRegressor"):
        with pytest.raises(NotFittedError, match=f"This {kind} is not fitted yet: call fit first"):
            read(getattr(spinney, kind)())
    with pytest.raises(TypeError, match=r"fitted model of Spinney's trees .*, got KNeighborsClassifier"):
        read(KNeighborsClassifier())
    with pytest.raises(TypeError, match="got NoneType"):
        read(None)


def test_branches_come_in_the_declared_order_of_the_categories():
    """The lecture's order (000): None, Some, Full. The model is that of any other order."""
    visits, wait = load_restaurant()
    model = ID3Classifier().fit(visits, wait)
    first = [line for line in export_text(model).splitlines() if line.startswith("|---")]
    assert first == ["|--- Patrons = None", "|--- Patrons = Some", "|--- Patrons = Full"]
    other = ID3Classifier().fit(visits.astype({"Patrons": str}), wait)
    assert other.fingerprint_ == model.fingerprint_
    assert export_text(other).splitlines()[0] == "|--- Patrons = Full"
    assert [line.split(" then")[0] for line in str(export_rules(model)).splitlines()[:2]] == [
        "if Patrons = None",
        "if Patrons = Some",
    ]
    sides = DecisionTreeClassifier(max_depth=1).fit(visits[["Type"]], visits["Type"].isin(["Thai", "Burger"]))
    assert "Type in {Thai, Burger}" in export_text(sides)
