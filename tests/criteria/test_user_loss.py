"""Losses that capture values: those of the moment of the fit; compiled once for each."""

import gc
import weakref

import numpy as np
import pytest

from spinney import GradientBoostingRegressor, Loss
from spinney._compile import PLAIN_PYTHON
from spinney._compile.captured import N_KEPT
from spinney.criteria.user_criterion import compile_criterion
from spinney.criteria.user_loss import compile_loss

rng = np.random.RandomState(0)
X = rng.randn(100, 3)
Y = X[:, 0] * X[:, 1]
alpha = 1.0


def fit(loss):
    return GradientBoostingRegressor(n_estimators=3, min_samples_leaf=5, random_state=0, loss=loss).fit(X, Y).predict(X)


def squared(scale):
    return Loss(gradient=lambda y, raw: (raw - y) * scale, hessian=lambda y, raw: 1.0)


def test_a_global_counts_as_it_is_when_fit_is_called(monkeypatch):
    loss = Loss(gradient=lambda y, raw: (raw - y) * alpha, hessian=lambda y, raw: 1.0)
    before = fit(loss)
    monkeypatch.setitem(globals(), "alpha", 0.1)
    assert (fit(loss) == fit(squared(0.1))).all()
    assert (fit(loss) != before).any()
    monkeypatch.undo()
    assert (fit(loss) == before).all()


def test_an_array_counts_by_its_content():
    table = np.array([1.0, 2.0])
    loss = Loss(gradient=lambda y, raw: (raw - y) * table[0], hessian=lambda y, raw: 1.0)
    before = fit(loss)
    table[0] = 0.5
    assert (fit(loss) == fit(squared(0.5))).all()
    assert (fit(loss) != before).any()


def test_a_criterion_counts_with_its_values_too():
    power = np.array([1.0])

    def criterion(left, right):
        return power[0] * (left.total**2 / left.weight + right.total**2 / right.weight)

    compiled = compile_criterion(criterion, "numbers")  # what every fit asks for
    assert compile_criterion(criterion, "numbers") is compiled
    power[0] = -1.0
    assert compile_criterion(criterion, "numbers") is not compiled


def test_equal_losses_are_compiled_once():
    first, again, other = (compile_loss(squared(scale), "identity") for scale in (0.25, 0.25, 0.75))
    assert again.derivatives is first.derivatives
    assert other.derivatives is not first.derivatives
    assert compile_loss(squared(0.25), "logistic").response is not first.response


@pytest.mark.slow
@pytest.mark.skipif(PLAIN_PYTHON, reason="nothing is compiled")
def test_losses_that_are_not_needed_any_more_are_let_go():
    forgotten = weakref.ref(compile_loss(squared(-1.0), "identity").derivatives)
    for k in range(N_KEPT):
        compile_loss(squared(float(k + 2)), "identity")
    gc.collect()
    assert forgotten() is None
