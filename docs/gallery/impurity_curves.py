"""Three impurity measures.

Entropy, Gini impurity and the misclassification rate of two classes, by the fraction of one of them. The first two are
curved: they reward a split that makes one side purer even if no prediction changes.
"""

import matplotlib.pyplot as plt

from spinney import plot_impurity_curves

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
plot_impurity_curves(ax)
plt.show()
