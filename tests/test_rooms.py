"""The rooms: each imports only rooms of smaller numbers and what has an underscore; importing does not load Numba."""

import ast
import functools
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

import spinney

PACKAGE = Path(spinney.__file__).parent
ROOMS = [
    "data",
    "criteria",
    "tree",
    "grow",
    "prune",
    "ensemble",
    "gpu",
    "cluster",
    "distributed",
    "view",
    "evaluate",
    "io",
    "explain",
    "estimators",
    "datasets",
    "warmup",
    "reporting",
    "tables",
    "lab",
    "cli",
]
GROUND = ["_compile"]  # the folder below all rooms; the files beside it are `_*.py`
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py" or path.parent != PACKAGE)


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def room_of(module):
    """The room of `spinney.room.file`; None for what lies below the rooms, and for the files beside them."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] not in GROUND and (PACKAGE / parts[1]).is_dir() else None


@functools.cache
def parsed(path):
    return ast.parse(path.read_text())


@functools.cache
def imports(path, deep=True):
    """The modules of this package that a file imports, in its functions too if `deep`; not those for type checkers."""
    found = set()
    waiting = list(parsed(path).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide which room they enter"
            found |= {
                full if (full := f"{node.module}.{alias.name}") in MODULES else node.module for alias in node.names
            }
        elif deep or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += ast.iter_child_nodes(node)
    return {module for module in found if module.split(".")[0] == "spinney"}


def test_every_folder_with_code_is_a_room():
    folders = {path.relative_to(PACKAGE).parts[0] for path in FILES if path.parent != PACKAGE}
    assert folders == {*ROOMS, *GROUND}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_smaller_numbers(room):
    files = [path for module, path in MODULES.items() if room_of(module) == room]
    assert files
    allowed = {*ROOMS[: ROOMS.index(room) + 1], None}
    for path in files:
        for module in imports(path):
            assert room_of(module) in allowed, f"{path.relative_to(PACKAGE)} imports {module}"


PAGE = (PACKAGE.parent / "docs" / "architecture.md").read_text()
SECTIONS = dict(re.findall(r"^### \d+ `(\w+)/`(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL))
A_FILE = re.compile(r"`((?:\w+/)*\w+\.(?:py|html|css|js|txt|toml))`")


def test_the_documented_rooms_are_these():
    """In the order of docs/architecture.md, which is that of imports."""
    rooms = PAGE[PAGE.index("\n## The rooms") :].split("\n## ")[1]
    assert re.findall(r"^### (\d+) `(\w+)/`", rooms, re.MULTILINE) == [(str(k + 1), x) for k, x in enumerate(ROOMS)]


@pytest.mark.parametrize("room", ROOMS)
def test_the_documented_files_are_there(room):
    """Named from their room's folder in its own section."""
    named = A_FILE.findall(SECTIONS[room])
    assert named, f"{room} has no list of files"
    for name in named:
        assert (PACKAGE / room / name).is_file(), f"architecture.md names {name} in {room}/"


def test_all_other_files_of_the_page_are_there():
    """Named from the package or from the project; a name without a folder is that of a module, anywhere."""
    text = PAGE
    for section in SECTIONS.values():
        text = text.replace(section, "")
    for name in A_FILE.findall(text):
        places = [path.name for path in PACKAGE.rglob("*.*")] if "/" not in name else []
        found = name in places or any((top / name).is_file() for top in (PACKAGE, PACKAGE.parent))
        assert found, f"architecture.md names {name}"
    for folder in re.findall(r"`((?:\w+/)+)`", text):
        assert any((top / folder).is_dir() for top in (PACKAGE, PACKAGE.parent)), f"architecture.md names {folder}"


def test_no_cell_of_a_table_is_a_page():
    cells = [cell for line in PAGE.splitlines() if line.startswith("|") for cell in line.strip("|").split("|")]
    assert max(len(cell.split()) for cell in cells) <= 40


@pytest.mark.parametrize("room", ["data", "grow", "ensemble", "estimators"])
def test_a_folder_lists_its_files(room):
    """The docstring of its `__init__.py` says what is where, by name or by a pattern such as `scan_*`."""
    docstring = ast.get_docstring(parsed(PACKAGE / room / "__init__.py"))
    words = set(re.findall(r"[\w*]+", docstring))
    for path in (PACKAGE / room).rglob("*.py"):
        if path.name != "__init__.py":
            assert any(fnmatch(path.stem, word) for word in words), f"{room}/__init__.py does not name {path.name}"
    for name in re.findall(r"\w+\.py", docstring):
        assert any((PACKAGE / room).rglob(name)), f"{room}/__init__.py names {name}"


ABOVE = {PACKAGE / "__init__.py", PACKAGE / "__main__.py"}  # the doors: of the package and of its command line
BELOW = sorted([*(set(PACKAGE.glob("_*.py")) - ABOVE), *PACKAGE.glob("_*/*.py")])


@pytest.mark.parametrize("path", BELOW, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_ground_imports_no_room(path):
    assert {room_of(module) for module in imports(path)} <= {None}


def test_the_door_to_the_compiler_leads_nowhere_else():
    for path in PACKAGE.glob("_compile/*.py"):
        for module in imports(path):
            known = module == "spinney._interrupts" or module.split(".")[:2] == ["spinney", "_compile"]
            assert known, f"{path.name} imports {module}"


def test_nobody_goes_past_the_door():
    """Other modules import from `spinney._compile` itself, not from its files; spinney/gpu has a door of its own."""
    for name, path in MODULES.items():
        if not name.startswith("spinney._compile"):
            inside = {module for module in imports(path) if module.startswith("spinney._compile.")}
            inside -= {"spinney._compile.cuda"} if name.startswith("spinney.gpu") else set()
            assert not inside, f"{name} imports {inside}"


def test_no_circle_of_imports():
    seen, path = set(), []

    def visit(module):
        assert module not in path, f"{' -> '.join([*path, module])}"
        if module in seen or module not in MODULES:
            return
        path.append(module)
        for other in sorted(imports(MODULES[module], deep=False)):
            visit(other)
        path.pop()
        seen.add(module)

    for module in MODULES:
        visit(module)
    assert seen == set(MODULES)


def compilers_named_in(tree):
    """Ways in which a file gets at Numba or llvmlite: imports anywhere, under any name, or by import_module."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append(node.module or "")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            found += [one.value for one in node.args[:1] if isinstance(one, ast.Constant)]
    return [name for name in found if str(name).split(".")[0] in ("numba", "llvmlite")]


@pytest.mark.parametrize(
    "source",
    [
        "import numba as nb",
        "import os, llvmlite.binding as llvm",
        "def f():\n    from numba.core import types",
        "class A:\n    def f(self):\n        if self:\n            import numba.core",
        "import importlib\nimportlib.import_module('numba.core')",
        "__import__('llvmlite')",
    ],
)
def test_no_import_is_overlooked(source):
    assert compilers_named_in(ast.parse(source))


def test_only_one_folder_knows_the_compiler():
    users = {name for name, path in MODULES.items() if compilers_named_in(parsed(path))}
    assert users
    assert {name.split(".")[1] for name in users} == {"_compile"}


IMPORTS = """
import spinney
from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney import *
import spinney.datasets
import spinney.prune
import spinney.criteria
import spinney.explain
spinney.GradientBoostingRegressor(loss=spinney.Loss(len, len)).get_params()
"""


def test_importing_does_not_load_numba():
    """In one process: what none of them loads together, none loads alone."""
    check = "import sys; loaded = {'numba', 'llvmlite'} & set(sys.modules); assert not loaded, loaded"
    subprocess.run([sys.executable, "-c", IMPORTS + check], check=True, timeout=300)


@pytest.mark.slow
def test_importing_does_not_load_what_the_command_line_needs():
    code = "import sys\nimport spinney, spinney.cli\nassert not {'typer', 'rich', 'polars'} & set(sys.modules)"
    every = "from spinney import *\nassert not {'typer', 'polars'} & set(sys.modules)"  # scikit-learn may load rich
    subprocess.run([sys.executable, "-c", f"{code}\n{every}"], check=True, timeout=300)


def test_every_public_name_is_there_and_no_other():
    for name in spinney.__all__:
        found = getattr(spinney, name)
        assert getattr(found, "__module__", found.__name__).startswith("spinney.")
    assert dir(spinney) == sorted([*spinney.__all__, "__version__"])
    for room in (spinney.criteria, spinney.datasets, spinney.evaluate, spinney.explain, spinney.prune, spinney.view):
        assert all(hasattr(room, name) for name in room.__all__)
    assert dir(spinney.view) == sorted(spinney.view.__all__)
    assert dir(spinney.criteria) == sorted(spinney.criteria.__all__)
    with pytest.raises(AttributeError, match=r"module 'spinney\.view' has no attribute 'plot_nothing'"):
        spinney.view.plot_nothing  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'spinney\.criteria' has no attribute 'purity'"):
        spinney.criteria.purity  # noqa: B018
    with pytest.raises(AttributeError, match="module 'spinney' has no attribute 'Forest'"):
        spinney.Forest  # noqa: B018


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("RandomForest", "'RandomForestClassifier' or 'RandomForestRegressor'"),
        ("Kmeans", "'KMeans'"),
        ("DecisionTreeClasifier", "'DecisionTreeClassifier' or 'ExtraTreeClassifier'"),
    ],
)
def test_typos_are_answered_with_what_was_meant(typo, meant):
    message = f"module 'spinney' has no attribute '{typo}'. Did you mean {meant}?"
    with pytest.raises(AttributeError, match=re.escape(message)):
        getattr(spinney, typo)
    with pytest.raises(AttributeError, match=r"has no attribute '__wrapped__'$"):
        spinney.__wrapped__  # noqa: B018
