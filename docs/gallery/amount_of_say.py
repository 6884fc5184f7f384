"""AdaBoost: the estimator weight.

A member with a small error has a large weight, one that guesses has weight 0, and one that is worse than guessing would
have a negative weight.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import AdaBoostClassifier, plot_amount_of_say

X, y = make_moons(150, noise=0.25, random_state=0)
model = AdaBoostClassifier(algorithm="discrete", n_estimators=10).fit(X, y)
figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
plot_amount_of_say(model, ax=ax)
plt.show()
