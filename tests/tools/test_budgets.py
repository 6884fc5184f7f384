"""tools/budgets.py: finds what is beyond a budget, and nothing else."""

import pytest

from tools import budgets

ARGUMENTS = ", ".join(f"a{k}" for k in range(13))
BEYOND = {
    "function": ("def long():\n" + "    x = 1\n" * 80, "long has 81 lines"),
    "kernel": (f"@kernel\ndef wide({ARGUMENTS}):\n    pass\n", "kernel wide has 13 arguments"),
    "private name": ("from spinney.data import _hidden\n", "imports the private name _hidden of spinney.data"),
    "compiler": ("def f():\n    from numba.core import types\n", "imports the compiler"),
    "compiler by name": ("import llvmlite.binding\n", "imports the compiler"),
}
WITHIN = {
    "function": 'def long():\n    """One.\n\n    Two.\n    """\n' + "    x = 1\n" * 79,
    "function of many arguments": f"def wide({ARGUMENTS}):\n    pass\n",
    "kernel of a team": f"@kernel\ndef wide(rank, size, sync, {ARGUMENTS.removesuffix(', a12')}):\n    pass\n",
    "private module": "from spinney import _there\n",
}


@pytest.fixture
def check(tmp_path, monkeypatch):
    """The complaints about a module of a package."""
    monkeypatch.setattr(budgets, "PACKAGE", tmp_path / "spinney")
    (tmp_path / "spinney" / "data").mkdir(parents=True)
    (tmp_path / "spinney" / "_there.py").touch()

    def check(source, name="module.py"):
        path = tmp_path / "spinney" / name
        path.write_text(source)
        return list(budgets.check(path))

    return check


@pytest.mark.parametrize("name", BEYOND)
def test_what_is_beyond(check, capsys, name):
    source, complaint = BEYOND[name]
    (found,) = check(source)
    assert found.startswith("spinney/module.py:")
    assert found.endswith(f": {complaint}")
    assert budgets.main() == 1
    assert found in capsys.readouterr().out


@pytest.mark.parametrize("name", WITHIN)
def test_what_is_within(check, capsys, name):
    assert check(WITHIN[name]) == []
    assert budgets.main() == 0
    assert capsys.readouterr().out == "All budgets are kept.\n"


def test_the_room_of_the_compiler_may_import_it(check, tmp_path):
    (tmp_path / "spinney" / "_compile").mkdir()
    assert check("import numba\n", "_compile/module.py") == []
