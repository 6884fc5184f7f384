"""How deep should a tree be?

Scores over the values of one parameter: on training rows deeper is always better, on others it is not.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import DecisionTreeClassifier, plot_validation_curve
from spinney.evaluate import validation_curve

X, y = make_moons(400, noise=0.3, random_state=0)
curve = validation_curve(DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=list(range(1, 13)))
figure, ax = plt.subplots(figsize=(7, 4.3), layout="constrained")
plot_validation_curve(curve, ax=ax)
plt.show()
