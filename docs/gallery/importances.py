"""Feature importances of a forest.

The importance of a column is its fraction of the total decrease of impurity by all splits.
"""

import matplotlib.pyplot as plt

from spinney import RandomForestClassifier, plot_importances
from spinney.datasets import load_penguins

model = RandomForestClassifier(random_state=0).fit(*load_penguins())
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
plot_importances(model, ax=ax)
plt.show()
