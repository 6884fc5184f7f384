"""C4.5's pessimistic pruning: from the leaves up, subtrees are replaced that promise no fewer errors than a leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.prune.pruned_copy import prune_trees, read_share
from spinney.tree.decision import DecisionTree


def pessimistic(model: Any, cf: float = 0.25) -> Any:
    """Replace subtrees by leaves where a pessimistic estimate of the errors does not increase.

    The errors of a leaf are estimated by the upper end of a confidence interval around its training errors
    (`spinney.criteria.pessimism`), those of a subtree by the sum over its leaves. From the leaves up, a node becomes a
    leaf if that adds at most 0.1 errors. No validation rows are needed. Errors of several outputs are added.

    Parameters
    ----------
    model : fitted classification tree, forest or bagging of trees
        Model to prune; it is not changed. Several trees are pruned separately.
    cf : float, default=0.25
        Confidence, above 0 and at most 0.5. Smaller values prune more.

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
    >>> prune.pessimistic(full).get_n_leaves() < full.get_n_leaves()
    True
    """
    cf = read_share(cf, "cf", most=0.5)

    def cut(one: Any) -> DecisionTree:
        if not one.tree_.is_class:
            raise TypeError(
                f"pessimistic supports only classification trees, got {type(model).__name__}. "
                "Use cost_complexity, reduced_error or significance."
            )
        return collapse_by_estimate(one.tree_, expected_errors(one.tree_, cf))

    return prune_trees(model, cut, counts=True)


def expected_errors(tree: DecisionTree, cf: float) -> np.ndarray:
    """Pessimistic errors of every node of a class tree as a leaf."""
    from spinney.criteria.pessimism import extra_errors

    counts = np.where(tree.weight[:, None, None] > 0.0, tree.answers, 0.0)  # empty branches answer by their parent's
    n = counts.sum(axis=2)
    wrong = n - counts.max(axis=2)
    return (wrong + extra_errors(n, wrong, cf)).sum(axis=1)


def collapse_by_estimate(tree: DecisionTree, as_leaf: np.ndarray) -> DecisionTree:
    """From the leaves up, turn nodes into leaves whose branch is not better by more than the slack."""
    from spinney.criteria.pessimism import SLACK

    parent, estimate = tree.parent.tolist(), as_leaf.tolist()
    below, at, is_leaf = [0.0] * tree.n_nodes, np.zeros(tree.n_nodes, bool), tree.is_leaf.tolist()
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        at[node] = is_leaf[node] or estimate[node] <= below[node] + SLACK
        if node > 0:
            below[parent[node]] += estimate[node] if at[node] else below[node]
    return tree.collapse(at)
