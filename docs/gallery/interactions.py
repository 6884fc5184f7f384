"""Interactions of pairs of columns.

On the diagonal what a column does alone, elsewhere what two do together.
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
