"""The rooms: each imports only rooms of smaller numbers and the `_*.py` files, and importing does not load Numba."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import spinney

PACKAGE = Path(spinney.__file__).parent
ROOMS = ["data", "criteria", "tree", "grow", "backends", "ensemble", "estimators"]
SIDE_ROOMS = ["evaluate", "datasets", "classic", "cluster", "prune", "view"]
MAY_USE_SIDE_ROOMS = {"ensemble", "estimators"}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py" or path.parent != PACKAGE)


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def room_of(module):
    """The room of `spinney.room.file`; None for the files beside the rooms."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else None


def imports(path, deep=True):
    """The modules of this package that a file imports, in its functions too if `deep`; not those for type checkers."""
    tree = ast.parse(path.read_text())
    found = set()
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
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
    assert folders == {*ROOMS, *SIDE_ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_smaller_numbers(room):
    files = [path for module, path in MODULES.items() if room_of(module) == room]
    assert files
    allowed = {*ROOMS[: ROOMS.index(room) + 1], None, *(SIDE_ROOMS if room in MAY_USE_SIDE_ROOMS else [])}
    for path in files:
        for module in imports(path):
            assert room_of(module) in allowed, f"{path.relative_to(PACKAGE)} imports {module}"


def rooms_behind(module):
    """The rooms that a file of a side room leads to, by itself or through other files of side rooms."""
    found, seen, waiting = set(), set(), [module]
    while waiting:
        module = waiting.pop()
        seen.add(module)
        others = imports(MODULES[module])
        found |= {room_of(other) for other in others} & set(ROOMS)
        waiting += [other for other in others - seen if room_of(other) in SIDE_ROOMS]
    return found


def test_what_rooms_use_of_side_rooms_does_not_lead_back():
    used = {
        (room_of(name), module)
        for name, path in MODULES.items()
        if room_of(name) in ROOMS
        for module in imports(path)
        if room_of(module) in SIDE_ROOMS
    }
    assert used  # or this test has lost its subject
    for room, module in used:
        smaller = set(ROOMS[: ROOMS.index(room)])
        assert rooms_behind(module) <= smaller, f"{room} uses {module}"


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("_*.py")), ids=lambda path: path.name)
def test_the_ground_imports_no_room(path):
    if path.name != "__init__.py":
        assert {room_of(module) for module in imports(path)} <= {None}


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


def test_few_files_know_numba():
    users = {
        module
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Import) and any(alias.name.startswith("numba") for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba"))
    }
    # losses.py and own.py overload functions by type, custom.py reads a compiled function's type
    criteria = {f"spinney.criteria.{name}" for name in ("losses", "custom", "own")}
    # inner loops of clustering, written in LLVM's vectors
    clustering = {f"spinney.cluster.{name}" for name in ("vectors", "nearest", "moments")}
    assert users == {"spinney._jit", "spinney._team", *criteria, *clustering}


@pytest.mark.parametrize(
    "code",
    [
        "import spinney",
        "from spinney import GradientBoostingClassifier, GradientBoostingRegressor",
        "from spinney import *",
        "import spinney.datasets",
        "import spinney.prune",
        "import spinney; spinney.GradientBoostingRegressor(loss=spinney.Loss(len, len)).get_params()",
    ],
)
def test_importing_does_not_load_numba(code):
    check = "import sys; loaded = {'numba', 'llvmlite'} & set(sys.modules); assert not loaded, loaded"
    subprocess.run([sys.executable, "-c", f"{code}\n{check}"], check=True, timeout=120)


def test_every_public_name_is_there_and_no_other():
    for name in spinney.__all__:
        assert getattr(spinney, name).__module__.startswith("spinney.")
        assert name in dir(spinney)
    with pytest.raises(AttributeError, match="module 'spinney' has no attribute 'Forest'"):
        spinney.Forest  # noqa: B018
