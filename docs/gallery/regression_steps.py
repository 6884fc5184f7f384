"""A regression tree is a step function.

Each leaf predicts the mean of its rows. More depth gives more steps; without a limit there is one for nearly every row.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import DecisionTreeRegressor, plot_predictions

random = np.random.RandomState(42)
X = random.rand(200, 1)
y = 4 * (X[:, 0] - 0.5) ** 2 + 0.1 * random.randn(200)
figure, axes = plt.subplots(1, 3, figsize=(8.2, 3.1), sharey=True, layout="constrained")
for depth, ax in zip([1, 3, None], axes):
    model = DecisionTreeRegressor(max_depth=depth).fit(X, y)
    plot_predictions(model, X, y, ax=ax).set_title(f"{model.get_n_leaves()} leaves")
    ax.set(xlabel="x", ylabel="y")
    ax.label_outer()
plt.show()
