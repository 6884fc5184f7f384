"""Confusion matrix.

Rows are the true classes, columns the predicted classes. Every row was predicted by a model that had not seen it.
"""

import matplotlib.pyplot as plt

from spinney import DecisionTreeClassifier, plot_confusion_matrix
from spinney.datasets import load_penguins
from spinney.evaluate import confusion_matrix, cross_validate

X, y = load_penguins()
result = cross_validate(DecisionTreeClassifier(max_depth=3), X, y, return_predictions=True)
figure, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
plot_confusion_matrix(confusion_matrix(y, result.predictions), ax=ax)
plt.show()
