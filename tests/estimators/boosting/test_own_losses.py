"""Losses written by the user: as good as the built-in ones, and errors that say what is wrong with them."""

import math

import numpy as np
import pytest
from sklearn.base import clone

from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney import Loss
from spinney.estimators.base import SMALL_WORK


def draw(n_rows=200):
    rng = np.random.RandomState(0)
    X = rng.randn(n_rows, 3)
    return X, 2 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.5 * rng.randn(n_rows)


X, Y = draw()
CLASSES = np.where(Y > 0, "yes", "no")
FEW = {"n_estimators": 20, "random_state": 0, "min_samples_leaf": 5}


def sigmoid_gradient(y, raw):
    return 1 / (1 + math.exp(-raw)) - y


def sigmoid_hessian(y, raw):
    p = 1 / (1 + math.exp(-raw))
    return p * (1 - p)


def log_odds(y, sample_weight):
    share = np.average(y, weights=sample_weight)
    return math.log(share / (1 - share))


LOGISTIC = Loss(
    gradient=sigmoid_gradient,
    hessian=sigmoid_hessian,
    value=lambda y, raw: math.log(1 + math.exp(raw)) - y * raw,
    start=log_odds,
)


class Squared:
    """Any object with the functions will do."""

    @staticmethod
    def gradient(y, raw):
        return raw - y

    @staticmethod
    def hessian(y, raw):
        return 1  # an integer is a number, too

    @staticmethod
    def start(y, sample_weight):
        return np.average(y, weights=sample_weight)


def test_the_logistic_loss_written_by_a_user_is_log_loss():
    own = Classifier(LOGISTIC, **FEW).fit(X, CLASSES, eval_set=(X, CLASSES))
    built_in = Classifier("log_loss", **FEW).fit(X, CLASSES, eval_set=(X, CLASSES))
    np.testing.assert_allclose(own.predict_proba(X), built_in.predict_proba(X), atol=1e-9)
    assert (own.predict(X) == built_in.predict(X)).all()
    np.testing.assert_allclose(
        own.evals_result_["valid"]["loss"], built_in.evals_result_["valid"]["log_loss"], rtol=1e-9
    )


@pytest.mark.parametrize("weight", [None, np.arange(200) % 4, np.linspace(0.1, 2.0, 200)], ids=["none", "whole", "any"])
@pytest.mark.parametrize("loss", [Squared, Squared()], ids=["class", "object"])
def test_squared_error_written_by_a_user_is_squared_error(loss, weight):
    own = Regressor(loss, **FEW).fit(X, Y, weight)
    built_in = Regressor("squared_error", **FEW).fit(X, Y, weight)
    np.testing.assert_allclose(own.predict(X), built_in.predict(X), rtol=1e-9, atol=1e-9)


def test_a_loss_with_its_own_link():
    own = Loss(
        gradient=lambda y, raw: math.exp(raw) - y,
        hessian=lambda y, raw: math.exp(raw),
        inverse_link=lambda raw: math.exp(raw),
        start=lambda y, sample_weight: math.log(y.mean()),
    )
    y = np.exp(Y / 3)
    model = Regressor(own, **FEW).fit(X, y, eval_set=(X, y))
    # the built-in loss has the same derivatives, and holds its steps back
    np.testing.assert_allclose(model.predict(X), Regressor("poisson", **FEW).fit(X, y).predict(X), rtol=0.2)
    # without `value` squared error is watched
    assert model.evals_result_["valid"]["squared_error"][-1] == pytest.approx(np.mean((y - model.predict(X)) ** 2))


def test_a_start_value_may_be_a_number():
    model = Regressor(Loss(Squared.gradient, Squared.hessian, start=3.5), n_estimators=1, min_samples_leaf=200)
    assert model.fit(X, Y)._booster.start == [3.5]
    assert clone(model).set_params(loss=Loss(Squared.gradient, Squared.hessian)).fit(X, Y)._booster.start == [0.0]


def test_a_users_loss_on_threads_gives_the_same_model(monkeypatch):
    alone = Classifier(LOGISTIC, **FEW).fit(X, CLASSES).fingerprint_
    monkeypatch.setitem(SMALL_WORK, "boosting", 0)
    assert Classifier(LOGISTIC, n_jobs=2, **FEW).fit(X, CLASSES).fingerprint_ == alone


@pytest.mark.parametrize(
    "gradient, hessian, message",
    [
        (
            lambda y, raw: math.sqrt(-1.0 - y * y),
            lambda y, raw: 1.0,
            "The loss returned gradient nan and hessian 1.0 at y=",
        ),
        (lambda y, raw: raw - y, lambda y, raw: 1.0 / (raw - raw), "hessian inf"),
        (
            lambda y, raw: raw - y,
            lambda y, raw: -1.0,
            r"hessian -1.0 .* in round 1, but both must be finite and the hessian >= 0",
        ),
    ],
    ids=["nan", "inf", "negative"],
)
def test_impossible_derivatives_are_refused(gradient, hessian, message):
    with pytest.raises(ValueError, match=message):
        Regressor(Loss(gradient, hessian)).fit(X, Y)


def test_an_exception_in_a_loss_is_the_callers():
    def gradient(y, raw):
        if y > 0:
            raise ValueError("no positive y, please")
        return raw - y

    with pytest.raises(ValueError, match="no positive y, please"):
        Regressor(Loss(gradient, Squared.hessian)).fit(X, Y)


class NeedsSelf:
    def gradient(self, y, raw):
        return raw - y

    hessian = staticmethod(Squared.hessian)


class Callable:
    def __call__(self, y, raw):
        return raw - y


def unknown_name(y, raw):
    return nowhere(raw)  # noqa: F821


@pytest.mark.parametrize(
    "loss, message",
    [
        (object(), r"object with functions gradient\(y, raw\) and hessian\(y, raw\), got .* without 'gradient'"),
        (Loss(Squared.gradient, None), "without 'hessian'"),
        (Loss(Squared.gradient, 1.0), "loss.hessian must be a function, got 1.0"),
        (NeedsSelf(), r"loss.gradient must not need self\. Write it as a plain function or a @staticmethod"),
        (NeedsSelf, r"loss.gradient must take the arguments \(y, raw\)"),
        (Loss(lambda y: y, Squared.hessian), r"loss.gradient must take the arguments \(y, raw\)"),
        (
            Loss(Squared.gradient, Squared.hessian, lambda y, raw: raw),
            r"loss.inverse_link must take the arguments \(raw\)",
        ),
        (
            Loss(Callable(), Squared.hessian),
            r"loss.gradient must be a Python function of \(y, raw\), got .*Wrap it in one",
        ),
        (Loss(np.subtract, Squared.hessian), r"must be a Python function of \(y, raw\), got <ufunc 'subtract'>"),
        (Loss(lambda y, raw: (raw, y), Squared.hessian), "loss.gradient must return one number for one row"),
        (Loss(lambda y, raw: np.array([raw]), Squared.hessian), "loss.gradient must return one number .* array"),
        (
            Loss(Squared.gradient, lambda y, raw: None),
            "loss.hessian must return one number for one row, but returns none",
        ),
        (Loss(lambda y, raw: float(input()), Squared.hessian), "could not be compiled.* Numba reports: .*input"),
        (
            Loss(unknown_name, Squared.hessian),
            "could not be compiled.* Numba reports: NameError: name 'nowhere' is not defined",
        ),
        (Loss(lambda y, raw: y.mean(), Squared.hessian), "Numba reports: Unknown attribute 'mean' of type float64"),
    ],
)
def test_a_loss_that_cannot_work_says_why(loss, message):
    with pytest.raises(TypeError, match=message):
        Regressor(loss).fit(X, Y)


@pytest.mark.parametrize(
    "start", [math.nan, "zero", None, lambda y, sample_weight: y], ids=["nan", "str", "none", "array"]
)
def test_an_impossible_start_is_refused(start):
    with pytest.raises(ValueError, match=r"loss\.start must be a finite number, or a function"):
        Regressor(Loss(Squared.gradient, Squared.hessian, start=start)).fit(X, Y)


def test_a_users_loss_is_for_two_classes():
    with pytest.raises(ValueError, match="A custom loss needs two classes, but y has 3"):
        Classifier(LOGISTIC).fit(X, np.arange(200) % 3)


@pytest.mark.parametrize(
    "model, message",
    [
        (Regressor("mse"), r"loss must be one of \['absolute_error', .*\] or a custom loss .*, got 'mse'"),
        (Regressor("log_loss"), "loss must be one of .*, got 'log_loss'"),
        (
            Classifier("squared_error"),
            "loss must be 'log_loss', 'exponential' or a custom loss .*, got 'squared_error'",
        ),
    ],
)
def test_unknown_names_of_losses_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, CLASSES == "yes")
