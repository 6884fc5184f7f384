"""Build the source distribution and the wheel, install the wheel in a new environment, and try it there: `make dist`.

The wheel is built from the source distribution, so that a file that is missing in one of them is noticed. `--tests`
also runs the quick tests: those of the source distribution, without its package, on the installed one.

    python tools/try_install.py [--tests] [--offline] [--out dist]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRY = """
import sys, spinney
from spinney.datasets import load_penguins
assert "site-packages" in spinney.__file__, spinney.__file__
X, y = load_penguins()
model = spinney.GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
assert model.score(X, y) > 0.95
print(spinney.__version__, model.fingerprint_)
"""


def main(arguments: list[str] | None = None) -> None:
    given = parse(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = build(ROOT, given.out, "sdist", "*.tar.gz")
        with tarfile.open(source) as archive:
            archive.extractall(work, filter="data")
        unpacked = next(path for path in work.iterdir() if path.is_dir())
        wheel = build(unpacked, given.out, "wheel", "*.whl")
        python = install(work / "environment", wheel, given.offline, given.tests)
        shutil.rmtree(unpacked / "spinney")
        kernels = work / "kernels"
        kernels.mkdir(mode=0o700)
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment |= {"SPINNEY_CACHE_DIR": str(kernels), "SPINNEY_QUICK": "1"}
        subprocess.run([python, "-c", TRY], check=True, cwd=work, env=environment)
        subprocess.run([python.parent / "spinney", "--version"], check=True, cwd=work, env=environment)
        if given.tests:
            quick = ["-m", "pytest", "-m", "not slow", "-n", "4", "--dist", "worksteal", *without_sources()]
            subprocess.run([python, *quick], check=True, cwd=unpacked, env=environment)
    for path in (source, wheel):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    wanted = argparse.ArgumentParser(description="Build and try the distribution.")
    wanted.add_argument("--tests", action="store_true", help="run the quick tests, too")
    wanted.add_argument("--offline", action="store_true", help="take the dependencies from this environment")
    wanted.add_argument("--out", type=Path, default=ROOT / "dist")
    return wanted.parse_args(arguments)


def build(project: Path, out: Path, target: str, pattern: str) -> Path:
    """The one file that hatchling makes of a project."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", folder]
        subprocess.run(command, check=True, cwd=project, stdout=subprocess.DEVNULL)
        made = next(Path(folder).glob(pattern))
        return Path(shutil.copy2(made, out / made.name))


def install(environment: Path, wheel: Path, offline: bool, tests: bool) -> Path:
    """A new environment with the wheel; its Python."""
    venv.create(environment, with_pip=True, system_site_packages=False)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if offline:  # the packages of the environment that runs this, but not its Spinney
        paths = [path for path in sys.path if path.endswith("site-packages")]
        there = subprocess.run([python, "-c", "import site; print(site.getsitepackages()[0])"], **TEXT)
        (Path(there.stdout.strip()) / "borrowed.pth").write_text("\n".join(paths) + "\n")
        subprocess.run([*pip, "--no-deps", wheel], check=True)
        return python
    subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)
    subprocess.run([*pip, f"{wheel}[cli,datasets]"], check=True)
    if tests:
        groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
        subprocess.run([*pip, *groups["test"]], check=True)
    return python


def without_sources() -> list[str]:
    """Tests of the repository itself: of files beside the package, or of its sources as files in their folder."""
    tests = ["tests/docs", "tests/tools", "tests/test_rooms.py", "tests/test_distribution.py", "tests/test_walks.py"]
    return [f"--ignore={path}" for path in tests]


TEXT = {"check": True, "capture_output": True, "text": True}

if __name__ == "__main__":
    main()
