"""Boosting on the GPU gives the CPU's models: simulated, in a process where kernels are plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FITS = Path(__file__).parent / "fits.py"


def run(n_threads, n_rows, *names):
    return simulate(n_threads, str(FITS), str(n_rows), *names)


def simulate(n_threads, *arguments):
    places = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    simulated = {
        "SPINNEY_GPU": "tests.gpu.simulated_gpu",
        "NUMBA_DISABLE_JIT": "1",
        "SPINNEY_SIMULATED_THREADS": str(n_threads),
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | simulated | {"PYTHONPATH": places, "SPINNEY_ASSISTANT": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.slow
def test_models_are_those_of_the_cpu():
    assert run(1, 60) == "differ: []"


@pytest.mark.slow
def test_threads_of_a_block_agree():
    assert run(4, 80, "squared error", "log loss, level by level", "categories", "repeated rows") == "differ: []"


@pytest.mark.slow
def test_nodes_are_opened_ahead_in_the_order_of_all_their_gains():
    assert run(1, 150, "later splits gain more") == "differ: []"


_NO_MEMORY = """
import numpy as np, spinney
import spinney.gpu.memory as memory
memory.free_memory = lambda: 1 << 10
try:
    spinney.GradientBoostingRegressor(n_estimators=1, device="cuda").fit(np.ones((20, 2)), np.arange(20.0))
except RuntimeError as error:
    print(error)
"""


@pytest.mark.slow
def test_too_little_memory_is_said():
    said = simulate(1, "-W", "ignore", "-c", _NO_MEMORY)
    assert said.startswith("The GPU has 0 MiB of free memory, but this many rows need")
    assert said.endswith("or device='cpu'.")


@pytest.mark.skipif(os.environ.get("SPINNEY_TEST_GPU") != "1", reason="make test-gpu runs it where there is a GPU")
def test_a_true_gpu_agrees():
    sys.path.insert(0, str(FITS.parent))
    from fits import differences

    assert differences(20_000) == []
