"""The tree behind the restaurant dataset, written out, to compare fitted trees with.

In: nothing. Out: a model that predicts, is plotted and is read like any fitted `ID3Classifier`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.datasets.lectures import load_restaurant

if TYPE_CHECKING:
    from spinney.data.schema import Schema
    from spinney.estimators.trees.id3_c45 import ID3Classifier
    from spinney.tree.decision import DecisionTree

# A split is a column and what follows from each of its values; a leaf is whether to wait.
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
    """Return the "true" tree of the restaurant dataset: how its author decides whether to wait for a table.

    It splits on eight of the ten columns; `Price` and `Type` do not matter. Twelve rows do not justify so large a tree,
    so fitted trees are smaller.

    Returns
    -------
    ID3Classifier
        A fitted model: `predict`, `export_text`, `plot_tree` and everything else for trees work. Its training rows are
        all 9,216 combinations of values of the columns of `load_restaurant`, once each.

    Notes
    -----
    Source: S. Russell and P. Norvig, *Artificial Intelligence: A Modern Approach*, the chapter on learning from
    examples. It predicts the labels of eleven of the twelve rows in `load_restaurant`. The fourth row is labelled as if
    it rained, as it does in later editions of the book.

    Examples
    --------
    >>> from spinney import export_text
    >>> from spinney.datasets import load_restaurant, restaurant_tree
    >>> X, y = load_restaurant()
    >>> truth = restaurant_tree()
    >>> truth.get_n_leaves(), int((truth.predict(X) == y).sum())
    (13, 11)
    >>> print(export_text(truth, max_depth=1))
    |--- Patrons = None
    |   |--- class: False
    |--- Patrons = Some
    |   |--- class: True
    |--- Patrons = Full
    |   |--- WaitEstimate = 0-10
    |   |   |--- class: True
    |   |--- WaitEstimate = 10-30
    |   |   |--- truncated branch of depth 4
    |   |--- WaitEstimate = 30-60
    |   |   |--- truncated branch of depth 4
    |   |--- WaitEstimate = >60
    |   |   |--- class: False
    <BLANKLINE>
    """
    from spinney.estimators.trees.id3_c45 import ID3Classifier
    from spinney.grow.multiway.columns import learn_categories

    model = ID3Classifier()
    schema, _ = learn_categories(load_restaurant()[0], "from_dtype", "ID3Classifier")
    model.classes_, model.n_classes_ = np.array([False, True]), 2
    return model.plant(schema, _plant(schema))


def _plant(schema: Schema) -> DecisionTree:
    """`TRUTH` as a tree."""
    from spinney.criteria.impurity import ENTROPY
    from spinney.criteria.information import entropy
    from spinney.tree.decision import DecisionTree
    from spinney.tree.forest import ASKS_BRANCHES, MISSING_STOPS, Forest

    place = {column.name: index for index, column in enumerate(schema.columns)}
    sizes = [len(column.categories or ()) for column in schema.columns]
    size: list[int] = []
    feature: list[int] = []
    counts: list[np.ndarray] = []

    def add(spec: Any, n_rows: int) -> np.ndarray:
        number = len(size)
        size.append(1)
        counts.append(np.array([0, n_rows] if spec is True else [n_rows, 0]))
        if not isinstance(spec, bool):
            feature.append(place[spec[0]])
            values = schema.columns[feature[-1]].categories or ()
            counts[number] = sum(
                (add(spec[1][value], n_rows // len(values)) for value in values), np.zeros(2, np.int64)
            )
            size[number] = len(size) - number
        return counts[number]

    add(TRUTH, int(np.prod(sizes)))
    weights = np.array(counts, np.float64)
    forest = Forest(
        n_columns=schema.n_columns,
        n_classes=(2,),
        criterion=ENTROPY,
        bins=None,
        first=np.array([0, len(size)]),
        size=np.array(size, np.uint16),
        feature=np.array(feature, np.uint16),
        turn=np.full(len(feature), ASKS_BRANCHES | MISSING_STOPS, np.uint8),
        answers=weights[:, None, :],
        n_samples=weights.sum(axis=1).astype(np.uint32),
        threshold=np.full(len(feature), np.nan),
        weight=weights.sum(axis=1),
        impurity=entropy(weights),
    )
    return DecisionTree(forest)
