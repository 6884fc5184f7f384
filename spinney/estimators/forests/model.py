"""Methods of all fitted forests: prediction, leaves, importances, out-of-bag scores, quantiles."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from spinney._warnings import warn_caller
from spinney.data.remote_table import RemoteRows
from spinney.data.schema import Schema
from spinney.estimators.base import Explained, TableClassifier, TableModel, TableRegressor
from spinney.estimators.docstrings import (
    LABELS_OF_OUTPUTS,
    LEAVES,
    LOCAL,
    NUMBERS_OF_OUTPUTS,
    PATHS,
    PROBABILITIES_OF_OUTPUTS,
    documented,
)
from spinney.estimators.params import read_seed
from spinney.estimators.streaming import row_by_row
from spinney.gpu import model_methods as on_gpu
from spinney.tree.formula import Formula, mean_of_trees, not_of_trees

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.data.target import Target
    from spinney.ensemble.forests.bootstrap import Bags, PooledBags
    from spinney.ensemble.forests.out_of_bag import Votes
    from spinney.ensemble.forests.quantiles import LeafTargets
    from spinney.tree.forest import Forest


# what follows from the members and their training rows, until they change
FOLLOWS = ("estimators_", "feature_importances_", "_ballots", "oob_score_", "oob_decision_function_", "oob_prediction_")


_EXAMPLE = """
>>> from spinney import RandomForestClassifier
>>> X, y = [[0], [0], [1], [1]], ["a", "a", "b", "b"]
>>> forest = RandomForestClassifier(10, bootstrap=False).fit(X, y)
"""


class ForestModel(Explained, TableModel):
    """A model that averages the predictions of the trees of a `Forest`."""

    forest_: Forest

    def _keep(self, schema: Schema, forest: Forest) -> None:
        """Set the fitted attributes of all forests."""
        self._keep_schema(schema)
        self.forest_, self.n_outputs_ = forest, int(forest.answers.shape[1])
        for name in FOLLOWS:
            self.__dict__.pop(name, None)

    def with_forest(self, forest: Forest) -> Any:
        """Return a copy with other trees, for internal use."""
        other = copy(self)
        other._keep(self._schema, forest)
        other.__dict__.pop("_leaf_targets", None)
        return other

    def _still_to_fit(self, n_before: int, members: str = "trees") -> range:
        """The numbers of the members that a warm start adds to those of the previous fit."""
        if self.n_estimators < n_before:
            raise ValueError(
                f"with warm_start=True n_estimators must not fall: it was {n_before} and is {self.n_estimators}."
            )
        if self.n_estimators == n_before:
            warn_caller(f"Warm-start fitting without increasing n_estimators does not fit new {members}.")
        return range(n_before, self.n_estimators)

    def _team(self, n_rows: int) -> Team:
        """Threads that send rows down all trees."""
        return self._make_team("descend many", n_rows * self.forest_.n_trees)

    def _mean_answers(self, X: Any) -> np.ndarray:
        """The mean of the trees' predictions, (rows, outputs, classes or 1)."""
        if isinstance(X, on_gpu.SummedTable):
            return X.means(self.forest_)
        table = self._read(X)
        if table.is_one_row():
            return self.forest_.one_row.sums(table, self.node_answers()) / self.forest_.n_trees
        from spinney.tree.descend import sum_answers

        says = self.node_answers()
        with self._team(table.n_rows) as team:
            return sum_answers(self.forest_, table, team, answers=says) / self.forest_.n_trees

    def node_answers(self) -> np.ndarray | None:
        """Return what nodes predict, if not what `forest_` says, for internal use."""
        return None

    def _formula(self) -> Formula:
        if "forest_" not in vars(self):
            raise not_of_trees(self)  # bagging of other models
        forest, says = self.forest_, self.node_answers()
        return mean_of_trees(self._facts(self._schema, forest), forest, forest.answers if says is None else says)

    def _keep_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        raise NotImplementedError

    def _row_order(self) -> np.ndarray:
        """Training rows in an order by their contents."""
        raise NotImplementedError

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        """A function that measures the error of predictions for some rows of y."""
        raise NotImplementedError

    @row_by_row(on_gpu.forest_leaves)
    @documented(returns=LEAVES, setup=_EXAMPLE)
    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row in each tree.

        Examples
        --------
        >>> forest.apply(X).shape
        (4, 10)
        """
        from spinney.tree.descend import leaves_of_rows

        table = self._read(X)
        with self._team(table.n_rows) as team:
            return leaves_of_rows(self.forest_, table, team)

    @row_by_row()
    @documented(LOCAL, returns=PATHS, setup=_EXAMPLE)
    def decision_path(self, X: Any) -> tuple[csr_matrix, np.ndarray]:
        """Return the nodes on the path of each row in each tree.

        Examples
        --------
        >>> indicator, n_nodes_ptr = forest.decision_path(X)
        >>> indicator.shape, n_nodes_ptr[:3].tolist()
        ((4, 30), [0, 3, 6])
        """
        leaves = self.apply(X)
        return self.forest_.paths(leaves), self.forest_.first.copy()

    @cached_property
    def estimators_(self) -> list[Any]:
        """The trees as fitted estimators, created from `forest_` on first access."""
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
        """Each column's fraction of the impurity decrease, averaged over the trees. They add up to 1."""
        check_is_fitted(self, "forest_")
        from spinney.tree.importance import mean_shares

        return mean_shares(self.forest_)

    def _fingerprint(self) -> str:
        return self.forest_.fingerprint

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "forest_")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in FOLLOWS:
            state.pop(name, None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ClassForest(TableClassifier, ForestModel):
    """A forest for classification, which averages its trees' probabilities or counts their votes."""

    _calibrates_by = ", or fit it with oob_score=True"

    classes_: Any
    n_classes_: Any
    voting: str

    def node_answers(self) -> np.ndarray | None:
        """Return the nodes' votes, if they vote, for internal use."""
        return self._ballots if self.voting == "hard" else None

    @cached_property
    def _ballots(self) -> np.ndarray:
        """The vote of every node: a one for its most common class; ties go to the first."""
        answers = self.forest_.answers
        ballots = np.zeros_like(answers)
        np.put_along_axis(ballots, answers.argmax(axis=2)[:, :, None], 1, axis=2)
        return ballots

    @row_by_row(on_gpu.forest_probabilities)
    @documented(returns=PROBABILITIES_OF_OUTPUTS, setup=_EXAMPLE)
    def predict_proba(self, X: Any) -> Any:
        """Predict class probabilities.

        They are the means of the class fractions in the trees' leaves, or with `voting="hard"` the fractions of votes.

        Examples
        --------
        >>> forest.predict_proba([[0], [2]])
        array([[1., 0.],
               [0., 1.]])
        """
        return self._split_outputs(self._mean_answers(X))

    def _split_outputs(self, answers: np.ndarray) -> Any:
        if self.n_outputs_ == 1:
            return answers[:, 0, :]
        return [answers[:, o, : self.n_classes_[o]] for o in range(self.n_outputs_)]

    @row_by_row(on_gpu.forest_classes)
    @documented(returns=LABELS_OF_OUTPUTS, setup=_EXAMPLE)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class, or with `voting="hard"` the class with the most votes.

        Examples
        --------
        >>> forest.predict([[0], [2]]).tolist()
        ['a', 'b']
        """
        return self._name(self._mean_answers(X).argmax(axis=2))

    def _name(self, winner: np.ndarray) -> np.ndarray:
        """Labels of classes by number, (rows, outputs)."""
        if self.n_outputs_ == 1:
            return self.classes_[winner[:, 0]]
        return np.column_stack([self.classes_[o][winner[:, o]] for o in range(self.n_outputs_)])

    def _keep_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        """Set the out-of-bag attributes; `truth` is class indices, (outputs, rows)."""
        many_alike = self.n_outputs_ > 1 and len(set(self.n_classes_)) == 1
        # (rows, classes, outputs) as in scikit-learn, which raises for outputs of different numbers of classes
        self.oob_decision_function_ = answers.transpose(0, 2, 1) if many_alike else self._split_outputs(answers)
        labels, guess = self._name(truth[:, known].T), self._name(answers[known].argmax(axis=2))
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(labels, guess)
        elif self.n_outputs_ == 1:
            self.oob_score_ = accuracy_score(labels, guess)
        else:
            self.oob_score_ = float(np.mean((labels == guess).all(axis=1)))

    def _calibrate_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        """Keep the scores of out-of-bag rows, for `predict_set`."""
        from spinney.ensemble.conformal import by_scores, class_scores, some_rows_of

        if self.n_outputs_ == 1 and known.any():
            rows = some_rows_of(self._row_order(), known)
            self._calibration = by_scores("oob", class_scores(answers[rows, 0], truth[0, rows].astype(np.int64)))

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


class NumberForest(TableRegressor, ForestModel):
    """A forest for regression, which averages its trees' predictions."""

    _calibrates_by = ", or fit it with oob_score=True"

    @row_by_row(on_gpu.forest_numbers)
    @documented(returns=NUMBERS_OF_OUTPUTS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the mean of the trees' predictions.

        Examples
        --------
        >>> from spinney import RandomForestRegressor
        >>> RandomForestRegressor(10, bootstrap=False).fit([[0], [1]], [2.0, 4.0]).predict([[0], [1]])
        array([2., 4.])
        """
        answers = self._mean_answers(X)[:, :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers

    def _keep_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        """Set the out-of-bag attributes; `truth` is numbers, (outputs, rows)."""
        guess, numbers = answers[:, :, 0], truth.T
        self.oob_prediction_ = guess[:, 0] if self.n_outputs_ == 1 else guess
        score = self.oob_score if callable(self.oob_score) else r2_score
        pairs = numbers[known], guess[known]
        self.oob_score_ = score(*(one[:, 0] if self.n_outputs_ == 1 else one for one in pairs))

    def _calibrate_oob(self, answers: np.ndarray, truth: np.ndarray, known: np.ndarray) -> None:
        """Keep the residuals of out-of-bag rows, for `predict_interval`."""
        from spinney.ensemble.conformal import ConformalScores, some_rows_of

        if self.n_outputs_ == 1 and known.any():
            rows = some_rows_of(self._row_order(), known)
            residuals = np.abs(truth[0, rows] - answers[rows, 0, 0])
            self._calibration = ConformalScores("jackknife+", residuals, rows=rows)

    def answers_of_members(self, X: Any) -> np.ndarray:
        """Return what each tree answers, for internal use."""
        from spinney.tree.descend import sum_answers

        table = self._read(X)
        with self._team(table.n_rows) as team:
            each = [sum_answers(self.forest_, table, team, range(k, k + 1)) for k in range(self.forest_.n_trees)]
        return np.concatenate([one[:, 0] for one in each], axis=1)

    def _unseen(self, rows: np.ndarray) -> np.ndarray:
        return np.column_stack([self._in_bag(k)[rows] == 0 for k in range(len(self))])

    def _error(self, y: Any, n_rows: int) -> Callable[[np.ndarray, np.ndarray], float]:
        truth = np.asarray(y, np.float64).reshape(n_rows, -1)
        return lambda answers, rows: float(np.mean((answers[:, :, 0] - truth[rows]) ** 2))


def mean_votes(votes: Votes, voter: str) -> np.ndarray:
    """The mean out-of-bag prediction of each row; NaN, with a warning, for rows that every member has seen."""
    n_unknown = int((votes.n == 0).sum())
    if n_unknown == len(votes.n):
        raise ValueError(
            f"oob_score needs rows that are not in the sample of every {voter}, and there are none. Increase "
            "n_estimators, or set oob_score=False."
        )
    if n_unknown:
        warn_caller(
            f"Some inputs do not have OOB scores: {n_unknown} rows are in the sample of every {voter}. Their "
            "out-of-bag predictions are NaN, and oob_score_ leaves them out. Increase n_estimators."
        )
    with np.errstate(invalid="ignore"):
        return votes.sums / votes.n[:, None, None]


class JudgedForest(ForestModel):
    """A forest that can be evaluated on the out-of-bag rows of its trees."""

    _bags: Bags | PooledBags | None
    _n_rows: int

    def _judge(self, table: Table, target: Target, team: Team) -> None:
        """Compute the out-of-bag predictions and score."""
        from spinney.ensemble.forests.out_of_bag import count_votes

        self._check_pooled("oob_score_")
        count = table.count_votes if isinstance(table, RemoteRows) else partial(count_votes, table=table, team=team)
        votes = count(self.forest_, in_bag=self._in_bag, answers=self.node_answers())
        answers = mean_votes(votes, "tree")
        truth = target.values
        self._keep_oob(answers, truth, votes.n > 0)
        total = target.weights.total()
        self._calibrate_oob(answers, truth, votes.n > 0 if total is None else (votes.n > 0) & (total > 0))

    def _row_order(self) -> np.ndarray:
        """Training rows in an order by their contents."""
        bags = getattr(self._bags, "bags", [self._bags])[0]
        assert bags is not None
        order: np.ndarray = bags.order
        return order

    def _check_pooled(self, what: str) -> None:
        """Raise for merged forests that were sampled from different rows."""
        if not getattr(self._bags, "share_rows", True):
            raise ValueError(
                f"{what} cannot be computed: the merged forests were sampled from different rows. Use held-out rows."
            )

    def _formula(self) -> Formula:
        return replace(super()._formula(), samples=None if self._bags is None else self._in_bag)

    def _in_bag(self, k: int) -> np.ndarray:
        """How often each training row is in the sample of a tree."""
        return np.ones(self._n_rows, np.int64) if self._bags is None else self._bags.counts(k)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree was grown on, as int32, repeated as often as they were sampled."""
        check_is_fitted(self, "forest_")
        counts = (self._in_bag(k) for k in range(self.forest_.n_trees))
        return [np.repeat(np.arange(len(one), dtype=np.int32), one) for one in counts]

    def oob_permutation_importances(self, X: Any, y: Any, random_state: Any = 0, groups: Any = None) -> Bunch:
        """Compute permutation importances on out-of-bag rows.

        Each tree is evaluated on its own out-of-bag rows, by misclassification rate or squared error, before and after
        the values of one column are shuffled among these rows. Unlike `feature_importances_`, the result is not biased
        towards columns with many values and does not include overfitting.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The rows that the forest was fitted on, in the same order.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.
        random_state : int, RandomState or None, default=0
            Seed of the permutations.
        groups : list of lists of int, default=None
            Numbers of columns that are shuffled together. None shuffles each column on its own.

        Returns
        -------
        result : Bunch
            `importances`, the increase in error, of shape (n_features or n_groups, n_estimators);
            `importances_mean` and `importances_std`, over the trees.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
        >>> forest.oob_permutation_importances(X, y).importances_mean.shape
        (4,)
        """
        from spinney.ensemble.forests.out_of_bag import permutation_importances

        table = self._read(X)
        if self._bags is None:
            raise ValueError(
                "out-of-bag importances need bootstrap=True: without bootstraps every tree is grown on all rows. Fit "
                "with bootstrap=True, or use feature_importances_."
            )
        self._check_pooled("out-of-bag importances")
        if table.n_rows != self._n_rows:
            raise ValueError(
                f"X must be the {self._n_rows} rows that the forest was fitted on, got {table.n_rows} rows."
            )
        error = self._error(y, table.n_rows)
        with self._team(table.n_rows) as team:
            seed = read_seed(random_state)
            each = permutation_importances(self.forest_, table, self._in_bag, error, seed, team, groups)
        return Bunch(
            importances=each, importances_mean=np.nanmean(each, axis=1), importances_std=np.nanstd(each, axis=1)
        )


class QuantileForest(NumberForest):
    """A regression forest that may store the targets of the training rows in its leaves."""

    _leaf_targets: LeafTargets

    @row_by_row()
    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Predict quantiles of the target. The forest must be fitted with `keep_targets=True`.

        Each tree distributes a weight of 1 over the training rows that share the row's leaf. A quantile is the smallest
        target at or below which at least that fraction of the total weight lies.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        quantiles : float or sequence of floats, default=(0.05, 0.5, 0.95)
            The quantiles, from 0 to 1.

        Returns
        -------
        y : ndarray of shape (n_samples, n_quantiles)
            The predicted quantiles, (n_samples,) for a single float. With several outputs, the outputs come before the
            quantiles: (n_samples, n_outputs, n_quantiles).

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from spinney import RandomForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = RandomForestRegressor(50, keep_targets=True, random_state=0).fit(X, y)
        >>> forest.predict_quantiles(X[:2], [0.1, 0.9]).shape
        (2, 2)
        """
        from spinney.ensemble.forests.quantiles import forest_quantiles

        table = self._read(X)
        if not hasattr(self, "_leaf_targets"):
            raise ValueError(
                "predict_quantiles needs the targets of the training rows, which the forest does not have: fit with "
                "keep_targets=True."
            )
        wanted = np.atleast_1d(np.asarray(quantiles, np.float64))
        if wanted.ndim != 1 or len(wanted) == 0 or not ((wanted >= 0.0) & (wanted <= 1.0)).all():
            raise ValueError(f"quantiles must be numbers from 0 to 1, got {quantiles!r}.")
        order = np.argsort(wanted, kind="stable")
        with self._team(table.n_rows) as team:
            found = forest_quantiles(self.forest_, self._leaf_targets, table, wanted[order], team)
        found[:, :, order] = found.copy()
        found = found[:, 0] if self.n_outputs_ == 1 else found
        return found[..., 0] if np.ndim(quantiles) == 0 else found
