"""Bagging, member by member.

Each tree is fitted on a different sample and makes different errors. Their mean makes fewer.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import BaggingRegressor, plot_predictions

random = np.random.RandomState(1)
X = 6 * random.rand(120, 1)
y = np.sin(X[:, 0]) + 0.35 * random.randn(120)
model = BaggingRegressor(n_estimators=50, random_state=0).fit(X, y)
figure, axes = plt.subplots(2, 2, figsize=(8, 5.4), sharex=True, sharey=True, layout="constrained")
members = {f"tree {k + 1}": model.estimators_[k] for k in range(3)}
for ax, (name, one) in zip(axes.flat, [*members.items(), ("all 50 of them", model)]):
    plot_predictions(one, X, y, ax=ax).set(title=name, xlabel="x", ylabel="y")
    ax.label_outer()
plt.show()
