"""Bagging: clones of one estimator, each fitted on different rows, different columns, or both.

In:  a table, a target, and the rows and columns of each member: `Draws`.
Out: a `Forest` of Spinney's trees, for which the table is read and sorted once, or fitted models of any other kind; and
     the sums of their predictions, of all members or only of those that were not fitted on a row.

    bagging            rows, with replacement          pasting          rows, without
    random subspaces   columns                         random patches   rows and columns
    partition          rows in disjoint parts, one per member

The sample of a member is determined by the seed, its number and row contents: not by threads, nor by the order of the
rows, nor by whether a row occurs twice or has weight 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from spinney._compile import kernel
from spinney._interruptible_threads import side_by_side
from spinney._random import NODE_FEATURES, TREE_FEATURES, choose, mix, stream_key
from spinney._team import Team
from spinney.data.reading import as_frame, with_rows
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.ensemble.cross_fitting import naming, run_members, seeded
from spinney.ensemble.forests.bootstrap import Bags
from spinney.ensemble.forests.fit import ForestTable, Plan, grow_trees, open_table
from spinney.ensemble.forests.out_of_bag import Votes
from spinney.grow.exact.fit import sort_for_trees
from spinney.tree.forest import Forest

_SEEDS = np.uint64(2**31 - 1)


class Subspaces(NamedTuple):
    """The columns of each member: what is needed to sample them again."""

    n_columns: int
    n_drawn: int
    replace: bool
    seed: int
    shift: int = 0  # of the members' numbers, where ensembles have been merged

    @property
    def are_whole(self) -> bool:
        """Whether every member gets every column."""
        return self.n_drawn == self.n_columns and not self.replace

    def of(self, number: int) -> np.ndarray:
        """The columns of the member of this number, int64, ascending.

        >>> Subspaces(3, 3, False, seed=0).of(7).tolist()
        [0, 1, 2]
        """
        if self.are_whole:
            return np.arange(self.n_columns)
        key = np.uint64(stream_key(np.uint64(self.seed), TREE_FEATURES, np.uint64(number - self.shift)))
        drawn = np.empty(self.n_columns, np.int64)
        (_draw_any if self.replace else choose)(key, self.n_drawn, drawn)
        return np.sort(drawn[: self.n_drawn])


@kernel
def _draw_any(key, k, out):
    """Draw k of `out.size` numbers with replacement into out[:k]."""
    for i in range(k):
        out[i] = np.int64(mix(key, i) % np.uint64(out.size))


class Draws(NamedTuple):
    """The rows and columns of the members."""

    bags: Bags
    subspaces: Subspaces

    def shifted(self, by: int) -> Draws:
        """The same for members whose numbers have grown by `by`."""
        bags, subspaces = self
        return Draws(bags._replace(shift=bags.shift + by), subspaces._replace(shift=subspaces.shift + by))


def seed_member(member: Any, seed: int, number: int) -> Any:
    """Set every `random_state` of the member of this number."""
    own = np.uint64(stream_key(np.uint64(seed), NODE_FEATURES, np.uint64(number))) % _SEEDS
    return seeded(member, np.random.RandomState(int(own)))


# --- Spinney's trees --------------------------------------------------------------------------------------------------


def grow_members(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    plan: Plan,
    draws: Draws,
    max_bins: int | None,
    numbers: range,
    team: Team,
    report: Callable[[], object] = lambda: None,
) -> Forest:
    """Grow the trees of these numbers; `target` is that of all rows. Nodes name the columns of the whole table."""
    opened, plan = open_for_members(table, n_categories, target, plan, draws, max_bins, team)
    return grow_trees(opened, target, plan, numbers, team, report)


def open_for_members(
    table: Table, n_categories: np.ndarray, target: Target, plan: Plan, draws: Draws, max_bins: int | None, team: Team
) -> tuple[ForestTable, Plan]:
    """The table encoded or sorted, as its trees need it, and the plan of the trees."""
    if draws.subspaces.are_whole:
        opened = open_table(table, n_categories, target, plan._replace(bootstrap=False, by_node=True), max_bins, team)
    else:
        plan = plan._replace(columns=draws.subspaces.of)
        bins = None
        if max_bins is not None:
            bins = table.bins(n_categories > 0, plan.weights.counts, max_bins, team)
        given = sort_for_trees(table, n_categories, plan.settings, target, team, None, bins)
        opened = ForestTable(table, n_categories, None, None, given, None)
    return opened._replace(bags=draws.bags), plan


# --- members of any kind ----------------------------------------------------------------------------------------------


class Asks(NamedTuple):
    """Arguments of the members' `fit` besides X and y."""

    by_weight: bool  # rows get their counts as weights; else they are repeated
    params: dict[str, Any]  # other arguments; those with one value per row are indexed by rows


def fit_bagged(
    template: Any,
    X: Any,
    y: np.ndarray,
    classes: np.ndarray | None,
    draws: Draws,
    numbers: range,
    seed: int,
    n_jobs: int,
    verbose: Any,
    asks: Asks,
) -> list[Any]:
    """Fit clones of the template, each on its rows and columns; `classes` are the class indices of the rows."""
    by_weight = asks.by_weight
    examples = None if classes is None else _examples(classes, draws.bags.order)

    def work(name: str, model: Any) -> Any:
        number = int(name)
        counts = draws.bags.counts(number)
        rows = np.flatnonzero(counts)
        if not by_weight:
            rows = np.repeat(rows, counts[rows])
        elif examples is not None:  # a class without rows is known by one of weight 0
            rows = np.union1d(rows, examples[_absent(classes, counts, len(examples))])
        some = take(X, rows, draws.subspaces, number)
        params = _check_method_params(X, params=asks.params, indices=rows)
        seed_member(model, seed, number)
        if by_weight and (counts[rows] != 1).any():
            params["sample_weight"] = counts[rows].astype(np.float64)
        model.fit(some, y[rows], **params)  # what it returns may be nothing
        return model

    return run_members(work, [(str(number), template) for number in numbers], n_jobs, "fit", verbose)


def _examples(classes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """A row of each class: the first in the order given."""
    return order[np.unique(classes[order], return_index=True)[1]]


def _absent(classes: Any, counts: np.ndarray, n_classes: int) -> np.ndarray:
    """Whether each class has no row in the sample."""
    return np.bincount(classes, weights=counts, minlength=n_classes) == 0


def take(X: Any, rows: np.ndarray | None, subspaces: Subspaces, number: int) -> Any:
    """Some rows (None: all) of X, and the member's columns. Columns sampled twice get different names."""
    some = X if rows is None else _safe_indexing(with_rows(X), rows)
    if subspaces.are_whole:
        return some
    columns = subspaces.of(number)
    frame = as_frame(some)
    if frame is None:
        return some[:, columns]
    old = [frame.columns[j] for j in columns]
    return frame.select(nw.col(a).alias(b) for a, b in zip(old, tell_apart(old))).to_native()


def tell_apart(names: Sequence[str]) -> list[str]:
    """The names, with duplicates numbered.

    >>> tell_apart(["a", "a", "b", "a"])
    ['a', 'a (2)', 'b', 'a (3)']
    """
    told: list[str] = []
    for k, name in enumerate(names):
        times = names[:k].count(name) + 1
        told.append(name if times == 1 else f"{name} ({times})")
    return told


def say_classes(
    member: Any, X: Any, classes: np.ndarray, params: dict[str, Any], votes_only: bool = False
) -> np.ndarray:
    """The member's probabilities, (rows, 1, classes), or its votes if it has none or `votes_only`.

    `params` are further arguments of its predictions.
    """
    shares = np.zeros((X.shape[0], 1, len(classes)))
    if votes_only or not hasattr(member, "predict_proba"):
        votes = np.searchsorted(classes, member.predict(X, **params))
        shares[np.arange(len(votes)), 0, votes] = 1.0
        return shares
    shares[:, 0, np.searchsorted(classes, member.classes_)] = member.predict_proba(X, **params)
    return shares


def say_numbers(member: Any, X: Any, params: dict[str, Any]) -> np.ndarray:
    """The member's predictions, (rows, outputs, 1); `params` are further arguments."""
    predicted = np.asarray(member.predict(X, **params), np.float64)
    return predicted.reshape(len(predicted), -1, 1)


Say = Callable[[Any, Any], np.ndarray]


def sum_members(members: Sequence[Any], X: Any, draws: Sequence[Draws], say: Say, n_jobs: int) -> Any:
    """The sum of all members' predictions for X, added up in their order."""
    total: Any = 0.0
    for one in answers_of_members(members, X, draws, say, n_jobs):
        total = total + one
    return total


def answers_of_members(
    members: Sequence[Any], X: Any, draws: Sequence[Draws], say: Say, n_jobs: int
) -> Iterator[np.ndarray]:
    """The predictions of each member for X, in their order."""

    def ask(number: int) -> np.ndarray:
        with naming(str(number), "predict"):
            return say(members[number], take(X, None, draws[number].subspaces, number))

    with closing(side_by_side(ask, range(len(members)), n_jobs)) as answers:
        yield from answers


def count_member_votes(members: Sequence[Any], X: Any, draws: Sequence[Draws], say: Say, n_jobs: int) -> Votes:
    """Predictions for each row by the members that were not fitted on it; see `out_of_bag.count_votes`."""
    n_rows = X.shape[0]

    def ask(number: int) -> tuple[np.ndarray, np.ndarray | None]:
        rows = np.flatnonzero(draws[number].bags.counts(number) == 0)
        if len(rows) == 0:
            return rows, None
        with naming(str(number), "predict"):
            return rows, say(members[number], take(X, rows, draws[number].subspaces, number))

    sums: Any = np.zeros((n_rows, 1, 1))
    n = np.zeros(n_rows, np.int64)
    with closing(side_by_side(ask, range(len(members)), n_jobs)) as answers:
        for rows, said in answers:
            if said is not None:
                if sums.shape[1:] != said.shape[1:]:
                    sums = np.zeros((n_rows, *said.shape[1:]))
                sums[rows] += said
                n[rows] += 1
    return Votes(sums, n)
