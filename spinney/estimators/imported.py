"""Imports models of other libraries: `from_xgboost`, `from_lightgbm`, `from_sklearn`.

In:  a file or a fitted model. Out: an `ImportedClassifier` or `ImportedRegressor`. Reading is done in `io/`; no
algorithm in here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from spinney.estimators.base import log_probabilities
from spinney.estimators.imported_model import ImportedModel
from spinney.io.imported import Imported


def _has_scores(model: Any) -> bool:
    return model.forest_.n_classes is None


def _has_probabilities(model: Any) -> bool:
    if model._answering.link == "hinge":
        raise AttributeError("a model with hinge loss has no probabilities. Use decision_function.")
    return True


class ImportedClassifier(ClassifierMixin, ImportedModel):
    """A classifier fitted by another library, created by `from_xgboost`, `from_lightgbm` or `from_sklearn`.

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads for predictions. None and -1 use every core.

    Attributes
    ----------
    forest_ : Forest
        All trees, stored together.
    classes_ : ndarray of shape (n_classes,), or list of ndarray
        The class labels; a list of arrays for several outputs. Booster files contain no labels: theirs are 0, 1, 2, ...
    source_ : str
        The library and its version.
    objective_ : str
        The objective of the model, by the library's name.
    feature_importances_ : ndarray of shape (n_features,)
        Each column's fraction of the total gain, or of the impurity decrease, averaged over the trees.
    fingerprint_ : str
        A hash of the model, the same on any machine.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        The column names, if the model has any.
    n_outputs_ : int
        The number of outputs.
    n_trees_per_iteration_ : int
        The number of trees per round: one, or one per output of a boosted model.

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

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted labels.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import HistGradientBoostingClassifier
        >>> from spinney import from_sklearn
        >>> X, y = load_iris(return_X_y=True)
        >>> model = from_sklearn(HistGradientBoostingClassifier(max_iter=5).fit(X, y))
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
    def predict_proba(self, X: Any) -> Any:
        """Predict class probabilities.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes), or list of ndarray
            Columns are in the order of `classes_`; a list of arrays for several outputs.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import HistGradientBoostingClassifier
        >>> from spinney import from_sklearn
        >>> X, y = load_iris(return_X_y=True)
        >>> model = from_sklearn(HistGradientBoostingClassifier(max_iter=5).fit(X, y))
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

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithms of class probabilities.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes), or list of ndarray
            Logarithms of `predict_proba`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import HistGradientBoostingClassifier
        >>> from spinney import from_sklearn
        >>> X, y = load_iris(return_X_y=True)
        >>> model = from_sklearn(HistGradientBoostingClassifier(max_iter=5).fit(X, y))
        >>> model.predict_log_proba(X[:2]).shape
        (2, 3)
        """
        return log_probabilities(self.predict_proba(X))

    @available_if(_has_scores)
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the raw scores of a boosted model.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            (n_samples,) for two classes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import HistGradientBoostingClassifier
        >>> from spinney import from_sklearn
        >>> X, y = load_iris(return_X_y=True)
        >>> model = from_sklearn(HistGradientBoostingClassifier(max_iter=5).fit(X, y))
        >>> model.decision_function(X[:2]).shape
        (2, 3)
        """
        check_is_fitted(self)
        raw = self._raw(X)
        return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)


class ImportedRegressor(RegressorMixin, ImportedModel):
    """A regressor fitted by another library, created by `from_xgboost`, `from_lightgbm` or `from_sklearn`.

    Ranking models, and models that predict several numbers or fractions, are imported as regressors too.

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads for predictions. None and -1 use every core.

    Attributes
    ----------
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
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        The column names, if the model has any.
    n_outputs_ : int
        The number of outputs.
    n_trees_per_iteration_ : int
        The number of trees per round: one, or one per output of a boosted model.

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

    def predict(self, X: Any) -> np.ndarray:
        """Predict numbers.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted numbers.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.ensemble import HistGradientBoostingRegressor
        >>> from spinney import from_sklearn
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = from_sklearn(HistGradientBoostingRegressor(max_iter=5).fit(X, y))
        >>> model.predict(X[:2]).shape
        (2,)
        """
        check_is_fitted(self)
        if self.forest_.n_outputs > 1:
            return self._means(X)[:, :, 0]
        answers = self._respond(self._raw(X))
        return answers[0] if len(answers) == 1 else np.ascontiguousarray(answers.T)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the raw scores: predictions on the link scale, such as logarithms for a Poisson model.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The raw scores.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.ensemble import HistGradientBoostingRegressor
        >>> from spinney import from_sklearn
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = from_sklearn(HistGradientBoostingRegressor(max_iter=5).fit(X, y))
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
