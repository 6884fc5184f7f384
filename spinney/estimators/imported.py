"""Models of other libraries, as models of ours: `from_xgboost`, `from_lightgbm`, `from_sklearn`.

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
        raise AttributeError("a model with hinge loss has no probabilities: use decision_function.")
    return True


class ImportedClassifier(ClassifierMixin, ImportedModel):
    """A classifier of another library, made by `from_xgboost`, `from_lightgbm` or `from_sklearn`.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads that predict; None: all.

    Attributes
    ----------
    forest_ : store of all trees
    classes_ : ndarray
        Labels; a list of them for several outputs. Files of boosters do not have any: theirs are 0, 1, 2, ...
    source_, objective_ : str
        The library with its version, and what the model was fitted for, in that library's word.
    feature_importances_, fingerprint_, n_features_in_, feature_names_in_, n_outputs_, n_trees_per_iteration_

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
        """The most probable class of each row; (n_samples, n_outputs) for several outputs."""
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
        """Which rows are of the second of two classes."""
        told = self._answering.second_from
        if told == "probability":
            return self._respond(raw)[0] > 0.5
        return raw[0] >= 0 if told == "zero" else raw[0] > 0

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, (n_samples, n_classes); a list of such arrays for several outputs."""
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
        """Logarithms of `predict_proba`."""
        return log_probabilities(self.predict_proba(X))

    @available_if(_has_scores)
    def decision_function(self, X: Any) -> np.ndarray:
        """Raw scores of a boosted model: (n_samples,) for two classes, else (n_samples, n_classes)."""
        check_is_fitted(self)
        raw = self._raw(X)
        return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)


class ImportedRegressor(RegressorMixin, ImportedModel):
    """A regression model of another library, made by `from_xgboost`, `from_lightgbm` or `from_sklearn`.

    Models that rank rows, or that predict several numbers or shares, are such, too.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads that predict; None: all.

    Attributes
    ----------
    forest_ : store of all trees
    source_, objective_ : str
        The library with its version, and what the model was fitted for, in that library's word.
    feature_importances_, fingerprint_, n_features_in_, feature_names_in_, n_outputs_, n_trees_per_iteration_

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
        """Predicted numbers, (n_samples,), or (n_samples, n_outputs) if there are several outputs."""
        check_is_fitted(self)
        if self.forest_.n_outputs > 1:
            return self._means(X)[:, :, 0]
        answers = self._respond(self._raw(X))
        return answers[0] if len(answers) == 1 else np.ascontiguousarray(answers.T)

    def decision_function(self, X: Any) -> np.ndarray:
        """Raw scores: predictions before the link, such as logarithms of a Poisson model's."""
        check_is_fitted(self)
        if self.forest_.n_outputs > 1:
            return self.predict(X)
        raw = self._raw(X)
        return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)


def from_xgboost(model: Any, *, n_rounds: int | None = None) -> Any:
    """A model of XGBoost as one of ours: the same trees and predictions, quicker, to be drawn and read.

    Parameters
    ----------
    model : xgboost.Booster, fitted XGBClassifier, XGBRegressor, XGBRFClassifier, ..., bytes, or path
        The file is one that `save_model` has written as .ubj or .json; xgboost is not needed to read it.
    n_rounds : int, optional
        Use the first rounds only. None: as the model itself predicts, an XGBClassifier after early stopping with its
        best iteration; Boosters and files with all rounds.

    Returns
    -------
    ImportedClassifier or ImportedRegressor
        Raw scores are XGBoost's to the last bit, predictions to the last digit of float32. Regression for reg:*,
        count:poisson, survival:cox and survival:aft, and rank:*, whose predictions are scores.

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
    """A model of LightGBM as one of ours: the same trees and predictions, quicker, to be drawn and read.

    Parameters
    ----------
    model : lightgbm.Booster, fitted LGBMClassifier, LGBMRegressor or LGBMRanker, str, bytes, or path
        The text that `save_model` writes or `model_to_string` returns, or its file; lightgbm is not needed to read it.
        A model that was stopped early has the rounds up to its best iteration.

    Returns
    -------
    ImportedClassifier or ImportedRegressor
        Raw scores are LightGBM's to the last bit, probabilities to the last digits. Models that rank, and those with an
        objective of one's own, predict raw scores.

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
    """A fitted model of scikit-learn as one of ours: the same trees and predictions, quicker, to be drawn and read.

    Parameters
    ----------
    model : fitted DecisionTree*, ExtraTree*, RandomForest*, ExtraTrees*, GradientBoosting*, HistGradientBoosting*, or
        Bagging* of decision trees

    Returns
    -------
    ImportedClassifier or ImportedRegressor
        Leaves, and sums of the leaves' values, are scikit-learn's to the last bit; probabilities of boosted models to
        the last digits, as are those of forests that were fitted with weights that are not whole numbers.

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
