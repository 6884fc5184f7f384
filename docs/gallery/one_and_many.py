"""One tree, a forest, boosting.

Three models on the same rows; the stronger the colour, the more probable the class. One tree has a few blocks with hard
edges. The mean of a hundred trees is uncertain near the border. Boosting adds small trees, each fitted on the residuals
of those before it.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_moons

from spinney import DecisionTreeClassifier, GradientBoostingClassifier, RandomForestClassifier, plot_side_by_side

X, y = make_moons(400, noise=0.3, random_state=7)
X = pd.DataFrame(X, columns=["x1", "x2"])
models = {
    "one tree": DecisionTreeClassifier(max_leaf_nodes=12),
    "random forest": RandomForestClassifier(min_samples_leaf=3, random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=60, max_leaf_nodes=4, random_state=0),
}
axes = plot_side_by_side({name: model.fit(X, y) for name, model in models.items()}, X, y, probabilities=True)
figure = axes.flat[0].figure
figure.set_size_inches(8.2, 3.3)
for ax in axes:
    for points in ax.collections:
        points.set_sizes([9])
figure.tight_layout()
plt.show()
