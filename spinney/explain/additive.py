"""A fitted model as a sum over trees, which SHAP values decompose.

In: a fitted model. Out: an `Additive`: trees, what their leaves add to each output, and how data is read.

    model                                    outputs
    trees, forests, bagging; regression      the predicted numbers
    the same; classification                 the probability of each class (fractions of votes with voting="hard")
    boosting                                 raw scores: before the link, one per class with more than two classes
    AdaBoost for classification, C5.0        `decision_function`; a single tree of C5.0 like other trees
    isolation forests                        the mean depth at which a row is isolated: small for outliers
    imported models                          as those above

A model whose prediction is not a sum over its trees raises an error: a median (`AdaBoostRegressor`), means of several
models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.tree.forest import Forest
from spinney.tree.formula import Formula, Mixture, formula_of
from spinney.tree.questions import spreads

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
