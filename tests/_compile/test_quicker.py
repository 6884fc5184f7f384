"""What makes Numba's typing quicker changes no answer, and is undone."""

import pytest
from numba.core.compiler import Flags
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction

from spinney._compile import PLAIN_PYTHON, CompileError, quicker, uncached_kernel
from spinney._compile.quicker import quicker_typing


def places():
    return BaseFunction.__dict__["get_call_type"], TargetConfig.__dict__["__eq__"], TargetConfig.__dict__["__hash__"]


def test_it_is_undone():
    before = places()
    with quicker_typing():
        inside = places()
        with quicker_typing():
            assert places() == inside
        assert places() == inside
    assert not set(inside) & set(before)
    assert places() == before
    with pytest.raises(KeyboardInterrupt), quicker_typing():
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
    with quicker_typing():
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


@pytest.mark.parametrize("owner, name", [(BaseFunction, "get_call_type"), (TargetConfig, "__eq__")])
def test_another_numba_is_left_alone(monkeypatch, owner, name):
    monkeypatch.delattr(owner, name)
    with quicker_typing():
        assert name not in owner.__dict__
