"""Parameters once: constructors that set and nothing else, constraints and docstrings from one table."""

import inspect
import re

import pytest
from sklearn.utils._param_validation import InvalidParameterError

import spinney
from spinney.estimators.boosting.params import GROUPS
from spinney.estimators.params import Parameter, check_parameters, described, keep_parameters, other_defaults

TABLE = {
    "size": Parameter("int", "How large. " * 20, [int]),
    "name": Parameter("str", 'Like "this".', [str]),
    "free": Parameter("object"),
    "other": Parameter("int"),
}


class Base:
    def __init__(self, size=1, *, name="x", free=None):
        keep_parameters(self, locals())


@described(TABLE, {"name": Parameter("str", "Overridden.", [str])}, fitted="\n    made_ : int\n")
@other_defaults(name="y")
class Kind(Base):
    """A kind.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}
    """


def test_a_docstring_is_made_from_signature_and_table():
    text = inspect.getdoc(Kind)
    assert re.findall(r"^(\w+ : .*)$", text, re.MULTILINE) == [
        "size : int, default=1",
        'name : str, default="y"',
        "free : object, default=None",
        "made_ : int",
    ]
    assert "    Overridden." in text
    assert max(map(len, Kind.__doc__.splitlines())) <= 120
    assert Kind._parameter_constraints == {"size": [int], "name": [str]}


def test_sections_that_a_docstring_lacks_are_added():
    parameters, attributes = "Parameters\n----------\n{parameters}\n\n", "Attributes\n----------\n{fitted}\n\n"
    made = set()
    for sections in ("", parameters, attributes, parameters + attributes):
        docstring = f"A kind.\n\n{sections}Examples\n--------\n>>> 1\n1\n"
        kind = described(TABLE, fitted="made_ : int")(type("Kind", (Base,), {"__doc__": docstring}))
        made.add(kind.__doc__)
    assert len(made) == 1
    assert re.findall(r"^\w+$", made.pop(), re.MULTILINE) == ["Parameters", "Attributes", "Examples", "1"]


def test_parameters_are_listed_in_groups():
    groups = {"First": ("free", "missing"), "None of ours": ("other",), "Then": ("name", "size")}
    kind = described(TABLE, groups=groups)(type("Grouped", (Base,), {"__doc__": "{parameters}"}))
    headings = ["First:", "free : object, default=None", "Then:", 'name : str, default="x"', "size : int, default=1"]
    assert [line for line in kind.__doc__.splitlines() if line and line[0] != " "] == headings
    assert "\n\nThen:\n\nname : str" in kind.__doc__
    assert list(inspect.signature(kind).parameters) == ["size", "name", "free"]
    with pytest.raises(ValueError, match="parameters without a group: size, name"):
        described(TABLE, groups={"First": ("free",)})(type("Grouped", (Base,), {"__doc__": "{parameters}"}))


@pytest.mark.parametrize("kind", [spinney.GradientBoostingClassifier, spinney.GradientBoostingRegressor])
def test_parameters_of_boosting_stand_below_headings(kind):
    listed = inspect.getdoc(kind).partition("Parameters\n----------\n")[2].partition("\n\nAttributes\n")[0]
    blocks = listed.split("\n\n")
    assert blocks[::2] == [f"{heading}:" for heading in GROUPS]
    assert all(re.match(r"\w+ : .+, default=\S", block) for block in blocks[1::2])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [spinney.GradientBoostingClassifier, spinney.GradientBoostingRegressor])
def test_numpydoc_reads_parameters_below_headings(kind):
    docscrape = pytest.importorskip("sklearn.externals._numpydoc.docscrape")
    read = docscrape.NumpyDocString(inspect.getdoc(kind))["Parameters"]
    assert {one.name for one in read if one.type} == set(inspect.signature(kind).parameters)
    assert [one.name for one in read if not one.type] == [f"{heading}:" for heading in GROUPS]
    assert all(one.desc for one in read if one.type)


def test_other_defaults_leave_the_inherited_constructor_alone():
    assert vars(Kind()) == {"size": 1, "name": "y", "free": None}
    assert vars(Kind(2, name="z", free=3)) == {"size": 2, "name": "z", "free": 3}
    assert vars(Base()) == {"size": 1, "name": "x", "free": None}
    assert inspect.signature(Kind).parameters["name"].default == "y"


def test_only_parameters_that_were_changed_are_checked():
    check_parameters(Kind())
    with pytest.raises(InvalidParameterError, match="'size' parameter of Kind must be an instance of 'int'"):
        check_parameters(Kind(size="large"))


@pytest.mark.parametrize("name", [name for name in spinney.__all__ if hasattr(getattr(spinney, name), "fit")])
def test_nothing_is_left_to_be_filled_in(name):
    text = inspect.getdoc(getattr(spinney, name))
    assert not re.search(r"^\s*\{\w+\}$", text, re.MULTILINE)
    assert max(map(len, text.splitlines())) <= 120
