"""A fitted model as a sum of trees, and the response computed from the sum: what dependence needs of a model.

In: a fitted model. Out: `TreeSum`: every tree with two branches per split, what each leaf adds to the raw scores, and a
function from raw scores to responses. Models that are not sums of trees (a weighted median, votes of other models, an
initial estimator, rows that are divided among several branches) have none: they predict copies of the data.

    response         link of the model          raw scores become
    predict          numbers                    themselves, or exp of them with a log link
    predict_proba    trees, forests, bagging    themselves: they are fractions
                     boosting, AdaBoost         probabilities, row by row
    raw              boosting, AdaBoost         themselves; `decision_function`
    score_samples    isolation forests          scores, row by row
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.utils.validation import check_is_fitted

from spinney.criteria.exp_log import sigmoids_of
from spinney.data.schema import Schema
from spinney.tree.forest import Forest
from spinney.tree.formula import Formula, formula_of, single_formula
from spinney.tree.questions import Questions, read_questions, spreads
from spinney.view.phrases import check_choice

if TYPE_CHECKING:
    from spinney.data.tables import Table

RESPONSES = ("auto", "predict", "predict_proba", "decision_function", "raw", "score_samples")


@dataclass(frozen=True)
class TreeSum:
    """See above."""

    model: Any
    formula: Formula

    @property
    def schema(self) -> Schema:
        return self.formula.schema

    @property
    def forest(self) -> Forest:
        return self.formula.forest

    @property
    def name(self) -> str:
        return type(self.model).__name__

    @cached_property
    def questions(self) -> Questions:
        return _without_idle(read_questions(self.forest, self.schema))

    @cached_property
    def values(self) -> np.ndarray:
        """float64 (ends, raw scores): what a row that ends there adds; of boosting in turn all but one are 0."""
        return np.ascontiguousarray(self.formula.at(self.questions.ends) / self.formula.divisor)

    @property
    def start(self) -> np.ndarray:
        start: np.ndarray = self.formula.start / self.formula.divisor
        return start

    def read(self, X: Any) -> Table:
        """A table like that of `fit`."""
        return self.schema.read(X, self.name, strict=self.formula.strict)

    def numbers(self, X: Any) -> np.ndarray:
        """X as float64 (rows, columns): categories are their numbers, NaN is missing."""
        table = self.read(X)
        values = np.empty((table.n_rows, table.n_columns))
        for panel in table.panels:
            values[:, panel.columns] = panel.values
        return values

    def response(self, wanted: str) -> tuple[np.ndarray | None, Callable[[np.ndarray], np.ndarray] | None]:
        """(matrix, None): responses are raw @ matrix; (None, function): a function of raw (scores, rows)."""
        formula, row = self.formula, self.formula.response
        matrix, n = np.eye(formula.n_scores), formula.n_scores
        if row.is_sum:
            second = formula.link == "shares" and len(formula.classes) == 1 and n == 2
            return (matrix[:, 1:] if second else matrix), None
        difference = matrix
        if formula.link == "margin" or (formula.link == "confidence" and n == 2):  # of two votes
            difference = matrix[:, 1:] if formula.discrete else matrix[:, 1:] - matrix[:, :1]
        if wanted == "raw" or (wanted == "decision_function" and formula.link != "depth"):
            return difference, None

        def respond(raw: np.ndarray) -> np.ndarray:
            if formula.link == "logistic":
                return sigmoids_of(formula.scale * raw)  # in one pass
            found = row.respond(difference.T @ raw if formula.link == "margin" else raw, formula.scale)
            return found[1:] if row.of_all is not None and len(found) == 2 else found

        return None, respond


def _without_idle(q: Questions) -> Questions:
    """Nobody is sent to questions whose answers lead to the same place; they stay in the lists, out of reach."""
    idle = q.yes == q.no
    if not idle.any():
        return q

    def past(place: np.ndarray) -> np.ndarray:
        while (stuck := (place >= 0) & idle[np.maximum(place, 0)]).any():
            place = np.where(stuck, q.yes[np.maximum(place, 0)], place)
        return place

    return q._replace(yes=past(q.yes), no=past(q.no), roots=past(q.roots))


def _positive(answers: Any) -> np.ndarray:
    """(rows, outputs): of two classes the second alone; of several outputs all side by side."""
    if isinstance(answers, list):
        return np.hstack(answers)
    answers = np.asarray(answers, np.float64)
    if answers.ndim == 1:
        return answers[:, None]
    return answers[:, 1:] if answers.shape[1] == 2 else answers


def tree_sum(model: Any) -> TreeSum | None:
    """The model as a sum of trees; None where it is none."""
    check_model(model)
    if not hasattr(model, "formula") or hasattr(model, "source_"):  # imported models predict copies of the data
        return None
    try:
        formula = single_formula(model)
    except (TypeError, ValueError):
        return None
    if formula.link == "median" or spreads(formula.forest):
        return None
    return TreeSum(model, formula)


def need_tree_sum(model: Any, what: str) -> TreeSum:
    """The same, or a TypeError."""
    found = tree_sum(model)
    if found is None:
        if hasattr(model, "formula"):
            single_formula(model)  # says why, where it can
        raise TypeError(
            f"{what} needs a model that is a sum of Spinney's trees, which this {type(model).__name__} is not."
        )
    return found


def check_model(model: Any) -> None:
    """Raise if this is no fitted model."""
    if isinstance(model, type):
        raise TypeError(f"model must be a fitted model, got the class {model.__name__}.")
    if not hasattr(model, "fit"):
        raise TypeError(f"model must be a fitted model, got {type(model).__name__}.")
    check_is_fitted(model)


def read_response(model: Any, wanted: str) -> str:
    """Which response of the model is meant, if it has it."""
    check_choice("response_method", wanted, RESPONSES)
    name = type(model).__name__
    if wanted == "auto":
        if is_classifier(model):
            found = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
            if not hasattr(model, found):
                raise ValueError(
                    f"this {name} has neither predict_proba nor decision_function, so there are no numbers to "
                    "average. For a voting classifier, set voting='soft'."
                )
            return found
        return "score_samples" if is_outlier_detector(model) else "predict"
    if wanted == "predict" and not is_regressor(model):
        raise ValueError(f"response_method='predict' needs numeric predictions, but {name} predicts classes.")
    if wanted == "raw":
        return wanted
    if not hasattr(model, wanted):
        raise ValueError(f"response_method={wanted!r}: {name} has no {wanted}.")
    return wanted


def responses(model: Any, X: Any, wanted: str) -> np.ndarray:
    """(rows, outputs): by predicting."""
    if wanted == "raw":
        formula = formula_of(model) if hasattr(model, "formula") else None
        if not isinstance(formula, Formula) or formula.raw is None:
            raise ValueError(f"response_method='raw': {type(model).__name__} has no raw scores.")
        return formula.raw(X).T
    return _positive(getattr(model, wanted)(X))
