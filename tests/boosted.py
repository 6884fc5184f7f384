"""Trees of boosted models as plain arrays, for tests that read them."""

from types import SimpleNamespace

import numpy as np


def plain_trees(model):
    """Every tree of a fitted model, or of its booster."""
    booster = getattr(model, "_booster", model)
    return [_plain(booster.forest.tree(k)) for k in range(booster.forest.n_trees)]


def _plain(tree):
    return SimpleNamespace(
        n_nodes=tree.n_nodes,
        n_leaves=tree.n_leaves,
        is_leaf=tree.is_leaf,
        left=tree.children_left,
        right=tree.children_right,
        depth=tree.depth,
        feature=tree.feature,
        threshold=tree.threshold,
        missing_left=tree.missing_go_to_left,
        is_category=np.diff(tree.set_start) > 0,
        value=tree.answers[:, 0, 0],
        gain=tree.gain,
        count=tree.n_samples,
        cover=tree.weight,
    )
