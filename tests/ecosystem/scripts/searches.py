"""Searches for parameters: grid, random, successive halving; scores of several kinds."""

from scipy.stats import randint
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, ParameterGrid, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
grid = {"max_depth": [2, 4, None], "min_samples_leaf": [1, 5]}
search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3, scoring="roc_auc").fit(X, y)
outcome = {
    "grid": search.best_score_,
    "candidates": len(search.cv_results_["params"]) == len(ParameterGrid(grid)),
    "best is fitted": search.best_estimator_.get_depth() > 0,
    "score": search.score(X, y),
}

spread = {"n_estimators": randint(10, 30), "max_features": ["sqrt", "log2", 0.5], "criterion": ["gini", "entropy"]}
chosen = RandomizedSearchCV(RandomForestClassifier(random_state=0), spread, n_iter=3, cv=3, random_state=0)
outcome["random"] = chosen.fit(X, y).best_score_
outcome["sizes"] = [one["n_estimators"] for one in chosen.cv_results_["params"]]

halving = HalvingGridSearchCV(
    GradientBoostingClassifier(n_estimators=50, random_state=0), {"learning_rate": [0.05, 0.2], "max_depth": [1, 3]},
    resource="n_estimators", max_resources=40, min_resources=10, cv=3, random_state=0,
)  # fmt: skip
outcome["halving"] = halving.fit(X, y).best_score_
outcome["rounds"] = halving.n_iterations_

pipe = Pipeline([("scale", StandardScaler()), ("model", AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=20))])
nested = GridSearchCV(
    pipe,
    {"model__estimator__max_depth": [1, 2], "model__learning_rate": [1.0]},
    cv=3,
    scoring={"accuracy": "accuracy", "loss": "neg_log_loss"},
    refit="accuracy",
).fit(X, y)
outcome["nested"] = nested.best_score_
swapped = GridSearchCV(
    pipe, {"model": [BaggingClassifier(random_state=0), RandomForestClassifier(20, random_state=0)]}, cv=3
)
outcome["swapped"] = swapped.fit(X, y).best_score_
within = {}
