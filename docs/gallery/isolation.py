"""Unusual rows.

An isolation forest splits at random. Rows that are isolated by few splits are unusual: the darker, the fewer.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import IsolationForest

random = np.random.RandomState(0)
X = np.vstack([0.5 * random.randn(150, 2) + [2, 2], 0.4 * random.randn(150, 2) - [2, 2], 8 * random.rand(12, 2) - 4])
model = IsolationForest(random_state=0).fit(X)

x, y = np.meshgrid(np.linspace(-5, 5, 120), np.linspace(-5, 5, 120))
height = model.score_samples(np.c_[x.ravel(), y.ravel()]).reshape(x.shape)
unusual = model.score_samples(X).argsort()[:12]
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.contourf(x, y, height, levels=12, cmap="Blues_r")
ax.scatter(*X.T, s=12, color="black")
ax.scatter(*X[unusual].T, s=70, facecolors="none", edgecolors="#e8804f", linewidths=2, label="the 12 most unusual")
ax.set(xlabel="x1", ylabel="x2")
ax.legend()
plt.show()
