"""The gain of every threshold.

A tree evaluates all thresholds and takes the best. Above, a column with few values; below, one with many.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from spinney import plot_split_gains
from spinney.datasets import load_restaurant

figure, axes = plt.subplots(2, 1, figsize=(7, 6.5), layout="constrained")
plot_split_gains(*load_restaurant(minutes=True), feature="WaitMinutes", ax=axes[0])
plot_split_gains(*load_iris(return_X_y=True, as_frame=True), feature="petal length (cm)", criterion="gini", ax=axes[1])
plt.show()
