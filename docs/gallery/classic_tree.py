"""ID3 on the restaurant.

Shall we wait for a table? One branch for every value: a classic tree asks "how many patrons?" once, and has an answer
for each reply.
"""

import matplotlib.pyplot as plt

from spinney import ID3Classifier, plot_tree
from spinney.datasets import load_restaurant

model = ID3Classifier().fit(*load_restaurant())
plot_tree(model, impurity=False)
plt.show()
