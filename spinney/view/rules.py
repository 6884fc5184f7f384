"""A tree as rules: one for each leaf, with the tests on the way there merged.

In: a fitted tree. Out: `Rules`, a list of `Rule`; printed, one per line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spinney.view.chosen import choose_tree
from spinney.view.numbers import write, write_share
from spinney.view.paths import Limits
from spinney.view.phrases import OR_MISSING, Words, check_count, class_labels, words_of


@dataclass(frozen=True)
class Condition:
    """What a rule asks of one column: low < x <= high, or one of `categories`."""

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
    """One leaf: if all conditions hold, then this is predicted."""

    conditions: tuple[Condition, ...]
    prediction: Any  # a class or a number; a tuple of them for several outputs
    n_samples: int  # training rows in the leaf
    confidence: float | None  # share of the predicted class, the smallest of several outputs; None for numbers
    impurity: float  # NaN in boosted trees
    weight: float  # of the training rows; in boosted trees their hessian
    leaf: int  # the node's number
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
) -> Rules:
    """Each leaf of the tree as a rule.

    Tests of the same column are merged: `x <= 5` and `x <= 3` and `x > 2` read `2 < x <= 3`, and of categories those
    are named that can still occur.

    Parameters
    ----------
    model : fitted decision tree, forest, boosted model, or AdaBoost or bagging of decision trees
    tree : int or (int, int), optional
        Which tree of a model of many, as in `export_text`.
    feature_names, class_names : list of str, optional
        As in `export_text`. With `class_names`, a rule's `prediction` is the name.
    decimals : int, default=2
        Decimals of thresholds and values. Thresholds that would read alike, or as 0, get more.
    min_samples : int, default=0
        Leave out rules of fewer training rows.
    min_confidence : float, default=0.0
        Class trees: leave out rules whose class has a smaller share of the leaf.
    sort : {"tree", "samples", "confidence", "prediction"}, default="tree"
        As in the tree from left to right, the largest first, the surest first, or by what is predicted.
    show_missing : bool, default=False
        Add "or missing" to conditions that rows without a value pass too. Where a tree answers such rows on the way
        (ID3) or sends them down every branch (C4.5), no condition says so.

    Returns
    -------
    Rules
        A list of `Rule`: `conditions`, `prediction`, `n_samples`, `confidence`, `impurity`, `weight`, `leaf`.

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
    values = [column.categories for column in chosen._schema.columns]
    rules = [_rule(words, leaf, answers, values, show_missing) for leaf in np.flatnonzero(words.tree.is_leaf).tolist()]
    kept = [r for r in rules if r.n_samples >= min_samples and (r.confidence is None or r.confidence >= min_confidence)]
    return Rules(sorted(kept, key=_ORDERS[sort]))


def _check(words: Words, min_confidence: float, sort: str) -> None:
    if sort not in _ORDERS:
        raise ValueError(f"sort must be one of {', '.join(map(repr, _ORDERS))}, got {sort!r}.")
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence must be a number from 0 to 1, got {min_confidence!r}.")
    if words.classes is None and min_confidence > 0:
        raise ValueError(f"min_confidence must be 0 for a regression tree, got {min_confidence!r}: it has no classes.")


def _rule(words: Words, leaf: int, answers: Any, values: list[tuple | None], show_missing: bool) -> Rule:
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
        impurity=float(tree.impurity[leaf]),
        weight=float(tree.weight[leaf]),
        leaf=leaf,
        text=_sentence(words, leaf, conditions, confidence),
    )


def _condition(words: Words, feature: int, limits: Limits, values: tuple | None, show_missing: bool) -> Condition:
    text = words.condition(feature, limits)
    return Condition(
        feature=feature,
        low=limits.low,
        high=limits.high,
        categories=None if values is None else tuple(values[index] for index in sorted(limits.categories or ())),
        missing=limits.missing,
        text=text + OR_MISSING if show_missing and limits.missing and not limits.is_empty else text,
    )


def _prediction(words: Words, leaf: int, answers: Any) -> Any:
    found = words.tree.answers[leaf]
    if answers is None:
        predictions = tuple(found[:, 0].tolist())
    else:
        predictions = tuple(labels[winner] for labels, winner in zip(answers, found.argmax(axis=1)))
    return predictions[0] if len(predictions) == 1 else predictions


def _sentence(words: Words, leaf: int, conditions: tuple[Condition, ...], confidence: float | None) -> str:
    count = int(words.tree.n_samples[leaf])
    told, measure = [f"{count} sample{'' if count == 1 else 's'}"], words.measure(leaf)
    if confidence is not None:
        told.append(write_share(confidence))
    elif measure is not None:
        told.append(f"{words.criterion} {write(measure, words.decimals)}")
    found = f"{words.prediction(leaf)} ({', '.join(told)})"
    if not conditions:
        return f"always {found}"
    texts = [f"({one})" if one.text.endswith(OR_MISSING) and len(conditions) > 1 else one.text for one in conditions]
    return f"if {' and '.join(texts)} then {found}"
