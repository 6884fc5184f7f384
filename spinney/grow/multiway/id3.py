"""ID3 (Quinlan, 1986): categories only, one branch a value, the column of most information gain.

A node is a leaf when its rows are of one class, when no column has two values left among them, or when a limit says so.
A row whose value is missing counts in its node, for the share of rows that have it, and goes no further; in
prediction a missing or unknown value is answered by the node that asks for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._team import Team
from spinney.criteria.information import ROW, entropy, make_terms
from spinney.data.weights import Weights
from spinney.grow.multiway.columns import MultiwayColumns, read_units
from spinney.grow.multiway.freeze import freeze
from spinney.grow.multiway.grower import grow
from spinney.grow.multiway.limits import BranchLimits, Choose, limit_splits
from spinney.grow.multiway.memory import make_rows
from spinney.grow.rules import BranchRules
from spinney.tree.decision import STOPS, DecisionTree


class ID3Settings(NamedTuple):
    """The estimator's parameters."""

    max_depth: int
    min_gain: float  # bits
    min_samples_leaf: float = 0.0  # weight of two branches at least, in rows; 0: any
    limits: BranchLimits = BranchLimits()


def grow_id3(
    columns: MultiwayColumns,
    classes: np.ndarray,
    n_classes: int,
    weights: Weights | np.ndarray,
    settings: ID3Settings,
    team: Team,
    choose: Choose | None = None,
) -> DecisionTree:
    """Grow a tree; `classes` is int32, the class of each row; `weights` may be units.

    `choose` says how many of its splits to keep.
    """
    units, kept = read_units(weights, len(classes))
    columns = columns.take(kept)
    rules = BranchRules(
        ratio=False,
        spreads=False,
        mdl=False,
        min_leaf=max(1, round(settings.min_samples_leaf * ROW)),
        min_split=round(settings.limits.min_split * ROW),
        min_gain=settings.min_gain,
        min_decrease=settings.limits.min_decrease,
        total=int(units.sum()),
        critical=settings.limits.critical(columns, n_classes),
        max_depth=settings.max_depth,
        n_classes=n_classes,
        in_average=np.ones(len(columns.codes), np.uint8),
    )
    rows = make_rows(classes if kept is None else classes[kept], units, columns.most_branches)
    terms = make_terms(rules.total)
    grown = grow(columns, rows, n_classes, rules, terms, team)
    limit_splits(grown, columns, terms, settings.limits, STOPS, choose)
    return freeze(grown, columns, STOPS)


def decreases(tree: DecisionTree) -> np.ndarray:
    """By how much each node's question lowers the entropy of the rows that it answers, as a share of all weight.

    (`DecisionTree.impurity_decreases` takes it that all rows of a node go on to its children.)
    """
    answers = tree.answers[:, 0] * (tree.weight > 0)[:, None]
    known = np.zeros_like(answers)
    np.add.at(known, tree.parent[1:], answers[1:])
    mass = tree.weight * tree.impurity
    below = np.bincount(tree.parent[1:], mass[1:], minlength=tree.n_nodes)
    return np.where(tree.is_leaf, 0.0, known.sum(axis=1) * entropy(known) - below) / tree.weight[0]
