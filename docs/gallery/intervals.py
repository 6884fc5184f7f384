"""Intervals with a guarantee.

A boosted model knows its errors from the folds that chose its rounds. Here, larger predictions are more uncertain, so
its intervals widen with the prediction. About one new row in ten lies outside of a 90 % interval.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import GradientBoostingRegressor

random = np.random.RandomState(3)
X = np.sort(10 * random.rand(1200, 1), axis=0)
y = 1.5 * X[:, 0] + np.sin(2 * X[:, 0]) + random.randn(1200) * (0.1 + 0.15 * X[:, 0])
new = random.rand(1200) < 0.3
model = GradientBoostingRegressor(random_state=0).fit(X[~new], y[~new])

line = np.linspace(0, 10, 400)[:, None]
low, high = model.predict_interval(line, level=0.9).T
inside = np.prod(np.sign(model.predict_interval(X[new], level=0.9) - y[new, None]), axis=1) <= 0
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.scatter(X[new][inside], y[new][inside], s=8, color="#808080", alpha=0.7, label="new rows inside")
ax.scatter(X[new][~inside], y[new][~inside], s=12, color="#d1495b", label=f"outside: {1 - inside.mean():.0%}")
ax.fill_between(line[:, 0], low, high, color="#4fa6df", alpha=0.3, label="90 % interval")
ax.plot(line[:, 0], model.predict(line), color="#1f6fa8", label="prediction")
ax.set(xlabel="x", ylabel="y")
ax.legend()
plt.show()
