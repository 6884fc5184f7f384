"""Small forests for tests: trees of every kind, drawn."""

import numpy as np

from spinney._team import Team
from spinney.criteria.impurity import NAMES
from spinney.data.encode import learn_bins
from spinney.data.tables import Panel, Table
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.grow.binned.fit import grow_coded_tree, make_desk
from spinney.grow.exact.fit import grow_exact_tree
from spinney.grow.rules import TreeSettings
from spinney.tree.forest import join
from tests.grow.binned.cases import encode
from tests.grow.exact.cases import Case

KINDS = (
    "two classes",
    "classes",
    "outputs of classes",
    "number",
    "numbers",
    "categories",
    "fractions",
    "codes",
    "turns",
    "codes of categories",
)
N_CATEGORIES = 70  # of the last column: more than one word


def draw_rows(n, seed=0, gaps=0.2, dtype=np.float64):
    """Four columns: numbers, few values, numbers with gaps, categories with gaps."""
    random = np.random.RandomState(seed)
    X = np.column_stack([random.randn(n), random.randint(0, 5, n), random.randn(n), random.randint(0, N_CATEGORIES, n)])
    X[:, 2:][random.rand(n, 2) < gaps] = np.nan
    return X.astype(dtype)


def table_of(X, cut=None):
    """One block of memory, or two."""
    columns = tuple(range(X.shape[1]))
    if cut is None:
        return Table(*X.shape, (Panel(X, columns),))
    parts = (np.ascontiguousarray(X[:, :cut]), np.asfortranarray(X[:, cut:]))
    return Table(*X.shape, (Panel(parts[0], columns[:cut]), Panel(parts[1], columns[cut:])))


def target_of(kind, X, random):
    signal = X[:, 0] + np.nan_to_num(X[:, 2]) + np.nan_to_num(X[:, 3]) % 3 + random.randn(len(X))
    weights = Weights(None, random.uniform(0.1, 2.0, len(X)) if kind == "fractions" else None)
    if kind in ("number", "numbers"):
        y = np.array([signal, signal**2])[: 1 if kind == "number" else 2]
        return Target(None, None, np.ascontiguousarray(y), weights), NAMES["squared_error"]
    sizes = {"classes": (4,), "outputs of classes": (2, 4)}.get(kind, (2,))
    labels = [np.digitize(signal, np.linspace(-1, 2, k + 1)[1:-1]).astype(np.int32) for k in sizes]
    return Target(np.array(labels), sizes, None, weights), NAMES["entropy"]


def draw_trees(kind, n_trees=3, n_rows=40, seed=0):
    """Forests of one tree each, on tables of the same columns."""
    random = np.random.RandomState(seed)
    if kind in ("codes", "turns", "codes of categories"):
        sizes = np.array([0, 5, 0, N_CATEGORIES]) if kind == "codes of categories" else np.zeros(4, np.int64)
        return _trees_from_codes(n_trees, n_rows, random, 0.6 if kind == "turns" else 0.2, sizes)
    n_categories = np.array([0, 0, 0, N_CATEGORIES if kind == "categories" else 0])
    forests = []
    with Team(1, inline=True) as team:
        for k in range(n_trees):
            X = draw_rows(n_rows, seed + k + 1)
            target, criterion = target_of(kind, X, random)
            settings = TreeSettings(criterion, n_features=2, seed=k, max_depth=(2, 4, 90)[k % 3])
            tree = grow_exact_tree(table_of(X), n_categories, target, settings, team).tree
            forests.append(tree.forest.compact())
    return forests


def _trees_from_codes(n_trees, n_rows, random, gaps, n_categories):
    X = draw_rows(n_rows, gaps=gaps)
    X[0, 3] = N_CATEGORIES - 1  # all are known
    table, forests = table_of(X), []
    with Team(1, inline=True) as team:
        bins = learn_bins(table, n_categories > 0, None, 255, team)
        for k in range(n_trees):
            target, criterion = target_of("codes", X, random)
            settings = TreeSettings(criterion, n_features=2, seed=k, max_depth=(2, 4, 90)[k % 3])
            case = Case(X, n_categories, target.labels.T, (2,), None, "entropy")
            cells = encode(case, bins, team)
            forests.append(grow_coded_tree(cells, bins, target, settings, make_desk(cells, bins)))
    return forests


def draw_forest(kind, n_trees=3, n_rows=40, seed=0):
    return join(draw_trees(kind, n_trees, n_rows, seed))
