"""Pruning by significance: from the leaves up, splits are removed that fail a chi-squared test."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.criteria.significance import number_statistic, table_statistic
from spinney.prune.fitted import prune_trees, read_share
from spinney.tree.decision import DecisionTree

# ----------------------------------------------------------------------------------------------------------------------
# The chi-squared test of every split of a tree, compiled.


@kernel
def judge_class_splits(
    child_start,  # in
    children,  # in
    weight,  # in
    answers,  # in: (node, output, class)
    critical,  # in: critical value of each number of degrees of freedom
    counts,  # work: (most branches, classes)
    rows,  # work: (most branches,)
    columns,  # work: (classes,)
    passes,  # out, zeros: whether some output's test says that the split is no chance
):
    """Test each split's table of branches by classes, for each output."""
    for node in range(passes.size):
        begin, n_branches = child_start[node], child_start[node + 1] - child_start[node]
        if n_branches == 0:
            continue
        for k in range(answers.shape[1]):
            for b in range(n_branches):
                child = children[begin + b]
                for c in range(columns.size):
                    # an empty branch answers with its parent's counts
                    counts[b, c] = answers[child, k, c] if weight[child] > 0.0 else 0.0
            statistic, degrees = table_statistic(counts, rows[:n_branches], columns)
            if statistic > critical[degrees]:
                passes[node] = 1


@kernel
def judge_number_splits(
    child_start,  # in
    children,  # in
    weight,  # in
    impurity,  # in: variance
    critical,  # in
    passes,  # out, zeros
):
    """Test each split by the share of the variance that it explains."""
    for node in range(passes.size):
        total, left_over, n_branches = 0.0, 0.0, 0
        for place in range(child_start[node], child_start[node + 1]):
            child = children[place]
            total += weight[child]
            left_over += weight[child] * impurity[child]
            n_branches += weight[child] > 0.0
        if n_branches > 1 and number_statistic(total, impurity[node], left_over / total) > critical[n_branches - 1]:
            passes[node] = 1


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
