"""How many clusters? The elbow.

Beyond the true number of clusters the inertia falls slowly: the curve has a bend there.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from spinney import elbow, plot_elbow

X, _ = make_blobs(300, centers=[[0, 0], [5, 0], [0, 5], [5, 5]], random_state=0)
figure, ax = plt.subplots(figsize=(7, 4.3), layout="constrained")
plot_elbow(elbow(X, range(1, 9), random_state=0), ax=ax)
plt.show()
