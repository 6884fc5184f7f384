"""Columns chosen by models, and names kept along the way."""

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

X, y = make_classification(
    400, 10, n_informative=3, n_redundant=0, n_clusters_per_class=1, class_sep=2.0, shuffle=False, random_state=3
)
X = pd.DataFrame(X, columns=[f"x{k}" for k in range(10)])
outcome = {}
for model in (
    RandomForestClassifier(80, random_state=0),
    ExtraTreesClassifier(80, random_state=0),
    GradientBoostingClassifier(n_estimators=50, random_state=0),
):
    name = type(model).__name__
    selector = SelectFromModel(model, max_features=3, threshold=-np.inf).set_output(transform="pandas")
    outcome[name] = selector.fit_transform(X, y).columns.tolist()
    outcome[f"{name} names"] = list(selector.get_feature_names_out())
rfe = RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=3).fit(X, y)
outcome["rfe"] = int(rfe.support_[:3].sum()) >= 2
rfecv = RFECV(RandomForestClassifier(15, random_state=0), cv=3, min_features_to_select=2).fit(X, y)
outcome["rfecv score"] = rfecv.cv_results_["mean_test_score"].max()
outcome["rfecv has the informative ones"] = bool(rfecv.support_[:3].sum() >= 2)
forward = SequentialFeatureSelector(DecisionTreeClassifier(max_depth=3), n_features_to_select=2, cv=3).fit(X, y)
outcome["forward"] = bool(forward.get_support()[:3].sum() >= 1)
pipe = make_pipeline(SelectFromModel(ExtraTreesClassifier(40, random_state=0)), AdaBoostClassifier(n_estimators=20))
outcome["pipeline"] = pipe.fit(X, y).score(X, y)
within = {}
