"""The tables of names in docs/from-*.md: ours are real, and every parameter of the other library has a row."""

import ast
import inspect
import re

import numpy as np
import pandas as pd
import pytest
import sklearn.cluster
import sklearn.ensemble
import sklearn.mixture
import sklearn.tree

import spinney
from spinney.estimators.params import check_parameters
from tests.docs.pages import DOCS, names, tables, text_of

BOOSTING = (spinney.GradientBoostingClassifier, spinney.GradientBoostingRegressor)
PAGES = {name: text_of(DOCS / f"from-{name}.md") for name in ("scikit-learn", "xgboost", "lightgbm", "catboost")}
BOOSTERS = [name for name in PAGES if name != "scikit-learn"]


def parameters(*functions):
    return {name for function in functions for name in inspect.signature(function).parameters} - {"self", "kwargs"}


@pytest.fixture(scope="module")
def model():
    X = pd.DataFrame(np.arange(40.0).reshape(20, 2), columns=["a", "b"])
    fitted = spinney.GradientBoostingClassifier(n_estimators=2, n_iter_no_change=2, min_samples_leaf=1)
    return fitted.fit(X, np.arange(20) % 2, eval_set=(X, np.arange(20) % 2))


def is_accepted(text):
    """Whether one of the boosted models takes `name=value`."""
    (keyword,) = ast.parse(f"f({text})", mode="eval").body.keywords
    for kind in BOOSTING:
        if keyword.arg in parameters(kind):
            check_parameters(kind(**{keyword.arg: ast.literal_eval(keyword.value)}))
            return True
    return False


def is_ours(name, model):
    """Whether `model.x`, `model[:k]`, `spinney.x` or `Class(parameter=...)` is there."""
    first, _, rest = name.partition(".")
    if first == "model" or name.startswith("model["):
        return hasattr(model, rest) if rest else hasattr(model, "__getitem__")
    if "(" in name:
        return is_accepted(name[name.index("(") + 1 : -1])
    found = spinney
    for part in rest.split("."):
        found = getattr(found, part)
    return True


@pytest.mark.parametrize("page", BOOSTERS)
def test_names_of_ours(page, model):
    rows = {heading: tables(PAGES[page], heading) for heading in ("Parameters", "Objectives", "Arguments of fit")}
    for heading, known in [("Parameters", parameters(*BOOSTING)), ("Arguments of fit", parameters(BOOSTING[0].fit))]:
        assert len(rows[heading]) > 4
        for row in rows[heading]:
            for name in names(row[1]):
                assert is_accepted(name) if "=" in name else name in known, (heading, name)
    for row in rows["Objectives"]:
        assert all(is_accepted(name) for name in names(row[1])), row
    methods = tables(PAGES[page], "Methods and attributes")
    assert len(methods) > 10
    for row in methods:
        assert names(row[1]), row
        assert all(is_ours(name, model) for name in names(row[1])), row


@pytest.mark.parametrize("page", BOOSTERS)
def test_names_in_remarks(page, model):
    """What a remark names in code is a parameter of ours, of `fit`, a public name or an attribute."""
    known = parameters(*BOOSTING, BOOSTING[0].fit) | set(spinney.__all__) | {"fit"}
    for heading in ("Parameters", "Objectives", "Arguments of fit", "Methods and attributes"):
        for row in tables(PAGES[page], heading):
            for name in names(row[2]):
                good = is_accepted(name) if "=" in name else name in known or is_ours(name, model)
                assert good, (row, name)


def only_for(library, page):
    """A page says which version it is about; others have other names."""
    (told,) = re.findall(r"of [A-Za-z-]+ (\d+\.\d+)\b|that scikit-learn (\d+\.\d+) has", PAGES[page])
    if not library.__version__.startswith("".join(told)):
        pytest.skip(f"the page is about version {''.join(told)}, this is {library.__version__}")


def test_every_name_of_xgboosts_has_a_row():
    xgboost = pytest.importorskip("xgboost")
    only_for(xgboost, "xgboost")
    listed = {name for row in tables(PAGES["xgboost"], "Parameters") for name in names(row[0])}
    assert listed == set(xgboost.XGBClassifier().get_params())
    listed = {name for row in tables(PAGES["xgboost"], "Arguments of fit") for name in names(row[0])}
    assert listed == parameters(xgboost.XGBClassifier.fit) - {"X", "y"}


def test_every_name_of_lightgbms_has_a_row():
    lightgbm = pytest.importorskip("lightgbm")
    only_for(lightgbm, "lightgbm")
    listed = {name for row in tables(PAGES["lightgbm"], "Parameters") for name in names(row[0])}
    assert parameters(lightgbm.LGBMClassifier) <= listed
    listed = {name for row in tables(PAGES["lightgbm"], "Arguments of fit") for name in names(row[0])}
    assert listed >= parameters(lightgbm.LGBMClassifier.fit) - {"X", "y"}


def defaults(kind):
    return {name: one.default for name, one in inspect.signature(kind).parameters.items()}


def theirs(name):
    """The class of scikit-learn's, if it has one of this name."""
    homes = (sklearn.tree, sklearn.ensemble, sklearn.cluster, sklearn.mixture)
    return next((getattr(home, name) for home in homes if name in home.__all__), None)


def test_every_class_that_scikit_learn_has_too_has_a_row():
    listed = {name for row in tables(PAGES["scikit-learn"], "Classes") for name in names(row[0])}
    shared = {name for name in spinney.__all__ if inspect.isclass(getattr(spinney, name)) and theirs(name)}
    assert shared | {"HistGradientBoostingClassifier", "HistGradientBoostingRegressor"} == listed


def test_new_parameters_and_other_defaults():
    only_for(sklearn, "scikit-learn")
    before, others_before = set(), set()
    for row in tables(PAGES["scikit-learn"], "Classes"):
        counterparts = names(row[1]) or names(row[0])
        told, others = set(names(row[2])), set(names(row[3]))
        told |= before - {"class_weight"} if row[2].startswith("the same") else set()
        others |= others_before if row[3].startswith("the same") else set()
        new, changed = set(), set()
        for name, ours in zip(names(row[0]), counterparts):
            one, two = defaults(theirs(name)), defaults(getattr(spinney, ours))
            assert one.keys() <= two.keys(), name
            new |= two.keys() - one.keys()
            changed |= {key for key in one if one[key] is not two[key] and one[key] != two[key]}
        assert told == (new if not names(row[1]) else set()), row[0]
        assert others == changed, row[0]
        before, others_before = told, others


def test_functions_of_ours(model):
    for heading, column in [("Functions", 1), ("Methods that scikit-learn has not", 0)]:
        rows = tables(PAGES["scikit-learn"], heading)
        assert len(rows) > 3
        for row in rows:
            assert all(is_ours(name, model) for name in names(row[column])), row
