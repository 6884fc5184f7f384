"""Bagging for classification and regression, with scikit-learn's interface. No algorithm in here: see fit.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from spinney.data.target import Target, class_target, number_target, read_labels, read_several_numbers
from spinney.estimators.bagging.fit import ABOUT, BAGGING, CLASSIFIER, FITTED, REGRESSOR, BagFit
from spinney.estimators.bagging.model import EXAMPLE
from spinney.estimators.docstrings import (
    CLASSES_OF_OUTPUTS,
    LABELS_OF_OUTPUTS,
    LOGARITHMS_OF_OUTPUTS,
    NUMBERS_OF_OUTPUTS,
    PROBABILITIES_OF_OUTPUTS,
    documented,
)
from spinney.estimators.forests.model import ClassForest, NumberForest
from spinney.estimators.params import described, keep_parameters
from spinney.estimators.routing import route_to_copies
from spinney.estimators.streaming import row_by_row
from spinney.estimators.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.estimators.trees.reweighted import can_share
from spinney.gpu import model_methods as on_gpu
from spinney.tree.links import log_probabilities

if TYPE_CHECKING:
    from spinney.data.schema import Schema
    from spinney.tree.decision import DecisionTree


class BaggedClasses(ClassForest):
    """Predictions of classifiers: the mean of the members' probabilities or votes."""

    @row_by_row(on_gpu.bag_probabilities)
    @documented(returns=PROBABILITIES_OF_OUTPUTS, setup=EXAMPLE)
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Predict class probabilities: the mean of the base estimators' probabilities, or the fractions of their votes.

        Parameters
        ----------
        **params : dict
            Arguments of the base estimators' `predict_proba` or `predict`; only with scikit-learn's metadata routing.

        Examples
        --------
        >>> model.predict_proba(X[:1]).tolist()
        [[1.0, 0.0, 0.0]]
        """
        return self._split_outputs(self._routed("predict_proba", X, params))

    @row_by_row(on_gpu.logarithms)
    @documented(returns=LOGARITHMS_OF_OUTPUTS, setup=EXAMPLE)
    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """Predict the logarithms of class probabilities.

        Parameters
        ----------
        **params : dict
            Arguments of the base estimators' `predict_proba` or `predict`; only with scikit-learn's metadata routing.

        Examples
        --------
        >>> model.predict_log_proba(X[:1]).tolist()
        [[0.0, -inf, -inf]]
        """
        return log_probabilities(self._split_outputs(self._routed("predict_proba", X, params)))

    @row_by_row(on_gpu.bag_classes)
    @documented(returns=LABELS_OF_OUTPUTS, setup=EXAMPLE)
    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """Predict the most probable class.

        Parameters
        ----------
        **params : dict
            Arguments of the base estimators' `predict_proba` or `predict`; only with scikit-learn's metadata routing.

        Examples
        --------
        >>> model.predict(X[[0, 60, 120]]).tolist()
        [0, 1, 2]
        """
        return self._name(self._routed("predict", X, params).argmax(axis=2))


class BaggedNumbers(NumberForest):
    """Predictions of regressors: the mean of the members' predictions."""

    def answers_of_members(self, X: Any) -> np.ndarray:
        """Return what each member answers, for internal use."""
        if "forest_" in vars(self):
            return super().answers_of_members(X)
        from spinney._team import available_threads
        from spinney.ensemble.bagging import answers_of_members

        n_jobs = available_threads(self.n_jobs)
        each = answers_of_members(self.estimators_, self._check(X), self._draws, self._answer_of, n_jobs)
        return np.concatenate([one[:, 0] for one in each], axis=1)

    @row_by_row(on_gpu.bag_numbers)
    @documented(returns=NUMBERS_OF_OUTPUTS)
    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """Predict the mean of the base estimators' predictions.

        Parameters
        ----------
        **params : dict
            Arguments of the base estimators' `predict`; only with scikit-learn's metadata routing.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from spinney import BaggingRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> BaggingRegressor(random_state=0).fit(X, y).predict(X[:2]).shape
        (2,)
        """
        answers = self._routed("predict", X, params)[:, :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers


@described(BAGGING, {"estimator": CLASSIFIER}, about=ABOUT, fitted=CLASSES_OF_OUTPUTS + FITTED)
class BaggingClassifier(BaggedClasses, BagFit):
    """Bagging for classification: the mean of many clones of a classifier, fitted on random rows or columns.

    Probabilities are averaged. Base estimators without `predict_proba` vote, and with `voting="hard"` all do.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import BaggingClassifier
    >>> X, y = make_moons(500, noise=0.3, random_state=42)
    >>> model = BaggingClassifier(n_estimators=100, oob_score=True, random_state=0).fit(X, y)
    >>> 0.88 < model.oob_score_ < 0.92
    True
    """

    _kind, _other_kind = "classifier", staticmethod(is_regressor)

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        partition: bool = False,
        voting: str = "soft",
    ) -> None:
        keep_parameters(self, locals())

    def _default(self) -> Any:
        return DecisionTreeClassifier()

    def _keep_tree(self, k: int, schema: Schema, tree: DecisionTree) -> Any:
        made = super()._keep_tree(k, schema, tree)
        made.classes_, made.n_classes_ = self.classes_, self.n_classes_
        return made

    def _read_target(self, y: Any, n_rows: int) -> tuple[np.ndarray, Target]:
        labels = read_labels(y, n_rows, type(self).__name__)
        return labels, class_target(labels)

    def _answer_of(self, member: Any, X: Any, **params: Any) -> np.ndarray:
        from spinney.ensemble.bagging import say_classes

        return say_classes(member, X, self.classes_, params, self.voting == "hard")

    @available_if(lambda self: hasattr(self._template(), "decision_function"))
    @row_by_row()
    def decision_function(self, X: Any, **params: Any) -> np.ndarray:
        """Compute the mean of the base estimators' `decision_function`.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows to predict, with the columns of the training data.
        **params : dict
            Arguments of the base estimators' `decision_function`; only with scikit-learn's metadata routing.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column per class with more than two classes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> from spinney import BaggingClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = BaggingClassifier(LogisticRegression(max_iter=1000), random_state=0).fit(X, y)
        >>> model.decision_function(X[:2]).shape
        (2, 3)
        """
        check_is_fitted(self)
        for k, member in enumerate(self.estimators_):
            if not np.array_equal(member.classes_, self.classes_):
                raise ValueError(
                    f"decision_function needs members that know all classes, and member '{k}' has not seen some. Use "
                    "predict_proba."
                )
        given = route_to_copies(self, "decision_function", params)
        return self._mean_of_members(X, lambda member, some: np.asarray(member.decision_function(some, **given)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = can_share(self._template())
        return tags


@described(BAGGING, {"estimator": REGRESSOR}, about=ABOUT, fitted=FITTED)
class BaggingRegressor(BaggedNumbers, BagFit):
    """Bagging for regression: the mean of many clones of a regressor, fitted on random rows or columns.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import BaggingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BaggingRegressor(n_estimators=100, oob_score=True, random_state=0).fit(X, y)
    >>> 0.4 < model.oob_score_ < 0.5
    True
    """

    _kind, _other_kind = "regressor", staticmethod(is_classifier)

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: Any = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        partition: bool = False,
    ) -> None:
        keep_parameters(self, locals())

    def _default(self) -> Any:
        return DecisionTreeRegressor()

    def _read_target(self, y: Any, n_rows: int) -> tuple[np.ndarray, Target]:
        numbers = read_several_numbers(y, n_rows, type(self).__name__)
        return numbers, number_target(numbers)

    def _answer_of(self, member: Any, X: Any, **params: Any) -> np.ndarray:
        from spinney.ensemble.bagging import say_numbers

        return say_numbers(member, X, params)
