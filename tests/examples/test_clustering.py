"""examples/clustering.py runs, says the lectures' numbers and leaves pictures."""

import importlib.util
from pathlib import Path

import matplotlib.image
import pytest

import spinney

SCRIPT = Path(spinney.__file__).parents[1] / "examples" / "clustering.py"


@pytest.mark.slow
def test_pictures_and_numbers(tmp_path, capsys, pictures):
    spec = importlib.util.spec_from_file_location("examples_clustering", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main([str(tmp_path / "pictures")])
    printed = capsys.readouterr().out
    for number in (
        "densities 0.12 and 0.06, responsibilities 0.65 and 0.35",
        "means -3.99 and 4.01",
        "the elbow suggests 4 clusters",
    ):
        assert number in printed
    for name in ("MiniBatchKMeans", "BisectingKMeans", "BayesianGaussianMixture"):
        (line,) = [line for line in printed.splitlines() if line.startswith(name)]
        assert line.split()[2] == "4"
        assert float(line.split()[3]) > 0.9
    drawn = sorted((tmp_path / "pictures").iterdir())
    assert [path.stem for path in drawn] == sorted(script.PICTURES)
    assert sorted(pictures) == drawn
    assert all(matplotlib.image.imread(path).shape[1] > 800 for path in drawn)
