"""Time boosting on the GPU: copying and binning the data, 100 rounds on binned data, and predictions.

python -m benchmarks.gpu [rows] [fit | predict]

For rounds and predictions the GPU matters, the CPU and its threads hardly. The model is compared with the CPU's after
three rounds, codes with the CPU's codes, and predictions for the first 100,000 rows. Predictions need CuPy, which
generates their data.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from spinney import GradientBoostingClassifier, RandomForestClassifier
from spinney._team import Team
from spinney.criteria.losses import LogLoss
from spinney.data.dataset import Dataset
from spinney.data.encode import pieces_of
from spinney.data.on_gpu import is_on_gpu
from spinney.data.schema import learn_and_read
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.ensemble.boosting.booster import BoostingSettings, Task
from spinney.ensemble.boosting.rounds import open_rounds
from spinney.gpu import rounds_on
from spinney.gpu.tables import GpuRows, GpuTable

COLUMNS, ROUNDS, DRAWN = 28, 100, 200_000
SETTINGS = {
    "depth 6": BoostingSettings(max_depth=6, max_leaves=64, best_first=False, l2=1.0),
    "depth 8": BoostingSettings(max_depth=8, max_leaves=256, best_first=False, l2=1.0),
    "255 leaves": BoostingSettings(max_leaves=255, l2=1.0),
}


def main() -> None:
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    what = sys.argv[2] if len(sys.argv) > 2 else "both"
    if what != "fit":
        predict(n)
    if what == "predict":
        return
    with Team(16) as team:
        measure_tables(n, team)
        dataset, task = make(n, team)
        for name, settings in SETTINGS.items():
            measure(name, dataset, task, settings, team)


def measure_tables(n: int, team: Team) -> None:
    """A table of float32 comes in and is binned, edges included: the best of three."""
    X = np.empty((n, COLUMNS), np.float32)
    team.map(lambda piece: fill(X, *piece), pieces_of(n, 16))
    schema, table = learn_and_read(X, None, "benchmark")
    codes = table.open_dataset(schema.is_categorical, None, 255, team).codes
    tables = {"NumPy table, row by row": X, "NumPy table, column by column": np.asfortranarray(X)}
    try:
        import cupy

        tables["CuPy table"] = cupy.asarray(X)
    except ImportError:
        print("CuPy is not here: no table on the GPU")
    for name, one in tables.items():
        seconds = []
        for _ in range(3):
            begun = time.perf_counter()
            rows = GpuTable(one).learn(None, "")[1] if is_on_gpu(one) else GpuRows(learn_and_read(one, None)[1])
            there = rows.open_dataset(schema.is_categorical, None, 255, team)
            seconds.append(time.perf_counter() - begun)
        same = "equal" if np.array_equal(there.codes.all(), codes) else "NOT EQUAL"
        print(f"{name} in and binned: {min(seconds):.3f} s for {n:,} rows; {same}")


def fill(X: np.ndarray, begin: int, end: int) -> None:
    X[begin:end] = np.random.default_rng(begin).standard_normal((end - begin, X.shape[1]), dtype=np.float32)


def make(n: int, team: Team) -> tuple[Dataset, Task]:
    """Normal numbers in 255 bins, and two classes that depend on six of them."""
    rng = np.random.default_rng(1)
    schema, table = learn_and_read(rng.standard_normal((min(n, DRAWN), COLUMNS), dtype=np.float32), None, "benchmark")
    drawn = table.open_dataset(schema.is_categorical, None, 255, team)
    codes = np.stack([np.roll(np.resize(column, n), 245_490 * j) for j, column in enumerate(drawn.codes)])
    a, b, c, d, e, f = (codes[:6].astype(np.float32) - 127) / 60
    chance = 1 / (1 + np.exp(-(a * b + np.sin(2 * c) + 0.5 * d - 0.5 * e * f)))
    labels = (rng.random(n, dtype=np.float32) < chance).astype(np.int32)[None]
    return Dataset(n, drawn.bins, codes, drawn.layout), Task(Target(labels, (2,), None, Weights(None, None)), LogLoss())


def measure(name: str, dataset: Dataset, task: Task, settings: BoostingSettings, team: Team) -> None:
    """Three rounds to compile and record, and to compare; then a hundred."""
    rounds = open_rounds(dataset, task, replace(settings, rounds=rounds_on("cuda")), team)
    for _ in range(3):
        rounds.step()
    first = rounds.booster().forest
    begun = time.perf_counter()
    for _ in range(ROUNDS):
        rounds.step()
    seconds = time.perf_counter() - begun
    ours = open_rounds(dataset, task, settings, team)
    for _ in range(3):
        ours.step()
    same = np.array_equal(first.answers, ours.booster().forest.answers)
    print(f"{name}: {seconds:.3f} s for {ROUNDS} rounds of {dataset.n_rows:,} rows; {'equal' if same else 'NOT EQUAL'}")


def predict(n: int) -> None:
    """A table of CuPy's, and the same table here; the best of three."""
    import cupy

    rng = np.random.default_rng(1)
    X = rng.standard_normal((DRAWN, COLUMNS), dtype=np.float32)
    y = (X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] > rng.standard_normal(DRAWN)).astype(int)
    table = cupy.random.default_rng(2).standard_normal((n, COLUMNS), dtype=cupy.float32)
    here = cupy.asnumpy(table)
    boosting = partial(GradientBoostingClassifier, n_estimators=500, learning_rate=0.05, random_state=0)
    models: dict[str, Any] = {
        "boosting, 500 trees of depth 6": boosting(growth="level_wise", max_depth=6, max_leaf_nodes=None),
        "boosting, 500 trees of 31 leaves": boosting(max_leaf_nodes=31),
        "forest, 100 trees": RandomForestClassifier(n_estimators=100, random_state=0),
    }
    for name, model in models.items():
        model.fit(X, y)
        some = model.predict_proba(here[:100_000])
        seconds = {"there": best(partial(model.predict_proba, table))}
        if "device" in model.get_params():
            seconds["sent there"] = best(partial(model.set_params(device="cuda").predict_proba, here))
        same = np.array_equal(some, cupy.asnumpy(model.predict_proba(table[:100_000])))
        said = ", ".join(f"{one:.3f} s {where}" for where, one in seconds.items())
        print(f"{name}: {said}, {n:,} rows; {'equal' if same else 'NOT EQUAL'}", flush=True)


def best(call: Any) -> float:
    """Seconds, of three calls after a first one."""
    call()
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


if __name__ == "__main__":
    main()
