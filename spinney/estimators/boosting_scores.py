"""Scores of a boosted model's rounds: by scikit-learn's scorers while it is fitted, as scikit-learn's series after it.

In: a model that is being fitted, its evaluation sets, the losses of its rounds. Out: a `Metric` that asks a scorer,
`train_score_`, `validation_score_` and the out-of-bag series. Nothing here is known to the loop of boosting.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.schema import Schema
from spinney.ensemble.metrics import Metric
from spinney.evaluate.scoring import Scoring

if TYPE_CHECKING:
    from spinney.ensemble.booster import Booster
    from spinney.ensemble.history import History
    from spinney.ensemble.scoring import EvalSet

_SERIES = {"train_score_": "train", "oob_scores_": "oob", "oob_improvement_": "improvement"}


class ScorerMetric:
    """A scikit-learn scorer, or a function (model, X, y) -> float, as a metric of evaluation sets."""

    def __init__(self, model: Any, schema: Schema) -> None:
        self.scoring, self.model, self.schema = Scoring(model, model.scoring), model, schema
        name = str(self.scoring.title or getattr(model.scoring, "__name__", "score"))
        self.metric = Metric(name, None, True, self._score)

    @property
    def needs_rows(self) -> bool:
        """Whether the scorer looks at X itself."""
        return not self.scoring.only_predicts

    @property
    def scorer(self) -> Any:
        (one,) = self.scoring.scorers.values()
        return one

    def _score(self, one: EvalSet, booster: Callable[[], Booster]) -> float:
        stand_in = copy(self.model)
        if self.needs_rows:
            stand_in._booster = booster()
            stand_in._keep_schema(self.schema)
        plain = stand_in._raw

        def raw(X: Any, init_score: Any = None) -> np.ndarray:
            return one.scores if X is one.X else plain(X, init_score)

        stand_in._raw = raw  # the set's scores are known: no tree is asked again
        y = one.y
        if hasattr(self.model, "classes_"):
            y = self.model.classes_[y.astype(np.int64)]
        (value,) = self.scoring(stand_in, one.X, y, one.weights.total()).values()
        return value


def past_history(model: Any, n_rounds: int) -> History:
    """The series of the rounds that a warm start goes on from; those that are not known are NaN."""
    from spinney.ensemble.history import History

    series = []
    for name in _SERIES:
        known = list(getattr(model, name, ()))[:n_rounds]
        asked = name == "train_score_" or model.subsample < 1.0
        series.append(known + [float("nan")] * (n_rounds - len(known)) if asked else [])
    return History(*series)


def keep_history(model: Any, history: History | None, n_rounds: int) -> None:
    """Set `train_score_` and, where rounds drew rows, the out-of-bag series, of the rounds that the model has."""
    for name, key in _SERIES.items():
        values = [] if history is None else getattr(history, key)
        vars(model).pop(name, None)
        if values:
            setattr(model, name, np.array(values[:n_rounds]))
    vars(model).pop("oob_score_", None)
    if hasattr(model, "oob_scores_"):
        model.oob_score_ = float(model.oob_scores_[-1])


def validation_scores(metric: Metric, before: float, after: list[float]) -> np.ndarray:
    """One score before the first round and one after each; the higher the better, as scikit-learn has it.

    As there, the loss of squared error is halved.
    """
    scores = np.array([before, *after], np.float64)
    return scores if metric.greater_is_better else -scores / metric.factor
