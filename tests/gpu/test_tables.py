"""Tables on the GPU, and those that are sent there, give the CPU's codes and models."""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import spinney
import spinney.gpu as gpu
from tests.gpu.stand_ins import Cupy, Torch
from tests.gpu.test_fits import simulate

TABLES = str(Path(__file__).parent / "tables.py")
RNG = np.random.default_rng(5)
X = RNG.standard_normal((60, 3))
Y = X[:, 0] + RNG.standard_normal(60)
SMALL = {"n_estimators": 2, "max_leaf_nodes": 4, "random_state": 0}


@pytest.mark.slow
def test_codes_are_those_of_the_cpu():
    assert simulate(1, TABLES, "codes") == "differ: []"


@pytest.mark.slow
def test_edges_come_from_the_same_sample():
    assert simulate(2, TABLES, "samples") == "differ: []"


def test_models_are_those_of_the_cpu():
    assert simulate(1, TABLES, "fits") == "differ: []"


@pytest.mark.parametrize("kind", [Cupy, Torch])
def test_a_fit_on_the_cpu_copies_and_says_so(kind):
    known = spinney.GradientBoostingRegressor(**SMALL).fit(X, Y, eval_set=(X, Y))
    model = spinney.GradientBoostingRegressor(**SMALL)
    with pytest.warns(
        UserWarning, match=r"X is on the GPU, but the fit runs on the CPU, so X was copied\. With device="
    ):
        model.fit(kind(X), kind(Y), kind(np.ones(60)), eval_set=(kind(X), kind(Y)))
    assert model.fingerprint_ == known.fingerprint_
    assert model.evals_result_ == known.evals_result_


def test_without_a_gpu_auto_copies(monkeypatch):
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: "none is here.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = spinney.GradientBoostingRegressor(device="auto", **SMALL).fit(Cupy(X), Cupy(Y))
    assert model.fingerprint_ == spinney.GradientBoostingRegressor(**SMALL).fit(X, Y).fingerprint_
    with pytest.raises(RuntimeError, match=r"none is here\. Use device='cpu'"):
        spinney.GradientBoostingRegressor(device="cuda", **SMALL).fit(Cupy(X), Cupy(Y))


@pytest.mark.parametrize("kind", [lambda x: x.astype("f2"), lambda x: x.astype("f4")])
def test_what_kernels_do_not_read_is_copied(monkeypatch, kind):
    """Half floats, and tables for exact thresholds."""
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: None)
    monkeypatch.setattr(gpu, "rounds_on", lambda device: None)
    table = gpu.table_on_gpu("cuda", Cupy(kind(X)), False)
    assert type(table) is np.ndarray
    assert np.array_equal(table, kind(X))


@pytest.mark.parametrize("model", [spinney.RandomForestRegressor(n_estimators=2), spinney.DecisionTreeRegressor()])
def test_other_models_copy(model):
    model.set_params(random_state=0)
    known = model.fit(X, Y, sample_weight=np.arange(60)).fingerprint_
    assert model.fit(Cupy(X), Cupy(Y), sample_weight=Cupy(np.arange(60))).fingerprint_ == known


_ERRORS = """
import numpy as np, spinney
from spinney._compile.cuda import GpuError, check_device
from tests.gpu.stand_ins import Cupy
model = spinney.GradientBoostingRegressor(n_estimators=1, device="cuda", warm_start=True)
X, y = np.arange(60.0).reshape(30, 2), np.arange(30.0)
for table in (Cupy(y), Cupy(X[:0]), Cupy(X.astype(complex))):
    try:
        model.fit(table, y)
    except (TypeError, ValueError) as error:
        print(str(error).splitlines()[0])
model.fit(Cupy(X), y).set_params(n_estimators=2)
try:
    model.fit(Cupy(X[:, :1]), y)
except ValueError as error:
    print(error)
check_device(0, 0)
try:
    check_device(1, 0)
except GpuError as error:
    print(error)
"""


@pytest.mark.slow
def test_wrong_tables_are_refused_as_those_of_numpy():
    said = simulate(1, "-W", "ignore", "-c", _ERRORS).splitlines()
    assert said[0].startswith("Expected 2D array, got 1D array instead")
    assert said[1].startswith("Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required")
    assert (
        said[2]
        == "X is on the GPU and holds complex128, which is not supported. Convert it to float32 or float64 first."
    )
    assert said[3] == "X has 1 features, but GradientBoostingRegressor is expecting 2 features as input."
    assert said[4] == (
        "The data is on GPU 1, but GPU 0 is the current one. Copy the data there, or make GPU 1 the current device "
        "of CuPy or torch first."
    )


@pytest.mark.skipif(os.environ.get("SPINNEY_TEST_GPU") != "1", reason="make test-gpu runs it where there is a GPU")
@pytest.mark.parametrize("library", ["cupy", "torch", "numba"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "b1"])
def test_a_true_gpu_reads_its_tables(library, dtype):
    to_gpu = {"cupy": _cupy, "torch": _torch, "numba": _numba}[library]()
    rng = np.random.default_rng(1)
    table = (rng.standard_normal((300_000, 18)) * 3).astype(dtype)
    if table.dtype.kind == "f":
        table[rng.random(table.shape) < 0.1] = np.nan
    y, weight = rng.random(len(table)), rng.integers(0, 3, len(table))
    model = spinney.GradientBoostingRegressor(n_estimators=3, random_state=0, categorical_features=[2])
    known = model.fit(table, y, weight, eval_set=(table[:999], y[:999]))
    expected = known.fingerprint_, known.evals_result_
    model = spinney.GradientBoostingRegressor(**(model.get_params() | {"device": "cuda"}))
    for order in "CF":
        there = to_gpu(np.array(table, order=order))
        model.fit(there, to_gpu(y), to_gpu(weight), eval_set=(there[:999], to_gpu(y[:999])))
        assert (model.fingerprint_, model.evals_result_) == expected
        model.fit(np.array(table, order=order), y, weight, eval_set=(table[:999], y[:999]))
        assert (model.fingerprint_, model.evals_result_) == expected


def _cupy():
    return pytest.importorskip("cupy").asarray


def _torch():
    torch = pytest.importorskip("torch")
    return lambda array: torch.as_tensor(array.copy(order="K"), device="cuda")


def _numba():
    from numba import cuda

    return cuda.to_device
