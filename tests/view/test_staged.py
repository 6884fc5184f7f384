"""Pictures of errors over rounds."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.ensemble import GradientBoostingRegressor as Theirs
from sklearn.metrics import log_loss, mean_absolute_error

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    boosting_cv,
    plot_staged_errors,
)
from spinney.datasets import load_penguins

X, Y = make_moons(300, noise=0.3, random_state=0)
TRAIN, HELD = (X[:200], Y[:200]), (X[200:], Y[200:])


def curves(ax):
    return {line.get_label(): line.get_ydata() for line in ax.lines}


def test_errors_of_both_sets_and_the_best_round():
    model = AdaBoostClassifier(n_estimators=30).fit(*TRAIN)
    ax = plot_staged_errors(model, *TRAIN, eval_set=HELD)
    found = curves(ax)
    np.testing.assert_allclose(found["training rows"], 1 - np.array(list(model.staged_score(*TRAIN))))
    held = 1 - np.array(list(model.staged_score(*HELD)))
    np.testing.assert_allclose(found["validation rows"], held)
    assert f"best: round {held.argmin() + 1}" in found
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rounds", "error rate")
    assert ax.lines[0].get_xdata()[0] == 1


def test_other_metrics_and_sets():
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(*TRAIN)
    ax = plot_staged_errors(model, *TRAIN, eval_set={"late": HELD}, metric="log_loss")
    assert list(curves(ax))[:2] == ["training rows", "late"]
    assert curves(ax)["late"][-1] == pytest.approx(log_loss(HELD[1], model.predict_proba(HELD[0])))
    ax = plot_staged_errors(model, *TRAIN, metric=mean_absolute_error, ax=plt.figure().gca())
    assert ax.get_ylabel() == "mean absolute error"


@pytest.mark.parametrize("kind", [GradientBoostingRegressor, Theirs])
def test_regressors_ours_or_not(kind):
    model = kind(n_estimators=20, random_state=0).fit(*TRAIN)
    ax = plot_staged_errors(model, *TRAIN, eval_set=HELD)
    assert curves(ax)["validation rows"][-1] == pytest.approx(np.mean((model.predict(HELD[0]) - HELD[1]) ** 2))
    assert ax.get_ylabel() == "mean squared error"


def test_cross_validation_at_every_round():
    result = boosting_cv(GradientBoostingClassifier(n_estimators=8), *load_penguins(), cv=3, return_train_score=True)
    ax = plot_staged_errors(result)
    np.testing.assert_array_equal(curves(ax)["rows held out"], result.mean())
    assert f"best: round {result.best_iteration}" in curves(ax)
    assert len(ax.collections) == 2
    alone = boosting_cv(GradientBoostingClassifier(n_estimators=3), *load_penguins(), cv=3)
    assert "training rows" not in curves(alone.plot(plt.figure().gca()))
    with pytest.raises(ValueError, match="metric must be one of 'log_loss', got 'auc'"):
        plot_staged_errors(result, metric="auc")


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda m: plot_staged_errors(DecisionTreeClassifier().fit(*TRAIN), *TRAIN),
            TypeError,
            "with staged_predict, got",
        ),
        (lambda m: plot_staged_errors(m), ValueError, "X and y are missing"),
        (
            lambda m: plot_staged_errors(m, *TRAIN, eval_set=[HELD[0]]),
            ValueError,
            r"eval_set must be \(X, y\) or a dict",
        ),
        (
            lambda m: plot_staged_errors(m, *TRAIN, metric="mean_squared_error"),
            ValueError,
            "must be 'error' or 'log_loss'",
        ),
    ],
)
def test_errors(call, error, message):
    model = AdaBoostClassifier(n_estimators=2).fit(*TRAIN)
    with pytest.raises(error, match=message):
        call(model)
