"""Check the limits on functions, kernels, imports and private names, and the ledger of rooms; `make lint` runs it.

    python tools/budgets.py             # what exceeds a limit
    python tools/budgets.py --update    # write the ledger: what the package has now
    python tools/budgets.py --lengths   # also list files below 60 lines or above 900: are they a stage each?
    python tools/budgets.py --private   # also list the private attributes of other objects

a function         at most 80 lines, without its docstring
a kernel           at most 12 arguments; a NamedTuple or a record groups the rest
a private name     is used only in its own module
the compiler       Numba and llvmlite are imported only by `spinney/_compile`
a room             has at most the files and lines of `tools/ledger.toml`, and a little more
private attributes of other objects: in the core rooms, and in all others, at most as many as the ledger says. Those
of other libraries do not count: no file of the package defines their names.
`--update` only lowers these.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent / "spinney"
LEDGER = Path(__file__).parent / "ledger.toml"
MOST_LINES_OF_A_FUNCTION, MOST_ARGUMENTS = 80, 12
SHORT_FILE, LONG_FILE = 60, 900  # lines: not a limit
GROWTH = 0.01  # by which a room may exceed its lines in the ledger, and at least by
SOME_LINES, SOME_FILES = 60, 1  # this many lines and files
CORE = ("grow", "tree", "data", "criteria", "ensemble", "estimators", "cluster", "prune")
_FOR_THE_TEAM = ["rank", "size", "sync"]  # given to every kernel that a team runs: not its own
_COMPILERS = ("numba", "llvmlite")
_TUPLES = ("_replace", "_asdict", "_fields", "_field_defaults", "_make")  # public, of every NamedTuple
_BY_NAME = ("getattr", "hasattr", "setattr", "delattr")
_ITSELF = ("self", "cls", "sys", "os")  # and the standard library's
_THEIRS = ("_parameter_constraints",)  # scikit-learn's, which our estimators have too
_HEADING = """\
# What the package has: files and lines of every room, and private attributes of other objects, in the core rooms and in
# all others.
# `python tools/budgets.py --update` writes this file. A change that raises a room says in its commit message what users
# get for it, or what it takes away elsewhere.
"""


class Room(NamedTuple):
    files: int
    lines: int


def main(arguments: list[str] | None = None) -> int:
    """Print what is beyond its budget; 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python tools/budgets.py", description="Check the budgets of the package.")
    parser.add_argument("--update", action="store_true", help="write the ledger")
    parser.add_argument("--lengths", action="store_true", help="list very short and very long files, too")
    parser.add_argument("--private", action="store_true", help="list private attributes of other objects, too")
    chosen = parser.parse_args(arguments)
    if chosen.update:
        update()
    if chosen.lengths:
        print("".join(f"{line}\n" for path in sources() for line in unusual_length(path)), end="")
    if chosen.private:
        print("".join(f"{line}\n" for path in sources() for line in private_attributes(path)), end="")
    found = [line for path in sources() for line in check(path)]
    found += check_ledger()
    print("\n".join(found) if found else "All budgets are kept.")
    return 1 if found else 0


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_sources(is_core: bool) -> list[Path]:
    """The files of the core rooms, or of all other rooms; not those of the ground."""
    rooms = {path: path.relative_to(PACKAGE).parts[0] for path in sources() if path.parent != PACKAGE}
    return [path for path, room in rooms.items() if not room.startswith("_") and (room in CORE) == is_core]


def check(path: Path) -> Iterator[str]:
    """What is beyond its budget in one file."""
    source = path.read_text()
    place = path.relative_to(PACKAGE.parent)
    module = ".".join(place.with_suffix("").parts)
    for node in ast.walk(ast.parse(source)):
        for complaint in complaints(node, module):
            yield f"{place}:{getattr(node, 'lineno', 1)}: {complaint}"


def complaints(node: ast.AST, module: str) -> Iterator[str]:
    """What is wrong with one statement of a module."""
    if isinstance(node, ast.FunctionDef):
        if (n := n_lines(node)) > MOST_LINES_OF_A_FUNCTION:
            yield f"{node.name} has {n} lines"
        if is_kernel(node) and (n := n_arguments(node)) > MOST_ARGUMENTS:
            yield f"kernel {node.name} has {n} arguments"
    elif isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names]
        homes = names if isinstance(node, ast.Import) else [node.module or ""]
        if not module.startswith("spinney._compile") and any(home.split(".")[0] in _COMPILERS for home in homes):
            yield "imports the compiler"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spinney"):
            for name in names:
                if name.startswith("_") and not is_module(f"{node.module}.{name}"):
                    yield f"imports the private name {name} of {node.module}"


# --- the ledger ------------------------------------------------------------------------------------------------------


def check_ledger() -> Iterator[str]:
    """What has grown beyond the ledger."""
    rooms, *most = read_ledger()
    for name, has in count_rooms().items():
        if name not in rooms:
            yield f"{name} is not in {LEDGER.name}. Run `python tools/budgets.py --update` and say what it is for."
            continue
        had = rooms[name]
        lines = had.lines + max(SOME_LINES, round(GROWTH * had.lines))
        for number, allowed, what in (has.lines, lines, "lines"), (has.files, had.files + SOME_FILES, "files"):
            if number > allowed:
                yield (
                    f"{name} has {number:,} {what}, {allowed:,} are allowed. Take some away, or run "
                    "`python tools/budgets.py --update` and say in the commit message what users get for them."
                )
    for is_core, allowed in zip((True, False), most):
        if allowed is not None and (number := count_private(is_core)) > allowed:
            yield (
                f"the {'core' if is_core else 'outer'} rooms use {number} private attributes of other objects, "
                f"{allowed} are allowed. Give what you need a public name where it is defined; "
                "`python tools/budgets.py --private` lists all."
            )


def read_ledger() -> tuple[dict[str, Room], int, int | None]:
    """The rooms, and how many private attributes of other objects there may be in the core and outside."""
    if not LEDGER.exists():
        return {}, 0, 0
    ledger = tomllib.loads(LEDGER.read_text())
    rooms = {name: Room(**room) for name, room in ledger["rooms"].items()}
    return rooms, ledger["private_attributes"], ledger.get("outer_private_attributes")


def update() -> None:
    """Write what there is; the numbers of private attributes are only ever lowered."""
    numbers = [count_private(is_core) for is_core in (True, False)]
    if LEDGER.exists():
        numbers = [now if had is None else min(now, had) for now, had in zip(numbers, read_ledger()[1:])]
    rooms = "".join(f"{name} = {{ files = {n.files}, lines = {n.lines} }}\n" for name, n in count_rooms().items())
    inside, outside = numbers
    private = f"private_attributes = {inside}\nouter_private_attributes = {outside}\n"
    LEDGER.write_text(f"{_HEADING}\n{private}\n[rooms]\n{rooms}")


def count_rooms() -> dict[str, Room]:
    """Every folder of the package, and the files beside them as "top"."""
    rooms: dict[str, Room] = {}
    for path in sources():
        parts = path.relative_to(PACKAGE).parts
        name = parts[0] if len(parts) > 1 else "top"
        has = rooms.get(name, Room(0, 0))
        rooms[name] = Room(has.files + 1, has.lines + len(path.read_text().splitlines()))
    return dict(sorted(rooms.items()))


def unusual_length(path: Path) -> Iterator[str]:
    """A line if a file is very short or very long; `__init__.py` may be short."""
    n = len(path.read_text().splitlines())
    if n > LONG_FILE or (n < SHORT_FILE and path.name != "__init__.py"):
        yield f"{path.relative_to(PACKAGE.parent)} has {n} lines"


# --- private attributes ----------------------------------------------------------------------------------------------


def count_private(is_core: bool) -> int:
    return sum(1 for path in room_sources(is_core) for _ in private_attributes(path))


def private_attributes(path: Path) -> Iterator[str]:
    """Every use of a private attribute of another object, if it is defined in another module of the package."""
    module = ast.parse(path.read_text())
    own, ours = defined_in(module), defined_in_package(PACKAGE)
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute):
            owner, name = node.value, node.attr
        elif isinstance(node, ast.Call) and is_by_name(node):
            owner, name = node.args[0], ast.literal_eval(node.args[1])
        else:
            continue
        if is_private(name) and name in ours and name not in own and not is_itself(owner):
            yield f"{path.relative_to(PACKAGE.parent)}:{node.lineno}: {ast.unparse(node)}"


@cache
def defined_in_package(package: Path) -> frozenset[str]:
    """The private names that some file of a package defines."""
    found = [defined_in(ast.parse(path.read_text())) for path in package.rglob("*.py")]
    return frozenset().union(*found) - {*_THEIRS}


def defined_in(module: ast.Module) -> set[str]:
    """The names that a module defines, as functions, variables, or attributes of `self`."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_itself(node.value):
            found.add(node.attr)
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in _TUPLES


def is_by_name(call: ast.Call) -> bool:
    """Whether a call is `getattr(owner, "name")` or of its family."""
    if not isinstance(call.func, ast.Name) or call.func.id not in _BY_NAME or len(call.args) < 2:
        return False
    return isinstance(call.args[1], ast.Constant) and isinstance(call.args[1].value, str)


def is_itself(node: ast.expr) -> bool:
    """Whether an expression is the object whose method this is: `self`, `cls`, `type(self)`, `super()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "super" or (node.func.id == "type" and all(map(is_itself, node.args)))
    return isinstance(node, ast.Name) and node.id in _ITSELF


# --- functions -------------------------------------------------------------------------------------------------------


def n_lines(function: ast.FunctionDef) -> int:
    """A function's lines, without its docstring."""
    body = function.body
    has_docstring = ast.get_docstring(function) is not None
    docstring = (body[0].end_lineno or 0) - body[0].lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def n_arguments(function: ast.FunctionDef) -> int:
    names = [one.arg for one in function.args.args]
    return len(names) - 3 if names[:3] == _FOR_THE_TEAM else len(names)


def is_kernel(function: ast.FunctionDef) -> bool:
    return any("kernel" in ast.unparse(decorator) for decorator in function.decorator_list)


def is_module(name: str) -> bool:
    path = PACKAGE.parent / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


if __name__ == "__main__":
    sys.exit(main())
