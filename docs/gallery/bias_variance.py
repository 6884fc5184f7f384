"""What do ensembles reduce?

Each model is fitted on 40 bootstraps of the same rows. Bias is the error of the majority of these fits, variance what
is added because they differ. Bagging and forests reduce the variance of trees, boosting the bias of stumps.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionTreeClassifier,
    RandomForestClassifier,
    plot_bias_variance,
)
from spinney.evaluate import bias_variance

X, y = make_moons(1200, noise=0.3, random_state=0)
models = {
    "stump": DecisionTreeClassifier(max_depth=1),
    "40 boosted stumps": AdaBoostClassifier(n_estimators=40),
    "full tree": DecisionTreeClassifier(),
    "40 bagged trees": BaggingClassifier(n_estimators=40),
    "forest of 40 trees": RandomForestClassifier(n_estimators=40),
}
found = {
    name: bias_variance(model, X[:200], y[:200], X[200:], y[200:], n_bootstraps=40, random_state=0)
    for name, model in models.items()
}
figure, ax = plt.subplots(figsize=(7, 4.0), layout="constrained")
plot_bias_variance(found, ax=ax)
plt.show()
