"""Boosting from files larger than memory, compared with XGBoost's external memory and LightGBM's two rounds.

    python -m benchmarks.versus.out_of_core --rows 10000000 --folder /tmp/large

Writes `rows` x 28 float32 and a target to Parquet, in row groups of a million rows (LightGBM, which loads in two rounds
only from text, gets the same as CSV, and so does a second run of Spinney), and fits 20 rounds of 31 leaves, each
library in its own process. Prints the seconds of reading and encoding, the total seconds, CPU seconds, the peak of
resident memory, and the time that polars takes to sum all columns. `--make` only writes the files, `--only NAME`
runs one.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = 28
GROUP = 1_000_000
ROUNDS, LEAVES, RATE, BINS = 20, 31, 0.1, 255
NAMES = [f"x{j}" for j in range(COLUMNS)]


def make_parquet(path: Path, n_rows: int) -> None:
    """Rows that look like measurements, a group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for start in range(0, n_rows, GROUP):
        rng = np.random.default_rng(start)
        size = min(GROUP, n_rows - start)
        X = rng.standard_normal((COLUMNS, size), dtype=np.float32)
        signal = X[0] + X[1] * X[2] + 0.5 * X[3] + rng.standard_normal(size, dtype=np.float32)
        table = pa.table({**dict(zip(NAMES, X)), "y": (signal > 0).astype(np.int8)})
        writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=False)
        writer.write_table(table, row_group_size=GROUP)
    assert writer is not None
    writer.close()


def make_text(parquet: Path, path: Path) -> None:
    """The same with five digits after the point."""
    import polars as pl

    n_rows = int(pl.scan_parquet(parquet).select(pl.len()).collect().item())
    with open(path, "wb") as file:
        for start in range(0, n_rows, GROUP):
            part = pl.scan_parquet(parquet).slice(start, GROUP).collect()
            part.write_csv(file, include_header=start == 0, float_precision=5)


def groups(path: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(X, y) of one row group after the other."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    for k in range(file.num_row_groups):
        table = file.read_row_group(k)
        yield np.column_stack([table[name].to_numpy() for name in NAMES]), table["y"].to_numpy()


def fit_spinney(path: Path, cache: str | None) -> float:
    """Seconds until the first round begins."""
    import spinney

    begun, first = time.perf_counter(), []
    model = spinney.GradientBoostingClassifier(
        n_estimators=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, max_bins=BINS, random_state=0,
        callbacks=lambda round: first.append(time.perf_counter() - begun) and None,
    )  # fmt: skip
    model.fit(spinney.open_table(path, target="y", cache=cache))
    print("fingerprint", model.fingerprint_, file=sys.stderr)
    return first[0] - (first[1] - first[0])


def fit_xgboost(path: Path, cache: str | None) -> float:
    """Its external memory: batches of an iterator, in files of its own."""
    import xgboost

    class Batches(xgboost.DataIter):
        def __init__(self) -> None:
            self._groups: Any = None
            super().__init__(cache_prefix=str(Path(cache or ".") / "xgboost"))

        def next(self, input_data: Any) -> bool:
            self._groups = groups(path) if self._groups is None else self._groups
            for X, y in self._groups:
                input_data(data=X, label=y)
                return True
            return False

        def reset(self) -> None:
            self._groups = None

    begun = time.perf_counter()
    data = xgboost.ExtMemQuantileDMatrix(Batches(), max_bin=BINS)
    read = time.perf_counter() - begun
    parameters = {
        "objective": "binary:logistic", "eta": RATE, "max_leaves": LEAVES, "max_depth": 0, "max_bin": BINS,
        "grow_policy": "lossguide", "tree_method": "hist",
    }  # fmt: skip
    xgboost.train(parameters, data, ROUNDS)
    return read


def fit_lightgbm(path: Path, cache: str | None) -> float:
    """Two rounds through a file of text."""
    import lightgbm

    parameters = {
        "objective": "binary", "learning_rate": RATE, "num_leaves": LEAVES, "max_bin": BINS, "two_round": True,
        "header": True, "label_column": "name:y", "verbose": -1,
    }  # fmt: skip
    begun = time.perf_counter()
    data = lightgbm.Dataset(str(path), params=parameters).construct()
    read = time.perf_counter() - begun
    lightgbm.train(parameters, data, ROUNDS)
    return read


RUNS = {
    "spinney": (fit_spinney, "parquet", False),
    "spinney, mapped": (fit_spinney, "parquet", True),
    "xgboost": (fit_xgboost, "parquet", True),
    "spinney, text": (fit_spinney, "csv", False),
    "lightgbm, text": (fit_lightgbm, "csv", False),
}


def sum_by_polars(path: Path) -> tuple[float, float]:
    """Seconds, and of the processor, that polars takes to add up all columns."""
    import polars as pl

    begun, used = time.perf_counter(), time.process_time()
    pl.scan_parquet(path).select(pl.all().sum()).collect(engine="streaming")
    return time.perf_counter() - begun, time.process_time() - used


def encode_spinney(path: Path) -> tuple[float, float, float, float]:
    """(seconds, of the processor) of the pass for bins, and of that for codes."""
    import spinney
    from spinney._team import Team

    def timed(call: Any) -> tuple[Any, float, float]:
        begun, used = time.perf_counter(), time.process_time()
        found = call()
        return found, time.perf_counter() - begun, time.process_time() - used

    schema, rows = spinney.open_table(path, target="y").learn("from_dtype", "benchmark")
    with Team(2) as team:
        bins, *of_bins = timed(lambda: rows.bins(schema.is_categorical, None, BINS, team))
        _, *of_codes = timed(lambda: rows.codes(bins, team, 0, rows.n_rows))
    return (*of_bins, *of_codes)


def compare_passes(path: Path, repeats: int = 5) -> None:
    """Each in turn, the best of several: memory that the machine has to be given first counts for none of them."""
    sums, passes = zip(*[(sum_by_polars(path), encode_spinney(path)) for _ in range(repeats)])
    summed, (bins, _, codes, _) = min(sums)[0], np.min(passes, axis=0)
    print(f"polars' sums {summed:.2f} s; bins {bins:.2f} s, {summed / bins:.2f} of its speed; ", end="")
    print(f"codes {codes:.2f} s, {summed / codes:.2f}")


def run_one(name: str, folder: Path) -> None:
    """Fit in this process and say what it took."""
    fit, suffix, keeps = RUNS[name]
    cache = folder / "cache"
    if keeps:
        cache.mkdir(exist_ok=True)
    begun = time.perf_counter()
    read = fit(folder / f"table.{suffix}", str(cache) if keeps else None)
    seconds, used = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    most = used.ru_maxrss / 2**20
    print(f"{name:18} {read:9.1f} {seconds:9.1f} {used.ru_utime + used.ru_stime:9.1f} {most:11.2f}", flush=True)


def main() -> None:
    """Make what is not there, run all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--no-text", action="store_true", help="leave out the runs from CSV")
    parser.add_argument("--only", choices=RUNS)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    parquet, text = given.folder / "table.parquet", given.folder / "table.csv"
    if not parquet.exists():
        make_parquet(parquet, given.rows)
    if not given.no_text and not text.exists():
        make_text(parquet, text)
    if given.make:
        return
    if given.only:
        run_one(given.only, given.folder)
        return
    compare_passes(parquet)
    print(f"{'':18} {'reading s':>9} {'all s':>9} {'cpu s':>9} {'most GiB':>11}", flush=True)
    for name, (_, suffix, _) in RUNS.items():
        if suffix == "csv" and given.no_text:
            continue
        command = [sys.executable, "-m", "benchmarks.versus.out_of_core", "--folder", str(given.folder), "--only", name]
        subprocess.run([*command, *(["--no-text"] if given.no_text else [])], check=False)


if __name__ == "__main__":
    main()
