"""The examples in the docstrings of methods and functions are true; those of classes are run in test_checks.py."""

import doctest
from importlib import import_module
from importlib.util import find_spec

import pytest

NEEDS = {"from_xgboost": "xgboost", "from_lightgbm": "lightgbm"}
MODULES = (
    "adaboost",
    "adaboost_model",
    "bagging",
    "bagging_answers",
    "bagging_fit",
    "bagging_model",
    "embedding",
    "forest",
    "forest_model",
    "imported",
    "imported_model",
    "isolation",
    "merging",
    "tree",
    "tree_model",
)


def examples(name):
    """Of a module; methods that are there only for some models are descriptors, which doctest does not look into."""
    module = import_module(f"spinney.estimators.{name}")
    finder = doctest.DocTestFinder(exclude_empty=True)
    yield from finder.find(module, module.__name__)
    for kind in vars(module).values():
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            for key, one in vars(kind).items():
                if hasattr(one, "fn"):
                    yield from finder.find(one.fn, f"{kind.__name__}.{key}", module, globs=vars(module).copy())


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    runner, n_run = doctest.DocTestRunner(verbose=False), 0
    for one in examples(name):
        package = NEEDS.get(one.name.rpartition(".")[2])
        if package is None or find_spec(package):
            n_run += bool(one.examples)
            runner.run(one)
    assert n_run
    assert not runner.failures
