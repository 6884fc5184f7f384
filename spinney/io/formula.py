"""A fitted model of trees as a formula: what every export is written from.

In: a fitted model. Out: a `Formula`: trees, what each of their nodes adds to raw scores, and what becomes of these.

    raw = start; for every tree, in order: raw += values[node where the row ends]; raw /= divisor

A tree adds to all raw scores at once, or, in boosted models of several classes, tree t to number t % n_scores alone.
Then, by `link`:

    link        model                        prediction
    identity    numbers                      raw
    exp         boosting with a log link     exp(raw)
    shares      trees and forests            raw are probabilities, those of each output side by side; the most probable
                                             class, of equals the first; of a single tree `majority` of the node
    logistic    boosting of two classes      p = sigmoid(scale * raw); the second class if p > 0.5
    softmax     boosting of more classes     softmax(raw); the class of the greatest raw score
    votes       AdaBoost                     softmax(raw / scale); the class of the greatest raw score
    margin      AdaBoost of two classes      d = (raw[1] - raw[0]) / divisor, or, if `discrete`, raw[1], with raw scores
                                             not yet divided; the second class if d > 0; softmax(-scale d, scale d)
    confidence  C5.0                         raw / sum of raw; the class of the greatest raw score
    median      AdaBoost of numbers          the weighted median of what the trees say; nothing is added up
    depth       isolation forests            score = -exp(-ln 2 * (raw / scale)); an outlier if score - offset < 0

Boosted models of other libraries have `foreign`: how cells are read, whether sums are rounded to float32 after each
tree, and when it is the second of two classes. Links are as above, `exp` and `logistic` of each of several raw scores
by itself, and three more:

    softplus       log(1 + exp(raw))
    signed_square  raw |raw|
    hinge          two classes: the second if raw > 0; there are no probabilities

Where missing values go down every branch (C4.5), what a tree says is the sum over the nodes where parts of the row end
of part times values. Of AdaBoost of such trees it is vote times 1 for the class of the greatest share, and
-1 / (classes - 1) for each other. Of C5.0 it is (weight share + prior) / (weight + 1) for the class of the greatest
share and 0 for each other; weight is the sum of part times the nodes' weights.

A mean of several models, each a formula, is a `Mixture`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from spinney.data.schema import Schema
from spinney.io.imported import Reading
from spinney.tree.decision import OneTree
from spinney.tree.forest import Forest, join
from spinney.tree.questions import spreads

KNOWN = (
    "decision trees, forests, gradient boosting, isolation forests, and bagging and AdaBoost of decision trees; votes, "
    "averages and buckets of these, and automatic models; imported models"
)


@dataclass(frozen=True)
class Foreign:
    """In what boosted models of other libraries differ."""

    reading: Reading  # how cells become what trees compare
    single: bool  # sums are rounded to float32 after each tree, and answers after each operation
    second_from: str  # see `Answering`

    def column(self, j: int) -> Cells:
        """How the cells of a column are read."""
        numbered = j in self.reading.numbered
        return Cells(numbered, numbered and self.reading.has_others, j in self.reading.zero_is_missing)


class Cells(NamedTuple):
    """How the cells of a column of another library's model are read."""

    numbered: bool = False  # categories are whole numbers; what is after the point is dropped
    has_others: bool = False  # the last category stands for all numbers that are none of the others
    zero_is_missing: bool = False

    def known(self, categories: tuple) -> list[float]:
        """The numbers that are categories of their own, ascending."""
        return [float(one) for one in (categories[:-1] if self.has_others else categories)]


class Confidence(NamedTuple):
    """What makes votes of C5.0 of shares."""

    weight: np.ndarray  # float64 (nodes,): in rows
    prior: np.ndarray  # float64 (trees, classes): shares at the root


@dataclass(frozen=True)
class Formula:
    """See above."""

    model: str  # the name of its class
    schema: Schema
    strict: bool  # whether categories never seen are an error; else they are missing
    fingerprint: str
    forest: Forest
    values: np.ndarray  # float64 (nodes, raw scores), or (nodes, 1) where each tree adds to one raw score
    start: np.ndarray  # float64 (raw scores,)
    link: str
    divisor: float = 1.0
    scale: float = 1.0
    offset: float = 0.0
    discrete: bool = False
    classes: tuple[np.ndarray, ...] = ()  # of each output; none for numbers
    majority: np.ndarray | None = None  # int64 (nodes, outputs): the class that a node names
    votes: np.ndarray | None = None  # float64 (trees,): of a median, and of AdaBoost of C4.5
    confidence: Confidence | None = None  # of C5.0
    foreign: Foreign | None = None

    @property
    def n_scores(self) -> int:
        return len(self.start)

    @property
    def adds_in_turn(self) -> bool:
        """Whether tree t adds to raw score t % n_scores alone."""
        return self.values.shape[1] < self.n_scores

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """float64 (nodes, raw scores): what rows that end in these nodes add to every raw score."""
        from spinney.ensemble.adaboost import class_votes, votes_by_confidence

        values = self.values[nodes]
        tree = np.searchsorted(self.forest.first, nodes, side="right") - 1
        if self.confidence is not None:
            return votes_by_confidence(values, self.confidence.weight[nodes], self.confidence.prior[tree])
        if self.votes is not None and self.link != "median":
            return self.votes[tree, None] * class_votes(values.argmax(axis=1), self.n_scores)
        if not self.adds_in_turn:
            return values
        whole = np.zeros((len(nodes), self.n_scores))
        whole[np.arange(len(nodes)), tree % self.n_scores] = values[:, 0]
        return whole

    def adds(self, node: int) -> list[float]:
        """What a part of a row that ends in a node adds: to shares, and of C5.0 to the weight, which comes last."""
        values: list[float] = self.values[node].tolist()
        return values if self.confidence is None else [*values, float(self.confidence.weight[node])]

    @property
    def is_class(self) -> bool:
        return bool(self.classes)

    @property
    def n_outputs(self) -> int:
        """Classes or numbers that are predicted for a row."""
        return len(self.classes) if self.is_class else 1 if self.link == "depth" else self.n_scores

    def cells(self, j: int) -> Cells:
        """How the cells of a column are read."""
        return Cells() if self.foreign is None else self.foreign.column(j)

    @property
    def spans(self) -> list[slice]:
        """Raw scores of each output of `shares`."""
        width = self.n_scores // len(self.classes)
        return [slice(k * width, k * width + len(one)) for k, one in enumerate(self.classes)]


@dataclass(frozen=True)
class Mixture:
    """A weighted mean of what models predict, numbers or probabilities, or the most votes for a class."""

    model: str
    schema: Schema
    strict: bool
    fingerprint: str
    members: tuple[Formula, ...]
    weights: np.ndarray  # float64 (members,)
    total: float  # what the sum is divided by
    by_votes: bool
    classes: tuple[np.ndarray, ...]

    @property
    def is_class(self) -> bool:
        return bool(self.classes)

    def cells(self, j: int) -> Cells:
        """How the cells of a column are read."""
        return Cells()


def read_formula(model: Any) -> Formula:
    """The formula of a model that is one; a `Mixture` is refused."""
    found = read_model(model)
    if isinstance(found, Mixture):
        raise TypeError(f"{found.model} is a mean of several models. Export its members (estimators_) one by one.")
    return found


def read_model(model: Any) -> Formula | Mixture:
    """The formula of any fitted model of trees; a TypeError or ValueError for what has none."""
    if isinstance(model, type):
        raise TypeError(f"model must be a fitted model, got the class {model.__name__}.")
    if not hasattr(model, "fit"):
        raise TypeError(f"model must be a fitted model of trees, got {type(model).__name__}.")
    check_is_fitted(model)
    if hasattr(model, "best_estimator_") and hasattr(model, "best_name_"):
        return replace(read_model(model.best_estimator_), model=type(model).__name__)
    known = vars(model)
    if "_booster" in known:
        return _boosting(model)
    if "_answering" in known:
        from spinney.io.imported_formula import read_imported

        return read_imported(model, _common(model, model._schema, model.forest_), _classes(model))
    if isinstance(model, OneTree):
        return _tree(model)
    if "forest_" in known and hasattr(model, "predict"):
        return _isolation(model) if getattr(model, "_answers_are", "") == "depth" else _forest(model)
    if "estimator_weights_" in known and all(isinstance(one, OneTree) for one in model.estimators_):
        return _adaboost(model)
    if type(model).__name__ in _MIXTURES:
        from spinney.io.mixtures import read_mixture

        return read_mixture(model)
    if isinstance(model, Pipeline):
        raise TypeError(
            "a Pipeline cannot be read as trees: its first steps are not trees. Export its last step, pipeline[-1], "
            "and apply the steps before it to the rows that you predict. to_onnx takes some kinds of steps."
        )
    raise TypeError(f"{type(model).__name__} cannot be read as trees. Supported are {KNOWN}.")


_MIXTURES = (
    *("AutoClassifier", "AutoRegressor", "VotingClassifier", "VotingRegressor"),
    *("BayesianModelAveraging", "BayesianModelAveragingClassifier", "BayesianModelAveragingRegressor"),
)


def _common(model: Any, schema: Schema, forest: Forest) -> dict[str, Any]:
    return {
        "model": type(model).__name__,
        "schema": schema,
        "strict": bool(model._refuses_unknown()),
        "fingerprint": model.fingerprint_,
        "forest": forest.with_thresholds(),
    }


def _classes(model: Any) -> tuple[np.ndarray, ...]:
    classes = getattr(model, "classes_", ())
    return tuple(map(np.asarray, classes)) if isinstance(classes, list | tuple) else (classes,)


def _tree(model: Any) -> Formula:
    tree, common = model.tree_, _common(model, model._schema, model.tree_.forest)
    if not tree.is_class:
        values = tree.answers[:, :, 0]
        return Formula(**common, values=values, start=np.zeros(values.shape[1]), link="identity")
    values = tree.probabilities.reshape(tree.n_nodes, -1)
    start = np.zeros(values.shape[1])
    majority = tree.majority.astype(np.int64)
    return Formula(**common, values=values, start=start, link="shares", classes=_classes(model), majority=majority)


def _forest(model: Any) -> Formula:
    forest, common = model.forest_, _common(model, model._schema, model.forest_)
    says = model._says() if forest.n_classes is not None else None
    answers = (forest.answers if says is None else says).astype(np.float64)
    is_class = forest.n_classes is not None
    if is_class:
        answers = class_shares(answers)
    values = answers.reshape(forest.n_nodes, -1)
    start, divisor = np.zeros(values.shape[1]), float(forest.n_trees)
    if not is_class:
        return Formula(**common, values=values, start=start, link="identity", divisor=divisor)
    return Formula(**common, values=values, start=start, link="shares", divisor=divisor, classes=_classes(model))


def class_shares(answers: np.ndarray) -> np.ndarray:
    """Of the classes' weights, added up one after the other, as `add_shares` in tree/descend.py does."""
    total = np.zeros(answers.shape[:2])
    for c in range(answers.shape[2]):
        total += answers[:, :, c]
    return np.divide(answers, total[:, :, None], out=np.zeros_like(answers), where=total[:, :, None] > 0)


def _boosting(model: Any) -> Formula:
    from spinney.criteria.losses import has_log_link, kind_of

    if model._init is not None:
        raise ValueError(
            f"this {type(model).__name__} starts from an initial estimator (init={type(model._init).__name__}), which "
            "is not part of its trees. Fit it without init."
        )
    if getattr(model.loss, "inverse_link", None) is not None:
        raise ValueError(
            "a custom loss with an inverse_link cannot be exported, because the Python function works only in Python. "
            "Leave inverse_link out, and apply it to the predictions of the exported model."
        )
    booster = model._booster
    common = _common(model, model._schema, booster.forest)
    common |= {"values": booster.forest.answers[:, 0].astype(np.float64), "start": booster.start}
    classes, loss = _classes(model), model._fitted_loss
    if len(booster.start) > 1:
        return Formula(**common, link="softmax", classes=classes)
    if hasattr(model, "classes_"):
        return Formula(**common, link="logistic", scale=kind_of(loss).link_scale, classes=classes)
    return Formula(**common, link="exp" if has_log_link(loss) else "identity")


def _isolation(model: Any) -> Formula:
    from spinney.ensemble.forests.isolation import average_path_length

    forest = model.forest_
    length = float(average_path_length(np.array([model.max_samples_]))[0])
    common = _common(model, model._schema, forest)
    common |= {"values": forest.answers[:, 0].astype(np.float64), "start": np.zeros(1), "offset": float(model.offset_)}
    if length > 0.0:
        return Formula(**common, link="depth", divisor=float(forest.n_trees), scale=length)
    return Formula(**common | {"values": np.zeros((forest.n_nodes, 1)), "start": np.ones(1)}, link="depth")


def _adaboost(model: Any) -> Formula:
    members, votes = model.estimators_, model.estimator_weights_
    schema = members[0]._schema
    if any(one._schema != schema for one in members):
        raise ValueError(
            f"the members of this {type(model).__name__} have different categories, so they cannot share a table."
        )
    if getattr(model, "algorithm", None) == "C5.0":
        return _c50(model, members)
    trees = [one.tree_ for one in members]
    common = _common(model, schema, join([one.forest for one in trees]))
    if not hasattr(model, "classes_"):
        values = np.concatenate([one.answers[:, 0] for one in trees])
        return Formula(**common, values=values, start=np.zeros(1), link="median", votes=votes)
    from spinney.ensemble.adaboost import class_votes, log_votes

    n_classes, by_shares = model.n_classes_, model.algorithm == "SAMME.R"
    says, spread = [], spreads(common["forest"])
    if spread and by_shares:
        raise ValueError(
            "SAMME.R of trees that send rows with missing values down several branches cannot be exported."
        )
    for member, tree, vote in zip(members, trees, votes.tolist()):
        own = np.searchsorted(model.classes_, member.classes_)
        if by_shares or spread:
            shares = np.zeros((tree.n_nodes, n_classes))
            shares[:, own] = tree.probabilities[:, 0]
            says.append(shares if spread else vote * log_votes(shares))
        else:
            says.append(vote * class_votes(own[tree.majority[:, 0]], n_classes))
    common |= {"values": np.concatenate(says), "start": np.zeros(n_classes), "classes": _classes(model)}
    common["votes"] = votes if spread else None
    norm = float(np.cumsum(np.abs(votes))[-1])
    if n_classes != 2:
        return Formula(**common, link="votes", divisor=norm, scale=float(max(n_classes - 1, 1)))
    if model.algorithm == "discrete":
        return Formula(**common, link="margin", discrete=True, scale=1.0)
    return Formula(**common, link="margin", divisor=norm, scale=0.5)


def _c50(model: Any, members: list) -> Formula:
    if len(members) == 1:  # it answers as it does by itself
        return replace(_tree(members[0]), model=type(model).__name__, fingerprint=model.fingerprint_)
    trees = [one.tree_ for one in members]
    shares, answers = (
        np.concatenate([getattr(one, name)[:, 0] for one in trees]) for name in ("probabilities", "answers")
    )
    formula = Formula(
        **_common(model, members[0]._schema, join([one.forest for one in trees])),
        values=shares,
        start=np.zeros(model.n_classes_),
        link="confidence",
        divisor=float(len(members)),
        classes=_classes(model),
        confidence=Confidence(answers.sum(axis=1), np.stack([one.probabilities[0, 0] for one in trees])),
    )
    if spreads(formula.forest):
        return formula
    return replace(formula, values=formula.at(np.arange(len(shares))), confidence=None)  # leaves alone
