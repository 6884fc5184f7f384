"""Rows held out at random and in time.

Each day has a level of its own. Rows held out at random have neighbours of the same day in the training rows, so the
search continues while the model memorises days. On later days, which is what counts here, the error rises early.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import GradientBoostingRegressor

random = np.random.RandomState(0)
day = np.repeat(np.arange(50), 30)
X = np.column_stack([random.randn(1500), day + random.rand(1500)])
y = X[:, 0] + random.randn(50)[day] + 0.3 * random.randn(1500)
known = day < 40

figure, (ax, bars) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", width_ratios=(3, 2))
errors = {}
for name, given, colour in (("at random", {}, "#d1495b"), ("the last rows", {"times": day[known]}, "#1f6fa8")):
    model = GradientBoostingRegressor(random_state=0).fit(X[known], y[known], **given)
    curve = np.sqrt(model.evals_result_["held_out"]["squared_error"])
    ax.plot(np.arange(1, len(curve) + 1), curve, color=colour, label=f"held out: {name}")
    errors[f"{name}\n{model.n_estimators_} rounds"] = np.sqrt(np.mean((model.predict(X[~known]) - y[~known]) ** 2))
ax.set(xlabel="rounds of the search", ylabel="error on held-out rows", xscale="log")
ax.legend()
bars.bar(list(errors), list(errors.values()), color=["#d1495b", "#1f6fa8"], width=0.6)
bars.set(ylabel="error on the next ten days", xlabel="rows held out")
plt.show()
