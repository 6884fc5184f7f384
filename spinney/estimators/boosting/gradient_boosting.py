"""Gradient boosting for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.target import (
    Target,
    class_target,
    number_target,
    read_labels,
    read_numbers,
)
from spinney.ensemble.metrics import CLASS_METRICS, VALUE_METRICS, Metric, loss_metric, value_metrics
from spinney.estimators.base import TableClassifier, TableRegressor
from spinney.estimators.boosting.model import EXAMPLE, BoostedModel
from spinney.estimators.boosting.params import BOOSTING, CLASS_LOSS, FITTED, GROUPS, NUMBER_LOSS
from spinney.estimators.docstrings import LABELS, LOCAL, NUMBERS, documented
from spinney.estimators.params import described, keep_parameters
from spinney.estimators.streaming import row_by_row
from spinney.gpu import model_methods as on_gpu

if TYPE_CHECKING:
    from spinney.ensemble.boosting.booster import Task


@described(BOOSTING, NUMBER_LOSS, groups=GROUPS, fitted=FITTED)
class GradientBoostingRegressor(TableRegressor, BoostedModel):
    """Gradient boosted trees for regression.

    By default, the number of rounds, the learning rate and the size of the trees are chosen by held-out rows. Give
    `n_estimators` a number in grid searches and cross-validation: the search takes several fits. The guide is
    docs/boosting.md.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import GradientBoostingRegressor
    >>> X, y = make_regression(random_state=0)
    >>> model = GradientBoostingRegressor(random_state=0).fit(X, y)
    >>> model.predict(X[:3]).shape
    (3,)
    """

    def __init__(
        self,
        loss: Any = "squared_error",
        *,
        quantile: float | None = None,
        alpha: float = 0.9,
        power: float = 1.5,
        learning_rate: float | str = "auto",
        n_estimators: int | str = "auto",
        max_iter: int | None = None,
        quality: int = 3,
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        growth: str = "best_first",
        criterion: str | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = "auto",
        min_weight_fraction_leaf: float = 0.0,
        min_child_weight: float = 1e-3,
        min_split_gain: float = 0.0,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        category_smoothing: float = 10.0,
        category_l2: float = 1.0,
        min_samples_category: int | str = "auto",
        max_bins: int | None = 255,
        max_features: Any = "auto",
        max_features_per_tree: Any = 1.0,
        leaves: str = "constant",
        extrapolate: bool = False,
        subsample: float = 1.0,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        init: Any = None,
        early_stopping: bool | str | None = None,
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-7,
        time_budget: float | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())

    @row_by_row(on_gpu.boosted_numbers)
    @documented(returns=NUMBERS)
    def predict(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """Predict the target of each row.

        Examples
        --------
        Counts with an exposure: the model predicts rates, or counts if it gets the exposures of the rows.

        >>> import numpy as np
        >>> from spinney import GradientBoostingRegressor
        >>> rng = np.random.RandomState(0)
        >>> X, exposure = rng.rand(500, 2), rng.rand(500)
        >>> counts = rng.poisson(3 * exposure)
        >>> model = GradientBoostingRegressor("poisson", n_estimators=20)
        >>> model = model.fit(X, counts, init_score=np.log(exposure))
        >>> rates = model.predict(X)
        >>> bool(np.allclose(model.predict(X, init_score=np.log(exposure)), rates * exposure))
        True
        """
        return self.respond(self._raw(X, init_score))

    @documented(LOCAL, setup=EXAMPLE)
    def staged_predict(self, X: Any, *, init_score: Any = None) -> Iterator[np.ndarray]:
        """Predict the target of each row after each round.

        Yields
        ------
        ndarray of shape (n_samples,)
            Predicted values of the first rounds.

        Examples
        --------
        >>> len(list(model.staged_predict(X)))
        10
        """
        for raw in self._staged_raw(X, init_score):
            yield self.respond(raw)

    def _known_target(self, y: Any, n_rows: int) -> Target:
        return number_target(read_numbers(y, n_rows, type(self).__name__))

    def _task(self, target: Target) -> Task:
        from spinney.criteria.losses import check_targets
        from spinney.ensemble.boosting.booster import Task

        loss, y, used = self._make_loss(), target.values[0], target.weights.total()
        check_targets(loss, y if used is None else y[used > 0])
        return Task(target, loss)

    @property
    def _quantile(self) -> float:
        return self.alpha if self.quantile is None else self.quantile

    def _make_loss(self) -> Any:
        from spinney.criteria.losses import BY_NAME, LOSSES
        from spinney.criteria.user_loss import compile_loss

        if not isinstance(self.loss, str):
            return compile_loss(self.loss, "identity")
        names = sorted(kind.name for kind in LOSSES if not kind.needs_classes)
        if self.loss not in names:
            raise ValueError(f"loss must be one of {names} or a custom loss (spinney.Loss), got {self.loss!r}.")
        kind = BY_NAME[self.loss]
        values = (self._quantile if name == "quantile" else getattr(self, name) for name in kind.parameters)
        return kind.make(*(float(value) for value in values))

    def _known_metrics(self) -> dict[str, Metric]:
        return value_metrics(self._quantile, self.power)

    def _loss_metric(self, task: Task) -> Metric:
        if isinstance(self.loss, str):
            return loss_metric(self.loss)
        return loss_metric("loss") if task.loss.value is not None else VALUE_METRICS["squared_error"]


_EXAMPLE = """
>>> from spinney import GradientBoostingClassifier
>>> from spinney.datasets import load_penguins
>>> X, y = load_penguins()
>>> model = GradientBoostingClassifier(n_estimators=10).fit(X, y)
"""


@described(BOOSTING, CLASS_LOSS, groups=GROUPS, fitted=FITTED)
class GradientBoostingClassifier(TableClassifier, BoostedModel):
    """Gradient boosted trees for two or more classes.

    By default, the number of rounds, the learning rate and the size of the trees are chosen by held-out rows. Give
    `n_estimators` a number in grid searches and cross-validation: the search takes several fits. The guide is
    docs/boosting.md.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    {fitted}

    Examples
    --------
    >>> from spinney import GradientBoostingClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = GradientBoostingClassifier(random_state=0).fit(X, y)
    >>> model.predict_proba(X.head(3)).shape
    (3, 3)
    """

    def __init__(
        self,
        loss: Any = "log_loss",
        *,
        learning_rate: float | str = "auto",
        n_estimators: int | str = "auto",
        max_iter: int | None = None,
        quality: int = 3,
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        growth: str = "best_first",
        criterion: str | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = "auto",
        min_weight_fraction_leaf: float = 0.0,
        min_child_weight: float = 1e-3,
        min_split_gain: float = 0.0,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        category_smoothing: float = 10.0,
        category_l2: float = 1.0,
        min_samples_category: int | str = "auto",
        max_bins: int | None = 255,
        max_features: Any = "auto",
        max_features_per_tree: Any = 1.0,
        leaves: str = "constant",
        extrapolate: bool = False,
        subsample: float = 1.0,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        init: Any = None,
        early_stopping: bool | str | None = None,
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-7,
        time_budget: float | None = None,
        warm_start: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        keep_parameters(self, locals())

    @row_by_row(on_gpu.boosted_decision)
    @documented(setup=_EXAMPLE)
    def decision_function(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """Compute the raw scores of each row.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One raw score per row with two classes, else one per row and class. With loss="log_loss" and two classes,
            it is the log odds of the second class.

        Examples
        --------
        >>> model.decision_function(X).shape
        (344, 3)
        """
        raw = self._raw(X, init_score)
        return raw[0] if len(raw) == 1 else raw.T

    @row_by_row(on_gpu.boosted_probabilities)
    @documented(setup=_EXAMPLE)
    def predict_proba(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """Predict the class probabilities of each row.

        Examples
        --------
        >>> model.predict_proba(X).shape
        (344, 3)
        """
        return self.respond(self._raw(X, init_score))

    @row_by_row(on_gpu.boosted_log_probabilities)
    @documented(setup=_EXAMPLE)
    def predict_log_proba(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """Predict the logarithms of the class probabilities.

        They are computed from the raw scores and stay finite where a probability rounds to 0.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of the probabilities, in the order of `classes_`.

        Examples
        --------
        >>> bool((model.predict_log_proba(X) < 0).all())
        True
        """
        return self.log_probabilities_of(self._raw(X, init_score))

    def log_probabilities_of(self, raw: np.ndarray) -> np.ndarray:
        """Return the logarithms of the probabilities of raw scores, for internal use."""
        from spinney._team import Team
        from spinney.ensemble.boosting.scoring import log_predictions

        with Team(1, inline=True) as alone:
            return log_predictions(self.fitted_loss, raw, alone)

    @row_by_row(on_gpu.boosted_classes)
    @documented(returns=LABELS, setup=_EXAMPLE)
    def predict(self, X: Any, *, init_score: Any = None) -> np.ndarray:
        """Predict the most probable class of each row.

        Examples
        --------
        >>> model.predict(X)[:2].tolist()
        ['Adelie', 'Adelie']
        """
        return self.classes_of(self._raw(X, init_score))

    @documented(LOCAL, setup=_EXAMPLE)
    def staged_decision_function(self, X: Any, *, init_score: Any = None) -> Iterator[np.ndarray]:
        """Compute the raw scores of each row after each round.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Raw scores of the first rounds.

        Examples
        --------
        >>> len(list(model.staged_decision_function(X)))
        10
        """
        for raw in self._staged_raw(X, init_score):
            yield raw[0].copy() if len(raw) == 1 else raw.T.copy()

    @documented(LOCAL, setup=_EXAMPLE)
    def staged_predict_proba(self, X: Any, *, init_score: Any = None) -> Iterator[np.ndarray]:
        """Predict the class probabilities of each row after each round.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            Probabilities of the first rounds.

        Examples
        --------
        >>> [chances.shape for chances in model.staged_predict_proba(X)][:2]
        [(344, 3), (344, 3)]
        """
        for raw in self._staged_raw(X, init_score):
            yield self.respond(raw)

    @documented(LOCAL, setup=_EXAMPLE)
    def staged_predict(self, X: Any, *, init_score: Any = None) -> Iterator[np.ndarray]:
        """Predict the class of each row after each round.

        Yields
        ------
        ndarray of shape (n_samples,)
            Predicted labels of the first rounds.

        Examples
        --------
        >>> [round(float((labels == y).mean()), 2) for labels in model.staged_predict(X)][-1] > 0.95
        True
        """
        for raw in self._staged_raw(X, init_score):
            yield self.classes_of(raw)

    @row_by_row(on_gpu.boosted_class_leaves)
    def apply(self, X: Any) -> np.ndarray:
        leaves = super().apply(X)
        return leaves.reshape(len(leaves), -1, self._booster.n_outputs)

    apply.__doc__ = BoostedModel.apply.__doc__

    def classes_of(self, raw: np.ndarray) -> np.ndarray:
        """Return the labels of raw scores, for internal use."""
        if len(raw) > 1:
            return self.classes_[raw.argmax(axis=0)]
        return self.classes_.take(self.respond(raw)[:, 1] > 0.5)

    def _known_target(self, y: Any, n_rows: int) -> Target:
        return class_target(read_labels(y, n_rows, type(self).__name__), [self.classes_])

    def _task(self, target: Target) -> Task:
        from spinney.ensemble.boosting.booster import Task

        return Task(target, self._make_loss())

    def _make_loss(self) -> Any:
        from spinney.criteria.losses import BY_NAME
        from spinney.criteria.user_loss import compile_loss

        kind = BY_NAME.get(self.loss) if isinstance(self.loss, str) else None
        if isinstance(self.loss, str) and not (kind and kind.needs_classes):
            raise ValueError(
                f"loss must be 'log_loss', 'exponential' or a custom loss (spinney.Loss), got {self.loss!r}."
            )
        if self.n_classes_ > 2 and self.loss != "log_loss":
            what = "loss='exponential'" if isinstance(self.loss, str) else "A custom loss"
            raise ValueError(f"{what} needs two classes, but y has {self.n_classes_}. Use loss='log_loss'.")
        return kind.make() if kind else compile_loss(self.loss, "logistic")

    def _known_metrics(self) -> dict[str, Metric]:
        return CLASS_METRICS

    def _loss_metric(self, task: Task) -> Metric:
        if isinstance(self.loss, str):
            return loss_metric(self.loss)
        return loss_metric("loss") if task.loss.value is not None else CLASS_METRICS["log_loss"]
