"""ID3 on the restaurant data.

Shall we wait for a table? A classic tree has one branch per category: it splits on the number of patrons once.
"""

import matplotlib.pyplot as plt

from spinney import ID3Classifier, plot_tree
from spinney.datasets import load_restaurant

model = ID3Classifier().fit(*load_restaurant())
plot_tree(model, impurity=False)
plt.show()
