"""Friedman's H: the part of a joint effect of two columns that is not the sum of their single effects.

In: a fitted sum of trees, and rows. Out: a `Bunch` of H for every pair of columns, or for every column with all others.

    H^2(j, k) = sum over rows of (F_jk - F_j - F_k)^2 / sum of F_jk^2           F: partial dependence, of mean 0
    H^2(j)    = sum over rows of (f - F_j - F_others)^2 / sum of f^2

(Friedman and Popescu, 2008.) F is known exactly at the rows' own values, from the traversals of partial dependence.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from spinney.explain.dependence.open_descent import Runs, add_up, add_up_pair, along, row_curves
from spinney.explain.dependence.partial_dependence import Walker, ask
from spinney.explain.dependence.responses import need_tree_sum
from spinney.view.phrases import check_count

_KINDS = ("pairs", "overall")


def friedman_h(
    model: Any,
    X: Any,
    features: Any = None,
    *,
    kind: str = "pairs",
    response_method: str = "auto",
    n_rows: int = 500,
    random_state: Any = 0,
) -> Bunch:
    """Measure how strongly columns interact in a model (Friedman's H), from 0 (not at all) to 1 (only interaction).

    Parameters
    ----------
    model : fitted model that is a sum of Spinney's trees
        Trees, forests, bagging, boosting, and AdaBoost for classification.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows over which effects are averaged.
    features : list of int, str or pairs, default=None
        Columns whose pairs are measured, or the pairs themselves. None: every column that the trees split on.
    kind : {"pairs", "overall"}, default="pairs"
        Measure each pair, or each column with all others.
    response_method : {"auto", "raw", "predict", "predict_proba", "decision_function"}, default="auto"
        Output to decompose; it must be a sum over the trees. "auto": raw scores of boosted models and AdaBoost, else
        the prediction.
    n_rows : int, default=500
        Number of rows sampled from X.
    random_state : int, RandomState or None, default=0
        Seed of the sample.

    Returns
    -------
    Bunch
        `columns`: the pairs, or the columns, the strongest interaction first. `names`. `h` (pairs, outputs). `strength`
        (pairs, outputs): the standard deviation of the interaction in units of the response. Unlike H, it is small
        where both columns have little effect.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import GradientBoostingRegressor
    >>> from spinney.explain import friedman_h
    >>> X = np.random.RandomState(0).randn(2000, 3)
    >>> model = GradientBoostingRegressor(n_estimators=100, random_state=0).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    >>> friedman_h(model, X).columns[0]
    (0, 1)
    """
    if kind not in _KINDS:
        raise ValueError(f"kind must be 'pairs' or 'overall', got {kind!r}.")
    check_count("n_rows", n_rows, 2)
    found = need_tree_sum(model, "friedman_h")
    walker = ask(model, X, response_method, "walk")
    assert isinstance(walker, Walker)
    if response_method == "auto" and walker.response[0] is None:
        walker = ask(model, X, "raw", "walk")
        assert isinstance(walker, Walker)
    if walker.response[0] is None:
        raise ValueError(
            f"response_method={response_method!r} of a {found.name} is not a sum over its trees. "
            "Use response_method='raw'."
        )
    total = walker.values
    if len(total) > n_rows:
        some = np.sort(check_random_state(random_state).choice(len(total), int(n_rows), replace=False))
        vars(walker).update(values=total[some], weight=np.ones(len(some)))
    groups = _groups(walker, features, kind)
    measured = _Measure(walker, sorted({j for group in groups for j in group}))
    each = measured.pairs(groups) if kind == "pairs" else [measured.overall(j) for (j,) in groups]
    h, strength = (np.array([one[k] for one in each]).reshape(len(groups), -1) for k in (0, 1))
    order = np.argsort(-h.max(axis=1, initial=0.0), kind="stable")
    names = [tuple(walker.columns.names[j] for j in groups[k]) for k in order]
    columns = [groups[k] for k in order]
    if kind == "overall":
        columns, names = [one[0] for one in columns], [one[0] for one in names]
    return Bunch(columns=columns, names=names, h=h[order], strength=strength[order])


def _groups(walker: Walker, features: Any, kind: str) -> list[tuple[int, ...]]:
    asked = sorted(walker.sum.forest.columns_asked)
    if features is None and len(asked) < (2 if kind == "pairs" else 1):
        said = f"split on column {walker.columns.names[asked[0]]!r} only" if asked else "have no splits"
        raise ValueError(
            f"the trees of this {walker.sum.name} {said}, so there are no interactions to measure. Fit a model with "
            "more splits, or name columns in features."
        )
    given: list[tuple[int, ...]] = [(j,) for j in asked] if features is None else walker.columns.read(list(features))[0]
    singles = [one[0] for one in given if len(one) == 1]
    if kind == "overall":
        if len(singles) < len(given):
            raise ValueError("kind='overall' measures columns, not pairs. Set features to columns, or kind='pairs'.")
        return given
    groups: list[tuple[int, ...]] = [*(one for one in given if len(one) == 2), *combinations(singles, 2)]
    if not groups:
        raise ValueError("features must name at least two columns, or a pair.")
    return groups


class _Measure:
    """Partial dependence at the rows' own values."""

    def __init__(self, walker: Walker, columns: list[int]) -> None:
        """Of each of these columns alone."""
        self.walker = walker
        matrix = walker.response[0]
        assert matrix is not None
        self.says, self.start = walker.sum.values @ matrix, np.zeros(matrix.shape[1])
        self._known: dict[int, tuple[Runs, np.ndarray, np.ndarray]] = {}
        for number, weight in walker.end_weights([[j] for j in columns]):
            column = columns[number]
            values, place = np.unique(walker.values[:, column], return_inverse=True)
            runs = along(walker.asked, walker.ways, column, values)
            grid = add_up(runs, weight, self.says)
            self._known[column] = runs, place.reshape(-1), _centred(grid[:, place.reshape(-1)])

    def pairs(self, groups: list[tuple[int, ...]]) -> list[tuple[np.ndarray, np.ndarray]]:
        """H and its strength, of each pair."""
        found = []
        for number, weight in self.walker.end_weights([list(group) for group in groups]):
            (a, at_a, alone_a), (b, at_b, alone_b) = (self._known[j] for j in groups[number])
            both = _centred(add_up_pair(a, b, weight, self.says)[:, at_a, at_b])
            found.append(_ratio(both - alone_a - alone_b, both))
        return found

    def overall(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        runs, place, alone = self._known[j]
        walker = self.walker
        (curves,) = row_curves(walker.asked, walker.ways, walker.values, [([j], runs)], (self.says, self.start))
        whole = _centred(curves[:, place, np.arange(len(place))])
        others = _centred(np.einsum("sgr,g->sr", curves, np.bincount(place, minlength=runs.n_points) / len(place)))
        return _ratio(whole - alone - others, whole)


def _centred(values: np.ndarray) -> np.ndarray:
    return values - values.mean(axis=1, keepdims=True)


def _ratio(rest: np.ndarray, whole: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """H and the standard deviation of the interaction, (outputs,); 0 where nothing depends on the columns."""
    above, below = (rest**2).mean(axis=1), (whole**2).mean(axis=1)
    scale = np.finfo(np.float64).eps * np.abs(whole).max(axis=1, initial=0.0)
    return np.sqrt(np.where(below > scale**2, above / np.where(below > 0, below, 1.0), 0.0)), np.sqrt(above)
