"""Cost-complexity pruning with alpha chosen by cross-validation (CART).

The tree of all rows has a path of subtrees; each is the best for alphas between its own and the next one's. The
geometric mean of the two represents the subtree and is evaluated on the folds: trees grown without the fold's rows are
pruned at it and scored on them. A fold's tree is scored at all alphas at once: a node serves as a leaf from the alpha
at which it is cut to the one at which a node above it is, and its validation errors stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, _num_samples

from spinney._interruptible_threads import side_by_side
from spinney.data.reading import with_rows
from spinney.prune.cost_complexity import PruningPath, full_path
from spinney.prune.pruned_copy import tree_of, with_tree
from spinney.prune.validation import Errors, ValidationRows, find_errors, judge
from spinney.tree.decision import SPREADS, DecisionTree

_SAME = 1e-12  # scores that differ by less are equal


@dataclass(frozen=True)
class PruningCurve:
    """Scores of every subtree on the path, from the whole tree to its root alone.

    Attributes
    ----------
    alphas : ndarray of shape (n_subtrees,)
        Alphas that were evaluated: the geometric mean of each subtree's alpha and the next one's. The last is infinite.
    path_alphas : ndarray of shape (n_subtrees,)
        Alpha from which each subtree is the best.
    n_leaves : ndarray of shape (n_subtrees,)
        Number of leaves of each subtree.
    scores : ndarray of shape (n_subtrees, n_folds)
        Scores of the folds; higher is better.
    best : int
        Index of the subtree with the best mean score; ties go to the smallest subtree.
    chosen : int
        Index of the subtree that `rule` selected.
    mean : ndarray of shape (n_subtrees,)
        Mean scores over the folds.
    standard_error : ndarray of shape (n_subtrees,)
        Standard errors of the means.
    alpha : float
        The selected alpha, to be used as `ccp_alpha`.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, prune
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> curve = prune.cost_complexity_cv(DecisionTreeClassifier(random_state=0), X, y).pruning_curve_
    >>> len(curve.alphas) == len(curve.n_leaves) == len(curve.mean)
    True
    """

    alphas: np.ndarray
    path_alphas: np.ndarray
    n_leaves: np.ndarray
    scores: np.ndarray
    best: int
    chosen: int

    @property
    def mean(self) -> np.ndarray:
        """Mean scores over the folds."""
        return self.scores.mean(axis=1)

    @property
    def standard_error(self) -> np.ndarray:
        """Standard errors of the means: the folds' standard deviation / sqrt(n_folds)."""
        return _standard_error(self.scores)

    @property
    def alpha(self) -> float:
        """The selected alpha, to be used as `ccp_alpha`."""
        tried = self.alphas[self.chosen]
        return float(tried if np.isfinite(tried) else self.path_alphas[self.chosen])

    def __repr__(self) -> str:
        return (
            f"PruningCurve(alpha {self.alpha:.4g}, {self.n_leaves[self.chosen]} of {self.n_leaves[0]} leaves, "
            f"score {self.mean[self.chosen]:.4g} +- {self.standard_error[self.chosen]:.2g})"
        )


def cost_complexity_cv(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    cv: Any = 5,
    scoring: Any = None,
    rule: str = "best",
    criterion: str | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Prune a tree with the alpha that has the best cross-validation score.

    Parameters
    ----------
    model : model of one tree
        Fitted on X and y, or unfitted; a copy is then fitted on them first. It is not changed.
    X : array-like or DataFrame of shape (n_samples, n_features)
        All training rows.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their labels or numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, for the fits and for the folds' scores.
    groups : array-like of shape (n_samples,), default=None
        Groups, passed to the splitter.
    cv : int, splitter or iterable of (train, test) indices, default=5
        As in scikit-learn: a number means (stratified) K-fold.
    scoring : str or callable, default=None
        As in scikit-learn. None: accuracy or R2 (the mean over several outputs), computed for all alphas at once. Any
        other scorer is called for each subtree of each fold, which takes longer.
    rule : {"best", "one_se"}, default="best"
        "best": the smallest subtree with the best mean score. "one_se": the smallest subtree whose mean score is within
        one standard error of the best.
    criterion : {"gini", "entropy", "error"} or None, default=None
        Impurity that subtrees are pruned by, see `cost_complexity`. "error" with `scoring=None` is CART as in the book.
    n_jobs : int, default=None
        Number of folds that are fitted at the same time, in threads. None: one.

    Returns
    -------
    model of the same class
        A copy with the same parameters, a smaller `tree_`, and `pruning_curve_`, a `PruningCurve`.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, prune
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> pruned = prune.cost_complexity_cv(DecisionTreeClassifier(random_state=0), X, y, rule="one_se")
    >>> pruned.get_n_leaves() < int(pruned.pruning_curve_.n_leaves[0])
    True
    """
    if rule not in ("best", "one_se"):
        raise ValueError(f"rule must be 'best' or 'one_se', got {rule!r}.")
    X = with_rows(X)
    n_rows = _num_samples(X)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, np.empty((n_rows, 0)), ensure_non_negative=True)
    table = _Rows(X, np.asarray(y), sample_weight)
    whole = _whole_model(model, table)
    path = full_path(whole.tree_, criterion=criterion)
    starts, tried = _alphas_to_try(path)
    folds = check_cv(cv, table.y, classifier=is_classifier(model)).split(X, table.y, groups)

    def score(fold: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        kept, held = fold
        return _score_fold(model, table.take(kept), table.take(held), tried, scoring, criterion)

    scores = list(side_by_side(score, list(folds), effective_n_jobs(n_jobs)))
    curve = _choose(tried, starts, _count_leaves(whole.tree_, path, starts), np.stack(scores, axis=1), rule)
    pruned = with_tree(whole, whole.tree_.collapse(path.cut_at <= starts[curve.chosen]))
    pruned.pruning_curve_ = curve
    return pruned


class _Rows(NamedTuple):
    """Some rows of the table."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None

    def take(self, rows: np.ndarray) -> _Rows:
        weight = None if self.weight is None else self.weight[rows]
        return _Rows(_safe_indexing(self.X, rows), self.y[rows], weight)

    @property
    def weight_argument(self) -> dict[str, np.ndarray]:
        return {} if self.weight is None else {"sample_weight": self.weight}


# --- the whole tree ---------------------------------------------------------------------------------------------------


def _whole_model(model: Any, rows: _Rows) -> Any:
    """The model fitted on all rows."""
    try:
        tree = tree_of(model)
    except NotFittedError:
        whole = _grow(model, rows)
        tree_of(whole)
        return whole.set_params(**model.get_params(deep=False))
    n, n_weighty = len(rows.y), len(rows.y) if rows.weight is None else np.count_nonzero(rows.weight)
    if tree.n_samples[0] not in (n, n_weighty):
        raise ValueError(
            f"model was fitted on {tree.n_samples[0]} rows, but X has {n}. Pass the rows that it was fitted on, "
            "or an unfitted model."
        )
    return model


def _grow(model: Any, rows: _Rows) -> Any:
    """Another model of the same parameters, fitted, without cost-complexity pruning of its own."""
    grown = clone(model)
    if "ccp_alpha" in grown.get_params(deep=False):
        grown.set_params(ccp_alpha=0.0)
    return grown.fit(rows.X, rows.y, **rows.weight_argument)


def _alphas_to_try(path: PruningPath) -> tuple[np.ndarray, np.ndarray]:
    """(alpha at which each subtree begins, alpha that stands for it)."""
    starts = np.unique(path.alphas)
    return starts, np.append(np.sqrt(starts[:-1]) * np.sqrt(starts[1:]), np.inf)


def _count_leaves(tree: DecisionTree, path: PruningPath, alphas: np.ndarray) -> np.ndarray:
    """Leaves of the tree pruned at each alpha."""
    return _sum_over_alphas(alphas, *_service(tree, path), np.ones((tree.n_nodes, 1), np.int64))[:, 0]


def _choose(tried: np.ndarray, starts: np.ndarray, n_leaves: np.ndarray, scores: np.ndarray, rule: str) -> PruningCurve:
    mean = scores.mean(axis=1)
    best = int(np.flatnonzero(mean >= mean.max() - _SAME)[-1])
    slack = _standard_error(scores)[best] if rule == "one_se" else 0.0
    chosen = int(np.flatnonzero(mean >= mean[best] - slack - _SAME)[-1])
    return PruningCurve(tried, starts, n_leaves, scores, best, chosen)


def _standard_error(scores: np.ndarray) -> np.ndarray:
    n = scores.shape[1]
    return scores.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(len(scores))


# --- a fold -----------------------------------------------------------------------------------------------------------


def _score_fold(
    model: Any, kept: _Rows, held: _Rows, alphas: np.ndarray, scoring: Any, criterion: str | None
) -> np.ndarray:
    """Scores on the rows held out, of the tree of the others pruned at each alpha."""
    grown = _grow(model, kept)
    tree = tree_of(grown)
    path = full_path(tree, criterion=criterion)
    if scoring is not None or (tree.missing == SPREADS).any():
        return _ask_scorer(grown, path, held, alphas, scoring)
    judged = judge(grown, held.X, held.y, held.weight, allow_unknown=True)
    errors = _errors_along(tree, path, find_errors(tree, judged), alphas)
    return _scores(errors, _worst_errors(tree, judged)).mean(axis=1)


def _ask_scorer(grown: Any, path: PruningPath, held: _Rows, alphas: np.ndarray, scoring: Any) -> np.ndarray:
    """Scores by any scorer, which is asked once for each of the fold's subtrees."""
    scorer = check_scoring(grown, scoring)
    n_cuts = np.searchsorted(np.sort(path.cut_at), alphas, side="right")
    first, which = np.unique(n_cuts, return_index=True, return_inverse=True)[1:]
    subtrees = _subtrees(grown, path, held, alphas[first], knows_rows=isinstance(scoring, str))
    return np.array([scorer(one, held.X, held.y, **held.weight_argument) for one in subtrees])[which]


def _subtrees(grown: Any, path: PruningPath, held: _Rows, alphas: np.ndarray, knows_rows: bool) -> Iterator[Any]:
    """The model pruned at each alpha; for scorers that are known to ask for the rows held out, only as far as these."""
    tree = grown.tree_
    if not knows_rows or (tree.missing == SPREADS).any():
        yield from (with_tree(grown, tree.collapse(path.cut_at <= alpha)) for alpha in alphas)
        return
    ends = grown.apply(held.X)
    for alpha in alphas:
        pruned = copy(grown)
        leaves = _move_up(tree, path.cut_at <= alpha, ends)
        vars(pruned).update(_read=lambda X: None, _leaves=lambda table, leaves=leaves: leaves)
        yield pruned


def _move_up(tree: DecisionTree, cut: np.ndarray, node: np.ndarray) -> np.ndarray:
    """Where rows that end in these nodes end after the cuts: a subtree is a run of nodes, and its top comes first."""
    tops, end = np.flatnonzero(cut), tree.subtree_end
    covered = np.maximum.accumulate(np.append(0, end[tops]))[:-1]
    tops = tops[tops >= covered]
    place = np.searchsorted(tops, node, side="right") - 1
    top = np.append(tops, -1)[place]
    return np.where((place >= 0) & (node < end[top]), top, node)


def _errors_along(tree: DecisionTree, path: PruningPath, errors: Errors, alphas: np.ndarray) -> np.ndarray:
    """(alpha, output) errors of the tree pruned at each alpha."""
    begins, ends = _service(tree, path)
    as_leaves = _sum_over_alphas(alphas, begins, ends, errors.as_leaf)
    inner = ~tree.is_leaf  # rows may end there, for want of an answer: until the node or one above it is cut
    always = np.full(inner.sum(), -np.inf)
    on_the_way = _sum_over_alphas(alphas, always, np.minimum(begins, ends)[inner], errors.ending[inner])
    return np.ldexp((as_leaves + on_the_way).astype(np.float64), -errors.exponent)


def _service(tree: DecisionTree, path: PruningPath) -> tuple[np.ndarray, np.ndarray]:
    """Every node is a leaf from the first alpha up to the second, if that is greater."""
    begins = np.where(tree.is_leaf, -np.inf, path.cut_at)
    cut_at, ends = path.cut_at.tolist(), [np.inf] * tree.n_nodes
    for node, above in enumerate(tree.parent.tolist()):  # parents come before their children
        if above >= 0:
            ends[node] = min(ends[above], cut_at[above])
    return begins, np.array(ends)


def _sum_over_alphas(alphas: np.ndarray, begins: np.ndarray, ends: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """For each alpha (ascending) the sum of the amounts, (node, output) int64, whose begin <= alpha < end."""
    finite = np.minimum(alphas, np.finfo(np.float64).max)
    serves = begins < ends
    steps = np.zeros((len(alphas) + 1, amounts.shape[1]), np.int64)
    np.add.at(steps, np.searchsorted(finite, begins[serves]), amounts[serves])
    np.subtract.at(steps, np.searchsorted(finite, ends[serves]), amounts[serves])
    return np.cumsum(steps, axis=0)[:-1]


def _worst_errors(tree: DecisionTree, judged: ValidationRows) -> np.ndarray:
    """What the errors of each output are measured by: all wrong, or the squared distance from the mean."""
    weight = judged.weight[:, None]
    if tree.is_class:
        return np.full(tree.n_outputs, weight.sum())
    return (weight * (judged.y - np.average(judged.y, axis=0, weights=judged.weight)) ** 2).sum(axis=0)


def _scores(errors: np.ndarray, worst: np.ndarray) -> np.ndarray:
    """Accuracy or R^2; where all y are equal, R^2 is 1 without errors and 0 otherwise, as in scikit-learn."""
    return 1.0 - np.divide(errors, worst, out=(errors > 0.0).astype(np.float64), where=worst > 0.0)
