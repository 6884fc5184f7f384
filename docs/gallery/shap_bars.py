"""Mean absolute SHAP values.

The mean absolute contribution of each column to the score of a class, over all rows.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier
from spinney.datasets import load_penguins
from spinney.explain import plot_shap_bars, shap

X, y = load_penguins()
model = GradientBoostingClassifier(n_estimators=50, random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
plot_shap_bars(shap(model, X)[:, :, "Gentoo"], ax=ax)
plt.show()
