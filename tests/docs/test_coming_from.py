"""The tables of names in docs/from-*.md: ours are real, and every parameter of the other library has a row."""

import ast
import inspect
import re
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import sklearn.cluster
import sklearn.ensemble
import sklearn.mixture
import sklearn.tree

import spinney
from spinney.estimators.names import FIT, PARAMETERS
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
    return fitted.fit(X, np.arange(20) % 2, eval_set=(X[::-1], np.arange(20) % 2))


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


def called(cell):
    """The names in a cell, without the values that they may be given."""
    return {name.partition("=")[0] for name in names(cell)}


@pytest.mark.parametrize("page", BOOSTERS)
def test_errors_give_the_names_of_the_tables(page):
    """The tables of the pages and those that errors are made from are one."""
    own = parameters(*BOOSTING)
    seen = 0
    for row in tables(PAGES[page], "Parameters"):
        for name in called(row[0]) - own:
            ours, remark = PARAMETERS[name]
            assert {ours} - {""} == called(row[1]), row
            seen += bool(ours or remark)
    assert seen > 10
    for row in tables(PAGES[page], "Arguments of fit"):
        for name in called(row[0]) - parameters(BOOSTING[0].fit):
            if called(row[1]):
                assert FIT[name][0] in called(row[1]), row
            else:
                assert name in {*own, *FIT, *PARAMETERS}, row


@pytest.mark.parametrize("page", ["xgboost", "lightgbm", "catboost"])
def test_errors_know_the_arguments_of_predictions(page, model):
    """`predict(num_iteration=k)` in a table: the error names what stands beside it."""
    seen = 0
    for row in tables(PAGES[page], "Methods and attributes"):
        for name in re.findall(r"predict\((\w+)=", row[0]):
            with pytest.raises(
                TypeError, match=rf"GradientBoostingClassifier\.predict has no argument '{name}'"
            ) as told:
                model.predict(np.zeros((1, 2)), **{name: 1})
            assert re.search(r"\w+", names(row[1])[0].removeprefix("model")).group() in str(told.value) or (
                names(row[1]) == ["model[:k]"] and "model[:k]" in str(told.value)
            )
            seen += 1
    assert seen > 1


def assert_all_listed(listed, known, library, page):
    """All names of the version that a page is about, and of newer ones: they are why the page must be written anew. An
    older version may lack some."""
    if is_older(library, page):
        assert known <= listed
    else:
        assert known == listed, (
            f"{library.__name__} {library.__version__}: docs/from-{page}.md lacks names, or has more"
        )


def is_older(library, page):
    """Whether a library is older than the version that a page is about."""
    (told,) = {
        one or two
        for one, two in re.findall(r"of [A-Za-z-]+ (\d+\.\d+):|that scikit-learn (\d+\.\d+) has", PAGES[page])
    }
    return minor(library.__version__) < minor(told)


def minor(version):
    return tuple(int(part) for part in version.split(".")[:2])


def listed_in(page, heading):
    return {name for row in tables(PAGES[page], heading) for name in called(row[0])}


@pytest.mark.parametrize(
    ("version", "known", "is_right"),
    [
        ("1.9.3", {"a"}, True),
        ("1.9.3", {"a", "c"}, False),
        ("1.10.0", {"a", "b"}, True),
        ("1.10.2", {"a"}, False),
        ("1.11.0", {"a", "b", "c"}, False),
    ],
)
def test_names_are_compared(monkeypatch, version, known, is_right):
    """With a page about version 1.10 that lists a and b."""
    monkeypatch.setitem(PAGES, "other", "All names of Other 1.10:")
    library = SimpleNamespace(__name__="other", __version__=version)
    with nullcontext() if is_right else pytest.raises(AssertionError):
        assert_all_listed({"a", "b"}, known, library, "other")


def test_every_name_of_xgboosts_has_a_row():
    xgboost = pytest.importorskip("xgboost")
    assert_all_listed(listed_in("xgboost", "Parameters"), set(xgboost.XGBClassifier().get_params()), xgboost, "xgboost")
    known = parameters(xgboost.XGBClassifier.fit) - {"X", "y"}
    assert_all_listed(listed_in("xgboost", "Arguments of fit"), known, xgboost, "xgboost")


def test_every_name_of_lightgbms_has_a_row():
    """The page has names beside those of the class: those of the library's own interface."""
    lightgbm = pytest.importorskip("lightgbm")
    assert parameters(lightgbm.LGBMClassifier) <= listed_in("lightgbm", "Parameters")
    assert parameters(lightgbm.LGBMClassifier.fit) - {"X", "y"} <= listed_in("lightgbm", "Arguments of fit")


def test_every_row_of_catboosts_is_a_name():
    """The page has the usual ones of CatBoost's names; it has more than a hundred."""
    catboost = pytest.importorskip("catboost")
    assert listed_in("catboost", "Parameters") <= parameters(catboost.CatBoostClassifier.__init__)
    assert listed_in("catboost", "Arguments of fit") <= parameters(catboost.CatBoostClassifier.fit)


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
    if is_older(sklearn, "scikit-learn"):
        pytest.skip(f"scikit-learn {sklearn.__version__} has fewer parameters and other defaults than the page's")
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
    for heading, column in [("Functions", 1), ("Additional methods and attributes", 0)]:
        rows = tables(PAGES["scikit-learn"], heading)
        assert len(rows) > 3
        for row in rows:
            assert all(is_ours(name, model) for name in names(row[column])), row
