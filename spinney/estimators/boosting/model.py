"""Methods of fitted boosted models: raw scores, predictions, importances, and their rounds one by one.

In:  a fitted model (fit.py), which has a `_booster`, and a table. No algorithm in here: see
tree/predict_boosted.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.estimators.base import Explained, TableRegressor, frame_of_records, frame_of_row, hash_of
from spinney.estimators.boosting.fit import BoostingFit, read_offset
from spinney.estimators.docstrings import LOCAL, documented
from spinney.estimators.params import defaults_of, keep_parameters
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.estimators.trees.model import TreeModel
from spinney.gpu import model_methods as on_gpu
from spinney.tree.formula import Formula, ScoresBefore
from spinney.tree.importance import importances

if TYPE_CHECKING:
    from typing import Self

    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.ensemble.boosting.booster import Booster
    from spinney.tree.decision import DecisionTree
    from spinney.tree.forest import Forest


EXAMPLE = """
>>> from sklearn.datasets import make_regression
>>> from spinney import GradientBoostingRegressor
>>> X, y = make_regression(random_state=0)
>>> model = GradientBoostingRegressor(n_estimators=10).fit(X, y)
"""


_TEXTBOOK: dict[str, Any] = {  # plain gradient boosting
    "learning_rate": 0.1,
    "n_estimators": 100,
    "max_depth": 3,
    "max_leaf_nodes": None,
    "min_samples_leaf": 1,
    "min_child_weight": 0.0,
    "l2_regularization": 0.0,
    "category_l2": 0.0,
    "category_smoothing": 0.0,
    "min_samples_category": 1,
    "max_bins": None,
}


# ----------------------------------------------------------------------------------------------------------------------
# Rounds: a model's trees one by one, its first rounds as a model, the paths of rows.
#
# In: a fitted model, which has a `_booster` and a `_schema`. No algorithm in here.


class BoostedTreeModel(TableRegressor, TreeModel):
    """One tree of a boosted model; `predict` gives what it adds to the raw score."""

    _origin: tuple[Booster, int]

    def __init__(
        self,
        *,
        criterion: str = "friedman_mse",
        max_depth: int | None = None,
        max_features: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_samples_leaf: Any = 1,
        min_samples_split: Any = 2,
        min_weight_fraction_leaf: float = 0.0,
        ccp_alpha: float = 0.0,
        random_state: Any = None,
    ) -> None:
        keep_parameters(self, locals())

    @cached_property
    def tree_(self) -> DecisionTree:  # type: ignore[override]
        if not hasattr(self, "_origin"):
            raise AttributeError("a single tree of a boosted model is not fitted. Fit the whole model.")
        booster, number = self._origin
        return booster.forest.tree(number)

    @known_arguments
    def fit(self, X: Any = None, y: Any = None) -> None:
        raise TypeError("a single tree of a boosted model cannot be fitted. Fit the whole model.")

    @row_by_row()
    def predict(self, X: Any) -> np.ndarray:
        """Return what the tree adds to the raw score of each row."""
        table = self._read(X)
        forest = self.tree_.forest
        if not forest.is_linear:
            return self.tree_.answers[self._leaves(table), 0, 0]
        from spinney.tree.descend import add_values

        scores = np.zeros((1, table.n_rows))
        with self._make_team("descend", table.n_rows) as team:
            add_values(forest, table, range(1), scores, team)
        return scores[0]

    def __getstate__(self) -> dict[str, Any]:
        """With this tree alone."""
        state: dict[str, Any] = {**super().__getstate__(), "tree_": self.tree_}
        state.pop("_origin", None)
        return state


def tree_model(booster: Booster, number: int, schema: Schema, parameters: dict[str, Any]) -> BoostedTreeModel:
    """A model of one tree, which is read from the store when first asked for."""
    model = BoostedTreeModel(**parameters)
    model._origin, model._schema = (booster, number), schema
    model.n_features_in_, model.n_outputs_ = schema.n_columns, 1
    if schema.names is not None:
        model.feature_names_in_ = schema.names
    return model


class FittedRounds:
    """What a boosted model shows of its rounds."""

    _booster: Booster
    _schema: Schema

    @property
    def estimators_(self) -> np.ndarray:
        """The trees, of shape (n_rounds, n_outputs); each has `tree_`, `predict`, `apply` and `decision_path`."""
        booster = self._need_rounds()
        trees = np.empty((booster.n_rounds, booster.n_outputs), object)
        for k in range(len(trees)):
            trees[k] = self._round(k)
        return trees

    def _need_rounds(self) -> Booster:
        """The booster; an AttributeError where there is none, so that fitted attributes are not there before fit."""
        if not hasattr(self, "_booster"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return self._booster

    def _round(self, k: int) -> np.ndarray:
        """The trees of a round, one per output."""
        trees, parameters = np.empty(self._booster.n_outputs, object), self._tree_parameters()
        for output in range(len(trees)):
            trees[output] = tree_model(self._booster, k * len(trees) + output, self._schema, parameters)
        return trees

    def _tree_parameters(self) -> dict[str, Any]:
        """The parameters of the model that its trees have, too, with "auto" resolved."""
        names = defaults_of(BoostedTreeModel)
        return {name: getattr(self, f"{name}_", getattr(self, name)) for name in names}

    def __len__(self) -> int:
        """Return the number of rounds."""
        check_is_fitted(self)
        return self._booster.n_rounds

    def __bool__(self) -> bool:
        return True  # a model is something even before it is fitted

    def __iter__(self) -> Iterator[np.ndarray]:
        """Iterate over the rounds; each is an array with one tree per output."""
        check_is_fitted(self)
        return (self._round(k) for k in range(len(self)))

    def __getitem__(self, rounds: Any) -> Any:
        """Return the trees of a round, or the model of the first rounds.

        `model[k]` is an array of the trees of round k, one per output, `model[k, output]` is one of them, and
        `model[:k]` is the model of the first k rounds.
        """
        check_is_fitted(self)
        if isinstance(rounds, slice):
            return self._first_rounds(rounds)
        if isinstance(rounds, tuple) and len(rounds) == 2 and not any(isinstance(one, slice) for one in rounds):
            return self[rounds[0]][rounds[1]]
        try:
            k, n = index(rounds), len(self)
        except TypeError:
            raise TypeError(
                f"rounds must be integers or slices, as in model[3], model[3, 0] or model[:3], got {rounds!r}."
            ) from None
        if not -n <= k < n:
            raise IndexError(f"round must be from 0 to {n - 1}, got {rounds!r}.")
        return self._round(k % n)

    def _first_rounds(self, rounds: slice) -> Any:
        start, stop, step = rounds.indices(len(self))
        if start != 0 or step != 1 or stop < 1:
            raise ValueError(
                f"model[{_written(rounds)}] is not supported: each tree is fitted on the residuals of the trees before "
                "it. Use model[:k] with k of at least 1, the model of the first k rounds."
            )
        other: Any = copy(self)
        other._booster = self._booster.cut(stop)
        if stop < len(self):
            other.__dict__.pop("_calibration", None)
        other.n_estimators = other.n_iter_ = other.best_iteration_ = stop
        other.max_iter = None if self.max_iter is None else stop  # type: ignore[attr-defined]
        for name in ("train_score_", "oob_scores_", "oob_improvement_"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name)[:stop])
        if hasattr(other, "oob_scores_"):
            other.oob_score_ = float(other.oob_scores_[-1])
        other.validation_score_ = self.validation_score_[: stop + 1]  # type: ignore[attr-defined]
        other.evals_result_ = {
            name: {metric: values[:stop] for metric, values in one.items()}
            for name, one in self.evals_result_.items()  # type: ignore[attr-defined]
        }
        return other

    @property
    def forest_(self) -> Forest:
        """The storage of all trees, by rounds, and within a round in the order of the classes."""
        check_is_fitted(self)
        return self._booster.forest

    def with_forest(self, forest: Forest) -> Any:
        """Return a copy with other trees, for internal use."""
        other: Any = copy(self)
        other._booster = replace(self._booster, forest=forest)
        other.__dict__.pop("estimators_", None)
        return other

    @documented(LOCAL, setup=EXAMPLE)
    def decision_path(self, X: Any) -> tuple[csr_matrix, np.ndarray]:
        """Return the nodes that each row passes in each tree.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
            Ones at the nodes, which are those of all trees.
        n_nodes_ptr : ndarray of shape (n_trees + 1,)
            First column of each tree in `indicator`. Trees are ordered by rounds, and within a round by classes.

        Examples
        --------
        >>> indicator, n_nodes_ptr = model.decision_path(X)
        >>> indicator.shape == (100, n_nodes_ptr[-1])
        True
        """
        leaves = self.apply(X)  # type: ignore[attr-defined]
        forest = self._booster.forest
        return forest.paths(leaves.reshape(len(leaves), -1)), forest.first.copy()


def _written(rounds: slice) -> str:
    start, stop = ("" if at is None else repr(at) for at in (rounds.start, rounds.stop))
    return f"{start}:{stop}" if rounds.step is None else f"{start}:{stop}:{rounds.step!r}"


_KINDS_OF_XGBOOST = {"total_gain": "gain", "weight": "split", "total_cover": "cover"}


class BoostedModel(Explained, FittedRounds, BoostingFit):
    """A model that is a `Booster`."""

    _calibrates_by = ', or fit it with n_estimators="auto" or early stopping on at least 100 rows'

    takes_opened_tables = True  # see data/opened_table.py
    _predicts_by_codes = True

    # --- predict ---------------------------------------------------------------------------------------------------

    def _raw(self, X: Any, init_score: Any = None) -> np.ndarray:
        """Raw scores (outputs, rows)."""
        if self._known is not None and X is self._known[0]:
            return self._known[1]
        table, booster = self._read(X), self._booster
        start = self.start_scores(X, init_score, table.n_rows)
        if table.n_rows == 1 and table.is_one_row():
            return booster.forest.one_row.scores(table, start.reshape(-1))
        from spinney.tree.predict_boosted import raw_scores

        with self._team(table) as team:
            if self.device != "cpu" and (there := self._raw_by_gpu(table, start, team)) is not None:
                return there
            return raw_scores(booster.forest, table, start, range(booster.forest.n_trees), team)

    def _raw_by_gpu(self, table: Table, start: np.ndarray, team: Team) -> np.ndarray | None:
        """The same by the GPU, where that is faster; else None."""
        from spinney.gpu import raw_scores_by

        return raw_scores_by(self.device, self._booster.forest, table, start, team)

    def start_scores(self, X: Any, init_score: Any, n_rows: int) -> np.ndarray:
        """Return what the trees are added to, (outputs,) or (outputs, rows), for internal use."""
        start = self._booster.start
        if init_score is None and self._init is None:
            return start
        offset = read_offset(init_score, n_rows, self._booster)
        if self._init is not None:
            offset = self._initial(self.fitted_loss).of(X, offset)
        return start if offset is None else start[:, None] + offset

    def _scores_before(self, X: Any, n_rows: int) -> np.ndarray:
        return self.start_scores(X, None, n_rows)

    def _staged_raw(self, X: Any, init_score: Any = None) -> Iterator[np.ndarray]:
        """Raw scores after each round; the same array, growing."""
        from spinney.tree.predict_boosted import add_scores

        table, booster = self._read(X), self._booster
        scores = np.empty((booster.n_outputs, table.n_rows))
        start = self.start_scores(X, init_score, table.n_rows)
        scores[:] = start[:, None] if start.ndim == 1 else start
        with self._team(table) as team:
            codes = table.encode(booster.bins, team)
            for first in range(0, booster.forest.n_trees, booster.n_outputs):
                add_scores(booster.forest, codes, range(first, first + booster.n_outputs), scores, team)
                yield scores

    def _formula(self) -> Formula:
        from spinney.criteria.losses import kind_of

        booster, loss = self._booster, kind_of(self.fitted_loss)
        two_classes = isinstance(self, ClassifierMixin) and len(booster.start) == 1
        link = "exp" if loss.link == "exp" else "identity"
        if getattr(self.loss, "inverse_link", None) is not None:
            link = "own"
        elif isinstance(self, ClassifierMixin):
            link = "logistic" if two_classes else "softmax"
        return Formula(
            **self._facts(self._schema, booster.forest),
            values=booster.forest.answers[:, 0].astype(np.float64),
            start=booster.start,
            link=link,
            scale=loss.link_scale if two_classes else 1.0,
            initial=None if self._init is None else ScoresBefore(type(self._init).__name__, self._scores_before),
            loss=self.fitted_loss,
            raw=self._raw,
        )

    def _row(self, row: Any) -> Any:
        """One row as a table; as the initial estimator can read it, if there is one."""
        return super()._row(row) if self._init is None else frame_of_row(self._schema, row)

    def _of_records(self, X: list[Any]) -> Any:
        """A list of dicts as a table; as the initial estimator can read it, if there is one."""
        return super()._of_records(X) if self._init is None else frame_of_records(self._schema, X)

    def _team(self, table: Table) -> Team:
        """For sending rows through all trees."""
        return self._make_team("descend many", table.n_rows * self._booster.forest.n_trees)

    def respond(self, raw: np.ndarray) -> np.ndarray:
        """Return the predictions of raw scores, or the probabilities (rows, classes), for internal use."""
        from spinney.ensemble.boosting.scoring import predictions

        return predictions(self.fitted_loss, isinstance(self, ClassifierMixin), raw)

    @row_by_row(on_gpu.boosted_leaves)
    @documented(setup=EXAMPLE)
    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf that each row reaches in each tree.

        Returns
        -------
        ndarray of shape (n_samples, n_rounds) or (n_samples, n_rounds, n_outputs)
            Node numbers. Classifiers have the last axis, with one tree per output, as in scikit-learn.

        Examples
        --------
        >>> model.apply(X).shape
        (100, 10)
        """
        from spinney.tree.predict_boosted import leaf_numbers

        table, booster = self._read(X), self._booster
        with self._team(table) as team:
            return leaf_numbers(booster.forest, table, team)

    def _fingerprint(self) -> str:
        own = self._booster.fingerprint
        if self._init is None:
            return own
        init = getattr(self._init, "fingerprint_", None) or joblib.hash(self._init)
        return hash_of([own.encode(), str(init).encode()])

    @property
    def fitted_loss(self) -> Any:
        """The loss of the fitted model, made again for a model that was loaded; for internal use."""
        if self._booster.loss is None:
            self._booster.loss = self._make_loss()
        return self._booster.loss

    # --- reading ---------------------------------------------------------------------------------------------------

    @classmethod
    def textbook(cls, **parameters: Any) -> Self:
        """Create a model with the defaults of textbooks and of scikit-learn's gradient boosting.

        These are 100 rounds, a learning rate of 0.1 and trees of depth 3 without further limits: no penalties, leaves
        of one row, every threshold (`max_bins=None`), unsmoothed categories. With squared error, each round is then a
        `DecisionTreeRegressor` fitted on the residuals of the rounds before.

        Parameters
        ----------
        **parameters : dict
            Parameters of the class, in place of these defaults.

        Returns
        -------
        model of the class
            An unfitted model, whose parameters can be changed like those of any other.

        Examples
        --------
        Three rounds are three trees fitted in turn:

        >>> import numpy as np
        >>> from spinney import DecisionTreeRegressor, GradientBoostingRegressor
        >>> random = np.random.RandomState(42)
        >>> X = random.rand(100, 1) - 0.5
        >>> y = 3 * X[:, 0] ** 2 + 0.05 * random.randn(100)
        >>> model = GradientBoostingRegressor.textbook(max_depth=2, n_estimators=3, learning_rate=1.0).fit(X, y)
        >>> residuals = y
        >>> for _ in range(3):
        ...     residuals = residuals - DecisionTreeRegressor(max_depth=2).fit(X, residuals).predict(X)
        >>> bool(np.abs(y - residuals - model.predict(X)).max() < 1e-12)
        True
        """
        return cls(**{**_TEXTBOOK, **parameters})

    @property
    def init_(self) -> Any:
        """The fitted initial estimator; without one, a dummy estimator that predicts the start value, or "zero"."""
        from spinney.ensemble.boosting.start import constant_init

        self._need_rounds()
        if self._init is not None or isinstance(self.init, str):
            return self._init or self.init
        classes = self.classes_ if isinstance(self, ClassifierMixin) else None
        return constant_init(self.respond(self._booster.start[:, None]), classes)

    @property
    def n_estimators_(self) -> int:
        """Number of rounds that the model predicts with."""
        return self._need_rounds().n_rounds

    @property
    def leaves_(self) -> str:
        """What leaves are: "constant" or "linear"."""
        return "linear" if self._need_rounds().forest.is_linear else "constant"

    @property
    def n_trees_per_iteration_(self) -> int:
        """Number of trees per round: one, or one per class with more than two classes."""
        return self._need_rounds().n_outputs

    @property
    def feature_importances_(self) -> np.ndarray:
        """Fraction of the total gain of all splits per column; they add up to 1."""
        return self.get_feature_importances("gain")

    def get_feature_importances(self, kind: str = "gain") -> np.ndarray:
        """Compute the importance of each column.

        Parameters
        ----------
        kind : {"gain", "split", "cover"}, default="gain"
            "gain" is the total gain of the column's splits, "split" is their number, and "cover" is the total hessian
            (for squared error: the number of samples) of their nodes. XGBoost's names of these three, "total_gain",
            "weight" and "total_cover", are accepted. (XGBoost's "gain" and "cover" are means per split.)

        Returns
        -------
        ndarray of shape (n_features,)
            Importances that add up to 1, or zeros if the model has no splits.

        Examples
        --------
        >>> from spinney import GradientBoostingClassifier
        >>> from spinney.datasets import load_penguins
        >>> X, y = load_penguins()
        >>> model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> model.get_feature_importances("split").shape == (X.shape[1],)
        True
        """
        check_is_fitted(self)
        kind = _KINDS_OF_XGBOOST.get(kind, kind)
        if kind not in ("gain", "split", "cover"):
            raise ValueError(f"kind must be 'gain', 'split' or 'cover', got {kind!r}.")
        total = importances(self._booster.forest, kind)
        return total / total.sum() if total.any() else total

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_booster")
