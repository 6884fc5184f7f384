"""What a kernel's machine code depends on: everything that can change it changes the digest, and nothing else does."""

import importlib
import os
import pkgutil
import textwrap
import threading
from typing import NamedTuple

import numpy as np
import pytest
from numba.core import types

import spinney
from spinney._compile import PLAIN_PYTHON, dependencies, inner_kernel, kernel, part_kernel
from spinney._compile.dependencies import digest_of, is_local, size_of, text_of_signature
from spinney._compile.parts import Part
from tests._compile.processes import run

needs_compiler = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has no choosers, intrinsics and parts")

SOURCE = """
    import math
    from typing import NamedTuple
    import numpy as np
    from spinney._compile import by_type, inner_kernel, kernel, overloads, part_kernel

    LIMIT = 3
    WEIGHTS = np.array([1.0, 2.0])
    WORDS = frozenset({"gini", "entropy", "error", "gain"})
    NESTED = {"a": (1, 2.5, None), "b": [np.int8(3)]}

    class Left(NamedTuple):
        first: float
        second: float = 1.5

    class Right(NamedTuple):
        first: float
        second: float

    @inner_kernel
    def add(a, b):
        return a + b

    @inner_kernel
    def less(a, b):
        return a - b

    @inner_kernel
    def deep(a):
        # a remark
        return add(a, 1) * LIMIT

    @part_kernel(returns="float64")
    def phase(a):
        return deep(a) + WEIGHTS[1]

    def of_left(pair): return pair.first
    def of_right(pair): return pair.second
    side = by_type({Left: inner_kernel(of_left), Right: inner_kernel(of_right)})

    def chosen(a): return a
    def for_numbers(a): return a + 1
    @overloads(chosen)
    def choose(a): return for_numbers

    def close_over(factor):
        def inside(x):
            return x * factor
        return inner_kernel(inside)

    ten_times = close_over(10)

    def with_default(a, b=4, *, c=5): return a + b + c

    def main(a):
        return phase(a) + less(add(a, 2), side(Left(a, 2.0))) + chosen(a) + ten_times(a) + with_default(a)

    def members(a):
        return a in ("gini", "entropy") or a in {"x", "y", "z"} or WORDS is None or NESTED is None

    @kernel
    def another(a):
        return a
"""
SWAPPED = "{Right: inner_kernel(of_left), Left: inner_kernel(of_right)}"


def digest(source=SOURCE, name="main"):
    """The digest of a function of a module with this text."""
    space = {"__name__": "some_module"}
    exec(compile(textwrap.dedent(source), "some_file", "exec"), space)
    function = space[name]
    return digest_of(getattr(function, "py_func", function))


@needs_compiler
@pytest.mark.kernels
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return a + b\n", "return b + a\n"),  # a callee
        ("add(a, 1)", "add(a, 2)"),  # a callee of a part's callee
        ("deep(a) + WEIGHTS", "deep(a) - WEIGHTS"),  # a part
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("LIMIT = 3", "LIMIT = True"),
        ("LIMIT = 3", "LIMIT = np.int64(3)"),
        ("[1.0, 2.0]", "[1.0, 2.5]"),
        ("[1.0, 2.0]", "[[1.0, 2.0]]"),
        ("np.array([1.0, 2.0])", "np.array([1.0, 2.0], np.float32)"),
        ("less(add(a, 2), side(Left(a, 2.0)))", "add(less(a, 2), side(Left(a, 2.0)))"),  # who is called where
        ("add(a, 2)", "less(a, 2)"),
        ("first: float\n        second: float =", "second: float\n        first: float ="),  # a NamedTuple's fields
        ("second: float = 1.5", "second: float = 2.5"),
        ("return pair.second", "return pair.first"),  # what a chooser may choose
        ("{Left: inner_kernel(of_left), Right: inner_kernel(of_right)}", SWAPPED),
        ("return a + 1\n", "return a + 2\n"),
        ("def choose(a): return for_numbers", "def choose(a): return chosen"),
        ("close_over(10)", "close_over(11)"),
        ("x * factor", "factor * x"),
        ("b=4", "b=3"),
        ("c=5", "c=6"),
        ("return phase(a) +", "return phase(a) -"),
    ],
)  # fmt: skip
def test_an_edit_changes_the_digest(old, new):
    assert SOURCE.count(old) == 1
    assert digest(SOURCE.replace(old, new)) != digest()


@needs_compiler
@pytest.mark.kernels
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# a remark", "# another remark,\n        # of two lines"),
        ("import math\n", "import math\n\n\n\n"),
        (
            "    @kernel\n    def another(a):\n        return a\n",
            "    @kernel\n    def another(a):\n        return 2 * a\n",
        ),
        ("NESTED = {", "NESTED = {'c': 0, "),  # not named by this kernel
    ],
)
def test_what_does_not_matter_does_not_change_it(old, new):
    assert SOURCE.count(old) == 1
    assert digest(SOURCE.replace(old, new)) == digest()


@pytest.mark.kernels
@pytest.mark.parametrize(
    "new", ["{'a': (1, 2.5, 0),", "{'a': (1, 2.5), ", "{'z': (1, 2.5, None),", "{'a': [1, 2.5, None],"]
)
def test_constants_within_constants(new):
    old = '{"a": (1, 2.5, None),'
    assert SOURCE.count(old) == 1
    assert digest(SOURCE.replace(old, new), "members") != digest(name="members")


def test_two_functions_of_one_name_are_told_apart():
    """Closures made by one factory have the same name: only their places tell which is called where."""

    def make(factor):
        return lambda x: x * factor

    def call(first, second):
        def both(x):
            return first(x) + 2 * second(x)

        return both

    two, three = make(2), make(3)
    assert digest_of(call(two, three)) == digest_of(call(make(2), make(3)))
    assert len({digest_of(call(*pair)) for pair in [(two, three), (three, two), (two, two), (three, three)]}) == 4


def test_two_functions_of_one_name_in_a_table():
    def make(factor):
        def inner(x):
            return x * factor

        return lambda x: inner(x)  # the same code and the same names at the first glance

    def call(table):
        return lambda x: table["a"](x) + table["b"](x)

    assert digest_of(call({"a": make(2), "b": make(3)})) != digest_of(call({"a": make(3), "b": make(2)}))


def test_functions_that_call_each_other_are_followed_once():
    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)

    assert digest_of(even) != digest_of(odd)
    assert size_of(even) == size_of(odd) == len(even.__code__.co_code) + len(odd.__code__.co_code)


@pytest.mark.parametrize("thing", [object(), threading.Lock(), {1, 2}, os, [].append, np.array([object()])])
def test_what_cannot_be_told_has_no_digest_but_a_size(thing, monkeypatch):
    monkeypatch.setattr(dependencies.sys, "stdlib_module_names", frozenset())

    def holder(x):
        return thing

    def caller(x):
        return holder(x)

    with pytest.raises(TypeError, match=r"holder depends on .* which has no digest"):
        digest_of(caller)
    assert size_of(caller) > len(caller.__code__.co_code)


def test_a_module_of_ours_cannot_be_told():
    """What a kernel takes from it is not seen: kernels name functions and constants themselves."""
    from tests._compile import kernels as module

    with pytest.raises(TypeError, match="has no digest"):
        digest_of(lambda: module.SHIFT)


EVERYTHING = """
from spinney._compile.dependencies import digest_of
from tests._compile.test_dependencies import digest, every_kernel
for name, function in every_kernel():
    print(name, digest_of(function))
print(digest(name="members"), digest())
"""


def every_kernel():
    """Names and Python functions of all kernels and parts of the package."""
    for one in pkgutil.walk_packages(spinney.__path__, "spinney."):
        if one.name.startswith(("spinney.gpu.", "spinney.cluster.on_gpu", "spinney._compile.cuda")):
            continue  # they are compiled for another machine, by a package that need not be there
        module = importlib.import_module(one.name)
        for name, value in sorted(vars(module).items()):
            function = None if isinstance(value, type) else getattr(value, "py_func", None)
            if function is not None and function.__module__ == module.__name__:
                yield f"{module.__name__}.{name}", function


@pytest.mark.slow
@needs_compiler
def test_every_kernel_can_be_told_and_every_process_tells_the_same():
    (first, complaints), (second, _) = (run(EVERYTHING, PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert complaints == ""
    assert first == second
    assert first.count("\n") > 300
    assert len({line.split()[-1] for line in first.splitlines()}) > 250
    from spinney.grow.boosting import grower

    names = {name for name, _ in every_kernel()}
    assert {line.split()[0] for line in first.splitlines()} >= names
    assert "spinney.grow.boosting.grower.grow_tree" in names
    assert any(isinstance(getattr(value, "part", None), Part) for value in vars(grower).values())


# --- signatures -------------------------------------------------------------------------------------------------------


def pair_class(name, fields, module):
    kind = NamedTuple(name, [(field, float) for field in fields.split()])
    kind.__module__ = module
    return kind


def tuple_type(kind, *elements):
    return types.NamedTuple(elements, kind)


def test_signatures_tell_the_fields_and_homes_of_named_tuples():
    """Numba's own text does not: code that reads `pair.a` would be used for a class that has its `a` elsewhere."""
    kinds = [pair_class("Pair", fields, module) for fields in ("a b", "b a") for module in ("m", "n")]
    signatures = [(tuple_type(kind, types.int64, types.float64),) for kind in kinds]
    signatures += [(types.Tuple([types.int64, kind]),) for (kind,) in signatures]  # inside another tuple
    signatures += [(types.NamedUniTuple(types.int64, 2, kind),) for kind in kinds]
    assert len({repr(signature) for signature in signatures}) == 3
    assert len({text_of_signature(signature) for signature in signatures}) == len(signatures)


@needs_compiler
def test_a_kernel_is_compiled_anew_when_a_tuples_fields_change_places(folder, monkeypatch):
    def take_a(pair):
        return pair.a

    for fields in ("a b", "b a"):
        kind = pair_class("Pair", fields, __name__)
        monkeypatch.setitem(globals(), "Pair", kind)  # where other processes would find it
        assert kernel(take_a)(kind(a=1.0, b=2.0)) == 1.0
    assert len(list(folder.iterdir())) == 2


@needs_compiler
def test_functions_of_this_process_are_found_however_deep():
    own = inner_kernel(lambda x: x)
    function = types.Dispatcher(own)
    kind = tuple_type(pair_class("Pair", "a b", "m"), types.int64, types.Tuple([types.int64, function]))
    assert is_local((types.int64, function))
    assert is_local((kind,))
    assert not is_local((types.int64, types.Tuple([types.int64, types.float64])))


@needs_compiler
def test_a_parts_name_tells_signatures_apart():
    part = part_kernel(lambda pair: None).part
    kinds = [tuple_type(pair_class("Pair", fields, "m"), types.int64, types.float64) for fields in ("a b", "b a")]
    assert len({part.symbol((kind,)) for kind in kinds}) == 2
