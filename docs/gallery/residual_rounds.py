"""Gradient boosting, round by round.

Above are the residuals before each round and the tree that is fitted on them, below the sum of all trees so far.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from spinney import GradientBoostingRegressor, plot_residual_rounds

random = np.random.RandomState(42)
X = random.rand(100, 1) - 0.5
y = 3 * X[:, 0] ** 2 + 0.05 * random.randn(100)
X = pd.DataFrame(X, columns=["x"])
model = GradientBoostingRegressor(
    max_depth=2, n_estimators=3, learning_rate=1.0, l2_regularization=0.0, min_samples_leaf=1, max_bins=None
).fit(X, y)
axes = plot_residual_rounds(model, X, y, rounds=(1, 2, 3))
for ax in axes[1]:
    ax.set_title(ax.get_title().replace("mean squared error", "MSE"))
figure = axes[0, 0].figure
figure.set_size_inches(8.2, 5.4)
figure.tight_layout()
plt.show()
