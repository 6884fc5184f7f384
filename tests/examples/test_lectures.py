"""The lectures' examples run and say what the lectures say."""

import importlib.util
from pathlib import Path

import pytest

import spinney

FOLDER = Path(spinney.__file__).parents[1] / "examples"


@pytest.fixture
def run(tmp_path, pictures):
    """Run an example."""
    return lambda name: _run(name, tmp_path, pictures)


def _run(name, folder, pictures):
    """What the example's main returns; the pictures that it left are pictures."""
    spec = importlib.util.spec_from_file_location(f"examples_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.main(str(folder / "new"))
    assert pictures
    assert sorted(pictures) == sorted((folder / "new").glob("*.png"))
    return found


def test_voting(capsys, run):
    accuracy = run("voting")
    assert accuracy["line"] == pytest.approx(0.864)  # as in the lecture
    assert accuracy["forest"] == pytest.approx(0.872, abs=0.04)
    assert accuracy["support vectors"] == pytest.approx(0.888, abs=0.02)
    members = [accuracy[name] for name in ("line", "forest", "support vectors")]
    assert min(accuracy["hard vote"], accuracy["soft vote"]) >= sum(members) / 3
    assert min(accuracy["hard vote"], accuracy["soft vote"]) == pytest.approx(0.896, abs=0.02)
    assert "soft vote" in capsys.readouterr().out


@pytest.mark.slow
def test_bagging(capsys, run):
    accuracy = run("bagging")
    assert accuracy["one tree"] == pytest.approx(0.856)
    assert accuracy["500 trees, 100 rows each"] > accuracy["one tree"] + 0.03
    assert accuracy["the same, pasting"] > accuracy["one tree"] + 0.03
    assert accuracy["500 trees, bootstraps"] == pytest.approx(0.912, abs=0.03)  # the lecture's figures, of other draws
    assert accuracy["out of bag"] == pytest.approx(0.901, abs=0.01)
    assert accuracy["100 trees, disjoint parts"] < accuracy["500 trees, 100 rows each"]
    assert "Out-of-bag" in capsys.readouterr().out


@pytest.mark.slow
def test_adaboost(capsys, run):
    accuracy = run("adaboost")
    assert min(accuracy["SAMME"], accuracy["SAMME.R"]) > 0.88
    assert accuracy["wrong weight"] == 0.5
    printed = capsys.readouterr().out
    assert "SAMME.R" in printed
    assert "0.30 -> 0.42, 3/14 -> 0.65, 3/22 -> 0.92, 1/8 -> 0.97" in printed
    assert "error 0.2, then weights 1/160 and 1/40: the total of each class is 0.50" in printed


def test_gradient_boosting(capsys, run):
    found = run("gradient_boosting")
    assert found["apart"] < 1e-6
    assert 20 < found["best"] < 120
    assert found["error"] == pytest.approx(found["least"])
    assert "<- best" in capsys.readouterr().out


def test_blending(capsys, run):
    accuracy = run("blending")
    worst = min(accuracy[name] for name in ("tree", "neighbours", "support vectors"))
    assert min(accuracy["blending"], accuracy["stacking"]) >= worst
    assert "Coefficients of the final model" in capsys.readouterr().out


def test_forest(capsys, run):
    importance = run("forest")
    assert list(importance.values()) == pytest.approx(
        [0.11, 0.02, 0.44, 0.42], abs=0.06
    )  # as in the lecture, but for chance
    assert sum(importance.values()) == pytest.approx(1.0)
    printed = capsys.readouterr().out
    assert "petal length (cm)" in printed
    assert "Out-of-bag accuracy: 0.9" in printed


@pytest.mark.slow
def test_a_temporary_folder_by_default(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path / prefix))
    spec = importlib.util.spec_from_file_location("examples_bagging", FOLDER / "bagging.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    assert (tmp_path / "spinney-bagging-" / "one_and_many.png").exists()
    assert "1 figure is in" in capsys.readouterr().out
