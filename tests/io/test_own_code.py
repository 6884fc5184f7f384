"""Losses and criteria of the user's in model files: kept as their source, compiled only if they are trusted."""

import io
import linecache
import math
from math import exp

import numpy as np
import pytest
from numba import njit

import spinney
from spinney.io.own_code import hash_of_source
from tests.io.forging import Parts

STEEPNESS = 2.0
TABLE = np.array([1.0, 0.5])


@njit
def slope(raw):
    return 1 / (1 + exp(-STEEPNESS * raw))


def gradient(y, raw):  # a comment
    """Of the logistic loss, steeper."""
    return STEEPNESS * (slope(raw) - y) * TABLE[0]


class Steep:
    """Any object with these attributes is a loss."""

    gradient = staticmethod(gradient)
    hessian = staticmethod(lambda y, raw: STEEPNESS**2 * max(slope(raw) * (1 - slope(raw)), 1e-6))
    inverse_link = staticmethod(slope)


def purity(left, right):
    best = 0.0
    for side in (left, right):
        best += side.max()
    return best / (left.sum() + right.sum())


def saved(model):
    file = io.BytesIO()
    spinney.save(model, file)
    return file.getvalue()


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    return X, (X[:, 0] + 0.3 * random.normal(size=80) > 0).astype(int)


@pytest.fixture(scope="module")
def boosted(data):
    return spinney.GradientBoostingClassifier(loss=Steep, n_estimators=3, random_state=0).fit(*data)


def hashes(content):
    return [one["hash"] for one in spinney.io.inspect(content)["sources"]]


def test_a_loss_is_shown_and_runs_only_if_trusted(data, boosted):
    X, _ = data
    content = saved(boosted)
    shown = spinney.io.inspect(content)["sources"]
    assert [one["name"] for one in shown] == ["gradient", "slope", "<lambda>"]
    assert "STEEPNESS * (slope(raw) - y)" in shown[0]["source"]
    assert shown[0]["source"].startswith("# STEEPNESS = 2.0\n# TABLE = [1.0, 0.5]\n# slope = slope (a function of this")
    assert "# exp = math.exp\ndef slope(raw):" in shown[1]["source"]
    assert shown[0]["hash"] in hashes(content)
    assert shown[1]["hash"] in shown[0]["source"]
    assert shown[0]["captured"]["STEEPNESS"] == {"number": 2.0}
    plain = spinney.load(content)
    assert repr(plain.loss.gradient) == "<source of 'gradient', not trusted>"
    np.testing.assert_array_equal(plain.decision_function(X), boosted.decision_function(X))
    with pytest.raises(
        ValueError, match=r"contains the source of 'gradient'.*load the model with trust=\['[0-9a-f]{32}'\]"
    ):
        plain.predict_proba(X)
    with pytest.raises(ValueError, match="compiled only if you trust it"):
        plain.loss.gradient(0.0, 0.0)
    trusted = spinney.load(content, trust=hashes(content))
    np.testing.assert_array_equal(trusted.predict_proba(X), boosted.predict_proba(X))
    assert saved(plain) == saved(trusted) == content


def test_the_functions_themselves_can_be_trusted(data, boosted):
    X, y = data
    content = saved(boosted)
    again = spinney.load(content, trust=[Steep])
    assert again.loss.gradient is gradient
    np.testing.assert_array_equal(again.predict_proba(X), boosted.predict_proba(X))
    again.fit(X, y)
    assert again.fingerprint_ == boosted.fingerprint_
    some = spinney.load(content, trust=[gradient])
    assert some.loss.gradient is gradient
    assert "not trusted" in repr(some.loss.inverse_link)


def test_a_trusted_source_fits_the_same_model(data, boosted):
    content = saved(boosted)
    again = spinney.load(content, trust=hashes(content)).fit(*data)
    assert again.fingerprint_ == boosted.fingerprint_


def test_another_hash_is_no_trust(boosted):
    content = saved(boosted)
    plain = spinney.load(content, trust=["0" * 32, hashes(content)[0][:-1]])
    assert "not trusted" in repr(plain.loss.gradient)


@pytest.mark.slow
def test_a_criterion(data):
    X, y = data
    tree = spinney.DecisionTreeClassifier(criterion=purity, max_depth=3).fit(X, y)
    content = saved(tree)
    plain = spinney.load(content)
    np.testing.assert_array_equal(plain.predict_proba(X), tree.predict_proba(X))
    with pytest.raises(ValueError, match="source of 'purity'"):
        plain.fit(X, y)
    assert spinney.load(content, trust=hashes(content)).fit(X, y).fingerprint_ == tree.fingerprint_


def test_sources_run_with_arithmetic_alone(data):
    hostile = {"name": "purity", "source": "def purity(left, right):\n    return open('x')", "captured": {}}
    from spinney.io.own_code import read_sources

    (function,) = read_sources([hostile], [hash_of_source(hostile)])
    with pytest.raises(NameError, match="open"):
        function(0, 0)


def made_at_run_time():
    names = {}
    exec("def f(left, right):\n    return 0.0", names)
    return names["f"]


def with_default(left, right, power=2):
    return 0.0


OUTSIDE = {"a": 1}


def takes_a_dictionary(left, right):
    return OUTSIDE["a"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (made_at_run_time(), "is a function without a source. Define it in a file"),
        (with_default, "is a function with default values"),
        (takes_a_dictionary, "which uses OUTSIDE, takes {'a': 1} from outside"),
    ],
)
def test_functions_that_cannot_be_kept(function, message):
    with pytest.raises(TypeError, match=message):
        saved(spinney.DecisionTreeClassifier(criterion=function))


def test_what_others_have_run_is_not_its_source(monkeypatch):
    """From Python 3.13 on, `python -c` and exec leave text by the name that all such code has."""
    monkeypatch.setitem(linecache.cache, "<string>", (6, None, ["x = 1\n"], "<string>"))
    with pytest.raises(TypeError, match=r"is a function without a source. Define it in a file"):
        saved(spinney.DecisionTreeClassifier(criterion=made_at_run_time()))


def test_a_source_that_has_changed(tmp_path):
    path = tmp_path / "criteria.py"
    path.write_text("def worth(left, right):\n    return 0.0\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    path.write_text("def worth(left, right):\n    return 1.0\n")
    with pytest.raises(TypeError, match="is a function whose source has changed since it was imported"):
        saved(spinney.DecisionTreeClassifier(criterion=names["worth"]))


def test_other_functions_are_named():
    model = spinney.GradientBoostingClassifier(callbacks=[print])
    with pytest.raises(TypeError, match=r"GradientBoostingClassifier\.callbacks\[0\] is <built-in function print>"):
        saved(model)


@pytest.mark.parametrize("trust", ["abc", 3])
def test_trust_is_a_list(boosted, trust):
    with pytest.raises(TypeError, match="trust must be a list of hashes and functions"):
        spinney.load(saved(boosted), trust=trust)
    with pytest.raises(TypeError, match="trust must hold hashes of sources and functions, got 3"):
        spinney.load(saved(boosted), trust=[3])


def test_closures_and_lambdas_of_one_line(data):
    def maker(power):
        return (lambda left, right: left.max() * power), (lambda left, right: right.max() * math.sqrt(power))

    for function in maker(3.0):
        content = saved(spinney.DecisionTreeClassifier(criterion=function))
        again = spinney.load(content, trust=hashes(content))
        sides = np.array([1.0, 4.0]), np.array([2.0, 3.0])
        assert again.criterion(*sides) == function(*sides)


PURITY = "def purity(left, right):\n    return {call}"


def forged(content, **changes):
    """The file with another first source."""
    parts = Parts(content)
    parts.header["sources"][0].update(changes)
    return parts.content()


@pytest.fixture(scope="module")
def with_criterion(data):
    return saved(spinney.DecisionTreeClassifier(criterion=purity, max_depth=2).fit(*data))


def helper_from(text):
    return {"helper": {"function": {"name": "helper", "source": text, "captured": {}}}}


def test_captured_functions_are_shown(with_criterion):
    """And what is shown is what is compiled: no comments, no spaces that push code out of sight."""
    inner = helper_from("def helper(a):\n    # nothing to see" + 300 * " " + "\n    return abs(a)")
    content = forged(with_criterion, source=PURITY.format(call="helper(left[0])"), captured=inner)
    outer, hidden = spinney.io.inspect(content)["sources"]
    assert hidden["source"] == "def helper(a):\n    return abs(a)"
    assert outer["source"].startswith(f"# helper = helper (a function of this file, {hidden['hash']})\ndef purity")
    assert spinney.load(content, trust=[outer["hash"]]).criterion([-3.0], None) == 3.0


RUN = []
HOSTILE = [
    "def helper(a):\n    return a\nRUN.append(1)",
    "RUN.append(1)\ndef helper(a):\n    return a",
    "def helper(a): return a\n;RUN.append(1)",
    "@RUN.append\ndef helper(a):\n    return a",
    "def helper(a, b=RUN.append(1)):\n    return a",
    "def helper(a, *, b=RUN.append(1)):\n    return a",
    "def helper(a: RUN.append(1)):\n    return a",
    "def helper(*a: RUN.append(1)):\n    return a",
    "def helper(a) -> RUN.append(1):\n    return a",
    "async def helper(a):\n    return a",
    "class helper:\n    RUN.append(1)",
    "def other(a):\n    return a",
    "helper = RUN.append(1)",
    "lambda a: a",
    "def helper(a):\n    return '\0'",
    "def helper(a):\n    return " + 5000 * "(" + "a" + 5000 * ")",
    "def helper(a):\n    return " + 20_000 * "-" + "a",
    "def helper(a):\n    return " + "a+" * 60_000 + "a",
    "",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("is_captured", [False, True])
def test_a_source_is_one_function(with_criterion, text, is_captured):
    """Whatever stands beside a function, or runs when it is made, is refused before anything is compiled."""
    RUN.clear()
    if is_captured:
        content = forged(with_criterion, captured=helper_from(text))
    else:
        content = forged(with_criterion, source=text.replace("helper", "purity"))
    known = Parts(content).header["sources"][0]
    with pytest.raises(spinney.ModelFormatError):
        spinney.load(content, trust=[hash_of_source(known)])
    with pytest.raises(spinney.ModelFormatError):
        spinney.io.inspect(content)
    assert not RUN


@pytest.mark.parametrize(
    "text", ["(lambda a: a)(1)", "lambda a=open('x'): a", "lambda a: a\nopen('x')", "[lambda a: a][0]"]
)
def test_a_lambda_is_one_function(with_criterion, text):
    with pytest.raises(spinney.ModelFormatError):
        spinney.io.inspect(forged(with_criterion, name="<lambda>", source=text))


@pytest.mark.parametrize(
    "captured",
    [
        {"__builtins__": {"number": 1}},
        {"a\nb": {"number": 1}},
        {"purity": {"number": 1}},
        {"if": {"number": 1}},
        {"a": {"from": ["os", "system"]}},
        {"a": {"from": ["numpy", "_core"]}},
        {"a": {"from": ["numpy", "linalg.norm"]}},
        {"a": {"cells": [[1], [1, 2]], "dtype": "<f8"}},
        {"a": {"cells": ["1"], "dtype": "<f8"}},
        {"a": {"cells": [300], "dtype": "|u1"}},
        {"a": {"cells": [0] * 10_001, "dtype": "<f8"}},
        {"a": {"number": "7"}},
    ],
)
def test_what_cannot_be_captured(with_criterion, captured):
    for read in (spinney.load, spinney.io.inspect):
        with pytest.raises(spinney.ModelFormatError, match="cannot be captured"):
            read(forged(with_criterion, captured=captured))


def test_a_lambda_may_use_any_name(data):
    made = 3.0
    content = saved(spinney.DecisionTreeClassifier(criterion=lambda left, right: made * left.max()))
    assert spinney.load(content, trust=hashes(content)).criterion(np.ones(2), None) == 3.0
