"""Weights that find their way through pipelines, searches and ensembles."""

import numpy as np
import sklearn
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

sklearn.set_config(enable_metadata_routing=True)
X, y = make_classification(300, 6, random_state=0)
weights = np.where(y == 1, 3.0, 1.0)
groups = np.arange(300) % 10
by_weight = make_scorer(accuracy_score).set_score_request(sample_weight=True)
line = make_pipeline(
    StandardScaler().set_fit_request(sample_weight=True), LogisticRegression().set_fit_request(sample_weight=True)
)
tree = DecisionTreeClassifier(max_depth=3, random_state=0).set_fit_request(sample_weight=True)
forest = RandomForestClassifier(20, random_state=0).set_fit_request(sample_weight=False)
members = [("line", line), ("tree", tree), ("forest", forest)]
outcome = {}
for name, model in {
    "vote": VotingClassifier(members),
    "stack": StackingClassifier(members, final_estimator=LogisticRegression(), cv=3),
}.items():
    result = cross_validate(
        model, X, y, params={"sample_weight": weights, "groups": groups}, cv=GroupKFold(3), scoring=by_weight
    )
    outcome[name] = result["test_score"].mean()
search = GridSearchCV(tree, {"max_depth": [1, 3]}, cv=GroupKFold(5), scoring=by_weight)
search.fit(X, y, sample_weight=weights, groups=groups)
outcome["search"] = search.best_score_
outcome["depth"] = search.best_params_["max_depth"]
bag = BaggingClassifier(tree, n_estimators=20, random_state=0).fit(X, y, sample_weight=weights)
outcome["bag"] = bag.score(X, y)
outcome["more of the heavy class"] = bool(bag.predict(X).mean() >= y.mean() - 0.02)
try:
    VotingClassifier([("forest", RandomForestClassifier(5))]).fit(X, y, sample_weight=weights)
except sklearn.exceptions.UnsetMetadataPassedError:
    outcome["nobody asked"] = True
within = {"bag": 0.05}
