"""Goals: what a counterfactual must reach, as linear scores that trees add up to.

In: the formula of a model and a target: a class, perhaps with a probability, or a range of numbers. Out: a `Goal`: what
every leaf of every tree adds to some scores, and how much of each is needed. These conditions are necessary; the
model's own `predict` decides (`agrees`), so that ties and rounding are treated as there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney.tree.formula import Formula

_SLACK = 1e-9  # relative: what rounding may change


class Goal(NamedTuple):
    """Sums over the trees of `value` must be at least `need`, each of them."""

    value: np.ndarray  # float64 (ends, scores)
    need: np.ndarray  # float64 (scores,)
    agrees: Callable[[Any], np.ndarray]  # a table -> of which rows the model says what is wanted
    words: str


class Model(NamedTuple):
    """A model and what is known of it."""

    model: Any
    formula: Formula
    ends: np.ndarray  # int64: the nodes in which rows can end
    tree: np.ndarray  # int64: the tree of each of them


def goals_for(known: Model, target: Any, probability: Any, answer: Any) -> list[Goal]:
    """The goals for a target, any of which is enough; `answer` is the current prediction."""
    formula = known.formula
    _check_probability(formula, probability)
    if formula.link == "depth":
        wanted = -answer if target is None else target
        if wanted not in (1, -1):
            raise ValueError(f"target must be 1 (inlier) or -1 (outlier), got {target!r}.")
        return [_depth(known, int(wanted))]
    if not formula.is_class:
        return [_range(known, target)]
    if len(formula.classes) > 1:
        raise ValueError(f"{formula.model} has {len(formula.classes)} outputs of classes. Counterfactuals support one.")
    classes = formula.classes[0].tolist()
    if target is None:
        chosen = [k for k, one in enumerate(classes) if one != answer]
    elif target in classes:
        chosen = [classes.index(target)]
    else:
        raise ValueError(f"target must be one of the classes {classes!r:.200}, got {target!r}.")
    if not chosen:
        raise ValueError(
            f"{formula.model} has only one class, {classes[0]!r}. No change of the row can change its prediction."
        )
    return [_class(known, k, probability) for k in chosen]


def _check_probability(formula: Formula, probability: Any) -> None:
    if probability is None:
        return
    if not isinstance(probability, int | float | np.number) or not 0 < probability < 1:
        raise ValueError(f"probability must be a number between 0 and 1, got {probability!r}.")
    if not formula.is_class or formula.link == "hinge":
        raise ValueError(f"probability={probability!r} needs predict_proba, which {formula.model} does not have.")


def _goal(known: Model, value: np.ndarray, need: Any, agrees: Callable[[Any], np.ndarray], words: str) -> Goal:
    need, value = np.atleast_1d(np.asarray(need, np.float64)), np.ascontiguousarray(value, np.float64)
    size = np.zeros((known.formula.forest.n_trees, value.shape[1]))
    np.maximum.at(size, known.tree, np.abs(value))
    return Goal(value, need - _SLACK * (np.abs(need) + size.sum(axis=0)), agrees, words)


def _depth(known: Model, wanted: int) -> Goal:
    formula = known.formula
    edge = formula.scale * formula.response.inverse(formula.offset) * formula.divisor - formula.start[0]
    sign, value = float(wanted), formula.at(known.ends)
    words = "an inlier" if wanted == 1 else "an outlier"
    return _goal(known, sign * value, sign * edge, lambda X: known.model.predict(X) == wanted, words)


def _range(known: Model, target: Any) -> Goal:
    """Numbers from low to high; either may be None."""
    formula, model = known.formula, known.model
    ranges = [target] if formula.n_outputs == 1 else target
    if not isinstance(ranges, list | tuple) or len(ranges) != formula.n_outputs:
        raise ValueError(f"target must be a list of {formula.n_outputs} ranges (low, high), got {target!r}.")
    ranges = [_read_range(one) for one in ranges]
    values, needs = [], []
    for k, (low, high) in enumerate(ranges):
        for edge, sign in ((low, 1.0), (high, -1.0)):
            if math.isfinite(edge):
                one, need = _side(known, k, edge, sign)
                values.append(one)
                needs.append(need)

    def agrees(X: Any) -> np.ndarray:
        answers = model.predict(X).reshape(-1, len(ranges))
        low, high = np.array(ranges).T
        return ((low <= answers) & (answers <= high)).all(axis=1)

    words = " and ".join(_range_words(*one) for one in ranges)
    return _goal(known, np.stack(values, axis=1), needs, agrees, words)


def _side(known: Model, k: int, edge: float, sign: float) -> tuple[np.ndarray, float]:
    formula = known.formula
    if formula.link == "median":
        votes = np.asarray(formula.votes, np.float64)
        value = formula.values[known.ends, 0]
        return votes[known.tree] * (sign * value >= sign * edge), float(votes.sum()) / 2.0
    raw = formula.response.inverse(edge)
    return sign * formula.at(known.ends)[:, k], sign * (raw * formula.divisor - formula.start[k])


def _read_range(target: Any) -> tuple[float, float]:
    is_pair = isinstance(target, tuple | list) and len(target) == 2
    pair = tuple(target) if is_pair else (None, None)
    known = [one for one in pair if one is not None]
    if not known or not all(isinstance(one, int | float | np.number) and one == one for one in known):
        raise ValueError(f"target must be a range (low, high), one of which may be None, got {target!r}.")
    low, high = -math.inf if pair[0] is None else float(pair[0]), math.inf if pair[1] is None else float(pair[1])
    if low > high or (math.isinf(low) and math.isinf(high)):
        raise ValueError(f"target must be a range (low, high) with low <= high, got {target!r}.")
    return low, high


def _range_words(low: float, high: float) -> str:
    if math.isinf(low):
        return f"at most {high:g}"
    return f"at least {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def _class(known: Model, k: int, probability: float | None) -> Goal:
    """One class, perhaps with a probability."""
    formula, model = known.formula, known.model
    label = formula.classes[0][k]
    words = str(label) if probability is None else f"{label} with a probability of at least {probability:g}"

    def agrees(X: Any) -> np.ndarray:
        found = np.asarray(model.predict(X) == label)
        return found if probability is None else found & (model.predict_proba(X)[:, k] >= probability)

    if formula.majority is not None and formula.forest.n_trees == 1:
        good = formula.majority[known.ends, 0] == k
        if probability is not None:
            good &= formula.values[known.ends, k] >= probability
        return _goal(known, good[:, None], 1.0, agrees, words)
    value, need = _class_scores(known, k, probability)
    return _goal(known, value, need, agrees, words)


def _class_scores(known: Model, k: int, probability: float | None) -> tuple[np.ndarray, Any]:
    formula = known.formula
    raw, start, divisor, scale = formula.at(known.ends), formula.start, formula.divisor, formula.scale
    odds = 0.0 if probability is None else math.log(probability / (1.0 - probability))
    if formula.n_scores == 1:  # two classes
        sign = 1.0 if k == 1 else -1.0
        return sign * raw, max(odds, 0.0) / scale * divisor - sign * start[0]
    rivals = [c for c in range(formula.n_scores) if c != k]
    value, need = raw[:, [k]] - raw[:, rivals], start[rivals] - start[k]
    if formula.link == "margin":
        if formula.discrete:
            value, need = (raw[:, [1]] if k == 1 else -raw[:, [1]]), np.zeros(1)
        return value, need + max(odds, 0.0) / (2.0 * scale) * divisor
    if formula.link == "confidence":
        if probability is not None:
            share = raw[:, k] - probability * raw.sum(axis=1)
            value, need = np.column_stack([value, share]), np.append(need, 0.0)
        return value, need
    if formula.link == "shares":
        if probability is not None:
            value, need = np.column_stack([value, raw[:, k]]), np.append(need, probability * divisor - start[k])
        return value, need
    factor = divisor * scale if formula.link == "votes" else divisor
    return value, need + max(odds, 0.0) * factor
