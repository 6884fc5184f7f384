"""What every forest can do once it is grown: predict, apply, explain itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from spinney._seed import read_seed
from spinney._warnings import warn_caller
from spinney.data.elsewhere import RowsElsewhere
from spinney.data.schema import Schema
from spinney.estimators.base import TableModel, log_probabilities
from spinney.estimators.explained import Explained

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.data.target import Target
    from spinney.ensemble.bootstrap import Bags, PooledBags
    from spinney.ensemble.out_of_bag import Votes
    from spinney.ensemble.quantiles import LeafTargets
    from spinney.tree.forest import Forest


_MADE = ("estimators_", "feature_importances_", "_ballots")  # from the store, when first asked for


class ForestModel(Explained, TableModel):
    """A model that is a `Forest` of trees whose answers are averaged."""

    forest_: Forest

    def _keep(self, schema: Schema, forest: Forest) -> None:
        """Set the fitted attributes that every forest has."""
        self._keep_schema(schema)
        self.forest_, self.n_outputs_ = forest, int(forest.answers.shape[1])
        for name in _MADE:
            self.__dict__.pop(name, None)

    def _team(self, n_rows: int) -> Team:
        """For sending rows down all trees."""
        return self._make_team("descend many", n_rows * self.forest_.n_trees)

    def _mean_answers(self, X: Any) -> np.ndarray:
        """(rows, outputs, classes or 1): the mean of what the trees say."""
        table = self._read(X)
        if table.is_one_row():
            return self.forest_.one_row.sums(table, self._says()) / self.forest_.n_trees
        from spinney.tree.descend_many import sum_answers

        with self._team(table.n_rows) as team:
            return sum_answers(self.forest_, table, team, answers=self._says()) / self.forest_.n_trees

    def _says(self) -> np.ndarray | None:
        """What the nodes answer, (nodes, outputs, classes or 1), where that is not what the store has."""
        return None

    def _keep_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        raise NotImplementedError

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        """A measure of answers for some rows of y."""
        raise NotImplementedError

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree, (n_samples, n_estimators)."""
        from spinney.tree.descend_many import leaves_of_rows

        table = self._read(X)
        with self._team(table.n_rows) as team:
            return leaves_of_rows(self.forest_, table, team)

    def decision_path(self, X: Any) -> tuple[csr_matrix, np.ndarray]:
        """The nodes that each row passes.

        Parameters
        ----------
        X : table

        Returns
        -------
        (indicator, n_nodes_ptr)
            A sparse matrix of ones, and where each tree's nodes begin among its columns.
        """
        leaves = self.apply(X)
        return self.forest_.paths(leaves), self.forest_.first.copy()

    @cached_property
    def estimators_(self) -> list[Any]:
        """The trees, each a fitted estimator of its own; made from the common store when first asked for."""
        check_is_fitted(self, "forest_")
        return [self._make_tree(k) for k in range(self.forest_.n_trees)]

    def _make_tree(self, k: int) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        return self.forest_.n_trees

    def __getitem__(self, k: int) -> Any:
        return self.estimators_[k]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    @cached_property
    def feature_importances_(self) -> np.ndarray:
        """Mean over the trees of each column's share in the decrease of impurity; they add up to 1."""
        check_is_fitted(self, "forest_")
        from spinney.tree.importance import mean_shares

        return mean_shares(self.forest_)

    def _fingerprint(self) -> str:
        return self.forest_.fingerprint

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "forest_")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in _MADE:
            state.pop(name, None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ClassForest(ClassifierMixin, ForestModel):
    """A forest that predicts classes: the mean of its trees' probabilities, or their votes."""

    classes_: Any
    n_classes_: Any
    voting: str

    def _says(self) -> np.ndarray | None:
        return self._ballots if self.voting == "hard" else None

    @cached_property
    def _ballots(self) -> np.ndarray:
        """The vote of every node: a one for its most common class, of equals for the first."""
        answers = self.forest_.answers
        ballots = np.zeros_like(answers)
        np.put_along_axis(ballots, answers.argmax(axis=2)[:, :, None], 1, axis=2)
        return ballots

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class: the mean of its shares in the trees' leaves; with hard voting, its share of votes.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples, n_classes); a list of such for several outputs
        """
        return self._split_outputs(self._mean_answers(X))

    def _split_outputs(self, answers: np.ndarray) -> Any:
        if self.n_outputs_ == 1:
            return answers[:, 0, :]
        return [answers[:, o, : self.n_classes_[o]] for o in range(self.n_outputs_)]

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of `predict_proba`, (n_samples, n_classes); a list of such for several outputs."""
        return log_probabilities(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row, or the one with the most votes; of equals the first in `classes_`.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._name(self._mean_answers(X).argmax(axis=2))

    def _name(self, winner: np.ndarray) -> np.ndarray:
        """Labels of classes by number, (rows, outputs)."""
        if self.n_outputs_ == 1:
            return self.classes_[winner[:, 0]]
        return np.column_stack([self.classes_[o][winner[:, o]] for o in range(self.n_outputs_)])

    def _keep_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        """What is learnt of rows that trees have not seen; `truth` is class numbers, (outputs, rows)."""
        many_alike = self.n_outputs_ > 1 and len(set(self.n_classes_)) == 1
        # (rows, classes, outputs) as scikit-learn has it, which refuses outputs of different numbers of classes
        self.oob_decision_function_ = answers.transpose(0, 2, 1) if many_alike else self._split_outputs(answers)
        labels, guess = self._name(truth[:, known].T), self._name(answers[known].argmax(axis=2))
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(labels, guess)
        elif self.n_outputs_ == 1:
            self.oob_score_ = accuracy_score(labels, guess)
        else:
            self.oob_score_ = float(np.mean((labels == guess).all(axis=1)))

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        labels = np.asarray(y).reshape(n_rows, -1)

        def error(answers: np.ndarray, rows: np.ndarray) -> float:
            guess = self._name(answers.argmax(axis=2)).reshape(len(rows), -1)
            return float(np.mean(guess != labels[rows]))

        return error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class NumberForest(RegressorMixin, ForestModel):
    """A forest that predicts numbers: the mean of its trees' answers."""

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the trees' answers, (n_samples,) or (n_samples, n_outputs)."""
        answers = self._mean_answers(X)[:, :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers

    def _keep_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        """What is learnt of rows that trees have not seen; `truth` is numbers, (outputs, rows)."""
        guess, numbers = answers[:, :, 0], truth.T
        self.oob_prediction_ = guess[:, 0] if self.n_outputs_ == 1 else guess
        score = self.oob_score if callable(self.oob_score) else r2_score
        pairs = numbers[known], guess[known]
        self.oob_score_ = score(*(one[:, 0] if self.n_outputs_ == 1 else one for one in pairs))

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        truth = np.asarray(y, np.float64).reshape(n_rows, -1)
        return lambda answers, rows: float(np.mean((answers[:, :, 0] - truth[rows]) ** 2))


def mean_votes(votes: Votes, voter: str) -> np.ndarray:
    """What those say of each row that have not seen it; NaN, with a warning, where all have."""
    n_unknown = int((votes.n == 0).sum())
    if n_unknown:
        warn_caller(
            f"Some inputs do not have OOB scores: {n_unknown} rows were drawn for every {voter}. Their out-of-bag "
            "predictions are NaN, and oob_score_ leaves them out. Increase n_estimators."
        )
    with np.errstate(invalid="ignore"):
        return votes.sums / votes.n[:, None, None]


class JudgedForest(ForestModel):
    """A forest of trees that have not seen some of the training rows, which can judge them."""

    _bags: Bags | PooledBags | None
    _n_rows: int

    def _judge(self, table: Table, target: Target, team: Team) -> None:
        """What is learnt of the rows that trees have not seen."""
        from spinney.ensemble.out_of_bag import count_votes

        self._check_pooled("oob_score=True")
        count = table.count_votes if isinstance(table, RowsElsewhere) else partial(count_votes, table=table, team=team)
        votes = count(self.forest_, in_bag=self._in_bag, answers=self._says())
        answers = mean_votes(votes, "tree")
        truth = target.labels if target.y is None else target.y
        assert truth is not None
        self._keep_oob(answers, truth, votes.n > 0)

    def _check_pooled(self, what: str) -> None:
        """Merged forests judge rows out of bag only if all have drawn from these."""
        if not getattr(self._bags, "share_rows", True):
            raise ValueError(f"{what}: the forests that were merged have not drawn from the same rows.")

    def _in_bag(self, k: int) -> np.ndarray:
        """How often each training row was drawn for a tree."""
        return np.ones(self._n_rows, np.int64) if self._bags is None else self._bags.counts(k)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown on, int32, repeated as often as they were drawn."""
        check_is_fitted(self, "forest_")
        counts = (self._in_bag(k) for k in range(self.forest_.n_trees))
        return [np.repeat(np.arange(len(one), dtype=np.int32), one) for one in counts]

    def oob_permutation_importances(self, X: Any, y: Any, random_state: Any = 0, groups: Any = None) -> Bunch:
        """How much worse the trees are on rows they have not seen when a column is shuffled.

        Each tree is judged on its own out-of-bag rows, by misclassification or squared error, before and after the
        values of one column are exchanged among these. Unlike `feature_importances_` this is not drawn to columns of
        many values, and what a tree has merely learnt by heart counts for nothing.

        Parameters
        ----------
        X, y
            The rows that the forest was fitted on, in the same order.
        random_state : int, RandomState or None, default 0
        groups : list of lists of column numbers, optional
            Columns that are shuffled together; each by itself by default.

        Returns
        -------
        Bunch with `importances` (n_features or n_groups, n_estimators), `importances_mean` and `importances_std`
        """
        from spinney.ensemble.out_of_bag import permutation_importances

        table = self._read(X)
        if self._bags is None:
            raise ValueError("out-of-bag importances need bootstrap=True: without it every tree has seen every row.")
        self._check_pooled("out-of-bag importances")
        if table.n_rows != self._n_rows:
            raise ValueError(f"X must be the {self._n_rows} rows that the forest was fitted on, got {table.n_rows}.")
        error = self._error(y, table.n_rows)
        with self._team(table.n_rows) as team:
            seed = read_seed(random_state)
            each = permutation_importances(self.forest_, table, self._in_bag, error, seed, team, groups)
        return Bunch(
            importances=each, importances_mean=np.nanmean(each, axis=1), importances_std=np.nanstd(each, axis=1)
        )


class QuantileForest(NumberForest):
    """A forest that may know the targets of the training rows in its leaves."""

    _leaf_targets: LeafTargets

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Quantiles of the target for each row, from the training rows in its leaves. Needs `keep_targets=True`.

        Each tree spreads a weight of 1 over the training rows that share the row's leaf; a quantile is the least target
        at or below which at least that share of the whole weight lies.

        Parameters
        ----------
        X : table
        quantiles : float or sequence of floats from 0 to 1

        Returns
        -------
        ndarray of shape (n_samples, n_quantiles); (n_samples,) for a single number; with several outputs
        (n_samples, n_outputs, n_quantiles)
        """
        from spinney.ensemble.quantiles import forest_quantiles

        table = self._read(X)
        if not hasattr(self, "_leaf_targets"):
            raise ValueError("predict_quantiles needs the targets of the training rows: fit with keep_targets=True.")
        wanted = np.atleast_1d(np.asarray(quantiles, np.float64))
        if wanted.ndim != 1 or len(wanted) == 0 or not ((wanted >= 0.0) & (wanted <= 1.0)).all():
            raise ValueError(f"quantiles must be numbers from 0 to 1, got {quantiles!r}.")
        order = np.argsort(wanted, kind="stable")
        with self._team(table.n_rows) as team:
            found = forest_quantiles(self.forest_, self._leaf_targets, table, wanted[order], team)
        found[:, :, order] = found.copy()
        found = found[:, 0] if self.n_outputs_ == 1 else found
        return found[..., 0] if np.ndim(quantiles) == 0 else found
