"""Textbook datasets for decision trees and AdaBoost, written out in full, and the tree behind one of them.

In: nothing. Out: `(X, y)` as pandas objects; or a model that predicts, is plotted and is read like any fitted
`ID3Classifier`. The datasets have a dozen rows each, so they are text in this module and not files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.datasets.bundled import import_pandas

if TYPE_CHECKING:
    import pandas as pd

    from spinney.data.schema import Schema
    from spinney.estimators.trees.id3_c45 import ID3Classifier
    from spinney.tree.decision import DecisionTree


# Minutes is next to the range it falls in; `load_restaurant` returns one or the other.
RESTAURANT = """
Alternate Bar Fri/Sat Hungry Patrons Price Raining Reservation Type    WaitEstimate Minutes Wait
T         F   F       T      Some    $$$   F       T           French  0-10          8      T
T         F   F       T      Full    $     F       F           Thai    30-60        40      F
F         T   F       F      Some    $     F       F           Burger  0-10          8      T
T         F   T       T      Full    $     F       F           Thai    10-30        12      T
T         F   T       F      Full    $$$   F       T           French  >60          70      F
F         T   F       T      Some    $$    T       T           Italian 0-10          3      T
F         T   F       F      None    $     T       F           Burger  0-10          7      F
F         F   F       T      Some    $$    T       T           Thai    0-10          6      T
F         T   T       F      Full    $     T       F           Burger  >60          80      F
T         T   T       T      Full    $$$   F       T           Italian 10-30        20      F
F         F   F       F      None    $     F       F           Thai    0-10          8      F
T         T   T       T      Full    $     F       F           Burger  30-60        40      T
"""

RESTAURANT_LEVELS = {
    "Patrons": ["None", "Some", "Full"],
    "Price": ["$", "$$", "$$$"],
    "Type": ["French", "Italian", "Thai", "Burger"],
    "WaitEstimate": ["0-10", "10-30", "30-60", ">60"],
}

TENNIS = """
Outlook  Temperature Humidity Windy PlayTennis
Sunny    Hot         High     F     No
Sunny    Hot         High     T     No
Overcast Hot         High     F     Yes
Rainy    Mild        High     F     Yes
Rainy    Cool        Normal   F     Yes
Rainy    Cool        Normal   T     No
Overcast Cool        Normal   T     Yes
Sunny    Mild        High     F     No
Sunny    Cool        Normal   F     Yes
Rainy    Mild        Normal   F     Yes
Sunny    Mild        Normal   T     Yes
Overcast Mild        High     T     Yes
Overcast Hot         Normal   F     Yes
Rainy    Mild        High     T     No
"""

TENNIS_LEVELS = {
    "Outlook": ["Sunny", "Overcast", "Rainy"],
    "Temperature": ["Hot", "Mild", "Cool"],
    "Humidity": ["High", "Normal"],
}


TEN_POINTS = """
x1  x2  label
1.0 3.0  1
2.0 7.5  1
4.5 8.0  1
5.5 8.5  1
6.5 7.0  1
4.0 1.0 -1
5.0 4.0 -1
6.0 5.0 -1
8.0 9.5 -1
9.0 9.0 -1
"""

HEART = """
ChestPain BlockedArteries Weight HeartDisease
T         T               205    Yes
F         T               180    Yes
T         F               210    Yes
T         T               167    Yes
F         T               156    No
F         T               125    No
T         F               168    No
T         T               172    No
"""


def load_restaurant(*, minutes: bool = False) -> tuple[pd.DataFrame, pd.Series]:
    """Load the restaurant dataset (classification: wait for a table or not?).

    Twelve visits with ten attributes, six Boolean and four categorical. Six of the twelve guests wait, so the labels
    have an entropy of one bit. The information gain of `Patrons` is 0.541 bits, that of `Type` is 0.

    Parameters
    ----------
    minutes : bool, default=False
        Whether to replace the categorical `WaitEstimate` (0-10, 10-30, 30-60, >60) by the numeric `WaitMinutes`, an
        example for choosing a threshold.

    Returns
    -------
    X : DataFrame of shape (12, 10)
        Features.
    y : Series of bool of shape (12,)
        Whether to wait. The name is "Wait".

    Notes
    -----
    Source: S. Russell and P. Norvig, *Artificial Intelligence: A Modern Approach*, the chapter on
    learning from examples; a table of facts, retyped here. The minutes were added for teaching. `Patrons` has the value
    `"None"` (nobody is there), which is a string and not a missing value.

    Examples
    --------
    >>> from spinney.datasets import load_restaurant
    >>> X, y = load_restaurant()
    >>> X.shape, int(y.sum())
    ((12, 10), 6)
    >>> y.groupby(X["Patrons"], observed=True).mean().round(2).to_dict()
    {'None': 0.0, 'Some': 1.0, 'Full': 0.33}
    >>> X, y = load_restaurant(minutes=True)
    >>> X["WaitMinutes"].tolist()
    [8, 40, 8, 12, 70, 3, 7, 6, 80, 20, 8, 40]
    """
    table = _table(RESTAURANT, RESTAURANT_LEVELS)
    waiting = table.pop("Minutes").astype("int64")
    if minutes:
        table["WaitEstimate"] = waiting
        table = table.rename(columns={"WaitEstimate": "WaitMinutes"})
    return table.drop(columns="Wait"), table["Wait"]


def load_tennis() -> tuple[pd.DataFrame, pd.Series]:
    """Load the tennis dataset (classification: play tennis today?).

    Fourteen days with four attributes. ID3 splits the root on `Outlook`, then Sunny on `Humidity` and Rainy on `Windy`;
    Overcast is pure.

    Returns
    -------
    X : DataFrame of shape (14, 4)
        Features.
    y : Series of str of shape (14,)
        "Yes" or "No". The name is "PlayTennis".

    Notes
    -----
    Source: J. R. Quinlan, *Induction of Decision Trees*, Machine Learning 1 (1986), with slightly different names of
    attributes and values; a table of facts, retyped here.

    Examples
    --------
    >>> from spinney.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> X.columns.tolist()
    ['Outlook', 'Temperature', 'Humidity', 'Windy']
    >>> y.value_counts().to_dict()
    {'Yes': 9, 'No': 5}
    """
    table = _table(TENNIS, TENNIS_LEVELS)
    return table.drop(columns="PlayTennis"), table["PlayTennis"]


def load_ten_points() -> tuple[pd.DataFrame, pd.Series]:
    """Load ten points of two classes in the plane, which three stumps of AdaBoost separate.

    No stump alone is right on more than seven points. Discrete AdaBoost with three stumps has the weighted errors 3/10,
    3/14 and 3/22, the estimator weights 0.42, 0.65 and 0.92, and classifies all points correctly.

    Returns
    -------
    X : DataFrame of shape (10, 2)
        Coordinates.
    y : Series of int of shape (10,)
        1 or -1. The name is "label".

    Notes
    -----
    The example is that of R. Schapire's and Y. Freund's texts on boosting. They draw the points without coordinates;
    these give the same errors and weights. In the second round two stumps have the same error. The Gini impurity and
    the error rate both choose the vertical one.

    Examples
    --------
    >>> from spinney import AdaBoostClassifier
    >>> from spinney.datasets import load_ten_points
    >>> X, y = load_ten_points()
    >>> model = AdaBoostClassifier(algorithm="discrete", n_estimators=3).fit(X, y)
    >>> model.estimator_errors_.round(2).tolist(), model.estimator_weights_.round(2).tolist()
    ([0.3, 0.21, 0.14], [0.42, 0.65, 0.92])
    >>> model.score(X, y)
    1.0
    """
    table = _table(TEN_POINTS, {})
    return table[["x1", "x2"]].astype("float64"), table["label"].astype("int64")


def load_heart() -> tuple[pd.DataFrame, pd.Series]:
    """Load eight patients, of whom four have a heart disease (classification).

    The best stump is on the weight, at 176, and is wrong for one patient: an error of 1/8. Its estimator weight in
    AdaBoost is 0.97. The weight of this patient's row grows from 1/8 to 0.33 and that of the others falls to 0.05,
    before they are normalised.

    Returns
    -------
    X : DataFrame of shape (8, 3)
        Two Boolean columns and the patient's weight in pounds.
    y : Series of str of shape (8,)
        "Yes" or "No". The name is "HeartDisease".

    Notes
    -----
    Source: J. Starmer, *StatQuest: AdaBoost, clearly explained* (2019); a table of facts, retyped here.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.criteria import reweight
    >>> from spinney.datasets import load_heart
    >>> X, y = load_heart()
    >>> stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    >>> step = reweight(stump.predict(X) != y)
    >>> step.error, round(step.amount_of_say, 2), step.unnormalised.round(2).tolist()
    (0.125, 0.97, [0.05, 0.05, 0.05, 0.33, 0.05, 0.05, 0.05, 0.05])
    """
    table = _table(HEART, {})
    table["Weight"] = table["Weight"].astype("int64")
    return table.drop(columns="HeartDisease"), table["HeartDisease"]


def _table(text: str, levels: dict[str, list[str]]) -> pd.DataFrame:
    """Columns of strings as categories with the given levels; columns of T and F as Booleans."""
    pd = import_pandas()
    names, *rows = [line.split() for line in text.strip().splitlines()]
    table = pd.DataFrame(rows, columns=names)
    for name in names:
        if name in levels:
            table[name] = pd.Categorical(table[name], categories=levels[name])
        elif set(table[name]) == {"T", "F"}:
            table[name] = table[name] == "T"
    return table


# --- the tree behind the restaurant dataset ---------------------------------------------------------------------------


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
