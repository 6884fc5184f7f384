"""A decision tree.

Every box shows the split, the impurity, the number of rows and the predicted class. Rows that satisfy the condition go
left. The stronger the colour, the purer the node.
"""

import matplotlib.pyplot as plt

from spinney import DecisionTreeClassifier, plot_tree
from spinney.datasets import load_penguins

X, y = load_penguins()
model = DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y)
plot_tree(model)
plt.show()
