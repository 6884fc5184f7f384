"""SHAP interaction values.

The diagonal shows the effect of each column alone, the other cells the joint effect of two columns.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier
from spinney.datasets import load_penguins
from spinney.explain import plot_interactions, shap

X, y = load_penguins()
model = GradientBoostingClassifier(n_estimators=50, random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(7, 5.5), layout="constrained")
plot_interactions(shap(model, X, interactions=True)[..., "Adelie"], ax=ax)
plt.show()
