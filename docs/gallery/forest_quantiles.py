"""Prediction intervals of a forest.

`predict_quantiles` estimates quantiles from the targets in the leaves: 90 % of new rows should lie in the band.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import RandomForestRegressor

random = np.random.RandomState(3)
X = np.sort(10 * random.rand(600, 1), axis=0)
y = np.sin(X[:, 0]) + random.randn(600) * (0.1 + 0.06 * X[:, 0])
model = RandomForestRegressor(min_samples_leaf=10, keep_targets=True, random_state=0).fit(X, y)

line = np.linspace(0, 10, 400)[:, None]
low, middle, high = model.predict_quantiles(line, [0.05, 0.5, 0.95]).T
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.scatter(X, y, s=8, color="#808080", alpha=0.6, label="rows")
ax.fill_between(line[:, 0], low, high, color="#4fa6df", alpha=0.3, label="5 % to 95 %")
ax.plot(line[:, 0], middle, color="#1f6fa8", label="median")
ax.set(xlabel="x", ylabel="y")
ax.legend()
plt.show()
