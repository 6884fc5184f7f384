"""A Gaussian mixture, step by step.

Every row belongs to every component, by a share that is its colour; ellipses are one and two standard deviations.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import GaussianMixture, plot_em_steps

random = np.random.RandomState(0)
X = np.vstack([random.randn(150, 2) @ [[1.5, 0.8], [0, 0.5]], random.randn(150, 2) @ [[0.5, 0], [0, 1.5]] + [4, 2]])
model = GaussianMixture(2, means_init=[[0, 3], [2, -2]], keep_history=True).fit(X)
plot_em_steps(model, X)
plt.show()
