"""When to stop boosting.

The training error keeps falling. On other rows the error has a minimum, and that round is marked.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from spinney import GradientBoostingClassifier, plot_staged_errors

X, y = make_moons(600, noise=0.35, random_state=0)
model = GradientBoostingClassifier(n_estimators=120, learning_rate=0.2, random_state=0).fit(X[:300], y[:300])
figure, ax = plt.subplots(figsize=(8, 4.3), layout="constrained")
plot_staged_errors(model, X[:300], y[:300], eval_set=(X[300:], y[300:]), ax=ax)
plt.show()
