"""Imports models of other libraries: `from_xgboost`, `from_lightgbm`, `from_sklearn`.

In:  a file or a fitted model. Out: an `ImportedClassifier` or `ImportedRegressor`. Reading is done in `io/`; no
algorithm in here.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema, SchemaColumn
from spinney.data.tables import Table
from spinney.estimators.base import Explained, TableClassifier, TableModel, TableRegressor, hash_of
from spinney.estimators.docstrings import (
    LABELS_OF_OUTPUTS,
    NUMBERS_OF_OUTPUTS,
    PROBABILITIES_OF_OUTPUTS,
    documented,
)
from spinney.estimators.params import COMMON, described
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.gpu import model_methods as on_gpu
from spinney.io.imported import LINK_NAMES, Answering, Imported
from spinney.tree.forest import Forest
from spinney.tree.formula import Foreign, Formula, Reading, mean_of_trees
from spinney.tree.importance import importances, mean_shares
from spinney.tree.links import LINKS

# ----------------------------------------------------------------------------------------------------------------------
# Methods of imported models: raw scores, means of trees, leaves, importances.
#
# In:  an `Imported` (io/imported.py), and tables. No algorithm in here: rows are sent down the trees by `tree/`.


_CELLS = 1 << 22  # of a sparse table that are converted to a dense array at a time


_CLASSES = """
>>> from sklearn.datasets import load_iris
>>> from sklearn.ensemble import HistGradientBoostingClassifier
>>> from spinney import from_sklearn
>>> X, y = load_iris(return_X_y=True)
>>> model = from_sklearn(HistGradientBoostingClassifier(max_iter=5).fit(X, y))
"""


_NUMBERS = """
>>> from sklearn.datasets import load_diabetes
>>> from sklearn.ensemble import HistGradientBoostingRegressor
>>> from spinney import from_sklearn
>>> X, y = load_diabetes(return_X_y=True)
>>> model = from_sklearn(HistGradientBoostingRegressor(max_iter=5).fit(X, y))
"""


class ImportedModel(Explained, TableModel):
    """A model that was fitted by another library, with its trees in a `Forest`."""

    forest_: Forest
    _answering: Answering
    _reading: Reading
    n_outputs_: int
    source_: str
    objective_: str
    criterion: str

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    @known_arguments
    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> NoReturn:
        """Raise TypeError: imported models cannot be fitted."""
        raise TypeError(
            f"{type(self).__name__} holds a model that another library has fitted, and cannot be fitted again. Fit one "
            "of Spinney's own models, such as GradientBoostingClassifier, or import another model."
        )

    def _take(self, model: Imported) -> Any:
        """Set the fitted attributes from an imported model."""
        self._keep_schema(model.schema)
        self.forest_, self._answering, self._reading = model.forest, model.answering, model.reading
        self.source_, self.objective_, self.criterion = model.source, model.objective, model.criterion
        self.n_outputs_ = model.n_outputs
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "forest_" in vars(self)

    @property
    def reader_on_gpu(self) -> Any:
        """None if columns are read as no other model reads them, for internal use."""
        return self if self._reading.is_plain else None

    # --- predict ---------------------------------------------------------------------------------------------------

    def _read(self, X: Any) -> Table:
        """X as a table that the trees can read."""
        if not self._is_fitted():
            check_is_fitted(self)
        if not self._reading.numbered:
            table = super()._read(_named_alike(X, self._schema))
        else:
            table = self._plain_schema.read(_named_alike(X, self._schema), type(self).__name__)
        return self._reading.convert(table, self._schema)

    def _row(self, row: Any) -> Any:
        schema = self._plain_schema if self._reading.numbered else self._schema
        table = schema.read_row(row, type(self).__name__)
        return _Ready(self._reading.convert(table, self._schema))

    @property
    def _plain_schema(self) -> Schema:
        """The schema, with numbers for columns whose categories are known only by number."""
        numbered = set(self._reading.numbered)
        columns = (SchemaColumn(one.name) if j in numbered else one for j, one in enumerate(self._schema.columns))
        return Schema(tuple(columns))

    def _parts(self, X: Any) -> Any:
        """The table; a sparse one in dense parts."""
        if isinstance(X, _Ready):
            yield X.table
        elif not issparse(X):
            yield self._read(X)
        else:
            yield from self._sparse_parts(X)

    def _sparse_parts(self, X: Any) -> Any:
        check_is_fitted(self)
        self._schema.open(X, type(self).__name__)  # is it as wide as it should be?
        X, step = X.tocsr(), max(1, _CELLS // max(X.shape[1], 1))
        fill = np.nan if self._reading.unstored_is_missing else 0.0
        schema = Schema((SchemaColumn(None),) * X.shape[1])
        for start in range(0, X.shape[0], step):
            part = X[start : start + step].tocoo()
            values = np.full(part.shape, fill)
            values[part.row, part.col] = part.data
            yield self._reading.convert(schema.read(values, type(self).__name__), self._schema)

    def _raw(self, X: Any) -> np.ndarray:
        """Start values and the trees' sums, or their mean: (outputs, rows)."""
        if isinstance(X, on_gpu.SummedTable):
            return self._of_rounds(X.scores(self.forest_, self._answering.start))
        return np.concatenate([self._raw_of(table) for table in self._parts(X)], axis=1)

    def _raw_of(self, table: Table) -> np.ndarray:
        from spinney.tree.predict_boosted import raw_scores
        from spinney.tree.recode import recoded

        forest, start = self.forest_, self._answering.start
        if table.is_one_row():
            raw = forest.one_row.scores(table, start)
        else:
            quick = recoded(forest)
            if quick is not None:
                forest, table = quick.forest, quick.table(table)
            with self._make_team("descend many", table.n_rows * forest.n_trees) as team:
                raw = raw_scores(forest, table, start, range(forest.n_trees), team)
        return self._of_rounds(raw)

    def _of_rounds(self, raw: np.ndarray) -> np.ndarray:
        return raw / self._n_rounds if self._answering.averages else raw

    def _means(self, X: Any) -> np.ndarray:
        """The trees' mean predictions, (rows, outputs, classes or 1)."""
        if isinstance(X, on_gpu.SummedTable):
            return X.means(self.forest_)
        return np.concatenate([self._means_of(table) for table in self._parts(X)])

    def _means_of(self, table: Table) -> np.ndarray:
        from spinney.tree.descend import sum_answers
        from spinney.tree.recode import recoded

        forest = self.forest_
        if table.is_one_row():
            return forest.one_row.sums(table) / forest.n_trees
        quick = recoded(forest)
        if quick is not None:
            forest, table = quick.forest, quick.table(table)
        with self._make_team("descend many", table.n_rows * forest.n_trees) as team:
            return sum_answers(forest, table, team) / forest.n_trees

    def _formula(self) -> Formula:
        forest, answering, name = self.forest_, self._answering, type(self).__name__
        if forest.n_trees == 0:
            raise TypeError(
                f"this {name} has no trees: it predicts the same for every row, so there is nothing to export."
            )
        facts = self._facts(self._schema, forest) | {"tables": self._parts}
        if forest.n_classes is not None or forest.n_outputs > 1:
            return mean_of_trees(facts, forest, forest.answers)
        link, scale = LINK_NAMES[answering.link], float(answering.scale)
        if link != "logistic" and scale != 1.0:
            raise TypeError(
                f"this {name} multiplies raw scores by {scale} before the link {answering.link!r}: only sigmoids of "
                "such scores can be exported."
            )
        return Formula(
            **facts,
            values=forest.answers[:, 0].astype(np.float64),
            start=np.asarray(answering.start, np.float64),
            link=link,
            divisor=float(self._n_rounds) if answering.averages else 1.0,
            scale=scale,
            foreign=Foreign(self._reading, answering.start.dtype == np.float32, answering.second_from),
            raw=self._raw,
        )

    def _respond(self, raw: np.ndarray) -> np.ndarray:
        """Predictions (outputs, rows) from raw scores."""
        link = LINK_NAMES[self._answering.link]
        return LINKS["powers" if link == "softmax" else link].respond(raw, self._answering.scale)

    @property
    def _n_rounds(self) -> int:
        return self.forest_.n_trees // self.n_trees_per_iteration_

    @row_by_row(on_gpu.imported_leaves)
    @documented(setup=_CLASSES)
    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each row in each tree.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_trees), int32
            Node numbers of the leaves, as in plots and in tables of nodes.

        Examples
        --------
        >>> model.apply(X[:2]).shape  # 5 rounds of 3 classes
        (2, 15)
        """
        from spinney.tree.predict_boosted import leaf_numbers
        from spinney.tree.recode import recoded

        found = []
        for table in self._parts(X):
            forest, quick = self.forest_, recoded(self.forest_)
            if quick is not None:
                forest, table = quick.forest, quick.table(table)
            with self._make_team("descend many", table.n_rows * forest.n_trees) as team:
                found.append(leaf_numbers(forest, table, team))
        return np.concatenate(found)

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def n_trees_per_iteration_(self) -> int:
        """The number of trees per round: one, or one per output of a boosted model."""
        return self._answering.n_outputs

    @property
    def feature_importances_(self) -> np.ndarray:
        """Each column's fraction of the total gain, or of the impurity decrease, averaged over the trees. They add up
        to 1."""
        check_is_fitted(self)
        if self.forest_.criterion is not None:
            return mean_shares(self.forest_)
        total = importances(self.forest_)
        return total / total.sum() if total.sum() > 0 else total

    def _fingerprint(self) -> str:
        own = self._answering
        words = repr((own.link, own.scale, own.averages, own.second_from, self._reading, self._schema.to_dict()))
        return hash_of([self.forest_.fingerprint.encode(), own.start.tobytes(), words.encode()])


class _Ready:
    """A row that is read already."""

    def __init__(self, table: Table) -> None:
        self.table = table


def _named_alike(X: Any, schema: Schema) -> Any:
    """A frame under the names of the schema, if they differ in spaces only: LightGBM writes them as underscores."""
    names, columns = schema.names, getattr(X, "columns", None)
    if names is None or columns is None:
        return X
    given, known = list(columns), names.tolist()
    if given == known or [str(one).replace(" ", "_") for one in given] != known:
        return X
    return X.set_axis(known, axis=1) if hasattr(X, "set_axis") else X.rename(dict(zip(given, known)))


def _has_scores(model: Any) -> bool:
    return model.forest_.n_classes is None


def _has_probabilities(model: Any) -> bool:
    if model._answering.link == "hinge":
        raise AttributeError("a model with hinge loss has no probabilities. Use decision_function.")
    return True


_N_JOBS = {"n_jobs": COMMON["n_jobs"]._replace(text="Number of threads for predictions. None and -1 use every core.")}
_FITTED = """
    forest_ : Forest
        All trees, stored together.
    source_ : str
        The library and its version.
    objective_ : str
        The objective of the model, by the library's name.
    feature_importances_ : ndarray of shape (n_features,)
        Each column's fraction of the total gain, or of the impurity decrease, averaged over the trees.
    fingerprint_ : str
        A hash of the model, the same on any machine.
    n_outputs_ : int
        The number of outputs.
    n_trees_per_iteration_ : int
        The number of trees per round: one, or one per output of a boosted model.
"""


@described(_N_JOBS, fitted=_FITTED)
class ImportedClassifier(TableClassifier, ImportedModel):
    """A classifier fitted by another library, created by `from_xgboost`, `from_lightgbm` or `from_sklearn`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of ndarray
        The class labels; a list of arrays for several outputs. Booster files contain no labels: theirs are 0, 1, 2, ...
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from spinney import from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> bool((from_sklearn(theirs).predict_proba(X) == theirs.predict_proba(X)).all())
    True
    """

    classes_: Any

    def _take(self, model: Imported) -> Any:
        self.classes_ = model.classes
        return super()._take(model)

    @row_by_row(on_gpu.finished_here)
    @documented(returns=LABELS_OF_OUTPUTS, setup=_CLASSES)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class.

        Examples
        --------
        >>> model.predict(X[[0, 60, 120]]).tolist()
        [0, 1, 2]
        """
        check_is_fitted(self)
        if not _has_scores(self):
            means = self._means(X)
            if self.n_outputs_ == 1:
                return self.classes_[means[:, 0].argmax(axis=1)]
            chosen = [names[means[:, k].argmax(axis=1)] for k, names in enumerate(self.classes_)]
            return np.stack(chosen, axis=1)
        raw = self._raw(X)
        if len(raw) > 1:
            return self.classes_[raw.argmax(axis=0)]
        return self.classes_[self._is_second(raw).astype(np.intp)]

    def _is_second(self, raw: np.ndarray) -> Any:
        """Which rows are predicted as the second of two classes."""
        told = self._answering.second_from
        if told == "probability":
            return self._respond(raw)[0] > 0.5
        return raw[0] >= 0 if told == "zero" else raw[0] > 0

    @available_if(_has_probabilities)
    @row_by_row(on_gpu.finished_here)
    @documented(returns=PROBABILITIES_OF_OUTPUTS, setup=_CLASSES)
    def predict_proba(self, X: Any) -> Any:
        """Predict class probabilities.

        Examples
        --------
        >>> model.predict_proba(X[:2]).shape
        (2, 3)
        """
        check_is_fitted(self)
        if not _has_scores(self):
            means = self._means(X)
            if self.n_outputs_ == 1:
                return means[:, 0]
            return [means[:, k, : len(names)] for k, names in enumerate(self.classes_)]
        answers = self._respond(self._raw(X))
        if len(answers) > 1:
            return np.ascontiguousarray(answers.T)
        return np.stack([1 - answers[0], answers[0]], axis=1)

    @available_if(_has_scores)
    @row_by_row(on_gpu.finished_here)
    @documented(setup=_CLASSES)
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the raw scores of a boosted model.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            (n_samples,) for two classes.

        Examples
        --------
        >>> model.decision_function(X[:2]).shape
        (2, 3)
        """
        check_is_fitted(self)
        raw = self._raw(X)
        return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)


@described(_N_JOBS, fitted=_FITTED)
class ImportedRegressor(TableRegressor, ImportedModel):
    """A regressor fitted by another library, created by `from_xgboost`, `from_lightgbm` or `from_sklearn`.

    Ranking models, and models that predict several numbers or fractions, are imported as regressors too.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> from spinney import from_sklearn
    >>> X, y = load_diabetes(return_X_y=True)
    >>> theirs = HistGradientBoostingRegressor(max_iter=5, random_state=0).fit(X, y)
    >>> bool((from_sklearn(theirs).predict(X) == theirs.predict(X)).all())
    True
    """

    @row_by_row(on_gpu.finished_here)
    @documented(returns=NUMBERS_OF_OUTPUTS, setup=_NUMBERS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict numbers.

        Examples
        --------
        >>> model.predict(X[:2]).shape
        (2,)
        """
        check_is_fitted(self)
        if self.forest_.n_outputs > 1:
            return self._means(X)[:, :, 0]
        answers = self._respond(self._raw(X))
        return answers[0] if len(answers) == 1 else np.ascontiguousarray(answers.T)

    @row_by_row(on_gpu.finished_here)
    @documented(setup=_NUMBERS)
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the raw scores: predictions on the link scale, such as logarithms for a Poisson model.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The raw scores.

        Examples
        --------
        >>> bool((model.decision_function(X) == model.predict(X)).all())  # the link of squared error is the identity
        True
        """
        check_is_fitted(self)
        if self.forest_.n_outputs > 1:
            return self.predict(X)
        raw = self._raw(X)
        return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)


def from_xgboost(model: Any, *, n_rounds: int | None = None) -> Any:
    """Import a fitted XGBoost model: the same trees and predictions, with Spinney's methods.

    Predictions are faster than in XGBoost, and the trees can be plotted and printed.

    Parameters
    ----------
    model : xgboost.Booster, fitted estimator (XGBClassifier, XGBRegressor, XGBRFClassifier, ...), bytes or path
        A path is a file written by `save_model` as .ubj or .json. xgboost is not needed to read it.
    n_rounds : int, default=None
        Number of rounds to import, from the first. None imports those that the model itself predicts with: up to the
        best iteration for an XGBClassifier after early stopping, all rounds for Boosters and files.

    Returns
    -------
    model : ImportedClassifier or ImportedRegressor
        Raw scores are XGBoost's to the last bit, and predictions to the last digit of float32. The objectives reg:*,
        count:poisson, survival:cox, survival:aft and rank:* give a regressor; for rank:* it predicts scores.

    Examples
    --------
    >>> import xgboost
    >>> from sklearn.datasets import load_iris
    >>> from spinney import from_xgboost
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = xgboost.XGBClassifier(n_estimators=5).fit(X, y)
    >>> ours = from_xgboost(theirs)
    >>> bool((ours.predict(X) == theirs.predict(X)).all())
    True
    """
    from spinney.io.from_xgboost import read_xgboost

    return _face(read_xgboost(model, n_rounds))


def from_lightgbm(model: Any) -> Any:
    """Import a fitted LightGBM model: the same trees and predictions, with Spinney's methods.

    Predictions are faster than in LightGBM, and the trees can be plotted and printed.

    Parameters
    ----------
    model : lightgbm.Booster, fitted LGBMClassifier, LGBMRegressor or LGBMRanker, str, bytes or path
        A str is the text that `model_to_string` returns; a path is a file written by `save_model`. lightgbm is not
        needed to read them. After early stopping, rounds up to the best iteration are imported.

    Returns
    -------
    model : ImportedClassifier or ImportedRegressor
        Raw scores are LightGBM's to the last bit, and probabilities to the last digits. Ranking models and those with
        a custom objective predict raw scores.

    Examples
    --------
    >>> import lightgbm
    >>> from sklearn.datasets import load_iris
    >>> from spinney import from_lightgbm
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, y)
    >>> ours = from_lightgbm(theirs.booster_.model_to_string())
    >>> bool((ours.predict(X) == theirs.predict(X)).all())
    True
    """
    from spinney.io.from_lightgbm import read_lightgbm

    return _face(read_lightgbm(model))


def from_sklearn(model: Any) -> Any:
    """Import a fitted scikit-learn model: the same trees and predictions, with Spinney's methods.

    Predictions are faster than in scikit-learn, and the trees can be plotted and printed.

    Parameters
    ----------
    model : estimator
        A fitted DecisionTree*, ExtraTree*, RandomForest*, ExtraTrees*, GradientBoosting*, HistGradientBoosting*, or
        Bagging* of decision trees.

    Returns
    -------
    model : ImportedClassifier or ImportedRegressor
        Leaves, and sums of the leaves' values, are scikit-learn's to the last bit. Probabilities of boosted models, and
        of forests fitted with weights that are not integers, are the same to the last digits.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import ExtraTreesRegressor
    >>> from spinney import export_text, from_sklearn
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> theirs = ExtraTreesRegressor(10, max_depth=2, random_state=0).fit(X, y)
    >>> ours = from_sklearn(theirs)
    >>> bool((ours.predict(X) == theirs.predict(X)).all())
    True
    >>> print(export_text(ours, tree=0))
    |--- s3 <= -0.01
    |   |--- s5 <= -0.002
    |   |   |--- value: [125.81]
    |   |--- s5 >  -0.002
    |   |   |--- value: [199.00]
    |--- s3 >  -0.01
    |   |--- bp <= 0.04
    |   |   |--- value: [112.88]
    |   |--- bp >  0.04
    |   |   |--- value: [192.06]
    <BLANKLINE>
    """
    from spinney.io.from_sklearn import read_sklearn

    return _face(read_sklearn(model))


def _face(model: Imported) -> Any:
    kind = ImportedRegressor if model.classes is None else ImportedClassifier
    return kind()._take(model)
