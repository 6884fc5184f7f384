"""The tree that the restaurant's table is said to come from, written out: what a learnt tree is compared with.

In: nothing. Out: a model that answers, is drawn and is read like any fitted `ID3Classifier`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.datasets.lectures import load_restaurant

if TYPE_CHECKING:
    from spinney.data.schema import Schema
    from spinney.estimators.classic import ID3Classifier
    from spinney.tree.decision import DecisionTree

# A question is a column and what follows from each of its values; an answer is whether to wait.
TRUTH: Any = (
    "Patrons",
    {
        "None": False,
        "Some": True,
        "Full": (
            "WaitEstimate",
            {
                ">60": False,
                "30-60": (
                    "Alternate",
                    {
                        False: ("Reservation", {False: ("Bar", {False: False, True: True}), True: True}),
                        True: ("Fri/Sat", {False: False, True: True}),
                    },
                ),
                "10-30": (
                    "Hungry",
                    {False: True, True: ("Alternate", {False: True, True: ("Raining", {False: False, True: True})})},
                ),
                "0-10": True,
            },
        ),
    },
)


def restaurant_tree() -> ID3Classifier:
    """The "true" tree of the restaurant: how its author decides whether to wait for a table.

    It asks about eight of the ten columns: `Price` and `Type` do not matter. Twelve rows do not justify so large a
    tree; what is learnt from them is smaller.

    Returns
    -------
    ID3Classifier
        As if fitted: `predict`, `export_text`, `plot_tree` and all that reads trees work. Its training rows are all
        9,216 visits that the columns of `load_restaurant` allow, each once.

    Notes
    -----
    Source: S. Russell and P. Norvig, *Artificial Intelligence: A Modern Approach*, the chapter on learning from
    examples. It answers eleven of the lectures' twelve rows as they are labelled. The fourth is labelled as if it
    rained, and so it does in later editions of the book.

    Examples
    --------
    >>> from spinney import ID3Classifier, export_text
    >>> from spinney.datasets import load_restaurant, restaurant_tree
    >>> X, y = load_restaurant()
    >>> truth, learnt = restaurant_tree(), ID3Classifier().fit(X, y)
    >>> truth.get_n_leaves(), int((truth.predict(X) == y).sum())
    (13, 11)
    >>> print(export_text(truth, max_depth=1))
    |--- Patrons = Full
    |   |--- WaitEstimate = 0-10
    |   |   |--- class: True
    |   |--- WaitEstimate = 10-30
    |   |   |--- truncated branch of depth 4
    |   |--- WaitEstimate = 30-60
    |   |   |--- truncated branch of depth 4
    |   |--- WaitEstimate = >60
    |   |   |--- class: False
    |--- Patrons = None
    |   |--- class: False
    |--- Patrons = Some
    |   |--- class: True
    <BLANKLINE>
    """
    from spinney.estimators.classic import ID3Classifier
    from spinney.grow.branches.categories import learn_categories

    model = ID3Classifier()
    schema, _ = learn_categories(load_restaurant()[0], "from_dtype", "ID3Classifier")
    model.classes_, model.n_classes_ = np.array([False, True]), 2
    model._keep(schema, _plant(schema))
    return model


def _plant(schema: Schema) -> DecisionTree:
    """`TRUTH` as a tree."""
    from spinney.criteria.information import entropy
    from spinney.tree.decision import BRANCHES, LEAF, NO_FEATURE, STOPS, DecisionTree

    place = {column.name: index for index, column in enumerate(schema.columns)}
    sizes = [len(column.categories or ()) for column in schema.columns]
    kind: list[int] = []
    feature: list[int] = []
    counts: list[list[int]] = []
    children: list[list[int]] = []

    def add(spec: Any, n_rows: int) -> int:
        number = len(kind)
        is_leaf = isinstance(spec, bool)
        kind.append(LEAF if is_leaf else BRANCHES)
        feature.append(NO_FEATURE if is_leaf else place[spec[0]])
        counts.append([n_rows * (not spec), n_rows * bool(spec)] if is_leaf else [0, 0])
        children.append([])
        if not is_leaf:
            values = schema.columns[feature[number]].categories or ()
            children[number] = [add(spec[1][value], n_rows // len(values)) for value in values]
            counts[number] = np.sum([counts[child] for child in children[number]], axis=0).tolist()
        return number

    add(TRUTH, int(np.prod(sizes)))
    weights = np.array(counts, np.float64)
    ends = np.cumsum([0, *map(len, children)])
    n = len(kind)
    return DecisionTree(
        n_classes=(2,),
        kind=np.array(kind, np.uint8),
        child_start=ends.astype(np.int64),
        children=np.array([child for below in children for child in below], np.int32),
        feature=np.array(feature, np.int32),
        threshold=np.full(n, np.nan),
        missing=np.full(n, STOPS, np.int32),
        set_start=np.zeros(n + 1, np.int64),
        sets=np.zeros(0, np.uint64),
        answers=weights[:, None, :],
        impurity=entropy(weights),
        n_samples=weights.sum(axis=1).astype(np.int64),
        weight=weights.sum(axis=1),
    )
