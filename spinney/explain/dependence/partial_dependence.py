"""Partial dependence and individual conditional expectation: the predictions as one or two columns change.

In: a fitted model, rows, columns. Out: scikit-learn's `Bunch`: `grid_values`, `average`, `individual`.

    average[g] = mean prediction over the rows with the column set to g

Spinney's trees do not predict grids: rows are sent down the trees with the column's splits left open (open_descent.py),
and every leaf knows which points of the grid reach it. Where responses are sums over the trees
(regression, raw scores, probabilities of trees and forests), one traversal counts the rows for all columns at once.
Where they are not (probabilities of boosting), each row's curve is summed, converted and averaged. Other models predict
copies of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from spinney._docstrings import completed
from spinney._interruptible_threads import side_by_side
from spinney._team import Team, available_threads
from spinney.explain.dependence.grids import Axis, Columns, GridSpec, read_row_weights, schema_of
from spinney.explain.dependence.open_descent import (
    BLOCK,
    Group,
    PathConditions,
    Ways,
    add_up,
    add_up_pair,
    along,
    count_open,
    cover_weights,
    disjoint,
    find_runs,
    find_ways,
    pack,
    row_curves,
)
from spinney.explain.dependence.responses import TreeSum, check_model, read_response, responses, tree_sum
from spinney.view.phrases import check_choice

METHODS = ("auto", "walk", "brute", "recursion")
_KINDS = ("average", "individual", "both")
_COUNTS = 1 << 23  # counts of groups and ends that are made at once
_CURVES = 1 << 20  # numbers of curves that are made at once
_SMALL = 20_000  # rows times trees: below, threads cost more than they save


def partial_dependence(
    model: Any,
    X: Any,
    features: Any,
    *,
    sample_weight: Any = None,
    response_method: str = "auto",
    percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100,
    custom_values: Any = None,
    missing: bool = False,
    method: str = "auto",
    kind: str = "average",
) -> Any:
    """Compute partial dependence: the mean prediction over the rows as one or two columns are set to each value of a
    grid.

    Parameters
    ----------
    model : fitted model
        For Spinney's trees, the rows are sent down the trees once. The result equals scikit-learn's `method="brute"` to
        the last digits. Any other model predicts copies of X.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows to average over. The grid is made from them.
    features : int, str, tuple of two, or list of these
        A column, by number or name, or a pair of columns that change together. A list gives one result per entry, and
        None one per column. Several columns in one call cost little more than one.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in the mean.
    response_method : {"auto", "predict", "predict_proba", "decision_function", "raw", "score_samples"}, default="auto"
        What is averaged. "auto": probabilities of a classifier, predictions of a regressor, scores of an isolation
        forest. "raw": raw scores of a boosted model, before its link. With two classes, the value is that of the
        second.
    percentiles : (float, float), default=(0.05, 0.95)
        Ends of the grid of a numeric column, as fractions.
    grid_resolution : int, default=100
        Number of equally spaced grid points between the percentiles. A column with fewer distinct values is set to each
        of them, and a categorical column to each category.
    custom_values : dict, default=None
        Grid values of some columns, by number or name. NaN and None are missing values.
    missing : bool, default=False
        Add a last point to each grid: the value is missing.
    method : {"auto", "walk", "brute", "recursion"}, default="auto"
        "walk": exact, by one traversal of the trees. "brute": the same by predicting copies of X. "recursion": no rows
        are used; at splits on other columns both branches count, by the fractions of the training rows that took them.
        It averages raw scores. "auto": "walk" for models that are a sum of trees, else "brute".
    kind : {"average", "individual", "both"}, default="average"
        The mean, one curve per row, or both.

    Returns
    -------
    Bunch, or list of Bunch
        `grid_values` (one array per column), `average` (outputs, then the grid), `individual` (outputs, rows, then the
        grid), `columns` and `names`. scikit-learn's `PartialDependenceDisplay(pd_results=[...], ...)` accepts it.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import RandomForestRegressor
    >>> from spinney.explain import partial_dependence
    >>> X = np.random.RandomState(0).rand(500, 3)
    >>> model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, 3.0 * (X[:, 0] > 0.5))
    >>> found = partial_dependence(model, X, 0, custom_values={0: [0.2, 0.8]})
    >>> found.average.round(2)
    array([[0., 3.]])
    """
    check_choice("kind", kind, _KINDS)
    check_model(model)
    asker = ask(model, X, response_method, method, sample_weight)
    if asker.method == "recursion" and (kind != "average" or sample_weight is not None):
        raise ValueError("method='recursion' uses no rows. Set kind='average' and sample_weight=None.")
    spec = GridSpec(percentiles, grid_resolution, custom_values, missing)
    groups, is_one = asker.columns.read(features)
    known = {j: asker.columns.axis(j, spec) for j in dict.fromkeys(j for group in groups for j in group)}
    axes = [[known[j] for j in group] for group in groups]
    averages = asker.averages(axes) if kind == "average" else [None] * len(axes)
    found = [_bunch(asker, one, kind, average) for one, average in zip(axes, averages)]
    return found[0] if is_one else found


@completed(partial_dependence)
def ice(model: Any, X: Any, features: Any, **options: Any) -> Any:
    """Compute individual conditional expectation (ICE): one curve per row.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows whose curves are computed.
    **options
        Other parameters of `partial_dependence`, except `kind`.

    Returns
    -------
    Bunch, or list of Bunch
        As from `partial_dependence`. `individual` has the shape (outputs, rows, then the grid).

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import DecisionTreeRegressor
    >>> from spinney.explain import ice
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = DecisionTreeRegressor().fit(X, [0.0, 0.0, 0.0, 1.0])  # and
    >>> ice(model, X, 0).individual[0]
    array([[0., 0.],
           [0., 1.],
           [0., 0.],
           [0., 1.]])
    """
    return partial_dependence(model, X, features, **options, kind="both")


def _bunch(asker: Asker, axes: list[Axis], kind: str, average: np.ndarray | None) -> Bunch:
    shape = [len(axis.values) for axis in axes]
    found = Bunch(
        grid_values=[axis.values for axis in axes],
        columns=tuple(axis.column for axis in axes),
        names=tuple(axis.name for axis in axes),
        is_category=tuple(axis.is_category for axis in axes),
    )
    if average is not None:
        return Bunch(**found, average=average.reshape(-1, *shape))
    curves = asker.curves(axes)  # (outputs, points, rows)
    found["individual"] = np.ascontiguousarray(curves.swapaxes(1, 2)).reshape(len(curves), -1, *shape)
    if kind == "both":
        found["average"] = _mean(curves, asker.share).reshape(-1, *shape)
    return found


def _mean(curves: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(outputs, points), of curves (outputs, points, rows)."""
    return np.einsum("sgr,r->sg", curves, share)


def ask(model: Any, X: Any, response_method: str, method: str, sample_weight: Any = None) -> Asker:
    """How a model's dependence is computed: by one traversal of its trees, or by predicting copies of the data."""
    check_choice("method", method, METHODS)
    wanted = read_response(model, response_method)
    name = type(model).__name__
    found = None if method == "brute" else tree_sum(model)
    if found is None and method in ("walk", "recursion"):
        raise TypeError(
            f"method={method!r} needs a model that is a sum of Spinney's trees, which this {name} is not. "
            "Use method='brute', which predicts copies of X."
        )
    schema = found.schema if found is not None else schema_of(model)
    columns = Columns(X, schema, name)
    weight = read_row_weights(sample_weight, columns.n_rows)
    if found is None:
        return Asker(
            "brute", columns, weight, lambda group, values: responses(model, columns.replaced(group, values), wanted)
        )
    if method == "recursion":
        if response_method == "auto" and found.response(wanted)[0] is None:
            wanted = "raw"
        if found.response(wanted)[0] is None:
            raise ValueError(
                f"method='recursion' averages raw scores, and {response_method} of a {name} is not a sum of them. "
                "Set response_method='raw', or use another method."
            )
        return Walker("recursion", columns, weight, None, found, X, wanted)
    return Walker("walk", columns, weight, None, found, X, wanted)


@dataclass
class Asker:
    """A model that predicts copies of the data."""

    method: str
    columns: Columns
    weight: np.ndarray
    answer: Callable[[tuple[int, ...], tuple[Any, ...]], np.ndarray] | None  # (columns, values) -> (rows, outputs)

    def averages(self, all_axes: list[list[Axis]]) -> list[np.ndarray]:
        """Of each group of axes (outputs, points)."""
        return [np.array([self.share @ one for one in self._answers(axes)]).T for axes in all_axes]

    def curves(self, axes: list[Axis]) -> np.ndarray:
        """(outputs, points, rows)."""
        return np.stack(list(self._answers(axes)), axis=0).transpose(2, 0, 1)

    @property
    def share(self) -> np.ndarray:
        """Of each row in the mean."""
        return self.weight / self.weight.sum()

    def _answers(self, axes: list[Axis]) -> Iterator[np.ndarray]:
        assert self.answer is not None
        group = tuple(axis.column for axis in axes)
        for values in product(*(axis.values.tolist() for axis in axes)):
            yield self.answer(group, values)


@dataclass
class Walker(Asker):
    """A sum of trees that rows are sent down."""

    sum: TreeSum
    X: Any
    wanted: str

    @cached_property
    def ways(self) -> Ways:
        return find_ways(self.sum.questions)

    @cached_property
    def asked(self) -> PathConditions:
        return pack(self.sum.questions)

    @cached_property
    def values(self) -> np.ndarray:
        return self.sum.numbers(self.X)

    @cached_property
    def response(self) -> tuple[np.ndarray | None, Callable[[np.ndarray], np.ndarray] | None]:
        """The function from raw scores to responses."""
        return self.sum.response(self.wanted)

    @property
    def n_threads(self) -> int:
        if len(self.values) * len(self.asked.roots) < _SMALL:
            return 1
        return available_threads(getattr(self.sum.model, "n_jobs", None))

    def end_weights(self, groups: list[list[int]]) -> Iterator[tuple[int, np.ndarray]]:
        """(number of the group, fraction of the rows that reaches each leaf if its columns are left open)."""
        if self.method == "recursion":
            for number, group in enumerate(groups):
                yield number, cover_weights(self.asked, self.ways, self._cover(), group)
            return
        most = max(1, _COUNTS // max(self.ways.n_ends, 1))
        n_threads = self.n_threads
        with Team(n_threads, inline=n_threads == 1) as team:
            for first in range(0, len(groups), most):
                some = groups[first : first + most]
                counts = count_open(self.asked, self.ways, self.values, self.weight, some, team)
                for number, count in enumerate(counts, first):
                    yield number, count / self.weight.sum()

    def _cover(self) -> np.ndarray:
        """Training rows, or their weight, of every end; none where only missing values stop."""
        forest, q = self.sum.forest, self.sum.questions
        cover = forest.counts() if forest.criterion is None else forest.weights()
        return np.where(forest.is_leaf[q.ends], cover[q.ends], 0.0)

    def averages(self, all_axes: list[list[Axis]]) -> list[np.ndarray]:
        matrix, _ = self.response
        if matrix is None:
            return self._means_of_curves(all_axes)
        found, says = [np.empty(0)] * len(all_axes), self.sum.values @ matrix
        start = (self.sum.start @ matrix)[:, None]
        for number, weight in self.end_weights([[axis.column for axis in axes] for axes in all_axes]):
            runs = [along(self.asked, self.ways, axis.column, axis.codes) for axis in all_axes[number]]
            grid = add_up(runs[0], weight, says) if len(runs) == 1 else add_up_pair(runs[0], runs[1], weight, says)
            found[number] = grid.reshape(len(grid), -1) + start
        return found

    def _means_of_curves(self, all_axes: list[list[Axis]]) -> list[np.ndarray]:
        """Of responses that are not sums over the trees."""
        found = [np.empty(0)] * len(all_axes)
        for batch in disjoint([[axis.column for axis in axes] for axes in all_axes], len(all_axes)):
            groups = [self._group(all_axes[k]) for k in batch]
            for k, parts in zip(batch, zip(*self._by_rows(partial(self._means, groups), groups))):
                found[k] = np.sum(parts, axis=0)
        return found

    def _means(self, groups: list[Group], rows: slice) -> list[np.ndarray]:
        share = self.share[rows]
        return [_mean(curves, share) for curves in self._answered(groups, rows)]

    def curves(self, axes: list[Axis]) -> np.ndarray:
        groups = [self._group(axes)]
        return np.concatenate([found for (found,) in self._by_rows(partial(self._answered, groups), groups)], axis=2)

    def _group(self, axes: list[Axis]) -> Group:
        columns = [axis.column for axis in axes]
        return columns, find_runs(self.asked, self.ways, [(axis.column, axis.codes) for axis in axes])

    def _by_rows(self, work: Callable[[slice], Any], groups: list[Group]) -> Iterator[Any]:
        """`work(rows)` of some rows at a time, on all threads."""
        n_points = sum(runs.n_points for _, runs in groups)
        step = max(1, min(BLOCK, _CURVES // (n_points * self.sum.values.shape[1])))
        blocks = [slice(first, first + step) for first in range(0, len(self.values), step)]
        with closing(side_by_side(work, blocks, self.n_threads)) as found:
            yield from found

    def _answered(self, groups: list[Group], rows: slice) -> list[np.ndarray]:
        """Of each group (outputs, points, rows)."""
        matrix, respond = self.response
        sums = self.sum.values, self.sum.start
        if matrix is not None:
            sums = sums[0] @ matrix, sums[1] @ matrix
        raw = row_curves(self.asked, self.ways, self.values[rows], groups, sums)
        if respond is None:
            return raw
        return [respond(one.reshape(len(one), -1)).reshape(-1, *one.shape[1:]) for one in raw]
