"""Parts: compiled once, shared by kernels, found again by later processes; the results are those of plain Python."""

import pickle

import numpy as np
import pytest
from numba.core import event, types

from spinney._compile import PLAIN_PYTHON, locks, merged_kernel
from spinney._compile.parts import Need
from tests._compile.processes import COUNTED, run
from tests.compiled import outer

needs_compiler = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has no parts")


def compiled_by(call):
    with event.install_recorder("numba:compile") as seen:
        call()
    return sorted(one.data["dispatcher"].py_func.__name__ for _, one in seen.buffer if one.is_start)


@pytest.mark.kernels
def test_results_are_those_of_plain_python(kernels):
    numbers, out = np.linspace(-3.0, 40.0, 20), np.zeros(20)
    assert kernels.fill_and_count(out, 2.0) == np.count_nonzero(4.0 * np.arange(20) + 3 > 20)
    assert (out == 4.0 * np.arange(20) + 3).all()
    kernels.fill_twice(out, 3.0)
    assert (out == 8.0 * np.arange(20) + 3).all()
    plain = sum(numbers.tolist()) + 10.0
    assert kernels.sum_both(numbers, numbers)[1] == pytest.approx(plain, rel=1e-14)
    assert kernels.sum_both(numbers, numbers)[0] == pytest.approx((numbers**2).sum() + 10.0)
    assert kernels.look(numbers, 4) == np.count_nonzero(numbers > 4)


@pytest.mark.kernels
def test_none_is_known_when_a_part_is_compiled(kernels):
    numbers = np.arange(5.0)
    assert kernels.sum_both(numbers, None) == (20.0, 20.0)
    assert kernels.sum_both(numbers, numbers) == (40.0, 20.0)


@pytest.mark.kernels
def test_exceptions_come_through(kernels):
    for _ in range(2):
        with pytest.raises(ValueError, match="there is no such place"):
            kernels.look(np.arange(5.0), 5)
        with pytest.raises(IndexError, match="places begin at 0"):
            kernels.look(np.arange(5.0), -1)
        assert kernels.look(np.arange(5.0), 1) == 3


@needs_compiler
def test_a_part_is_compiled_once_for_two_kernels(kernels, names):
    out = np.zeros(4)
    assert compiled_by(lambda: kernels.fill_and_count(out, 2.0)) == ["_twice", "count_above", "fill", "fill_and_count"]
    assert names() == ["count_above.bin", "fill.bin", "fill_and_count.bin"]
    assert compiled_by(lambda: kernels.fill_twice(out, 2.0)) == ["fill_twice"]
    assert names() == ["count_above.bin", "fill.bin", "fill_and_count.bin", "fill_twice.bin"]


@needs_compiler
def test_literals_do_not_make_another_part(kernels, names):
    """`count_above(out, 20)` of one kernel and `count_above(numbers, i)` of another are one."""
    kernels.fill_and_count(np.zeros(4), 2.0)
    assert compiled_by(lambda: kernels.look(np.zeros(4), 2)) == ["checked", "look"]
    assert names().count("count_above.bin") == 1


@needs_compiler
def test_a_users_function_never_reaches_the_disk(kernels, folder):
    """Two of them, one after the other, under the same name: each is the one that is called."""

    def own(x):
        return x + 1.0

    first, second = merged_kernel(own), merged_kernel(lambda x: x + 100.0)
    assert kernels.ask_judge(first, 5.0) is False
    assert kernels.ask_judge(second, 5.0) is True
    assert kernels.ask_judge(first, 9.5) is True
    assert list(folder.iterdir()) == []
    part = kernels.judge.part
    symbols = {part.symbol((types.Dispatcher(one), types.float64)) for one in (first, second)}
    assert len(symbols) == 2
    assert not part.is_elsewhere((types.Dispatcher(first), types.float64))


@pytest.mark.kernels
def test_a_users_function_is_called_in_plain_python_too(kernels):
    def own(x):
        return x * 2

    assert bool(kernels.ask_judge(merged_kernel(own), 5.5)) is True
    assert bool(kernels.ask_judge(merged_kernel(own), 4.5)) is False


@needs_compiler
def test_an_inner_kernel_can_call_a_part(kernels):
    def inside(out):
        kernels_fill(out, 1.0)
        return out[1]

    kernels_fill = kernels.fill
    assert outer(inside)(np.zeros(3)) == 5.0


@pytest.mark.slow
@needs_compiler
def test_later_processes_load_parts_and_mend_them(tmp_path):
    """A kernel's file says which parts it calls; a part that is gone or damaged is compiled and kept again."""
    first, _ = run(COUNTED, SPINNEY_CACHE_DIR=str(tmp_path))
    (folder,) = tmp_path.iterdir()
    before = {path.name for path in folder.iterdir()}
    said, compiled = first.splitlines()[1:]
    assert {"fill", "weighted_sum", "checked"} <= set(compiled.split())
    (fill,) = folder.glob("*.fill-*.bin")
    (checked,) = folder.glob("*.checked-*.bin")
    fill.unlink()
    checked.write_bytes(checked.read_bytes()[:-100])
    second, complaints = run(COUNTED, SPINNEY_CACHE_DIR=str(tmp_path))
    assert second.splitlines()[1] == said
    assert sorted(second.splitlines()[2].split()) == ["checked", "fill"]
    assert f"the compiled kernel {checked} cannot be used" in complaints
    third, complaints = run(COUNTED, SPINNEY_CACHE_DIR=str(tmp_path))
    assert third.splitlines()[1:] == [said, ""]
    assert complaints == ""
    assert {path.name for path in folder.iterdir()} == before


LATER = """
import numpy as np
import tests._compile.kernels as kernels
try:
    kernels.look(np.arange(5.0), 5)
except ValueError as error:
    print(error)
print(kernels.look(np.arange(5.0), 1), kernels.sum_both(np.arange(5.0), None), len(kernels.look.stats.cache_misses))
"""


@pytest.mark.slow
@needs_compiler
def test_exceptions_and_none_from_the_cache(tmp_path):
    for missed in (1, 0):
        out, _ = run(LATER, SPINNEY_CACHE_DIR=str(tmp_path))
        assert out.splitlines() == ["there is no such place", f"3 (20.0, 20.0) {missed}"]


def as_published(*needs):
    bodies = [pickle.dumps(need) for need in needs]
    return b"".join(len(body).to_bytes(8, "little") + body for body in bodies)


@needs_compiler
def test_whoever_waits_compiles_parts_that_nobody_is_at(kernels, names):
    """The largest first, each once; not what is there, nor what another process holds, nor what cannot be compiled."""
    numbers = types.Array(types.float64, 1, "C")
    module = kernels.__name__
    fill, above = Need(module, "fill", (numbers, types.float64)), Need(module, "count_above", (numbers, types.int64))
    wrong, gone = Need(module, "fill", (types.float64, numbers)), Need(module, "nowhere", (numbers,))
    helper = locks.Helper()
    assert not helper.help_with(b"")
    assert not helper.help_with(as_published(fill)[:-1])  # being written
    assert helper.help_with(as_published(above, fill))
    assert names() == ["fill.bin"]
    assert helper.help_with(as_published(above, fill))
    assert names() == ["count_above.bin", "fill.bin"]
    assert not helper.help_with(as_published(above, fill))
    assert not locks.Helper().help_with(as_published(above, fill))
    assert not helper.help_with(as_published(wrong))
    assert not helper.help_with(as_published(gone))
    assert names() == ["count_above.bin", "fill.bin"]


@needs_compiler
def test_parts_of_a_kernel_are_published_while_it_is_compiled(kernels, monkeypatch):
    seen = {}

    def keep(self, content):
        seen.setdefault(self.path.name.split("-")[0].rsplit(".", 1)[-1], []).append(pickle.loads(content[8:]).name)

    monkeypatch.setattr(locks.Lock, "write", keep)
    kernels.look(np.zeros(4), 2)
    kernels.fill_and_count(np.zeros(4), 2.0)
    assert seen == {"look": ["checked"], "checked": ["count_above"], "fill_and_count": ["fill"]}
    assert not locks._compiling.locks
