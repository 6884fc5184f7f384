"""Check the limits on functions, kernels and imports; `make lint` runs it. What exceeds one should be divided.

    python tools/budgets.py

a function        at most 80 lines, without its docstring
a kernel          at most 12 arguments; a NamedTuple or a record groups the rest
a private name    is used only in its own module
the compiler      Numba and llvmlite are imported only by `spinney/_compile`
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "spinney"
MOST_LINES_OF_A_FUNCTION, MOST_ARGUMENTS = 80, 12
_FOR_THE_TEAM = ["rank", "size", "sync"]  # given to every kernel that a team runs: not its own
_COMPILERS = ("numba", "llvmlite")


def main() -> int:
    """Print what is beyond its budget; 1 if anything is."""
    found = [line for path in sorted(PACKAGE.rglob("*.py")) for line in check(path)]
    print("\n".join(found) if found else "All budgets are kept.")
    return 1 if found else 0


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
