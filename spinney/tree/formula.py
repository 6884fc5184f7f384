"""A fitted model of trees as a value: what everything that reads models starts from.

Models make it themselves (`formula()` of their classes in `estimators/`), so that nothing else need know how a class
keeps its trees. A `Formula` has trees, what each of their nodes adds to raw scores, and what becomes of these.

    raw = start; for every tree, in order: raw += values[node where the row ends]; raw /= divisor

Linear leaves (`forest.is_linear`) add their terms besides; what cannot read these calls `check_constant`.
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
    own         boosting, loss of the user   a Python function of raw, which no reader knows

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

A boosted model that starts from another model has `initial`: raw scores are then more than start and trees.

A mean of several models, each a formula, is a `Mixture`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.criteria.adaboost_weights import class_votes, votes_by_confidence
from spinney.data.schema import Schema
from spinney.data.tables import Panel, Table
from spinney.tree.forest import Forest
from spinney.tree.links import LINKS, LinkFunction

KNOWN = (
    "decision trees, forests, gradient boosting, isolation forests, and bagging and AdaBoost of decision trees; votes, "
    "averages and buckets of these, and automatic models; imported models"
)
ZERO = float(np.float32(1e-35))  # LightGBM: what is no farther from 0 is 0


@dataclass(frozen=True)
class Reading:
    """How columns become what the trees ask about, where they are not simply numbers or categories of the schema."""

    numbered: tuple[int, ...] = ()  # columns whose categories are whole numbers; the rest after the point is dropped
    has_others: bool = False  # their last category stands for all numbers that no question is about
    zero_is_missing: tuple[int, ...] = ()  # columns
    unstored_is_missing: bool = False  # cells that a sparse matrix does not store are missing, not 0

    @property
    def is_plain(self) -> bool:
        """Whether values are asked about as they are."""
        return not self.numbered and not self.zero_is_missing

    def convert(self, table: Table, schema: Schema) -> Table:
        """A table read as numbers where columns are `numbered`."""
        if self.is_plain:
            return table
        panels = [self._convert(panel, schema) for panel in table.panels]
        return replace(table, panels=tuple(panels))

    def _convert(self, panel: Panel, schema: Schema) -> Panel:
        changed = {*self.numbered, *self.zero_is_missing}.intersection(panel.columns)
        if not changed:
            return panel
        values = np.array(panel.values)
        for j in changed:
            column = values[:, panel.columns.index(j)]
            if j in self.numbered:
                column[:] = self._indices(column, np.array(schema.columns[j].categories, np.float64))
            else:
                column[np.abs(column) <= ZERO] = np.nan
        return Panel(values, panel.columns)

    def _indices(self, values: np.ndarray, categories: np.ndarray) -> np.ndarray:
        """The place of each number among the categories; NaN for missing and unknown ones."""
        known = categories[:-1] if self.has_others else categories
        whole = np.trunc(np.asarray(values, np.float64))
        if self.has_others:
            whole[np.asarray(values) < 0] = -1.0  # XGBoost: -0.5 is none of its categories; LightGBM takes it for 0
        place = np.searchsorted(known, whole).clip(0, max(len(known) - 1, 0))
        found = known[place] == whole if len(known) else np.zeros(len(whole), bool)
        return np.where(found, place, np.where(np.isnan(values), np.nan, len(known) if self.has_others else np.nan))


@dataclass(frozen=True)
class Foreign:
    """In what boosted models of other libraries differ."""

    reading: Reading  # how cells become what trees compare
    single: bool  # sums are rounded to float32 after each tree, and answers after each operation
    second_from: str  # see `Answering`

    def column(self, j: int) -> ColumnCells:
        """How the cells of a column are read."""
        numbered = j in self.reading.numbered
        return ColumnCells(numbered, numbered and self.reading.has_others, j in self.reading.zero_is_missing)


class ColumnCells(NamedTuple):
    """How the cells of a column of another library's model are read."""

    numbered: bool = False  # categories are whole numbers; what is after the point is dropped
    has_others: bool = False  # the last category stands for all numbers that are none of the others
    zero_is_missing: bool = False

    def known(self, categories: tuple) -> list[float]:
        """The numbers that are categories of their own, ascending."""
        return [float(one) for one in (categories[:-1] if self.has_others else categories)]


class ScoresBefore(NamedTuple):
    """What a boosted model adds its trees to, if that is not `start` alone."""

    name: str  # the class of the initial estimator
    of: Callable[[Any, int], np.ndarray]  # rows of the user's, their number -> float64 (raw scores, rows)


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
    forest: Forest  # with thresholds
    tables: Callable[[Any], Iterable[Table]]  # a table of the user's as the trees ask about it, in parts
    row: Callable[[Any], Any]  # one row as `predict` takes it, quickly
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
    initial: ScoresBefore | None = None
    loss: Any = None  # of boosted models of our own: what they were fitted to
    raw: Callable[[Any], np.ndarray] | None = None  # of boosted models: rows of the user's -> (raw scores, rows)
    samples: Callable[[int], np.ndarray] | None = None  # how often each training row is in a tree's bootstrap sample

    def check_complete(self) -> None:
        """Raise if predictions need more than the trees and the link."""
        if self.initial is not None:
            raise ValueError(
                f"this {self.model} starts from an initial estimator (init={self.initial.name}), which is not part of "
                "its trees. Fit it without init."
            )
        if self.link == "own":
            raise ValueError(
                "a custom loss with an inverse_link cannot be exported, because the Python function works only in "
                "Python. Leave inverse_link out, and apply it to the predictions of the exported model."
            )

    def check_constant(self) -> None:
        """Raise if leaves are linear."""
        if self.forest.is_linear:
            raise ValueError(
                f"this {self.model} has linear leaves, and this function needs leaves that are numbers. Fit it with "
                "leaves='constant'."
            )

    @property
    def response(self) -> LinkFunction:
        """What becomes of raw scores."""
        return LINKS["powers" if self.link == "softmax" and self.foreign is not None else self.link]

    @property
    def is_single(self) -> bool:
        """Whether sums and predictions are rounded to float32."""
        return self.foreign is not None and self.foreign.single

    @property
    def second_from(self) -> str:
        """When it is the second of two classes: from its "probability", or the raw score "zero" or "above zero"."""
        if self.link in ("hinge", "margin"):
            return "above zero"
        return "probability" if self.foreign is None else self.foreign.second_from

    @property
    def n_scores(self) -> int:
        return len(self.start)

    @property
    def adds_in_turn(self) -> bool:
        """Whether tree t adds to raw score t % n_scores alone."""
        return self.values.shape[1] < self.n_scores

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """float64 (nodes, raw scores): what rows that end in these nodes add to every raw score."""
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

    def cells(self, j: int) -> ColumnCells:
        """How the cells of a column are read."""
        return ColumnCells() if self.foreign is None else self.foreign.column(j)

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

    def cells(self, j: int) -> ColumnCells:
        """How the cells of a column are read."""
        return ColumnCells()


# --- from models -----------------------------------------------------------------------------------------------------


def formula_of(model: Any) -> Formula | Mixture:
    """The formula of any fitted model of trees; a TypeError or ValueError for what has none."""
    if isinstance(model, type):
        raise TypeError(f"model must be a fitted model, got the class {model.__name__}.")
    if not hasattr(model, "fit"):
        raise TypeError(f"model must be a fitted model of trees, got {type(model).__name__}.")
    check_is_fitted(model)
    if hasattr(model, "formula"):
        found: Formula | Mixture = model.formula()
        return found
    from sklearn.pipeline import Pipeline

    if isinstance(model, Pipeline):
        raise TypeError(
            "a Pipeline cannot be read as trees: its first steps are not trees. Export its last step, pipeline[-1], "
            "and apply the steps before it to the rows that you predict. to_onnx takes some kinds of steps."
        )
    raise not_of_trees(model)


def not_of_trees(model: Any) -> TypeError:
    """The error for a model that has no formula."""
    return TypeError(f"{type(model).__name__} cannot be read as trees. Supported are {KNOWN}.")


def complete_formula(model: Any, *, may_be_linear: bool = False) -> Formula | Mixture:
    """The formula of a model that predicts by its trees alone, and by a known link."""
    found = formula_of(model)
    if isinstance(found, Formula):
        found.check_complete()
    for one in found.members if isinstance(found, Mixture) else (found,):
        if not may_be_linear:
            one.check_constant()
    return found


def trees_formula(model: Any) -> Formula:
    """The formula of a model that has trees of its own: no `Mixture`."""
    found = formula_of(model)
    if isinstance(found, Mixture):
        raise TypeError(f"{found.model} is a mean of several models. Use its members (estimators_) one by one.")
    return found


def single_formula(model: Any, *, may_be_linear: bool = False) -> Formula:
    """The same, if it predicts by its trees alone."""
    found = trees_formula(model)
    found.check_complete()
    if not may_be_linear:
        found.check_constant()
    return found


def mixture_of(model: Any, weights: np.ndarray, total: float, *, by_votes: bool = False) -> Mixture:
    """The mean of a model's members (`estimators_`), which must have read the same table in the same way."""
    name, members = type(model).__name__, tuple(single_formula(one, may_be_linear=True) for one in model.estimators_)
    classes = (np.asarray(model.classes_),) if hasattr(model, "classes_") else ()
    first = members[0]
    for one in members:
        if one.schema != first.schema:
            raise ValueError(f"the members of this {name} read the columns in different ways. Export them one by one.")
        if len(one.classes) != len(classes) or (classes and not np.array_equal(one.classes[0], classes[0])):
            raise ValueError(f"the members of this {name} have seen different classes. Export them one by one.")
        if one.link == "median":
            raise ValueError(f"{one.model}, a member of this {name}, predicts a median, which is not a sum.")
    strict, fingerprint = any(one.strict for one in members), str(getattr(model, "fingerprint_", ""))
    return Mixture(name, first.schema, strict, fingerprint, members, weights, total, by_votes, classes)


def mean_of_trees(facts: dict[str, Any], forest: Forest, answers: np.ndarray) -> Formula:
    """Of `answers` (nodes, outputs, classes or 1): numbers, or weights of classes, whose fractions are averaged."""
    is_class, values = forest.n_classes is not None, answers.astype(np.float64)
    if is_class:
        total = np.zeros(values.shape[:2])
        for c in range(values.shape[2]):  # one after the other, as `add_shares` in tree/descend.py does
            total += values[:, :, c]
        values = np.divide(values, total[:, :, None], out=np.zeros_like(values), where=total[:, :, None] > 0)
    values = values.reshape(forest.n_nodes, -1)
    start, divisor = np.zeros(values.shape[1]), float(forest.n_trees)
    return Formula(**facts, values=values, start=start, link="shares" if is_class else "identity", divisor=divisor)
