"""Public names that are loaded at first use, written once: as imports that type checkers see.

if TYPE_CHECKING:
    from spinney.evaluate.curves import learning_curve as learning_curve

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spinney._interrupts import import_whole


def lazy_names(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions of a package's `__init__.py` whose public names are those it imports if TYPE_CHECKING."""
    homes = {
        alias.name: str(node.module)
        for block in ast.parse(Path(file).read_text("utf-8")).body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import_whole(homes[name])
        vars(sys.modules[package])[name] = value = getattr(sys.modules[homes[name]], name)  # the next time it is there
        return value

    return find, lambda: sorted(homes), sorted(homes)
