"""The distribution: one name and one range of Python versions in pyproject.toml, code, guides and Makefile."""

import re
import tomllib
from pathlib import Path

import pytest

import spinney
from spinney._distribution import DISTRIBUTION, install_command

ROOT = Path(__file__).parents[1]
TABLES = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, GROUPS = TABLES["project"], set(TABLES["dependency-groups"])
TEXTS = [
    *ROOT.glob("*.md"),
    ROOT / "Makefile",
    *(
        path
        for folder in ("docs", "spinney", "examples")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".md", ".py")
    ),
]


def test_the_name():
    assert PROJECT["name"] == DISTRIBUTION
    assert install_command("cli") == "pip install 'spinney-trees[cli]'"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_install_this_distribution_and_extras_that_exist(path):
    text = path.read_text()
    if path.name != "CHANGELOG.md":  # on PyPI `spinney` is another project
        assert re.findall(r"pip install[^\n`]*[ '\"]spinney(?![\w./-])[^\n`]*", text) == []
    extras = re.findall(rf"{DISTRIBUTION}\[([\w,]+)\]", text) + re.findall(r"install_command\(['\"](\w+)", text)
    named = {name for one in extras for name in one.split(",")}
    assert named <= set(PROJECT["optional-dependencies"])


def test_code_takes_the_command_from_one_place():
    """Docstrings and messages of code that name an extra themselves would miss a change of the name."""
    other = [path for path in (ROOT / "spinney").rglob("*.py") if path.name != "_distribution.py"]
    assert [str(path) for path in other if re.search(rf"['\"]{DISTRIBUTION}\[", path.read_text())] == []


def test_the_guides_list_the_extras_of_users():
    for_users = set(PROJECT["optional-dependencies"])
    listed = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "installing.md").read_text(), re.MULTILINE))
    assert listed == for_users
    argued = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE))
    assert argued == for_users | GROUPS


def test_the_makefile_knows_which_sets_are_groups():
    named = re.search(r"^GROUPS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(named[1].split()) == GROUPS
    assert not GROUPS & set(PROJECT["optional-dependencies"])  # a stamp of `make` is named after one of them


def test_the_version_is_written_once():
    assert PROJECT["dynamic"] == ["version"]
    assert re.search(
        rf'^version: "?{re.escape(spinney.__version__)}"?$', (ROOT / "CITATION.cff").read_text(), re.MULTILINE
    )


def test_the_versions_of_python():
    versions = [one.split(" :: ")[-1] for one in PROJECT["classifiers"] if " :: Python :: 3." in one]
    first, last = versions[0], versions[-1]
    following = f"3.{int(last.split('.')[1]) + 1}"
    assert PROJECT["requires-python"] == f">={first},<{following}"
    comma = ", ".join
    made = (ROOT / "Makefile").read_text()
    assert f"({comma(first.split('.'))}) <= sys.version_info < ({comma(following.split('.'))})" in made
    for name in ("README.md", "CONTRIBUTING.md", "Makefile", "docs/installing.md", "docs/dependencies.md"):
        assert f"{first} to {last}" in (ROOT / name).read_text(), name
    assert all(f"python{version}" in (ROOT / ".ci" / "versions").read_text() for version in versions)
