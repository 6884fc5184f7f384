"""A small fitted model of every estimator, for tests of model files."""

import inspect
from functools import cache

import numpy as np
import pandas as pd

import spinney

KINDS = [
    kind
    for kind in (getattr(spinney, name) for name in spinney.__all__)
    if inspect.isclass(kind) and hasattr(kind, "fit")
]
_CLUSTERING = ("KMeans", "MiniBatchKMeans", "BisectingKMeans", "GaussianMixture", "BayesianGaussianMixture")
_OPTIONS = {
    "BaggingClassifier": {"oob_score": True, "max_features": 0.7},
    "RandomForestRegressor": {"keep_targets": True, "oob_score": True},
    "RandomForestClassifier": {"class_weight": "balanced"},
    "AutoClassifier": {"families": ["boosting", "random_forest"], "cv": 2},
    "AutoRegressor": {"families": ["extra_trees"], "cv": 2},
    "OptimalTreeClassifier": {"max_depth": 3, "max_bins": 8, "time_budget": None},
    "OptimalTreeRegressor": {"max_depth": 2, "time_budget": None},
    "AdaBoostClassifier": {"keep_weights": True},
    "RandomStructureForestClassifier": {"max_depth": 3},
    "RandomStructureForestRegressor": {"max_depth": 3, "keep_targets": True},
    "KMeans": {"n_clusters": 3, "keep_history": True},
    "MiniBatchKMeans": {"n_clusters": 3, "batch_size": 50},
    "BisectingKMeans": {"n_clusters": 3},
    "GaussianMixture": {"n_components": 2, "keep_history": True},
    "BayesianGaussianMixture": {"n_components": 2},
    "GradientBoostingRegressor": {"subsample": 0.5, "loss": "huber"},
    "RandomTreesEmbedding": {"max_depth": 3},
}


def table(n_rows=90):
    """Numbers, missing values, strings, categories of several kinds, Booleans."""
    random = np.random.default_rng(1)
    numbers = random.normal(size=(n_rows, 2)).round(2)
    numbers[::7, 1] = np.nan
    return pd.DataFrame(
        {
            "x": numbers[:, 0],
            "with gaps": numbers[:, 1],
            'Größe, "quoted"': random.integers(0, 5, n_rows).astype("float32"),
            "town": random.choice(["Åbo", "Riga", "Turku", "Wien"], n_rows),
            "grade": pd.Categorical(random.integers(1, 4, n_rows)),
            "wet": random.random(n_rows) < 0.5,
        }
    )


def target(kind, X):
    if kind in ("numbers",):
        return X["x"].to_numpy() * 3 + X["wet"].to_numpy() + np.arange(len(X)) % 5 * 0.1
    return np.array(["no", "maybe", "yes"])[(X["x"].to_numpy() > 0).astype(int) + (X["town"] == "Riga").to_numpy()]


def make(kind):
    """An unfitted one."""
    known = inspect.signature(kind).parameters
    options = {"random_state": 0, "n_estimators": 3, **_OPTIONS.get(kind.__name__, {})}
    options = {name: value for name, value in options.items() if name in known}
    if "estimators" in known:
        trees = kind.__name__.endswith("Regressor") or kind is spinney.RankVoting
        tree = spinney.DecisionTreeRegressor if trees else spinney.DecisionTreeClassifier
        forest = spinney.ExtraTreesRegressor if trees else spinney.ExtraTreesClassifier
        options["estimators"] = [
            ("tree", tree(max_depth=3)),
            ("left out", "drop"),
            ("forest", forest(2, random_state=0)),
        ]
    return kind(**options)


@cache
def fitted(kind, **options):
    """(the model, a table to ask it about)."""
    X, name = table(), kind.__name__
    if name in _CLUSTERING:
        X = X.iloc[:, :3].fillna(0.0)
        return make(kind).set_params(**options).fit(X), X
    if name == "ID3Classifier":
        X = X[["town", "grade"]]
        return make(kind).set_params(**options).fit(X, target("classes", table())), X
    takes_numbers = name.endswith("Regressor") or kind is spinney.RankVoting
    return make(kind).set_params(**options).fit(X, target("numbers" if takes_numbers else "classes", X)), X


def answers(model, X):
    """All that a model says of a table, by method."""
    methods = ("predict", "predict_proba", "decision_function", "apply", "transform", "score_samples")
    found = {}
    for method in methods:
        if hasattr(model, method):
            answer = getattr(model, method)(X)
            found[method] = answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer)
    if hasattr(model, "_leaf_targets"):
        found["predict_quantiles"] = model.predict_quantiles(X, [0.1, 0.5])
    return found
