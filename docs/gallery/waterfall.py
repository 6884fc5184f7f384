"""SHAP waterfall of one row.

The contribution of each column to the raw score of one row, starting from the base value.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier
from spinney.datasets import load_penguins
from spinney.explain import plot_waterfall, shap

X, y = load_penguins()
model = GradientBoostingClassifier(n_estimators=50, random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
plot_waterfall(shap(model, X.head(1))[0, :, "Adelie"], ax=ax)
plt.show()
