"""Trees fitted in turn on one table, with weights that change. No algorithm in here: see grow/exact/fit.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.target import read_training
from spinney.data.weights import Weights
from spinney.estimators.base import make_team
from spinney.estimators.params import check_parameters, n_categories, tree_settings
from spinney.estimators.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.estimators.trees.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.grow.exact.stumps import StumpRounds
    from spinney.tree.decision import DecisionTree

_OURS = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)


def can_share(template: Any) -> bool:
    """Whether clones of this estimator can be fitted by a `TreeSeries`: Spinney's trees that hold out no rows."""
    if type(template) not in _OURS:  # a user's subclass may do anything
        return False
    return template.n_iter_no_change is None and getattr(template, "class_weight", None) is None


def leaves_of_members(members: list[Any], X: Any) -> Iterator[np.ndarray] | None:
    """The leaf of each row, member by member, with X read once. None unless the members are trees of one series."""
    if not are_of_one_series(members):
        return None
    first = members[0]
    return _descend(members, first.schema_.read(X, type(first).__name__, strict=first.refuses_unknown()))


def are_of_one_series(members: list[Any]) -> bool:
    """Whether members are trees of one series."""
    first = getattr(members[0], "_schema", None)
    return first is not None and all(can_share(one) and getattr(one, "_schema", None) is first for one in members)


def _descend(members: list[Any], table: Table) -> Iterator[np.ndarray]:
    from spinney.tree.descend import leaf_of_rows

    with make_team("descend", table.n_rows, members[0].n_jobs) as team:
        for member in members:
            yield leaf_of_rows(member.tree_, table, team)


class TreeSeries:
    """Fits clones of one of Spinney's trees on a table that is read once and sorted once."""

    def __init__(self, template: Any, X: Any, y: np.ndarray, weights: Weights) -> None:
        """`weights`: rows of weight 0 here have weight 0 in every fit."""
        check_parameters(template)
        self.template = template
        self._schema, self._table, self._target = read_training(template, X, y, weights.total())
        self._series: Any = None

    def make_team(self) -> Team:
        """The threads for all fits."""
        return make_team("tree", self._table.n_rows * self._table.n_columns, self.template.n_jobs)

    def fit(self, member: Any, weights: Weights, team: Team) -> np.ndarray:
        """Fit a clone of the template and return the leaf of each row. Bins are those of the first weights."""
        from spinney.tree.descend import leaf_of_rows

        self._target.keep_classes(member)
        rows, target = weights.rows(), self._target._replace(weights=weights)
        settings, target = tree_settings(member, self._schema, target), target.take(rows)
        if self._series is None:
            self._series = self._sort(settings, target, weights, team)
        grown = self._series.grow(target, settings, rows)
        member.finish(self._schema, grown.tree)
        if rows is None and member.tree_ is grown.tree:
            return grown.leaf_of_rows()
        return leaf_of_rows(member.tree_, self._table, team)  # some rows were left out, or the tree was pruned

    def rounds(self, weights: np.ndarray, repeats: np.ndarray, team: Team) -> StumpRounds | None:
        """All fits at once, for stumps without rows of weight 0: see `grow/exact/fit.py`."""
        if not repeats.all() or self.template.ccp_alpha > 0.0:
            return None
        meant = Weights(None, weights)
        target = self._target._replace(weights=meant)
        settings = tree_settings(self.template, self._schema, target)
        if self._series is None:
            self._series = self._sort(settings, target, meant, team)
        share = float(self.template.min_weight_fraction_leaf)
        rounds: StumpRounds | None = self._series.rounds(target, settings, share, weights, repeats)
        return rounds

    def finish(self, member: Any, tree: DecisionTree) -> None:
        """Give an unfitted clone of the template its tree, one of `rounds`."""
        self._target.keep_classes(member)
        member.finish(self._schema, tree)

    def _sort(self, settings: Any, target: Any, weights: Weights, team: Team) -> Any:
        from spinney.grow.exact.fit import Series, sort_for_trees

        max_bins, categories = self.template.max_bins, n_categories(self._schema)
        bins = None
        if max_bins is not None:
            bins = self._table.bins(self._schema.is_categorical, weights.counts, max_bins, team)
        return Series(sort_for_trees(self._table, categories, settings, target, team, bins=bins), team)
