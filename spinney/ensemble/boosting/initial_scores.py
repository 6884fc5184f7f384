"""Raw scores before the first tree: scores that are given, an initial estimator's, a number's, or the best constant.

In:  `init` and `init_score` of a fit, a table. Out: raw scores (outputs, rows) that rows begin with, and the `Booster`
     of no rounds. A model needs them again for new rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from spinney.data.reading import open_table, with_rows
from spinney.data.tables import TableHandle
from spinney.data.weights import Weights
from spinney.ensemble.cross_fitting import fit_one, in_order, takes_weights

if TYPE_CHECKING:
    from spinney.ensemble.boosting.booster import Booster, Task

_LEAST = np.finfo(np.float64).eps  # probabilities of an initial estimator are kept this far from 0 and 1


@dataclass
class InitialScores:
    """What the trees of one fit are added to."""

    init: Any  # the parameter: None, "zero", a number or an estimator, which is fitted by `of_fit`
    loss: Any
    own_loss: Any  # a custom loss, if there is one
    classes: np.ndarray | None  # the labels of a classifier
    fitted: Any = None  # the initial estimator, or None

    def of_fit(
        self, X: Any, y: np.ndarray, weights: Weights, given: np.ndarray | None, rows: np.ndarray | None
    ) -> np.ndarray | None:
        """Those of all rows, by `init_score` or the initial estimator, fitted on some of the rows (None: all)."""
        self.fitted = None  # that of an earlier fit does not count
        if hasattr(self.init, "fit"):
            labels = y if self.classes is None else self.classes[y.astype(np.int64)]
            self.fitted = _fit_init(self.init, X, labels, weights, rows)
        return self.of(X, given)

    def of(self, X: Any, given: np.ndarray | None) -> np.ndarray | None:
        """Those of other rows besides the start values: given ones, the initial estimator's, or both."""
        if self.fitted is None:
            return given
        own = _raw_of_init(self.fitted, X, self.classes, self.loss, self.own_loss)
        return own if given is None else own + given

    def no_rounds(self, dataset: Any, task: Task, offset: np.ndarray | None) -> Booster:
        """The model before the first round."""
        from spinney.ensemble.boosting.booster import Booster
        from spinney.ensemble.boosting.start import start_values
        from spinney.grow.boosting.freeze import no_trees

        if isinstance(self.init, Real):
            start = _raw_of_number(float(self.init), task, self.own_loss)
        elif offset is not None or isinstance(self.init, str):
            start = np.zeros(task.n_outputs)
        else:
            start = start_values(task)
        return Booster(start, no_trees(dataset.bins, dataset.n_columns))


def table_of(X: Any) -> Any:
    """X as other models take it, and as rows can be taken from it."""
    if isinstance(X, TableHandle):
        X = X.original()
    return with_rows(X) if hasattr(X, "shape") else open_table(X).origin


def _fit_init(init: Any, X: Any, labels: np.ndarray, weights: Weights, rows: np.ndarray | None) -> Any:
    """The initial estimator, fitted to some of the rows (None: all)."""
    weight = weights.total()
    if weight is not None and not takes_weights(init):
        raise ValueError(
            f"init estimator {type(init).__name__} does not support sample weights. Leave sample_weight out, or use "
            "another init."
        )
    params = {} if weight is None else {"sample_weight": weight}
    return fit_one(clone(init), table_of(X), labels, params, rows)


def _raw_of_init(init: Any, X: Any, classes: np.ndarray | None, loss: Any, own_loss: Any) -> np.ndarray:
    """What a fitted initial estimator says of rows, as raw scores (outputs, rows)."""
    from spinney.criteria.losses import has_log_link, kind_of

    _check_link(own_loss)
    X = table_of(X)
    if classes is None:
        values = np.asarray(init.predict(X), np.float64).reshape(1, -1)
        return _log_of_means(values, type(init).__name__) if has_log_link(loss) else values
    shares = in_order(np.asarray(init.predict_proba(X), np.float64), init, "predict_proba", classes)
    shares = np.clip(shares, _LEAST, 1.0 - _LEAST)
    if len(classes) > 2:
        logs = _logs(shares.T)
        return logs - logs.mean(axis=0)
    odds = _logs(shares[:, 1] / (1.0 - shares[:, 1]))[None, :]
    return odds / kind_of(loss).link_scale


def _raw_of_number(number: float, task: Task, own_loss: Any) -> np.ndarray:
    """The raw score (1,) that stands for a prediction: a value, or the probability of the second of two classes."""
    from spinney.criteria.losses import has_log_link, kind_of

    _check_link(own_loss)
    value = np.array([number])
    if not task.is_classes:
        return _log_of_means(value, f"{number:g}") if has_log_link(task.loss) else value
    if task.n_outputs > 1:
        raise ValueError(f"init={number:g} is a number, which needs two classes, but y has {task.n_outputs}.")
    odds = _logs(value / (1.0 - value))
    return odds / kind_of(task.loss).link_scale


def _check_link(own_loss: Any) -> None:
    if getattr(own_loss, "inverse_link", None) is not None:
        raise ValueError(
            "init cannot be an estimator or a number with a custom loss that has an inverse_link, because predictions "
            "cannot be converted to raw scores. Pass raw scores to fit and predict as init_score."
        )


def _log_of_means(values: np.ndarray, name: str) -> np.ndarray:
    if not (values > 0.0).all():
        raise ValueError(
            f"init={name} must predict positive values for a loss with a log link, got {values.min():.6g}. The raw "
            "scores are their logarithms."
        )
    return _logs(values)


def _logs(values: np.ndarray) -> np.ndarray:
    from spinney.criteria.exp_log import logs_of

    return logs_of(np.ascontiguousarray(values).ravel()).reshape(values.shape)


def constant_init(answer: np.ndarray, classes: np.ndarray | None) -> Any:
    """What a model without an initial estimator begins with, as scikit-learn shows it: a dummy estimator."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if classes is None:
        return DummyRegressor(strategy="constant", constant=float(answer[0])).fit([[0.0]], answer[:1])
    table = np.zeros((len(classes), 1))
    return DummyClassifier(strategy="prior").fit(table, classes, sample_weight=answer[0])
