"""Fits on the GPU that end otherwise: Ctrl-C, two at a time, processes that fork; and what is said of the GPU."""

import os
import subprocess
import sys

import pytest

from tests.gpu.test_fits import simulate

on_a_gpu = pytest.mark.skipif(
    os.environ.get("SPINNEY_TEST_GPU") != "1", reason="make test-gpu runs it where there is a GPU"
)

# Ctrl-C in the first round; the model stays as it was, and the next fit is as if nothing had happened.
_INTERRUPTED = """
import os, signal, sys
import numpy as np, spinney
n = int(sys.argv[1])
X = np.random.default_rng(0).standard_normal((n, 3))
y = X[:, 0] + X[:, 1] ** 2
kinds = {"n_estimators": 3, "max_leaf_nodes": 4, "random_state": 0, "n_jobs": 1}
known = spinney.GradientBoostingRegressor(**kinds).fit(X, y).fingerprint_
stop = [lambda r: os.kill(os.getpid(), signal.SIGINT)]
model = spinney.GradientBoostingRegressor(device="cuda", callbacks=stop, **kinds)
try:
    model.fit(X, y)
    print("went on")
except KeyboardInterrupt:
    print("stopped", hasattr(model, "n_iter_"))
print(model.set_params(callbacks=None).fit(X, y).fingerprint_ == known)
"""

# Two fits at the same time.
_TOGETHER = """
import sys, threading
import numpy as np, spinney
n = int(sys.argv[1])
X = np.random.default_rng(0).standard_normal((n, 3))
kinds = {"n_estimators": 3, "max_leaf_nodes": 4, "n_jobs": 1}
models = [spinney.GradientBoostingRegressor(random_state=k, **kinds) for k in range(2)]
known = [model.fit(X, X[:, k]).fingerprint_ for k, model in enumerate(models)]
threads = [
    threading.Thread(target=model.set_params(device="cuda").fit, args=(X, X[:, k])) for k, model in enumerate(models)
]
for one in threads:
    one.start()
for one in threads:
    one.join()
print([model.fingerprint_ for model in models] == known)
"""

# A process that forks after a fit on the GPU: the child is told, and its fits on the CPU work.
_FORKED = """
import os, sys
import numpy as np, spinney
n = int(sys.argv[1])
X = np.random.default_rng(0).standard_normal((n, 3))
model = spinney.GradientBoostingRegressor(n_estimators=1, max_leaf_nodes=3, device="cuda", n_jobs=1, random_state=0)
known = model.fit(X, X[:, 0]).fingerprint_
sys.stdout.flush()
child = os.fork()
if not child:
    try:
        model.fit(X, X[:, 0])
    except RuntimeError as error:
        print(error)
    print(model.set_params(device="cpu").fit(X, X[:, 0]).fingerprint_ == known, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(model.fit(X, X[:, 0]).fingerprint_ == known)
"""
_FORBIDDEN = (
    "A forked process cannot use the GPU that its parent has used: start processes by 'spawn'. Use device='cpu', or "
    "device='auto' to use a GPU if there is one."
)


def run(code, n):
    """On the true GPU."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, n], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


PLACES = [pytest.param(lambda code, n: simulate(1, "-W", "ignore", "-c", code, "50"), id="simulated")]
PLACES += [pytest.param(lambda code, n: run(code, n), id="gpu", marks=on_a_gpu)]


@pytest.mark.parametrize("place", PLACES)
def test_an_interrupt_leaves_the_model_and_the_gpu_as_they_were(place):
    assert place(_INTERRUPTED, "200000") == "stopped False\nTrue"


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_two_threads_fit_at_the_same_time(place):
    assert place(_TOGETHER, "200000") == "True"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("place", PLACES)
def test_a_forked_process_fits_on_the_cpu(place):
    assert place(_FORKED, "20000").splitlines() == [_FORBIDDEN, "True", "True"]


# What is said where the GPU cannot do it; drivers and limits are made up here.
_SAID = """
import numpy as np, spinney
import spinney.gpu.loop as loop

def say(call):
    try:
        print(call())
    except RuntimeError as error:
        print(error)

X, y = np.arange(60.0).reshape(20, 3), np.arange(20.0)
fit = spinney.GradientBoostingRegressor(n_estimators=1, device="cuda", min_samples_leaf=2).fit
loop.MOST_COLUMNS = 3
say(lambda: fit(X, y))
"""


@pytest.mark.slow
def test_limits_are_said():
    assert (
        simulate(1, "-W", "ignore", "-c", _SAID)
        == "The GPU does not support this many columns or leaves. Use device='cpu'."
    )


_DRIVER = """
import enum
from types import SimpleNamespace
import spinney._compile.cuda as cuda

class Status(enum.IntEnum):
    CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY = 0, 2

print(cuda._check((Status.CUDA_SUCCESS, 7)))
try:
    cuda._check((Status.CUDA_ERROR_OUT_OF_MEMORY,))
except cuda.GpuError as error:
    print(error)

def device(capability):
    return lambda: SimpleNamespace(compute_capability=capability)

def no_context():
    raise RuntimeError("Error at driver init:\\n\\nCUDA driver library cannot be found.\\nAnd more.")

cuda.SIMULATED = False
cuda.numba_cuda = SimpleNamespace(is_available=lambda: True, get_current_device=device((6, 1)))
print(cuda.problem())
cuda.numba_cuda = SimpleNamespace(is_available=lambda: True, get_current_device=device((9, 0)))
print(cuda.problem())
cuda.numba_cuda = SimpleNamespace(is_available=lambda: False, current_context=no_context)
print(cuda.problem())
"""


def test_what_the_driver_says_becomes_a_sentence():
    assert simulate(1, "-c", _DRIVER).splitlines() == [
        "7",
        "The GPU driver reports CUDA_ERROR_OUT_OF_MEMORY.",
        "this one has compute capability 6.1, but at least 7.0 is needed.",
        "None",
        "Error at driver init: CUDA driver library cannot be found.",
    ]


# A process that finds what another one has compiled.
_FIRST = """
import importlib
import numpy as np, spinney
import spinney._compile.cuda
kernel = importlib.import_module("numba.cuda.dispatcher")._Kernel
made, init = [], kernel.__init__
kernel.__init__ = lambda self, what, *more, **options: made.append(what.__name__) or init(self, what, *more, **options)
X = np.random.default_rng(0).standard_normal((5000, 3))
model = spinney.GradientBoostingClassifier(n_estimators=5, device="cuda").fit(X, X[:, 0] > 0)
print(made)
"""


@on_a_gpu
def test_kernels_are_compiled_once():
    run(_FIRST, "")
    assert run(_FIRST, "") == "[]"
