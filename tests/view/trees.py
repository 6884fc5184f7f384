"""Trees written out by hand, one of each kind, as fitted models."""

import numpy as np

from spinney.data.schema import Schema, SchemaColumn
from spinney.estimators.trees.model import ClassTreeModel, TreeModel
from spinney.tree.decision import BRANCHES, LEAF, NO_FEATURE, NUMBER, SET, STOPS
from tests.tree.nodes import tree_of_nodes


class ByHand(ClassTreeModel):
    """A class tree that nobody grew."""

    def __init__(self, criterion="gini"):
        self.criterion = criterion

    def fit(self, X, y=None):
        raise NotImplementedError


class NumbersByHand(TreeModel):
    """A regression tree that nobody grew."""

    def __init__(self, criterion="squared_error"):
        self.criterion = criterion

    def fit(self, X, y=None):
        raise NotImplementedError


def leaf(*answers):
    """One list of class weights, or one number, for each output."""
    return {"kind": LEAF, "answers": answers, "children": []}


def number(feature, threshold, yes, no, missing=1):
    return {"kind": NUMBER, "feature": feature, "threshold": threshold, "children": [yes, no], "missing": missing}


def in_set(feature, chosen, yes, no, missing=1):
    return {"kind": SET, "feature": feature, "set": chosen, "children": [yes, no], "missing": missing}


def branches(feature, *children, missing=STOPS):
    return {"kind": BRANCHES, "feature": feature, "children": list(children), "missing": missing}


def preorder(spec):
    nodes = [spec]
    for child in spec["children"]:
        nodes += preorder(child)
    return nodes


def fill(spec, is_class):
    """Answers of inner nodes from their children: sums of weights, means of numbers (each leaf being 10 rows)."""
    for child in spec["children"]:
        fill(child, is_class)
    if spec["children"]:
        below = [child["answers"] for child in spec["children"]]
        if is_class:
            spec["answers"] = [np.sum(one, axis=0).tolist() for one in zip(*below)]
        else:
            spec["rows"] = sum(child["rows"] for child in spec["children"])
            weights = [child["rows"] for child in spec["children"]]
            spec["answers"] = [float(np.average(one, weights=weights)) for one in zip(*below)]
    elif not is_class:
        spec["rows"] = 10
    if is_class:
        spec["rows"] = int(np.sum(spec["answers"][0]))


def words_of_set(chosen):
    words = [0] * (max(chosen) // 64 + 1)
    for category in chosen:
        words[category // 64] |= 1 << (category % 64)
    return words


def make_tree(spec, is_class=True):
    fill(spec, is_class)
    nodes = preorder(spec)
    place = {id(node): index for index, node in enumerate(nodes)}
    sets = [words_of_set(node["set"]) if "set" in node else [] for node in nodes]
    n_sets = max((len(one) for one in sets), default=0)
    sets = [one + [0] * (n_sets - len(one)) if one else one for one in sets]
    answers = [[one if is_class else [one] for one in node["answers"]] for node in nodes]
    n_classes = tuple(len(one) for one in answers[0])
    wide = max(n_classes)
    answers = np.array([[one + [0] * (wide - len(one)) for one in node] for node in answers], dtype=np.float64)
    share = answers / np.maximum(answers.sum(axis=2, keepdims=True), 1e-9)
    rows = np.array([node["rows"] for node in nodes])
    return tree_of_nodes(
        n_classes=n_classes if is_class else None,
        kind=np.array([node["kind"] for node in nodes], np.uint8),
        child_start=np.cumsum([0] + [len(node["children"]) for node in nodes]),
        children=np.array([place[id(child)] for node in nodes for child in node["children"]], np.int32),
        feature=np.array([node.get("feature", NO_FEATURE) for node in nodes], np.int32),
        threshold=np.array([node.get("threshold", np.nan) for node in nodes]),
        missing=np.array([node.get("missing", STOPS) for node in nodes], np.int32),
        set_start=np.cumsum([0] + [len(one) for one in sets]),
        sets=np.array([word for one in sets for word in one], np.uint64),
        answers=answers,
        impurity=(1 - (share**2).sum(axis=2)).mean(axis=1) if is_class else np.full(len(nodes), 0.25),
        n_samples=rows,
        weight=rows.astype(np.float64),
    )


def make_model(spec, columns, classes=None):
    """`columns`: name -> categories or None; `classes`: labels, a list of them for each output, or None for numbers."""
    names = list(columns)
    model = NumbersByHand() if classes is None else ByHand()
    schema = Schema(tuple(SchemaColumn(name, columns[name] and tuple(columns[name])) for name in names))
    model._keep(schema, make_tree(spec, classes is not None))
    if classes is not None:
        several = isinstance(classes[0], list)
        model.classes_ = [np.array(one) for one in classes] if several else np.array(classes)
        model.n_classes_ = [len(one) for one in classes] if several else len(classes)
    return model


def flowers():
    """Numbers only; one column is asked twice on a path."""
    narrow = number(0, 4.95, leaf([0, 47, 1]), leaf([0, 2, 4]))
    return make_model(
        number(1, 0.8, leaf([50, 0, 0]), number(1, 1.75, narrow, leaf([0, 1, 45]))),
        {"petal length": None, "petal width": None},
        ["setosa", "versicolor", "virginica"],
    )


def islands():
    """Sets of categories, asked twice on a path, and a number whose missing values go left."""
    near = in_set(0, [1, 3], leaf([9, 1]), leaf([2, 8]))
    far = number(1, 40.5, leaf([0, 3]), leaf([4, 0]), missing=0)
    return make_model(
        in_set(0, [0, 1, 3], near, far),
        {"island": ["Biscoe", "Dream", "Elba", "Faial", "Gozo"], "mass": None},
        ["no", "yes"],
    )


def tennis():
    """One branch a category."""
    sunny = branches(1, leaf([3, 0]), leaf([0, 2]))
    rainy = branches(2, leaf([0, 3]), leaf([2, 0]))
    return make_model(
        branches(0, leaf([0, 4]), rainy, sunny),
        {"Outlook": ["Overcast", "Rainy", "Sunny"], "Humidity": ["High", "Normal"], "Windy": [False, True]},
        ["No", "Yes"],
    )


def prices():
    """Regression, columns without names."""
    spec = number(0, 2.0, leaf(1.5), number(1, -0.25, leaf(3.0), leaf(4.25)))
    model = make_model(spec, {"a": None, "b": None})
    model._keep(Schema((SchemaColumn(None), SchemaColumn(None))), model.tree_)
    return model


def two_outputs():
    """Two class columns, of three and of two classes."""
    return make_model(
        number(0, 0.5, leaf([5, 1, 0], [6, 0]), leaf([0, 1, 3], [1, 3])),
        {"x": None},
        [["a", "b", "c"], ["no", "yes"]],
    )


def two_numbers():
    return make_model(number(0, 0.5, leaf(1.0, 10.0), leaf(2.0, 20.0)), {"x": None})


def single():
    """A tree that asks nothing."""
    return make_model(leaf([3, 9]), {"x": None}, ["no", "yes"])


ALL = [flowers, islands, tennis, prices, two_outputs, two_numbers, single]
