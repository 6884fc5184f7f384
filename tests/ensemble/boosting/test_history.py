"""The series of training losses: what they are of, and what they are where there is nothing to say."""

from types import SimpleNamespace

import numpy as np
import pytest

from spinney.criteria.losses import AbsoluteError, LogLoss, SquaredError
from spinney.data.weights import Weights
from spinney.ensemble.boosting.scoring import History


def rounds_of(losses, chosen=(), weights=None, loss=None, n_outputs=1, subsample=1.0):
    """A fit after a round whose rows have these losses, and had twice as much before."""
    losses = np.asarray(losses, float)
    left_out = np.isin(np.arange(len(losses)), chosen or np.arange(len(losses)), invert=True)
    return SimpleNamespace(
        is_remote=False,
        left_out=lambda: left_out,
        losses=lambda scores=None: losses if scores is None else 2 * losses,
        first_scores=lambda: np.zeros((1, len(losses))),
        loss=AbsoluteError() if loss is None else loss,
        task=SimpleNamespace(weights=weights or Weights(None, None), n_outputs=n_outputs),
        settings=SimpleNamespace(subsample=subsample),
        units=SimpleNamespace(exponent=1, is_log=True),  # losses are those given
    )


def test_scikit_learns_factors():
    for loss, n_outputs, factor in (
        (AbsoluteError(), 1, 1),
        (SquaredError(), 1, 2),
        (LogLoss(), 1, 2),
        (LogLoss(), 3, 1),
    ):
        history = History([], [], [])
        history(rounds_of([1.0, 3.0], loss=loss, n_outputs=n_outputs), [])
        assert history.train == [2.0 * factor]
        assert (history.oob, history.improvement) == ([], [])


def test_rows_that_do_not_count_may_have_run_away():
    history = History([], [], [])
    history(rounds_of([1.0, 3.0, np.inf], weights=Weights(np.array([3, 1, 0]), None)), [])
    assert history.train == [1.5]


def test_rows_drawn_and_rows_left_out():
    history = History([], [], [])
    history(rounds_of([1.0, 2.0, 6.0], chosen=[0], subsample=0.5), [])
    history(rounds_of([1.0, 2.0, 3.0], chosen=[0, 1], subsample=0.5), [])
    assert (history.train, history.oob, history.improvement) == ([1.0, 1.5], [4.0, 3.0], [4.0, 1.0])
    history(rounds_of([1.0, 2.0, 3.0], subsample=0.9), [])  # all of them
    assert history.train[-1] == 2.0
    assert history.oob[-1] == pytest.approx(np.nan, nan_ok=True)
