"""Kernels of every kind give what plain Python gives, bit for bit."""

import gc
import threading
import time
from typing import NamedTuple

import numpy as np
import pytest

from spinney._compile import (
    PLAIN_PYTHON,
    CompileError,
    allocating_kernel,
    atomic_load,
    atomic_swap,
    by_type,
    class_of,
    compile_for,
    inner_kernel,
    is_integer,
    is_number,
    kernel,
    merged_kernel,
    overloads,
    python_of,
    separate_kernel,
    uncached_kernel,
)
from tests._compile.processes import run

needs_compiler = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python compiles nothing")

MANY_FITS = """
import numpy as np
from spinney import GradientBoostingClassifier, GradientBoostingRegressor
rng = np.random.RandomState(0)
X = rng.randn(60, 4)
X[rng.rand(60, 4) < 0.1] = np.nan
X[:, 3] = rng.randint(0, 5, 60)
y, weight = np.nan_to_num(X[:, 0]) + X[:, 3], rng.randint(0, 3, 60)
few = {"n_estimators": 2, "min_samples_leaf": 3, "random_state": 0, "categorical_features": [3]}
for loss in ("squared_error", "absolute_error", "huber", "tweedie"):
    print(GradientBoostingRegressor(loss, **few).fit(X, y + 9, weight).fingerprint_)
print(GradientBoostingRegressor(monotonic_cst=[1, 0, 0, 0], subsample=0.7, **few).fit(X, y).fingerprint_)
print(GradientBoostingClassifier(max_features=2, growth="level_wise", **few).fit(X, y > 2).fingerprint_)
three = GradientBoostingClassifier(interaction_cst="pairwise", **few).fit(X, np.digitize(y, [1, 3]))
print(three.fingerprint_, three.predict_proba(X).tobytes().hex())
"""


@pytest.mark.slow
def test_plain_python_gives_the_same_bits(capsys):
    out, _ = run(MANY_FITS, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    exec(MANY_FITS, {})
    assert out == capsys.readouterr().out
    assert len(set(out.splitlines())) == 7


@pytest.mark.kernels
def test_arithmetic_is_as_written():
    """No fused multiply-add and no reordering: the rounding of each step is kept."""

    def chain(a, b, c):
        return a * b + c, (a + b) - a

    a, b = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    compiled = uncached_kernel(chain)
    assert compiled(a, b, -1.0) == chain(a, b, -1.0) == (0.0, (a + b) - a)
    assert compiled(1.0, 1e-20, 0.0)[1] == 0.0


@pytest.mark.kernels
@pytest.mark.parametrize("decorate", [inner_kernel, separate_kernel, merged_kernel])
def test_kernels_that_kernels_call(decorate, folder):
    def twice_plus(x, y):
        return 2 * x + y

    inner = decorate(twice_plus)

    def call(numbers):
        total = 0.0
        for i in range(numbers.size):
            total = inner(numbers[i], total)
        return total

    numbers = np.linspace(0.1, 1.0, 7)
    assert kernel(call)(numbers) == uncached_kernel(call)(numbers) == call_plainly(numbers)
    assert python_of(inner) is twice_plus


def call_plainly(numbers):
    total = 0.0
    for number in numbers:
        total = 2 * number + total
    return total


def squares(n):
    made = np.empty(n)
    for i in range(n):
        made[i] = i * i
    return made


@pytest.mark.kernels
def test_a_kernel_that_makes_arrays_is_kept_too(folder):
    for _ in range(2):
        made = allocating_kernel(squares)(5)
        gc.collect()
        assert made.tolist() == [0.0, 1.0, 4.0, 9.0, 16.0]
    assert len(list(folder.iterdir())) == (0 if PLAIN_PYTHON else 1)


@needs_compiler
def test_a_kernel_that_lives_here_is_not_kept(folder):
    assert uncached_kernel(squares)(3).tolist() == [0.0, 1.0, 4.0]
    assert list(folder.iterdir()) == []


@needs_compiler
def test_kernels_drop_the_gil():
    """A kernel that waits for another thread's Python gives up if it holds the lock meanwhile."""

    def wait(flags):
        atomic_swap(flags, 0, 1)  # now this thread is inside
        for _ in range(10**11):
            if atomic_load(flags, 1) == 1:
                return True
        return False

    compiled, flags, answers = uncached_kernel(wait), np.array([0, 1]), []
    assert compiled(flags)
    flags[:] = 0
    thread = threading.Thread(target=lambda: answers.append(compiled(flags)))
    thread.start()
    while flags[0] == 0:
        time.sleep(0.001)
    flags[1] = 1
    thread.join()
    assert answers == [True]


# --- choices at compile time ------------------------------------------------------------------------------------------


class Circle(NamedTuple):
    radius: float


class Square(NamedTuple):
    side: float


def _circle(shape, scale):
    return 3.0 * shape.radius * shape.radius * scale


def _square(shape, scale):
    return shape.side * shape.side * scale


area = by_type({Circle: inner_kernel(_circle), Square: inner_kernel(_square)})


def area_of(shape, scale):
    return area(shape, scale)


@pytest.mark.kernels
def test_the_type_of_the_first_argument_chooses():
    compiled = uncached_kernel(area_of)
    for shape, expected in [(Circle(2.0), 24.0), (Square(3.0), 18.0)]:
        assert compiled(shape, 2.0) == expected


def name_of(thing):
    return {int: 1, Circle: 2}.get(type(thing), 3)


@overloads(name_of)
def _choose_name(thing):
    if is_integer(thing):
        return lambda thing: 1
    return (lambda thing: 2) if class_of(thing) is Circle else (lambda thing: 3)


@pytest.mark.kernels
def test_a_chooser_stands_in_for_a_function():
    compiled = uncached_kernel(lambda thing: name_of(thing))
    for thing, name in [(7, 1), (Circle(1.0), 2), (Square(1.0), 3), (0.5, 3)]:
        assert name_of(thing) == compiled(thing) == name
    assert name_of.chooser is _choose_name


@needs_compiler
def test_types_are_known_ahead_of_a_call():
    assert is_number(compile_for(uncached_kernel(lambda x, n: x * n), "float64", "int64"))
    assert is_number(compile_for(uncached_kernel(lambda x: x > 1), "float64"))
    assert not is_number(compile_for(uncached_kernel(lambda x: (x, x)), "float64"))
    assert is_number(compile_for(uncached_kernel(lambda xs: xs[0]), "float64[:]"))
    with pytest.raises(CompileError):
        compile_for(uncached_kernel(lambda x: x.nothing), "float64")


@pytest.mark.kernels
def test_a_kernel_knows_its_python():
    for decorate in (kernel, inner_kernel, separate_kernel, merged_kernel, allocating_kernel, uncached_kernel):
        assert python_of(decorate(squares)) is squares
    assert python_of(squares) is squares
    if PLAIN_PYTHON:
        assert is_number(compile_for(squares, "int64"))
