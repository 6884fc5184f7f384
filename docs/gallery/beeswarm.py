"""SHAP values of all rows.

Each point is a row. Its colour is the value in the column, its position the contribution to the prediction.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier
from spinney.datasets import load_penguins
from spinney.explain import plot_beeswarm, shap

X, y = load_penguins()
model = GradientBoostingClassifier(n_estimators=50, random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
plot_beeswarm(shap(model, X)[:, :, "Adelie"], ax=ax)
plt.show()
