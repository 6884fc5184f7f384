"""Columns of numbers and of strings, each encoded in its way, before a forest and a tree."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_validate, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

random = np.random.RandomState(0)
n = 600
X = pd.DataFrame(
    {
        "age": random.randint(18, 80, n).astype(float),
        "income": random.lognormal(10, 1, n),
        "town": random.choice(["Rome", "Oslo", "Bonn", "Lyon"], n),
        "plan": random.choice(["free", "paid"], n),
    }
)
y = ((X["age"] > 45) ^ (X["plan"] == "paid") | (X["town"] == "Oslo")).map({True: "stays", False: "leaves"})
X.loc[random.rand(n) < 0.1, "income"] = np.nan
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

numbers = make_pipeline(SimpleImputer(), StandardScaler())
words = make_column_selector(dtype_exclude=np.number)
outcome = {}
for name, encoder in {
    "dense": OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
    "default": OneHotEncoder(drop="if_binary"),
    "ordinal": OrdinalEncoder(),
}.items():
    columns = ColumnTransformer([("numbers", numbers, ["age", "income"]), ("words", encoder, words)])
    for model in (
        RandomForestClassifier(60, random_state=0),
        DecisionTreeClassifier(random_state=0),
        GradientBoostingClassifier(n_estimators=50, random_state=0),
    ):
        pipe = Pipeline([("columns", columns), ("model", model)]).fit(X_train, y_train)
        outcome[f"{name} {type(model).__name__}"] = pipe.score(X_test, y_test)
        outcome[f"{name} {type(model).__name__} classes"] = list(pipe.classes_)
    outcome[f"{name} names"] = list(pipe[:-1].get_feature_names_out())

columns = columns.set_output(transform="pandas")
framed = Pipeline([("columns", columns), ("model", RandomForestClassifier(60, random_state=0))])
scores = cross_validate(framed, X, y, cv=3, scoring=["accuracy", "roc_auc"], return_train_score=True)
outcome["auc"] = scores["test_roc_auc"].mean()
outcome["train"] = scores["train_accuracy"].mean()
outcome["names in the model"] = list(framed.fit(X, y)[-1].feature_names_in_)
within = {f"{name} DecisionTreeClassifier": 0.06 for name in ("dense", "default", "ordinal")}
