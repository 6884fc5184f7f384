"""Tables opened from files: the same bins, codes and models as from the table in memory; errors that name the place."""

import gzip
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import sklearn.base

import spinney
from spinney import (
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    KMeans,
    RandomForestClassifier,
    RandomForestRegressor,
    boosting_cv,
    open_table,
)
from spinney._team import Team
from spinney.data import encode as binning
from spinney.data.files import batches as batch_files
from spinney.data.files import batches as batches_module
from spinney.data.files import csv as text_batches
from spinney.data.files import streamed, streamed_rows
from spinney.data.files.batches import Batch, FileBatches, PendingBatch, SpilledBatches, read_ahead
from spinney.evaluate import cross_validate

N = 1200


@pytest.fixture(scope="module")
def frame():
    """Numbers, a Boolean, strings, missing values, two targets and weights."""
    rng = np.random.default_rng(0)
    a, b = (np.round(64 * rng.standard_normal(N)) / 64).astype(np.float32), rng.integers(0, 9, N)  # short as text
    words = np.array(["red", "green", "blue", "grey"])[rng.integers(0, 4, N)]
    y = a + (words == "red") + 0.1 * b + rng.standard_normal(N) / 4
    c = np.where(rng.random(N) < 0.2, np.nan, rng.exponential(size=N))
    table = {
        "a": a, "b": b, "c": c, "word": [None if k % 17 == 0 else str(w) for k, w in enumerate(words)],
        "flag": rng.random(N) < 0.3, "w": rng.integers(0, 4, N), "y": y, "kind": np.where(y > 1, "high", "low"),
    }  # fmt: skip
    return pl.DataFrame(table)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("parts")
    for k in range(3):
        frame.slice(400 * k, 400).write_parquet(path / f"part-{k}.parquet", row_group_size=150)
    return path


def features(frame, *others):
    return frame.drop("y", "kind", "w", *others)


def open_y(folder, **more):
    return open_table(folder / "*.parquet", target="y", drop=["kind", "w"], **more)


@pytest.fixture
def small_sample(monkeypatch):
    """Bins from a sample, and cells, for small tables, too."""
    monkeypatch.setattr(binning, "_SAMPLE", 300)
    monkeypatch.setattr(binning, "_MANY", 100)


@pytest.mark.parametrize("max_bins", [255, 3])
def test_bins_and_codes_are_those_of_the_table_in_memory(frame, folder, small_sample, max_bins):
    counts = np.random.default_rng(1).integers(0, 3, N)
    table = open_y(folder)
    with Team(1) as team:
        for how_often in (None, counts):
            schema, rows = table.learn("from_dtype", "a test")
            own_schema, own = spinney.data.schema.learn_and_read(features(frame))
            assert schema == own_schema
            bins = rows.bins(schema.is_categorical, how_often, max_bins, team)
            wanted = binning.learn_bins(own, schema.is_categorical, how_often, max_bins, team)
            for found, known in zip((*bins.edges, *bins.category_codes), (*wanted.edges, *wanted.category_codes)):
                np.testing.assert_array_equal(found, known)
            np.testing.assert_array_equal(bins.n_bins, wanted.n_bins)
            np.testing.assert_array_equal(rows.codes(bins, team), wanted.encode(own, team))
            np.testing.assert_array_equal(rows.codes(bins, team, 7, 99), wanted.encode(own, team, 7, 99))


FITS = {
    "squared": (GradientBoostingRegressor, {}),
    "absolute, stopped": (GradientBoostingRegressor, {"loss": "absolute_error", "early_stopping": True}),
    "drawn": (GradientBoostingRegressor, {"subsample": 0.5, "max_features": 0.5}),
    "forest": (RandomForestRegressor, {"max_depth": 4}),
}


@pytest.mark.parametrize("name", FITS)
def test_a_fit_is_that_of_the_table_in_memory(frame, folder, name):
    kind, parameters = FITS[name]
    table, X, y = open_y(folder), features(frame), frame["y"].to_numpy()
    model = kind(n_estimators=3, random_state=0, **parameters).fit(table)
    same = kind(n_estimators=3, random_state=0, **parameters).fit(X, y)
    assert model.fingerprint_ == same.fingerprint_
    np.testing.assert_array_equal(model.predict(table), same.predict(X))
    weighted = open_table(folder, target="y", sample_weight="w", drop=["kind"])
    model = kind(n_estimators=3, random_state=0, **parameters).fit(weighted)
    same = kind(n_estimators=3, random_state=0, **parameters).fit(X, y, frame["w"].to_numpy())
    assert model.fingerprint_ == same.fingerprint_


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, ExtraTreesClassifier])
def test_classes_are_text_and_all_answers_come_batch_by_batch(frame, folder, kind):
    table = open_table(folder, target="kind", drop=["y", "w"])
    X, y = features(frame), frame["kind"].to_numpy()
    model, same = (kind(n_estimators=3, random_state=0) for _ in range(2))
    model.fit(table)
    same.fit(X, y)
    assert model.fingerprint_ == same.fingerprint_
    assert model.classes_.tolist() == ["high", "low"]
    for method in ("predict", "predict_proba", "apply"):
        np.testing.assert_array_equal(getattr(model, method)(table), getattr(same, method)(X))
    assert model.score(table, table.y) == same.score(X, y)


def test_offsets_go_to_the_rows_of_their_batch(frame, folder):
    table, X, offset = open_y(folder), features(frame), np.linspace(0.0, 1.0, N)
    model = GradientBoostingRegressor(n_estimators=2).fit(table, init_score=offset)
    np.testing.assert_array_equal(model.predict(table, init_score=offset), model.predict(X, init_score=offset))


def test_evaluation_sets_and_chosen_categories(frame, folder):
    table, X, y = open_y(folder), features(frame), frame["y"].to_numpy()
    models = [
        GradientBoostingRegressor(n_estimators=3, categorical_features=["b", "word"], random_state=0).fit(
            *given, eval_set=(given[0], y)
        )
        for given in ((table, y), (X, y))
    ]
    assert models[0].fingerprint_ == models[1].fingerprint_
    assert models[0].evals_result_ == models[1].evals_result_
    assert models[0]._schema == models[1]._schema


def test_cross_validation(frame, folder):
    table, X, y = open_y(folder), features(frame), frame["y"].to_numpy()
    model = GradientBoostingRegressor(n_estimators=3, random_state=0)
    found, wanted = cross_validate(model, table, cv=3), cross_validate(model, X, y, cv=3)
    np.testing.assert_array_equal(found["test_score"], wanted["test_score"])
    ours, known = boosting_cv(model, table, cv=3), boosting_cv(model, X, y, cv=3)
    np.testing.assert_array_equal(ours.mean(), known.mean())
    forest = RandomForestRegressor(n_estimators=2, max_depth=3, random_state=0)
    found, wanted = cross_validate(forest, table, cv=3), cross_validate(forest, X, y, cv=3)
    np.testing.assert_array_equal(found["test_score"], wanted["test_score"])
    rows = np.array([7, 3, 1199, 3, 400])
    np.testing.assert_array_equal(forest.fit(table).predict(table.take(rows)), forest.predict(X[rows]))
    with pytest.raises(TypeError, match="KMeans needs the values of X in memory"):
        cross_validate(KMeans(2), table, scoring=lambda *given: 0.0)


def test_models_that_need_values_say_so(folder):
    table = open_y(folder)
    for model in (DecisionTreeRegressor(), spinney.BaggingRegressor(), spinney.AutoRegressor()):
        with pytest.raises(TypeError, match=r"needs the values of X in memory.*collect"):
            model.fit(table, table.y)
    with pytest.raises(TypeError, match="needs the values of X in memory"):
        GradientBoostingRegressor(max_bins=None).fit(table)
    assert len(table.collect()) == N
    assert repr(table) == "StreamedTable(5 columns, codes in memory)"


def test_every_kind_of_batches(frame, folder, tmp_path):
    X, y = features(frame, "word"), frame["y"].to_numpy()
    wanted = GradientBoostingRegressor(n_estimators=2).fit(X, y).fingerprint_
    picked = frame.drop("kind", "w", "word")
    pieces = [picked.slice(k, 250) for k in range(0, N, 250)]
    picked.write_ipc(tmp_path / "all.arrow")
    picked.write_csv(tmp_path / "all.csv")
    picked.write_csv(tmp_path / "all.tsv", separator="\t")
    sources = [
        picked.lazy().filter(pl.col("b") >= 0),
        lambda: pieces,
        (piece.to_pandas() for piece in pieces),
        [piece.to_arrow() for piece in pieces],
        picked,
        tmp_path / "all.arrow",
        tmp_path / "all.csv",
        tmp_path / "all.tsv",
    ]
    for source in sources:
        table = open_table(source, target="y")
        assert table.shape == (N, 4)
        assert GradientBoostingRegressor(n_estimators=2).fit(table).fingerprint_ == wanted, source
    array = picked.to_numpy()
    table = open_table(lambda: np.split(array, 3), target=4)
    assert GradientBoostingRegressor(n_estimators=2).fit(table).fingerprint_ == wanted


def test_without_polars_pyarrow_reads_and_the_other_way(frame, folder, tmp_path, monkeypatch):
    wanted = GradientBoostingRegressor(n_estimators=2).fit(features(frame), frame["y"].to_numpy()).fingerprint_
    frame.write_ipc(tmp_path / "all.arrow")
    frame.write_csv(tmp_path / "all.csv")
    for hidden in ("polars", "pyarrow"):
        for module in (batch_files, text_batches):
            monkeypatch.setattr(module, "find_spec", lambda name, hidden=hidden: None if name == hidden else True)
        for source in (folder, tmp_path / "all.arrow", tmp_path / "all.csv"):
            table = open_table(source, target="y", drop=["kind", "w"])
            assert GradientBoostingRegressor(n_estimators=2).fit(table).fingerprint_ == wanted
    for module in (batch_files, text_batches):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="polars or pyarrow"):
        open_table(folder)


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_forests_judge_rows_by_codes(frame, folder, kind):
    """Rows out of bag, and targets by leaf, need no values: a code's stand-in goes where all its values go."""
    y = frame["y"].to_numpy() if kind is RandomForestRegressor else (frame["y"] > 0).cast(pl.String).to_numpy()
    more = {"keep_targets": True} if kind is RandomForestRegressor else {"class_weight": "balanced"}
    model = kind(n_estimators=12, oob_score=True, random_state=0, max_bins=20, **more)
    own = sklearn.base.clone(model).fit(features(frame), y)
    opened = model.fit(open_y(folder), y)
    assert opened.fingerprint_ == own.fingerprint_
    assert opened.oob_score_ == own.oob_score_
    if kind is RandomForestRegressor:
        assert np.array_equal(opened.oob_prediction_, own.oob_prediction_, equal_nan=True)
        rows = features(frame)[:50]
        assert np.array_equal(opened.predict_quantiles(rows, [0.1, 0.9]), own.predict_quantiles(rows, [0.1, 0.9]))
    else:
        assert np.array_equal(opened.oob_decision_function_, own.oob_decision_function_, equal_nan=True)


# --- the cache --------------------------------------------------------------------------------------------------------


def test_a_cache_is_used_and_follows_the_files(frame, folder, tmp_path, monkeypatch):
    model = GradientBoostingRegressor(n_estimators=2)
    wanted = model.fit(open_y(folder, cache=tmp_path)).fingerprint_
    kept = sorted(path.suffix for path in tmp_path.iterdir())
    assert kept == [".bins", ".codes", ".look"]
    passes = []
    monkeypatch.setattr(streamed.StreamedTable, "tables", lambda *given: passes.append(given))
    assert model.fit(open_y(folder, cache=tmp_path)).fingerprint_ == wanted
    assert passes == []
    monkeypatch.undo()
    (folder / "part-0.parquet").touch()
    model.fit(open_y(folder, cache=tmp_path))
    assert len(list(tmp_path.iterdir())) == 6


@pytest.mark.parametrize("suffix", [".codes", ".bins", ".look"])
def test_a_damaged_cache_is_an_error_that_names_the_file(folder, tmp_path, suffix):
    model = GradientBoostingRegressor(n_estimators=1)
    model.fit(open_y(folder, cache=tmp_path))
    path = next(tmp_path.glob(f"*{suffix}"))
    content = bytearray(path.read_bytes())
    content[4096 + 3] ^= 1  # the first array
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"{suffix} is damaged .*delete it"):
        model.fit(open_y(folder, cache=tmp_path))
    path.write_bytes(b"something else entirely")
    with pytest.raises(ValueError, match=rf"{suffix} is damaged"):
        model.fit(open_y(folder, cache=tmp_path))


def test_what_is_not_finished_leaves_nothing(folder, tmp_path, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(OSError, match=rf"GiB of codes in the folder {tmp_path}: No space left"):
        GradientBoostingRegressor(n_estimators=1).fit(open_y(folder, cache=tmp_path))
    monkeypatch.undo()
    monkeypatch.setattr("os.pwrite", full)
    with pytest.raises(OSError, match="No space left"):
        GradientBoostingRegressor(n_estimators=1).fit(open_y(folder, cache=tmp_path))
    monkeypatch.undo()
    monkeypatch.setattr(binning.Bins, "encode_into", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        GradientBoostingRegressor(n_estimators=1).fit(open_y(folder, cache=tmp_path))
    assert not [path for path in tmp_path.iterdir() if path.suffix not in (".look", ".bins")]


def test_batches_without_files_have_no_cache(tmp_path):
    with pytest.raises(ValueError, match="these batches do not come from files"):
        open_table(lambda: [np.ones((3, 2))], cache=tmp_path)


# --- what goes wrong --------------------------------------------------------------------------------------------------


def copy_of(folder, tmp_path):
    for path in folder.glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize("hidden", ["pyarrow", "polars", None])
def test_a_damaged_file_is_named_with_its_row_group(folder, tmp_path, monkeypatch, hidden):
    parts = copy_of(folder, tmp_path)
    path = parts / "part-1.parquet"
    group = pyarrow.parquet.read_metadata(path).row_group(1).column(0)
    content = bytearray(path.read_bytes())
    content[group.data_page_offset : group.data_page_offset + 300] = b"\xff" * 300
    path.write_bytes(content)
    where = "rows 0 to 400" if hidden == "pyarrow" else "row group 1"
    monkeypatch.setattr(batch_files, "find_spec", lambda name: None if name == hidden else True)
    with pytest.raises(ValueError, match=f"part-1.parquet, {where} cannot be read, the file may be damaged"):
        GradientBoostingRegressor(n_estimators=1).fit(open_y(parts))


def test_a_file_that_vanishes_or_changes_between_passes(folder, tmp_path):
    parts = copy_of(folder, tmp_path)
    table = open_y(parts)
    assert table.n_rows == N
    (parts / "part-2.parquet").write_bytes((parts / "part-0.parquet").read_bytes())
    with pytest.raises(ValueError, match=r"part-2.parquet has changed since the table was opened"):
        GradientBoostingRegressor(n_estimators=1).fit(table)
    (parts / "part-1.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"part-1.parquet does not exist, or was removed"):
        GradientBoostingRegressor(n_estimators=1).fit(table)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda part: part.drop("b"), r"part-1.parquet has no column 'b', which .*part-0.parquet has"),
        (lambda part: part.with_columns(z=1), r"part-1.parquet has a column 'z', which .*does not have"),
        (lambda part: part.with_columns(a=pl.lit("x")), r"part-1.parquet, row group 0: Column 'a' holds strings"),
        (lambda part: part.with_columns(word=7), r"part-1.parquet, row group 0: column 'word' holds 7"),
        (lambda part: part.with_columns(y=pl.lit("x")), r"part-1.parquet, row group 0: the target, column 'y', is str"),
        (lambda part: part.with_columns(y=None), r"part-1.parquet, row group 0: the target, column 'y', has missing"),
    ],
)
def test_a_schema_that_changes_half_way(folder, tmp_path, change, words):
    parts = copy_of(folder, tmp_path)
    change(pl.read_parquet(parts / "part-1.parquet")).write_parquet(parts / "part-1.parquet")
    with pytest.raises((TypeError, ValueError), match=words):
        GradientBoostingRegressor(n_estimators=1).fit(open_y(parts))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"target": "z"}, "target: there is no column 'z' in .*part-0.parquet, row groups 0 to 2; its"),
        ({"sample_weight": "z"}, "sample_weight: there is no column 'z'"),
        ({"drop": ["z"]}, "drop: there is no column 'z'"),
        ({"target": "y", "drop": ["a", "b", "c", "word", "flag", "w", "kind"]}, "no feature column"),
    ],
    ids=["target", "sample_weight", "drop", "drop of all"],
)
def test_names_that_are_not_there(folder, more, words):
    with pytest.raises(ValueError, match=words):
        open_table(folder, **more)


def csv_of(folder, tmp_path):
    pd.DataFrame({"a": [1]}).to_csv(tmp_path / "a.csv")
    return [folder / "part-0.parquet", tmp_path / "a.csv"]


def nonsense(folder, tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"nonsense")
    return tmp_path / "bad.parquet"


NO_TABLES = {
    "no such files": (lambda folder, tmp_path: folder / "*.csv", FileNotFoundError, "no file is called"),
    "no such file": (lambda folder, tmp_path: folder / "z.parquet", FileNotFoundError, "does not exist"),
    "an empty folder": (lambda folder, tmp_path: tmp_path, FileNotFoundError, "holds no files called"),
    "a number": (lambda folder, tmp_path: 7, TypeError, "open_table accepts names of files"),
    "batches of numbers": (
        lambda folder, tmp_path: lambda: [7],
        TypeError,
        "batches must be tables in memory",
    ),
    "no batches": (lambda folder, tmp_path: list, ValueError, "no rows: the files or batches are empty"),
    "nonsense": (nonsense, ValueError, "does not begin like a file of its kind"),
    "two formats": (csv_of, ValueError, "files of one format only, got CSV and Parquet"),
}


@pytest.mark.parametrize("name", NO_TABLES)
def test_what_is_no_table(folder, tmp_path, name):
    make, error, words = NO_TABLES[name]
    source = make(folder, tmp_path)
    with pytest.raises(error, match=words):
        open_table(source)


def test_a_table_without_a_target(folder):
    with pytest.raises(ValueError, match="requires y to be passed"):
        GradientBoostingRegressor().fit(open_table(folder))


@pytest.mark.parametrize("most", [0, 1 << 30])
def test_a_small_table_is_read_once(frame, folder, monkeypatch, most):
    monkeypatch.setattr(streamed_rows, "_MOST_KEPT", most)
    passes = []
    read = FileBatches.batches
    monkeypatch.setattr(FileBatches, "batches", lambda self, *how: passes.append(how) or read(self, *how))
    table = open_y(folder)
    model = GradientBoostingRegressor(n_estimators=3).fit(table)
    own = GradientBoostingRegressor(n_estimators=3).fit(features(frame), frame["y"])
    assert model.fingerprint_ == own.fingerprint_
    assert sum(how[0] == table.columns for how in passes) == (1 if most else 2)
    assert not any(whole._kept for _, whole in table._wholes.values())


def test_batches_that_are_written_over_are_not_kept():
    """One buffer for all batches, as careful people have it."""
    values = np.random.default_rng(0).random((600, 3))

    def batches():
        buffer = np.empty((200, 3))
        for start in range(0, 600, 200):
            buffer[:] = values[start : start + 200]
            yield buffer

    table = open_table(batches, target=2)
    model = GradientBoostingRegressor(n_estimators=3).fit(table)
    own = GradientBoostingRegressor(n_estimators=3).fit(values[:, :2], values[:, 2])
    assert model.fingerprint_ == own.fingerprint_
    assert np.array_equal(table.collect(), values[:, :2])
    assert np.array_equal(open_table(batches).collect(), values)


def test_whole_numbers_of_several_sizes_are_one_column(tmp_path):
    """Bins come from the larger type; the first part alone would fit into float32."""
    values = np.r_[np.arange(100), 2**30 + np.arange(100)]
    for k, kind in enumerate((pl.Int16, pl.Int64)):
        part = values[100 * k : 100 * k + 100]
        pl.DataFrame({"a": pl.Series(part, dtype=kind), "y": part % 3}).write_parquet(tmp_path / f"{k}.parquet")
    model = GradientBoostingRegressor(n_estimators=3).fit(open_table(tmp_path, target="y"))
    own = GradientBoostingRegressor(n_estimators=3).fit(pl.DataFrame({"a": values}), values % 3)
    assert model.fingerprint_ == own.fingerprint_


def test_batches_are_read_ahead_in_their_order_and_not_too_many(monkeypatch):
    monkeypatch.setattr("spinney._team.available_threads", lambda n_jobs: 3)
    monkeypatch.setattr(batches_module, "_MOST_CELLS_AHEAD", 20)
    begun = []

    def waiting(sizes):
        for k, n_cells in enumerate(sizes):

            def read(k=k):
                if k == 6:
                    raise ValueError("the seventh")
                return Batch(k, f"batch {k}")

            begun.append(k)
            yield PendingBatch(n_cells, read)

    batches = read_ahead(waiting([1] * 5))
    assert [batch.frame for batch in batches] == [0, 1, 2, 3, 4]
    begun.clear()
    batches = read_ahead(waiting([1] * 9))
    assert next(batches).frame == 0
    assert begun == [0, 1, 2, 3]
    assert [next(batches).frame for _ in range(5)] == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="the seventh"):
        next(batches)
    begun.clear()
    batches = read_ahead(waiting([15] * 5))
    assert next(batches).frame == 0
    assert begun == [0, 1]
    batches.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("spinney_read")]


def test_batches_that_change_between_passes():
    sizes = iter([40, 40, 30, 30, 50, 50])
    rng = np.random.default_rng(0)
    table = open_table(lambda: [rng.random((next(sizes), 3))], target=2)
    with pytest.raises(ValueError, match="of the pass before"):
        GradientBoostingRegressor(n_estimators=1).fit(table)


def test_an_iterator_that_fails_is_not_gone_on_with():
    def batches():
        yield np.ones((2, 2))
        raise OSError("the line went dead")

    source = SpilledBatches(batches())
    with pytest.raises(OSError, match="went dead"):
        list(source.batches())
    with pytest.raises(ValueError, match="ended with an error before"):
        list(source.batches())


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", ["polars", "pyarrow"])
def test_text_has_one_type_per_column_and_says_where_it_has_not(tmp_path, monkeypatch, hidden):
    monkeypatch.setattr(text_batches, "_BYTES", 64)
    monkeypatch.setattr(text_batches, "find_spec", lambda name: None if name == hidden else True)
    path = tmp_path / "a.csv"
    lines = [f'{k},{"" if k < 20 else k / 2},"a ""{k % 3}"",\n\nb",{k % 2}' for k in range(40)]
    path.write_text("n,late,text,y\n" + "\n".join(lines) + "\n")
    table = open_table(path, target="y")
    assert table.n_rows == 40
    frame = nw_frame(table.collect())
    assert frame["n"].to_list() == list(range(40))
    assert frame["late"].to_list() == [None] * 20 + [k / 2 for k in range(20, 40)]
    assert frame["text"].to_list() == [f'a "{k % 3}",\n\nb' for k in range(40)]
    path.write_text("n,y\n" + "\n".join(f"{k if k != 30 else 'oh'},{k}" for k in range(40)) + "\n")
    with pytest.raises(ValueError, match=r"a.csv, lines \d+ to \d+: column 'n' holds strings, but integers in"):
        open_table(path, target="y")
    assert nw_frame(open_table(path, target="y", null_values=["oh"]).collect())["n"].null_count() == 1
    assert nw_frame(open_table(path, dtypes={"n": "category"}).collect())["n"].to_list()[30] == "oh"
    with pytest.raises(ValueError, match="dtypes must map columns to"):
        open_table(path, dtypes={"n": "word"})


@pytest.mark.parametrize("hidden", ["polars", "pyarrow"])
def test_columns_of_text_are_read_alone(tmp_path, monkeypatch, hidden):
    """Blocks are found once; passes after that parse what they are asked for, in any order of the file's columns."""
    monkeypatch.setattr(text_batches, "_BYTES", 64)
    monkeypatch.setattr(text_batches, "find_spec", lambda name: None if name == hidden else True)
    lines = [f"{k / 2},,{'uvw'[k % 3]},{k},{k % 2}" for k in range(50)]
    (tmp_path / "a.csv").write_text("a,empty,c,b,y\n" + "\n".join(lines[:30]).replace("\n", "\n\n", 4) + "\n\n")
    turned = [",".join(line.split(",")[::-1]) for line in lines[30:]]
    (tmp_path / "b.csv").write_text("y,b,c,empty,a\r\n\r\n\r\n" + "\r\n".join(turned))
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    table = open_table(paths, target="y", drop=["empty"])
    assert table.n_rows == 50
    assert table.y.tolist() == [k % 2 for k in range(50)]
    source = table.source
    for wanted in (["y"], ["b", "a"], ["c", "empty"], None):
        parts = [nw_frame(batch.frame) for batch in source.batches(wanted)]
        assert len(parts) > 10
        assert all(wanted is None or part.columns == wanted for part in parts)
    whole = nw_frame(table.collect())
    assert whole["a"].to_list() == [k / 2 for k in range(50)]
    assert whole["b"].to_list() == list(range(50))
    assert whole["c"].to_list() == ["uvw"[k % 3] for k in range(50)]


def nw_frame(frame):
    return frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(pa.table(frame))


@pytest.mark.parametrize("hidden", ["polars", None])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b,t\n1,2,u\n3,4,v,w\n", r"a.csv, line 3: 4 cells, but the header has 3; put quotes around"),
        ('a,b,t\n1,"2,u\n3,4,v\n', r"a.csv, line 3: 2 cells, but the header has 3; is a quote open\?"),
        ("a,a,t\n1,2,u\n", r"a.csv has more than one column 'a'"),
        ("a;b;t\n1;2;u\n", r"a.csv has only one column, 'a;b;t'. Set separator=';' if that separates its cells"),
        ("h\xe9,t\n1,u\n".encode("latin1"), r"a.csv is not UTF-8 text: save it as UTF-8, by `iconv"),
        (gzip.compress(b"a,t\n1,u\n", mtime=0), r"a.csv is compressed, .* decompress it first, or write it as Parquet"),
    ],
)
def test_lines_and_headers_that_do_not_fit(tmp_path, monkeypatch, text, words, hidden):
    monkeypatch.setattr(text_batches, "find_spec", lambda name: None if name == hidden else True)
    (tmp_path / "a.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=words):
        open_table(tmp_path / "a.csv", target="t")


@pytest.mark.parametrize("rows", [[7, 2, 2, 11, 0], [5], []])
def test_some_rows_are_collected_in_their_order(rows):
    whole = np.arange(24.0).reshape(12, 2)
    table = spinney.open_table(lambda: iter([whole[:5], whole[5:6], whole[6:]]))
    assert np.array_equal(table.take(np.array(rows, int)).collect(), whole[rows])
