"""A decision tree.

Every box has its question, how mixed its rows are, how many there are, and the class that it predicts; rows that answer
yes go left. The stronger the colour, the purer the node.
"""

import matplotlib.pyplot as plt

from spinney import DecisionTreeClassifier, plot_tree
from spinney.datasets import load_penguins

X, y = load_penguins()
model = DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y)
plot_tree(model)
plt.show()
