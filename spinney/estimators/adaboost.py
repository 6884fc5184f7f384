"""AdaBoost for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import HasMethods, Options, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney.estimators.adaboost_model import AdaBoostModel
from spinney.estimators.base import log_probabilities
from spinney.estimators.explained import Explained
from spinney.estimators.params import AT_LEAST_1, COMMON, POSITIVE, Parameter, described, keep_parameters
from spinney.estimators.targets import find_classes, read_labels, read_numbers
from spinney.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor

if TYPE_CHECKING:
    from spinney.ensemble.adaboost import Judge
    from spinney.tree.decision import DecisionTree

_TABLE = {
    **COMMON,
    "n_estimators": Parameter(
        "int",
        "Maximum number of rounds; a perfect member ends them early, and for numbers one with a mean loss of 1/2 or "
        "more.",
        [AT_LEAST_1],
    ),
    "learning_rate": Parameter("float", "Factor of every vote, and so of how far weights move.", [POSITIVE]),
    "algorithm": Parameter(
        '{"SAMME", "SAMME.R", "discrete"}',
        '"SAMME": any number of classes, a vote is ln((1 - error) / error) + ln(n_classes - 1). "SAMME.R": members '
        'vote with the logarithms of their probabilities. "discrete": the original, two classes, a vote is '
        "1/2 ln((1 - error) / error).",
        [StrOptions({"SAMME", "SAMME.R", "discrete"})],
    ),
    "on_weak": Parameter(
        '{"stop", "flip"}',
        "What to do with a member no better than guessing (error of 1 - 1/n_classes or more): end the rounds without "
        'it, or give it a negative vote. SAMME.R keeps all members. With bootstraps "stop" only leaves it out: the '
        "next one may be luckier.",
        [StrOptions({"stop", "flip"})],
    ),
    "reweight": Parameter(
        'True or "resample"',
        'True: members get the weights. "resample": members are fitted on as many rows, drawn with replacement by '
        "weight; then the estimator need not take weights.",
        [Options(bool, {True}), StrOptions({"resample"})],
    ),
    "keep_weights": Parameter(
        "bool", "Keep the rows' weights of every round in `sample_weight_history_`.", ["boolean"]
    ),
    "loss": Parameter(
        '{"linear", "square", "exponential"}',
        "How a row's error, as a share of the largest, counts.",
        [StrOptions({"linear", "square", "exponential"})],
    ),
    "random_state": Parameter(
        "int, RandomState or None", "For bootstraps, and for members with a random_state.", ["random_state"]
    ),
    "n_jobs": COMMON["n_jobs"]._replace(
        text="Threads of the default stump; None: every core. The model does not depend on it."
    ),
}
_CLASSIFIER = Parameter(
    "classifier or None",
    "What the members are copies of: any classifier whose `fit` takes sample_weight. None: our stump, "
    "`DecisionTreeClassifier(max_depth=1)`.",
    [HasMethods(["fit", "predict"]), None],
)
_REGRESSOR = _CLASSIFIER._replace(
    form="regressor or None", text="What the members are copies of. None: our `DecisionTreeRegressor(max_depth=3)`."
)


@described(_TABLE, {"estimator": _CLASSIFIER})
class AdaBoostClassifier(Explained, ClassifierMixin, AdaBoostModel):
    """AdaBoost: weak classifiers in turn, each fitted to what those before it got wrong, and a weighted vote.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimator_ : classifier
        What the members are copies of.
    estimators_ : list of classifiers
    estimator_weights_ : ndarray of shape (n_members,)
        The votes.
    estimator_errors_ : ndarray of shape (n_members,)
        The weighted errors.
    classes_ : ndarray
    n_classes_ : int
    sample_weight_history_ : ndarray of shape (n_members + 1, n_samples), or None without keep_weights
        Weights at the start and after each round; each row adds up to 1.
    feature_importances_ : ndarray
        The members', averaged by vote.
    fingerprint_ : str
        A hash of the members' fingerprints and votes.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from spinney import AdaBoostClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> model.estimator_errors_[:3].round(3).tolist()
    [0.209, 0.202, 0.106]
    """

    classes_: np.ndarray
    n_classes_: int

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        algorithm: str = "SAMME",
        on_weak: str = "stop",
        reweight: Any = True,
        keep_weights: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    @property
    def sample_weight_history_(self) -> np.ndarray | None:
        """Weights at the start and after each round, (n_members + 1, n_samples); None without keep_weights."""
        check_is_fitted(self)
        return self._history

    def _default(self) -> Any:
        return DecisionTreeClassifier(max_depth=1, n_jobs=self.n_jobs)

    def _resamples(self) -> bool:
        return self.reweight == "resample"

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        """Class numbers."""
        self.classes_, codes = find_classes(read_labels(y, n_rows, type(self).__name__))
        self.n_classes_ = len(self.classes_)
        if self.algorithm == "discrete" and self.n_classes_ > 2:
            raise ValueError(
                f"algorithm='discrete' is for two classes, and y has {self.n_classes_}: "
                "use algorithm='SAMME' or 'SAMME.R'."
            )
        if self.algorithm == "SAMME.R" and not hasattr(self._template(), "predict_proba"):
            name = type(self._template()).__name__
            raise ValueError(
                f"algorithm='SAMME.R' needs an estimator with predict_proba, and {name} has none: "
                "use algorithm='SAMME'."
            )
        return codes.astype(np.int64)

    def _labels(self, target: np.ndarray) -> np.ndarray:
        return self.classes_[target]

    def _judge(self, target: np.ndarray, first: np.ndarray) -> Judge:
        from spinney.ensemble.adaboost import Discrete, Samme, SammeR

        if self.algorithm == "SAMME.R":
            return SammeR(target, self.learning_rate)
        kind = Discrete if self.algorithm == "discrete" else Samme
        return kind(target, self.n_classes_, self.learning_rate, self.on_weak == "flip", goes_on=self._resamples())

    def _refuse(self, error: float) -> NoReturn:
        raise ValueError(
            f"The first member is wrong on {error:.3g} of the weight, no better than guessing among {self.n_classes_} "
            "classes: use a stronger estimator, such as a deeper tree."
        )

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        """Class numbers, or probabilities for SAMME.R; a member need not know all classes."""
        if self.algorithm != "SAMME.R":
            return np.searchsorted(self.classes_, member.predict(X))
        known = member.predict_proba(X)
        if known.shape[1] == self.n_classes_:
            return known
        probabilities = np.zeros((len(known), self.n_classes_))
        probabilities[:, np.searchsorted(self.classes_, member.classes_)] = known
        return probabilities

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        return (tree.probabilities if self.algorithm == "SAMME.R" else tree.majority)[:, 0].take(leaves, axis=0)

    def _says(self, X: Any) -> Iterator[np.ndarray]:
        """Each member's say on every class, (n_samples, n_classes)."""
        yield from map(self._say, self._all_answers(X))

    def _say(self, answers: np.ndarray) -> np.ndarray:
        from spinney.ensemble.adaboost import class_votes, log_votes

        return log_votes(answers) if self.algorithm == "SAMME.R" else class_votes(answers, self.n_classes_)

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after each round."""
        from spinney.ensemble.adaboost import staged_sums

        X = self._check(X)
        norms = np.cumsum(np.abs(self.estimator_weights_))
        for total, norm in zip(staged_sums(self._says(X), self.estimator_weights_), norms):
            yield self._decide(total, norm)

    def _decide(self, total: np.ndarray, norm: float) -> np.ndarray:
        """The decision from the sums of votes times says."""
        if self.algorithm == "discrete" and self.n_classes_ == 2:
            return total[:, 1]
        return (total[:, 1] - total[:, 0]) / norm if self.n_classes_ == 2 else total / norm

    def decision_function(self, X: Any) -> np.ndarray:
        """How the vote goes: (n_samples,) for two classes, positive for the second; else (n_samples, n_classes).

        SAMME and SAMME.R: scikit-learn's numbers, divided by the sum of the votes. "discrete": the sum of vote times
        +1 or -1.
        """
        *_, last = self.staged_decision_function(X)
        return last

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        for decision in self.staged_decision_function(X):
            yield self._choose(decision)

    def predict(self, X: Any) -> np.ndarray:
        """The class that gets most of the vote."""
        return self._choose(self.decision_function(X))

    def _choose(self, decision: np.ndarray) -> np.ndarray:
        return self.classes_[(decision > 0).astype(np.int64) if decision.ndim == 1 else decision.argmax(axis=1)]

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after each round."""
        for decision in self.staged_decision_function(X):
            yield self._probabilities(decision)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities from the vote, (n_samples, n_classes).

        SAMME and SAMME.R: scikit-learn's, the softmax of `decision_function` / (n_classes - 1). "discrete":
        1 / (1 + exp(-2 decision)), what the sum of votes estimates.
        """
        return self._probabilities(self.decision_function(X))

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        from scipy.special import softmax

        if decision.ndim == 1:
            scale = 1.0 if self.algorithm == "discrete" else 0.5
            return softmax(np.column_stack([-decision, decision]) * scale, axis=1)
        return softmax(decision / max(self.n_classes_ - 1, 1), axis=1)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        return log_probabilities(self.predict_proba(X))


@described(_TABLE, {"estimator": _REGRESSOR})
class AdaBoostRegressor(RegressorMixin, AdaBoostModel):
    """AdaBoost.R2: regressors in turn, each fitted to a bootstrap with more of the rows that were predicted badly.

    The prediction is the median of the members' predictions, weighted by their votes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimator_ : regressor
        What the members are copies of.
    estimators_ : list of regressors
    estimator_weights_ : ndarray of shape (n_members,)
        The votes.
    estimator_errors_ : ndarray of shape (n_members,)
        The weighted mean losses.
    feature_importances_ : ndarray
        The members', averaged by vote.
    fingerprint_ : str
        A hash of the members' fingerprints and votes.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import AdaBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AdaBoostRegressor(n_estimators=10, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.6
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        random_state: Any = None,
    ) -> None:
        keep_parameters(self, locals())

    def _default(self) -> Any:
        return DecisionTreeRegressor(max_depth=3)

    def _resamples(self) -> bool:
        return True

    def _read_target(self, y: Any, n_rows: int) -> np.ndarray:
        return read_numbers(y, n_rows, type(self).__name__)

    def _judge(self, target: np.ndarray, first: np.ndarray) -> Judge:
        from spinney.ensemble.adaboost import R2

        return R2(target, self.loss, self.learning_rate)

    def _answers(self, member: Any, X: Any) -> np.ndarray:
        return np.asarray(member.predict(X), np.float64)

    def _answers_in(self, leaves: np.ndarray, tree: DecisionTree) -> np.ndarray:
        return tree.answers[leaves, 0, 0]

    def _predictions(self, X: Any) -> np.ndarray:
        """Every member's, (n_samples, n_members)."""
        X = self._check(X)
        return np.column_stack(list(self._all_answers(X)))

    def predict(self, X: Any) -> np.ndarray:
        """The weighted median of the members' predictions."""
        from spinney.ensemble.adaboost import weighted_median

        return weighted_median(self._predictions(X), self.estimator_weights_)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        from spinney.ensemble.adaboost import weighted_median

        predictions = self._predictions(X)
        for n_members in range(1, len(self.estimators_) + 1):
            yield weighted_median(predictions[:, :n_members], self.estimator_weights_[:n_members])
