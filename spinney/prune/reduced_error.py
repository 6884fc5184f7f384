"""Reduced-error pruning: cut the branch whose loss lowers the validation error most, and again."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.prune.fitted import tree_of, with_tree
from spinney.prune.validation import Errors, Judged, climb, find_errors, judge, sum_below
from spinney.tree.decision import DecisionTree


def reduced_error(
    model: Any, X_val: Any, y_val: Any, *, sample_weight: Any = None, equal: str = "prune", relabel: bool = False
) -> Any:
    """Prune a fitted tree by its errors on a validation set.

    Of all inner nodes, the one is turned into a leaf whose removal lowers the error most; then the next, until every
    removal would raise the error. The error is the weight of the rows answered wrongly, or the squared error; several
    outputs are added up. Of equal nodes the lower one goes first. A row that goes down several branches counts in each
    by its share.

    Parameters
    ----------
    model : fitted tree model
        It is not changed.
    X_val, y_val
        Rows that the tree was not grown from.
    sample_weight : array-like, optional
        Weights of these rows.
    equal : {"prune", "keep"}, default="prune"
        What becomes of nodes whose removal leaves the error as it is, such as those that no validation row reaches.
    relabel : bool, default=False
        Let the leaves of the pruned tree answer from the training rows and the validation rows together. Impurities and
        sample counts remain those of the training rows.

    Returns
    -------
    model of the same class
        The same parameters with a smaller `tree_`.

    Examples
    --------
    >>> from sklearn.model_selection import train_test_split
    >>> from spinney import DecisionTreeClassifier, prune
    >>> from spinney.datasets import load_penguins
    >>> X_train, X_val, y_train, y_val = train_test_split(*load_penguins(), random_state=0)
    >>> full = DecisionTreeClassifier(random_state=0).fit(X_train, y_train)
    >>> pruned = prune.reduced_error(full, X_val, y_val)
    >>> pruned.score(X_val, y_val) >= full.score(X_val, y_val)
    True
    """
    if equal not in ("prune", "keep"):
        raise ValueError(f"equal must be 'prune' or 'keep', got {equal!r}.")
    tree = tree_of(model)
    judged = judge(model, X_val, y_val, sample_weight)
    at = _find_cuts(tree, find_errors(tree, judged), least=0 if equal == "prune" else 1)
    if relabel:
        _check_means(model)
        tree = tree.with_answers(_answers_with(tree, judged))
    return with_tree(model, tree.collapse(at))


def _find_cuts(tree: DecisionTree, errors: Errors, least: int) -> np.ndarray:
    """Which nodes to turn into leaves."""
    from spinney.prune.best_cut import cut_best

    as_leaf, branch = errors.as_leaf.sum(axis=1), sum_below(tree, errors.ending.sum(axis=1))
    n = tree.n_nodes
    best, gain, at = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.uint8)
    cut_best(tree.parent, tree.child_start, tree.children, as_leaf, least, branch, best, gain, at)
    return at


def _check_means(model: Any) -> None:
    criterion = getattr(model, "criterion", None)
    if criterion == "absolute_error":
        raise ValueError(
            f"relabel=True needs leaves that hold classes or means; those of criterion={criterion!r} are medians."
        )


def _answers_with(tree: DecisionTree, judged: Judged) -> np.ndarray:
    """The nodes' answers from their training rows and the validation rows that pass."""
    seen = np.zeros(tree.answers.shape)
    weight = np.zeros(tree.n_nodes)
    for entries, node in climb(tree, judged.node):
        weight += np.bincount(node, judged.weight[entries], tree.n_nodes)
        for k in range(tree.n_outputs):
            if tree.n_classes is None:
                seen[:, k, 0] += np.bincount(node, judged.weight[entries] * judged.y[entries, k], tree.n_nodes)
            else:
                np.add.at(seen[:, k], (node, judged.y[entries, k]), judged.weight[entries])
    return _join(tree, weight[:, None, None], seen)


def _join(tree: DecisionTree, weight: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Old answers and new ones; an empty branch, which answers with its parent's, believes the first row it gets."""
    old = tree.weight[:, None, None]
    if tree.n_classes is None:
        total = old + weight
        return np.divide(old * tree.answers + seen, total, out=tree.answers.copy(), where=(total > 0) & (weight > 0))
    return np.where((old > 0) | (weight == 0), tree.answers + seen, seen)
