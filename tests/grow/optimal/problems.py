"""Small problems for the search, as its front door takes them."""

import numpy as np

from spinney._team import Team
from spinney.criteria.impurity import NAMES
from spinney.data.tables import Panel, Table
from spinney.data.target import Target
from spinney.data.weights import read_weights
from spinney.grow.optimal.fit import OptimalSettings, fit_optimal_tree


def find(X, y, criterion="error", depth=2, weight=None, penalty=0.0, min_leaf=1, n_threads=1, seconds=None):
    """The best tree of a table of numbers."""
    X = np.ascontiguousarray(X, np.float64)
    table = Table(len(X), X.shape[1], (Panel(X, tuple(range(X.shape[1]))),))
    weights = read_weights(weight, len(X))
    if criterion == "squared_error":
        target = Target(None, None, np.asarray(y, np.float64)[None], weights)
    else:
        target = Target(np.asarray(y, np.int32)[None], (int(np.max(y)) + 1,), None, weights)
    settings = OptimalSettings(NAMES[criterion], depth, min_leaf, 0.0, penalty, 255, seconds)
    with Team(n_threads) as team:
        return fit_optimal_tree(table, np.zeros(X.shape[1], np.int64), target, settings, team, None, weights.counts)


def training_objective(tree, weight, penalty):
    """What the leaves cost."""
    leaves = tree.is_leaf
    return (tree.impurity * tree.weight)[leaves].sum() / np.sum(weight) + penalty * leaves.sum()
