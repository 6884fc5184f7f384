"""Tables in the simulated GPU beside the CPU, in a process of their own: `python tables.py` prints what differs."""

import sys
import warnings

import numpy as np

import spinney
from spinney._team import Team
from spinney.data import encode as binning
from spinney.data.dataset import take_rows
from spinney.data.schema import learn_and_read
from spinney.ensemble.boosting import round_search as auto
from spinney.gpu.tables import GpuRows, GpuTable
from tests.gpu.stand_ins import Capsule, Cupy, Torch

R, C = spinney.GradientBoostingRegressor, spinney.GradientBoostingClassifier


def numbers(n, dtype, seed=0):
    """17 columns, more than a block has: with few values and many, infinities, missing values."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, 17)) * rng.choice([1, 20], 17), 1)
    if np.dtype(dtype).kind == "f":
        X[rng.random(X.shape) < 0.1] = np.nan
        X[::9, 3], X[::7, 4], X[:, 5] = np.inf, -np.inf, np.nan
    return (X * 5).astype(dtype) if np.dtype(dtype).kind in "iu" else X.astype(dtype)


def layouts(X):
    yield "rows", np.ascontiguousarray(X)
    yield "columns", np.asfortranarray(X)
    yield "every other", np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::-2]


def differences_of_codes():
    found, team = [], Team(1, inline=True)
    counts = np.random.default_rng(1).integers(0, 3, 24)
    for dtype in ("f4", "f8", "i4", "i8", "u1", "b1"):
        for name, X in layouts(numbers(24, dtype)):
            kind = {"rows": Cupy, "columns": Torch, "every other": Capsule}[name]
            for given, categories in ((counts, [2, 6]), (None, None)) if dtype == "f4" else ((None, [2]),):
                case = f"{dtype} {name} {given is None} {categories}"
                found += [f"{case}: {what}" for what in compare(X, kind, given, categories, team)]
    return found


def compare(X, kind, counts, categories, team):
    """What differs between a table here, the same one sent to the GPU, and the same one there."""
    schema, table = learn_and_read(X, categories)
    here = table.open_dataset(schema.is_categorical, counts, 255, team)
    own, rows = GpuTable(kind(X)).learn(categories, "test")
    sent = GpuRows(table).open_dataset(schema.is_categorical, counts, 255, team)
    there = rows.open_dataset(own.is_categorical, counts, 255, team)
    if own != schema:
        yield "schema"
    for name, one in (("sent", sent), ("there", there)):
        if any(not np.array_equal(a, b) for a, b in zip(here.bins.edges, one.bins.edges, strict=True)):
            yield f"{name}: edges"
        if not np.array_equal(one.codes.all(), here.codes) or not np.array_equal(
            slow_codes(table, here.bins), here.codes
        ):
            yield f"{name}: codes"
        if any(not np.array_equal(a, b) for a, b in zip(here.layout, one.layout, strict=True)):
            yield f"{name}: layout"
        if not np.array_equal(one.row_keys(team), here.row_keys(team)):
            yield f"{name}: keys"
        some = np.array([3, 4, 20])
        if not all(
            np.array_equal(codes, here.codes[:, some])
            for codes in (one.take(some).codes.all(), take_rows(one.codes, some))
        ):
            yield f"{name}: some rows"
    if not np.array_equal(rows.encode_dataset(here.bins, team).codes.all(), rows.encode(here.bins, team)):
        yield "known bins"


def slow_codes(table, bins):
    """Column by column, as NumPy says."""
    codes = np.empty((table.n_columns, table.n_rows), int)
    for j in range(table.n_columns):
        x = table.column(j).astype(np.float64)
        missing = np.isnan(x)
        codes[j] = np.searchsorted(bins.edges[j], x)
        if bins.is_categorical[j]:
            codes[j] = bins.category_codes[j][np.where(missing, 0, x).astype(int)]
        codes[j, missing] = bins.n_bins[j]
    return codes


def differences_of_samples():
    """Edges from a sample of the rows: the same rows."""
    binning._SAMPLE = 20
    X, team, found = numbers(45, "f4"), Team(1, inline=True), []
    for counts in (None, np.random.default_rng(1).integers(0, 3, 45)):
        found += list(compare(X, Cupy, counts, [2], team))
    binning._SAMPLE = 200_000
    return found


def differences_of_fits():
    rng = np.random.default_rng(3)
    n = 40
    X = rng.standard_normal((n, 3)).astype("f4")
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + 0.5 * rng.standard_normal(n) > 0).astype(int)
    weights = rng.integers(0, 3, n)
    small = {"n_estimators": 1, "max_leaf_nodes": 3, "min_samples_leaf": 3, "random_state": 3, "n_jobs": 1}
    cases = {
        "weights, categories that only rows of weight 0 have": (
            small | {"categorical_features": [2]},
            {"sample_weight": weights},
        ),
        "weights, evaluation set": (small, {"sample_weight": weights, "eval_set": (X[:20], y[:20], weights[:20])}),
        "rows held out": (small | {"early_stopping": True, "n_iter_no_change": 1}, {}),
        "by training rows": (small | {"early_stopping": True, "validation_fraction": None}, {}),
        "goes on": (small | {"warm_start": True}, {}),
        "init_score": (small, {"init_score": rng.standard_normal(n)}),
        "initial estimator": (small | {"init": spinney.DecisionTreeClassifier(max_depth=1)}, {}),
        "scorer": (
            small | {"early_stopping": True, "scoring": lambda model, X, y: float((model.predict(X) == y).mean())},
            {},
        ),
        "auto": (small | {"n_estimators": "auto", "learning_rate": 0.5}, {}),
    }
    auto.plan_search = lambda *given: auto.SearchPlan(2, 0.5, 2, 0.5, 0.5)  # as if there were many rows
    found = []
    for name, (parameters, more) in cases.items():
        models = []
        for device, kind in (("cpu", np.asarray), ("cuda", Cupy)) + ((("auto", Torch),) if name == "goes on" else ()):
            given = {key: on(kind, value) for key, value in more.items()}
            model = C(device=device, **parameters).fit(kind(X), kind(y), **given)
            if model.warm_start:
                model.set_params(n_estimators=2).fit(kind(X), kind(y))
            assert name != "auto" or "held_out" in model.evals_result_
            models.append((model.fingerprint_, model.n_iter_, repr(model.evals_result_)))
        if len(set(models)) > 1:
            found.append(name)
    return found


def on(kind, value):
    return tuple(on(kind, one) for one in value) if isinstance(value, tuple) else kind(value)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    what = {"codes": differences_of_codes, "samples": differences_of_samples, "fits": differences_of_fits}
    print("differ:", what[sys.argv[1]]())
