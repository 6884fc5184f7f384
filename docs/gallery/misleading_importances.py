"""When importances mislead.

Only the first column carries information. The gain of full trees is biased towards columns with many distinct values.
The gain on held-out rows and permutation importance are not.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from spinney import RandomForestRegressor, plot_importances
from spinney.explain import importances

warnings.simplefilter("ignore")  # the warning that says so
rng = np.random.RandomState(0)
X = np.column_stack([rng.randint(0, 2, 1000), rng.randint(0, 3, 1000), rng.rand(1000), rng.permutation(1000)])
y = X[:, 0] + 0.7 * rng.randn(1000)
model = RandomForestRegressor(50, random_state=0).fit(X[:500], y[:500])
figure, axes = plt.subplots(3, 1, figsize=(7, 5.8), layout="constrained")
for kind, ax in zip(("gain", "held_out", "permutation"), axes):
    found = importances(model, X[500:], y[500:], kind)
    found["names"] = ["signal", "noise: 3 values", "noise: numbers", "noise: row number"]
    plot_importances(found, ax=ax)
    ax.set_title({"gain": "gain, on training rows", "held_out": "gain, on rows held out"}.get(kind, kind))
    ax.set_xlabel("importance" if kind == "permutation" else "")
plt.show()
