"""examples/trees.py runs, says the lectures' numbers and leaves pictures."""

import importlib.util
from pathlib import Path

import matplotlib.image
import pytest

import spinney

SCRIPT = Path(spinney.__file__).parents[1] / "examples" / "trees.py"


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("examples_trees", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ROWS, module.REPEATS = 100, 1
    return module


@pytest.mark.slow
def test_pictures_and_numbers(script, tmp_path, capsys, pictures):
    folder = tmp_path / "new" / "pictures"
    script.main([str(folder)])
    printed = capsys.readouterr().out
    for number in (
        "Patrons 0.541, Type 0.000",
        "[0.304, 0.051, 0.645]",
        "0.5896",
        "gains 0.0777",
        "4.5 0.089",
        str(folder),
    ):
        assert number in printed
    assert sorted(path.stem for path in folder.iterdir()) == sorted(script.PICTURES)
    assert sorted(pictures) == sorted(folder.iterdir())
    assert all(matplotlib.image.imread(path).shape[1] > 800 for path in pictures)


def test_a_temporary_folder_by_default(script, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(script, "PICTURES", {"impurity_curves": script.impurity_curves})
    monkeypatch.setattr(script.tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    script.main([])
    assert str(tmp_path) in capsys.readouterr().out
    assert (tmp_path / "impurity_curves.png").exists()
