"""Monotone constraints with losses whose leaves are quantiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import GradientBoostingRegressor as Regressor
from tests.compiled import few

LOSSES = [{"loss": "absolute_error"}, {"loss": "quantile", "quantile": 0.2}, {"loss": "quantile", "quantile": 0.9}]


@few(25)
@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(LOSSES),
    directions=st.lists(st.sampled_from((-1, 0, 1)), min_size=3, max_size=3),
    weighted=st.booleans(),
    subsample=st.sampled_from((1.0, 0.6)),
    ccp_alpha=st.sampled_from((0.0, 1.0)),
)
def test_predictions_are_monotone_everywhere(seed, loss, directions, weighted, subsample, ccp_alpha):
    """On the grid of all values of all columns, the slow way: every pair of neighbours along every column."""
    rng = np.random.RandomState(seed)
    X = rng.randint(0, 5, (150, 3)).astype(float)
    X[rng.rand(150) < 0.1, 1] = np.nan
    y = np.nan_to_num(X) @ rng.randn(3) + np.sin(3 * X[:, 0]) + rng.standard_t(2, 150)
    weight = rng.uniform(0.1, 2.0, 150) if weighted else None
    model = Regressor(
        **loss,
        monotonic_cst=directions,
        n_estimators=15,
        learning_rate=0.5,
        min_samples_leaf=3,
        subsample=subsample,
        ccp_alpha=ccp_alpha,
        random_state=0,
    ).fit(X, y, weight)
    grid = np.stack(np.meshgrid(*[np.arange(5.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    answers = model.predict(grid).reshape(5, 5, 5)
    for column, direction in enumerate(directions):
        if direction:
            assert (direction * np.diff(answers, axis=column) >= -1e-12).all()


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_no_direction_is_no_constraint(loss):
    rng = np.random.RandomState(0)
    X, y = rng.randn(300, 2), rng.randn(300)
    free = Regressor(**loss, n_estimators=5).fit(X, y)
    assert Regressor(**loss, n_estimators=5, monotonic_cst=[0, 0]).fit(X, y).fingerprint_ == free.fingerprint_


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_constraint_that_holds_anyway_changes_nothing(loss):
    X = np.repeat(np.arange(8.0), 20)[:, None]
    y = 5 * X[:, 0] + np.tile(np.linspace(-1, 1, 20), 8)
    free = Regressor(**loss, n_estimators=10).fit(X, y)
    np.testing.assert_allclose(
        Regressor(**loss, n_estimators=10, monotonic_cst=[1]).fit(X, y).predict(X), free.predict(X)
    )
    against = Regressor(**loss, n_estimators=10, monotonic_cst=[-1]).fit(X, y)
    assert np.ptp(against.predict(X)) == pytest.approx(0.0, abs=1e-9)


def test_leaves_are_medians_within_their_bounds():
    """The best monotone step function of two pieces, by trying all of them."""
    rng = np.random.RandomState(3)
    X = np.repeat(np.arange(4.0), 25)[:, None]
    y = np.array([0.0, 3.0, 2.0, 6.0])[X[:, 0].astype(int)] + rng.laplace(size=100) * 0.3
    model = Regressor("absolute_error", monotonic_cst=[1], n_estimators=200, learning_rate=0.3).fit(X, y)
    middle = np.median(y[(X[:, 0] == 1) | (X[:, 0] == 2)])
    expected = np.array([np.median(y[X[:, 0] == 0]), middle, middle, np.median(y[X[:, 0] == 3])])
    reached, best = (np.abs(y - values[X[:, 0].astype(int)]).sum() for values in (model.predict(X[::25]), expected))
    assert reached <= best * 1.01
