"""Decision regions, from one split to the full tree.

Every level splits the regions further, until the tree surrounds single points: it overfits the noise.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_moons

from spinney import DecisionTreeClassifier, plot_regions

X, y = make_moons(300, noise=0.3, random_state=20)
X = pd.DataFrame(X, columns=["x1", "x2"])
figure, axes = plt.subplots(2, 2, figsize=(8, 6), sharex=True, sharey=True, layout="constrained")
for depth, ax in zip([1, 2, 4, None], axes.flat):
    model = DecisionTreeClassifier(max_depth=depth).fit(X, y)
    plot_regions(model, X, y, ax=ax).set_title(f"depth {model.get_depth()}, {model.get_n_leaves()} leaves")
    ax.get_legend().remove()
    ax.label_outer()
plt.show()
