"""Examples in docstrings of functions and methods are true; `test_checks` has those of some classes."""

import doctest
import importlib

import pytest

MODULES = (
    *("estimators.bayesian_mixture", "estimators.bisecting_kmeans", "estimators.bucket", "estimators.c50"),
    *("estimators.classic", "estimators.components", "estimators.composition", "estimators.elbow"),
    *("estimators.kmeans", "estimators.minibatch_kmeans", "estimators.mixture", "estimators.mixture_model"),
    *("estimators.model_averaging", "estimators.rank_voting", "estimators.stacking", "estimators.voting"),
    *("ensemble.bucket", "ensemble.members", "ensemble.selection", "ensemble.stacking", "ensemble.voting"),
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(f"spinney.{name}"))
    assert result.attempted
    assert not result.failed


@pytest.mark.slow
def test_examples_in_docstrings_of_automatic_models():
    result = doctest.testmod(importlib.import_module("spinney.estimators.automatic.auto"))
    assert result.attempted
    assert not result.failed
