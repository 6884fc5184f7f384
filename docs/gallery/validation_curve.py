"""How deep should a tree be?

Scores by value of one parameter. On training rows a deeper tree always scores better, on test rows it does not.
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
