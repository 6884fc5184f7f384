"""The twin in plain Python is right by hand, and the kernels grow its trees."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiled import few
from tests.grow.cases import CATEGORIES, NUMBERS, Case, cases, grow_cpu
from tests.oracles import boosted_tree as twin
from tests.oracles.boosting_batches import quantise

WHOLE = twin.Units(1.0, 2.0**-10, 1.0, 1.0)


def rows_of(codes, gradients, counts=None) -> list[twin.Row]:
    """Rows of one column and of hessian 1."""
    counts = [1] * len(codes) if counts is None else counts
    return [twin.Row([c], g * n, n << 10, n, g * n, n) for c, g, n in zip(codes, gradients, counts)]


def test_a_tree_by_hand():
    """Codes 0 and 1 from 2 first, then 0 from 1; 3 is missing and goes to more rows."""
    rows = rows_of([0, 1, 2, 2], [-40, -20, 90, 90])
    columns = twin.Columns([3], [False])
    nodes = twin.grow(rows, columns, WHOLE, twin.Rules(features=(0,), learning_rate=0.5))
    assert [node.split.code if node.children else None for node in nodes] == [1, 0, None, None, None]
    assert nodes[0].split.gain == pytest.approx(60**2 / 2 + 180**2 / 2 - 120**2 / 4)
    assert [node.value for node in nodes] == [-15.0, 15.0, -45.0, 20.0, 10.0]
    assert not nodes[0].split.missing_left  # as many on both sides
    stump = twin.grow(rows, columns, WHOLE, twin.Rules(features=(0,), max_leaves=2))
    assert [node.value for node in stump] == [-30.0, 30.0, -90.0]
    assert len(twin.grow(rows, columns, WHOLE, twin.Rules(features=(0,), min_gain=201.0))) == 3  # the second gains 200
    assert len(twin.grow(rows, columns, WHOLE, twin.Rules(features=(0,), min_count=3))) == 1


def test_categories_by_hand():
    """In the order of their gradients 1, 2, 0; the rare ones, 4 and what nobody has seen, go together."""
    rows = rows_of([0, 0, 1, 1, 2, 2, 4], [90, 90, -90, -90, 10, 10, 20])
    columns, rules = twin.Columns([5], [True]), twin.Rules(features=(0,), category_count=2, max_leaves=2)
    split = twin.grow(rows, columns, WHOLE, rules)[0].split
    assert {0, 1, 2} & split.left_codes == {1}
    rules = rules._replace(category_count=1)
    split = twin.grow(rows, columns, WHOLE, rules)[0].split
    assert split.left_codes == {1}


# --- the kernels ----------------------------------------------------------------------------------------------------


def simple(case: Case) -> Case:
    """The case without what the twin does not know."""
    case.table.columns["monotone"][:] = 0
    free = np.zeros((0, case.dataset.n_columns), np.uint8)
    rules = case.limits._replace(has_monotone=False, groups=free, node_features=len(case.limits.features))
    return replace(case, limits=rules)


def grow_twin(case: Case) -> list[twin.Node]:
    fields, limits, codes = case.rows.fields, case.limits, case.dataset.codes[:, case.places]
    scales = np.array([fields.fine_gradient_scale, fields.fine_hessian_scale])
    fine = np.floor(case.rows.derivatives[case.places].astype(np.float64) * scales + 0.5).astype(np.int64)
    numbers = np.column_stack([quantise(case.rows, case.places), fine * case.counts[:, None]]).tolist()
    rows = [twin.Row(mine, *five) for mine, five in zip(codes.T.tolist(), numbers)]
    columns = case.table.columns
    units = (fields.gradient_unit, fields.hessian_unit, fields.fine_gradient_unit, fields.fine_hessian_unit)
    rules = twin.Rules(
        **{name: getattr(limits, name) for name in twin.Rules._fields if hasattr(limits, name)}
        | dict(zip(("l1", "l2", "category_l1", "category_l2"), limits.penalty + limits.category_penalty))
        | {"features": tuple(limits.features.tolist())}
    )
    there = twin.Columns(columns["n_bins"].tolist(), columns["is_categorical"].astype(bool).tolist())
    return twin.grow(rows, there, twin.Units(*units, fields.coarseness), rules)


def preorder(node: twin.Node) -> list[twin.Node]:
    return [node, *(below for child in node.children or () for below in preorder(child))]


def as_arrays(nodes: list[twin.Node]) -> dict[str, list]:
    """The fields of a frozen tree."""
    number = {id(node): k for k, node in enumerate(nodes)}
    splits = [node.split if node.children else None for node in nodes]
    return {
        "left": [number[id(node.children[0])] if node.children else -1 for node in nodes],
        "feature": [split.feature if split else -1 for split in splits],
        "code": [split.code if split else 0 for split in splits],
        "missing_left": [bool(split and split.missing_left) for split in splits],
        "gain": [split.gain if split else 0.0 for split in splits],
        "value": [node.value for node in nodes],
        "count": [node.sum("count") for node in nodes],
    }


def check(case: Case) -> None:
    case = simple(case)
    tree, nodes = grow_cpu(case).tree, preorder(grow_twin(case)[0])
    for name, expected in as_arrays(nodes).items():
        np.testing.assert_array_equal(getattr(tree, name), expected, err_msg=name)
    for k in np.flatnonzero(tree.is_category):
        in_set = np.flatnonzero(np.unpackbits(tree.bits[k].view(np.uint8), bitorder="little"))
        assert set(in_set.tolist()) == nodes[k].split.left_codes


@few(60, plain=6)
@pytest.mark.kernels
@given(cases(NUMBERS, most_rows=45))
def test_numbers(case):
    check(case)


@few(60, plain=6)
@pytest.mark.kernels
@given(cases(NUMBERS + CATEGORIES, most_rows=45))
def test_numbers_and_categories(case):
    check(case)


@few(20, plain=3)
@pytest.mark.kernels
@given(case=cases(NUMBERS, most_rows=45), leaves=st.integers(2, 9), best_first=st.booleans())
def test_trees_of_few_leaves(case, leaves, best_first):
    limits = case.limits._replace(max_leaves=leaves, best_first=best_first, max_depth=1 << 30, min_count=1)
    check(replace(case, limits=limits))
