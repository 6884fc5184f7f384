"""Simplified rules: against plain Python, and what is true of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from spinney import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, export_rules
from spinney.criteria.pessimism import extra_errors
from spinney.datasets import load_penguins
from spinney.view.rules import RuleRows, simplify
from tests.compiled import few

BIRDS, SPECIES = load_penguins()


def answer(rules, X):
    """What a list of rules says of each row, read from the rules' own conditions."""
    said = []
    for _, row in X.iterrows():
        for rule in rules:
            if all(holds(one, row.iloc[one.feature]) for one in rule.conditions):
                said.append(rule.prediction)
                break
    return np.array(said)


def holds(condition, value):
    if pd.isna(value):
        return condition.missing
    return (
        value in condition.categories if condition.categories is not None else condition.low < value <= condition.high
    )


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, C45Classifier])
def test_fewer_and_shorter_rules_that_are_no_worse(kind):
    X, X_val, y, y_val = train_test_split(BIRDS, SPECIES, random_state=0)
    model = kind(min_samples_leaf=1).fit(X, y)
    plain, simple = export_rules(model), export_rules(model, simplify=True, X=X_val, y=y_val)
    assert len(simple) < len(plain)
    assert sum(len(rule.conditions) for rule in simple) < sum(len(rule.conditions) for rule in plain)
    assert (answer(simple, X_val) == y_val).mean() >= model.score(X_val, y_val)
    assert str(simple).splitlines()[-1].startswith("otherwise ")
    assert (simple[-1].conditions, simple[-1].leaf) == ((), -1)
    assert sum(rule.n_samples for rule in simple) == len(y_val)
    said = answer(simple, X_val)
    right = sum(rule.confidence * rule.weight for rule in simple)
    assert right == pytest.approx((said == y_val).sum())


def slow(masks, says, classes, n_classes):
    """The three steps as they are told, in lists and loops."""
    n = len(classes)

    def bound(number, kept):
        here = [r for r in range(n) if all(masks[number][k][r] for k in kept)]
        wrong = sum(classes[r] != says[number] for r in here)
        return ((wrong + float(extra_errors(float(len(here)), float(wrong)))) / len(here) if here else 1.0), here

    rules = {}
    for number in range(len(says)):
        kept = list(range(len(masks[number])))
        now, here = bound(number, kept)
        while len(kept) > 1:
            tried = [bound(number, [k for k in kept if k != gone])[0] for gone in kept]
            if min(tried) > now:
                break
            kept.pop(tried.index(min(tried)))
            now, here = bound(number, kept)
        key = (says[number], tuple(here))
        if here and kept and (key not in rules or len(kept) < len(rules[key][2])):
            rules[key] = (now, number, tuple(kept), set(here))
    rules = sorted(rules.values(), key=lambda one: one[:2])

    def default(chosen):
        left = [classes[r] for r in range(n) if not any(r in one[3] for one in chosen)] or list(classes)
        return max(range(n_classes), key=lambda c: (left.count(c), -c))

    def wrong(chosen, last):
        said = [next((says[one[1]] for one in chosen if r in one[3]), last) for r in range(n)]
        return sum(a != b for a, b in zip(said, classes))

    while rules:
        last = default(rules)
        losses = [wrong(rules[:k] + rules[k + 1 :], last) - wrong(rules, last) for k in range(len(rules))]
        worst = max(k for k in range(len(rules)) if losses[k] == min(losses))
        if losses[worst] > 0:
            break
        rules.pop(worst)
    return [(one[1], one[2], says[one[1]]) for one in rules] + [(-1, (), default(rules))]


@few(80)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 3))
def test_the_rules_of_plain_loops(seed, n_rules, n_classes):
    rng = np.random.RandomState(seed)
    classes = rng.randint(0, n_classes, 25)
    says = rng.randint(0, n_classes, n_rules)
    masks = [[(rng.rand(25) < 0.6) | (classes == s) for _ in range(rng.randint(0, 4))] for s in says]
    found = simplify(RuleRows(masks, says, classes, np.ones(25)), n_classes)
    assert [one[:3] for one in found] == slow(masks, says.tolist(), classes.tolist(), n_classes)
    assert sum(one.n_rows for one in found) == 25


def test_weights_unknown_classes_and_one_tree_of_many():
    X, X_val, y, y_val = train_test_split(BIRDS, SPECIES, random_state=0)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    names = ["a", "c", "g"]
    strange = y_val.where(np.arange(len(y_val)) > 5, "Emperor")
    weight = np.arange(len(y_val)) % 3
    rules = export_rules(forest, tree=1, class_names=names, simplify=True, X=X_val, y=strange, sample_weight=weight)
    assert {rule.prediction for rule in rules} <= set(names)
    assert sum(rule.weight for rule in rules) == weight.sum()
    assert sum(rule.n_samples for rule in rules) == (weight > 0).sum()
    few_rules = export_rules(
        forest, tree=1, simplify=True, X=X_val, y=y_val, min_samples=30, show_missing=True, min_confidence=0.9
    )
    assert all(rule.n_samples >= 30 and rule.confidence >= 0.9 for rule in few_rules[:-1])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"simplify": True}, "simplify=True needs rows to simplify by. Pass X and y"),
        ({"X": BIRDS, "y": SPECIES}, "X and y are used only with simplify=True. Set simplify=True"),
        (
            {"simplify": True, "X": BIRDS, "y": SPECIES[:3]},
            "y must have one value for each of the 344 rows of X, got shape",
        ),
        ({"simplify": True, "X": BIRDS, "y": SPECIES, "sort": "samples"}, "sort must be 'tree' with simplify=True"),
        ({"simplify": True, "X": BIRDS, "y": ["Emperor"] * 344}, "y contains none of the classes of the model"),
    ],
)
def test_errors(options, message):
    model = DecisionTreeClassifier(max_depth=3).fit(BIRDS, SPECIES)
    with pytest.raises(ValueError, match=message):
        export_rules(model, **options)
    numbers = DecisionTreeRegressor(max_depth=2).fit(BIRDS, np.arange(344.0))
    with pytest.raises(ValueError, match="simplify=True is supported only for classification with one output"):
        export_rules(numbers, simplify=True, X=BIRDS, y=np.arange(344.0))
