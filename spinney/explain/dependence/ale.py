"""Accumulated local effects (Apley and Zhu, 2020): how the prediction changes with a column where the data lies.

In: any fitted model, rows, columns. Out: a `Bunch`: `grid_values`, `effect`, `counts`.

Partial dependence puts values into rows where they may never occur together. Here a row moves only to the two edges of
its own bin. The mean changes are accumulated along the axis, and the mean over the rows is subtracted. For two columns
it is the second-order effect: the effect of the pair minus the effects of both columns. Categories are ordered so that
neighbours have similar rows in the other columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.ndimage import distance_transform_edt
from sklearn.utils import Bunch

from spinney._docstrings import completed
from spinney.explain.dependence.grids import Columns, read_row_weights
from spinney.explain.dependence.partial_dependence import ask, partial_dependence
from spinney.explain.dependence.responses import check_model, read_response, responses
from spinney.view.phrases import check_count

_LIKENESS_BINS = 20
Answer = Callable[[tuple[int, ...], tuple[np.ndarray, ...]], np.ndarray]  # (columns, values per row) -> (rows, outputs)


@completed(partial_dependence)
def ale(
    model: Any,
    X: Any,
    features: Any,
    *,
    n_bins: int = 40,
    response_method: str = "auto",
    sample_weight: Any = None,
) -> Any:
    """Compute accumulated local effects (ALE) of one column, or of a pair beyond the effects of its two columns.

    Parameters
    ----------
    model : fitted model
        Any fitted estimator, from Spinney or another library.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows along which effects are accumulated.
    features : int, str, tuple of two, or list of these
        As in `partial_dependence`. Both columns of a pair must be numeric.
    n_bins : int, default=40
        Maximum number of bins, with about the same number of rows each. For a pair, the number along each column.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows. Rows with a missing value in the column are left out.

    Returns
    -------
    Bunch, or list of Bunch
        `grid_values`: edges of the bins, or the categories. `effect` (outputs, grid), with mean 0 over the rows.
        `counts`: number of rows of each bin or category.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import GradientBoostingRegressor
    >>> from spinney.explain import ale
    >>> X = np.random.RandomState(0).rand(1000, 2)
    >>> model = GradientBoostingRegressor(n_estimators=50, random_state=0).fit(X, X[:, 0] + X[:, 1])
    >>> found = ale(model, X, 0, n_bins=10)
    >>> bool(0.8 < np.ptp(found.effect[0]) < 1.0)  # from 0 to 1, less what the trees round off
    True
    """
    check_model(model)
    check_count("n_bins", n_bins, 1)
    wanted = read_response(model, response_method)
    columns = ask(model, X, response_method, "auto").columns
    weight = read_row_weights(sample_weight, columns.n_rows)

    def answer(group: tuple[int, ...], values: tuple[np.ndarray, ...]) -> np.ndarray:
        return responses(model, columns.replaced(group, values), wanted)

    groups, is_one = columns.read(features)
    found = [_effect(columns, group, int(n_bins), weight, answer) for group in groups]
    return found[0] if is_one else found


def _effect(columns: Columns, group: tuple[int, ...], n_bins: int, weight: np.ndarray, answer: Answer) -> Bunch:
    is_category = [columns.is_category(j) for j in group]
    if len(group) == 2:
        if any(is_category):
            raise ValueError(
                "ale of a pair needs two numeric columns. Pairs with a categorical column are not supported."
            )
        grid, values, counts = _of_pair(columns, group, n_bins, weight, answer)
    elif is_category[0]:
        grid, values, counts = _of_categories(columns, group[0], weight, answer)
    else:
        grid, values, counts = _of_numbers(columns, group[0], n_bins, weight, answer)
    names = tuple(columns.names[j] for j in group)
    return Bunch(
        grid_values=grid, effect=values, counts=counts, columns=group, names=names, is_category=tuple(is_category)
    )


def _bins(values: np.ndarray, n_bins: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(edges, the bin of each value): bin k is edges[k] < x <= edges[k + 1], the first with its lower edge."""
    known = values[np.isfinite(values)]
    if len(known) == 0 or known.min() == known.max():
        raise ValueError(f"column {name!r} has fewer than two distinct numbers. It has no effect to accumulate.")
    edges = np.unique(np.quantile(known, np.linspace(0.0, 1.0, n_bins + 1), method="inverted_cdf"))
    return edges, np.clip(np.searchsorted(edges, values, side="left") - 1, 0, len(edges) - 2)


def _sums(place: np.ndarray, weight: np.ndarray, changes: np.ndarray, n: int) -> np.ndarray:
    """(places, outputs): weighted sums of changes (rows, outputs)."""
    return np.stack([np.bincount(place, weight * one, n) for one in changes.T], axis=1)


def _of_numbers(columns: Columns, column: int, n_bins: int, weight: np.ndarray, answer: Answer) -> Any:
    x = columns.numbers(column)
    edges, place = _bins(x, n_bins, columns.names[column])
    own = np.where(np.isfinite(x), weight, 0.0)
    changes = answer((column,), (edges[place + 1],)) - answer((column,), (edges[place],))
    counts = np.bincount(place, own, len(edges) - 1)
    steps = _mean(_sums(place, own, changes, len(counts)), counts)
    # effect at edge k = sum of the mean changes over the bins before it; its mean over the rows, which lie between
    # edges, is taken at the middles of the bins
    values = np.vstack([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)])
    middle = (values[1:] + values[:-1]) / 2
    values -= (middle * counts[:, None]).sum(axis=0) / counts.sum()
    return [edges], values.T, counts


def _mean(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return sums / np.where(counts > 0, counts, 1.0)[:, None]


def _of_categories(columns: Columns, column: int, weight: np.ndarray, answer: Answer) -> Any:
    labels = columns.labels(column)
    kinds = sorted(set(labels.values))
    if len(kinds) < 2:
        raise ValueError(
            f"column {columns.names[column]!r} has fewer than two categories. It has no effect to accumulate."
        )
    number = {value: k for k, value in enumerate(kinds)}
    code = labels.spread([number[value] for value in labels.values], np.float64)
    order = _by_likeness(columns, column, code, len(kinds))
    rank = np.full(len(code), -1)
    rank[np.isfinite(code)] = np.argsort(order)[code[np.isfinite(code)].astype(np.int64)]
    at = np.empty(len(kinds), object)
    at[:] = [kinds[k] for k in order]
    own = np.where(rank >= 0, weight, 0.0)
    here = answer((column,), (at[np.maximum(rank, 0)],))
    steps = np.zeros((len(kinds) - 1, here.shape[1]))
    total = np.zeros(len(kinds) - 1)
    for way in (1, -1):  # to the next category, and from the one before
        moves = (rank >= 0) & (rank + way >= 0) & (rank + way < len(kinds))
        there = answer((column,), (at[np.clip(rank + way, 0, len(kinds) - 1)],))
        gap = np.where(moves, np.minimum(rank, rank + way), 0)
        part = np.where(moves, own, 0.0)
        steps = steps + _sums(gap, part, way * (there - here), len(total))
        total += np.bincount(gap, part, len(total))
    values = np.vstack([np.zeros((1, here.shape[1])), np.cumsum(_mean(steps, total), axis=0)])
    counts = np.bincount(np.maximum(rank, 0), own, len(kinds))
    values -= (values * counts[:, None]).sum(axis=0) / counts.sum()
    return [at], values.T, counts


def _by_likeness(columns: Columns, column: int, code: np.ndarray, n_kinds: int) -> np.ndarray:
    """The categories along the first axis of a multidimensional scaling of how their rows differ elsewhere."""
    if n_kinds < 3:
        return np.arange(n_kinds)
    distance = np.zeros((n_kinds, n_kinds))
    known = np.isfinite(code)
    for j in set(range(columns.n_columns)) - {column}:
        if columns.is_category(j):
            labels = columns.labels(j)
            other = np.unique(labels.codes, return_inverse=True)[1]
        else:
            x = columns.numbers(j)
            inner = np.linspace(0, 1, _LIKENESS_BINS + 1)[1:-1]
            cuts = np.unique(np.nanquantile(x, inner)) if np.isfinite(x).any() else np.empty(0)
            other = np.where(np.isnan(x), len(cuts) + 1, np.searchsorted(cuts, x))
        n = int(other.max()) + 1
        table = np.bincount(code[known].astype(np.int64) * n + other[known], minlength=n_kinds * n).reshape(n_kinds, n)
        share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
        if columns.is_category(j):
            distance += np.abs(share[:, None] - share[None]).sum(axis=2) / 2
        else:
            running = np.cumsum(share, axis=1)
            distance += np.abs(running[:, None] - running[None]).max(axis=2)
    # distances d of points with mean 0 have the inner products -1/2 J d^2 J, J = 1 - 1/n: their first axis is the
    # eigenvector of the largest eigenvalue; its sign is chosen so that it does not depend on the machine
    middle = np.eye(n_kinds) - 1.0 / n_kinds
    _, axes = np.linalg.eigh(-0.5 * middle @ (distance**2) @ middle)
    axis = axes[:, -1] * (1.0 if axes[np.argmax(np.abs(axes[:, -1])), -1] > 0 else -1.0)
    return np.argsort(axis.round(12), kind="stable")


def _of_pair(columns: Columns, group: tuple[int, ...], n_bins: int, weight: np.ndarray, answer: Answer) -> Any:
    xs = [columns.numbers(j) for j in group]
    (first, a), (second, b) = (_bins(x, n_bins, columns.names[j]) for j, x in zip(group, xs))
    own = np.where(np.isfinite(xs[0]) & np.isfinite(xs[1]), weight, 0.0)
    shape = len(first) - 1, len(second) - 1
    corner = {(k, m): answer(group, (first[a + k], second[b + m])) for k in (0, 1) for m in (0, 1)}
    # f(1, 1) - f(1, 0) - (f(0, 1) - f(0, 0)): by how much the step of one column changes with the other
    changes = corner[1, 1] - corner[1, 0] - corner[0, 1] + corner[0, 0]
    place = a * shape[1] + b
    counts = np.bincount(place, own, shape[0] * shape[1])
    steps = _mean(_sums(place, own, changes, len(counts)), counts).T.reshape(-1, *shape)
    counts = counts.reshape(shape)
    if (counts == 0).any():  # where there are no rows, as in the nearest bin that has some
        nearest = distance_transform_edt(counts == 0, return_distances=False, return_indices=True)
        steps = steps[:, nearest[0], nearest[1]]
    values = np.zeros((len(steps), len(first), len(second)))
    values[:, 1:, 1:] = np.cumsum(np.cumsum(steps, axis=1), axis=2)
    return [first, second], _without_main(values, counts), counts


def _without_main(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Take off what accumulates along each axis alone, and the mean."""
    # a column's own effect is again the sum of mean steps, here over the rows of its bin: each between two edges of the
    # other column. Without both, what is left has no mean step along either axis
    by_first = np.diff(values, axis=1)  # (outputs, bins of the first, edges of the second)
    by_second = np.diff(values, axis=2)
    mean_first = (by_first[:, :, 1:] + by_first[:, :, :-1]) / 2
    mean_second = (by_second[:, 1:, :] + by_second[:, :-1, :]) / 2
    main_first = (mean_first * counts).sum(axis=2) / np.maximum(counts.sum(axis=1), 1e-300)
    main_second = (mean_second * counts).sum(axis=1) / np.maximum(counts.sum(axis=0), 1e-300)
    values = values.copy()
    values[:, 1:] -= np.cumsum(main_first, axis=1)[:, :, None]
    values[:, :, 1:] -= np.cumsum(main_second, axis=1)[:, None, :]
    middle = (values[:, 1:, 1:] + values[:, 1:, :-1] + values[:, :-1, 1:] + values[:, :-1, :-1]) / 4
    return values - ((middle * counts).sum(axis=(1, 2)) / counts.sum())[:, None, None]
