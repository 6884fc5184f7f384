"""Tables, targets and rules to grow one tree from codes, drawn; and the same tree grown from sorted lists."""

import numpy as np

from spinney._team import Team
from spinney.criteria.impurity import OWN
from spinney.data.encode import learn_bins
from spinney.data.thresholds import NO_MIDDLES, find_middles
from spinney.grow.binned.fit import grow_coded_tree, make_desk
from spinney.grow.binned.memory import lay_out_cells
from spinney.grow.exact.fit import grow_exact_tree
from tests.grow.exact.cases import Case, draw_column

KINDS = ("few", "many", "gaps", "constant", "missing", "infinite")
WEIGHTS = ("none", "counts", "heavy", "importances")
OPTIONS = {
    "max_depth": lambda random, n: int(random.randint(1, 5)),
    "min_split": lambda random, n: int(random.randint(2, max(3, n // 2))),
    "min_leaf": lambda random, n: int(random.randint(2, max(3, n // 5))),
    "min_weight": lambda random, n: float(random.choice((1.0, n / 7.3))),
    "min_decrease": lambda random, n: float(random.choice((1e-3, 0.0317))),
}


def draw_case(seed, n_rows, n_columns, criterion, weights="none", n_classes=2, **options):
    """A table of every kind of column, a target that follows from it but for noise, and now and then rules."""
    random = np.random.RandomState(seed)
    kinds = random.choice(KINDS, n_columns, p=(0.25, 0.3, 0.2, 0.05, 0.05, 0.15))
    X = np.column_stack([draw_column(kind, n_rows, random) for kind in kinds])
    X[random.rand(n_rows) < 0.05] = np.nan  # rows that lack everything: a node of such cannot be split
    signal = np.clip(np.nan_to_num(X, nan=1.0), -3, 3)[:, : 1 + n_columns // 2].sum(axis=1)
    options = {**{name: one(random, n_rows) for name, one in OPTIONS.items() if random.rand() < 0.15}, **options}
    y, sizes = _target(criterion, signal / signal.std() if signal.std() > 0 else signal, n_classes, random)
    weight = _weights(weights, n_rows, random)
    return Case(X, np.zeros(n_columns, np.int64), y, sizes, weight, criterion, {"seed": seed, **options})


def _target(criterion, signal, n_classes, random):
    noisy = signal + random.choice((0.1, 1.0)) * random.randn(len(signal))
    if criterion == "poisson":
        return np.round(np.exp(np.clip(noisy, -2, 3)) + 0.01, 2)[:, None], None
    if criterion == "squared_error":
        return np.round(noisy, int(random.choice((0, 2, 12))))[:, None], None
    edges = np.linspace(0.3, 1.5, n_classes - 1)  # one of two, or more, the first the largest
    return np.searchsorted(edges, noisy)[:, None], (n_classes,)


def _weights(kind, n, random):
    if kind == "none":
        return None
    return random.uniform(0.1, 3.0, n) if kind == "importances" else random.randint(1, 5 if kind == "counts" else 60, n)


def encode(case, bins, team, rows=None):
    """Cells of the case's table, of which some rows count."""
    middles = find_middles(bins, case.table, rows) if case.settings.random else NO_MIDDLES
    return lay_out_cells(bins.encode(case.table, team), bins, middles)


def draw_rules(random, n_columns):
    """How a node's columns and thresholds are drawn."""
    rules = {"random": bool(random.rand() < 0.5), "per_tree": bool(random.rand() < 0.3)}
    if random.rand() < 0.6:
        rules["n_features"] = int(random.randint(1, n_columns + 1))
    return rules


def grow_both(case, rows=None, max_bins=255, own=None):
    """(tree from codes, tree from lists), of some rows of the case or all; by a user's criterion, if any."""
    settings = case.settings if own is None else case.settings._replace(criterion=OWN, own=own)
    with Team(1, inline=True) as team:
        counts = case.sample_weight if case.weights.counts is not None else None
        bins = learn_bins(case.table, case.n_categories > 0, counts, max_bins, team)
        cells = encode(case, bins, team, rows)
        target = case.target
        if rows is not None:
            cut = [None if part is None else np.ascontiguousarray(part[:, rows]) for part in (target.labels, target.y)]
            target = target._replace(labels=cut[0], y=cut[1], weights=target.weights.take(rows))
        desk = make_desk(cells, bins)
        mine = grow_coded_tree(cells, bins, target, settings, desk, rows)
        theirs = grow_exact_tree(case.table, case.n_categories, target, settings, team, rows, bins)
    assert mine.n_trees == 1
    assert mine.bins is bins
    return mine.tree(0), theirs.tree


def assert_same(one, other):
    """Two trees are equal bit for bit; where they are not, say which part it is."""
    for name in ("kind", "feature", "threshold", "missing", "children", "n_samples", "weight", "answers", "impurity"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.fingerprint == other.fingerprint
