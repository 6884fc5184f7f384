"""Simplified rules, as C4.5's: conditions and rules are dropped that do not help on given rows.

In: the rules of a tree, and rows with their classes, preferably rows that the tree was not fitted on. Out: a list of
rules in the order in which they are applied; the last one applies to all remaining rows.

    1. conditions   in each rule, drop the condition whose removal gives the lowest upper bound of the rule's error
                    rate, and repeat as long as the bound does not rise (criteria/pessimism.py: small leaves are
                    trusted less)
    2. order        merge rules that have become equivalent, and sort them by the bound, lowest first
    3. rules        drop the rule whose removal lowers the error of the whole list most, as long as it does not rise
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

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
