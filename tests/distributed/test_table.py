"""Schema, bins and codes of partitions are those of the concatenated table."""

import numpy as np
import pandas as pd
import pytest

from spinney._team import Team
from spinney.data import encode as binning
from spinney.data.remote_table import is_dask, is_remote
from spinney.data.schema import learn_and_read
from spinney.distributed.collections import find_client, vector_here
from spinney.distributed.dataset import share_out
from spinney.distributed.table import DaskTable
from tests.distributed.remains import addresses

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")


def mixed(n=700, seed=0):
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "small": rng.randint(0, 5, n).astype(np.int8),
            "flag": rng.rand(n) < 0.5,
            "city": rng.choice(["Köln", "Bonn", "Aachen", "Ulm"], n),
            "kind": pd.Categorical(rng.choice(["x", "y", "z"], n), categories=["z", "never", "y", "x"]),
            "many": [f"v{k}" for k in rng.zipf(1.5, n) % 400],
        }
    )
    frame.loc[rng.rand(n) < 0.1, ["number", "city"]] = None
    return frame


def same_schema(found, wanted):
    assert found == wanted
    assert [[type(v) for v in c.categories or ()] for c in found.columns] == [
        [type(v) for v in c.categories or ()] for c in wanted.columns
    ]


def same_bins(found, wanted):
    for j in range(wanted.n_columns):
        assert np.array_equal(found.edges[j], wanted.edges[j]), j
        assert np.array_equal(found.category_codes[j], wanted.category_codes[j]), j
    assert np.array_equal(found.n_bins, wanted.n_bins)
    assert np.array_equal(found.is_categorical, wanted.is_categorical)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sample", [100, 200_000])
def test_frames(client, monkeypatch, weighted, sample):
    monkeypatch.setattr(binning, "_SAMPLE", sample)
    frame = mixed()
    counts = np.random.RandomState(1).randint(0, 4, len(frame)) if weighted else None
    parts = [frame[:1], frame[1:300], frame[300:300], frame[300:650], frame[650:]]
    remote = DaskTable(dd.from_delayed([client.submit(lambda x: x, one) for one in parts], meta=frame[:0]))
    schema, rows = remote.learn("from_dtype", "Model")
    with Team(1, inline=True) as team:
        wanted, table = learn_and_read(frame, "from_dtype", "Model")
        local = table.open_dataset(wanted.is_categorical, counts, 255, team)
        dataset = rows.open_dataset(schema.is_categorical, counts, 255, team)
        same_schema(schema, wanted)
        same_bins(dataset.bins, local.bins)
        assert np.array_equal(dataset.codes.all(), local.codes)
        for one, other in zip(dataset.layout, local.layout):
            assert np.array_equal(one, other)
        some = np.random.RandomState(2).permutation(len(frame))[:90]
        assert np.array_equal(dataset.codes.take(some), local.codes[:, some])
        kept = np.sort(some)
        assert np.array_equal(dataset.take(kept).row_keys(team), local.take(kept).row_keys(team))
    shares = share_out(client, dataset.take(kept).pieces(), addresses(client))
    pieces = sorted((piece.begin, piece.n_rows) for own in shares.values() for piece in own)
    assert [begin for begin, _ in pieces] == np.cumsum([0, *(n for _, n in pieces)])[:-1].tolist()
    assert sum(n for _, n in pieces) == 90


def test_arrays_and_numbers_as_categories(client):
    values = np.random.RandomState(0).randint(0, 9, (300, 3)).astype(np.float32)
    values[::7, 1] = np.nan
    remote = DaskTable(da.from_array(values, chunks=(77, 2)))
    schema, rows = remote.learn([1], "Model")
    with Team(1, inline=True) as team:
        wanted, table = learn_and_read(values, [1], "Model")
        local = table.open_dataset(wanted.is_categorical, None, 4, team)
        same_schema(schema, wanted)
        dataset = rows.open_dataset(schema.is_categorical, None, 4, team)
        same_bins(dataset.bins, local.bins)
        remote = DaskTable(da.from_array(values, chunks=(77, 2)))
        assert np.array_equal(remote.read(schema, "Model", False).encode(local.bins, team), local.codes)


def test_unknown_sizes(client):
    frame = mixed()
    collection = dd.from_pandas(frame, npartitions=4)
    array = collection[["number"]].values
    assert np.isnan(array.shape[0])
    remote = DaskTable(array)
    schema, rows = remote.learn(None, "Model")
    assert rows.n_rows == len(remote) == len(frame)


def test_errors(client):
    frame = mixed()
    with pytest.raises(TypeError, match="X must be a dask DataFrame or a dask Array of two dimensions, got Series"):
        DaskTable(dd.from_pandas(frame, npartitions=2)["number"])
    with pytest.raises(ValueError, match="X has no rows"):
        DaskTable(dd.from_pandas(frame, npartitions=2).query("number > 1000")).learn("from_dtype", "Model")
    remote = DaskTable(dd.from_pandas(frame, npartitions=2))
    schema, rows = remote.learn("from_dtype", "Model")
    with Team(1) as team, pytest.raises(ValueError, match="max_bins=None sorts all values"):
        rows.open_dataset(schema.is_categorical, None, None, team)
    with pytest.raises(ValueError, match="X has 6 features, but Model is expecting 1 features"):
        remote.read(learn_and_read(frame[["number"]])[0], "Model", False)
    with pytest.raises(TypeError, match="y must be a dask Series or Array, or local data, got Delayed"):
        vector_here(client.persist(dd.from_pandas(frame, npartitions=2)).to_delayed()[0], "y")
    mixture = [pd.DataFrame({"a": pd.Series(one, dtype=object)}) for one in (["x"], [1.5])]
    with dask.config.set({"dataframe.convert-string": False}):
        remote = DaskTable(dd.from_delayed([client.submit(lambda x: x, one) for one in mixture], meta=mixture[0][:0]))
    with pytest.raises(TypeError, match="Column 'a' of X holds strings in some partitions"):
        remote.learn(["a"], "Model")


def test_sparse_chunks_are_refused(client):
    from scipy.sparse import csr_matrix

    chunks = da.from_array(np.eye(6), chunks=3).map_blocks(csr_matrix)
    with pytest.raises(TypeError, match="The chunks of X are sparse"):
        DaskTable(chunks).learn(None, "Model")


def test_what_is_a_collection(client):
    frame = mixed()
    assert is_dask(dd.from_pandas(frame, npartitions=2))
    assert not is_dask(frame)
    assert is_remote(frame, da.zeros(3))
    assert not is_remote(frame, None)
    assert vector_here(None, "y") is None
    assert vector_here(da.arange(4, chunks=2), "y").tolist() == [0, 1, 2, 3]
    assert find_client() is client
