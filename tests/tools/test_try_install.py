"""The distribution is built, installed in a new environment, and a model is fitted there."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import spinney

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_distribution_can_be_installed(tmp_path):
    pytest.importorskip("hatchling")
    command = [sys.executable, "tools/try_install.py", "--offline", "--out", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(rf"^{re.escape(spinney.__version__)} \w{{32}}$", ran.stdout, re.MULTILINE)
    wheel, source = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    names = zipfile.ZipFile(next(wheel)).namelist()
    assert {"spinney/py.typed", "spinney/datasets/data/penguins.csv"} <= set(names)
    assert all(name.split("/")[0] in ("spinney", f"spinney_trees-{spinney.__version__}.dist-info") for name in names)
    with tarfile.open(next(source)) as archive:
        inside = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    assert {"pyproject.toml", "Makefile", "CITATION.cff", "LICENSE", "tools/wheel_hook.py"} <= inside
