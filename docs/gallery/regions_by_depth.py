"""Regions, from one question to the full tree.

With every level the regions are cut further, until the tree goes round single points: it has learnt the noise.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import DecisionTreeClassifier, plot_regions

X, y = make_moons(300, noise=0.3, random_state=20)
figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), sharey=True, layout="constrained")
for depth, ax in zip([1, 2, 4, None], axes):
    model = DecisionTreeClassifier(max_depth=depth).fit(X, y)
    plot_regions(model, X, y, ax=ax).set_title(f"depth {model.get_depth()}, {model.get_n_leaves()} leaves")
    ax.get_legend().remove()
plt.show()
