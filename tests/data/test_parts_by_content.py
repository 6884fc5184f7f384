"""Rows chosen by what they hold: neither their order nor the way repetitions are written matters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.data.holdout import parts_by_content
from spinney.data.row_hash import hashes_of_keys
from spinney.data.weights import Weights

SHARES = {"kept_share": 0.85, "held_share": 0.15}


def _parts(keys, y, counts=None, is_classes=True, seed=0, n_folds=1, **shares):
    hashes = hashes_of_keys(seed, keys, y)
    return parts_by_content(hashes, y, Weights(counts, None), is_classes, n_folds, **(shares or SHARES))


@st.composite
def tables(draw):
    n = draw(st.integers(1, 60))
    keys = np.array(draw(st.lists(st.integers(0, 30), min_size=n, max_size=n)), np.uint32)
    y = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.float64)
    counts = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), np.int64)
    counts[0] = max(counts[0], 1)
    return keys, y, counts


@settings(max_examples=60, deadline=None, derandomize=True)
@given(tables(), st.booleans(), st.sampled_from([1, 3, 5]), st.integers(0, 3))
def test_order_and_repetitions_do_not_matter(table, is_classes, n_folds, seed):
    keys, y, counts = table
    options = {"is_classes": is_classes, "n_folds": n_folds, "seed": seed}
    weighted = _parts(keys, y, counts, **options)
    row = np.repeat(np.arange(len(y)), counts)
    shuffled = np.random.default_rng(seed).permutation(len(row))
    repeated = _parts(keys[row[shuffled]], y[row[shuffled]], **options)
    for one, other in zip(weighted, repeated, strict=True):
        for part, others in zip(one, other, strict=True):
            assert np.bincount(part.counts, minlength=1)[0] == 0
            alike = sorted(zip(keys[part.rows].repeat(part.counts), y[part.rows].repeat(part.counts), strict=True))
            rows = row[shuffled[others.rows]]
            assert alike == sorted(zip(keys[rows], y[rows], strict=True))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(tables(), st.booleans(), st.sampled_from([1, 3, 5]), st.integers(0, 3))
def test_rows_that_are_alike_but_count_differently_are_in_one_order(table, is_classes, n_folds, seed):
    """A tree counts rows, so that it matters which of two such rows is cut in two."""
    keys, y, counts = table
    shuffled = np.random.default_rng(seed).permutation(len(y))
    options = {"is_classes": is_classes, "n_folds": n_folds, "seed": seed}
    one, other = _parts(keys, y, counts, **options), _parts(keys[shuffled], y[shuffled], counts[shuffled], **options)
    for parts, others in zip(one, other, strict=True):
        for own, rows in zip(parts, others, strict=True):
            there = shuffled[rows.rows]
            found = sorted(zip(keys[there], y[there], rows.counts, strict=True))
            assert found == sorted(zip(keys[own.rows], y[own.rows], own.counts, strict=True))


@pytest.mark.parametrize("is_classes", [True, False])
def test_shares_are_kept(is_classes):
    r = np.random.default_rng(0)
    y = (r.random(4_000) < 0.1).astype(float) if is_classes else r.normal(size=4_000)
    keys = r.integers(0, 2**32, 4_000, dtype=np.uint32)
    (((kept, *_), (held, *_)),) = _parts(keys, y, is_classes=is_classes)
    assert len(kept) + len(held) == 4_000
    assert not set(kept) & set(held)
    assert len(held) == pytest.approx(600, abs=12)
    assert y[held].mean() == pytest.approx(y.mean(), abs=0.01 if is_classes else 0.05)
    (((kept, *_), (held, *_)),) = _parts(keys, y, is_classes=is_classes, kept_share=0.25, held_share=0.05)
    assert (len(kept), len(held)) == (pytest.approx(1_000, abs=12), pytest.approx(200, abs=12))


def test_folds_are_held_out_once_each_and_other_seeds_hold_out_other_rows():
    r = np.random.default_rng(0)
    y, keys = r.normal(size=1_000), r.integers(0, 2**32, 1_000, dtype=np.uint32)
    folds = _parts(keys, y, is_classes=False, n_folds=5)
    assert sorted(np.concatenate([held.rows for _, held in folds])) == list(range(1_000))
    others = _parts(keys, y, is_classes=False, n_folds=5, seed=1)
    assert set(folds[0][1].rows) != set(others[0][1].rows)


def test_a_class_of_one_row_is_not_all_held_out():
    y = np.array([0.0] * 99 + [1.0])
    keys = np.arange(100, dtype=np.uint32)
    for seed in range(20):
        (((kept, _), _),) = _parts(keys, y, seed=seed)
        assert 99 in kept


def test_rows_that_are_alike_are_shared_out():
    keys, y = np.zeros(100, np.uint32), np.zeros(100)
    folds = _parts(keys, y, n_folds=5)
    assert [len(held.rows) for _, held in folds] == [20] * 5
    weighted = _parts(keys[:1], y[:1], np.array([100]), n_folds=5)
    assert [(kept.counts.tolist(), held.counts.tolist()) for kept, held in weighted] == [([80], [20])] * 5


@pytest.mark.parametrize("n_folds", [1, 3, 5])
def test_no_part_is_empty_where_every_class_has_a_row_or_two(n_folds):
    for size in (1, 2):
        y = np.arange(60) // size
        for kept, held in _parts(np.arange(60, dtype=np.uint32), y.astype(float), n_folds=n_folds):
            assert len(kept.rows)
            assert len(held.rows)
