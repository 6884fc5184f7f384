"""The lectures' examples run and say what the lectures say."""

import importlib.util
from pathlib import Path

import matplotlib.image
import pytest

import spinney

FOLDER = Path(spinney.__file__).parents[1] / "examples"


def run(name, folder):
    """What the example's main returns; the pictures that it left are pictures."""
    spec = importlib.util.spec_from_file_location(f"examples_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.main(str(folder / "new"))
    pictures = list((folder / "new").glob("*.png"))
    assert pictures
    for path in pictures:
        assert matplotlib.image.imread(path).std() > 0.05  # not blank
    return found


def test_voting(capsys, tmp_path):
    accuracy = run("voting", tmp_path)
    assert accuracy["line"] == pytest.approx(0.864)  # as in the lecture
    assert accuracy["forest"] == pytest.approx(0.872, abs=0.04)
    assert accuracy["support vectors"] == pytest.approx(0.888, abs=0.02)
    members = [accuracy[name] for name in ("line", "forest", "support vectors")]
    assert min(accuracy["hard vote"], accuracy["soft vote"]) >= sum(members) / 3
    assert min(accuracy["hard vote"], accuracy["soft vote"]) == pytest.approx(0.896, abs=0.02)
    assert "soft vote" in capsys.readouterr().out


def test_bagging(capsys, tmp_path):
    accuracy = run("bagging", tmp_path)
    assert accuracy["one tree"] == pytest.approx(0.856)
    assert accuracy["500 trees, 100 rows each"] > accuracy["one tree"] + 0.03
    assert accuracy["the same, pasting"] > accuracy["one tree"] + 0.03
    assert accuracy["500 trees, bootstraps"] == pytest.approx(0.912, abs=0.03)  # the lecture's figures, of other draws
    assert accuracy["out of bag"] == pytest.approx(0.901, abs=0.01)
    assert accuracy["100 trees, disjoint parts"] < accuracy["500 trees, 100 rows each"]
    assert "Out of bag" in capsys.readouterr().out


def test_adaboost(capsys, tmp_path):
    accuracy = run("adaboost", tmp_path)
    assert min(accuracy["SAMME"], accuracy["SAMME.R"]) > 0.88
    assert accuracy["wrong weight"] == 0.5
    printed = capsys.readouterr().out
    assert "SAMME.R" in printed
    assert "0.30 -> 0.42, 3/14 -> 0.65, 3/22 -> 0.92, 1/8 -> 0.97" in printed
    assert "error 0.2, then weights 1/160 and 1/40: each class weighs 0.50" in printed


def test_gradient_boosting(capsys, tmp_path):
    found = run("gradient_boosting", tmp_path)
    assert found["apart"] < 1e-6
    assert 20 < found["best"] < 120
    assert found["error"] == pytest.approx(found["least"])
    assert "<- best" in capsys.readouterr().out


def test_blending(capsys, tmp_path):
    accuracy = run("blending", tmp_path)
    worst = min(accuracy[name] for name in ("tree", "neighbours", "support vectors"))
    assert min(accuracy["blending"], accuracy["stacking"]) >= worst
    assert "Whom the blender trusts" in capsys.readouterr().out


def test_forest(capsys, tmp_path):
    importance = run("forest", tmp_path)
    assert list(importance.values()) == pytest.approx(
        [0.11, 0.02, 0.44, 0.42], abs=0.06
    )  # as in the lecture, but for chance
    assert sum(importance.values()) == pytest.approx(1.0)
    printed = capsys.readouterr().out
    assert "petal length (cm)" in printed
    assert "Out of bag 0.9" in printed


def test_a_temporary_folder_by_default(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path / prefix))
    spec = importlib.util.spec_from_file_location("examples_bagging", FOLDER / "bagging.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    assert (tmp_path / "spinney-bagging-" / "one_and_many.png").exists()
    assert "1 picture is in" in capsys.readouterr().out
