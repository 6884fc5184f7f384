"""The libraries with AdaBoost: Spinney and scikit-learn, each with its own trees. `score` predicts."""

import importlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Features, Task
from benchmarks.versus.peers import Model, Peer, Scores, by_name


@dataclass(frozen=True)
class Settings:
    """What every peer is asked to train: SAMME for classes, R2 for numbers."""

    task: Task = "binary"
    rounds: int = 50
    depth: int = 1
    threads: int = 2
    seed: int = 0

    def short(self) -> "Settings":
        """The same in three rounds, to warm up."""
        return replace(self, rounds=3)


class AdaBoost(Peer):
    """What both have in common: their names and parameters."""

    trees: str  # the module of the members
    boosting: str

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """Boost trees of the peer's own."""
        kind = "Regressor" if settings.task == "regression" else "Classifier"
        tree = getattr(importlib.import_module(self.trees), f"DecisionTree{kind}")
        boosting = getattr(importlib.import_module(self.boosting), f"AdaBoost{kind}")
        member = tree(max_depth=settings.depth, **self._threads(settings))
        return Model(boosting(member, n_estimators=settings.rounds, random_state=settings.seed).fit(X, y), settings)

    def _threads(self, settings: Settings) -> dict[str, int]:
        return {}

    def score(self, model: Model, X: Features) -> Scores:
        """Classes or numbers."""
        return np.asarray(model.fitted.predict(X))

    def describe(self, model: Model) -> dict[str, float]:
        """How many rounds there were, and the weighted error of the last."""
        n = len(model.fitted.estimators_)
        return {"rounds": float(n), "last error": float(model.fitted.estimator_errors_[n - 1])}


class Spinney(AdaBoost):
    """The library under test: the table is read and sorted once."""

    name = module = trees = boosting = "spinney"
    needs = ("AdaBoostClassifier", "AdaBoostRegressor")

    def _threads(self, settings: Settings) -> dict[str, int]:
        return {"n_jobs": settings.threads}


class ScikitLearn(AdaBoost):
    """scikit-learn's, on one thread, for it has no more."""

    name = module = "sklearn"
    trees, boosting = "sklearn.tree", "sklearn.ensemble"


PEERS = by_name(Spinney(), ScikitLearn())


def errors_apart(one: Model, other: Model) -> float:
    """The largest relative difference between the errors of two models, round by round."""
    a, b = (model.fitted.estimator_errors_[: len(model.fitted.estimators_)] for model in (one, other))
    return float(np.abs(a / b - 1.0).max()) if len(a) == len(b) else float("inf")


def same_questions(one: Model, other: Model) -> int:
    """In how many rounds the roots of both members ask the same question."""

    def question(member: Any) -> tuple[int, float]:
        return int(member.tree_.feature[0]), float(member.tree_.threshold[0])

    pairs = zip(one.fitted.estimators_, other.fitted.estimators_)
    return sum(question(a) == question(b) for a, b in pairs)
