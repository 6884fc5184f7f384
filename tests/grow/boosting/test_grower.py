"""Whole trees: the compiled loop and the slow twin agree to the last bit, and every tree keeps the rules."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.gains import Penalty
from spinney.grow.boosting import statistics
from tests._compile.processes import warm_cache
from tests.compiled import PLAIN_PYTHON, THREADS, few
from tests.grow.cases import (
    NO_LIMIT,
    NUMBERS,
    WAYS,
    assert_same,
    cases,
    descend,
    draw_column,
    grow_cpu,
    grow_reference,
    make_case,
    make_dataset,
    make_limits,
)

NO_GROUP = np.zeros((1, 1), np.uint8)  # no column is in it
RULES_OF_ONE_LEAF = (
    {"max_leaves": 1},
    {"max_depth": 0},
    {"min_count": 6},
    {"min_hessian": 1e9},
    {"groups": NO_GROUP},
)
BLOCKS = st.sampled_from((3, 15, 63, 16383))  # row counts that a packed histogram can hold


@pytest.fixture(scope="module")
def set_block():
    """Sets how many row counts a packed histogram can hold, so that tiny tables have wide ones; it stays so."""
    with pytest.MonkeyPatch.context() as patch:
        yield lambda block: patch.setattr(statistics, "BLOCK", block)


# --- the slow twin -----------------------------------------------------------------------------------------------


@pytest.mark.kernels
@few(300, plain=50)
@given(data=st.data(), block=BLOCKS)
def test_the_slow_twin_grows_the_same_tree(set_block, data, block):
    set_block(block)
    case = data.draw(cases())
    expected = grow_reference(case)
    for n_threads in THREADS:
        for way in WAYS[:3] if PLAIN_PYTHON else WAYS:
            assert_same(grow_cpu(case, n_threads, **way), expected)


@pytest.mark.slow
@pytest.mark.kernels
@few(12, plain=2)
@given(seed=st.integers(0, 10**6), n_words=st.sampled_from((64, 65, 66)), best_first=st.booleans())
def test_many_columns(seed, n_words, best_first):
    """With 64 words and the statistics all nodes are summed by words; the scratch has only room for a few of them."""
    random = np.random.RandomState(seed)
    n, n_columns = 40, 4 * (n_words - 1) - seed % 4
    columns = [random.randint(0, 17, n).astype(float) for _ in range(n_columns)]  # too wide to share a lane
    for column in columns:
        column[:17] = random.permutation(17)
    limits = make_limits(n_columns, max_leaves=4, best_first=best_first, min_count=3)
    case = make_case(make_dataset(columns), np.stack((random.randn(n), np.ones(n)), axis=1), limits)
    assert case.table.n_words == n_words
    expected = grow_reference(case)
    assert expected.tree.n_leaves == 4
    for n_threads in THREADS:
        assert_same(grow_cpu(case, n_threads), expected)


@pytest.mark.kernels
@few(30, plain=10)
@given(data=st.data(), block=BLOCKS)
def test_many_narrow_columns(set_block, data, block):
    """Columns of one to five values, many to a lane, those of one value among them."""
    set_block(block)
    random = np.random.RandomState(data.draw(st.integers(0, 10**6)))
    some = data.draw(st.sampled_from(((1, 40), (1, 2), (2, 3, 5), (1, 2, 3, 5, 40))))
    widths = data.draw(st.lists(st.sampled_from(some), min_size=2, max_size=24))
    columns = [random.randint(0, width, 60).astype(float) for width in widths]
    columns[0][random.rand(60) < 0.2] = np.nan
    gradient = random.randn(60) + columns[-1]
    kinds = random.rand(len(widths)) < 0.3
    case = make_case(make_dataset(columns, kinds), np.stack((gradient, np.ones(60)), axis=1), make_limits(len(widths)))
    expected = grow_reference(case)
    for n_threads in THREADS:
        for way in WAYS[:2]:
            assert_same(grow_cpu(case, n_threads, **way), expected)


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
@pytest.mark.parametrize("best_first", [True, False])
@pytest.mark.parametrize("n_rows", [16383, 16384, 40_000])  # around a packed block, and several
def test_many_rows(set_block, n_rows, best_first):
    set_block(16383)
    random = np.random.RandomState(n_rows)
    kinds = ("many", "gaps", "categories", "many categories")
    columns = [draw_column(kind, n_rows, random) for kind in kinds]
    gradient = random.randn(n_rows) + np.nan_to_num(columns[0]) * np.nan_to_num(columns[2])
    limits = make_limits(4, best_first=best_first, min_count=20, max_leaves=25)
    dataset = make_dataset(columns, [False, False, True, True])
    case = make_case(dataset, np.stack((gradient, random.rand(n_rows)), axis=1), limits)
    expected = grow_reference(case)
    assert expected.tree.n_leaves == 25
    for n_threads in (1, 2, 3):
        for way in ({}, {"few_rows": 0}, {"few_rows": NO_LIMIT}):
            assert_same(grow_cpu(case, n_threads, **way), expected)


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
def test_many_rows_that_count_many_times(set_block):
    set_block(16383)
    random = np.random.RandomState(1)
    n = 3000  # a packed block holds 16383 // 127 = 129 of them
    counts = random.randint(0, 128, n)
    columns = [draw_column(kind, n, random) for kind in ("many", "gaps", "categories")]
    dataset = make_dataset(columns, [False, False, True], counts)
    derivatives = np.stack((random.randn(n) + columns[0], np.ones(n)), axis=1)
    case = make_case(dataset, derivatives, make_limits(3), counts=counts, chosen=np.flatnonzero(counts))
    expected = grow_reference(case)
    for n_threads in (1, 2):
        for way in WAYS[:2]:
            assert_same(grow_cpu(case, n_threads, **way), expected)


CHUNKS = """
import spinney.grow.boosting.partition
spinney.grow.boosting.partition.CHUNK = {chunk}  # before the modules that read it

import numpy as np
from tests.grow.cases import *

assert memory.DESK["left_rows"].shape == ({chunk},)
random = np.random.RandomState(0)
for best_first in (True, False):
    columns = [draw_column(kind, 700, random) for kind in ("many", "gaps", "categories")]
    dataset = make_dataset(columns, [False, False, True])
    statistics.BLOCK = 100
    derivatives = np.stack((random.randn(700), np.ones(700)), axis=1)
    case = make_case(dataset, derivatives, make_limits(3, best_first=best_first))
    expected = grow_reference(case)
    assert expected.tree.n_leaves == 12
    for n_threads in (1, 2, 3):
        for way in WAYS[:2]:
            assert_same(grow_cpu(case, n_threads, **way), expected)
print("same")
"""


@pytest.mark.slow
@pytest.mark.skipif(PLAIN_PYTHON, reason="threads need compiled kernels")
def test_small_chunks(tmp_path):
    """With seven rows a chunk, three threads share out even small nodes."""
    warm_cache(tmp_path, "spinney.grow", "spinney.ensemble")  # the constant is no part of the cache's key
    environment = os.environ | {"SPINNEY_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", CHUNKS.format(chunk=7)]
    root = Path(__file__).parents[2]
    answer = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=False)
    assert answer.stdout == "same\n", answer.stderr


# --- rules that every tree keeps ---------------------------------------------------------------------------------


@pytest.mark.kernels
@few(150, plain=60)
@given(data=st.data(), block=BLOCKS)
def test_rules(set_block, data, block):
    set_block(block)
    case = data.draw(cases())
    tree, limits = grow_cpu(case).tree, case.limits
    visits = descend(tree, case, case.dataset.codes[:, case.places])
    inner, leaves = np.flatnonzero(~tree.is_leaf), np.flatnonzero(tree.is_leaf)
    left, right = tree.left[inner], tree.right[inner]

    # counts are those of the rows that come by, and add up
    np.testing.assert_array_equal(tree.count, visits @ case.counts)
    np.testing.assert_array_equal(tree.count[inner], tree.count[left] + tree.count[right])
    assert tree.count[0] == case.counts.sum()

    # the limits hold
    assert tree.n_leaves <= limits.max_leaves
    assert tree.depth.max() <= limits.max_depth
    if tree.n_leaves > 1:
        assert tree.count[leaves].min() >= limits.min_count
        slack = case.rows.n * case.rows.fields.hessian_unit  # histograms round every row
        hessian = visits @ (case.counts * case.rows.derivatives[case.places, 1].astype(np.float64))
        assert hessian[leaves].min() >= limits.min_hessian - slack * case.counts.max()
    assert set(tree.feature[inner]) <= set(limits.features)

    # every split gains something, and the last ones at least what pruning asks for
    assert (tree.gain[inner] > 0).all()
    assert (tree.gain[inner] >= limits.least_gain).all()
    assert (tree.count[inner] >= limits.min_split).all()
    last = tree.is_leaf[left] & tree.is_leaf[right]
    assert (tree.gain[inner[last]] >= limits.min_gain).all()


@pytest.mark.kernels
@few(150, plain=25)
@given(data=st.data(), block=BLOCKS)
def test_values_minimise_the_objective_over_the_rows_of_the_leaf(set_block, data, block):
    set_block(block)
    case = data.draw(cases())
    grown = grow_cpu(case)
    tree, penalty, fields = grown.tree, case.limits.penalty, case.rows.fields
    visits = descend(tree, case, case.dataset.codes[:, case.places])
    sums = visits @ (case.counts[:, None] * case.rows.derivatives[case.places].astype(np.float64))
    gradient, hessian = sums[:, 0], sums[:, 1]
    if not case.limits.has_monotone:
        pull = np.sign(gradient) * np.maximum(np.abs(gradient) - penalty.l1, 0.0)
        value = -case.limits.learning_rate * pull / (hessian + penalty.l2)
        units = fields.fine_gradient_unit + np.abs(value) * fields.fine_hessian_unit
        rounding = (visits @ case.counts) * units / (hessian + penalty.l2)
        assert (np.abs(tree.value - value) <= rounding + 1e-8 * np.abs(value) + 1e-8).all()
    np.testing.assert_allclose(
        tree.cover, hessian, rtol=1e-9, atol=1e-12 + len(case.rows.keys) * fields.fine_hessian_unit
    )
    # the rows' scores are the values of their leaves, in the tree and by the segments
    leaves = np.flatnonzero(tree.is_leaf)
    np.testing.assert_array_equal(grown.scores[case.places], tree.value[leaves[visits[leaves].argmax(axis=0)]])


@pytest.mark.kernels
@few(80, plain=40)
@given(data=st.data())
def test_monotone(data):
    case = data.draw(cases(kinds=NUMBERS[:3]))
    n = case.dataset.n_columns
    directions = np.array(data.draw(st.lists(st.sampled_from((1, -1, 0)), min_size=n, max_size=n)))
    case.table.columns["monotone"][:] = directions
    case = type(case)(case.dataset, case.table, case.rows, case.limits._replace(has_monotone=True))
    tree = grow_cpu(case).tree
    leaves = np.flatnonzero(tree.is_leaf)
    for column, direction in enumerate(directions):
        n_bins = case.dataset.bins.n_bins[column]
        rows = case.dataset.codes[:, case.places[:20]]
        codes = np.repeat(rows, n_bins, axis=1)
        codes[column] = np.tile(np.arange(n_bins), rows.shape[1])  # each row with all the values there are
        visits = descend(tree, case, codes)
        value = tree.value[leaves[visits[leaves].argmax(axis=0)]].reshape(rows.shape[1], n_bins)
        assert (np.diff(value, axis=1) * direction >= 0).all()


@pytest.mark.kernels
@few(80, plain=40)
@given(data=st.data())
def test_columns_meet_on_a_path_only_within_a_group(data):
    case = data.draw(cases(kinds=("few", "many", "categories")))
    n_columns = case.dataset.n_columns
    wanted = data.draw(st.lists(st.sets(st.integers(0, n_columns - 1), min_size=1), min_size=1, max_size=4))
    groups = np.array([[column in group for column in range(n_columns)] for group in wanted], np.uint8)
    case = type(case)(case.dataset, case.table, case.rows, case.limits._replace(groups=groups))
    tree = grow_cpu(case).tree
    met = [set() for _ in range(tree.n_nodes)]
    for at in np.flatnonzero(~tree.is_leaf):
        met[at].add(int(tree.feature[at]))
        assert any(met[at] <= group for group in wanted)
        met[tree.left[at]] |= met[at]
        met[tree.right[at]] |= met[at]


@pytest.mark.kernels
@few(40, plain=20)
@given(data=st.data(), block=BLOCKS)
def test_repetition_is_weight(set_block, data, block):
    """A row that counts three times is three rows: the same tree."""
    set_block(block)
    random = np.random.RandomState(data.draw(st.integers(0, 1000)))
    n = data.draw(st.integers(2, 40))
    counts = random.randint(1, 4, n)
    columns = [draw_column(kind, n, random) for kind in ("few", "gaps", "categories")]
    derivatives = np.stack((random.randn(n), 0.5 + random.rand(n)), axis=1)
    limits = make_limits(3, min_count=data.draw(st.integers(1, 4)), best_first=data.draw(st.booleans()))
    kinds = [False, False, True]
    weighted = make_case(make_dataset(columns, kinds, counts), derivatives, limits, counts=counts)
    again = [np.repeat(column, counts) for column in columns]
    repeated = make_case(make_dataset(again, kinds), np.repeat(derivatives, counts, axis=0), limits)
    rows = repeated.rows._replace(fields=weighted.rows.fields, keys=np.repeat(weighted.rows.keys, counts))
    repeated = type(repeated)(repeated.dataset, repeated.table, rows, limits)
    one, other = grow_cpu(weighted).tree, grow_reference(repeated).tree
    for name in ("left", "feature", "threshold", "bits", "missing_left", "value", "gain", "count", "cover"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


# --- corners -----------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize("grow", [grow_cpu, grow_reference])
@pytest.mark.parametrize("rule", RULES_OF_ONE_LEAF)
def test_a_tree_of_one_leaf(grow, rule):
    dataset = make_dataset([np.arange(10.0)])
    case = make_case(dataset, np.stack((np.arange(10.0), np.ones(10)), axis=1), make_limits(1, **rule))
    tree = grow(case).tree
    assert tree.n_nodes == 1
    assert tree.count[0] == 10
    assert tree.cover[0] == 10.0
    assert tree.value[0] == -0.5 * 4.5


@pytest.mark.kernels
@pytest.mark.parametrize("grow", [grow_cpu, grow_reference])
def test_a_tree_without_gradients_does_not_split(grow):
    dataset = make_dataset([np.arange(10.0)])
    tree = grow(make_case(dataset, np.zeros((10, 2)), make_limits(1))).tree
    assert tree.n_nodes == 1
    assert tree.value[0] == 0.0


@pytest.mark.kernels
@pytest.mark.parametrize("grow", [grow_cpu, grow_reference])
@few(20, plain=10)
@given(st.integers(20, 300), st.floats(0.1, 1.0), st.floats(0.1, 1.0))
def test_rows_that_differ_by_rounding_alone_are_not_parted(set_block, grow, n, gradient, hessian):
    set_block(16383)
    random = np.random.RandomState(n)
    dataset = make_dataset([draw_column(kind, n, random) for kind in ("many", "few", "gaps")] + [np.arange(n)])
    derivatives, limits = np.full((n, 2), (gradient, hessian)), make_limits(4, min_count=3)
    case = make_case(dataset, derivatives, limits, coarse=16383)
    assert case.rows.fields.dither
    assert grow(case).tree.n_nodes == 1
    derivatives[: n // 2, 0] *= 0.9
    assert grow(make_case(dataset, derivatives, limits, coarse=16383)).tree.feature[0] == 3


@pytest.mark.kernels
@pytest.mark.parametrize("grow", [grow_cpu, grow_reference])
def test_best_first_and_level_wise_differ_in_their_order(grow):
    """Four steps of unequal size: with three leaves, the larger gain comes first or the older node."""
    x = np.arange(40.0)
    gradient = np.select([x < 10, x < 20, x < 30], [0.0, 1.0, 20.0], 40.0)
    found = {}
    for best_first in (True, False):
        limits = make_limits(1, max_leaves=3, best_first=best_first, penalty=Penalty(0.0, 0.0), max_depth=NO_LIMIT)
        case = make_case(make_dataset([x]), np.stack((gradient, np.ones(40)), axis=1), limits)
        found[best_first] = grow(case).tree.threshold
    np.testing.assert_array_equal(found[True], [19.5, -2.0, 29.5, -2.0, -2.0])
    np.testing.assert_array_equal(found[False], [19.5, 9.5, -2.0, -2.0, -2.0])


@pytest.mark.kernels
@pytest.mark.parametrize("grow", [grow_cpu, grow_reference])
def test_pruning_goes_from_the_leaves_up(grow):
    """The first split gains nothing to speak of, but those below it do: exclusive or."""
    x, z = np.repeat([0.0, 1.0], 20), np.tile([0.0, 1.0], 20)
    gradient = np.where(x == z, 1.0, -1.0) + 0.01 * x
    columns = make_dataset([x, z])
    whole = make_case(columns, np.stack((gradient, np.ones(40)), axis=1), make_limits(2, min_gain=1.0, max_leaves=4))
    tree = grow(whole).tree
    assert tree.n_leaves == 4
    assert tree.gain[0] < 1.0
    above = make_case(columns, np.stack((gradient, np.ones(40)), axis=1), make_limits(2, min_gain=1.0, max_leaves=2))
    assert grow(above).tree.n_leaves == 1
