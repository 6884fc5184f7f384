"""Reduced-error pruning: prune the subtree whose removal reduces the validation error most, and repeat."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.prune.pruned_copy import prune_trees
from spinney.prune.validation import Errors, ValidationRows, climb, find_errors, judge, sum_below
from spinney.tree.decision import DecisionTree


class PruningStep(NamedTuple):
    """One cut of reduced-error pruning; `reduced_error(...).pruning_steps_` lists all.

    Attributes
    ----------
    node : int
        Node of the tree before pruning that became a leaf.
    subtree_error : float
        Validation error of the rows that reach the node, with the subtree below it, as a fraction of all validation
        rows. For regression, the squared error divided by the number of rows.
    leaf_error : float
        The same with the node as a leaf.
    error : float
        Validation error of the whole tree after the cut.
    n_leaves : int
        Leaves of the tree after the cut.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, prune
    >>> full = DecisionTreeClassifier().fit([[0], [1], [2], [3]], [0, 0, 1, 0])
    >>> prune.reduced_error(full, [[0], [1], [2], [2]], [0, 0, 0, 0]).pruning_steps_[0]
    PruningStep(node=2, subtree_error=0.5, leaf_error=0.0, error=0.0, n_leaves=2)
    """

    node: int
    subtree_error: float
    leaf_error: float
    error: float
    n_leaves: int


def reduced_error(
    model: Any,
    X_val: Any,
    y_val: Any,
    *,
    sample_weight: Any = None,
    order: str = "greedy",
    equal: str = "prune",
    relabel: bool = False,
) -> Any:
    """Prune a fitted tree by its errors on a validation set.

    The error is the weight of the misclassified rows, or the squared error, summed over several outputs. A row that
    goes down several branches counts in each with its fraction.

    Parameters
    ----------
    model : fitted model of one tree or of several
        Model to prune; it is not changed. In forests, bagging and AdaBoost, every tree is pruned separately.
    X_val : array-like or DataFrame of shape (n_samples, n_features)
        Validation rows, on which the tree was not fitted.
    y_val : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their labels or numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the validation rows.
    order : {"greedy", "bottom_up"}, default="greedy"
        "greedy": prune the node that reduces the error most (ties go to the deeper node), and repeat until every cut
        would increase the error. "bottom_up": visit the nodes from the leaves up and prune those that do not increase
        the error; no subtree has a smaller error than the result.
    equal : {"prune", "keep"}, default="prune"
        What to do with nodes whose removal leaves the error unchanged, such as those that no validation row reaches.
    relabel : bool, default=False
        Whether to recompute the leaves' predictions from training and validation rows together. Weights, counts and
        impurities of the nodes are then those of both (except impurities of Poisson deviance and custom criteria).

    Returns
    -------
    model of the same class
        A copy with the same parameters and a smaller `tree_`. Models of one tree have `pruning_steps_`, too: a list of
        `PruningStep`, one per cut, in the order of the cuts.

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
    if order not in ("greedy", "bottom_up"):
        raise ValueError(f"order must be 'greedy' or 'bottom_up', got {order!r}.")
    find, least = _cut_greedily if order == "greedy" else _cut_bottom_up, 0 if equal == "prune" else 1

    steps: list[PruningStep] = []

    def cut(one: Any) -> DecisionTree:
        tree, judged = one.tree_, judge(one, X_val, y_val, sample_weight)
        errors = find_errors(tree, judged)
        at = find(tree, errors, least)
        if one is model:
            steps.extend(_steps(tree, errors, at, judged))
        if relabel:
            _check_means(one)
            tree = _relabelled(tree, judged, getattr(one, "criterion", "entropy"))
        return tree.collapse(at > 0)  # type: ignore[no-any-return]

    pruned = prune_trees(model, cut)
    if isinstance(getattr(model, "tree_", None), DecisionTree):
        pruned.pruning_steps_ = steps
    return pruned


def _steps(tree: DecisionTree, errors: Errors, at: np.ndarray, judged: ValidationRows) -> list[PruningStep]:
    """The cuts in their order, each with the errors at its time."""
    n_rows = judged.weight.sum() if judged.row is None else np.bincount(judged.row, judged.weight).sum()
    unit = 2.0**-errors.exponent / (float(n_rows) * tree.n_outputs)
    as_leaf, branch = errors.as_leaf.sum(axis=1).tolist(), sum_below(tree, errors.ending.sum(axis=1)).tolist()
    leaves, parent = tree.is_leaf.astype(np.int64).tolist(), tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        leaves[parent[node]] += leaves[node]
    found = []
    for node in np.flatnonzero(at)[np.argsort(at[at > 0])].tolist():
        before, gained, gone = branch[node], branch[node] - as_leaf[node], leaves[node] - 1
        above = node
        while above >= 0:
            branch[above] -= gained
            leaves[above] -= gone
            above = parent[above]
        found.append(PruningStep(node, before * unit, as_leaf[node] * unit, branch[0] * unit, leaves[0]))
    return found


def _cut_greedily(tree: DecisionTree, errors: Errors, least: int) -> np.ndarray:
    """Which nodes to turn into leaves, 1, 2, ...: always the one that gains most, if that is at least `least`."""
    from spinney.prune.best_cut import cut_best

    as_leaf, branch = errors.as_leaf.sum(axis=1), sum_below(tree, errors.ending.sum(axis=1))
    n = tree.n_nodes
    best, gain, at = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.int64)
    cut_best(tree.parent, tree.child_start, tree.children, as_leaf, least, branch, best, gain, at)
    return at


def _cut_bottom_up(tree: DecisionTree, errors: Errors, least: int) -> np.ndarray:
    """Which nodes to turn into leaves, 1, 2, ...: all that gain at least `least` when those below them are done."""
    as_leaf, branch = errors.as_leaf.sum(axis=1).tolist(), errors.ending.sum(axis=1).tolist()
    parent, is_leaf, at = tree.parent.tolist(), tree.is_leaf.tolist(), np.zeros(tree.n_nodes, np.int64)
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if not is_leaf[node] and branch[node] - as_leaf[node] >= least:
            at[node], branch[node] = tree.n_nodes - node, as_leaf[node]
        if node > 0:
            branch[parent[node]] += branch[node]
    return at


def _check_means(model: Any) -> None:
    criterion = getattr(model, "criterion", None)
    if criterion == "absolute_error":
        raise ValueError(
            f"relabel=True is not supported with criterion={criterion!r}, whose leaves hold medians. Leave it out."
        )


def _relabelled(tree: DecisionTree, judged: ValidationRows, criterion: Any) -> DecisionTree:
    """The nodes with the validation rows that pass them: answers, counts, weights and impurities."""
    seen, squares = np.zeros(tree.answers.shape), np.zeros(tree.answers.shape)
    weight, passing = np.zeros(tree.n_nodes), []
    for entries, node in climb(tree, judged.node):
        weight += np.bincount(node, judged.weight[entries], tree.n_nodes)
        rows = entries if judged.row is None else judged.row[entries]
        passing.append((node.astype(np.int64) * len(judged.node) + rows)[judged.weight[entries] > 0])
        for k in range(tree.n_outputs):
            if not tree.is_class:
                both = judged.weight[entries] * judged.y[entries, k]
                seen[:, k, 0] += np.bincount(node, both, tree.n_nodes)
                squares[:, k, 0] += np.bincount(node, both * judged.y[entries, k], tree.n_nodes)
            else:
                np.add.at(seen[:, k], (node, judged.y[entries, k]), judged.weight[entries])
    passed = np.unique(np.concatenate(passing)) // len(
        judged.node
    )  # a row that goes several ways counts once in a node
    answers = _join(tree, weight[:, None, None], seen)
    return tree.with_answers(
        answers,
        n_samples=tree.n_samples + np.bincount(passed, minlength=tree.n_nodes),
        weight=tree.weight + weight,
        impurity=_impurities(tree, answers, weight, squares, criterion),
    )


def _impurities(
    tree: DecisionTree, answers: np.ndarray, weight: np.ndarray, squares: np.ndarray, criterion: Any
) -> np.ndarray:
    """Of training and validation rows together, where they can be known."""
    from spinney.criteria.impurity import NAMES, class_impurity

    if tree.is_class:
        if not isinstance(criterion, str):
            return tree.impurity
        return np.where(weight > 0, class_impurity(NAMES[criterion], np.ascontiguousarray(answers)), tree.impurity)
    if criterion not in ("squared_error", "friedman_mse"):
        return tree.impurity
    old, total = tree.weight, tree.weight + weight
    before = tree.impurity + (tree.answers[:, :, 0] ** 2).mean(axis=1)  # mean square of the training rows
    mean_square = (old * before + squares[:, :, 0].mean(axis=1)) / np.where(total > 0, total, 1.0)
    joined = np.maximum(mean_square - (answers[:, :, 0] ** 2).mean(axis=1), 0.0)
    return np.where(weight > 0, joined, tree.impurity)


def _join(tree: DecisionTree, weight: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Old answers and new ones; an empty branch, which answers with its parent's, believes the first row it gets."""
    old = tree.weight[:, None, None]
    if not tree.is_class:
        total = old + weight
        return np.divide(old * tree.answers + seen, total, out=tree.answers.copy(), where=(total > 0) & (weight > 0))
    return np.where((old > 0) | (weight == 0), tree.answers + seen, seen)
