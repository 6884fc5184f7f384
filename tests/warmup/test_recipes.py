"""Every recipe is a fit that works: what `python -m spinney.warmup --all` compiles is what users' tables need."""

import warnings

import pytest

from spinney._compile import PLAIN_PYTHON
from spinney.warmup.recipes import families
from tests.compiled import THOROUGH


@pytest.mark.slow
@pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python compiles nothing")
@pytest.mark.parametrize("family", families())
def test_every_recipe_works(family):
    every, some = (list(families()[family](one)) for one in (True, False))
    assert len(every) > len(some) > 4
    recipes = every if THOROUGH else some
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for label, recipe in recipes:
            try:
                recipe()
            except Exception as error:
                raise AssertionError(f"{family}: {label}") from error


def test_recipes_do_not_change_each_others_tables():
    """They are made before the first one runs, and must not share a name that is bound again later."""
    for family in families().values():
        for label, recipe in family(THOROUGH):
            table = getattr(recipe, "args", (None, None))[1]
            if table is not None and "strings" in label:
                assert table.dtype == object, label
