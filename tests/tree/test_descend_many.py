"""Many trees at once, beside a walk in plain Python."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from spinney._team import Team
from spinney.data.sparse import SparseTable
from spinney.tree import descend, packed
from spinney.tree.decision import NUMBER
from spinney.tree.descend import leaves_of_rows, sum_answers
from spinney.tree.forest import join
from tests.compiled import PLAIN_PYTHON, THREADS
from tests.tree.forests import KINDS, N_CATEGORIES, draw_forest, draw_rows, table_of
from tests.view.trees import leaf, make_tree, number

pytestmark = pytest.mark.kernels
N = 40 if PLAIN_PYTHON else 200
TEAMS = THREADS if PLAIN_PYTHON else (1, 2, 3)


@pytest.fixture(params=[True, False], ids=["deep", "any depth"])
def deep(request, monkeypatch):
    """Whether all trees count as deep."""
    if request.param:
        monkeypatch.setattr(packed, "SHALLOW", 0)


def walk(tree, x):
    """Where a row ends."""
    node = 0
    while not tree.is_leaf[node]:
        value = x[tree.feature[node]]
        if np.isnan(value):
            branch = tree.missing[node]
        elif tree.kind[node] == NUMBER:
            branch = 0 if value <= tree.threshold[node] else 1
        else:
            branch = 0 if int(value) in tree.categories_in(node, N_CATEGORIES) else 1
        node = int(tree.children_of(node)[branch])
    return node


def walk_all(forest, X, trees=None):
    """(leaves, sums of answers), by the slow walk."""
    leaves, total = [], np.zeros((len(X), *forest.answers.shape[1:]))
    for k in range(forest.n_trees) if trees is None else trees:
        tree = forest.tree(k)
        leaves.append([walk(tree, x) for x in X])
        says = tree.answers[leaves[-1]]
        total += says / says.sum(axis=2, keepdims=True) if forest.n_classes is not None else says
    return np.array(leaves).T.reshape(len(X), -1), total


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cut", [None, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_end_where_the_questions_lead(kind, cut, dtype, deep):
    forest, X = draw_forest(kind), draw_rows(N, seed=99, dtype=dtype)
    X[0, 0], X[1, 0], X[2, :3] = np.inf, -np.inf, np.nan
    leaves, total = walk_all(forest, X)
    for size in TEAMS:
        with Team(size) as team:
            np.testing.assert_array_equal(leaves_of_rows(forest, table_of(X, cut), team), leaves)
            np.testing.assert_array_equal(sum_answers(forest, table_of(X, cut), team), total)


@pytest.mark.parametrize("kind", ["codes", "categories", "number"])
@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 31, 33])
@pytest.mark.parametrize("lanes", [1, 5, 256])
def test_any_number_of_rows_in_lanes_and_chunks(kind, n, lanes, deep, monkeypatch):
    """Fewer rows than lanes, and more; chunks and blocks that end anywhere."""
    monkeypatch.setattr(descend, "_LEAST", 3)
    monkeypatch.setattr(descend, "n_lanes", lambda row_bytes: lanes)
    monkeypatch.setattr(descend, "BLOCK_ROWS", 13)
    forest, X = draw_forest(kind), draw_rows(n, seed=n)
    leaves, total = walk_all(forest, X)
    for cut in (None, 1):
        with Team(TEAMS[-1]) as team:
            np.testing.assert_array_equal(leaves_of_rows(forest, table_of(X, cut), team), leaves)
            np.testing.assert_array_equal(sum_answers(forest, table_of(X, cut), team), total)


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
@pytest.mark.parametrize("kind", ["codes", "categories", "outputs of classes"])
@pytest.mark.parametrize("n", [511, 512, 513, 12_289])
def test_rows_around_the_ends_of_chunks(kind, n, deep):
    """A row's answer does not depend on who walks beside it."""
    forest, X = draw_forest(kind), draw_rows(12_289, seed=1)
    with Team(1, inline=True) as team:
        alone = np.vstack([sum_answers(forest, table_of(X[k : k + 997]), team) for k in range(0, 12_289, 997)])
        few = np.vstack([leaves_of_rows(forest, table_of(X[k : k + 997]), team) for k in range(0, 12_289, 997)])
    for size in TEAMS:
        with Team(size) as team:
            np.testing.assert_array_equal(sum_answers(forest, table_of(X[:n]), team), alone[:n])
            np.testing.assert_array_equal(leaves_of_rows(forest, table_of(X[:n]), team), few[:n])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_to_skip_and_some_of_the_trees(kind):
    forest, X = draw_forest(kind, n_trees=4), draw_rows(N, seed=7)
    skip = (np.random.RandomState(0).rand(N) < 0.4).astype(np.uint8)
    expected = walk_all(forest, X, range(1, 3))[1]
    expected[skip > 0] = 0.0
    before = np.random.RandomState(1).rand(*expected.shape)
    for size in TEAMS:
        with Team(size) as team:
            out = before.copy()
            assert sum_answers(forest, table_of(X), team, range(1, 3), skip, out) is out
            np.testing.assert_allclose(out, before + expected, rtol=1e-14)
            np.testing.assert_array_equal(out[skip > 0], before[skip > 0])
            leaves = leaves_of_rows(forest, table_of(X), team, range(1, 3))
            np.testing.assert_array_equal(leaves, walk_all(forest, X, range(1, 3))[0])


def of_classes(forest, n_classes, share_mixed):
    """The same trees with other answers: some leaves of one class, others of several."""
    random = np.random.RandomState(3)
    answers = random.randint(1, 9, (forest.n_nodes, 1, n_classes)).astype(np.float32)
    for node in np.flatnonzero(random.rand(forest.n_nodes) >= share_mixed):
        answers[node, 0, np.arange(n_classes) != random.randint(n_classes)] = 0
    return replace(forest, n_classes=(n_classes,), answers=answers)


@pytest.mark.parametrize("kind", ["codes", "codes of categories"])
@pytest.mark.parametrize("n_classes", [1, 2, 5, 255, 256])
@pytest.mark.parametrize("share_mixed", [0, 0.1, 0.9])
def test_leaves_of_one_class_are_votes(kind, n_classes, share_mixed):
    """A byte per leaf says what the answers say, to the last bit."""
    forest, X = of_classes(draw_forest(kind), n_classes, share_mixed), draw_rows(N, seed=2)
    votes = (forest.pairs if len(forest.sets) else forest.words).votes
    assert (len(votes) > 0) == (n_classes < 256 and (share_mixed < 0.5 or n_classes == 1))
    skip = (np.random.RandomState(0).rand(N) < 0.4).astype(np.uint8)
    other = of_classes(forest, n_classes, 0.5).answers
    leaves, total = walk_all(forest, X)
    with Team(TEAMS[-1]) as team:
        np.testing.assert_array_equal(sum_answers(forest, table_of(X), team), total)
        part = sum_answers(forest, table_of(X), team, skip=skip)
        np.testing.assert_array_equal(part, np.where(skip[:, None, None] > 0, 0, total))
        said = sum_answers(forest, table_of(X), team, answers=other)
    np.testing.assert_array_equal(said, walk_all(replace(forest, answers=other), X)[1])


def test_other_answers_for_sparse_rows():
    """Ballots, for example: what nodes say may not be what the store says."""
    forest, cells = of_classes(draw_forest("number"), 2, 0.9), csr_array(np.round(draw_rows(40, seed=4)))
    other = of_classes(forest, 2, 0.1).answers
    with Team(1, inline=True) as team:
        said = sum_answers(forest, SparseTable(cells), team, answers=other)
        np.testing.assert_array_equal(said, sum_answers(forest, table_of(cells.toarray()), team, answers=other))


def test_float32_tables_and_thresholds_of_words():
    """Edges are rounded down to float32, so that a value equal to an edge stays on its side."""
    forest = draw_forest("codes")
    X = np.repeat(forest.bins.edge_table()[:4, :30].T, 3, axis=0).astype(np.float32)
    X[1::3], X[2::3] = np.nextafter(X[1::3], np.float32(np.inf)), np.nextafter(X[2::3], np.float32(-np.inf))
    with Team(1, inline=True) as team:
        np.testing.assert_array_equal(leaves_of_rows(forest, table_of(X), team), walk_all(forest, X)[0])


def test_a_long_path_and_a_short_one():
    """Rows leave their lanes at very different times."""
    tree = leaf([0, 1])
    for k in range(60):
        tree = number(0, float(k), leaf([k + 1, 1]), tree)
    for k in range(60, 90):
        tree = number(0, float(k), tree, leaf([1, k]), missing=k % 2)
    forest = join([make_tree(tree).forest, make_tree(leaf([1, 3])).forest])
    X = np.random.RandomState(0).uniform(-1, 91, (N, 1))
    X[::5] = np.nan
    leaves, total = walk_all(forest, X)
    with Team(TEAMS[-1]) as team:
        np.testing.assert_array_equal(leaves_of_rows(forest, table_of(X), team), leaves)
        np.testing.assert_array_equal(sum_answers(forest, table_of(X), team), total)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 31, 32, 33, N])
def test_shallow_trees_are_walked_in_step(dtype, n):
    """All rows take as many steps as a tree has levels; deeper trees and those with sets are walked as ever."""
    X = draw_rows(n, seed=5, dtype=dtype)
    X[0, :2] = np.nan, np.inf
    coded = draw_forest("codes")
    coded = coded.collapse(coded.shape.depth == 4)
    assert coded.words.depth.max() == 4
    shallow = coded.with_thresholds()
    assert shallow.steps.depth.max() == 4
    for forest in (coded, shallow, draw_forest("number"), draw_forest("categories").with_thresholds()):
        leaves, total = walk_all(forest, X)
        with Team(TEAMS[-1]) as team:
            np.testing.assert_array_equal(leaves_of_rows(forest, table_of(X), team), leaves)
            np.testing.assert_array_equal(sum_answers(forest, table_of(X), team), total)
