"""Trees written down node by node, for tests."""

import numpy as np

from spinney.criteria.impurity import GINI
from spinney.tree.decision import BRANCHES, LEAF, SET, SPREADS, STOPS, DecisionTree
from spinney.tree.forest import ASKS_BRANCHES, ASKS_SET, MISSING_LEFT, MISSING_SPREADS, MISSING_STOPS, Forest


def tree_of_nodes(
    n_classes,
    kind,
    child_start,
    children,
    feature,
    threshold,
    missing,
    set_start,
    sets,
    answers,
    impurity,
    n_samples,
    weight,
):
    """A `DecisionTree` from arrays of one entry per node, in preorder."""
    n = len(kind)
    size = np.ones(n, np.uint32)
    for node in range(n - 1, -1, -1):
        size[node] += sum(size[child] for child in children[child_start[node] : child_start[node + 1]])
    asks = kind != LEAF
    turn = np.where(kind == SET, ASKS_SET, 0) | np.where(kind == BRANCHES, ASKS_BRANCHES, 0)
    for what, bit in ((0, MISSING_LEFT), (STOPS, MISSING_STOPS), (SPREADS, MISSING_SPREADS)):
        turn |= np.where(np.asarray(missing) == what, bit, 0)
    is_set = kind == SET
    return DecisionTree(
        Forest(
            n_columns=max(0, *feature) + 1,
            n_classes=n_classes,
            criterion=GINI,
            bins=None,
            first=np.array([0, n]),
            size=size,
            feature=np.asarray(feature)[asks].astype(np.uint16),
            turn=turn[asks].astype(np.uint8),
            answers=answers,
            n_samples=np.asarray(n_samples).astype(np.uint32),
            threshold=np.asarray(threshold, np.float64)[asks],
            set_start=np.append(set_start[:-1][is_set], set_start[-1]).astype(np.int64),
            sets=sets,
            weight=weight,
            impurity=impurity,
        )
    )
