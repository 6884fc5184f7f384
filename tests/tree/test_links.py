"""Every link is one row: its inverse, and what is written from it."""

import ctypes
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, softmax

import spinney
from spinney.tree.links import LINKS, LinkFunction
from tests.io.test_to_c import Numbers, build, needs_compiler

RAW = np.linspace(-6.0, 6.0, 25)
BY_SCIPY = {
    "identity": lambda x: x,
    "shares": lambda x: x,
    "exp": np.exp,
    "logistic": expit,
    "softplus": lambda x: np.logaddexp(0.0, x),
    "signed_square": lambda x: np.sign(x) * x**2,
    "hinge": lambda x: np.heaviside(x, 0.0),
    "depth": lambda x: -(2.0**-x),
    "softmax": lambda x: softmax(x, axis=0),
    "powers": lambda x: softmax(x, axis=0),
    "votes": lambda x: softmax(x, axis=0),
    "margin": lambda x: softmax([-x[0], x[0]], axis=0),
    "confidence": lambda x: x / x.sum(axis=0),
}


@pytest.mark.parametrize("name", BY_SCIPY)
def test_responses_are_those_of_scipy(name):
    raw = (
        np.abs(RAW[None]) + [[0.0], [1.0], [2.0]] if name in ("confidence", "softmax", "powers", "votes") else RAW[None]
    )
    np.testing.assert_allclose(LINKS[name].respond(raw), BY_SCIPY[name](raw), rtol=1e-13)


@pytest.mark.parametrize("name", [name for name, row in LINKS.items() if row.text and name != "hinge"])
def test_inverses_give_raw_scores_back(name):
    row = LINKS[name]
    back = [row.inverse(one) for one in row.respond(RAW[None])[0].tolist()]
    np.testing.assert_allclose(back, RAW, atol=1e-9)


def test_float32_stays_float32():
    for row in LINKS.values():
        if row.text and row.name != "hinge":
            assert row.respond(RAW.astype(np.float32)[None], 2.0).dtype == np.float32


def test_every_link_of_a_formula_is_told_or_refused():
    assert {name for name, row in LINKS.items() if not row.text and row.of_all is None} == {"median", "own"}


class Cubed(spinney.GradientBoostingRegressor):
    """A model with a link that nobody knows."""

    def _formula(self):
        return replace(super()._formula(), link="cubed")


@pytest.fixture
def cubed(monkeypatch):
    monkeypatch.setitem(LINKS, "cubed", LinkFunction("cubed", "x * (x * x) - 1.0", lambda y: np.cbrt(y + 1.0)))
    X = np.random.RandomState(0).randn(60, 2)
    model = Cubed(n_estimators=3, min_samples_leaf=5).fit(X, X[:, 0])
    raw = model.predict(X)
    return model, X, raw * (raw * raw) - 1.0


def test_a_new_link_is_a_row_for_python_and_dependence(cubed):
    model, X, expected = cubed
    space = {}
    exec(spinney.to_python(model), space)
    assert [space["predict"](row) for row in X.tolist()] == expected.tolist()
    from spinney.explain.dependence.responses import tree_sum

    found = tree_sum(model)
    answer = found.response("predict")[1](model.predict(X)[:, None])
    assert answer[:, 0].tolist() == expected.tolist()


@needs_compiler
def test_a_new_link_is_a_row_for_c(cubed, tmp_path):
    model, X, expected = cubed
    predict = build(spinney.to_c(model), tmp_path).predict
    predict.restype = ctypes.c_double
    assert [predict(np.ascontiguousarray(row).ctypes.data_as(Numbers)) for row in X] == expected.tolist()


def test_a_new_link_is_a_row_for_onnx(cubed):
    onnxruntime = pytest.importorskip("onnxruntime")
    model, X, expected = cubed
    session = onnxruntime.InferenceSession(spinney.to_onnx(model).SerializeToString())
    np.testing.assert_allclose(session.run(None, {"X": X})[0][:, 0], expected, atol=1e-12)


def test_reading_the_table_loads_no_compiler():
    code = "import sys, spinney.tree.links; assert not {'numba', 'llvmlite'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
