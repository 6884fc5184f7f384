"""Where boosting begins: the units of a fit, raw scores before the first tree, how large trees may get.

In: a task and settings, `init` and `init_score`. Out: numbers that all rows have a say in, and raw scores that rows
begin with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from spinney.criteria.exp_log import LN2, logs_of
from spinney.criteria.fixed_point import exact_mean, relative
from spinney.criteria.gains import Penalty
from spinney.criteria.losses import CUSTOM, has_log_link, is_builtin, kind_of, start_value
from spinney.data.reading import open_table, with_rows
from spinney.data.tables import TableHandle
from spinney.data.weights import Weights
from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
from spinney.ensemble.cross_fitting import fit_one, in_order, takes_weights
from spinney.tree.forest import Forest

# ----------------------------------------------------------------------------------------------------------------------
# What a fit counts in: targets in a power of two, weights in their mean.
#
# In: targets, weights and a loss as the user gave them. Out: the same in numbers near 1, and the way back for start
# values and trees, which keep the user's units. Gradients are float32 and their squares float64: targets of 1e300 would
# overflow them, those of 1e-300 vanish. A power of two loses nothing: the model of scaled targets is the scaled model.
#
#     identity link    raw = raw of the fit * 2**exponent       only beyond 2**+-64, where nothing else would do
#     log link         raw = raw of the fit + exponent * ln 2   the same; and where all targets are below 1: these
#                                                               targets are no counts; penalties would outweigh them
#
# A loss of the user's own is never scaled.


_FARTHEST = 64  # targets of such powers of two are taken as they are
_MOST_GAIN = 900  # beyond such powers of two gains are not told in the user's units: they would overflow


class Units(NamedTuple):
    """How the targets of one fit are scaled."""

    exponent: int = 0
    is_log: bool = False  # the link
    scales_gradients: bool = False  # whether gradients grow with the targets, the hessian staying 1

    def targets(self, y: np.ndarray) -> np.ndarray:
        if self.exponent == 0:
            return y
        with np.errstate(over="ignore"):  # of rows that do not count
            return np.ldexp(y, -self.exponent)

    def raw(self, scores: np.ndarray) -> np.ndarray:
        """From the user's raw scores to the fit's."""
        if self.exponent == 0:
            return scores
        return scores - self.exponent * LN2 if self.is_log else np.ldexp(scores, -self.exponent)

    def user_raw(self, scores: np.ndarray) -> np.ndarray:
        """From the fit's raw scores to the user's."""
        if self.exponent == 0:
            return scores
        return scores + self.exponent * LN2 if self.is_log else np.ldexp(scores, self.exponent)

    def user_tree(self, tree: Forest) -> Forest:
        """A grown tree in the user's units."""
        if self.exponent == 0 or self.is_log:
            return tree
        gain = np.ldexp(tree.gain, self._gain_exponent) if self.scales_gradients else tree.gain
        term = tree.term.copy()
        term[:, 0] = np.ldexp(term[:, 0], self.exponent)
        return replace(tree, answers=self.user_values(tree.answers), gain=gain, term=term)

    def user_values(self, values: np.ndarray) -> np.ndarray:
        """Values of a tree's nodes in the user's units."""
        return values if self.exponent == 0 or self.is_log else np.ldexp(values, self.exponent)

    def penalty(self, l1: float, l2: float) -> Penalty:
        return Penalty(_scaled(l1, -self.exponent) if self.scales_gradients else l1, l2)

    def gain(self, least: float) -> float:
        return _scaled(least, -self._gain_exponent) if self.scales_gradients else least

    @property
    def _gain_exponent(self) -> int:
        return min(max(2 * self.exponent, -_MOST_GAIN), _MOST_GAIN)


def find_units(loss: Any, y: np.ndarray, weights: Weights) -> Units:
    """The units of a fit whose rows that count have these targets and weights."""
    kind = kind_of(loss)
    if kind is CUSTOM or kind.needs_classes:
        return Units()
    is_log = has_log_link(loss)
    largest = math.frexp(max(float(y.max(initial=0.0)), -float(y.min(initial=0.0))))[1]
    exponent = 0
    if largest > _FARTHEST:
        exponent = largest - _FARTHEST if is_log else largest
    elif kind.scales_small_targets and largest <= 0 and y.any():
        exponent = largest + math.frexp(exact_mean(np.ldexp(y, -largest), weights))[1] - 1
    elif largest < -_FARTHEST:
        exponent = largest
    return Units(exponent, is_log, kind.scales_gradients)


def _scaled(number: float, exponent: int) -> float:
    """number * 2**exponent, infinite rather than too large."""
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.inf


def in_units(task: Task) -> tuple[np.ndarray, Weights, Units]:
    """Targets and weights in numbers near 1, and what they are counted in."""
    y, weights, rows = task.y, relative(task.weights), task.weights.rows()
    units = find_units(task.loss, *((y, weights) if rows is None else (y[rows], weights.take(rows))))
    return units.targets(y), weights, units


def start_values(task: Task) -> np.ndarray:
    """Raw scores before the first tree: the best constant."""
    y, weights, units = in_units(task)
    weights = weights if is_builtin(task.loss) else task.weights
    rows = weights.rows()
    if rows is not None:
        y, weights = y[rows], weights.take(rows)
    if task.n_outputs == 1:
        return units.user_raw(np.array([start_value(task.loss, y, weights)]))
    shares = np.array([exact_mean((y == k).astype(np.float64), weights) for k in range(task.n_outputs)])
    logs = logs_of(np.maximum(shares, 1e-15))
    return logs - logs.mean()


def share_of(share: float, n: int) -> int:
    """How many of n a share is: at least one."""
    return max(1, min(n, round(share * n)))


def most_leaves(settings: BoostingSettings, total_count: int) -> int:
    by_depth = 1 << min(settings.max_depth, 40)
    by_count = max(1, total_count // max(1, settings.min_count))
    return max(1, min(settings.max_leaves, by_depth, by_count))


# ----------------------------------------------------------------------------------------------------------------------
# Raw scores before the first tree: scores that are given, an initial estimator's, a number's, or the best constant.
#
# In: `init` and `init_score` of a fit, a table. Out: raw scores (outputs, rows) that rows begin with, and the `Booster`
# of no rounds. A model needs them again for new rows.


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
        if isinstance(self.init, Real):
            start = _raw_of_number(float(self.init), task, self.own_loss)
        elif offset is not None or isinstance(self.init, str):
            start = np.zeros(task.n_outputs)
        else:
            start = start_values(task)
        return Booster.of_no_rounds(start, dataset.bins, dataset.n_columns)


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
    return logs_of(np.ascontiguousarray(values).ravel()).reshape(values.shape)


def constant_init(answer: np.ndarray, classes: np.ndarray | None) -> Any:
    """What a model without an initial estimator begins with, as scikit-learn shows it: a dummy estimator."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if classes is None:
        return DummyRegressor(strategy="constant", constant=float(answer[0])).fit([[0.0]], answer[:1])
    table = np.zeros((len(classes), 1))
    return DummyClassifier(strategy="prior").fit(table, classes, sample_weight=answer[0])
