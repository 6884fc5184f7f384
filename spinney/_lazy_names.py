"""Public names that are loaded at first use, written once: as imports that type checkers see.

if TYPE_CHECKING:
    from spinney.evaluate.curves import learning_curve as learning_curve

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from spinney._interrupts import import_whole

# scikit-learn and SciPy cannot be imported in several threads at once: their modules wait for each other
_importing = threading.RLock()


def lazy_names(
    package: str, file: str, unlisted: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions of a package's `__init__.py` whose public names are those it imports if TYPE_CHECKING.

    Some may be left unlisted: they are found, but not shown.
    """
    homes = _homes(package, file)
    listed = sorted(set(homes) - set(unlisted))
    version = ["__version__"] if hasattr(sys.modules[package], "__version__") else []

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_meant(name, listed)}", name=name)
        home = homes[name]
        with _importing:
            import_whole(home)
        found = sys.modules[home]
        value = found if home == f"{package}.{name}" else getattr(found, name)
        vars(sys.modules[package])[name] = value  # the next time it is simply there
        return value

    return find, lambda: sorted(listed + version), listed


def _homes(package: str, file: str) -> dict[str, str]:
    """Public name -> the module that it lives in, or is."""
    return {
        alias.name: f"{package}.{alias.name}" if node.module == package else str(node.module)
        for block in ast.parse(Path(file).read_text("utf-8")).body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _meant(name: str, listed: list[str]) -> str:
    """What a name that does not exist may have been meant to be, as the end of a sentence."""
    from difflib import get_close_matches

    if name.startswith("_"):
        return ""  # Python's own questions, which nobody reads the answers to
    known = {one.lower(): one for one in listed}
    longer = [one for small, one in known.items() if small.startswith(name.lower())]
    close = [known[one] for one in get_close_matches(name.lower(), known, n=2, cutoff=0.7)]
    found = [repr(one) for one in (longer[:3] or close)]
    return f". Did you mean {' or '.join(found)}?" if found else ""
