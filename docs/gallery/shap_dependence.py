"""SHAP values of one column.

The SHAP values of a column against its data, coloured by the column that it interacts with most.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier
from spinney.datasets import load_penguins
from spinney.explain import plot_shap_dependence, shap

X, y = load_penguins()
model = GradientBoostingClassifier(n_estimators=50, random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
plot_shap_dependence(shap(model, X)[:, :, "Adelie"], "bill_length_mm", ax=ax)
plt.show()
