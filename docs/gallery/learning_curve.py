"""Would more rows help?

Training and test scores by number of training rows. As long as the test score rises, more rows help.
"""

import matplotlib.pyplot as plt

from spinney import DecisionTreeClassifier, plot_learning_curve
from spinney.datasets import load_penguins
from spinney.evaluate import learning_curve

X, y = load_penguins()
curve = learning_curve(DecisionTreeClassifier(max_depth=3), X, y, shuffle=True, random_state=0)
figure, ax = plt.subplots(figsize=(7, 4.3), layout="constrained")
plot_learning_curve(curve, ax=ax)
plt.show()
