"""A Gaussian mixture, step by step.

Every row belongs to all components. Its colour shows their responsibilities. The ellipses are one and two standard
deviations.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from spinney import GaussianMixture, plot_em_steps

random = np.random.RandomState(0)
X = np.vstack([random.randn(150, 2) @ [[1.5, 0.8], [0, 0.5]], random.randn(150, 2) @ [[0.5, 0], [0, 1.5]] + [4, 2]])
X = pd.DataFrame(X, columns=["x1", "x2"])
model = GaussianMixture(2, means_init=[[0, 3], [2, -2]], keep_history=True).fit(X)
axes = plot_em_steps(model, X)
figure = axes[0].figure
figure.set_size_inches(8.2, 5.2)
figure.tight_layout()
plt.show()
