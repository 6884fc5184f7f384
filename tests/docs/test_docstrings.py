"""Docstrings of public names are numpydoc: a summary, all parameters with their defaults, Returns, an example."""

import inspect
import re

import pytest

from tools.site import reference

NOTHING_RETURNED = ("save",)


def complaints(name, found, a_class=False):
    """What a docstring lacks."""
    text = inspect.getdoc(found) or ""
    if not text.partition("\n\n")[0].rstrip().endswith((".", ":")):
        yield "a summary that is a sentence"
    documented = parameters(text)
    for parameter in () if a_class else inspect.signature(found).parameters.values():
        if parameter.name == "self":
            continue
        kind, description = documented.get(parameter.name, ("", ""))
        if not description:
            yield f"a sentence about {parameter.name}"
        if (parameter.default is not parameter.empty) != ("default=" in kind):
            yield f"`default=` of {parameter.name}"
    last = name.rpartition(".")[2]
    if not (a_class or last in NOTHING_RETURNED or re.search(r"^(Returns|Yields)\n-", text, re.MULTILINE)):
        yield "Returns"
    if not re.search(r"^Examples\n-", text, re.MULTILINE):
        yield "an example"


def parameters(text):
    """Parameter -> its type and its description."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", text, re.DOTALL | re.MULTILINE)
    entry = re.compile(r"^([*\w][*\w, ]*?)(?: : (.*))?\n((?:    .*\n?|\n(?=    ))*)", re.MULTILINE)
    entries = entry.findall(section[1] + "\n") if section else ()
    return {
        name.strip().lstrip("*"): (kind, body.strip()) for names, kind, body in entries for name in names.split(",")
    }


@pytest.mark.parametrize("name", reference.public_names())
def test_public_names(name):
    found = reference.find(name)
    if not inspect.isclass(found):
        assert list(complaints(name, found)) == []
        return
    methods = [(f"{name}.{one}", getattr(found, one)) for one in reference.methods(found)[0]]
    lacking = {one: list(complaints(one, method)) for one, method in methods} | {
        name: list(complaints(name, found, a_class=True))
    }
    assert {one: lacks for one, lacks in lacking.items() if lacks} == {}


def whole(x, y=None):
    """Add two numbers.

    Parameters
    ----------
    x : int
        The first.
    y : int, default=None
        The second.

    Returns
    -------
    int
        The sum.

    Examples
    --------
    >>> 1 + 1
    2
    """


@pytest.mark.parametrize(
    ("taken", "given", "lacks"),
    [
        ("", "", []),
        ("Add two numbers.", "Add two numbers", ["a summary that is a sentence"]),
        ("    The second.\n", "", ["a sentence about y"]),
        (", default=None", ", optional", ["`default=` of y"]),
        ("Returns", "Result", ["Returns"]),
        ("Examples", "Tried", ["an example"]),
    ],
)
def test_the_check_can_fail(taken, given, lacks, monkeypatch):
    monkeypatch.setattr(whole, "__doc__", inspect.getdoc(whole).replace(taken, given))
    assert list(complaints("whole", whole)) == lacks
