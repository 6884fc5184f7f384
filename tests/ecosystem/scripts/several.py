"""Several outputs, one class against the others, and what wraps models in other models."""

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris, make_multilabel_classification, make_regression
from sklearn.ensemble import (
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = make_regression(300, 6, n_targets=3, noise=5, random_state=0)
outcome = {}
for wrap in (MultiOutputRegressor, RegressorChain):
    outcome[wrap.__name__] = wrap(GradientBoostingRegressor(n_estimators=30, random_state=0)).fit(X, Y).score(X, Y)
outcome["several by one tree"] = DecisionTreeRegressor(max_depth=4).fit(X, Y).score(X, Y)
outcome["several by a bag"] = BaggingRegressor(DecisionTreeRegressor(), 20, random_state=0).fit(X, Y).score(X, Y)
outcome["shape"] = DecisionTreeRegressor().fit(X, Y).predict(X).shape
squeezed = TransformedTargetRegressor(DecisionTreeRegressor(max_depth=4), func=np.arcsinh, inverse_func=np.sinh)
outcome["squeezed"] = squeezed.fit(X, Y[:, 0]).score(X, Y[:, 0])

A, labels = make_multilabel_classification(300, 8, n_classes=3, random_state=0)
for wrap in (MultiOutputClassifier, ClassifierChain):
    outcome[wrap.__name__] = wrap(DecisionTreeClassifier(max_depth=4, random_state=0)).fit(A, labels).score(A, labels)
forest = RandomForestClassifier(15, random_state=0).fit(A, labels)
outcome["labels at once"] = forest.score(A, labels)
outcome["probabilities"] = [one.shape for one in forest.predict_proba(A)]

X, y = load_iris(return_X_y=True)
names = np.array(["setosa", "versicolor", "virginica"])[y]
boosting = GradientBoostingClassifier(n_estimators=10, random_state=0)
for wrap in (OneVsRestClassifier, OneVsOneClassifier):
    outcome[wrap.__name__] = wrap(boosting).fit(X, names).score(X, names)
outcome["codes"] = (
    OutputCodeClassifier(DecisionTreeClassifier(max_depth=3), random_state=0).fit(X, names).score(X, names)
)
few = np.where(np.random.RandomState(0).rand(150) < 0.5, y, -1)
outcome["self-taught"] = SelfTrainingClassifier(RandomForestClassifier(15, random_state=0)).fit(X, few).score(X, y)
two = TunedThresholdClassifierCV(RandomForestClassifier(15, random_state=0), cv=3).fit(X, y == 1)
outcome["threshold"] = two.score(X, y == 1)
outcome["fixed"] = (
    FixedThresholdClassifier(RandomForestClassifier(15, random_state=0), threshold=0.9).fit(X, y == 1).score(X, y == 1)
)
within = {"squeezed": 0.05, "OneVsOneClassifier": 0.06}
