"""A public class name of the core means one thing in the whole package."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "spinney"
CORE = {"grow", "tree", "data", "criteria", "ensemble", "estimators", "cluster", "prune", "_compile", "warmup"}
TWICE = {"Part", "Rounds"}


def test_names_are_not_used_twice():
    rooms = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                rooms[node.name].append(path.relative_to(PACKAGE).parts[0])
    assert {name for name, homes in rooms.items() if len(homes) > 1 and CORE & set(homes)} == set()
