"""Members and their vote.

A linear model, nearest neighbours and a tree make errors in different places. The mean of their probabilities evens
them out. The stronger the colour, the more probable the class.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from spinney import DecisionTreeClassifier, VotingClassifier, plot_side_by_side

X, y = make_moons(300, noise=0.3, random_state=42)
X = pd.DataFrame(X, columns=["x1", "x2"])
members = [
    ("a line", LogisticRegression()),
    ("near neighbours", KNeighborsClassifier()),
    ("a tree", DecisionTreeClassifier(max_depth=4)),
]
vote = VotingClassifier(members, voting="soft").fit(X, y)
axes = plot_side_by_side({**vote.named_estimators_, "their vote": vote}, X, y, resolution=120, probabilities=True)
figure = axes.flat[0].figure
figure.set_size_inches(8.2, 6)
figure.tight_layout()
plt.show()
