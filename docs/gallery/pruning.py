"""The price of a leaf.

Cost-complexity pruning asks every leaf to be worth `alpha`. At too low a price the tree keeps the noise, at too high a
price it loses what it knew; cross-validation says where between the two it predicts best.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import DecisionTreeClassifier, prune

X, y = make_moons(600, noise=0.35, random_state=1)
full = DecisionTreeClassifier().fit(X, y)
pruned = prune.cost_complexity_cv(full, X, y, rule="one_se")

curve = pruned.pruning_curve_
figure, ax = plt.subplots(figsize=(8, 4.3), layout="constrained")
ax.errorbar(
    curve.n_leaves, curve.mean, yerr=curve.standard_error, marker="o", capsize=3, label="five folds, mean and error"
)
leaves = [1, 2, 5, 10, 20, 50]
ax.axvline(pruned.get_n_leaves(), color="#e8804f", linestyle="--", label=f"one_se: {pruned.get_n_leaves()} leaves")
ax.set(xscale="log", xlabel="leaves", ylabel="accuracy", title=f"A tree of {full.get_n_leaves()} leaves, pruned")
ax.set_xticks(leaves, [str(one) for one in leaves])
ax.minorticks_off()
ax.legend()
plt.show()
