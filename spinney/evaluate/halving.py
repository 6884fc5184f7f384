"""Successive halving: many candidates with few resources, the best of them with more, until one round has all.

Rows are sampled once per fold, in an order that keeps the class frequencies at every length, so that the rows of a
round are among those of the next.

Jamieson and Talwalkar, Non-stochastic best arm identification and hyperparameter optimization, 2016.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from spinney.evaluate.folds import Split
from spinney.evaluate.runs import EvaluationData, Outcome

Candidates = list[dict[str, Any]]


class Race(Protocol):
    estimator: Any
    sheet: EvaluationData
    splits: list[Split]
    decisive: str

    def run(self, candidates: Candidates, rows: list[np.ndarray] | None = None) -> list[list[Outcome]]: ...


class Halving:
    """The rounds: how many candidates, and with how much."""

    def __init__(self, resource: str, factor: int, least: int | None, most: int | None, random_state: Any) -> None:
        if isinstance(factor, bool) or not isinstance(factor, int | float) or factor <= 1:
            raise ValueError(f"factor must be greater than 1, got {factor!r}.")
        self.resource, self.factor, self.least, self.most = resource, factor, least, most
        self.random = check_random_state(random_state)

    def run(self, race: Race, candidates: Candidates) -> tuple[Candidates, list[list[Outcome]], dict[str, np.ndarray]]:
        """All candidates of all rounds, their outcomes, and the columns `iter` and `n_resources`."""
        amounts = self._amounts(race, len(candidates))
        orders = self._orders(race) if self.resource == "n_samples" else []
        tried: Candidates = []
        outcomes: list[list[Outcome]] = []
        rounds: list[tuple[int, int]] = []
        for number, amount in enumerate(amounts):
            if self.resource == "n_samples":
                found = race.run(candidates, [order[:amount] for order in orders])
            else:
                candidates = [one | {self.resource: amount} for one in candidates]
                found = race.run(candidates)
            tried, outcomes = tried + candidates, outcomes + found
            rounds += [(number, amount)] * len(candidates)
            candidates = self._best(candidates, found, race.decisive)
        columns = np.array(rounds, np.int64)
        return tried, outcomes, {"iter": columns[:, 0], "n_resources": columns[:, 1]}

    def _best(self, candidates: Candidates, outcomes: list[list[Outcome]], decisive: str) -> Candidates:
        """The better part, best first; of equals the first."""
        means = np.array([np.mean([one.test[decisive] for one in row]) for row in outcomes])
        order = np.argsort(np.where(np.isnan(means), np.inf, -means), kind="stable")
        return [candidates[k] for k in order[: math.ceil(len(candidates) / self.factor)]]

    def _amounts(self, race: Race, n_candidates: int) -> list[int]:
        """Resources of each round, ascending."""
        most = self._most(race)
        n_rounds = 1 + math.floor(math.log(n_candidates) / math.log(self.factor) + 1e-9)
        least = self.least
        if least is None:
            least = max(self._smallest(race), math.floor(most / self.factor ** (n_rounds - 1)))
        if not 1 <= least <= most:
            raise ValueError(f"min_resources must be from 1 to max_resources, {most}, got {least}.")
        possible = 1 + math.floor(math.log(most / least) / math.log(self.factor) + 1e-9)
        return [math.floor(least * self.factor**k) for k in range(min(n_rounds, possible))]

    def _most(self, race: Race) -> int:
        if self.resource == "n_samples":
            n_rows = min(len(split.train) for split in race.splits)
            return n_rows if self.most is None else min(self.most, n_rows)
        if self.resource not in race.estimator.get_params():
            owner = type(race.estimator).__name__
            raise ValueError(f"resource must be 'n_samples' or a parameter of {owner}, got {self.resource!r}.")
        if self.most is None:
            raise ValueError(
                f"max_resources must be given for resource={self.resource!r}. Set it to the largest value to try."
            )
        return self.most

    def _smallest(self, race: Race) -> int:
        """As scikit-learn: rows for two of each class in every fold."""
        if self.resource != "n_samples":
            return 1
        n_classes = len(np.unique(np.asarray(race.sheet.y))) if is_classifier(race.estimator) else 1
        return min(2 * len(race.splits) * n_classes, self._most(race))

    def _orders(self, race: Race) -> list[np.ndarray]:
        """Each fold's training rows in random order, the classes evenly spread."""
        y = np.asarray(race.sheet.y) if is_classifier(race.estimator) else None
        if y is not None and y.ndim > 1:
            y = None
        return [self._spread(split.train, y) for split in race.splits]

    def _spread(self, rows: np.ndarray, y: np.ndarray | None) -> np.ndarray:
        rows = self.random.permutation(rows)
        if y is None:
            return rows
        classes, sizes = np.unique(y[rows], return_counts=True)
        place = np.empty(len(rows))
        for label, size in zip(classes, sizes):
            place[y[rows] == label] = (np.arange(size) + 0.5) / size
        return rows[np.argsort(place, kind="stable")]
