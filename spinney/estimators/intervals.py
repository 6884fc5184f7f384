"""`calibrate`, `predict_interval` and `predict_set`, for all models of one output. See docs/intervals.md.

In:  a fitted model and its `ConformalScores`: of rows that its fit held out or left out of bag, or from `calibrate`.
Out: intervals, or sets of classes. No algorithm in here: see ensemble/conformal.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from spinney._warnings import warn_caller
from spinney.data.holdout import row_values, time_keys
from spinney.data.tables import Table, with_sides
from spinney.data.target import class_numbers, read_labels, read_numbers
from spinney.distributed.collections import column_here, vector_here
from spinney.estimators.streaming import row_by_row

if TYPE_CHECKING:
    from fractions import Fraction

    from spinney.ensemble.conformal import ConformalScores, Guarantee

_NOT_CALIBRATED = (
    "{name} has no calibration, so {method} does not know how wrong its predictions are. Call calibrate(X, y) with "
    "rows that it was not fitted on{hint}."
)


class _Calibrated:
    """What predictions with a guarantee share."""

    _calibration: Any  # a `ConformalScores`, if there is one
    _calibrates_by: str  # how else the model gets a calibration, for errors
    _unseen: Callable[[np.ndarray], np.ndarray]  # of forests and bagging: which members have not seen which rows

    def calibrate(
        self, X: Any, y: Any = None, *, by: Any = None, times: Any = None, spread: Any = "auto", level: Any = None
    ) -> Any:
        """Calibrate intervals and sets on rows that the model was not fitted on (split conformal prediction).

        With n rows, intervals and sets hold the truth of a new row with a probability of at least `level`, and at most
        `level` + 1 / (n + 1) if no scores are tied, provided that the new row and these rows are exchangeable. The
        model and its predictions do not change. A new fit drops the calibration.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)
            Rows that the model was not fitted on.
        y : array-like of shape (n_samples,), default=None
            Their targets. `spinney.open_table` supplies them if they are not given.
        by : array-like of shape (n_samples,) or str, default=None
            Group of each row, or the name of a column of X: the level then holds in each group.
        times : array-like of shape (n_samples,) or str, default=None
            Time of each row, the name of a column of X, or "order": later rows count more, in proportion to their rank.
        spread : "auto", None, "trees", "quantiles" or fitted regressor, default="auto"
            What intervals are proportional to, for regressors. None gives all rows the same width; "trees" is the
            standard deviation of the trees' predictions (forests and bagging); "quantiles" widens a forest's
            `predict_quantiles` for one `level` (conformalised quantile regression); a regressor predicts the spread.
            "auto" is what boosting has learned from its folds, if it narrowed the intervals there, otherwise None.
        level : float, default=None
            The level of `predict_interval`, for spread="quantiles".

        Returns
        -------
        self : object
            The calibrated model.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from spinney import DecisionTreeRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = DecisionTreeRegressor(min_samples_leaf=10).fit(X[:300], y[:300]).calibrate(X[300:], y[300:])
        >>> model.predict_interval(X[:2], level=0.8).shape
        (2, 2)
        """
        from spinney.ensemble.conformal import by_scores

        check_is_fitted(self)
        y, _ = with_sides(X, y, None)
        how, scores = self._scores_of_rows(X, y, spread, level)
        if not np.isfinite(scores).all():
            row = int(np.argmin(np.isfinite(scores)))
            if np.isinf(scores[row]) and how is not None:
                raise ValueError(
                    f"The spread of row {row} is not positive, and the model's prediction is wrong, so no multiple of "
                    "the spread is an interval. Use spread=None, or a spread that is positive for all rows."
                )
            raise ValueError("The model's predictions for the calibration rows are not finite, so no interval is.")
        labels = None if by is None else self._groups_of_rows(by, X, len(scores))
        keys = None if times is None else time_keys(column_here(times, X, "times"), X, len(scores))
        self._calibration = by_scores(
            "split", scores, None, keys, labels, by if isinstance(by, str) else None, how, level and str(level)
        )
        return self

    def _scores_of_rows(self, X: Any, y: Any, spread: Any, level: Any) -> tuple[Any, np.ndarray]:
        """(the spread as it is kept, scores of the rows)."""
        raise NotImplementedError

    def guarantee(self, level: Fraction) -> Guarantee:
        """Return the calibration at one level, for internal use by exports."""
        from spinney.ensemble.conformal import Guarantee, SpreadCurve, fewest_rows

        kept = self._known_calibration("interval=")
        if kept.group is not None:
            raise ValueError(
                "interval= is not supported for models calibrated by groups. Export a model for each group: copies of "
                "this one, each calibrated on the rows of its group."
            )
        if not (kept.spread is None or kept.spread == "trees" or isinstance(kept.spread, SpreadCurve)):
            what = repr(kept.spread) if isinstance(kept.spread, str) else type(kept.spread).__name__
            raise ValueError(f"interval= is not supported with spread={what}. Calibrate with spread=None.")
        quantile = float(kept.quantile(level)[0])
        if not np.isfinite(quantile):
            raise ValueError(
                f"There are too few calibration rows for interval={float(level):g}: at least {fewest_rows(level)} are "
                "needed. Calibrate on more rows, or lower interval."
            )
        if kept.rows is None:
            return Guarantee(level, quantile, kept.spread)
        return Guarantee(level, quantile, residuals=kept.scores, unseen=self._unseen(kept.rows))

    def _known_calibration(self, method: str) -> ConformalScores:
        check_is_fitted(self)
        found: ConformalScores | None = vars(self).get("_calibration")
        if found is None:
            hint = getattr(self, "_calibrates_by", "")
            raise ValueError(_NOT_CALIBRATED.format(name=type(self).__name__, method=method, hint=hint))
        return found

    def _quantiles_of_rows(self, kept: ConformalScores, level: Fraction, X: Any, by: Any, n_rows: int) -> np.ndarray:
        """The score that each row does not exceed: one for all, or one per row."""
        from spinney.ensemble.conformal import fewest_rows

        if kept.group is None:
            if by is not None:
                raise ValueError("by was given, but the model was calibrated without groups. Use calibrate(..., by=).")
            found = kept.quantile(level)
        else:
            if by is None and kept.by is None:
                raise ValueError("The model was calibrated by groups: pass by=, the group of each row.")
            numbers = kept.numbers_of(self._groups_of_rows(kept.by if by is None else by, X, n_rows))
            found = kept.quantile(level, numbers)
        if not np.isfinite(found).all():
            warn_caller(
                f"There are too few calibration rows for level={float(level):g}: at least {fewest_rows(level)} are "
                "needed" + (" in each group" if kept.group is not None else "") + ". Where there are fewer, nothing is "
                "excluded: intervals are infinite, and sets hold all classes. Calibrate on more rows, or lower level."
            )
        return found

    def _groups_of_rows(self, by: Any, X: Any, n_rows: int) -> np.ndarray:
        """Labels of the groups of rows; X may be a table that has been read, such as records."""
        if not isinstance(by, str) or not isinstance(X, Table):
            return row_values(column_here(by, X, "by"), "by", X, n_rows)
        schema = self._schema  # type: ignore[attr-defined]
        j = schema.names.tolist().index(by)
        values, categories = X.column(j), schema.columns[j].categories
        if categories is None:
            return values
        return np.array([None if one != one else categories[int(one)] for one in values.tolist()], dtype=object)


class PredictsIntervals(_Calibrated):
    """A regressor whose intervals hold the truth as often as they should."""

    answers_of_members: Callable[[Any], np.ndarray]  # of forests and bagging: (rows, members)

    @row_by_row()
    def predict_interval(self, X: Any, level: float = 0.9, *, by: Any = None, **predict_params: Any) -> np.ndarray:
        """Predict an interval for each row that holds the truth with a given probability.

        The model must know how wrong it is on rows that it was not fitted on: from the folds of its own fit (gradient
        boosting with n_estimators="auto" or early stopping, automatic models), from out-of-bag rows (forests and
        bagging with `oob_score=True`), or from `calibrate`. See docs/intervals.md for what each guarantees.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        level : float, default=0.9
            Probability that the interval holds the truth, over new rows.
        by : array-like of shape (n_samples,), default=None
            Group of each row, for models calibrated with an array of groups.
        **predict_params : dict
            Further arguments of `predict`, such as `init_score`.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Low and high ends.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from spinney import RandomForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = RandomForestRegressor(oob_score=True, random_state=0).fit(X, y)
        >>> low, high = forest.predict_interval(X, level=0.9).T
        >>> bool((low < high).all())
        True
        """
        from spinney.ensemble.conformal import plus_intervals, read_level, widened

        wanted, kept = read_level(level), self._known_calibration("predict_interval")
        if kept.rows is not None:
            answers, unseen = self.answers_of_members(X), self._unseen(kept.rows)
            return np.column_stack(plus_intervals(answers, unseen, kept.scores, wanted))
        if kept.level is not None and read_level(float(kept.level)) != wanted:
            raise ValueError(f"The model was calibrated for level={kept.level} alone, got {level!r}. Calibrate again.")
        low, high, spread = self._interval_ends(X, kept.spread, kept.level, predict_params)
        return widened(low, high, self._quantiles_of_rows(kept, wanted, X, by, len(low)), spread)

    def _interval_ends(
        self, X: Any, spread: Any, level: Any, params: dict[str, Any]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """What intervals widen, and the spread of each row."""
        if isinstance(spread, str) and spread == "quantiles":
            share = (1.0 - float(level)) / 2.0
            low, high = np.asarray(self.predict_quantiles(X, [share, 1.0 - share])).T  # type: ignore[attr-defined]
            return low, high, None
        found = np.asarray(vector_here(self.predict(X, **params), "predictions"))  # type: ignore[attr-defined]
        if found.ndim != 1:
            raise ValueError("Intervals are supported only for one output, but the model predicts several.")
        return found, found, _spread_of(self, X, found, spread)

    def _scores_of_rows(self, X: Any, y: Any, spread: Any, level: Any) -> tuple[Any, np.ndarray]:
        from spinney.ensemble.conformal import interval_scores, read_level

        spread = _read_spread(self, spread)
        if isinstance(spread, str) and spread == "quantiles":
            if level is None:
                raise ValueError(
                    'spread="quantiles" needs a level, such as calibrate(X, y, spread="quantiles", level=0.9).'
                )
            read_level(level)
        elif level is not None:
            raise ValueError('level is needed only with spread="quantiles"; pass it to predict_interval instead.')
        low, high, width = self._interval_ends(X, spread, level, {})
        truth = read_numbers(vector_here(y, "y"), len(low), type(self).__name__)
        return spread, interval_scores(low, high, truth, width)


class PredictsSets(_Calibrated):
    """A classifier whose sets of classes hold the truth as often as they should."""

    @row_by_row()
    def predict_set(self, X: Any, level: float = 0.9, *, by: Any = None, **predict_params: Any) -> np.ndarray:
        """Predict a set of classes for each row that holds the true one with a given probability.

        A class belongs to the set if its probability is high enough; the bound is what rows have told that the model
        was not fitted on, as in `predict_interval` of regressors. Sets of several classes are uncertain rows. An empty
        set means that no class is likely.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        level : float, default=0.9
            Probability that the set holds the true class, over new rows.
        by : array-like of shape (n_samples,), default=None
            Group of each row, for models calibrated with an array of groups.
        **predict_params : dict
            Further arguments of `predict_proba`, such as `init_score`.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            Whether each class belongs to the set, in the order of `classes_`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
        >>> forest.predict_set(X[:1], level=0.95).tolist()
        [[True, False, False]]
        """
        from spinney.ensemble.conformal import class_sets, read_level

        wanted, kept = read_level(level), self._known_calibration("predict_set")
        found = self._probabilities_for_sets(X, predict_params)
        return class_sets(found, self._quantiles_of_rows(kept, wanted, X, by, len(found)))

    def _probabilities_for_sets(self, X: Any, params: dict[str, Any]) -> np.ndarray:
        if not hasattr(self, "predict_proba"):
            raise ValueError(f"Sets of classes need predict_proba, which this {type(self).__name__} does not have.")
        found = vector_here(self.predict_proba(X, **params), "predictions")
        if isinstance(found, list):
            raise ValueError("Sets of classes are supported only for one output, but the model predicts several.")
        return np.asarray(found, np.float64)

    def _scores_of_rows(self, X: Any, y: Any, spread: Any, level: Any) -> tuple[Any, np.ndarray]:
        from spinney.ensemble.conformal import class_scores

        if not (spread is None or (isinstance(spread, str) and spread == "auto")) or level is not None:
            raise ValueError("spread and level are supported only for regressors. Leave them out.")
        found = self._probabilities_for_sets(X, {})
        labels = read_labels(vector_here(y, "y"), len(found), type(self).__name__)
        return None, class_scores(found, class_numbers(labels, self.classes_))  # type: ignore[attr-defined]


def _read_spread(model: Any, spread: Any) -> Any:
    """What is kept of the parameter `spread`."""
    if spread is None or (hasattr(spread, "predict") and not is_classifier(spread)):
        return spread
    if not isinstance(spread, str) or spread not in ("auto", "trees", "quantiles"):
        raise ValueError(
            f'spread must be "auto", None, "trees", "quantiles" or a fitted regressor, got {spread!r:.80}.'
        )
    if spread == "auto":
        known = vars(model).get("_calibration")
        return known.spread if known is not None and not isinstance(known.spread, str) else None
    needed = "answers_of_members" if spread == "trees" else "predict_quantiles"
    if not hasattr(type(model), needed):
        raise ValueError(f"spread={spread!r} is supported only for forests{' and bagging' * (spread == 'trees')}.")
    return spread


def _spread_of(model: Any, X: Any, predicted: np.ndarray, spread: Any) -> np.ndarray | None:
    """The spread of each row, positive; None: all rows are alike."""
    from spinney.ensemble.conformal import SpreadCurve, spread_of_members

    if spread is None:
        return None
    if isinstance(spread, SpreadCurve):
        return spread.of(predicted)
    if isinstance(spread, str):
        found = spread_of_members(model.answers_of_members(X))
    else:
        found = np.asarray(spread.predict(X), np.float64)
    return np.maximum(found, np.finfo(np.float64).tiny)
