"""AdaBoost, round by round.

The size of a point is the weight of its row: rows that a member gets wrong weigh more for the next one. Above is the
member of the round, below the ensemble so far.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_moons

from spinney import AdaBoostClassifier, plot_adaboost_rounds

X, y = make_moons(150, noise=0.25, random_state=0)
X = pd.DataFrame(X, columns=["x1", "x2"])
model = AdaBoostClassifier(n_estimators=10, keep_weights=True).fit(X, y)
axes = plot_adaboost_rounds(model, X, y, rounds=(1, 2, 10))
figure = axes[0, 0].figure
figure.set_size_inches(8.2, 5.4)
figure.tight_layout()
plt.show()
