"""Bias and variance of a model: how its predictions for other rows change over bootstraps of the training rows.

In: an unfitted estimator, training rows, test rows. Out: the mean error of its fits, and the parts of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples, check_consistent_length, column_or_1d

from spinney.view.phrases import check_count


class BiasVariance(NamedTuple):
    """Bias and variance, as returned by `bias_variance`.

    Attributes
    ----------
    error : float
        Mean error of the fits on the test rows: squared error, or the fraction of misclassified rows.
    bias : float
        Error of the main prediction, which is the mean of the fits' predictions, or their majority. It includes the
        noise in the targets. (For squared error, this is the squared bias.)
    variance : float
        `error - bias`. For squared error, it is the variance of the predictions. For classes, it is how much more often
        the fits are wrong than their majority.
    spread : float
        Variance of the predictions; for classes, the fraction of predictions that differ from the main one.
    loss : str
        "squared_error" or "zero_one".

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.evaluate import bias_variance
    >>> X, y = make_moons(400, noise=0.3, random_state=0)
    >>> found = bias_variance(DecisionTreeClassifier(), X[:200], y[:200], X[200:], y[200:], random_state=0)
    >>> round(found.bias + found.variance - found.error, 12), found.loss
    (0.0, 'zero_one')
    """

    error: float
    bias: float
    variance: float
    spread: float
    loss: str


def bias_variance(
    model: Any, X: Any, y: Any, X_test: Any, y_test: Any, *, n_bootstraps: int = 50, random_state: Any = None
) -> BiasVariance:
    """Decompose the error of a model into bias and variance.

    Clones of the model are fitted on bootstrap samples of the training rows and predict the test rows. Bias is what
    their mean (or majority) gets wrong, variance what is added because they differ.

    Parameters
    ----------
    model : estimator
        Any classifier or regressor that follows scikit-learn's conventions. It is cloned, not fitted.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels or numbers.
    X_test : array-like or DataFrame of shape (n_test, n_features)
        Test rows.
    y_test : array-like of shape (n_test,)
        Their labels or numbers.
    n_bootstraps : int, default=50
        Number of bootstrap samples, at least 2.
    random_state : int, RandomState or None, default=None
        Determines the bootstrap samples and the `random_state` of the clones.

    Returns
    -------
    BiasVariance
        `error`, `bias`, `variance`, `spread` and `loss`.

    Notes
    -----
    Classes are decomposed as by P. Domingos, *A Unified Bias-Variance Decomposition* (2000): the main prediction is the
    majority, bias its zero-one loss. Where the majority is wrong, predictions that differ can be right, so variance
    can be below `spread`, and even negative.

    Bootstraps share rows, so the variance between independent samples is larger.

    Examples
    --------
    A full tree has much variance, which bagging reduces. A stump has more bias:

    >>> from sklearn.datasets import make_moons
    >>> from spinney import BaggingClassifier, DecisionTreeClassifier
    >>> from spinney.evaluate import bias_variance
    >>> X, y = make_moons(700, noise=0.3, random_state=0)
    >>> data = X[:200], y[:200], X[200:], y[200:]
    >>> tree, stump = DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=1)
    >>> bag = BaggingClassifier(n_estimators=20)
    >>> one, many, small = (bias_variance(m, *data, n_bootstraps=20, random_state=0) for m in (tree, bag, stump))
    >>> many.variance < one.variance, small.bias > one.bias
    (True, True)
    """
    check_count("n_bootstraps", n_bootstraps, 2)
    check_consistent_length(X, y)
    check_consistent_length(X_test, y_test)
    truth, random = column_or_1d(y_test), check_random_state(random_state)
    predictions = np.array([_predict(model, X, y, X_test, random) for _ in range(n_bootstraps)])
    if predictions.shape != (n_bootstraps, len(truth)):
        raise ValueError("model must predict one value per row: bias_variance does not support several outputs.")
    return _of_classes(predictions, truth) if is_classifier(model) else _of_numbers(predictions, truth)


def _predict(model: Any, X: Any, y: Any, X_test: Any, random: np.random.RandomState) -> np.ndarray:
    """What a clone predicts that is fitted on a bootstrap sample."""
    n_rows = _num_samples(X)
    rows = random.randint(n_rows, size=n_rows)
    one = clone(model)
    seeds = {name: int(random.randint(2**31 - 1)) for name in one.get_params() if name.endswith("random_state")}
    one.set_params(**seeds).fit(_safe_indexing(X, rows), _safe_indexing(y, rows))
    return np.asarray(one.predict(X_test))


def _of_numbers(predictions: np.ndarray, truth: np.ndarray) -> BiasVariance:
    numbers = np.asarray(truth, np.float64)
    bias = float(((predictions.mean(axis=0) - numbers) ** 2).mean())
    variance = float(predictions.var(axis=0).mean())
    return BiasVariance(bias + variance, bias, variance, variance, "squared_error")


def _of_classes(predictions: np.ndarray, truth: np.ndarray) -> BiasVariance:
    from spinney.ensemble.voting import aggregate_votes

    main = aggregate_votes(predictions.T)
    error, bias = float((predictions != truth).mean()), float((main != truth).mean())
    return BiasVariance(error, bias, error - bias, float((predictions != main).mean()), "zero_one")
