"""The leaderboard of an automatic model.

Model families are cross-validated on the same folds. Those that improve the weighted mean get a weight and predict
together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from spinney import AutoClassifier

X, y = make_moons(400, noise=0.3, random_state=0)
model = AutoClassifier(["random_forest", "extra_trees", "tree"], random_state=0).fit(X, y)
board = model.leaderboard_

figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 2.9), sharey=True, layout="constrained")
places = np.arange(len(board))
left.barh(places, -board["score"], xerr=board["spread"], color="#4fa6df", capsize=3)
left.set(xlabel="log loss on rows held out, with spread", yticks=places, yticklabels=board["name"])
left.invert_yaxis()
right.barh(places, board["weight"], color="#f0a030")
right.set(xlabel="weight in the combination")
plt.show()
