"""What is built: the sdist, the wheel made from it, and the wheel of one platform that carries compiled kernels."""

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import spinney
from spinney._compile.settings import LEVEL_FEATURES, LEVELS
from spinney._distribution import DISTRIBUTION
from tools import build_wheel

ROOT = build_wheel.ROOT
NAME = DISTRIBUTION.replace("-", "_")


def build(source, target, out):
    """The one file that hatchling builds from a folder."""
    pytest.importorskip("hatchling", reason="the build needs hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(out)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (found,) = out.iterdir()
    return found


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """Made from the sdist, which must lack nothing for it."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return build(source, "wheel", tmp_path_factory.mktemp("wheel"))


def data_files():
    """What the package has besides Python: tables, pages, names, the mark of typed packages."""
    package = ROOT / "spinney"
    without = ("__pycache__", "_kernels")
    found = [path for path in package.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    return {str(path.relative_to(ROOT)) for path in found if not set(without) & set(path.parts)}


def test_the_sdist(sdist):
    assert sdist.name == f"{NAME}-{spinney.__version__}.tar.gz"
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = ["pyproject.toml", "LICENSE", "README.md", "Makefile", "tools/wheel_hook.py", "tests/compiled.py"]
    assert names >= {*wanted, *data_files()}


def test_the_wheel(wheel):
    assert wheel.name == f"{NAME}-{spinney.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = Parser().parsestr(archive.read(f"{NAME}-{spinney.__version__}.dist-info/METADATA").decode())
        commands = archive.read(f"{NAME}-{spinney.__version__}.dist-info/entry_points.txt").decode()
    assert about["Name"] == DISTRIBUTION
    assert "spinney = spinney.cli:main" in commands
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "spinney").rglob("*.py")}
    assert names >= modules | data_files()
    assert {name.partition("/")[0] for name in names} == {"spinney", f"{NAME}-{spinney.__version__}.dist-info"}


def test_compiled_kernels_make_a_wheel_for_one_platform(tmp_path):
    build_wheel.copy_sources(tmp_path / "sources")
    kernels = tmp_path / "sources" / "spinney" / "_kernels" / "some"
    kernels.mkdir(parents=True)
    (kernels / "one.bin").write_bytes(b"kernel")
    (tmp_path / "out").mkdir()
    found = build(tmp_path / "sources", "wheel", tmp_path / "out")
    assert not found.name.endswith("-any.whl")
    assert f"-cp{sys.version_info.major}{sys.version_info.minor}-" in found.name
    with zipfile.ZipFile(found) as archive:
        assert archive.read("spinney/_kernels/some/one.bin") == b"kernel"


def test_what_is_not_python_is_known():
    """The files that a wheel must carry are looked for where they are."""
    known = data_files()
    assert {"spinney/py.typed", "spinney/io/c_names.txt"} <= known
    for folder, suffix in [
        ("datasets/data", ".gz"),
        ("lab/static", ".js"),
        ("reporting", ".html"),
        ("reporting", ".css"),
    ]:
        assert [one for one in known if one.startswith(f"spinney/{folder}/") and one.endswith(suffix)], (folder, suffix)


def test_sources_are_copied_without_caches(tmp_path, monkeypatch):
    here = tmp_path / "here"
    for name in ("spinney/__pycache__/a.pyc", "spinney/_kernels/x/a.bin", "spinney/a.py", "tools/b.py"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).touch()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (here / name).write_text(name)
    monkeypatch.setattr(build_wheel, "ROOT", here)
    build_wheel.copy_sources(tmp_path / "there")
    found = {str(path.relative_to(tmp_path / "there")) for path in (tmp_path / "there").rglob("*") if path.is_file()}
    assert found == {"spinney/a.py", "tools/b.py", "pyproject.toml", "README.md", "LICENSE"}


@pytest.mark.parametrize("best", [*LEVELS, None])
def test_levels_that_run_here(monkeypatch, best):
    monkeypatch.setattr("spinney._compile.settings.host_level", lambda: best)
    found = build_wheel.runnable_levels()
    assert found == ([] if best is None else ["x86-64-v4", "x86-64-v3"][list(LEVELS).index(best) :])
    assert set(found) <= set(LEVEL_FEATURES)


def test_no_level_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["build_wheel.py", "--levels", ",", "--out", str(tmp_path)])
    monkeypatch.setattr(build_wheel, "ROOT", Path(tmp_path))  # nothing of the sources is touched
    with pytest.raises(SystemExit, match="none of the levels"):
        build_wheel.main()
    assert list(tmp_path.iterdir()) == []
