"""Partial dependence and ICE.

The mean prediction when one column is set to each value, and the curves of some rows.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier
from spinney.datasets import load_penguins
from spinney.explain import PartialDependenceDisplay

X, y = load_penguins()
model = GradientBoostingClassifier(n_estimators=50, random_state=0).fit(X, y)
PartialDependenceDisplay.from_estimator(model, X, ["bill_length_mm", "flipper_length_mm"], target="Adelie")
plt.show()
