"""Clones, parameters, pickles, memory, output containers, warm starts."""

import io
import pickle
import tempfile

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

X, y = load_iris(return_X_y=True, as_frame=True)
members = [("line", LogisticRegression(max_iter=1000)), ("tree", DecisionTreeClassifier(max_depth=2))]
models = [
    DecisionTreeClassifier(max_depth=3),
    RandomForestClassifier(n_estimators=10, random_state=0),
    GradientBoostingClassifier(n_estimators=10, random_state=0),
    AdaBoostClassifier(n_estimators=10, random_state=0),
    BaggingClassifier(n_estimators=10, random_state=0),
    VotingClassifier(members, voting="soft"),
    StackingClassifier(members),
]
outcome = {}
for model in models:
    name = type(model).__name__
    try:
        model.predict(X)
    except (NotFittedError, AttributeError):  # scikit-learn's stack has no predict before its fit
        outcome[f"{name} says that it is not fitted"] = True
    again = clone(model)
    outcome[f"{name} clones"] = repr(again) == repr(model)
    model.fit(X, y)
    check_is_fitted(model)
    outcome[name] = model.score(X, y)
    outcome[f"{name} pickles"] = bool((pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all())
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    outcome[f"{name} dumps"] = bool((joblib.load(buffer).predict(X) == model.predict(X)).all())
    outcome[f"{name} columns"] = (model.n_features_in_, list(model.feature_names_in_), list(model.classes_))
    outcome[f"{name} kind"] = (is_classifier(model), is_regressor(model))
    if not isinstance(model, (VotingClassifier, StackingClassifier)):  # which have none in scikit-learn
        outcome[f"{name} logs"] = bool(np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X)))

vote = models[5].set_params(tree__max_depth=5, weights=[1, 2])
outcome["deep"] = (vote.get_params()["tree__max_depth"], vote.named_estimators["tree"].max_depth)
outcome["dropped"] = len(clone(vote).set_params(line="drop").fit(X, y).estimators_)
try:
    vote.set_params(depth=3)
except ValueError:
    outcome["wrong parameters are errors"] = True

with tempfile.TemporaryDirectory() as folder:
    pipe = Pipeline([("scale", StandardScaler()), ("tree", DecisionTreeClassifier(random_state=0))], memory=folder)
    outcome["memory"] = [pipe.set_params(tree__max_depth=depth).fit(X, y).score(X, y) for depth in (1, 2, 3)]
    outcome["sliced"] = pipe[:-1].transform(X).shape

tables = VotingRegressor([("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=2))])
tables = tables.set_output(transform="pandas").fit(X, y)
outcome["votes"] = list(tables.transform(X).columns)
outcome["names"] = list(StackingClassifier(members).fit(X, y).get_feature_names_out())
forest = RandomForestClassifier(5, warm_start=True, random_state=0).fit(X, y)
outcome["warm"] = len(forest.set_params(n_estimators=9).fit(X, y).estimators_)
weights = np.where(y == 2, 0.0, 1.0)
outcome["weighted"] = sorted(set(DecisionTreeClassifier().fit(X, y, sample_weight=weights).predict(X).tolist()))
outcome["series"] = ExtraTreesRegressor(5, random_state=0).fit(X, pd.Series(y, name="species")).predict(X).shape
within = {"GradientBoostingClassifier": 0.05}
