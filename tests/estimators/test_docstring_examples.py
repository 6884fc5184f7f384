"""Examples in docstrings of estimators and ensembles are true; test_checks.py runs those of classes."""

import doctest
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import spinney

PACKAGE = Path(spinney.__file__).parent
NEEDS = {"from_xgboost": "xgboost", "from_lightgbm": "lightgbm"}
SLOW = ("estimators.automatic.auto",)
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    for room in ("estimators", "ensemble")
    for path in (PACKAGE / room).rglob("*.py")
    if ">>>" in path.read_text()
)


def examples(name):
    """Of a module; methods that are there only for some models are descriptors, which doctest does not look into."""
    module = import_module(f"spinney.{name}")
    finder = doctest.DocTestFinder(exclude_empty=True)
    yield from finder.find(module, module.__name__)
    for kind in vars(module).values():
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            for key, one in vars(kind).items():
                if hasattr(one, "fn"):
                    yield from finder.find(one.fn, f"{kind.__name__}.{key}", module, globs=vars(module).copy())


@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.slow) if one in SLOW else one for one in MODULES])
def test_examples(name):
    runner, n_run = doctest.DocTestRunner(verbose=False), 0
    for one in examples(name):
        package = NEEDS.get(one.name.rpartition(".")[2])
        if package is None or find_spec(package):
            n_run += bool(one.examples)
            runner.run(one)
    assert n_run
    assert not runner.failures
