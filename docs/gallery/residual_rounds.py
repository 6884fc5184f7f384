"""Gradient boosting, round by round.

Above are the residuals before each round and the tree that is fitted to them, below the sum of all trees so far.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import GradientBoostingRegressor, plot_residual_rounds

random = np.random.RandomState(42)
X = random.rand(100, 1) - 0.5
y = 3 * X[:, 0] ** 2 + 0.05 * random.randn(100)
model = GradientBoostingRegressor(
    max_depth=2, n_estimators=3, learning_rate=1.0, l2_regularization=0.0, min_samples_leaf=1, max_bins=None
).fit(X, y)
plot_residual_rounds(model, X, y, rounds=(1, 2, 3))
plt.show()
