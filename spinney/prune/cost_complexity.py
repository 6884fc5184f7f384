"""Minimal cost-complexity pruning (CART): the subtree with the smallest cost + alpha * leaves, or + alpha * nodes.

The cost of a tree is the impurity of its leaves, weighted by their fraction of the training weight. As alpha grows, the
best subtrees are nested, and the *path* lists the alphas at which they change. Trees and alphas are scikit-learn's,
except that an alpha that rounding would make smaller than the previous one, or than 0, repeats the previous one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import Bunch

from spinney.prune.pruned_copy import is_boosted, prune_trees, read_nonnegative, tree_of

if TYPE_CHECKING:
    from spinney.tree.decision import DecisionTree

_ROUNDING = 1e-12  # fraction by which sums of equal subtrees may differ
_ABOVE_0 = np.nextafter(0.0, 1.0)  # alpha 0 leaves the tree as it is: cuts that cost nothing come just after


class PruningPath(NamedTuple):
    """The nested subtrees, from the whole tree to its root alone."""

    alphas: np.ndarray  # (cuts + 1,) non-decreasing; the first is 0
    costs: np.ndarray  # (cuts + 1,) of the tree after each cut
    cut_at: np.ndarray  # (nodes,) alpha at which a node turns into a leaf, above 0; inf where it never does


def cost_complexity(
    model: Any, alpha: float, *, cost: str = "leaves", criterion: str | None = None, weighted: bool = True
) -> Any:
    """Prune a fitted tree to the subtree that minimises cost + alpha * leaves, or cost + alpha * nodes.

    Parameters
    ----------
    model : fitted model of one tree or of several
        Model to prune; it is not changed. In forests, bagging, AdaBoost and gradient boosting (see Notes), every tree
        is pruned separately.
    alpha : float
        Penalty per leaf, or per node, at least 0. 0 returns the tree unchanged, as `ccp_alpha=0` does.
    cost : {"leaves", "nodes"}, default="leaves"
        What is penalised: leaves, as in CART and scikit-learn, or all nodes, as in some textbooks. In binary trees, a
        penalty of alpha per node is one of 2 * alpha per leaf. With more branches the two differ.
    criterion : {"gini", "entropy", "error"} or None, default=None
        Impurity that measures the cost, for classification trees. None: the impurity that the tree was grown with, as
        in scikit-learn. "error": the fraction of the training weight that is misclassified, as in the CART book and in
        R's rpart, whose `cp` is alpha divided by the error of the root alone.
    weighted : bool, default=True
        Whether the impurity of a leaf counts by its fraction of the training weight. False: all leaves count the same,
        as in some textbooks. Not supported for boosted models.

    Returns
    -------
    model of the same class
        A copy with the same parameters and a smaller `tree_`, or smaller trees.

    Notes
    -----
    In a boosted tree, the cost is the second-order loss that the tree was grown with: a subtree is pruned if the gains
    of its splits are at most alpha on average. Alpha has the units of `min_split_gain`, which considers one split at a
    time and prunes only from the bottom. A node that becomes a leaf predicts its own best value.

    Later boosted trees are not refitted, so the model gets smaller, not better. With `ccp_alpha`, each tree is pruned
    before the next one is grown. Models of absolute or quantile loss cannot be pruned after the fit, since the values
    of their inner nodes are not known.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, prune
    >>> from spinney.datasets import load_penguins
    >>> full = DecisionTreeClassifier(random_state=0).fit(*load_penguins())
    >>> prune.cost_complexity(full, alpha=0.1).get_n_leaves() < full.get_n_leaves()
    True
    """
    alpha = read_nonnegative(alpha, "alpha")
    _check_cost(cost)
    _check_loss(model)
    if not weighted:
        return prune_trees(model, lambda one: _collapse_unweighted(one.tree_, alpha, cost, criterion))
    return prune_trees(model, lambda one: collapse_by_alpha(one.tree_, alpha, cost, criterion), boosted=True)


def tree_cost(
    model: Any, alpha: float, *, cost: str = "leaves", criterion: str | None = None, weighted: bool = True
) -> float:
    """Compute what `cost_complexity` minimises: the impurity of the leaves + alpha * leaves, or + alpha * nodes.

    Parameters
    ----------
    model : fitted model of one tree
        Model whose tree is evaluated.
    alpha : float
        Penalty per leaf, or per node, at least 0.
    cost : {"leaves", "nodes"}, default="leaves"
        What is penalised, see `cost_complexity`.
    criterion : {"gini", "entropy", "error"} or None, default=None
        Impurity that measures the cost, see `cost_complexity`.
    weighted : bool, default=True
        Whether the impurity of a leaf counts by its fraction of the training weight, see `cost_complexity`.

    Returns
    -------
    float
        The sum.

    Examples
    --------
    ID3's tree of the restaurant data has pure leaves and 12 nodes. Cut after Patrons, it has 4 nodes, and one leaf has
    0.918 bits:

    >>> from spinney import ID3Classifier, prune
    >>> from spinney.datasets import load_restaurant
    >>> X, y = load_restaurant()
    >>> for depth in (None, 1):
    ...     tree = ID3Classifier(max_depth=depth).fit(X, y)
    ...     print(round(prune.tree_cost(tree, 0.1, cost="nodes", weighted=False), 3))
    1.2
    1.318
    """
    alpha = read_nonnegative(alpha, "alpha")
    _check_cost(cost)
    tree = tree_of(model)
    as_leaf = _leaf_costs(tree, criterion, weighted)
    n_priced = tree.n_leaves if cost == "leaves" else tree.n_nodes
    return float(math.fsum(as_leaf[tree.is_leaf]) + alpha * n_priced)


def _leaf_costs(tree: DecisionTree, criterion: str | None, weighted: bool) -> np.ndarray:
    """Of each node as a leaf."""
    impurity = tree.impurity if criterion is None else _impurity_by(tree, criterion)
    return tree.weight * impurity / tree.weight[0] if weighted else np.where(tree.weight > 0.0, impurity, 0.0)


def _collapse_unweighted(tree: DecisionTree, alpha: float, priced: str, criterion: str | None) -> DecisionTree:
    """The subtree with the smallest sum, from the leaves up; ties go to the smaller. A split can raise this sum."""
    if alpha == 0.0:
        return tree
    as_leaf = (_leaf_costs(tree, criterion, weighted=False) + alpha).tolist()
    own = alpha if priced == "nodes" else 0.0
    below, parent, cut = [own] * tree.n_nodes, tree.parent.tolist(), np.zeros(tree.n_nodes, bool)
    is_leaf = tree.is_leaf.tolist()
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        cut[node] = not is_leaf[node] and as_leaf[node] <= below[node] * (1.0 + _ROUNDING)
        best = as_leaf[node] if is_leaf[node] or cut[node] else below[node]
        if node > 0:
            below[parent[node]] += best
    return tree.collapse(cut)


def _check_loss(model: Any) -> None:
    loss = getattr(model, "loss", None)
    if not is_boosted(model):
        return
    from spinney.criteria.losses import kind_of

    if kind_of(loss).leaves_are_quantiles:
        raise TypeError(
            f"a boosted model with loss={loss!r} cannot be pruned: the values of nodes that would become leaves are "
            "quantiles of training residuals, which the model does not keep. Fit it with ccp_alpha instead."
        )


def cost_complexity_path(model: Any, *, cost: str = "leaves", criterion: str | None = None) -> Bunch:
    """Compute the alphas at which the pruned tree changes.

    Parameters
    ----------
    model : fitted model of one tree
        Model whose tree is examined; it is not changed.
    cost : {"leaves", "nodes"}, default="leaves"
        What alpha penalises, see `cost_complexity`.
    criterion : {"gini", "entropy", "error"} or None, default=None
        Impurity that measures the cost, see `cost_complexity`.

    Returns
    -------
    Bunch
        `ccp_alphas`: the alphas, non-decreasing; the first is 0. `impurities`: total impurity of the leaves of each
        subtree. The same as scikit-learn's `cost_complexity_pruning_path`.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.prune import cost_complexity, cost_complexity_path
    >>> tree = DecisionTreeClassifier(max_depth=3).fit(*load_penguins())
    >>> alphas = cost_complexity_path(tree).ccp_alphas
    >>> [cost_complexity(tree, alpha).get_n_leaves() for alpha in alphas[-3:]]
    [3, 2, 1]
    """
    _check_cost(cost)
    alphas, impurities = pruning_path(tree_of(model), cost, criterion)
    return Bunch(ccp_alphas=alphas, impurities=impurities)


def _check_cost(cost: str) -> None:
    if cost not in ("leaves", "nodes"):
        raise ValueError(f"cost must be 'leaves' or 'nodes', got {cost!r}.")


def collapse_by_alpha(
    tree: DecisionTree, alpha: float, priced: str = "leaves", criterion: str | None = None
) -> DecisionTree:
    """Return the subtree with the smallest cost + alpha * leaves (or nodes); ties go to the smaller."""
    path = full_path(tree, priced, criterion)
    return tree if alpha == 0.0 else tree.collapse(path.cut_at <= alpha)


def pruning_path(
    tree: DecisionTree, priced: str = "leaves", criterion: str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(alphas, costs) of the nested subtrees, from the whole tree to its root alone."""
    path = full_path(tree, priced, criterion)
    return path.alphas, path.costs


def full_path(tree: DecisionTree, priced: str = "leaves", criterion: str | None = None) -> PruningPath:
    """All cuts of a decision tree."""
    as_leaf = _leaf_costs(tree, criterion, weighted=True)
    cost = _gains_below(tree) if tree.is_boosted else as_leaf
    return cut_links(tree.parent, tree.child_start, tree.children, cost, priced)


def _impurity_by(tree: DecisionTree, criterion: str) -> np.ndarray:
    """Of all nodes, by another criterion than the tree's own."""
    from spinney.criteria.impurity import ENTROPY, ERROR, GINI, class_impurity

    codes = {"gini": GINI, "entropy": ENTROPY, "error": ERROR}
    if criterion not in codes:
        raise ValueError(f"criterion must be 'gini', 'entropy', 'error' or None, got {criterion!r}.")
    if not tree.is_class:
        raise ValueError(f"criterion={criterion!r} is supported only for classification trees. Leave criterion out.")
    return class_impurity(codes[criterion], tree.answers)


def _gains_below(tree: DecisionTree) -> np.ndarray:
    """Boosted trees: the gains of each node's split and of those below it, which is what it costs to make it a leaf."""
    gains = tree.gain.copy()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        gains[tree.parent[node]] += gains[node]
    return gains


def collapse_within_standard_error(tree: DecisionTree) -> DecisionTree:
    """Prune as C5.0 does globally: weakest links by training errors, until these rise by a standard error in total.

    Leaves without training rows do not count as leaves.
    """
    wrong = (tree.answers.sum(axis=2) - tree.answers.max(axis=2))[:, 0]
    empty = tree.weight <= 0.0
    path = cut_links(
        tree.parent, tree.child_start, tree.children, np.where(empty, 0.0, wrong), uncounted=tree.is_leaf & empty
    )
    limit = standard_error(float(path.costs[0]), float(tree.weight[0]))
    fits = path.costs - path.costs[0] <= limit  # of equal links all are cut or none
    alphas = path.alphas[1:]
    too_far = alphas[~fits[1:]].min(initial=np.inf)
    return tree.collapse(path.cut_at < too_far)


def standard_error(wrong: float, total: float) -> float:
    """Return the standard error of a number of errors: the square root of wrong (1 - wrong / total).

    >>> standard_error(4.0, 16.0)
    1.7320508075688772
    """
    return math.sqrt(wrong * (1.0 - wrong / total))


def cut_links(
    parent: np.ndarray,
    child_start: np.ndarray,
    children: np.ndarray,
    cost: np.ndarray,
    priced: str = "leaves",
    uncounted: np.ndarray | None = None,
) -> PruningPath:
    """All cuts of a tree whose children come after their parents, given each node's cost as a leaf.

    `uncounted`: leaves that have no price. At least two leaves below every inner node must have one.
    """
    from spinney.prune.weakest_link import cut_weakest_links

    n = len(parent)
    n_priced = _questions_below(parent, child_start) if priced == "nodes" else np.zeros(n, np.int64)
    if uncounted is not None:
        n_priced -= _sums_below(parent, uncounted.astype(np.int64))
    weakest = np.empty(n, np.int64)
    below, alpha, alphas, costs = np.zeros(n), np.empty(n), np.empty(n), np.empty(n)
    cut_at = np.full(n, np.inf)
    n_cuts = cut_weakest_links(
        parent, child_start, children, cost, n_priced, below, weakest, alpha, alphas, costs, cut_at
    )
    return PruningPath(alphas[: n_cuts + 1].copy(), costs[: n_cuts + 1].copy(), np.maximum(cut_at, _ABOVE_0))


def _questions_below(parent: np.ndarray, child_start: np.ndarray) -> np.ndarray:
    """How many nodes of each branch, its top included, ask something."""
    return _sums_below(parent, (np.diff(child_start) > 0).astype(np.int64))


def _sums_below(parent: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The sum over each branch, its top included."""
    sums, above = counts.tolist(), parent.tolist()
    for node in range(len(sums) - 1, 0, -1):
        sums[above[node]] += sums[node]
    return np.array(sums, np.int64)
