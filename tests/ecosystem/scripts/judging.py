"""Models judged and explained: calibration, importances, partial dependence, curves."""

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor, StackingRegressor
from sklearn.inspection import (
    DecisionBoundaryDisplay,
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)
from sklearn.linear_model import RidgeCV
from sklearn.metrics import ConfusionMatrixDisplay, RocCurveDisplay, brier_score_loss, classification_report
from sklearn.model_selection import (
    LearningCurveDisplay,
    ValidationCurveDisplay,
    cross_val_predict,
    learning_curve,
    train_test_split,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
forest = RandomForestClassifier(60, random_state=0).fit(X_train, y_train)
calibrated = CalibratedClassifierCV(RandomForestClassifier(60, random_state=0), method="isotonic", cv=3)
calibrated.fit(X_train, y_train)
outcome = {"brier": brier_score_loss(y_test, calibrated.predict_proba(X_test)[:, 1])}
CalibrationDisplay.from_estimator(forest, X_test, y_test)
RocCurveDisplay.from_estimator(forest, X_test, y_test)
ConfusionMatrixDisplay.from_estimator(forest, X_test, y_test)
report = classification_report(y_test, forest.predict(X_test), output_dict=True)
outcome["f1"] = report["macro avg"]["f1-score"]
outcome["held out"] = (cross_val_predict(forest, X, y, cv=3, method="predict_proba").argmax(axis=1) == y).mean()

D, target = load_diabetes(return_X_y=True, as_frame=True)
trees = RandomForestRegressor(80, min_samples_leaf=5, random_state=0).fit(D, target)
importance = permutation_importance(trees, D, target, n_repeats=5, random_state=0)
outcome["most important"] = sorted(D.columns[np.argsort(importance.importances_mean)[-2:]])
outcome["impurity"] = sorted(D.columns[np.argsort(trees.feature_importances_)[-2:]])
by_bmi = partial_dependence(trees, D, ["bmi"], grid_resolution=8)["average"][0]
outcome["dependence"] = np.round(by_bmi / target.mean(), 3).tolist()
boosted = GradientBoostingRegressor(n_estimators=50, random_state=0).fit(D, target)
display = PartialDependenceDisplay.from_estimator(boosted, D, ["bmi", ("bmi", "s5")], grid_resolution=8)
outcome["axes"] = display.axes_.size
sizes, train, test = learning_curve(DecisionTreeRegressor(max_depth=3), D, target, cv=3, train_sizes=[0.5, 1.0])
outcome["sizes"] = sizes.tolist()
outcome["learning"] = test.mean(axis=1).tolist()
LearningCurveDisplay.from_estimator(DecisionTreeRegressor(max_depth=3), D, target, cv=3, train_sizes=[0.5, 1.0])
depths = {"param_name": "max_depth", "param_range": [1, 3]}
ValidationCurveDisplay.from_estimator(DecisionTreeRegressor(), D, target, cv=3, **depths)
DecisionBoundaryDisplay.from_estimator(DecisionTreeClassifier(max_depth=3).fit(X.iloc[:, :2], y), X.iloc[:, :2])
stack = StackingRegressor([("ridge", RidgeCV()), ("trees", trees)]).fit(D, target)
outcome["stack"] = stack.score(D, target)
within = {"dependence": 0.12, "stack": 0.06, "learning": 0.1}
