"""Accumulated local effects.

The effect of a column on the prediction, measured only on rows that have similar values.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier
from spinney.datasets import load_penguins
from spinney.explain import ALEDisplay

X, y = load_penguins()
model = GradientBoostingClassifier(n_estimators=50, random_state=0).fit(X, y)
ALEDisplay.from_estimator(model, X, ["bill_length_mm", "body_mass_g"], target="Adelie")
plt.show()
