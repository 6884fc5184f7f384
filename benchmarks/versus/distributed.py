"""Boosting on a Dask cluster of processes on this machine, compared with one process and with other libraries.

    python -m benchmarks.versus.distributed                                # 2M x 28, 31 leaves, 2 workers of one thread
    python -m benchmarks.versus.distributed --rows 2e5 --peers local,spinney
    python -m benchmarks.versus.distributed --weak 1,2,4,8 --rows 1e6     # rows per worker: weak scaling
    python -m benchmarks.versus.distributed --weak 1,2,4,8 --apart        # as if each worker had its own machine

The workers generate and hold the data before timing starts. Prints the time of a whole fit, data preparation included,
and of a round: the difference between a fit of all rounds and a fit of one. Runs of the libraries alternate, and the
best of `--repeats` counts. `local` is one process with as many threads as there are workers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

LEAVES, RATE, BINS = 31, 0.1, 255


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for and print a table."""
    asked = argparse.ArgumentParser("benchmarks.versus.distributed", description=__doc__.split("\n")[0])
    asked.add_argument("--rows", type=float, default=2e6, help="number of rows in total; with --weak, per worker")
    asked.add_argument("--columns", type=int, default=28)
    asked.add_argument("--rounds", type=int, default=20)
    asked.add_argument("--workers", type=int, default=2, help="processes of one thread each")
    asked.add_argument("--partitions", type=int, default=4, help="per worker")
    asked.add_argument("--peers", default="local,spinney,xgboost,lightgbm")
    asked.add_argument("--growth", default="best_first", choices=["best_first", "level_wise"])
    asked.add_argument("--repeats", type=int, default=3)
    asked.add_argument("--weak", help="numbers of workers, such as 1,2,4,8: the same rows per worker, Spinney alone")
    asked.add_argument("--apart", action="store_true", help="workers send messages, as if on different machines")
    options = asked.parse_args(arguments)
    if options.weak is None:
        _versus(options)
    else:
        _weak(options)


def _versus(options: argparse.Namespace) -> None:
    names = options.peers.split(",")
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    prints = set()
    with _cluster(options.workers, options.apart) as client:
        X, y = _table(client, int(options.rows), options)
        here = (X.compute(), y.compute()) if "local" in names else None
        for name in names:  # compiling, imports, first connections
            PEERS[name](X, y, here, 1, options)
        for _ in range(options.repeats):
            for name in names:
                one, _print = _timed(PEERS[name], X, y, here, 1, options)
                whole, fingerprint = _timed(PEERS[name], X, y, here, options.rounds, options)
                found[name].append((whole, (whole - one) / (options.rounds - 1)))
                prints |= {fingerprint} - {None}
    print(
        f"{options.rows:.3g} x {options.columns}, {LEAVES} leaves, {options.rounds} rounds, {options.workers} workers"
    )
    print(f"{'':12}{'fit':>10}{'round':>12}")
    for name, times in found.items():
        whole, each = (min(column) for column in zip(*times))
        print(f"{name:12}{whole:9.2f}s{1e3 * each:10.1f}ms")
    if len(prints) > 1:
        raise SystemExit(f"models differ: {sorted(prints)}")


def _weak(options: argparse.Namespace) -> None:
    print(f"{options.rows:.3g} x {options.columns} per worker, {LEAVES} leaves, {options.rounds} rounds")
    print(f"{'workers':>8}{'fit':>10}{'round':>12}{'efficiency':>12}")
    base = None
    for workers in map(int, options.weak.split(",")):
        with _cluster(workers, options.apart) as client:
            X, y = _table(client, int(options.rows) * workers, options, workers)
            _spinney(X, y, None, 1, options)
            times = []
            for _ in range(options.repeats):
                one, _ = _timed(_spinney, X, y, None, 1, options)
                whole, _ = _timed(_spinney, X, y, None, options.rounds, options)
                times.append((whole, (whole - one) / (options.rounds - 1)))
        whole, each = (min(column) for column in zip(*times))
        base = base or each
        print(f"{workers:8}{whole:9.2f}s{1e3 * each:10.1f}ms{base / each:11.0%}", flush=True)


def _cluster(workers: int, apart: bool) -> Any:
    from distributed import Client, LocalCluster

    settings = {"dashboard_address": ":0", "memory_limit": None}
    client = Client(LocalCluster(n_workers=workers, threads_per_worker=1, **settings), set_as_default=True)
    if apart:
        client.run(_share_nothing)
    return client


def _share_nothing() -> None:
    from spinney.distributed import group

    group.open_shared = lambda name: None


def _table(client: Any, rows: int, options: argparse.Namespace, workers: int | None = None) -> tuple[Any, Any]:
    """A dask Array of float32 and its target, made on the workers and kept there."""
    import dask.array as da
    from distributed import wait

    chunks = -(-rows // (options.partitions * (workers or options.workers)))
    rng = da.random.RandomState(0, np.random.RandomState)
    X = rng.normal(size=(rows, options.columns), chunks=(chunks, options.columns)).astype(np.float32)
    noise = rng.normal(size=rows, chunks=chunks)
    y = X[:, 0] + X[:, 1] * X[:, 2] + da.sin(3 * X[:, 3]) + 0.5 * noise
    X, y = client.persist([X, y])
    wait([X, y])
    return X, y


def _timed(peer: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = peer(*args)
    return time.perf_counter() - begun, result


def _model(rounds: int, options: argparse.Namespace, **more: Any) -> Any:
    from spinney import GradientBoostingRegressor

    return GradientBoostingRegressor(
        n_estimators=rounds, max_leaf_nodes=LEAVES, learning_rate=RATE, growth=options.growth, random_state=0, **more
    )


def _local(X: Any, y: Any, here: Any, rounds: int, options: argparse.Namespace) -> str:
    return _model(rounds, options, n_jobs=options.workers).fit(*here).fingerprint_


def _spinney(X: Any, y: Any, here: Any, rounds: int, options: argparse.Namespace) -> str:
    return _model(rounds, options).fit(X, y).fingerprint_


def _xgboost(X: Any, y: Any, here: Any, rounds: int, options: argparse.Namespace) -> None:
    from distributed import get_client
    from xgboost import dask as dxgb

    client = get_client()
    policy = "lossguide" if options.growth == "best_first" else "depthwise"
    settings = {"max_leaves": LEAVES, "max_depth": 0, "eta": RATE, "max_bin": BINS + 1, "grow_policy": policy}
    matrix = dxgb.DaskQuantileDMatrix(client, X, y, max_bin=BINS + 1)
    dxgb.train(client, {"tree_method": "hist", **settings}, matrix, num_boost_round=rounds)


def _lightgbm(X: Any, y: Any, here: Any, rounds: int, options: argparse.Namespace) -> None:
    from lightgbm import DaskLGBMRegressor

    settings = {"num_leaves": LEAVES, "learning_rate": RATE, "max_bin": BINS, "verbose": -1}
    DaskLGBMRegressor(n_estimators=rounds, **settings).fit(X, y)


PEERS = {"local": _local, "spinney": _spinney, "xgboost": _xgboost, "lightgbm": _lightgbm}


if __name__ == "__main__":
    main()
