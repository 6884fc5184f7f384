"""A small model of every family, for tests that run all of them: one per versions of the dependencies, one per way in
which kernels are compiled.

`python -m tests.families [name ...]` prints each one's fingerprint, and a digest of its predictions.
"""

import hashlib
import sys

import numpy as np

import spinney


def table(n=80):
    """Numbers with some missing, and one column of categories."""
    rng = np.random.RandomState(0)
    X = rng.randn(n, 4)
    X[rng.rand(n, 4) < 0.1] = np.nan
    X[:, 3] = rng.randint(0, 5, n)
    return X


def numbers(n=80):
    return np.nan_to_num(table(n))


def target(n=80):
    return np.nan_to_num(table(n)[:, 0]) + table(n)[:, 3]


def classes(n=80):
    return np.digitize(target(n), [1.0, 3.0])


def categories(n=80):
    return np.digitize(numbers(n)[:, :3], [-0.5, 0.5])


FEW = {"n_estimators": 3, "random_state": 0}
FITS = {
    "boosting": lambda: spinney.GradientBoostingRegressor(min_samples_leaf=5, categorical_features=[3], **FEW).fit(
        table(), target()
    ),
    "boosting-classes": lambda: spinney.GradientBoostingClassifier(min_samples_leaf=5, **FEW).fit(table(), classes()),
    "boosting-exact": lambda: spinney.GradientBoostingRegressor(
        min_samples_leaf=5, categorical_features=[3], max_bins=None, **FEW
    ).fit(table(), target()),
    "boosting-linear": lambda: spinney.GradientBoostingRegressor(
        min_samples_leaf=5, categorical_features=[3], leaves="linear", **FEW
    ).fit(table(), target()),
    "tree": lambda: spinney.DecisionTreeClassifier(max_depth=4, random_state=0).fit(table(), classes()),
    "tree-numbers": lambda: spinney.DecisionTreeRegressor(max_depth=4, random_state=0).fit(table(), target()),
    "random-forest": lambda: spinney.RandomForestClassifier(**FEW).fit(table(), classes()),
    "extra-trees": lambda: spinney.ExtraTreesRegressor(**FEW).fit(table(), target()),
    "extra-tree": lambda: spinney.ExtraTreeClassifier(random_state=0).fit(table(), classes()),
    "optimal-tree": lambda: spinney.OptimalTreeClassifier(max_depth=2, time_budget=None, categorical_features=[3]).fit(
        table(), classes()
    ),
    "optimal-tree-numbers": lambda: spinney.OptimalTreeRegressor(max_depth=3, time_budget=None, max_bins=8).fit(
        table(), target()
    ),
    "isolation": lambda: spinney.IsolationForest(categorical_features=[3], **FEW).fit(table()),
    "random-structure": lambda: spinney.RandomStructureForestClassifier(**FEW).fit(numbers(), classes()),
    "adaboost": lambda: spinney.AdaBoostClassifier(**FEW).fit(numbers(), classes()),
    "adaboost-numbers": lambda: spinney.AdaBoostRegressor(**FEW).fit(numbers(), target()),
    "bagging": lambda: spinney.BaggingClassifier(spinney.DecisionTreeClassifier(), **FEW).fit(numbers(), classes()),
    "id3": lambda: spinney.ID3Classifier().fit(categories(), classes()),
    "c45": lambda: spinney.C45Classifier().fit(table(), classes()),
    "c50": lambda: spinney.C50Classifier(trials=3).fit(table(), classes()),
    "kmeans": lambda: spinney.KMeans(n_clusters=3, random_state=0).fit(numbers()),
    "mixture": lambda: spinney.GaussianMixture(n_components=2, random_state=0).fit(numbers()),
    "kmeans-batches": lambda: spinney.MiniBatchKMeans(n_clusters=3, random_state=0).fit(numbers()),
    "kmeans-bisecting": lambda: spinney.BisectingKMeans(n_clusters=3, random_state=0).fit(numbers()),
    "bayesian-mixture": lambda: spinney.BayesianGaussianMixture(n_components=2, random_state=0).fit(numbers()),
    "auto": lambda: spinney.AutoClassifier(["boosting", "extra_trees", "tree"], cv=2, random_state=0).fit(
        table(), classes()
    ),
    "auto-numbers": lambda: spinney.AutoRegressor(["boosting", "random_forest"], cv=2, random_state=0).fit(
        table(), target()
    ),
    "pruned": lambda: spinney.DecisionTreeClassifier(ccp_alpha=0.02, random_state=0).fit(table(), classes()),
}


def answer(name):
    """A fitted model's fingerprint, and a digest of what it predicts."""
    model = FITS[name]()
    X = categories() if name == "id3" else numbers()
    predicted = np.ascontiguousarray(model.predict(X))
    return f"{model.fingerprint_} {hashlib.blake2b(predicted.tobytes(), digest_size=8).hexdigest()}"


if __name__ == "__main__":
    for chosen in sys.argv[1:] or FITS:
        print(chosen, answer(chosen), flush=True)
