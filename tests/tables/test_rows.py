"""Rows by what they hold."""

import numpy as np
import polars as pl

from spinney.tables.recipe import Sketch, find_copies, hash_rows


def table(n, seed=0):
    rng = np.random.RandomState(seed)
    X = pl.DataFrame(
        {"a": rng.normal(size=n), "b": rng.randint(0, 99, n), "c": rng.choice(["u", "v", None], n).tolist()}
    )
    return X, rng.choice(["yes", "no"], n).astype(object)


def test_hashes_depend_on_what_rows_hold_alone():
    X, y = table(200)
    found = hash_rows(X, y)
    assert len(np.unique(found)) == 200
    order = np.random.RandomState(1).permutation(200)
    assert (hash_rows(X[order], y[order]) == found[order]).all()
    other = X.with_columns(pl.col("b").cast(pl.Float32), pl.col("c").cast(pl.Categorical))
    assert (hash_rows(other, y) == found).all()
    assert (hash_rows(X[50:60], y[50:60]) == found[50:60]).all()
    assert (hash_rows(X, np.where(y == "yes", "no", "yes").astype(object)) != found).all()
    zeros = [hash_rows(pl.DataFrame({"a": [one]}), np.array([1.0]))[0] for one in (0.0, -0.0, 1.0, None, float("nan"))]
    assert (zeros[0] == zeros[1], zeros[3] == zeros[4]) == (True, True)
    assert len(set(zeros)) == 3


def test_copies():
    X, y = table(200)
    assert find_copies(X, hash_rows(X, y)) is None
    five, labels = pl.concat([X] * 5), np.tile(y, 5)
    found = find_copies(five, hash_rows(five, labels))
    assert found.n == 800
    assert (found.of.reshape(5, -1) == found.of[:200]).all()
    few = five.select("c")  # of three words: rows are alike by chance
    assert find_copies(few, hash_rows(few, labels)) is None


def test_a_sketch_knows_its_rows():
    for n in (300, 20_000):
        X, y = table(n)
        hashes = hash_rows(X, y)
        sketch = Sketch.from_dict(Sketch.of(hashes).to_dict())
        assert sketch.share_of(hashes[::-1]) == 1.0
        assert sketch.share_of(hash_rows(*table(n, seed=5))) < 0.01
        assert abs(sketch.share_of(np.append(hashes[: n // 2], hash_rows(*table(n // 2, seed=5)))) - 0.5) < 0.1
        assert len(sketch.to_dict()["least"]) < 3000
    assert np.isnan(sketch.share_of(np.array([], np.uint64)))
