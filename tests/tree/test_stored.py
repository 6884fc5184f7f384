"""Arrays of a store in fewer bytes: the same bits come back."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spinney
from spinney.tree.forest import Forest, restored, shortened

KINDS = ["sums", "odd", "minus", "nan"]
NAMES = [one.name for one in fields(Forest)[4:]]


def arrays_of(forest):
    return {name: getattr(forest, name) for name in NAMES}


def check(arrays):
    found = restored(shortened(arrays))
    assert list(found) == list(arrays)
    for name, one in arrays.items():
        assert found[name].dtype == one.dtype, name
        assert found[name].tobytes() == one.tobytes(), name


def fitted(**params):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    weight = params.pop("weight", None)
    return spinney.RandomForestRegressor(3, random_state=0, **params).fit(X, X[:, 0] ** 3, sample_weight=weight).forest_


def test_a_forest_of_pure_leaves():
    arrays = arrays_of(fitted())
    short = shortened(arrays)
    n_leaves = (arrays["size"] == 1).sum()
    assert short["weight"].dtype == short["n_samples"].dtype == np.uint8
    assert len(short["weight"]) == n_leaves
    assert len(short["impurity"]) == len(arrays["size"]) - n_leaves
    check(arrays)


@pytest.mark.parametrize(
    "params",
    [
        {"min_samples_leaf": 5},
        {"weight": np.linspace(0.1, 3, 80)},
        {"weight": np.arange(80) % 3},
        {"min_samples_split": 1000},  # roots alone: impurities of no questions would be those of no nodes
        {"bootstrap": False},
    ],
    ids=str,
)
def test_other_forests(params):
    arrays = arrays_of(fitted(**params))
    check(arrays)
    short = shortened(arrays)
    if "min_samples_leaf" in params or "min_samples_split" in params:
        assert short["impurity"] is arrays["impurity"]


def draw_sizes(rng, n):
    """Sizes of a random tree's nodes in preorder."""
    if n < 3:
        return [1]
    left = draw_sizes(rng, int(rng.integers(1, n - 1)))
    right = draw_sizes(rng, n - 1 - len(left))
    return [1 + len(left) + len(right), *left, *right]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(0, 10**6), st.sampled_from([2, 300, 70_000, 2**23]), st.sampled_from(["sums", "odd", "minus", "nan"])
)
def test_drawn_weights(seed, most, kind):
    """Sums that float32 cannot hold, signs of zeros and what are no sums are kept as they are."""
    rng = np.random.default_rng(seed)
    size = np.array(draw_sizes(rng, 30), np.uint16)
    weight = np.zeros(len(size), np.float32)
    weight[size == 1] = rng.integers(0, most, (size == 1).sum())
    for k in range(len(size)):
        below = slice(k, k + int(size[k]))
        weight[k] = weight[below][size[below] == 1].sum(dtype=np.float64)
    at = int(rng.integers(0, len(size)))
    weight[at] = {"sums": weight[at], "odd": weight[at] + 0.5, "minus": -weight[at], "nan": np.nan}[kind]
    impurity = np.where(size == 1, 0.0, rng.random(len(size)))
    impurity[at] = {"sums": impurity[at], "odd": 0.25, "minus": -0.0, "nan": np.nan}[kind]
    counts = rng.integers(0, most, (size == 1).sum()).astype(np.uint32)
    check({"size": size, "n_samples": counts, "weight": weight, "impurity": impurity})


def test_no_trees():
    nothing = {"size": np.empty(0, np.uint16), "n_samples": np.empty(0, np.uint32)}
    check(nothing | {"weight": np.empty(0, np.float32), "impurity": np.empty(0)})


@pytest.mark.parametrize("size", [[3, 1, 1], [3, 1, 9], [9, 0, 1]])
def test_what_cannot_be_a_store_is_left_to_the_audit(size):
    kept = {"size": np.array(size, np.uint16), "n_samples": np.zeros(2, np.uint8), "impurity": np.empty(0)}
    for n in range(5):
        weight = restored(kept | {"weight": np.ones(n, np.uint8)})["weight"]
        is_known = n == size.count(1)
        assert weight.dtype == (np.float32 if is_known else np.uint8)
        assert len(weight) == (3 if is_known else n)
