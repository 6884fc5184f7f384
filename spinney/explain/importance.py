"""Feature importances of every kind from one function, with confidence intervals.

In: a fitted model; for some kinds rows and targets. Out: a `Bunch` that `plot_importances` draws.

    kind          measures                                                    interval over
    gain          the gain of the splits in training                          trees of a forest
    split, cover  the number of splits, the number of training rows in them   trees of a forest
    held_out      the gain of the splits on other rows                        parts of the rows, or trees out of bag
    permutation   the fall of the score without the column                    repeats, or trees out of bag
    shap          the mean absolute SHAP value                                parts of the rows
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn
from warnings import warn

import numpy as np
from scipy.stats import t as student
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch, check_random_state

from spinney._team import Team
from spinney.data.opened_table import OpenedTable, takes_opened_tables
from spinney.data.tables import Panel, Table
from spinney.data.weights import read_weights
from spinney.evaluate.scoring import only_predicts
from spinney.explain.dependence.grids import Columns, read_row_weights, schema_of
from spinney.explain.dependence.responses import check_model
from spinney.tree.decision import OneTree
from spinney.tree.forest import Forest, join
from spinney.tree.formula import Formula, trees_formula
from spinney.tree.importance import importances as total_importances
from spinney.tree.importance import shares_of_trees
from spinney.view.phrases import check_choice, check_count

_KINDS = ("gain", "split", "cover", "held_out", "permutation", "shap")
_OF_TRAINING = ("gain", "split", "cover")
_MANY, _TIMES = 100, 10  # different values of a column that impurity flatters, and how much more than others have


def importances(
    model: Any,
    X: Any = None,
    y: Any = None,
    kind: str = "gain",
    *,
    groups: Any = None,
    out_of_bag: bool = False,
    n_repeats: int = 5,
    scoring: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    confidence: float = 0.95,
) -> Bunch:
    """Compute feature importances of a model.

    Parameters
    ----------
    model : fitted model
        A model of Spinney's trees; for kind="permutation", any fitted estimator.
    X : array-like or DataFrame of shape (n_samples, n_features), default=None
        Needed for "permutation" and "held_out": rows that the model has not seen, or the training rows if
        `out_of_bag=True`. Needed for "shap": rows to explain.
    y : array-like of shape (n_samples,), default=None
        Targets of X, for "permutation" and "held_out".
    kind : {"gain", "split", "cover", "held_out", "permutation", "shap"}, default="gain"
        "gain": the gain, or decrease of impurity, of the splits on the column in training. "split": the number of
        splits. "cover": the number of training rows in them. These three add up to 1, as in `feature_importances_`, and
        are biased towards columns with many distinct values; a warning names such columns. "held_out": the gain of the
        same splits on rows that did not choose them. It is about 0 for noise, and negative where boosting has
        overfitted noise. "permutation": the fall of the score when the column is shuffled. "shap": the mean absolute
        SHAP value.
    groups : dict from name to list of columns, or list of lists, default=None
        Groups of columns with one importance each: shuffled together with "permutation", else added up.
    out_of_bag : bool, default=False
        X and y are the training rows in their order. Each tree is evaluated on the rows that it has not seen.
    n_repeats : int, default=5
        Number of times that each column is shuffled, for "permutation".
    scoring : str or callable, default=None
        scikit-learn's name of a score, for "permutation". None: the model's own score. With `out_of_bag=True`,
        errors and squared errors are used.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows of X.
    random_state : int, RandomState or None, default=0
        Seed of the shuffles, and of the division of the rows into parts.
    confidence : float, default=0.95
        Level of the confidence intervals.

    Returns
    -------
    Bunch
        `names`, `importances_mean`, `importances_std`, `low` and `high` (a confidence interval of the mean),
        `importances` (columns, then trees, repeats or parts of the rows) and `kind`. The intervals are NaN where
        nothing was repeated: for single trees, and for "gain", "split" and "cover" of boosting, whose trees do not
        repeat each other.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier
    >>> from spinney.explain import importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> found = importances(model, X, y, "permutation", out_of_bag=True)
    >>> found.names[int(found.importances_mean.argmax())]
    'petal length (cm)'
    """
    check_model(model)
    check_choice("kind", kind, _KINDS)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be a number between 0 and 1, got {confidence!r}.")
    check_count("n_repeats", n_repeats, 1)
    if kind not in _OF_TRAINING and (X is None or (y is None and kind != "shap")):
        raise ValueError(f"kind={kind!r} needs rows: X" + (" and y." if kind != "shap" else "."))
    if out_of_bag and kind not in ("permutation", "held_out"):
        raise ValueError(
            f"out_of_bag=True is supported only with kind='permutation' and kind='held_out', got {kind!r}."
        )
    columns = None if X is None else Columns(X, schema_of(model), type(model).__name__)
    names, group_list = _read_groups(model, columns, groups)
    if kind in _OF_TRAINING:
        mean, each = _of_training(model, kind, group_list)
        if groups is None and len(names) > 1:
            _warn_of_many_values(model, columns, kind, names, mean)
    else:
        weight = None if sample_weight is None else read_row_weights(sample_weight, columns.n_rows)  # type: ignore
        options = {"weight": weight, "random_state": random_state, "out_of_bag": out_of_bag}
        if kind == "permutation":
            each = _permutation(model, X, y, columns, group_list, n_repeats=int(n_repeats), scoring=scoring, **options)
        else:
            found = _held_out(model, X, y, **options) if kind == "held_out" else _shap(model, X, **options)
            each = _added(found, group_list)
        mean = np.nanmean(each, axis=1)
    return _bunch(names, mean, each, kind, confidence)


def _bunch(names: list[str], mean: np.ndarray, each: np.ndarray, kind: str, confidence: float) -> Bunch:
    n = each.shape[1]
    std, error = (np.full(len(mean), np.nan) for _ in range(2))
    if n > 1:
        std = np.nanstd(each, axis=1, ddof=1)
        error = std / np.sqrt(n) * float(student.ppf(0.5 + confidence / 2, n - 1))
    return Bunch(
        names=names,
        importances_mean=mean,
        importances_std=std,
        low=mean - error,
        high=mean + error,
        importances=each,
        kind=kind,
    )


def _added(each: np.ndarray, groups: list[list[int]]) -> np.ndarray:
    """Importances of columns as those of groups."""
    return np.array([each[group].sum(axis=0) for group in groups]).reshape(len(groups), -1)


def _read_groups(model: Any, columns: Columns | None, groups: Any) -> tuple[list[str], list[list[int]]]:
    own = getattr(model, "feature_names_in_", None)
    n = columns.n_columns if columns is not None else int(model.n_features_in_)
    names = [f"x[{j}]" for j in range(n)] if own is None else [str(name) for name in own]
    if columns is not None and own is None:
        names = columns.names
    if groups is None:
        return names, [[j] for j in range(n)]

    def find(one: Any) -> int:
        if isinstance(one, str) and one in names:
            return names.index(one)
        if isinstance(one, int | np.integer) and not isinstance(one, bool) and 0 <= one < n:
            return int(one)
        raise ValueError(f"groups must name columns, by number from 0 to {n - 1} or by name, got {one!r}.")

    listed = list(groups.values()) if isinstance(groups, dict) else list(groups)
    found = [[find(one) for one in ([group] if isinstance(group, str | int) else group)] for group in listed]
    if not found or not all(found):
        raise ValueError("groups must be lists of at least one column each.")
    given = list(map(str, groups)) if isinstance(groups, dict) else [" + ".join(names[j] for j in one) for one in found]
    return given, found


# --- from the trees alone ------------------------------------------------------------------------------------------


def store_of(model: Any, instead: str = ". Use kind='permutation', which works with any model") -> Forest:
    """All trees of a model; `instead` is what to do if it has none."""
    forest = getattr(model, "forest_", None)
    if isinstance(forest, Forest):
        return forest
    members, n = (model.estimators_, model.n_features_in_) if hasattr(model, "estimator_") else ([], 0)
    if members and all(isinstance(one, OneTree) and len(one.schema_.columns) == n for one in members):
        return join([one.tree_.forest for one in members])  # AdaBoost; bagging of C4.5
    raise TypeError(f"this {type(model).__name__} is not a model of Spinney's trees{instead}.")


def _of_training(model: Any, kind: str, groups: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    forest = store_of(model)
    if forest.criterion is None or forest.n_trees == 1:
        total = total_importances(forest, kind)
        shares = total / total.sum() if total.any() else total
        each = _added(shares[:, None], groups)
        return each[:, 0], each
    by_tree = shares_of_trees(forest, kind).T
    votes = np.abs(getattr(model, "estimator_weights_", np.ones(forest.n_trees)))
    mean = np.average(by_tree, axis=1, weights=votes if votes.any() else None)
    mean = mean / mean.sum() if mean.any() and "estimator_weights_" not in vars(model) else mean
    return _added(mean[:, None], groups)[:, 0], _added(by_tree, groups)


def _warn_of_many_values(model: Any, columns: Columns | None, kind: str, names: list[str], mean: np.ndarray) -> None:
    """Warn about columns that may look important only because they have many distinct values."""
    n_values = _numbers_of_values(model, columns)
    if n_values is None:
        return
    doubtful = (n_values >= _MANY) & (n_values >= _TIMES * n_values.min()) & (mean >= 1.0 / len(mean))
    if kind != "cover" and doubtful.any():
        shown = ", ".join(f"{names[j]!r} ({n_values[j]:,})" for j in np.flatnonzero(doubtful)[:3])
        warn(
            f"kind={kind!r} is biased towards columns with many distinct values. Some columns have far more than "
            f"others: {shown}. Compare with kind='permutation' or 'held_out' on rows that the model has not seen.",
            stacklevel=3,
        )


def _numbers_of_values(model: Any, columns: Columns | None) -> np.ndarray | None:
    """How many distinct values each column has, or the trees can tell apart."""
    if columns is not None:
        wide = range(columns.n_columns)
        return np.array(
            [
                len(columns.labels(j).values) if columns.is_category(j) else len(np.unique(columns.numbers(j)))
                for j in wide
            ]
        )
    forest, schema = store_of(model), schema_of(model)
    if schema is None:
        return None
    found = np.array([len(column.categories or ()) for column in schema.columns])
    pairs = np.unique(np.stack([forest.feature.astype(np.float64), forest.thresholds()]), axis=1)
    cuts = np.bincount(pairs[0][~np.isnan(pairs[1])].astype(np.int64), minlength=len(found))
    return np.maximum(found, cuts + 1)


# --- from rows -----------------------------------------------------------------------------------------------------


def _check_targets(y: Any, n_rows: int) -> np.ndarray:
    values = np.asarray(y)
    if len(values) != n_rows:
        raise ValueError(f"y must have one value for each of the {n_rows} rows of X, got {len(values)}.")
    return values


def _permutation(
    model: Any, X: Any, y: Any, columns: Any, groups: list[list[int]], *, weight: Any, out_of_bag: bool, **options: Any
) -> np.ndarray:
    y = _check_targets(y, columns.n_rows)
    if not out_of_bag:
        return permute(model, X, y, columns, groups, sample_weight=weight, **options)
    if not hasattr(model, "oob_permutation_importances"):
        raise ValueError(
            f"out_of_bag=True needs trees fitted on bootstrap samples, which this {type(model).__name__} does not have."
        )
    if weight is not None or options["scoring"] is not None:
        raise ValueError(
            "scoring and sample_weight are not supported with out_of_bag=True, which uses errors. Leave them out."
        )
    found = model.oob_permutation_importances(X, y, options["random_state"], groups)
    each: np.ndarray = found.importances
    return each[:, ~np.isnan(each).all(axis=0)]


def _held_out(model: Any, X: Any, y: Any, *, weight: Any, random_state: Any, out_of_bag: bool) -> np.ndarray:
    name = type(model).__name__
    forest = store_of(model)
    n_rows = Columns(X).n_rows
    y = _check_targets(y, n_rows)
    weight = np.ones(n_rows) if weight is None else weight
    formula = trees_formula(model)
    boosted = formula.loss is not None
    if formula.link == "depth" or "estimator_weights_" in vars(model):
        raise TypeError(f"kind='held_out' supports trees, forests, bagging and boosting, not {name}.")
    if out_of_bag and formula.samples is None:
        raise ValueError(f"out_of_bag=True needs trees fitted on bootstrap samples, which this {name} does not have.")
    numbers = _numbers_of_targets(model, y)
    part = parts_of_rows(n_rows, check_random_state(random_state))
    if not boosted and numbers.ndim > 1:
        raise ValueError(f"kind='held_out' supports one output, but y has {numbers.shape[1]}.")
    leaves = model.apply(X).reshape(n_rows, -1)
    if boosted:
        return gains_of_boosting(formula, leaves, X, numbers, weight, part)
    says, target = forest.answers[:, 0].astype(np.float64), numbers[:, None]
    if forest.n_classes is not None:
        total = says.sum(axis=1, keepdims=True)
        says = np.divide(says, total, out=np.zeros_like(says), where=total > 0)
        target = (numbers[:, None] == np.arange(says.shape[1])).astype(np.float64)
    if out_of_bag:
        samples = formula.samples
        assert samples is not None
        if n_rows != (known := len(samples(0))):
            raise ValueError(f"X must be the {known} rows that the forest was fitted on, got {n_rows}.")
        each = gains_of_forest(forest, leaves, target, weight, says, lambda k: samples(k) == 0)
        return each[:, ~np.isnan(each).all(axis=0)]
    by_part = [
        np.nanmean(gains_of_forest(forest, leaves, target, weight, says, lambda _, p=p: part == p), axis=1)  # type: ignore
        for p in range(int(part.max()) + 1)
    ]
    return np.stack(by_part, axis=1)


def _numbers_of_targets(model: Any, y: np.ndarray) -> np.ndarray:
    """float64: numbers, or the numbers of the classes."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return np.ascontiguousarray(y, np.float64)
    number = {label: float(k) for k, label in enumerate(np.asarray(classes).tolist())}
    unknown = set(y.tolist()) - set(number)
    if unknown:
        raise ValueError(f"y contains {unknown.pop()!r}, which is not a class of the model.")
    return np.array([number[label] for label in y.tolist()])


def _shap(model: Any, X: Any, *, weight: Any, random_state: Any, out_of_bag: bool) -> np.ndarray:
    """Mean absolute values of parts of the rows; those of several outputs are added up."""
    from spinney.explain.shapley.shap_values import shap

    values = np.abs(np.asarray(shap(model, X).values, np.float64))
    if values.ndim == 3:
        values = values.sum(axis=2)
    part = parts_of_rows(len(values), check_random_state(random_state))
    weight = np.ones(len(values)) if weight is None else weight
    n_parts = int(part.max()) + 1
    total = np.bincount(part, weight, n_parts)
    return np.stack([np.bincount(part, weight * one, n_parts) / total for one in values.T])


# ----------------------------------------------------------------------------------------------------------------------
# Permutation importance: how much a model's score falls when a column's values are exchanged among rows.
#
# In: any fitted model, rows and targets, groups of columns. Out: the fall of the score, (groups, repeats). The columns
# of a group are shuffled together, by the same rows, so that no other column of the group can replace one. Spinney's
# models that accept opened tables read the rows once; columns are then shuffled in their encoded form.


def permute(
    model: Any,
    X: Any,
    y: Any,
    columns: Columns,
    groups: list[list[int]],
    *,
    scoring: Any,
    n_repeats: int,
    sample_weight: Any,
    random_state: Any,
) -> np.ndarray:
    """(groups, repeats)."""
    score = check_scoring(model, scoring=scoring)
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    before = float(score(model, X, y, **options))
    random = check_random_state(random_state)
    falls = np.empty((len(groups), n_repeats))
    reads = takes_opened_tables(model) and (scoring is None or only_predicts(score))
    formula = trees_formula(model) if reads else None
    table = next(iter(formula.tables(X))) if formula is not None and formula.initial is None else None
    own = Read(table) if type(table) is Table else columns
    for k in range(n_repeats):
        rows = random.permutation(columns.n_rows)
        for g, group in enumerate(groups):
            falls[g, k] = before - float(score(model, own.shuffled(group, rows), y, **options))
    return falls


class Read(OpenedTable):
    """Rows that a model has read: it need not do so again."""

    def __init__(self, table: Table) -> None:
        self._table, self.shape, self.rows = table, (table.n_rows,), None

    def original(self) -> NoReturn:
        """What they were is not known here."""
        raise TypeError("these rows are for the model that has read them.")

    def read(self, schema: Any, owner: str = "this model", strict: bool = False) -> Table:
        return self._table

    def shuffled(self, group: list[int], rows: np.ndarray) -> Read:
        """The same with some columns' values exchanged among rows."""
        panels = []
        for panel in self._table.panels:
            for k, j in enumerate(panel.columns):
                values = panel.values[:, k : k + 1]
                panels.append(Panel(values[rows] if j in group else values, (j,)))
        return Read(Table(self._table.n_rows, self._table.n_columns, tuple(panels)))


# ----------------------------------------------------------------------------------------------------------------------
# Gains evaluated on held-out rows: importances that are not biased towards columns with many values.
#
# In: a fitted tree-based model, held-out rows and targets. Out: the gain of each column's splits there, (columns,
# parts).
#
# A split is chosen as the best of many, and its gain on the rows that chose it is too large: the more values a column
# has, the more. So each split is evaluated again. With v the values of the nodes, and g and h the loss's derivatives of
# held-out rows before the tree, a split of node p into its children c gains
#
#     - sum over c of (v_c - v_p) (G_c + H_c v_p)                      G, H: sums over the held-out rows in c
#
# which is the fall of the loss to first order from where p stands: v from training, gradients from rows that were not
# used there. For a column without information the two are independent, and the expected gain is 0. A boosted model that
# continues to fit noise increases the loss on other rows, and its gain is negative. Evaluating split improvements on
# other rows is due to Zhou and Hooker (2021). For forests, by squared error and Gini, this is MDI-oob (Li et al., 2019)
# minus the mean of the parent; for boosting, the unbiased gain of Zhang et al. (2023) with the trees unchanged. Gains
# are divided by the number of rows; values of boosted trees include the learning rate.

_PARTS = 10  # of the held-out rows, for the interval


def gains_of_boosting(
    formula: Formula, leaves: np.ndarray, X: Any, y: np.ndarray, weight: np.ndarray, part: np.ndarray
) -> np.ndarray:
    """(columns, parts); `part` of every row is its number, -1 to leave the row out."""
    formula.check_constant()
    forest, loss = formula.forest, formula.loss
    raw = np.empty((formula.n_scores, len(y)))
    raw[:] = formula.start[:, None] if formula.initial is None else formula.initial.of(X, len(y))
    found = np.zeros((forest.n_columns, int(part.max()) + 1))
    with Team(1, inline=True) as team:
        derivatives: np.ndarray = np.empty((0, len(y), 2))
        for t in range(forest.n_trees):
            if t % len(raw) == 0:
                derivatives = _derivatives(loss, raw, y, weight, team)
            k = t % len(raw)
            found += _gains(forest, t, leaves[:, t], derivatives[k], part)
            raw[k] += forest.answers[forest.first[t] + leaves[:, t], 0, 0]
    return found / _weights(weight, part)


def _derivatives(loss: Any, raw: np.ndarray, y: np.ndarray, weight: np.ndarray, team: Team) -> np.ndarray:
    """(outputs, rows, 2), weighted."""
    from spinney.ensemble.boosting.gradients import fill_class_derivatives, fill_derivatives, log_totals

    plain = read_weights(None, len(y))
    out = np.empty((len(raw), len(y), 2))
    if len(raw) == 1:
        fill_derivatives(team, loss, raw[0], y, plain, out[0])
    else:
        total = log_totals(team, raw)
        for k in range(len(raw)):
            fill_class_derivatives(team, np.ascontiguousarray(raw[k]), total, y.astype(np.int32), k, plain, out[k])
    return out * weight[:, None]


def gains_of_forest(
    forest: Forest,
    leaves: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    says: np.ndarray,
    rows_of: Callable[[int], np.ndarray | None],
) -> np.ndarray:
    """(columns, trees); `target` (rows, scores) like `says` (nodes, scores): numbers, or ones for the row's class.

    `rows_of(tree)` marks the rows that the tree is evaluated on; None: all rows. NaN where there are none.
    """
    found = np.full((forest.n_columns, forest.n_trees), np.nan)
    nobody = np.zeros(len(target), np.int64)
    for t in range(forest.n_trees):
        judges = rows_of(t)
        part = nobody if judges is None else np.where(judges, 0, -1)
        total = _weights(weight, part)[0]
        if total == 0.0:
            continue
        found[:, t] = 0.0
        for s in range(target.shape[1]):
            pair = np.stack([-target[:, s] * weight, weight], axis=1)
            found[:, t] += _gains(forest, t, leaves[:, t], pair, part, says[:, s])[:, 0] / total
    return found


def _weights(weight: np.ndarray, part: np.ndarray) -> np.ndarray:
    inside = part >= 0
    return np.bincount(part[inside], weight[inside], max(int(part.max()) + 1, 1))


def _gains(
    forest: Forest, t: int, leaf: np.ndarray, derivatives: np.ndarray, part: np.ndarray, says: np.ndarray | None = None
) -> np.ndarray:
    """(columns, parts) of one tree; derivatives (rows, 2)."""
    first, last = int(forest.first[t]), int(forest.first[t + 1])
    n = last - first
    n_parts = max(int(part.max()) + 1, 1)
    gains = np.zeros((forest.n_columns, n_parts))
    if n == 1:
        return gains
    inside = part >= 0
    place = leaf[inside] * n_parts + part[inside]
    ends = forest.shape.end[first:last] - first
    sums = []
    for k in (0, 1):
        at_nodes = np.bincount(place, derivatives[inside, k], n * n_parts).reshape(n, n_parts)
        running = np.vstack([np.zeros((1, n_parts)), np.cumsum(at_nodes, axis=0)])
        sums.append(running[ends] - running[:n])
    value = (forest.answers[first:last, 0, 0] if says is None else says[first:last]).astype(np.float64)
    parent = forest.shape.parent[first + 1 : last] - first
    above = value[parent]
    gain = -((value[1:] - above)[:, None]) * (sums[0][1:] + sums[1][1:] * above[:, None])
    questions = np.cumsum(~forest.is_leaf[first:last]) - 1 + forest.starts.question[t]
    np.add.at(gains, forest.feature[questions[parent]], gain)
    return gains


def parts_of_rows(n_rows: int, random: np.random.RandomState) -> np.ndarray:
    """A random part of equal size for each row."""
    return random.permutation(np.arange(n_rows) % min(_PARTS, n_rows))
