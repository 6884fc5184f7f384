"""SHAP values of a tree-based model: the contribution of each column to the prediction for a row.

In: a fitted model, rows, and perhaps background rows. Out: an `Explanation`.

The method is quadrature: a column's Shapley value is the integral over t from 0 to 1 of what it adds when every other
column is known with probability t. Down a tree that integrand is a polynomial in t, and n Gauss-Legendre points are
exact for 2 n columns on a path (`quadrature.py` has the formulas and the traversal). Interactions of pairs are
integrals of the same kind. Nothing is approximated or sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.explain.shapley.explanation import Explanation, table_values
from spinney.tree.forest import Forest
from spinney.tree.formula import Formula, Mixture, formula_of
from spinney.tree.questions import spreads

_CELLS = 1 << 22  # of what is worked at at once
_TABLE = 4.0  # multiplications in tables that are worth a leaf of one row and background row
_ALIKE = 1e-14  # relative: sums that differ by no more are equal
_SMALL = 2_000  # rows times trees: below it, threads cost more than they save


def shap(
    model: Any, X: Any, background: Any = None, *, interactions: bool = False, n_jobs: int | None = None
) -> Explanation:
    """Compute exact SHAP values, or SHAP interaction values, of every row.

    The values of a row and the base value add up to the model's prediction: predicted numbers, class probabilities
    (trees, forests, bagging), raw scores (boosting), `decision_function` (AdaBoost) or the mean depth (isolation
    forests).

    Parameters
    ----------
    model : fitted tree-based model
        A decision tree (ID3 and C4.5 too), a forest, bagging of trees, gradient boosting, `AdaBoostClassifier` of
        trees, an `IsolationForest`, or an imported model.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows to explain, with the columns that the model was fitted on.
    background : array-like or DataFrame, default=None
        Rows to compare with. Columns that are not known are taken from them, all rows with equal weight
        ("interventional"). A few hundred rows are enough; the time grows with their number. Without a background, a row
        follows both branches of a split on an unknown column, with the fractions of the training rows that took them
        ("path-dependent"): by their weights, or by their hessians in boosted models.
    interactions : bool, default=False
        Split each contribution into pairs of columns. The diagonal holds the effect of a column alone, and half of the
        joint effect of a pair is on either side of it. The rows of the matrix add up to the SHAP values.
    n_jobs : int, default=None
        Number of threads. None: that of the model. The values do not depend on it.

    Returns
    -------
    Explanation
        `values` has the shape (rows, columns), or (rows, columns, columns) with interactions. If the model has several
        outputs, they are the last dimension.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import shap
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> found = shap(forest, X)
    >>> found
    <Explanation of 344 rows, 7 columns and 3 outputs: probability>
    >>> found[0, :, "Adelie"].most(2)
    {'bill_length_mm': 0.23, 'flipper_length_mm': 0.13}
    """
    whole = read_additive(model)
    if not isinstance(interactions, bool | np.bool_):
        raise TypeError(f"interactions must be True or False, got {interactions!r}.")
    tables = list(whole.tables(X))
    rows = None if background is None else _read_background(whole, background)
    n_jobs = getattr(model, "n_jobs", None) if n_jobs is None else n_jobs
    base, parts = _compute(whole, tables, rows, bool(interactions), n_jobs)
    return _explanation(whole, tables, base, parts, bool(interactions))


def _read_background(whole: Additive, background: Any) -> np.ndarray:
    try:
        rows = np.concatenate([table_values(table) for table in whole.tables(background)])
    except (TypeError, ValueError) as error:
        raise type(error)(f"background must be a table like X. {error}") from error
    if not len(rows):
        raise ValueError("background must have at least one row, got none.")
    return rows


def _compute(
    whole: Additive, tables: list[Table], background: np.ndarray | None, pairs: bool, n_jobs: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """(base values, contributions (rows, columns[, columns], outputs))."""
    from spinney.explain.shapley.nodes import read_program

    program, ends = read_program(whole.forest, whole.schema, whole.cover)
    values, start = np.ascontiguousarray(whole.values[ends]), whole.start
    if whole.forest.is_linear:
        base, out = _add_up(whole, program, values, len(start), tables, background, pairs, n_jobs, ends)
        return start + base, out
    if values.shape[1] != 2 or np.ptp(values.sum(axis=1)) > _ALIKE * np.abs(values).max():
        base, out = _add_up(whole, program, values, len(start), tables, background, pairs, n_jobs)
        return start + base, out
    second = np.ascontiguousarray(values[:, 1:])  # of two classes: whatever one gains the other loses
    base, out = _add_up(whole, program, second, 1, tables, background, pairs, n_jobs)
    total = values[0].sum() * whole.forest.n_trees
    return start + np.append(total - base, base), np.concatenate([-out, out], axis=-1)


def _add_up(
    whole: Additive,
    program: Any,
    values: np.ndarray,
    n_outputs: int,
    tables: list[Table],
    background: np.ndarray | None,
    pairs: bool,
    n_jobs: int | None,
    linear: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The same for values of leaves; base values without what sums begin with. `linear`: the node that each leaf is, if
    leaves have terms besides."""
    from spinney._team import Team, available_threads

    columns, shape = program.columns, (whole.schema.n_columns,) * (2 if pairs else 1)
    n_rows = sum(table.n_rows for table in tables)
    full = background
    if background is not None:
        _check_known(whole, background, columns, "background")
        background = np.ascontiguousarray(background[:, columns])
    base, add = _choose(program, values, n_outputs, background, n_rows, pairs)
    if linear is not None:
        base, add = _with_terms(whole, program, linear, n_outputs, full, background, pairs, base, add)
    out = np.zeros((n_rows, *shape, n_outputs))
    if not len(columns):
        return base, out
    small = n_rows * whole.forest.n_trees * (1 if background is None else len(background)) < _SMALL
    step = max(64, _CELLS // (len(columns) ** len(shape) * n_outputs))
    with Team(1 if small and n_jobs != 0 else available_threads(n_jobs), inline=small) as team:
        for start, block in _blocks(tables, columns, step):
            _check_known(whole, block, None, "X")
            found = np.zeros((len(block), *(len(columns),) * len(shape), n_outputs))
            add(block, found, team)
            _put(out[start : start + len(block)], found, columns, pairs)
    return base, out


def _with_terms(
    whole: Additive,
    program: Any,
    ends: np.ndarray,
    n_outputs: int,
    full: np.ndarray | None,
    background: np.ndarray | None,
    pairs: bool,
    base: np.ndarray,
    add: Callable[[np.ndarray, np.ndarray, Any], None],
) -> tuple[np.ndarray, Callable[[np.ndarray, np.ndarray, Any], None]]:
    """What `_choose` returns, with the terms of linear leaves; `full` are all columns of the background."""
    from spinney._team import Team
    from spinney.explain.shapley.linear_leaves import add_term_values, base_of_terms, terms_of_leaves
    from spinney.explain.shapley.quadrature import find_points

    terms, points = terms_of_leaves(whole.forest.terms, program, ends), find_points(program.n_columns)
    if full is not None:
        with Team(1, inline=True) as alone:
            base = base + base_of_terms(whole.forest, full, n_outputs, alone)

    def add_both(block: np.ndarray, found: np.ndarray, team: Any) -> None:
        add(block, found, team)
        add_term_values(program, points, terms, background, pairs, block, found, team)

    return base, add_both


def _choose(
    program: Any, values: np.ndarray, n_outputs: int, background: np.ndarray | None, n_rows: int, pairs: bool
) -> tuple[np.ndarray, Callable[[np.ndarray, np.ndarray, Any], None]]:
    """(base values, the function that adds contributions of some rows), by the method with the least work."""
    from spinney.explain.shapley.interventional import MOST_BITS, add_by_patterns, read_leaves, work_of_tables
    from spinney.explain.shapley.nodes import against, mean_reach
    from spinney.explain.shapley.quadrature import add_contributions, find_points, in_tiles

    points = find_points(program.n_columns)
    if background is None:

        def walk(block: np.ndarray, found: np.ndarray, team: Any) -> None:
            add_contributions(program, points, values, in_tiles(block), found, team)

        return _base(program, program.reach, values, n_outputs), walk
    base = _base(program, mean_reach(program, background), values, n_outputs)
    if not pairs and not program.spreads and int(program.n_columns.max(initial=0)) <= MOST_BITS:
        leaves, n, others = read_leaves(program), len(background), in_tiles(background)
        if work_of_tables(leaves) < _TABLE * n_rows * n * len(leaves.entry):

            def look_up(block: np.ndarray, found: np.ndarray, team: Any) -> None:
                add_by_patterns(program, points, leaves, values, others, n, in_tiles(block), found, team)

            return base, look_up
    scaled = values / len(background)

    def walk_against(block: np.ndarray, found: np.ndarray, team: Any) -> None:
        tiles = in_tiles(block)
        for row in background:
            add_contributions(against(program, row), points, scaled, tiles, found, team)

    return base, walk_against


def _base(program: Any, reach: np.ndarray, values: np.ndarray, n_outputs: int) -> np.ndarray:
    """The mean prediction for rows of which these fractions reach the leaves."""
    is_leaf = program.entries["column"] < 0
    said = values[program.entries["place"][is_leaf]] * reach[is_leaf, None]
    if said.shape[1] == n_outputs:
        return said.sum(axis=0)
    tree = np.searchsorted(program.first, np.flatnonzero(is_leaf), side="right") - 1
    return np.bincount(tree % n_outputs, weights=said[:, 0], minlength=n_outputs)


def _check_known(whole: Additive, values: np.ndarray, columns: np.ndarray | None, name: str) -> None:
    """Raise for missing values if the prediction for a row that follows several branches is not a sum."""
    if whole.needs_known and np.isnan(values if columns is None else values[:, columns]).any():
        raise ValueError(
            f"{name} has missing values, which go down several branches of each tree of this {whole.model}, so "
            "that its prediction is not a sum over leaves. Fill them in, or leave these rows out."
        )


def _blocks(tables: list[Table], columns: np.ndarray, step: int) -> Any:
    """(first row, values of some rows in these columns), float64."""
    first = 0
    for table in tables:
        for start in range(0, table.n_rows, step):
            yield first + start, table_values(table, slice(start, start + step), columns)
        first += table.n_rows


def _put(out: np.ndarray, found: np.ndarray, columns: np.ndarray, pairs: bool) -> None:
    """Contributions where they belong; of pairs, both halves, and on the diagonal what is left of the column."""
    if not pairs:
        out[:, columns] = found
        return
    n = len(columns)
    alone = found[:, np.arange(n), np.arange(n)].copy()
    found[:, np.arange(n), np.arange(n)] = 0.0
    found *= 0.5
    found += found.swapaxes(1, 2).copy()
    found[:, np.arange(n), np.arange(n)] = alone - found.sum(axis=2)
    out[:, columns[:, None], columns[None, :]] = found


def _explanation(whole: Additive, tables: list[Table], base: np.ndarray, parts: np.ndarray, pairs: bool) -> Explanation:
    several = bool(whole.outputs)
    names = whole.schema.names
    return Explanation(
        values=parts if several else parts[..., 0],
        base_values=base if several else float(base[0]),
        data=_Data(whole, tables),
        feature_names=[f"x[{j}]" for j in range(whole.schema.n_columns)] if names is None else list(map(str, names)),
        output_names=list(whole.outputs) if several else None,
        interactions=pairs,
        says=whole.says,
    )


class _Data:
    """The rows for display: numbers, or objects with values where there are categories."""

    def __init__(self, whole: Additive, tables: list[Table]) -> None:
        self._schema, self._tables, self._others = whole.schema, tables, whole.others

    def __call__(self) -> np.ndarray:
        numbers = np.concatenate([table_values(table) for table in self._tables])
        columns = self._schema.columns
        if all(one.categories is None and not one.boolean for one in columns):
            return numbers
        shown = numbers.astype(object)
        for j, one in enumerate(columns):
            known = ~np.isnan(numbers[:, j])
            kinds = (False, True) if one.boolean else one.categories
            if kinds is not None and len(kinds):
                names = np.empty(len(kinds), object)
                names[:] = kinds
                names[-1] = "other" if j in self._others else names[-1]
                shown[known, j] = names[numbers[known, j].astype(np.int64)]
        return shown


# ----------------------------------------------------------------------------------------------------------------------
# A fitted model as a sum over trees, which SHAP values decompose.
#
# In: a fitted model. Out: an `Additive`: trees, what their leaves add to each output, and how data is read.
#
#     model                                    outputs
#     trees, forests, bagging; regression      the predicted numbers
#     the same; classification                 the probability of each class (fractions of votes with voting="hard")
#     boosting                                 raw scores: before the link, one per class with more than two classes
#     AdaBoost for classification, C5.0        `decision_function`; a single tree of C5.0 like other trees
#     isolation forests                        the mean depth at which a row is isolated: small for outliers
#     imported models                          as those above
#
# A model whose prediction is not a sum over its trees raises an error: a median (`AdaBoostRegressor`), means of several
# models.

KNOWN = (
    "decision trees, forests, bagging of trees, gradient boosting, AdaBoostClassifier of trees, isolation forests, and "
    "imported models"
)


@dataclass(frozen=True)
class Additive:
    """See above."""

    model: str  # the name of its class
    schema: Schema
    forest: Forest  # with thresholds
    values: np.ndarray  # float64 (nodes, outputs), or (nodes, 1): tree t adds to output t % outputs
    start: np.ndarray  # float64 (outputs,)
    outputs: tuple[str, ...]  # their names; none for a single number
    says: str  # what is explained, in words
    cover: np.ndarray  # float64 (nodes,): training rows
    tables: Callable[[Any], Iterable[Table]]  # a table as the trees ask about it, in parts
    others: frozenset[int] = frozenset()  # columns whose last category stands for all numbers that are no other
    needs_known: bool = False  # missing values would go several ways, and what they say there is no sum


def read_additive(model: Any) -> Additive:
    """The sum that a fitted model is; a TypeError or ValueError for what is none."""
    if isinstance(model, type):
        raise TypeError(f"model must be a fitted model, got the class {model.__name__}.")
    name = type(model).__name__
    if not type(model).__module__.startswith("spinney."):
        raise TypeError(
            f"model must be one of Spinney's tree-based models ({KNOWN}), got {name}. Import models of scikit-learn, "
            "XGBoost and LightGBM first: from_sklearn, from_xgboost, from_lightgbm."
        )
    if not hasattr(model, "fit"):
        raise TypeError(f"model must be a fitted tree-based model, got {name}.")
    check_is_fitted(model)
    if hasattr(model, "best_estimator_") and hasattr(model, "best_name_"):
        return read_additive(model.best_estimator_)
    several = isinstance(getattr(model, "estimators", None), list)
    formula = formula_of(model) if hasattr(model, "formula") and not several else None
    if several or isinstance(formula, Mixture):
        raise TypeError(
            f"{name} combines several models, so its prediction is not a sum over trees. Explain its members "
            "(estimators_) one by one."
        )
    if formula is None:
        raise TypeError(f"{name} does not support SHAP values. Supported models: {KNOWN}.")
    if formula.link == "median":
        raise TypeError(
            f"{name} predicts a weighted median of its trees, which is not a sum. Explain its members (estimators_) "
            "one by one."
        )
    return _from_formula(model, formula)


def _cover(model: Any, forest: Forest) -> np.ndarray:
    """Weights of the training rows, hessians of boosted ones; rows where LightGBM counts them, or nothing is known."""
    cover = forest.weights()
    if str(getattr(model, "source_", "")).lower().startswith("lightgbm") or not (cover > 0).any():
        cover = forest.counts().astype(np.float64)
    return np.where(np.isfinite(cover) & (cover > 0), cover, 0.0)


def _from_formula(model: Any, formula: Formula) -> Additive:
    if formula.initial is not None:
        formula.check_complete()
    values, start, outputs, says = _answers(formula)
    spread = spreads(formula.forest)
    return Additive(
        model=formula.model,
        schema=formula.schema,
        forest=formula.forest,
        values=values,
        start=start,
        outputs=outputs,
        says=says,
        cover=_cover(model, formula.forest),
        tables=formula.tables,
        others=frozenset(j for j in range(formula.schema.n_columns) if formula.cells(j).has_others),
        needs_known=spread and (formula.votes is not None or formula.confidence is not None),
    )


def _answers(formula: Formula) -> tuple[np.ndarray, np.ndarray, tuple[str, ...], str]:
    """(what nodes add, start values, names of the outputs, what they are)."""
    values, start, link = formula.values / formula.divisor, formula.start / formula.divisor, formula.link
    labels = tuple(map(str, formula.classes[0])) if formula.classes else ()
    if link == "shares":
        if len(formula.classes) == 1:
            return values, start, labels, "probability"
        whole = [(k, span, one) for k, (span, one) in enumerate(zip(formula.spans, formula.classes))]
        columns = np.concatenate([np.arange(span.start, span.stop) for _, span, _ in whole])
        names = tuple(f"{k}: {label}" for k, _, one in whole for label in one)
        return values[:, columns], start[columns], names, "probability"
    if link in ("margin", "votes", "confidence"):
        values = formula.at(np.arange(len(values))) / formula.divisor
    if link == "margin" or (link == "confidence" and formula.n_scores == 2):
        values = values[:, 1:] if formula.discrete else values[:, 1:] - values[:, :1]
        return values, np.zeros(1), (), f"decision of {labels[-1]}"
    if link in ("votes", "confidence"):
        return values, start, labels, "decision"
    if link == "depth":
        return values, start, (), "mean depth"
    if formula.forest.criterion is None and formula.foreign is None:
        several = formula.n_scores > 1
        of = f" of {labels[-1]}" if labels and not several else ""
        return values, start, labels if several else (), f"raw score{of}"
    if formula.n_scores > 1:
        return values, start, labels or tuple(f"output {k}" for k in range(formula.n_scores)), "prediction"
    boosted = formula.foreign is not None
    return values, start, (), "raw score" if boosted else "prediction"
