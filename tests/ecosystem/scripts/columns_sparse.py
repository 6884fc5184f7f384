"""A column of many categories by the default OneHotEncoder, which is sparse."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

random = np.random.RandomState(0)
X = pd.DataFrame({"shop": [f"shop {k}" for k in random.randint(0, 40, 800)], "area": random.rand(800)})
y = X["shop"].str[5:].astype(int) / 10 + X["area"] + 0.1 * random.randn(800)
columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["shop"]), remainder="passthrough")
outcome = {"is sparse": hasattr(columns.fit_transform(X), "tocsr")}
for model in (
    DecisionTreeRegressor(random_state=0),
    RandomForestRegressor(50, random_state=0),
    ExtraTreesRegressor(50),
):
    outcome[type(model).__name__] = cross_val_score(make_pipeline(columns, model), X, y, cv=3).mean()
within = {}
