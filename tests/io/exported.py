"""Tables and fitted models that exports are judged on: strings, categories, Booleans, missing and unknown values."""

from functools import cache

import numpy as np
import pandas as pd

import spinney

FEW = {"n_estimators": 3, "random_state": 0}
LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie")


def draw(n, seed):
    """Numbers, Booleans, strings, categories of strings and of numbers; a tenth of the values is missing."""
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame(
        {
            "a": rng.randn(n),
            "b": rng.randint(0, 6, n) / 3,
            "kind": rng.choice(["p", "q", "r'", 's"', "t\\"], n),
            "flag": rng.rand(n) < 0.4,
            "place": rng.choice([f"town {k}" for k in range(40)], n),
            "code": rng.choice([-2.0, 0.1, 7.0, 1e9], n),
        }
    )
    y = frame["a"] + frame["kind"].isin(["q", 's"']) + 0.3 * frame["b"] + frame["flag"] + 0.3 * rng.randn(n)
    frame["code"] = pd.Categorical(frame["code"])
    for name in ("a", "b", "kind", "place", "code"):
        frame[name] = frame[name].mask(rng.rand(n) < 0.1)
    return frame, y.to_numpy()


X, Y = draw(160, 0)
WORDS = np.array(["low", "mid", "top"])[np.digitize(Y, [0.5, 1.7])]


def new_rows():
    """Rows that the models have not seen, with unknown categories and numbers at the ends of the scale."""
    rows = draw(60, 1)[0].astype({"code": object, "place": object, "flag": float})
    rows.loc[:3, "kind"] = "never seen"
    rows.loc[4:6, "place"] = ""
    rows.loc[7:9, "code"] = 0.25
    rows.loc[10, "a"], rows.loc[11, "a"], rows.loc[12, "flag"] = np.inf, -np.inf, np.nan
    rows.loc[13:15] = np.nan
    return rows.assign(code=rows["code"].astype(float))


NEW = new_rows()
ALL = list(X.columns)
NAMES = ["kind", "flag", "place"]  # for ID3, which has no numbers
FITS = {
    "tree": lambda: spinney.DecisionTreeClassifier(max_depth=5).fit(X, WORDS),
    "tree-booleans": lambda: spinney.DecisionTreeClassifier(max_depth=4).fit(X, Y > 1),
    "tree-outputs": lambda: spinney.DecisionTreeClassifier(max_depth=4).fit(X, np.column_stack([Y > 1, WORDS])),
    "tree-numbers": lambda: spinney.DecisionTreeRegressor(max_depth=4).fit(X, np.column_stack([Y, Y**2])),
    "optimal-tree": lambda: spinney.OptimalTreeClassifier(max_depth=2, time_budget=None).fit(X, WORDS),
    "optimal-tree-numbers": lambda: spinney.OptimalTreeRegressor(max_depth=2, time_budget=None).fit(X, Y),
    "leaf": lambda: spinney.DecisionTreeClassifier(max_depth=4).fit(X, np.ones(len(X), int)),
    "extra-tree": lambda: spinney.ExtraTreeRegressor(max_depth=5, random_state=0).fit(X, Y),
    "forest": lambda: spinney.RandomForestClassifier(**FEW).fit(X, WORDS),
    "forest-votes": lambda: spinney.RandomForestClassifier(voting="hard", **FEW).fit(X, Y > 1),
    "forest-outputs": lambda: spinney.RandomForestClassifier(**FEW).fit(X, np.column_stack([WORDS == "top", WORDS])),
    "forest-numbers": lambda: spinney.RandomForestRegressor(**FEW).fit(X, Y),
    "forest-exact": lambda: spinney.ExtraTreesRegressor(max_bins=None, **FEW).fit(X, np.column_stack([Y, -Y])),
    "structure": lambda: spinney.RandomStructureForestClassifier(max_depth=4, **FEW).fit(X, WORDS),
    "bagging": lambda: spinney.BaggingClassifier(max_features=0.5, **FEW).fit(X, WORDS),
    "isolation": lambda: spinney.IsolationForest(contamination=0.2, **FEW).fit(X),
    "samme": lambda: spinney.AdaBoostClassifier(**FEW).fit(X, WORDS),
    "samme-two": lambda: spinney.AdaBoostClassifier(**FEW).fit(X, Y > 1),
    "samme-r": lambda: spinney.AdaBoostClassifier(
        spinney.DecisionTreeClassifier(max_depth=3), algorithm="SAMME.R", **FEW
    ).fit(X, WORDS),
    "discrete": lambda: spinney.AdaBoostClassifier(algorithm="discrete", **FEW).fit(X, Y > 1),
    "boosting-two": lambda: spinney.GradientBoostingClassifier(min_samples_leaf=5, **FEW).fit(X, (Y > 1).astype(int)),
    "boosting-three": lambda: spinney.GradientBoostingClassifier(min_samples_leaf=5, **FEW).fit(X, WORDS),
    "boosting-exp": lambda: spinney.GradientBoostingClassifier("exponential", **FEW).fit(X, Y > 1),
    "boosting-linear": lambda: spinney.GradientBoostingRegressor(leaves="linear", **FEW).fit(X, Y),
    "boosting-linear-three": lambda: spinney.GradientBoostingClassifier(
        min_samples_leaf=5, leaves="linear", extrapolate=True, **FEW
    ).fit(X, WORDS),
    "boosting-exact": lambda: spinney.GradientBoostingRegressor(max_bins=None, **FEW).fit(X, Y),
    **{
        f"boosting-{loss}": lambda loss=loss: spinney.GradientBoostingRegressor(loss, **FEW).fit(X, np.exp(Y))
        for loss in LOSSES
    },
    "id3": lambda: spinney.ID3Classifier(max_depth=3).fit(X[NAMES].astype(str), WORDS),
    "median": lambda: spinney.AdaBoostRegressor(**FEW).fit(X, Y),
    "c45": lambda: spinney.C45Classifier(prune=False).fit(X, WORDS),
    "c45-groups": lambda: spinney.C45Classifier(subset=True, prune=False).fit(X, WORDS),
    "c50": lambda: spinney.C50Classifier(trials=3).fit(X, WORDS),
    "c50-two": lambda: spinney.C50Classifier(trials=3).fit(X, Y > 1),
    "c50-alone": lambda: spinney.C50Classifier(trials=1).fit(X, WORDS),
    "adaboost-c45": lambda: spinney.AdaBoostClassifier(spinney.C45Classifier(), n_estimators=3).fit(X, WORDS),
}
NOT_IN_ONNX = (
    "median",
    "c45",
    "c45-groups",
    "c50",
    "c50-two",
    "c50-alone",
    "adaboost-c45",
)
MIXTURES = {
    "auto": lambda: spinney.AutoRegressor(["tree", "extra_trees"], cv=2, random_state=0).fit(X, Y),
    "soft": lambda: spinney.VotingClassifier(_members(), voting="soft", weights=[1, 2]).fit(X, WORDS),
    "hard": lambda: spinney.VotingClassifier(_members()).fit(X, WORDS),
    "bayes": lambda: spinney.BayesianModelAveragingClassifier(_members(), cv=2).fit(X, WORDS),
    "bucket": lambda: spinney.BucketOfModelsClassifier(_members(), cv=2).fit(X, WORDS),
}


def _members():
    return [("tree", spinney.DecisionTreeClassifier(max_depth=3)), ("forest", spinney.RandomForestClassifier(**FEW))]


@cache
def fitted(name):
    return (FITS | MIXTURES)[name]()


def rows_for(name):
    """Rows that a model is asked about; flags are 0, 1 or missing."""
    return NEW[NAMES].astype(str) if name == "id3" else NEW


def dicts(rows):
    """Each row as a dict of Python's own values."""
    return rows.to_dict("records")


def many(answers):
    """What `predict_proba` says, one list of arrays in any case."""
    return answers if isinstance(answers, list) else [answers]
