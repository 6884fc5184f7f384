"""Boosted trees for tests: drawn in the order of growth, and read by plain recursion."""

from types import SimpleNamespace

import numpy as np

from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest


def draw_grown(rng, n_splits, n_columns=70000, bins=None):
    """A tree of random shape, children side by side, each split at a random leaf; counts and hessians add up."""
    n = 2 * n_splits + 1
    left, feature = np.full(n, -1), np.full(n, -1)
    leaves = [0]
    for k in range(n_splits):
        node = leaves.pop(rng.randint(len(leaves)))
        left[node], feature[node] = 2 * k + 1, rng.randint(n_columns if bins is None else bins.n_columns)
        leaves += [2 * k + 1, 2 * k + 2]
    inner = left >= 0
    count, hessian = rng.randint(1, 9, n), rng.randint(0, 2**52, n)
    for node in range(n - 1, -1, -1):
        if inner[node]:
            count[node], hessian[node] = (a[left[node]] + a[left[node] + 1] for a in (count, hessian))
    is_set = inner & (rng.rand(n) < 0.3 if bins is None else bins.is_categorical[feature])
    most = 255 if bins is None else bins.n_bins[feature]
    return SimpleNamespace(
        n=n,
        left=left,
        feature=feature,
        code=np.where(inner & ~is_set, rng.randint(0, most, n), 0),
        missing_left=inner & (rng.rand(n) < 0.5),
        is_set=is_set,
        bits=rng.randint(0, 2**64, (n, 4), np.uint64),
        value=rng.randn(n),
        gain=np.where(inner, rng.rand(n), 0.0),
        count=count,
        hessian=hessian,
        unit=2.0 ** -rng.randint(40),
    )


def preorder(tree, node=0):
    if tree.left[node] < 0:
        return [node]
    return [node, *preorder(tree, tree.left[node]), *preorder(tree, tree.left[node] + 1)]


def to_forest(tree, bins=None):
    """The store of a drawn tree."""
    order = np.array(preorder(tree))
    size = np.array([len(preorder(tree, node)) for node in order])
    asks, leaves = order[size > 1], order[size == 1]
    sets = tree.bits[asks[tree.is_set[asks]]]
    return Forest(
        n_columns=70000 if bins is None else bins.n_columns,
        n_classes=None,
        criterion=None,
        bins=bins,
        first=np.array([0, tree.n]),
        size=size.astype(np.uint16),
        feature=tree.feature[asks].astype(np.uint16 if tree.feature.max() < 2**16 else np.uint32),
        turn=(tree.missing_left * MISSING_LEFT | tree.is_set * ASKS_SET)[asks].astype(np.uint8),
        answers=tree.value[order].reshape(-1, 1, 1),
        n_samples=tree.count[leaves].astype(np.uint32),
        code=tree.code[asks].astype(np.uint8),
        set_start=np.arange(0, 4 * len(sets) + 1, 4),
        sets=sets.ravel(),
        weight=tree.hessian[leaves],
        weight_unit=np.array([tree.unit]),
        gain=tree.gain[asks],
    )


def rows(tree, node=0, depth=0):
    """Nodes in preorder, by plain recursion: all that is known of each."""
    asks = -1
    if tree.left[node] >= 0:
        bits = tuple(tree.bits[node]) if tree.is_set[node] else ()
        asks = (tree.feature[node], tree.code[node], tree.missing_left[node], tree.gain[node], bits)
    own = [(depth, tree.value[node], asks, tree.count[node], tree.hessian[node] * tree.unit)]
    return (
        own
        if asks == -1
        else [*own, *rows(tree, tree.left[node], depth + 1), *rows(tree, tree.left[node] + 1, depth + 1)]
    )


def rows_of(forest, k):
    """The same from the store."""
    sets = forest.of_questions(np.cumsum(forest.is_set) - 1, -1)
    feature, code, turn, gain = (
        forest.of_questions(a, a.dtype.type(0)) for a in (forest.feature, forest.code, forest.turn, forest.gain)
    )
    found = []
    for i in range(forest.first[k], forest.first[k + 1]):
        asks = -1
        if not forest.is_leaf[i]:
            at = forest.set_start[sets[i]]
            bits = tuple(forest.sets[at : at + 4]) if turn[i] & ASKS_SET else ()
            asks = (feature[i], code[i], bool(turn[i] & MISSING_LEFT), gain[i], bits)
        found.append((forest.shape.depth[i], forest.answers[i, 0, 0], asks, forest.counts()[i], forest.weights()[i]))
    return found
