"""All nodes of a model's trees as one table.

In: a fitted model of trees. Out: one row per node, for pandas, or for what reads arrays. What a row goes through can be
followed in the table alone: see the columns in `trees_to_frame`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney.tree.decision import BRANCHES, SET, SPREADS, DecisionTree
from spinney.tree.models import ReadTree, Trees, trees_of
from spinney.view.phrases import class_labels, column_names

_NOWHERE, _EVERYWHERE = -1, -2


def trees_to_frame(model: Any) -> Any:
    """Return the nodes of all trees of a model as a DataFrame, one row per node.

    Parameters
    ----------
    model : fitted model
        A decision tree, a forest, a boosted model, or AdaBoost or bagging of decision trees.

    Returns
    -------
    pandas.DataFrame, or a dict of arrays if pandas is not installed
        The columns are:

        =========== ===============================================================================================
        tree        number of the tree; in a boosted model, of the round
        output      class index of the tree in a boosted model of more than two classes; else 0
        node        number in its tree, as returned by `apply`; 0 is the root
        parent      number of its parent; -1 for the root
        depth       number of splits above it
        feature     name of the column that it splits on; None (or what pandas makes of it) in leaves
        threshold   numbers: values up to it go to `yes`; NaN elsewhere
        categories  categories: tuple of those that go to `yes`; where each category has its own child, tuple of all of
                    them in the order of `children`; None elsewhere
        yes, no     child nodes; -1 in leaves and where there are more than two children
        missing     node that receives missing values and categories not seen in training; -1: they end here; -2: they
                    go to all children, in fractions
        gain        boosted trees: gain of the split; others: decrease of impurity, times the fraction of the total
                    weight in the node; 0 in leaves
        impurity    by the criterion of the tree; NaN in boosted trees and isolation trees (there, gain is NaN too)
        count       number of training rows
        weight      their weight; in boosted trees their hessian (cover)
        value       regression: prediction of the node; boosting: what it adds to the raw score
        lines       only of linear leaves: tuple of (column, slope, centre, low, high). A row with value x in the column
                    gets slope * (x - centre) more, after x is clipped to low and high; missing values get nothing
        value_...   classification: fraction of each class; several outputs: value of each output
        children    tuple of the child nodes; only if some split has more than two branches
        =========== ===============================================================================================

    Examples
    --------
    >>> from spinney import GradientBoostingRegressor, trees_to_frame
    >>> from spinney.datasets import load_penguins
    >>> X, _ = load_penguins()
    >>> X = X.dropna()
    >>> model = GradientBoostingRegressor(max_leaf_nodes=3, random_state=0).fit(X[["island", "sex"]], X["body_mass_g"])
    >>> frame = trees_to_frame(model)
    >>> frame.loc[(frame["tree"] == 0) & (frame["yes"] > 0), ["node", "feature", "categories", "yes", "no", "count"]]
       node feature categories  yes  no  count
    0     0  island  (Biscoe,)    1   4    333
    1     1     sex    (male,)    2   3    163
    """
    trees = trees_of(model)
    models = list(trees)
    has_branches = any((one.tree_.kind == BRANCHES).any() for one in models)
    parts = [_columns(one, _place(trees, number), has_branches) for number, one in enumerate(models)]
    frame = {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}
    return as_frame(frame)


def as_frame(columns: dict[str, np.ndarray]) -> Any:
    """Return columns as a pandas DataFrame, or unchanged if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        return columns
    return pd.DataFrame(columns)


def _place(trees: Trees, number: int) -> tuple[int, int]:
    return divmod(number, trees.shape[1]) if len(trees.shape) == 2 else (number, 0)


def _columns(model: ReadTree, place: tuple[int, int], with_children: bool) -> dict[str, np.ndarray]:
    """The rows of one tree, column by column."""
    tree, columns = model.tree_, model.schema.columns
    n, is_leaf, nothing = tree.n_nodes, tree.is_leaf, np.full(tree.n_nodes, np.nan)
    names = np.array([*column_names(columns), None], object)
    two = np.diff(tree.child_start) == 2
    two &= tree.kind != BRANCHES
    yes, no = np.full(n, _NOWHERE, np.int64), np.full(n, _NOWHERE, np.int64)
    first = tree.child_start[:-1][two]
    yes[two], no[two] = tree.children[first], tree.children[first + 1]
    found = {
        "tree": np.full(n, place[0], np.int64),
        "output": np.full(n, place[1], np.int64),
        "node": np.arange(n, dtype=np.int64),
        "parent": tree.parent.astype(np.int64),
        "depth": tree.depth.astype(np.int64),
        "feature": names[np.where(is_leaf, len(columns), tree.feature)],
        "threshold": np.where(is_leaf, np.nan, tree.threshold),
        "categories": _categories(tree, columns),
        "yes": yes,
        "no": no,
        "missing": _missing(tree),
        "gain": nothing if model.answers_are == "depth" else tree.impurity_decreases(),
        "impurity": nothing if model.answers_are == "depth" else tree.impurity,
        "count": tree.n_samples,
        "weight": tree.weight,
        **_values(model),
    }
    if with_children:
        children = (tuple(tree.children_of(node).tolist()) for node in range(n))
        found["children"] = np.fromiter(children, object, n)
    return found


def _categories(tree: DecisionTree, columns: Sequence[Any]) -> np.ndarray:
    found = np.full(tree.n_nodes, None, object)
    for node in np.flatnonzero((tree.kind == SET) | (tree.kind == BRANCHES)).tolist():
        values = columns[tree.feature[node]].categories
        chosen = range(len(values)) if tree.kind[node] == BRANCHES else tree.categories_in(node, len(values)).tolist()
        found[node] = tuple(values[place] for place in chosen)
    return found


def _missing(tree: DecisionTree) -> np.ndarray:
    goes_on = ~tree.is_leaf & (tree.missing >= 0)
    missing = np.full(tree.n_nodes, _NOWHERE, np.int64)
    missing[goes_on] = tree.children[tree.child_start[:-1][goes_on] + tree.missing[goes_on]]
    missing[tree.missing == SPREADS] = _EVERYWHERE
    return missing


def _lines(model: ReadTree) -> dict[str, np.ndarray]:
    """Linear leaves: what they add to their values; nothing where all leaves are constant."""
    forest, names = model.tree_.forest, column_names(model.schema.columns)
    if not forest.is_linear:
        return {}
    found = np.full(forest.n_nodes, None, object)
    for node in np.flatnonzero(forest.is_leaf).tolist():
        found[node] = tuple((names[column], *line) for column, line in forest.terms.of(node))
    return {"lines": found}


def _values(model: ReadTree) -> dict[str, np.ndarray]:
    """What every node predicts, a column for each number."""
    tree = model.tree_
    values = tree.value
    if not tree.is_class:
        if tree.n_outputs == 1:
            return {"value": values[:, 0, 0]} | _lines(model)
        return {f"value_{k}": values[:, k, 0] for k in range(tree.n_outputs)}
    labels = class_labels(model)
    if tree.n_outputs == 1:
        return {f"value_{label}": values[:, 0, c] for c, label in enumerate(labels[0])}
    return {f"value_{k}_{one}": values[:, k, c] for k, names in enumerate(labels) for c, one in enumerate(names)}
