"""Boosting, cross-validated at every round.

`boosting_cv` boosts all folds together on data that is binned once. It stops when their mean score no longer improves.
"""

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier, boosting_cv
from spinney.datasets import load_penguins

X, y = load_penguins()
result = boosting_cv(GradientBoostingClassifier(n_estimators=60, random_state=0), X, y, cv=3)
figure, ax = plt.subplots(figsize=(8, 4.3), layout="constrained")
result.plot(ax)
plt.show()
