"""k-means, step by step.

Rows are assigned to the nearest centroid, and centroids move to the mean of their rows, until nothing changes.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_blobs

from spinney import KMeans, plot_kmeans_steps

X, _ = make_blobs(300, centers=[[0, 0], [5, 0], [0, 5], [5, 5]], random_state=0)
X = pd.DataFrame(X, columns=["x1", "x2"])
model = KMeans(4, init=X.to_numpy()[:4], n_init=1, keep_history=True).fit(X)
axes = plot_kmeans_steps(model, X)
figure = axes[0].figure
figure.set_size_inches(8.2, 5.2)
figure.tight_layout()
plt.show()
