"""One tree, a forest, boosting.

The same rows, three models. One tree cuts corners; the mean of a hundred trees is smooth; boosting adds small trees,
each fitted to what those before it left over.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import DecisionTreeClassifier, GradientBoostingClassifier, RandomForestClassifier, plot_side_by_side

X, y = make_moons(400, noise=0.3, random_state=7)
models = {
    "one tree": DecisionTreeClassifier(max_leaf_nodes=12),
    "random forest": RandomForestClassifier(min_samples_leaf=3, random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=60, max_leaf_nodes=4, random_state=0),
}
axes = plot_side_by_side({name: model.fit(X, y) for name, model in models.items()}, X, y)
axes.flat[0].figure.set_size_inches(12, 4)
plt.show()
