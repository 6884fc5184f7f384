"""Ensembles and what their users look at: members, rounds, out-of-bag scores, importances."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=1, stratify=y)
forest = RandomForestClassifier(100, oob_score=True, random_state=0, n_jobs=1).fit(X_train, y_train)
outcome = {
    "forest": forest.score(X_test, y_test),
    "out of bag": forest.oob_score_,
    "held": forest.oob_decision_function_.shape,
    "trees": len(forest.estimators_),
    "leaves": forest.apply(X_test).shape,
    "paths": forest.decision_path(X_test)[0].shape[0],
    "importances": float(forest.feature_importances_.sum()),
    "auc": roc_auc_score(y_test, forest.predict_proba(X_test)[:, 1]),
    "mean of members": np.mean([one.predict_proba(X_test)[:, 1] for one in forest.estimators_]),
    "extra": ExtraTreesClassifier(100, bootstrap=True, random_state=0).fit(X_train, y_train).score(X_test, y_test),
}
boosting = GradientBoostingClassifier(n_estimators=60, learning_rate=0.2, max_depth=2, random_state=0)
boosting.fit(X_train, y_train)
staged = [accuracy_score(y_test, said) for said in boosting.staged_predict(X_test)]
outcome["boosting"] = staged[-1]
outcome["rounds"] = (len(staged), boosting.estimators_.shape, boosting.n_classes_)
outcome["signs"] = boosting.decision_function(X_test).shape
adaboost = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=40, learning_rate=0.5, random_state=0)
adaboost.fit(X_train, y_train)
outcome["adaboost"] = list(adaboost.staged_score(X_test, y_test))[-1]
outcome["says"] = np.round(adaboost.estimator_weights_[:3], 6).tolist()
outcome["errors"] = np.round(adaboost.estimator_errors_[:3], 6).tolist()
bag = BaggingClassifier(
    KNeighborsClassifier(), n_estimators=15, max_samples=0.7, max_features=0.5, oob_score=True, random_state=0
).fit(X_train, y_train)
outcome["bag"] = bag.score(X_test, y_test)
outcome["columns of a member"] = [len(one) for one in bag.estimators_features_[:2]]
outcome["rows of a member"] = len(bag.estimators_samples_[0])

members = [
    ("line", make_pipeline(StandardScaler(), LogisticRegression())),
    ("vectors", make_pipeline(StandardScaler(), SVC(probability=False))),
    ("forest", RandomForestClassifier(30, random_state=0)),
]
vote = VotingClassifier(members).fit(X_train, y_train)
outcome["vote"] = vote.score(X_test, y_test)
outcome["votes"] = vote.transform(X_test).shape
stack = StackingClassifier(members, final_estimator=LogisticRegression(), cv=3, passthrough=False).fit(X_train, y_train)
outcome["stack"] = stack.score(X_test, y_test)
outcome["asked"] = stack.stack_method_
outcome["meta"] = stack.transform(X_test).shape

D, target = load_diabetes(return_X_y=True)
D_train, D_test, t_train, t_test = train_test_split(D, target, random_state=0)
numbers = {
    "forest": RandomForestRegressor(100, min_samples_leaf=3, random_state=0),
    "boosting": GradientBoostingRegressor(n_estimators=60, subsample=0.8, max_depth=2, random_state=0),
    "quantile": GradientBoostingRegressor(loss="quantile", alpha=0.5, n_estimators=60, random_state=0),
    "adaboost": AdaBoostRegressor(DecisionTreeRegressor(max_depth=4), n_estimators=50, random_state=0),
    "bag": BaggingRegressor(n_estimators=50, random_state=0),
    "vote": VotingRegressor([("ridge", RidgeCV()), ("tree", DecisionTreeRegressor(max_depth=3))], weights=[2, 1]),
    "stack": StackingRegressor([("ridge", RidgeCV()), ("forest", RandomForestRegressor(30, random_state=0))]),
}
for name, model in numbers.items():
    outcome[f"{name} of numbers"] = r2_score(t_test, model.fit(D_train, t_train).predict(D_test))
within = {f"{name} of numbers": 0.1 for name in numbers}
