"""Linear leaves in files: what is forged is refused; and formats that have no words for them say so."""

import copy
from functools import cache

import numpy as np
import pytest

import spinney
from tests.families import FITS, table
from tests.io.forging import Parts, saved


@cache
def whole():
    return Parts(saved(FITS["boosting-linear"]()))


def put(field, index, value):
    def change(parts):
        parts.array("Forest", field)[index] = value

    return change


def shorten(field):
    def change(parts):
        parts.arrays[parts.number("Forest", field)] = parts.array("Forest", field)[:-1]

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put("term_column", 0, 4), "uses a column that does not exist"),
        (put("term_column", 0, 3), "is not asked about on the way"),
        (put("term", (0, 0), np.nan), "Slopes and centres must be finite"),
        (put("term", (0, 1), np.inf), "Slopes and centres must be finite"),
        (put("term", (0, 2), np.nan), "Slopes and centres must be finite"),
        (put("term", (0, 3), -1e300), "A centre is out of range"),
        (put("n_terms", 0, 200), "terms of four numbers"),
        (shorten("term"), "terms of four numbers"),
        (shorten("term_column"), "terms of four numbers"),
        (shorten("n_terms"), "Every leaf needs a number of terms"),
    ],
)
def test_forged_terms_are_refused(change, problem):
    forged = copy.deepcopy(whole())
    change(forged)
    with pytest.raises(spinney.ModelFormatError, match=problem):
        spinney.load(forged.content())


def test_models_without_lines_have_nothing_of_them():
    fields = Parts(saved(FITS["boosting"]())).record("Forest")["fields"]
    assert not {"n_terms", "term_column", "term"} & set(fields)
    assert {"n_terms", "term_column", "term"} < set(whole().record("Forest")["fields"])


@pytest.mark.parametrize(
    "call",
    [
        spinney.to_sklearn,
        spinney.explain.ensemble_rules,
        lambda model: spinney.explain.friedman_h(model, table()),
        lambda model: spinney.explain.counterfactual(model, table()[0], target=0.0),
    ],
    ids=("sklearn", "rules", "h", "counterfactual"),
)
def test_what_needs_constant_leaves_says_so(call):
    with pytest.raises(ValueError, match=r"has linear leaves.*Fit it with leaves='constant'"):
        call(FITS["boosting-linear"]())
