"""Pruning by significance: from the leaves up, splits are removed that fail a chi-squared test."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.prune.pruned_copy import prune_trees, read_share
from spinney.tree.decision import DecisionTree

_VARIANCE = ("squared_error", "friedman_mse")  # criteria whose impurity is the variance


def significance(model: Any, alpha: float = 0.05) -> Any:
    """Remove the splits that fail a chi-squared test, from the leaves up.

    A split is removed if its own test fails and no split below it remains. For classification, this is Pearson's test
    of the table of branches by classes; with several outputs, one of them must pass at alpha / n_outputs. For
    regression, n * R2 of the split is compared with the chi-squared distribution with branches - 1 degrees of freedom.
    Weights count as repeated rows.

    Parameters
    ----------
    model : fitted model of one tree or of several
        Model to prune; it is not changed. In forests and bagging, every tree is pruned separately.
    alpha : float, default=0.05
        Significance level, between 0 and 1. Smaller values prune more. The tested split was selected as the best of
        many, so splits by chance pass more often than alpha suggests.

    Returns
    -------
    model of the same class
        A copy with the same parameters and a smaller `tree_`.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, prune
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> full = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> prune.significance(full, alpha=0.001).get_n_leaves() < full.get_n_leaves()
    True
    """
    alpha = read_share(alpha, "alpha")

    def cut(one: Any) -> DecisionTree:
        if not one.tree_.is_class:
            _check_numbers(one, one.tree_)
        return _keep_above(one.tree_, _passes(one.tree_, alpha))

    return prune_trees(model, cut, counts=True)


def _check_numbers(model: Any, tree: DecisionTree) -> None:
    criterion = getattr(model, "criterion", "squared_error")
    if criterion not in _VARIANCE:
        raise ValueError(
            f"significance needs a regression tree grown with criterion='squared_error', got {criterion!r}, "
            "since the test compares variances."
        )
    if tree.n_outputs > 1:
        raise ValueError(f"significance supports only regression trees of one output, got {tree.n_outputs} outputs.")


def _passes(tree: DecisionTree, alpha: float) -> np.ndarray:
    """Whether each node's split is significant."""
    from spinney.criteria.significance import critical_values
    from spinney.prune.split_tests import judge_class_splits, judge_number_splits

    passes = np.zeros(tree.n_nodes, np.uint8)
    most = int(np.diff(tree.child_start).max())
    if not tree.is_class:
        critical = critical_values(alpha, max(0, most - 1))
        judge_number_splits(tree.child_start, tree.children, tree.weight, tree.impurity, critical, passes)
        return passes
    n_classes = tree.answers.shape[2]
    critical = critical_values(alpha / tree.n_outputs, max(0, most - 1) * (n_classes - 1))
    work = np.empty((most, n_classes)), np.empty(most), np.empty(n_classes)
    judge_class_splits(tree.child_start, tree.children, tree.weight, tree.answers, critical, *work, passes)
    return passes


def _keep_above(tree: DecisionTree, wanted: np.ndarray) -> DecisionTree:
    """The tree of the wanted splits and those above them."""
    so_far = np.concatenate([[0], np.cumsum(wanted, dtype=np.int64)])
    return tree.collapse(so_far[tree.subtree_end] == so_far[:-1])  # a subtree is a run of nodes
