"""What all estimators share, once: fits that succeed or change nothing, known columns, weights, threads, fingerprints.

In:  an estimator, and what was handed to its `fit` or `predict`.
Out: checked weights, a table read as the schema says, a team of threads that suits the work. No algorithm in here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from spinney._packed_arrays import pack_state, rebuild
from spinney.data.one_row import values_of_records, values_of_row
from spinney.data.reading import with_rows
from spinney.data.schema import Schema, learn_names
from spinney.data.sparse import refuse_sparse
from spinney.data.tables import TableHandle
from spinney.estimators.docstrings import LOGARITHMS_OF_OUTPUTS, documented
from spinney.estimators.intervals import PredictsIntervals, PredictsSets
from spinney.estimators.names import names_of_ours, refuse_parameters
from spinney.estimators.params import check_parameters, keywords_of
from spinney.estimators.streaming import is_in_memory, row_by_row, score_on_cpu
from spinney.gpu import model_methods as on_gpu
from spinney.tree.formula import not_of_trees
from spinney.tree.links import log_probabilities

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.tables import Table
    from spinney.tree.forest import Forest
    from spinney.tree.formula import Formula, Mixture


# Work below which handing it to threads costs more than doing it in the caller's thread, by kind; measured.
SMALL_WORK = {
    "tree": 50_000,  # cells, times trees in a forest
    "boosting": 100_000,  # cells
    "branches": 100_000,  # cells, of ID3 and C4.5
    "descend": 4_096,  # rows sent down one tree
    "descend many": 20_000,  # rows times trees
    "cluster": 1 << 20,  # multiplications
}


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """A fit that fails or is interrupted leaves the estimator as it was, with its old model if it had one."""
    before = dict(vars(estimator))
    vars(estimator).pop("_calibration", None)  # of the previous fit
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def opened_for_fit(model: Any, X: Any, *of_rows: Any) -> Iterator[tuple[Any, ...]]:
    """Inside, a model is fitted on X and what belongs to its rows, as the schema can read them.

    Parameters are checked first. What may be in files, in a dask collection or on a GPU is opened by the model's
    `_open_elsewhere`, and closed afterwards.
    """
    check_parameters(model)
    with all_or_nothing(model):
        if is_in_memory(X, *of_rows):
            yield X, *of_rows
            return
        opened = model._open_elsewhere(X, *of_rows)
        try:
            yield opened
        finally:
            if isinstance(opened[0], TableHandle):
                opened[0].close()


def make_team(kind: str, work: int, n_jobs: int | None) -> Team:
    """As many threads as n_jobs says; for little work of its kind (`SMALL_WORK`) none but the caller's."""
    from spinney._team import Team, available_threads

    is_small = work < SMALL_WORK[kind]
    n_threads = 1 if is_small and n_jobs != 0 else available_threads(n_jobs)  # 0 is an error, however small the work
    return Team(n_threads, inline=is_small)


def hash_of(parts: Iterable[bytes]) -> str:
    """A hash of bytes, in their order."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def first_answer(model: Any, X: Any) -> Any:
    """What `predict` says of the first row, as a Python scalar if it is one."""
    value = model.predict(X)[0]
    return value.item() if isinstance(value, np.generic) else value


def frame_of_row(schema: Schema, row: Any) -> Any:
    """One row as models of any kind can read it: a frame if its columns have names, else an array."""
    return _frame(schema, [values_of_row(schema, row)])


def frame_of_records(schema: Schema, records: list[Any]) -> Any:
    """The same of a list of dicts."""
    return _frame(schema, values_of_records(schema, records))


def _frame(schema: Schema, rows: list[Sequence[Any]]) -> Any:
    if schema.names is not None:
        import pandas as pd

        return pd.DataFrame(rows, columns=schema.names)
    numbers = np.array(rows, dtype=object)
    try:
        return numbers.astype(np.float64)
    except (TypeError, ValueError):
        return numbers


class KnowsNames:
    """A model whose constructor and `set_params` know the names that other libraries have; its fits and predictions do
    by decorators of streaming.py."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            known = keywords_of(cls.__init__)  # type: ignore[misc]
            if known is not None and not known.issuperset(kwargs):
                refuse_parameters(cls, kwargs)
        return super().__new__(cls)

    def set_params(self, **params: Any) -> Any:
        """Set parameters.

        Parameters
        ----------
        **params : dict
            Parameters by name. Those of nested objects are named `component__parameter`.

        Returns
        -------
        self : object
            The model.

        Examples
        --------
        >>> from spinney import GradientBoostingClassifier
        >>> GradientBoostingClassifier().set_params(n_estimators=50).n_estimators
        50
        """
        with names_of_ours(self, params):
            return super().set_params(**params)  # type: ignore[misc]


class TableModel(KnowsNames, BaseEstimator):
    """A model of tables whose columns it knows from `fit`."""

    _schema: Schema
    _takes_missing: ClassVar[bool] = True
    _takes_categories: ClassVar[bool] = True
    _takes_sparse: ClassVar[bool] = True
    _predicts_by_codes: ClassVar[bool] = (
        False  # from the codes of its table, if that has any: see data/files/streamed.py
    )

    def _keep_schema(self, schema: Schema) -> None:
        """Remember the columns: also as `n_features_in_` and, if they have names, `feature_names_in_`."""
        self._schema, self.n_features_in_ = schema, len(schema.columns)
        self.__dict__.pop("feature_names_in_", None)
        if schema.names is not None:
            self.feature_names_in_ = schema.names

    def _read(self, X: Any) -> Table:
        """A table like that of `fit`."""
        if not self._is_fitted():
            check_is_fitted(self)
        self._check_sparse(X)
        return self._schema.read(X, type(self).__name__, strict=self.refuses_unknown())

    @property
    def reader_on_gpu(self) -> Any:
        """The model that reads tables on a GPU as this one does; None: the CPU does it. For internal use."""
        return self

    def _open_elsewhere(self, X: Any, *of_rows: Any) -> tuple[Any, ...]:
        """X and what belongs to its rows, for a fit, if they may be in files, in a dask collection or on a GPU."""
        return X, *of_rows

    def _is_fitted(self) -> bool:
        """Whether the model itself says so, quickly; if not, scikit-learn is asked, and raises in its words."""
        fitted = getattr(self, "__sklearn_is_fitted__", None)
        return fitted is not None and bool(fitted())

    def refuses_unknown(self) -> bool:
        """Return whether a category that was not seen in training is an error, for internal use."""
        return getattr(self, "handle_unknown", "missing") == "error"

    def predict_row(self, row: Any) -> Any:
        """Predict one row, in microseconds.

        Parameters
        ----------
        row : dict, Series or sequence
            Values by column name, or in the order of the columns. Missing values are NaN or None. Other names in a
            dict are ignored.

        Returns
        -------
        scalar
            The prediction for the row: a label or a number, or an array with several outputs.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_tennis
        >>> tree = DecisionTreeClassifier().fit(*load_tennis())
        >>> tree.predict_row({"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Windy": False})
        'Yes'
        """
        check_is_fitted(self)
        return first_answer(self, self._row(row))

    def _row(self, row: Any) -> Any:
        """One row as a table that `predict` takes."""
        return self._schema.read_row(row, type(self).__name__, strict=self.refuses_unknown())

    def _of_records(self, X: list[Any]) -> Any:
        """A list of dicts as a table that `predict` takes."""
        check_is_fitted(self)
        return self._schema.read_records(X, type(self).__name__, strict=self.refuses_unknown())

    def _check_sparse(self, X: Any) -> None:
        """Raise if X is sparse and this model needs every cell."""
        if not self._takes_sparse:
            refuse_sparse(X, type(self).__name__)

    def _html_repr(self) -> str:  # type: ignore[override]
        """For notebooks: scikit-learn's diagram, and facts about the fitted model."""
        from spinney.view.summary import summary_html

        return super()._html_repr() + summary_html(self)  # type: ignore[no-any-return,misc]

    def _make_team(self, kind: str, work: int) -> Team:
        return make_team(kind, work, getattr(self, "n_jobs", None))

    @property
    def schema_(self) -> Schema:
        """What was learned of the columns in `fit`: their names, kinds and categories."""
        check_is_fitted(self)
        return self._schema

    @property
    def fingerprint_(self) -> str:
        """A hash of everything that predicts, the same on any machine and with any number of threads."""
        check_is_fitted(self)
        return self._fingerprint()

    def _fingerprint(self) -> str:
        raise NotImplementedError

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For pickles: small arrays packed."""
        state: Any = self.__getstate__()
        return rebuild, (type(self), *pack_state(state))

    def __copy__(self) -> Any:
        other, state = type(self).__new__(type(self)), self.__getstate__()
        other.__setstate__(dict(state))  # type: ignore[call-overload]
        return other

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        tags.input_tags.categorical = self._takes_categories
        tags.input_tags.string = self._takes_categories and getattr(self, "categorical_features", "") is not None
        tags.input_tags.sparse = self._takes_sparse
        return tags


class LogProbabilities:
    """A model that predicts the logarithms of its `predict_proba`, if it has that."""

    @available_if(lambda self: bool(self.predict_proba))
    @row_by_row(on_gpu.logarithms)
    @documented(returns=LOGARITHMS_OF_OUTPUTS)
    def predict_log_proba(self: Any, X: Any) -> Any:
        """Predict the logarithms of class probabilities.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> DecisionTreeClassifier().fit([[0], [1]], ["a", "b"]).predict_log_proba([[0]])
        array([[  0., -inf]])
        """
        return log_probabilities(self.predict_proba(X))


class TableClassifier(LogProbabilities, PredictsSets, ClassifierMixin):
    """A classifier whose `score` takes tables on a GPU, too."""

    score = score_on_cpu(ClassifierMixin.score)


class TableRegressor(PredictsIntervals, RegressorMixin):
    """A regressor whose `score` takes tables on a GPU, too."""

    score = score_on_cpu(RegressorMixin.score)


def take_inputs_of_members(tags: Any, inputs: list[Any]) -> None:
    """Set the tags of a model's inputs to what all its members take."""
    for name in ("allow_nan", "categorical", "sparse", "string"):
        setattr(tags.input_tags, name, all(getattr(one, name) for one in inputs))


class CopiesModel(MetaEstimatorMixin, TableModel):
    """A model whose members are copies of one `estimator`, and receive tables without preprocessing."""

    def _template(self) -> Any:
        """The estimator that members are copies of."""
        return self._default() if self.estimator is None else self.estimator

    def _default(self) -> Any:
        raise NotImplementedError

    def refuses_unknown(self) -> bool:
        """Return whether members treat an unknown category as an error, for internal use."""
        return getattr(self._template(), "handle_unknown", "missing") == "error"

    def _learn(self, X: Any) -> tuple[Schema, Any]:
        """What is known of the columns, and X as members and we can take rows from it."""
        X = with_rows(X)
        schema, source = learn_names(X, type(self).__name__)
        return schema, X if hasattr(X, "shape") else source.origin

    def _row(self, row: Any) -> Any:
        """As members can read it."""
        return frame_of_row(self._schema, row)

    def _of_records(self, X: list[Any]) -> Any:
        check_is_fitted(self)
        return frame_of_records(self._schema, X)

    def _check(self, X: Any) -> Any:
        """X as members can read it, if its columns are those of fit."""
        check_is_fitted(self)
        X = with_rows(X)
        source = self._schema.open(X, type(self).__name__)
        return X if hasattr(X, "shape") else source.origin


# ----------------------------------------------------------------------------------------------------------------------
# `shap_values`, for all models of trees (explain/shapley/shap_values.py).


class OfTrees:
    """A model of trees, or of such models, that says what it is."""

    def formula(self) -> Formula | Mixture:
        """Return the model as a value: its trees, what they add up to, and the link.

        Exports and explanations start from it.

        Returns
        -------
        Formula or Mixture
            Described at the top of spinney/tree/formula.py. Combinations of several models are a `Mixture`. Models that
            have no trees raise TypeError.

        Examples
        --------
        >>> from spinney import DecisionTreeRegressor
        >>> formula = DecisionTreeRegressor().fit([[0], [1]], [2.0, 4.0]).formula()
        >>> formula.link, formula.forest.n_nodes, formula.values[:, 0].tolist()
        ('identity', 3, [3.0, 2.0, 4.0])
        """
        check_is_fitted(self)
        return self._formula()

    def _formula(self) -> Formula | Mixture:
        raise not_of_trees(self)

    def _facts(self: Any, schema: Schema, forest: Forest) -> dict[str, Any]:
        """What every formula begins with."""
        name, strict = type(self).__name__, bool(self.refuses_unknown())

        def read(X: Any) -> list[Table]:
            self._check_sparse(X)
            return [schema.read(X, name, strict=strict)]

        known = getattr(self, "classes_", ())
        return {
            "model": name,
            "schema": schema,
            "strict": strict,
            "fingerprint": self.fingerprint_,
            "forest": forest.with_thresholds(),
            "tables": read,
            "row": self._row,
            "classes": tuple(map(np.asarray, known)) if isinstance(known, list | tuple) else (known,),
        }


class Explained(OfTrees):
    """A model whose answers can be shared out among the columns."""

    def shap_values(self, X: Any, background: Any = None, *, interactions: bool = False) -> np.ndarray:
        """Exact SHAP values of every row: the contribution of each column to the prediction.

        They are the `values` of `spinney.explain.shap(model, X, background)`, which also has base values and names.

        Parameters
        ----------
        X : table
            Rows to explain.
        background : table, default=None
            Rows to compare with; without it, the training rows, as each tree remembers them.
        interactions : bool, default=False
            Divide the contributions among pairs of columns.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or (n_samples, n_features, n_features) with interactions; one more
        dimension for several outputs, such as classes

        Examples
        --------
        >>> from spinney import DecisionTreeRegressor
        >>> DecisionTreeRegressor().fit([[0], [1]], [2.0, 4.0]).shap_values([[1]])
        array([[1.]])
        """
        from spinney.explain.shapley.shap_values import shap

        return shap(self, X, background, interactions=interactions).values
