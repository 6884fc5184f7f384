"""What makes Numba's compiler quicker changes no answer, and is undone."""

import gc

import numba
import pytest
from numba.core import event, ir, postproc, utils
from numba.core.base import BaseContext
from numba.core.compiler import Flags
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext as TypingContext

from spinney._compile import PLAIN_PYTHON, CompileError, quicker, uncached_kernel
from spinney._compile.quicker import quicker_compiler

PLACES = [
    (BaseFunction, "get_call_type"),
    (TargetConfig, "__eq__"),
    (TargetConfig, "__hash__"),
    (BaseContext, "refresh"),
    (BaseContext, "get_abi_sizeof"),
    (TypingContext, "refresh"),
    (ir.Inst, "_rec_list_vars"),
    (postproc.PostProcessor, "run"),
    (utils, "pysignature"),
    (event, "start_event"),
    (event, "end_event"),
]


def places():
    return tuple(owner.__dict__[name] for owner, name in PLACES)


def test_it_is_undone():
    before = places()
    with quicker_compiler():
        inside = places()
        with quicker_compiler():
            assert places() == inside
        assert places() == inside
    assert not set(inside) & set(before)
    assert places() == before
    with pytest.raises(KeyboardInterrupt), quicker_compiler():
        raise KeyboardInterrupt
    assert places() == before


@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python compiles nothing")
def test_it_is_undone_after_a_kernel_good_or_bad():
    before = places()
    assert uncached_kernel(lambda x: x + 1)(1) == 2
    assert places() == before
    with pytest.raises(CompileError):
        uncached_kernel(lambda x: x.nothing)(1)
    assert places() == before


def some_flags():
    default, with_python, other, same = Flags(), Flags(), Flags(), Flags()
    with_python.enable_pyobject = True
    other.nrt = True
    same.enable_pyobject = default.enable_pyobject  # set, to what it is anyway
    return [default, with_python, other, same]


def test_flags_are_equal_as_before():
    flags = some_flags()
    expected = [[one == another for another in flags] for one in flags]
    with quicker_compiler():
        assert [[one == another for another in flags] for one in flags] == expected
        assert all(hash(one) == hash(another) for one in flags for another in flags if one == another)
        assert (flags[0] == 3) is False
    assert sum(map(sum, expected)) == 6


def test_answers_are_kept_by_function_and_arguments():
    asked = []

    def find(function, context, arguments, named):
        asked.append((function, arguments, named))
        if arguments == ("bad",):
            raise TypeError
        return (function, arguments, dict(named))

    remember, one, other = quicker._remembering(find), object(), object()
    for _ in range(2):
        assert remember(one, None, ("int",), {}) == (one, ("int",), {})
        assert remember(other, None, ("int",), {}) == (other, ("int",), {})
        assert remember(one, None, ("float",), {}) == (one, ("float",), {})
    assert len(asked) == 3
    for _ in range(2):
        assert remember(one, None, ("int",), {"k": 1}) == (one, ("int",), {"k": 1})
        with pytest.raises(TypeError):
            remember(one, None, ("bad",), {})
    assert len(asked) == 7  # neither names nor failures are kept


@pytest.mark.parametrize(
    "owner, name", [(BaseFunction, "get_call_type"), (TargetConfig, "__eq__"), (event, "end_event")]
)
def test_another_numba_is_left_alone(monkeypatch, owner, name):
    monkeypatch.delattr(owner, name)
    with quicker_compiler():
        assert name not in owner.__dict__


def statements():
    """Some of all that a kernel's statements can hold."""
    place, scope = ir.Loc("here", 1), ir.Scope(None, ir.Loc("here", 1))
    a, b, c = (ir.Var(scope, name, place) for name in "abc")
    call = ir.Expr.call(a, [b, c], [("key", a)], place)
    return [
        ir.Assign(call, b, place),
        ir.Assign(ir.Expr.getattr(a, "size", place), c, place),
        ir.Assign(ir.Expr.build_tuple([a, b, a], place), c, place),
        ir.Assign(ir.Const(3, place), a, place),
        ir.Assign(ir.Global("len", len, place), a, place),
        ir.SetItem(a, b, c, place),
        ir.Branch(a, 1, 2, place),
        ir.Return(b, place),
        ir.Jump(4, place),
    ]


def test_statements_have_the_same_variables():
    some = statements()
    expected = [one.list_vars() for one in some]
    with quicker_compiler():
        assert [one.list_vars() for one in some] == expected
    assert [len(one) for one in expected] == [5, 2, 4, 1, 1, 3, 1, 1, 0]


def test_stop_watches_rest_and_others_are_told():
    with event.install_timer("numba:compile", lambda seconds: None), quicker_compiler():
        event.start_event("numba:compile")
        with event.install_recorder("numba:compile") as seen:
            event.end_event("numba:compile", data={"a": 1})
    assert [one.data for _, one in seen.buffer] == [{"a": 1}]


def test_new_declarations_are_found():
    asked = []

    class Registry:
        def __init__(self):
            self.functions, self.attributes = [1], []

    class Context:
        def __init__(self):
            self._registries = {Registry(): None}

    context = Context()
    refresh = quicker._refresh_if_new(asked.append)
    for _ in range(3):
        refresh(context)
    assert len(asked) == 1
    next(iter(context._registries)).attributes.append(2)
    refresh(context)
    refresh(context)
    assert len(asked) == 2


def test_the_collector_rests_and_goes_on():
    assert gc.isenabled()
    with quicker_compiler():
        assert not gc.isenabled()
        with quicker_compiler():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with quicker_compiler():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_somebody_froze_stays_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with quicker_compiler():
            pass
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()


@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python compiles nothing")
def test_generators_compile_as_before():
    @numba.njit
    def squares(n):
        for i in range(n):
            yield i * i

    @uncached_kernel
    def total(n):
        result = 0
        for value in squares(n):
            result += value
        return result

    assert total(5) == 30
