"""AdaBoost, round by round.

Points are as large as their weights: what a member gets wrong weighs more for the next one. Above is the member of the
round, below all members so far.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import AdaBoostClassifier, plot_adaboost_rounds

X, y = make_moons(150, noise=0.25, random_state=0)
model = AdaBoostClassifier(n_estimators=10, keep_weights=True).fit(X, y)
plot_adaboost_rounds(model, X, y, rounds=(1, 2, 3, 10))
plt.show()
