"""Pictures of gradient boosting's residuals."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")


from spinney import DecisionTreeRegressor, GradientBoostingClassifier, GradientBoostingRegressor, plot_residual_rounds

RNG = np.random.RandomState(42)
X = RNG.rand(100, 1) - 0.5
Y = 3 * X[:, 0] ** 2 + 0.05 * RNG.randn(100)
PLAIN = {"l2_regularization": 0.0, "min_samples_leaf": 1, "max_depth": 2, "learning_rate": 1.0}


def test_each_round_fits_what_is_left_over():
    """The lectures' three trees, each fitted to the residuals of those before it."""
    model = GradientBoostingRegressor(n_estimators=3, **PLAIN).fit(X, Y)
    axes = plot_residual_rounds(model, X, Y, rounds=(1, 2, 3, 9))
    assert axes.shape == (2, 3)
    left_over = Y - Y.mean()
    for above, below in axes.T:
        np.testing.assert_allclose(above.collections[0].get_offsets()[:, 1], left_over, atol=1e-7)
        tree = DecisionTreeRegressor(max_depth=2).fit(X, left_over)
        x, added = above.lines[0].get_data()
        np.testing.assert_allclose(added, tree.predict(x[:, None]), atol=1e-6)
        left_over = left_over - tree.predict(X)
        np.testing.assert_array_equal(below.collections[0].get_offsets()[:, 1], Y)
        assert below.get_title().endswith(f"mean squared error {np.mean(left_over**2):.4g}")
    x, together = axes[1, 2].lines[0].get_data()
    np.testing.assert_allclose(together, model.predict(x[:, None]), atol=1e-12)


def test_other_columns_stand_still_and_links_are_followed():
    wide = np.column_stack([np.zeros(100), X[:, 0]])
    model = GradientBoostingRegressor(n_estimators=2, loss="poisson", **PLAIN).fit(wide, Y - Y.min())
    axes = plot_residual_rounds(model, wide, Y - Y.min(), rounds=[1], feature=1)
    residuals = axes[0, 0].collections[0].get_offsets()[:, 1]
    np.testing.assert_allclose(residuals, Y - Y.mean(), atol=1e-5)  # the start is the mean


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda m: plot_residual_rounds(DecisionTreeRegressor().fit(X, Y), X, Y),
            TypeError,
            "model must be a fitted Grad",
        ),
        (
            lambda m: plot_residual_rounds(GradientBoostingClassifier(), X, Y),
            TypeError,
            "got GradientBoostingClassifier",
        ),
        (
            lambda m: plot_residual_rounds(m, X, Y, rounds=[0]),
            ValueError,
            "rounds must be integers from 1 to 2, got",
        ),
        (
            lambda m: plot_residual_rounds(m, X, Y, rounds=[3]),
            ValueError,
            "rounds must be integers from 1 to 2, got",
        ),
        (
            lambda m: plot_residual_rounds(m, X, Y, resolution=0),
            ValueError,
            "resolution must be an integer of at least 2",
        ),
        (lambda m: plot_residual_rounds(m, X, Y[:5]), ValueError, "y must have one value for each of the 100 rows"),
        (
            lambda m: plot_residual_rounds(m, X, Y, feature="x"),
            ValueError,
            "feature must be a column of X, numbers from",
        ),
    ],
)
def test_errors(call, error, message):
    model = GradientBoostingRegressor(n_estimators=2).fit(X, Y)
    with pytest.raises(error, match=message):
        call(model)
