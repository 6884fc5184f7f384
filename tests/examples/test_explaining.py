"""examples/explaining.py leaves pictures."""

import importlib.util
import sys
from pathlib import Path

import pytest

import spinney

SCRIPT = Path(spinney.__file__).parents[1] / "examples" / "explaining.py"


@pytest.mark.slow
def test_pictures(tmp_path, monkeypatch, capsys, pictures):
    spec = importlib.util.spec_from_file_location("examples_explaining", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["explaining.py", str(tmp_path)])
    module.main()
    assert str(tmp_path) in capsys.readouterr().out
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["dependence.png", "importances.png", "individual.png", "local_effects.png"]
    assert sorted(path.name for path in pictures) == names
