"""Textbook datasets for decision trees and AdaBoost, written out in full.

In: nothing. Out: `(X, y)` as pandas objects. The datasets have a dozen rows each, so they are text in this module and
not files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney.datasets._pandas import import_pandas

if TYPE_CHECKING:
    import pandas as pd

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
