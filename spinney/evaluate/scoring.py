"""Scores of a fitted model on some rows: by scikit-learn's names, by a function, or several of them at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any
from warnings import warn

import numpy as np
from sklearn.base import ClassifierMixin, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, get_scorer, get_scorer_names

from spinney.evaluate.confusion import specificity_score

ALONE = "score"  # what a single score is called, as in scikit-learn


def _specificity(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Of the second of two classes; of more, the mean over classes."""
    known = list(model.classes_)
    each = specificity_score(y, model.predict(X), labels=known, average=None, sample_weight=sample_weight)
    return float(each[1] if len(known) == 2 else each.mean())


_OURS = {"specificity": _specificity}


class Scoring:
    """Scores by name. `scores(model, X, y, weights)` -> name -> number."""

    def __init__(self, estimator: Any, scoring: Any) -> None:
        self.is_single = scoring is None or isinstance(scoring, str) or callable(scoring)
        self.scorers: dict[str, Callable[..., Any]] = _read(estimator, scoring)
        self.title = scoring if isinstance(scoring, str) else None  # of a single score
        if scoring is None:
            self.title = "accuracy" if is_classifier(estimator) else "r2" if is_regressor(estimator) else None
        own_score = getattr(type(estimator), "score", None)
        if scoring == "accuracy" or (scoring is None and own_score is ClassifierMixin.score):
            self.scorers = {ALONE: _accuracy}

    @property
    def names(self) -> list[str]:
        return list(self.scorers)

    @property
    def only_predicts(self) -> bool:
        """Whether X is passed only to the model's methods."""
        return all(only_predicts(one) for one in self.scorers.values())

    def __call__(
        self, model: Any, X: Any, y: Any, weights: np.ndarray | None, error_score: Any = "raise"
    ) -> dict[str, float]:
        """Of several scores, one that fails is `error_score`, if that is a number; all others are what they are."""
        asked = model if len(self.scorers) == 1 else _Remembers(model)
        scores: dict[str, float] = {}
        failed: dict[str, Exception] = {}
        for name, scorer in self.scorers.items():
            who = asked if only_predicts(scorer) else model
            arguments = {} if weights is None or not takes_weights(scorer) else {"sample_weight": weights}
            try:
                value = scorer(who, X, **arguments) if y is None else scorer(who, X, y, **arguments)
            except Exception as error:
                failed[name], value = error, error_score
                if isinstance(error_score, str) or len(failed) == len(self.scorers):
                    raise
            if isinstance(value, Mapping) and self.is_single:
                return {key: _number(one, key) for key, one in value.items()}
            scores[name] = _number(value, name)
        for name, reason in failed.items():
            warn(f"The score {name!r} failed, and is {error_score}: {reason}", UserWarning, stacklevel=2)
        return scores


def _number(value: Any, name: str) -> float:
    if np.ndim(value) != 0 or not np.isreal(value):
        raise ValueError(f"scoring must return a number, got {value!r:.60} for {name!r}.")
    return float(value)


def _read(estimator: Any, scoring: Any) -> dict[str, Any]:
    if scoring is None:
        if not hasattr(estimator, "score"):
            raise TypeError(f"{type(estimator).__name__} has no score method. Pass scoring.")
        return {ALONE: _own_score}
    if isinstance(scoring, str) or callable(scoring):
        return {ALONE: find_scorer(scoring)}
    if isinstance(scoring, Mapping) and scoring:
        return {str(name): find_scorer(one) for name, one in scoring.items()}
    if isinstance(scoring, list | tuple | set | frozenset) and scoring:
        wanted = sorted(scoring) if isinstance(scoring, set | frozenset) else list(scoring)
        if all(isinstance(one, str) for one in wanted) and len(set(wanted)) == len(wanted):
            return {name: find_scorer(name) for name in wanted}
    raise ValueError(
        "scoring must be a name, a function (model, X, y) -> float, a list of different names, or a dict from name to "
        f"name or function, got {scoring!r}."
    )


def find_scorer(wanted: Any) -> Any:
    """A scorer from its name, or the function itself."""
    if callable(wanted):
        return wanted
    if wanted in _OURS:
        return _OURS[wanted]
    known = [*get_scorer_names(), *_OURS]
    if wanted not in known:
        near = get_close_matches(str(wanted), known, 3, 0.5)
        hint = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise ValueError(
            f"scoring={wanted!r} is not a score. {hint}sklearn.metrics.get_scorer_names() lists scikit-learn's names; "
            f"Spinney adds {list(_OURS)}."
        )
    return get_scorer(wanted)


def _own_score(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
    arguments = {} if sample_weight is None else {"sample_weight": sample_weight}
    return model.score(X, **arguments) if y is None else model.score(X, y, **arguments)


def _accuracy(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """scikit-learn's accuracy. Its checks take longer than predicting a row, so arrays of labels are just compared."""
    predicted = model.predict(X)
    if (
        all(type(one) is np.ndarray and one.ndim == 1 for one in (y, predicted))
        and y.dtype.kind == predicted.dtype.kind
    ):
        return float(np.average(predicted == y, weights=sample_weight))
    return float(accuracy_score(y, predicted, sample_weight=sample_weight))


def only_predicts(scorer: Any) -> bool:
    """Whether a scorer passes X only to the model's methods, as Spinney's and scikit-learn's do."""
    return scorer in (_own_score, _accuracy, _specificity) or (
        hasattr(scorer, "_score_func") and hasattr(scorer, "_sign")
    )


def takes_weights(scorer: Any) -> bool:
    """Whether a scorer can weigh the rows."""
    function = getattr(scorer, "_score_func", scorer)
    try:
        return "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


class _Remembers:
    """A model that caches its predictions: several scores need the same ones."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._model, name)
        if name not in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
            return found
        said: dict[int, Any] = {}

        def answer(X: Any) -> Any:
            if id(X) not in said:
                said[id(X)] = found(X)
            return said[id(X)]

        answer.__name__ = name  # scikit-learn asks for it
        vars(self)[name] = answer
        return answer
