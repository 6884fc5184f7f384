"""What all combinations of models share: named members, their checks, and their predictions for a table.

In:  a list of (name, model). Out: checked members; the answers of fitted ones, classes in one order.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import check_cv
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import Bunch, ClassifierTags, RegressorTags, get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney.data.reading import with_rows
from spinney.data.schema import Schema, name_columns
from spinney.data.target import read_labels, read_numbers
from spinney.data.weights import check_weights
from spinney.ensemble.cross_fitting import Member, Split, answer_of, class_numbers, in_order, naming
from spinney.estimators.base import KnowsNames, first_answer, frame_of_records, frame_of_row, take_inputs_of_members
from spinney.estimators.docstrings import OF_MEMBERS, documented
from spinney.estimators.names import names_of_ours
from spinney.estimators.params import Parameter, check_parameters
from spinney.estimators.routing import route_to_members, router_of_members

MEMBERS = {
    "estimators": Parameter(
        "list of (str, estimator) tuples",
        'Base estimators (members) and their names. "drop" in place of an estimator leaves it out. `fit` fits clones.',
        [list],
    ),
    "weights": Parameter(
        "array-like of shape (n_members,) or None",
        "Weights of the members. None: all equal.",
        ["array-like", None],
    ),
    "cv": Parameter(
        "int, splitter, iterable or None",
        "Cross-validation splits: a number of folds (stratified for classes), a splitter or an iterable. None: 5 "
        "folds. Every row must be held out exactly once.",
        ["cv_object"],
    ),
    "n_jobs": Parameter(
        "int or None",
        "Number of members fitted at the same time, in threads. None: one. A member with `n_jobs=None` gets an equal "
        "part of the threads during its fit. scikit-learn's models treat None as one thread and keep it.",
        [Integral, None],
    ),
    "verbose": Parameter("bool", "Whether to print the time that each member takes.", ["verbose"]),
}
_WRONG_MEMBERS = "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of (name, model)"
FITTED_MEMBERS = """
    estimators_ : list of estimators
        The fitted members. Classifiers predict the labels of y.
    named_estimators_ : Bunch
        The fitted members by name.
    n_features_in_ : int
        Number of columns of X, if a member knows it.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had names.
"""


VOTERS = """
>>> from spinney import C45Classifier, DecisionTreeClassifier, VotingClassifier
>>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
>>> members = [("cart", DecisionTreeClassifier()), ("c45", C45Classifier())]
"""


class Combination(KnowsNames, _BaseComposition):
    """A model made of named models, `estimators`, which may be set and read like parameters."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    _member_kind: ClassVar[str | None] = None  # "classifier", "regressor", or None for both
    _predicts_by_codes: ClassVar[bool] = False

    @property
    def named_estimators(self) -> Bunch:
        """The members as passed to the constructor, by name."""
        return Bunch(**dict(self.estimators))

    @documented(setup=VOTERS)
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the members, by name, and their parameters.

        Returns
        -------
        dict of str to value
            Parameters by name.

        Examples
        --------
        >>> VotingClassifier(members).get_params()["cart__max_depth"] is None
        True
        """
        return self._get_params("estimators", deep=deep)

    @documented(setup=VOTERS)
    def set_params(self, **params: Any) -> Any:
        """Set parameters, members or parameters of members.

        Parameters
        ----------
        **params : dict
            Parameters by name; members by name (an estimator or "drop"); parameters of members as `name__parameter`.

        Returns
        -------
        self
            This estimator.

        Examples
        --------
        >>> model = VotingClassifier(members).set_params(c45="drop", cart__max_depth=2).fit(X, y)
        >>> len(model.estimators_)
        1
        """
        with names_of_ours(self, params):
            self._set_params("estimators", **params)
        return self

    def _kind(self) -> str | None:
        """What the members must be."""
        return self._member_kind

    def _members(self) -> list[Member]:
        """The members that take part, after all checks of parameters."""
        check_parameters(self)
        for one in self.estimators:
            if not isinstance(one, tuple | list) or len(one) != 2 or not isinstance(one[0], str):
                raise ValueError(f"{_WRONG_MEMBERS}, got {one!r} in it.")
        self._check_names([name for name, _ in self.estimators])
        members = [(name, model) for name, model in self.estimators if not _is_drop(model)]
        if not members:
            if self.estimators:
                raise ValueError("All estimators are dropped. At least one is required to be a model.")
            raise ValueError(f"{_WRONG_MEMBERS}, got an empty list.")
        for name, model in members:
            self._check_member(name, model)
        return members

    def _check_names(self, names: list[str]) -> None:
        if len(set(names)) != len(names):
            raise ValueError(f"estimators must have distinct names, got {names}.")
        taken = sorted(set(names) & set(self.get_params(deep=False)))
        if taken:
            raise ValueError(f"estimators must not be named like parameters of {type(self).__name__}: {taken}.")
        wrong = [name for name in names if "__" in name]
        if wrong:
            raise ValueError(f"Estimator names must not contain __: got {wrong}.")

    def _check_member(self, name: str, model: Any) -> None:
        if isinstance(model, type) or not hasattr(model, "fit"):
            raise TypeError(f"member {name!r} must be a model with fit, or 'drop', got {model!r}.")
        kind = self._kind()
        if kind and not (is_classifier if kind == "classifier" else is_regressor)(model):
            raise ValueError(f"member {name!r} must be a {kind}, got {type(model).__name__}.")

    @documented(setup=VOTERS)
    def get_metadata_routing(self) -> Any:
        """Get the metadata routing: which arguments of `fit` are passed to which member.

        Examples
        --------
        >>> type(VotingClassifier(members).get_metadata_routing()).__name__
        'MetadataRouter'
        """
        return router_of_members(self)

    def _fit_params(self, members: list[Member], X: Any, given: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """By the members' names: what their fits get besides X and y."""
        weights = read_row_weights(X, given.get("sample_weight"))
        given = {**given, "sample_weight": weights} if weights is not None else given
        return route_to_members(self, members, given)

    def predict_row(self, row: Any) -> Any:
        """Predict one row.

        Parameters
        ----------
        row : dict, Series or sequence
            Values by column name, or in column order. Missing values are NaN or None. Other names in a dict are
            ignored.

        Returns
        -------
        scalar
            A label or a number, as from `predict`.

        Examples
        --------
        >>> from spinney import C45Classifier, DecisionTreeClassifier, VotingClassifier
        >>> from spinney.datasets import load_tennis
        >>> vote = VotingClassifier([("cart", DecisionTreeClassifier()), ("c45", C45Classifier())])
        >>> vote.fit(*load_tennis())
        VotingClassifier(estimators=[('cart', DecisionTreeClassifier()),
                                     ('c45', C45Classifier())])
        >>> vote.predict_row({"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Windy": False})
        'Yes'
        """
        return first_answer(self, frame_of_row(self._columns(row), row))

    def _of_records(self, X: list[Any]) -> Any:
        """A list of dicts as members can read it."""
        return frame_of_records(self._columns(X[0]), X)

    def _columns(self, row: Any) -> Schema:
        """How many columns there are, and their names; members that know neither take what a row has."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        n_columns = len(row) if names is None and not hasattr(self, "n_features_in_") else self.n_features_in_
        return name_columns(n_columns, names)

    def _keep_members(self, members: list[Member], fitted: list[Any]) -> None:
        """Set estimators_, named_estimators_ and what is known of the table's columns."""
        self.estimators_ = fitted
        by_name = dict(zip([name for name, _ in members], fitted))
        self.named_estimators_ = Bunch(**{name: by_name.get(name, "drop") for name, _ in self.estimators})
        self._keep_columns(fitted)

    def _keep_columns(self, fitted: list[Any]) -> None:
        for attribute in ("n_features_in_", "feature_names_in_"):
            known = [getattr(model, attribute) for model in fitted if hasattr(model, attribute)]
            self.__dict__.pop(attribute, None)
            if known:
                setattr(self, attribute, known[0])

    def _answers(self, X: Any, method: str) -> list[np.ndarray]:
        """What each member's method gives for X."""
        return [ask(name, model, method, X) for name, model in self._fitted()]

    def _fitted(self) -> list[Member]:
        return [(name, model) for name, model in self.named_estimators_.items() if not _is_drop(model)]

    def _sk_visual_block_(self) -> Any:
        from sklearn.utils._repr_html.estimator import _VisualBlock

        names, models = zip(*self.estimators)
        return _VisualBlock("parallel", models, names=names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        try:
            inputs = [get_tags(model).input_tags for _, model in self.estimators if not _is_drop(model)]
        except Exception:  # wrong members are reported by fit
            return tags
        take_inputs_of_members(tags, inputs)
        return tags


class EitherKind(Combination):
    """A combination of classifiers or of regressors: it is what its members are."""

    def _kind(self) -> str:
        if self._member_kind is not None:
            return self._member_kind
        kinds = {is_classifier(model) for _, model in self.estimators if not _is_drop(model)}
        if len(kinds) == 2:
            raise ValueError("estimators must be all classifiers or all regressors, got both.")
        return "classifier" if kinds == {True} else "regressor"

    def _classifies(self) -> bool:
        return self._kind() == "classifier"

    def _read_target(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """What members are fitted to, and class numbers or numbers. Sets `classes_` of classifiers."""
        if not self._classifies():
            self.__dict__.pop("classes_", None)
            numbers = read_numbers(y, _num_samples(X), type(self).__name__)
            return numbers, numbers
        encoder, codes = encode_labels(X, y, type(self).__name__)
        self.classes_ = encoder.classes_
        return self.classes_[codes], codes

    @documented(OF_MEMBERS)
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of classifiers, or R2 of regressors.

        Returns
        -------
        float
            Accuracy or R2.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from spinney import DecisionTreeClassifier, BucketOfModels
        >>> X, y = load_iris(return_X_y=True)
        >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
        >>> model = BucketOfModels(members).fit(X, y)
        >>> model.score(X, y) > 0.9
        True
        """
        from sklearn.metrics import accuracy_score, r2_score

        measure = accuracy_score if self._classifies() else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            tags.estimator_type = self._kind()
        except Exception:  # wrong members are reported by fit
            return tags
        if tags.estimator_type == "classifier":
            tags.classifier_tags = ClassifierTags()
        else:
            tags.regressor_tags = RegressorTags()
        return tags


def _is_drop(model: Any) -> bool:
    return isinstance(model, str) and model == "drop"


def ask(name: str, model: Any, method: str, X: Any) -> np.ndarray:
    """What a fitted member's method gives for X."""
    X = with_rows(X)
    with naming(name, method):
        return answer_of(model, method, X)


def require_method(members: list[Member], method: str, reason: str) -> None:
    """Raise unless all members have the method."""
    for name, model in members:
        if not hasattr(model, method):
            raise ValueError(f"member {name!r} ({type(model).__name__}) has no {method}, which {reason} needs.")


def ask_classes(name: str, model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """The numbers in `classes` of the labels that a fitted member predicts."""
    X = with_rows(X)
    with naming(name, "predict"):
        return class_numbers(np.asarray(model.predict(X)), classes)


def ask_probabilities(name: str, model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """A fitted member's probabilities, a column for each of `classes`."""
    X = with_rows(X)
    with naming(name, "predict_proba"):
        return in_order(np.asarray(model.predict_proba(X)), model, "predict_proba", classes)


def encode_labels(X: Any, y: Any, owner: str) -> tuple[LabelEncoder, np.ndarray]:
    """The encoder of the labels, and each row's class as a number."""
    labels = read_labels(y, _num_samples(X), owner)
    if len(labels) == 0:
        raise ValueError("X and y must have at least 1 row, got n_samples = 0.")
    encoder = LabelEncoder().fit(labels)
    return encoder, encoder.transform(labels)


def read_row_weights(X: Any, sample_weight: Any) -> np.ndarray | None:
    """The rows' weights, checked, or None."""
    return None if sample_weight is None else check_weights(sample_weight, _num_samples(X))


def read_splits(cv: Any, X: Any, y: np.ndarray, classes: bool) -> list[Split]:
    """The parts of cross-validation, the same for all members."""
    if _num_samples(X) < 2:
        raise ValueError(f"cross-validation needs at least 2 rows, got n_samples = {_num_samples(X)}.")
    return list(check_cv(cv, y, classifier=classes).split(X, y))
