"""ID3 (Quinlan, 1986): categories only, one branch a value, the column of most information gain.

A node is a leaf when its rows are of one class, when no column has two values left among them, or when a limit says so.
A row whose value is missing counts in its node, for the share of rows that have it, and goes no further; in
prediction a missing or unknown value is answered by the node that asks for it.
"""

from __future__ import annotations

import numpy as np

from spinney._team import Team
from spinney.criteria.information import entropy, make_terms
from spinney.data.weights import Weights
from spinney.grow.multiway.columns import MultiwayColumns, read_units
from spinney.grow.multiway.freeze import freeze
from spinney.grow.multiway.grower import grow
from spinney.grow.multiway.limits import BranchSettings, Choose, limit_splits
from spinney.grow.multiway.memory import make_rows
from spinney.tree.decision import STOPS, DecisionTree


def grow_id3(
    columns: MultiwayColumns,
    classes: np.ndarray,
    n_classes: int,
    weights: Weights | np.ndarray,
    settings: BranchSettings,
    team: Team,
    choose: Choose | None = None,
) -> DecisionTree:
    """Grow a tree; `classes` is int32, the class of each row; `weights` may be units.

    `choose` says how many of its splits to keep.
    """
    units, kept = read_units(weights, len(classes))
    columns = columns.take(kept)
    every = np.ones(len(columns.codes), np.uint8)
    rules = settings.rules(columns, units, n_classes, ratio=False, spreads=False, mdl=False, in_average=every)
    rows = make_rows(classes if kept is None else classes[kept], units, columns.most_branches)
    terms = make_terms(rules.total)
    grown = grow(columns, rows, n_classes, rules, terms, team)
    limit_splits(grown, columns, terms, settings.max_leaves, STOPS, choose)
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
