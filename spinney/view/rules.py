"""A tree as rules: one for each leaf, with the conditions on its path merged; or simplified, as C4.5's.

In: a fitted tree. Out: `Rules`, a list of `Rule`; printed, one per line.

`simplify` takes the rules of a tree, and rows with their classes, preferably rows that the tree was not fitted on, and
returns rules in the order in which they are applied; the last one applies to all remaining rows.

    1. conditions   in each rule, drop the condition whose removal gives the lowest upper bound of the rule's error
                    rate, and repeat as long as the bound does not rise (criteria/pessimism.py: small leaves are
                    trusted less)
    2. order        merge rules that have become equivalent, and sort them by the bound, lowest first
    3. rules        drop the rule whose removal lowers the error of the whole list most, as long as it does not rise
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spinney._docstrings import completed
from spinney.data.weights import read_weights
from spinney.tree.models import ReadTree
from spinney.view.numbers import write, write_share
from spinney.view.phrases import (
    EMPTY,
    OR_MISSING,
    Limits,
    TreePhrases,
    check_choice,
    check_count,
    choose_tree,
    class_labels,
    words_of,
)
from spinney.view.text import export_text

# --- simplified rules -------------------------------------------------------------------------------------------------


_CF = 0.25  # C4.5's confidence


class RuleRows(NamedTuple):
    """The rows that rules are simplified by."""

    passes: list[list[np.ndarray]]  # of each rule, for each of its conditions: which rows it lets through
    says: np.ndarray  # (rules,) class number
    classes: np.ndarray  # (rows,) class number; -1: one that the tree does not know
    weight: np.ndarray


class Simple(NamedTuple):
    """A rule that is left: which of the conditions of which rule."""

    rule: int
    conditions: tuple[int, ...]
    says: int
    n_rows: int  # that it decides
    weight: float  # their weight
    right: float  # of those that it decides rightly


def simplify(rows: RuleRows, n_classes: int) -> list[Simple]:
    """The rules that are left, in order; the last has no conditions (and rule -1)."""
    kept = [_drop_conditions(rows, number) for number in range(len(rows.says))]
    found: dict[Any, tuple[float, int, tuple[int, ...], np.ndarray]] = {}
    for number, (bound, chosen, covered) in enumerate(kept):
        key = (int(rows.says[number]), covered.tobytes())
        if chosen and covered.any() and (key not in found or len(chosen) < len(found[key][2])):
            found[key] = bound, number, chosen, covered
    ordered = sorted(found.values(), key=lambda one: (one[0], one[1]))
    cover = np.array([one[3] for one in ordered], bool).reshape(len(ordered), len(rows.classes))
    says = np.array([rows.says[one[1]] for one in ordered], np.int64)
    alive = _drop_rules(rows, cover, says, n_classes)
    first = _first_match(cover[alive])
    last = _majority(rows, first == len(alive), n_classes)
    asked = [(ordered[k][1], ordered[k][2], int(says[k])) for k in alive] + [(-1, (), last)]
    return [_finish(rows, first == place, *one) for place, one in enumerate(asked)]


def _finish(rows: RuleRows, here: np.ndarray, rule: int, conditions: tuple[int, ...], says: int) -> Simple:
    weight = rows.weight * here
    right = float(weight[rows.classes == says].sum())
    return Simple(rule, conditions, says, int(np.count_nonzero(weight)), float(weight.sum()), right)


def _drop_conditions(rows: RuleRows, number: int) -> tuple[float, tuple[int, ...], np.ndarray]:
    """(bound of the errors, conditions that stay, rows that pass them)."""
    masks, wrong = rows.passes[number], rows.classes != rows.says[number]
    chosen = list(range(len(masks)))
    covered = _all(masks, chosen, len(wrong))
    bound = _bound(rows, covered, wrong)
    while len(chosen) > 1:
        tries = [_all(masks, [one for one in chosen if one != gone], len(wrong)) for gone in chosen]
        bounds = [_bound(rows, one, wrong) for one in tries]
        best = int(np.argmin(bounds))
        if bounds[best] > bound:
            break
        bound, covered = bounds[best], tries[best]
        chosen.pop(best)
    return bound, tuple(chosen), covered


def _all(masks: Sequence[np.ndarray], chosen: Sequence[int], n_rows: int) -> np.ndarray:
    covered = np.ones(n_rows, bool)
    for one in chosen:
        covered &= masks[one]
    return covered


def _bound(rows: RuleRows, covered: np.ndarray, wrong: np.ndarray) -> float:
    """Upper bound of the error rate; 1 where there are no rows."""
    from spinney.criteria.pessimism import extra_errors

    total = float(rows.weight[covered].sum())
    if total <= 0.0:
        return 1.0
    errors = float(rows.weight[covered & wrong].sum())
    return (errors + float(extra_errors(total, errors, _CF))) / total


def _drop_rules(rows: RuleRows, cover: np.ndarray, says: np.ndarray, n_classes: int) -> list[int]:
    """The rules that are missed if they go, by number."""
    alive = list(range(len(cover)))
    while alive:
        first, second = _two_matches(cover[alive])
        default = _majority(rows, first == len(alive), n_classes)
        answers = np.append(says[alive], default)
        change = rows.weight * ((answers[second] != rows.classes) * 1.0 - (answers[first] != rows.classes))
        loss = np.bincount(first, change, len(alive) + 1)[: len(alive)]
        worst = len(alive) - 1 - int(np.argmin(loss[::-1]))  # of equals the last
        if loss[worst] > 0.0:
            break
        alive.pop(worst)
    return alive


def _first_match(cover: np.ndarray) -> np.ndarray:
    """The first rule that lets each row through; their number where none does."""
    always = np.vstack([cover, np.ones((1, cover.shape[1]), bool)])
    return always.argmax(axis=0)


def _two_matches(cover: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first rule of each row, and the next."""
    first = _first_match(cover)
    rest = cover.copy()
    matched = np.flatnonzero(first < len(cover))
    rest[first[matched], matched] = False
    return first, _first_match(rest)


def _majority(rows: RuleRows, here: np.ndarray, n_classes: int) -> int:
    """The most common class of some rows; of all, if there are none."""
    chosen = here & (rows.classes >= 0)
    chosen = chosen if rows.weight[chosen].any() else rows.classes >= 0
    return int(np.bincount(rows.classes[chosen], rows.weight[chosen], n_classes).argmax())


# --- rules of leaves --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """A condition of a rule on one column: low < x <= high, or one of `categories`."""

    feature: int  # the column's number
    low: float  # -inf: no bound
    high: float  # inf: no bound
    categories: tuple | None  # values of the column; None for numbers
    missing: bool  # whether rows whose value is missing come here too
    text: str = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Rule:
    """One leaf as a rule: its conditions and its prediction."""

    conditions: tuple[Condition, ...]
    prediction: Any  # a class or a number; a tuple of them for several outputs
    n_samples: int  # training rows in the leaf; of a simplified rule, rows that it decides
    confidence: float | None  # share of the predicted class, the smallest of several outputs; None for numbers
    impurity: float  # NaN in boosted trees and in isolation trees
    weight: float  # of the training rows; in boosted trees their hessian
    leaf: int  # the node's number; -1 of the last of simplified rules, which answers where no other does
    text: str = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text


class Rules(list[Rule]):
    """A list of rules that prints one per line."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Rules(found) if isinstance(index, slice) else found


# sort= -> what the rules are sorted by; equals stay in the tree's order
_ORDERS: dict[str, Callable[[Rule], Any]] = {
    "tree": lambda rule: 0,
    "samples": lambda rule: -rule.n_samples,
    "confidence": lambda rule: (-(rule.confidence or 0.0), -rule.n_samples),
    "prediction": lambda rule: (rule.prediction, -rule.n_samples),
}


@completed(export_text)
def export_rules(
    model: Any,
    *,
    tree: Any = None,
    feature_names: Any = None,
    class_names: Any = None,
    decimals: int = 2,
    min_samples: int = 0,
    min_confidence: float = 0.0,
    sort: str = "tree",
    show_missing: bool = False,
    simplify: bool = False,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> Rules:
    """Export each leaf of a tree as a rule.

    Conditions on the same column are merged: `x <= 5`, `x <= 3` and `x > 2` become `2 < x <= 3`. For categories, the
    rule lists those that are still possible.

    Parameters
    ----------
    class_names : list of str, default=None
        As in `export_text`. The `prediction` of a rule is then the name.
    min_samples : int, default=0
        Leave out rules with fewer training rows.
    min_confidence : float, default=0.0
        Classification: leave out rules whose class has a smaller fraction of the leaf.
    sort : {"tree", "samples", "confidence", "prediction"}, default="tree"
        Order of the rules: as in the tree from left to right, largest first, most confident first, or by prediction.
    show_missing : bool, default=False
        Add "or missing" to conditions that missing values satisfy too. Where a tree predicts such rows at an inner node
        (ID3) or sends them down every branch (C4.5), no condition is marked.
    simplify : bool, default=False
        Drop conditions and rules that do not help on the rows of X, as C4.5's rules do (docs/reading.md). The rules may
        then overlap. They are applied in order, and the last one, "otherwise", applies to all remaining rows. Counts
        and confidences are those of the rows that each rule decides. Supported for classification with one output.
    X : array-like or DataFrame, default=None
        Rows to simplify by, preferably rows that the tree was not fitted on.
    y : array-like of shape (n_samples,), default=None
        Class labels of X.
    sample_weight : array-like, default=None
        Weights of these rows.

    Returns
    -------
    Rules
        A list of `Rule`, each with `conditions`, `prediction`, `n_samples`, `confidence`, `impurity`, `weight` and
        `leaf`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import DecisionTreeClassifier, export_rules
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X[["petal width (cm)"]], y)
    >>> print(export_rules(model, class_names=["setosa", "versicolor", "virginica"]))
    if petal width (cm) <= 0.80 then setosa (50 samples, 100 %)
    if 0.80 < petal width (cm) <= 1.75 then versicolor (54 samples, 91 %)
    if petal width (cm) > 1.75 then virginica (46 samples, 98 %)
    """
    chosen = choose_tree(model, tree)
    words = words_of(chosen, feature_names, class_names, decimals=check_count("decimals", decimals))
    min_samples = check_count("min_samples", min_samples)
    _check(words, min_confidence, sort)
    own = words.classes is not None and (class_names is None or isinstance(class_names, bool))
    answers = class_labels(chosen) if own else words.classes
    values = [column.categories for column in chosen.schema.columns]
    rules = [_rule(words, leaf, answers, values, show_missing) for leaf in words.nodes if words.tree.is_leaf[leaf]]
    if simplify:
        if sort != "tree":
            raise ValueError(f"sort must be 'tree' with simplify=True, got {sort!r}. The order of these rules matters.")
        *simple, last = _simplified(chosen, words, rules, answers, X, y, sample_weight)
        return Rules([*(rule for rule in simple if _is_kept(rule, min_samples, min_confidence)), last])
    if X is not None or y is not None:
        raise ValueError("X and y are used only with simplify=True. Set simplify=True.")
    kept = [rule for rule in rules if _is_kept(rule, min_samples, min_confidence)]
    return Rules(sorted(kept, key=_ORDERS[sort]))


def _is_kept(rule: Rule, min_samples: int, min_confidence: float) -> bool:
    return rule.n_samples >= min_samples and (rule.confidence is None or rule.confidence >= min_confidence)


def _simplified(
    model: ReadTree, words: TreePhrases, rules: list[Rule], answers: Any, X: Any, y: Any, sample_weight: Any
) -> list[Rule]:
    """The rules that rows of a table do not want to miss."""
    if answers is None or len(answers) > 1:
        raise ValueError("simplify=True is supported only for classification with one output.")
    if X is None or y is None:
        raise ValueError("simplify=True needs rows to simplify by. Pass X and y.")
    table = model.schema.read(X, "export_rules")
    labels = np.asarray(y)
    if labels.shape != (table.n_rows,):
        raise ValueError(f"y must have one value for each of the {table.n_rows} rows of X, got shape {labels.shape}.")
    place = {label: number for number, label in enumerate(class_labels(model)[0])}
    weight = read_weights(sample_weight, table.n_rows).total()
    rows = RuleRows(
        [[_passes(table.column(f), one) for f, one in words.limits[rule.leaf].items()] for rule in rules],
        words.tree.majority[[rule.leaf for rule in rules], 0],
        np.array([place.get(label, -1) for label in labels.tolist()]),
        np.ones(table.n_rows) if weight is None else weight,
    )
    if not (rows.classes >= 0).any():
        raise ValueError("y contains none of the classes of the model.")
    return [_write_simple(words, rules, answers[0], one) for one in simplify(rows, len(place))]


def _passes(values: np.ndarray, limits: Limits) -> np.ndarray:
    """Which values are within the limits."""
    if limits.categories is None:
        inside = (values > limits.low) & (values <= limits.high)
    else:
        inside = np.isin(values, sorted(limits.categories))
    return np.where(np.isnan(values), limits.missing, inside)


def _write_simple(words: TreePhrases, rules: list[Rule], answers: Any, one: Simple) -> Rule:
    conditions = tuple(rules[one.rule].conditions[k] for k in one.conditions)
    share = one.right / one.weight if one.weight > 0.0 else 0.0
    told = f"{one.n_rows} sample{'' if one.n_rows == 1 else 's'}" + (f", {write_share(share)}" if one.n_rows else "")
    found = f"{(words.classes or [[]])[0][one.says]} ({told})"
    return Rule(
        conditions=conditions,
        prediction=answers[one.says],
        n_samples=one.n_rows,
        confidence=share,
        impurity=float("nan"),
        weight=one.weight,
        leaf=rules[one.rule].leaf if conditions else -1,
        text=f"if {_joined(conditions)} then {found}" if conditions else f"otherwise {found}",
    )


def _check(words: TreePhrases, min_confidence: float, sort: str) -> None:
    check_choice("sort", sort, _ORDERS)
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence must be a number from 0 to 1, got {min_confidence!r}.")
    if words.classes is None and min_confidence > 0:
        raise ValueError(f"min_confidence must be 0 for a regression tree, got {min_confidence!r}.")


def _rule(words: TreePhrases, leaf: int, answers: Any, values: list[tuple | None], show_missing: bool) -> Rule:
    tree = words.tree
    conditions = tuple(
        _condition(words, feature, limits, values[feature], show_missing)
        for feature, limits in words.limits[leaf].items()
    )
    confidence = None if answers is None else float(words.shares[leaf].max(axis=1).min())
    return Rule(
        conditions=conditions,
        prediction=_prediction(words, leaf, answers),
        n_samples=int(tree.n_samples[leaf]),
        confidence=confidence,
        impurity=float("nan") if words.says == "depth" else float(tree.impurity[leaf]),
        weight=float(tree.weight[leaf]),
        leaf=leaf,
        text=_sentence(words, leaf, conditions, confidence),
    )


def _condition(words: TreePhrases, feature: int, limits: Limits, values: tuple | None, show_missing: bool) -> Condition:
    text = words.condition(feature, limits)
    return Condition(
        feature=feature,
        low=limits.low,
        high=limits.high,
        categories=None if values is None else tuple(values[index] for index in sorted(limits.categories or ())),
        missing=limits.missing,
        text=text + OR_MISSING if show_missing and limits.missing and not limits.is_empty else text,
    )


def _prediction(words: TreePhrases, leaf: int, answers: Any) -> Any:
    found = words.tree.answers[leaf]
    if answers is None:
        predictions = tuple(found[:, 0].tolist())
    else:
        predictions = tuple(labels[winner] for labels, winner in zip(answers, found.argmax(axis=1)))
    return predictions[0] if len(predictions) == 1 else predictions


def _sentence(words: TreePhrases, leaf: int, conditions: tuple[Condition, ...], confidence: float | None) -> str:
    count = int(words.tree.n_samples[leaf])
    told, measure = [f"{count} sample{'' if count == 1 else 's'}"] if words.counts_known else [], words.measure(leaf)
    if words.is_empty(leaf):
        told.append(EMPTY)
    elif confidence is not None:
        told.append(write_share(confidence))
    elif measure is not None:
        told.append(f"{words.criterion} {write(measure, words.decimals)}")
    found = f"{words.prediction(leaf)} ({', '.join(told)})" if told else words.prediction(leaf)
    if not conditions:
        return f"always {found}"
    return f"if {_joined(conditions)} then {found}"


def _joined(conditions: tuple[Condition, ...]) -> str:
    """All of them, with brackets where they are needed."""
    texts = [f"({one})" if one.text.endswith(OR_MISSING) and len(conditions) > 1 else one.text for one in conditions]
    return " and ".join(texts)
