"""Numba is imported whole or not at all, and what is compiled for is known."""

import subprocess
import sys

import pytest

from spinney._compile import settings

CUT_MODULE = """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.3)
whole = True
"""
CUT_IMPORT = """
import sys
sys.path.insert(0, sys.argv[1])
from spinney._compile.settings import import_whole
try:
    import_whole("cut_here")
except KeyboardInterrupt:
    print("interrupted")
import cut_here
print(cut_here.whole)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process there")
def test_ctrl_c_does_not_cut_an_import(tmp_path):
    """An import of Numba that is cut half-way breaks every later fit of the process."""
    (tmp_path / "cut_here.py").write_text(CUT_MODULE)
    out = subprocess.check_output([sys.executable, "-c", CUT_IMPORT, str(tmp_path)], text=True, timeout=300)
    assert out.split() == ["interrupted", "True"]


def test_what_an_import_raises_comes_through():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        settings.import_whole("no_such_module")


def test_levels_of_processors(monkeypatch):
    every = {feature for level in settings.LEVELS.values() for feature in level}
    monkeypatch.setattr(settings.config, "CPU_NAME", None)
    monkeypatch.setattr(settings.llvmlite.binding, "get_process_triple", lambda: "x86_64-unknown-linux-gnu")
    for features, level in [
        (every, "x86-64-v4"),
        (every - {"avx512bw"}, "x86-64-v3"),
        (every - {"bmi2"}, None),  # although it has the features of v4
        (set(), None),
    ]:
        monkeypatch.setattr(settings, "_host_has", features.__contains__)
        assert settings.host_level() == level
        assert settings.target_has("avx2") == ("avx2" in features)
    monkeypatch.setattr(settings.config, "CPU_NAME", "x86-64-v3")
    assert settings.host_level() is None
    assert settings.target_has("avx2")
    assert not settings.target_has("avx512f")
    monkeypatch.setattr(settings.config, "CPU_NAME", "generic")
    assert not settings.target_has("avx2")


def test_no_model_is_fitted_while_tests_are_collected(pytestconfig):
    rooms = {tuple(name.split(".")[:2]) for name in pytestconfig.modules_of_kernels}
    # tables of logarithms, and the check of Numba, which an empty cache asks for
    assert {room for room in rooms if room[0] == "spinney"} <= {("spinney", "criteria"), ("spinney", "_compile")}
