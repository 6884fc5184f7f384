"""The penalty per leaf.

In cost-complexity pruning, `alpha` is the penalty per leaf. With a small penalty the tree keeps the noise, with a large
one it loses what it learned. Cross-validation finds the penalty in between that predicts best.
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
