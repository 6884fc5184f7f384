"""Recipes: small fits that between them need every kernel, by family and kind of table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

# ----------------------------------------------------------------------------------------------------------------------
# Small tables of every kind, for recipes.


ROWS = 240


def numbers(n: int = ROWS, columns: int = 5) -> np.ndarray:
    return np.random.RandomState(0).randn(n, columns)


def with_holes(n: int = ROWS) -> np.ndarray:
    X = numbers(n)
    X[np.random.RandomState(1).rand(*X.shape) < 0.1] = np.nan
    return X


def strings(n: int = ROWS) -> np.ndarray:
    X = numbers(n).astype(object)
    X[:, 1] = np.random.RandomState(2).choice(["red", "green", "blue", "grey"], n)
    return X


def few_cells(dtype: type, n: int = ROWS, share: float = 0.01, holes: bool = True) -> Any:
    """A sparse matrix that is too large to be laid out."""
    from scipy.sparse import coo_matrix

    random, shape = np.random.RandomState(0), (n, 8_000)
    n_cells = int(share * n * 8_000)
    places = random.randint(n, size=n_cells), random.randint(8_000, size=n_cells)
    X = coo_matrix((random.rand(n_cells).astype(dtype), places), shape).tocsr()
    X.data[::7] = np.nan if holes else 0.0
    return X


def layouts(every: bool) -> list[tuple[str, np.ndarray]]:
    """The same numbers as they lie in memory: rows or columns together, neither, halved, read-only."""
    X = numbers()
    found = [("numbers", X), ("float32", X.astype(np.float32)), ("column by column", np.asfortranarray(X))]
    if every:
        found.append(("float32, column by column", np.asfortranarray(X, np.float32)))
        found += [(f"{name}, strided", np.repeat(one, 2, axis=1)[:, ::2]) for name, one in found[:2]]
        found += [(f"{name}, read-only", read_only(one)) for name, one in found]
    return found


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.view()
    X.flags.writeable = False
    return X


def target(X: np.ndarray) -> np.ndarray:
    return np.nan_to_num(X[:, 0].astype(float))


def classes(X: np.ndarray, n: int = 2) -> np.ndarray:
    return np.digitize(target(X), np.linspace(-0.8, 0.8, n - 1) if n > 2 else [0.0])


def weights(X: np.ndarray) -> np.ndarray:
    return np.random.RandomState(3).rand(len(X)) + 0.5


# ----------------------------------------------------------------------------------------------------------------------
# Recipes: explanations of fitted models, for the kernels that only these need.


def explained(every: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """SHAP values, dependence, importances and proximities."""
    import spinney
    from spinney import explain

    few: dict[str, Any] = {"n_estimators": 2, "random_state": 0}
    X, words, holes = numbers(), strings(), with_holes()
    y, labels = target(X), classes(words, 3)

    def boosted() -> Any:
        return spinney.GradientBoostingRegressor(**few).fit(X, y)

    def named() -> Any:
        return spinney.GradientBoostingClassifier(**few).fit(words, labels)

    yield "values", lambda: explain.shap(boosted(), X)
    yield "pairs", lambda: explain.shap(boosted(), X, interactions=True)
    yield "background", lambda: explain.shap(boosted(), X, X)
    yield "pairs, background", lambda: explain.shap(boosted(), X, X[:1], interactions=True)
    yield "strings", lambda: explain.shap(named(), words)
    yield "dependence", lambda: explain.partial_dependence(boosted(), X, [0, (0, 1)])
    two_classes = spinney.GradientBoostingClassifier(**few)
    yield "dependence, probabilities", lambda: explain.partial_dependence(two_classes.fit(X, y > 0), X, 0)
    yield "interactions", lambda: explain.friedman_h(boosted(), X, [0, 1], kind="overall")
    yield "held-out gains", lambda: explain.importances(boosted(), X, y, "held_out")
    yield "held-out gains, three classes", lambda: explain.importances(named(), words, labels, "held_out")
    if every:
        forest = partial(spinney.RandomForestRegressor, **few)
        yield "proximities", lambda: explain.proximity(forest().fit(X, y), X)
        yield "missing values", lambda: explain.shap(_forest_of(holes, few), holes)


def _forest_of(X: Any, few: dict[str, Any]) -> Any:
    from spinney import RandomForestClassifier

    return RandomForestClassifier(**few).fit(X, classes(X))


# ----------------------------------------------------------------------------------------------------------------------
# Recipes for models of other libraries: small ones, read and asked.


_COLUMNS = 5


def imported(every: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Scores in float32 by codes and by values, with and without sets; forests by values."""
    from spinney import from_xgboost

    X = np.random.RandomState(0).randn(240, _COLUMNS)
    X[:, 1] = np.arange(240) % 7
    X[::9, 2] = np.nan
    tables: list[tuple[str, np.ndarray]] = [
        ("numbers", X),
        ("float32", X.astype(np.float32)),
        ("column by column", np.asfortranarray(X)),
    ]
    for name, table in tables if every else tables[:2]:
        for n_trees in (2, 24):
            for with_sets in (False, True):
                kind = f"{n_trees} trees{' with sets' if with_sets else ''}, {name}"
                yield kind, partial(_ask, partial(from_xgboost, _booster(n_trees, with_sets)), table)
        for other in ("RandomForestClassifier", "RandomForestRegressor", "HistGradientBoostingClassifier"):
            yield f"scikit-learn's {other}, {name}", partial(_ask_sklearn, other, table)


def _ask(read: Callable[[], Any], X: np.ndarray) -> None:
    model = read()
    model.predict(X)
    model.predict(X[:1])
    model.apply(X)


def _ask_sklearn(kind: str, X: np.ndarray) -> None:
    import sklearn.ensemble

    from spinney import from_sklearn

    model = getattr(sklearn.ensemble, kind)()
    model.set_params(**{"max_iter" if kind.startswith("Hist") else "n_estimators": 3})
    _ask(partial(from_sklearn, model.fit(X, np.nan_to_num(X[:, 0]) > 0)), X)


def _booster(n_trees: int, with_sets: bool) -> bytes:
    """A model as XGBoost writes it: trees of one question."""
    trees = [_stump(k, with_sets and k % 2 == 1) for k in range(n_trees)]
    shape = {"base_score": "5E-1", "num_class": "0", "num_feature": str(_COLUMNS), "num_target": "1"}
    model = {"gbtree_model_param": {"num_parallel_tree": "1"}, "tree_info": [0] * n_trees, "trees": trees}
    learner = {
        "gradient_booster": {"name": "gbtree", "model": model},
        "learner_model_param": shape,
        "objective": {"name": "binary:logistic"},
        "feature_names": [],
    }
    return json.dumps({"learner": learner, "version": [3, 0, 0]}).encode()


def _stump(k: int, asks_set: bool) -> dict[str, Any]:
    column = 1 if asks_set else (0, 2, 3, 4)[k % 4]
    return {
        "left_children": [1, -1, -1],
        "right_children": [2, -1, -1],
        "split_indices": [column, 0, 0],
        "split_conditions": [0.1 * k, -0.5, 0.5],
        "split_type": [int(asks_set), 0, 0],
        "default_left": [k % 2, 0, 0],
        "sum_hessian": [2.0, 1.0, 1.0],
        "loss_changes": [1.0, 0.0, 0.0],
        "tree_param": {"size_leaf_vector": "1"},
        "categories": [k % 7] if asks_set else [],
        "categories_nodes": [0] if asks_set else [],
        "categories_segments": [0] if asks_set else [],
        "categories_sizes": [1] if asks_set else [],
    }


Recipe = tuple[str, Callable[[], Any]]


def families() -> dict[str, Callable[[bool], Iterator[Recipe]]]:
    """Return the families of kernels that can be compiled ahead.

    Returns
    -------
    dict from str to function
        The names that `compile_ahead` accepts. Each function takes a Boolean (all kinds of data, or the common ones
        only) and yields small fits as pairs of a label and a function.

    Examples
    --------
    >>> from spinney.warmup import families
    >>> sorted(families())[:4]
    ['adaboost', 'auto', 'bagging', 'boosting']
    """
    return {
        "boosting": _boosting,
        "trees": _trees,
        "forests": _forests,
        "adaboost": _adaboost,
        "bagging": _bagging,
        "auto": _auto,
        "classic": _classic,
        "clustering": _clustering,
        "pruning": _pruning,
        "sparse": _sparse,
        "imported": imported,
        "explain": explained,
    }


def _use(model: Any, X: Any, y: Any = None, **fit: Any) -> Any:
    """Fit, and ask what can be asked."""
    model.fit(X, y, **fit)
    for name in ("predict", "predict_proba", "apply", "decision_path", "score_samples", "transform"):
        if hasattr(model, name):
            getattr(model, name)(X)
    for name in ("feature_importances_", "oob_score_", "fingerprint_"):
        getattr(model, name, None)
    return model


def _kinds(every: bool, classifier: Any, regressor: Any) -> Iterator[Recipe]:
    """Every kind of table, for two factories of models."""
    tables = [*layouts(every), ("missing values", with_holes()), ("strings", strings())]
    for name, X in tables:
        yield f"two classes, {name}", partial(_use, classifier(), X, classes(X))
        yield f"regression, {name}", partial(_use, regressor(), X, target(X))
    X, words = numbers(), strings()
    yield "three classes", lambda: _use(classifier(), X, classes(X, 3))
    yield "weights", lambda: _use(classifier(), X, classes(X), sample_weight=weights(X))
    yield "regression, weights", lambda: _use(regressor(), X, target(X), sample_weight=weights(X))
    yield "three classes, strings", lambda: _use(classifier(), words, classes(words, 3))
    if every:
        for name, other in tables[-2:]:
            yield f"weights, {name}", partial(_use, classifier(), other, classes(other), sample_weight=weights(other))
            yield (
                f"regression, weights, {name}",
                partial(_use, regressor(), other, target(other), sample_weight=weights(other)),
            )
        yield "three classes, weights", lambda: _use(classifier(), X, classes(X, 3), sample_weight=weights(X))
        yield (
            "three classes, weights, strings",
            lambda: _use(classifier(), words, classes(words, 3), sample_weight=weights(words)),
        )


# --- families --------------------------------------------------------------------------------------------------------


def _boosting(every: bool) -> Iterator[Recipe]:
    from spinney import GradientBoostingClassifier, GradientBoostingRegressor, boosting_cv
    from spinney.criteria.losses import LOSSES

    few: dict[str, Any] = {"n_estimators": 2, "min_samples_leaf": 5}
    yield from _kinds(every, lambda: GradientBoostingClassifier(**few), lambda: GradientBoostingRegressor(**few))
    X, y = numbers(), target(numbers())
    yield "early stopping", lambda: _use(GradientBoostingRegressor(early_stopping=True, **few), X, y)
    yield "early stopping, classes", lambda: _use(GradientBoostingClassifier(early_stopping=True, **few), X, y > 0)
    if not every:
        return
    yield (
        "early stopping, three classes",
        lambda: _use(GradientBoostingClassifier(early_stopping=True, **few), X, classes(X, 3)),
    )
    for loss in (kind.name for kind in LOSSES if not kind.needs_classes and kind.name != "squared_error"):
        model = GradientBoostingRegressor(loss=loss, early_stopping=True, **few)
        yield f"loss {loss}", partial(_use, model, X, np.abs(y) + 0.1)
        yield f"loss {loss}, weights", partial(_use, model, X, np.abs(y) + 0.1, sample_weight=weights(X))
    model = GradientBoostingClassifier(loss="exponential", early_stopping=True, **few)
    yield "loss exponential", partial(_use, model, X, y > 0)
    yield "loss exponential, weights", partial(_use, model, X, y > 0, sample_weight=weights(X))
    variants: list[dict[str, Any]] = [
        {"monotonic_cst": [1, 0, 0, 0, 0]},
        {"interaction_cst": [[0, 1], [2, 3, 4]]},
        {"subsample": 0.5},
        {"max_features": 0.5},
        {"growth": "level_wise"},
        {"max_depth": 3},
        {"ccp_alpha": 0.1},
        {"leaves": "linear"},
        {"max_bins": None, "monotonic_cst": [1, 0, 0, 0, 0]},
    ]
    for variant in variants:
        for table in (X, strings()):
            name = f"{next(iter(variant))}, {'strings' if table.dtype == object else 'numbers'}"
            model = GradientBoostingRegressor(**variant, **few)
            yield name, partial(_use, model, table, target(table))
    yield "cross-validation", lambda: boosting_cv(GradientBoostingRegressor(**few), X, y)
    yield "stages", lambda: list(_use(GradientBoostingClassifier(**few), X, classes(X, 3)).staged_predict(X))
    sorts: dict[str, Any] = {"max_bins": None, "early_stopping": True, **few}
    exact = [partial(one, **sorts) for one in (GradientBoostingClassifier, GradientBoostingRegressor)]
    for name, recipe in _kinds(every, *exact):
        yield f"exact, {name}", recipe
    large = numbers(210_000, 2)
    yield "many rows", lambda: _use(GradientBoostingRegressor(n_estimators=2), large, target(large))
    yield "many leaves", lambda: _use(GradientBoostingRegressor(n_estimators=2, max_leaf_nodes=70_000), X, y)


def _trees(every: bool) -> Iterator[Recipe]:
    from spinney import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

    yield from _kinds(every, DecisionTreeClassifier, DecisionTreeRegressor)
    for name, recipe in _kinds(every, ExtraTreeClassifier, ExtraTreeRegressor):
        yield f"extra tree, {name}", recipe
    X = numbers()
    y, two = target(X), np.column_stack([target(X), X[:, 1]])
    few_bins = {"max_depth": 3, "max_bins": 4}
    yield from _optimal(few_bins)
    yield "counterfactuals", partial(_turn, DecisionTreeClassifier(max_depth=3), X, classes(X))
    if not every:
        return
    criteria = ("absolute_error", "friedman_mse", "poisson")
    variants: list[dict[str, Any]] = [
        *({"criterion": criterion} for criterion in criteria),
        {"splitter": "random"},
        {"max_leaf_nodes": 8},
        {"max_features": 2},
        {"monotonic_cst": [1, 0, 0, 0, 0]},
        {"max_bins": 16},
        {"ccp_alpha": 0.01},
    ]
    for variant in variants:
        for table in (X, strings(), with_holes()):
            name = f"{variant}, {'strings' if table.dtype == object else 'numbers'}"
            model = DecisionTreeRegressor(**variant)
            yield name, partial(_use, model, table, np.abs(target(table)))
    for criterion in ("entropy", "error", "gain_ratio"):
        for n in (2, 3):
            model = DecisionTreeClassifier(criterion=criterion, significance=0.05)
            yield f"{criterion}, {n} classes", partial(_use, model, X, classes(X, n))
    for splitter in ("best", "random"):
        for table in (X, strings()):
            model = DecisionTreeClassifier(splitter=splitter, monotonic_cst=[1, 0, 0, 0, 0])
            yield f"monotone, {splitter}", partial(_use, model, table, classes(table))
    yield "two outputs", lambda: _use(DecisionTreeRegressor(), X, two)
    yield "two outputs, absolute error", lambda: _use(DecisionTreeRegressor(criterion="absolute_error"), X, two)
    yield "two outputs, classes", lambda: _use(DecisionTreeClassifier(), X, two > 0)
    yield "two outputs, weights", lambda: _use(DecisionTreeRegressor(), X, two, sample_weight=weights(X))
    yield "grown by a hold-out", lambda: _use(DecisionTreeClassifier(n_iter_no_change=3), X, y > 0)


def _optimal(few_bins: dict[str, Any]) -> Iterator[Recipe]:
    from spinney import OptimalTreeClassifier, OptimalTreeRegressor

    for name, X in (("numbers", numbers()), ("strings", strings()), ("missing values", with_holes())):
        for n in (2, 3):
            model = OptimalTreeClassifier(**few_bins)
            yield f"optimal tree, {n} classes, {name}", partial(_use, model, X, classes(X, n))
        yield f"optimal tree, regression, {name}", partial(_use, OptimalTreeRegressor(**few_bins), X, target(X))
    X = numbers()
    for criterion in ("gini", "entropy"):
        other = OptimalTreeClassifier(criterion=criterion, **few_bins)
        yield f"optimal tree, {criterion}", partial(_use, other, X, classes(X), sample_weight=weights(X))


def _turn(model: Any, X: Any, y: Any) -> None:
    """Counterfactuals of a row, in general and in regions that hold rows."""
    from spinney.explain import counterfactual

    model.fit(X, y)
    counterfactual(model, X[0])
    counterfactual(model, X[0], populated=X)


def _forests(every: bool) -> Iterator[Recipe]:
    from spinney import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        IsolationForest,
        RandomForestClassifier,
        RandomForestRegressor,
        RandomStructureForestClassifier,
        RandomStructureForestRegressor,
        RandomTreesEmbedding,
    )

    few: dict[str, Any] = {"n_estimators": 3, "bootstrap": True, "oob_score": True}
    yield from _kinds(every, lambda: RandomForestClassifier(**few), lambda: RandomForestRegressor(**few))
    for name, recipe in _kinds(
        every, lambda: ExtraTreesClassifier(n_estimators=3), lambda: ExtraTreesRegressor(n_estimators=3)
    ):
        yield f"extra-trees, {name}", recipe
    for name, X in [*layouts(every), ("missing values", with_holes()), ("strings", strings())]:
        yield f"isolation, {name}", partial(_use, IsolationForest(n_estimators=3), X)
        yield f"embedding, {name}", partial(_use, RandomTreesEmbedding(n_estimators=3), X)
    X = numbers()
    y = target(X)
    yield "random structure", lambda: _use(RandomStructureForestClassifier(n_estimators=3), X, y > 0)
    yield "random structure, regression", lambda: _use(RandomStructureForestRegressor(n_estimators=3), X, y)
    if not every:
        return
    for name, table in (("strings", strings()), ("missing values", with_holes())):
        yield (
            f"random structure, {name}",
            partial(_use, RandomStructureForestClassifier(n_estimators=3), table, classes(table, 3)),
        )
    variants: list[dict[str, Any]] = [{"max_leaf_nodes": 8}, {"max_bins": None}, {"criterion": "absolute_error"}]
    for variant in variants:
        model = RandomForestRegressor(n_estimators=3, **variant)
        yield f"{variant}", partial(_use, model, X, y)
    for variant in variants[:2]:
        for n in (2, 3):
            model = RandomForestClassifier(n_estimators=3, class_weight="balanced", **variant)
            yield f"{variant}, {n} classes", partial(_use, model, X, classes(X, n))
    yield "extra-trees without bins", lambda: _use(ExtraTreesClassifier(3, max_bins=None), X, classes(X))
    yield "extra-trees without bins, regression", lambda: _use(ExtraTreesRegressor(3, max_bins=None), X, y)
    two = np.column_stack([y, X[:, 1]])
    for name, table, both in (("", X, two), (", strings", words := strings(), target(words)[:, None] + [0.0, 1.0])):
        yield f"two outputs{name}", partial(_use, RandomForestRegressor(n_estimators=3), table, both)
        yield f"two outputs, classes{name}", partial(_use, RandomForestClassifier(n_estimators=3), table, both > 0)
    yield "quantiles", lambda: RandomForestRegressor(3, keep_targets=True).fit(X, y).predict_quantiles(X, [0.1, 0.9])
    yield (
        "permutation importances",
        lambda: RandomForestClassifier(3).fit(X, y > 0).oob_permutation_importances(X, y > 0),
    )


def _adaboost(every: bool) -> Iterator[Recipe]:
    from spinney import AdaBoostClassifier, AdaBoostRegressor, DecisionTreeClassifier

    few: dict[str, Any] = {"n_estimators": 3}
    yield from _kinds(every, lambda: AdaBoostClassifier(**few), lambda: AdaBoostRegressor(**few))
    X = numbers()
    y = target(X)
    deep = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), **few)
    yield "deep trees", lambda: _use(deep, X, y > 0)
    yield "many rows", lambda: _use(AdaBoostClassifier(**few), numbers(9000), target(numbers(9000)) > 0)
    if every:
        for algorithm in ("discrete", "SAMME", "SAMME.R"):
            for n in (2,) if algorithm == "discrete" else (2, 3):
                model = AdaBoostClassifier(algorithm=algorithm, **few)
                yield f"{algorithm}, {n} classes", partial(_use, model, X, classes(X, n))
        yield "resampled", lambda: _use(AdaBoostClassifier(reweight="resample", **few), X, y > 0)
        yield "deep trees, strings", lambda: _use(deep, strings(), classes(strings()))


def _bagging(every: bool) -> Iterator[Recipe]:
    from spinney import BaggingClassifier, BaggingRegressor

    few: dict[str, Any] = {"n_estimators": 3, "oob_score": True}
    yield from _kinds(every, lambda: BaggingClassifier(**few), lambda: BaggingRegressor(**few))
    if every:
        X = numbers()
        patches = BaggingClassifier(max_samples=0.05, max_features=0.5, n_estimators=3)
        yield "patches", lambda: _use(patches, X, classes(X))
        yield "parts", lambda: _use(BaggingClassifier(partition=True, bootstrap=False, n_estimators=3), X, classes(X))


def _auto(every: bool) -> Iterator[Recipe]:
    from spinney import AutoClassifier, AutoRegressor
    from spinney.estimators.automatic.fit import DEFAULT

    # what the members need is compiled by their own families' recipes: these are for what lies between them
    names = [name for name in DEFAULT if every or name != "boosting_of_large_trees"]  # which are the same kernels
    classifier, regressor = (partial(one, names, cv=2) for one in (AutoClassifier, AutoRegressor))
    X, words, holes = numbers(), strings(), with_holes()
    yield "two classes", lambda: _use(classifier(), X, classes(X))
    yield "regression", lambda: _use(regressor(), X, target(X))
    yield "two classes, strings", lambda: _use(classifier(), words, classes(words))
    yield "regression, missing values", lambda: _use(regressor(), holes, target(holes))
    yield "weights", lambda: _use(classifier(), X, classes(X), sample_weight=weights(X))
    if every:
        yield "regression, strings", lambda: _use(regressor(), words, target(words))


def _classic(every: bool) -> Iterator[Recipe]:
    from spinney import C45Classifier, C50Classifier, ID3Classifier

    words = np.random.RandomState(4).choice(["a", "b", "c"], (ROWS, 4)).astype(object)
    y = np.random.RandomState(5).choice(["yes", "no"], ROWS)
    yield "ID3", lambda: _use(ID3Classifier(), words, y)
    yield "C4.5, strings", lambda: _use(C45Classifier(), words, y)
    tables = [*layouts(every), ("missing values", with_holes()), ("strings", strings())]
    for name, X in tables:
        yield f"C4.5, {name}", partial(_use, C45Classifier(), X, classes(X, 3))
    X = numbers()
    yield "C4.5, weights", lambda: _use(C45Classifier(), X, classes(X), sample_weight=weights(X))
    yield "C5.0", lambda: _use(C50Classifier(trials=2), X, classes(X))
    large = numbers(25_000)  # more threads than one share it
    yield "C4.5, a team", lambda: _use(C45Classifier(max_leaf_nodes=9, n_jobs=2), large, classes(large))


def _clustering(every: bool) -> Iterator[Recipe]:
    from spinney import BayesianGaussianMixture, BisectingKMeans, GaussianMixture, KMeans, MiniBatchKMeans

    for name, X in layouts(every):
        yield f"k-means, {name}", partial(_use, KMeans(3, n_init=1), X)
        yield f"k-means by batches, {name}", partial(_use, MiniBatchKMeans(3, max_iter=2), X)
        yield f"bisecting k-means, {name}", partial(_use, BisectingKMeans(3), X)
        yield f"mixtures, {name}", partial(_use, GaussianMixture(2), X)
        yield f"Bayesian mixtures, {name}", partial(_use, BayesianGaussianMixture(n_components=2), X)
    X, large = numbers(), numbers(70_000, 3)
    yield "k-means, weights", lambda: _use(KMeans(3), X, sample_weight=weights(X))
    for dtype in (np.float64, np.float32):
        cells = few_cells(dtype, holes=False)
        yield f"k-means, sparse, {np.dtype(dtype)}", partial(_use, KMeans(3, n_init=1), cells)
        many = few_cells(dtype, 9_000, 0.001, False)
        yield f"k-means++, sparse, {np.dtype(dtype)}", partial(_use, KMeans(3, n_init=1, max_iter=1), many)
    yield "k-means, many rows", lambda: _use(KMeans(3, n_init=1), large)
    yield "k-means by batches, weights", lambda: _use(MiniBatchKMeans(3, max_iter=2), X, sample_weight=weights(X))
    yield "k-means, batch after batch", lambda: MiniBatchKMeans(3).partial_fit(X).partial_fit(X)
    yield "bisecting k-means, weights", lambda: _use(BisectingKMeans(3), X, sample_weight=weights(X))
    yield "mixtures, missing values", lambda: _use(GaussianMixture(2), with_holes())
    yield "mixtures, weights", lambda: _use(GaussianMixture(2), X, sample_weight=weights(X))
    yield "Bayesian mixtures, missing values", lambda: _use(BayesianGaussianMixture(n_components=2), with_holes())
    if every:
        for algorithm in ("lloyd", "elkan"):
            yield f"k-means, {algorithm}", partial(_use, KMeans(3, algorithm=algorithm), X)
        yield "k-means, cosine", lambda: _use(KMeans(3, metric="cosine"), X)
        yield "k-means, random start", lambda: _use(KMeans(3, init="random"), X)
        yield "k-means, float32, many rows", lambda: _use(KMeans(3, n_init=1), large.astype(np.float32))
        for form in ("tied", "diag", "spherical"):
            yield f"mixtures, {form}", partial(_use, GaussianMixture(2, covariance_type=form), X)
            bayesian = BayesianGaussianMixture(n_components=2, covariance_type=form)
            yield f"Bayesian mixtures, {form}", partial(_use, bayesian, X)
            yield (
                f"mixtures, {form}, missing values",
                partial(_use, GaussianMixture(2, covariance_type=form), with_holes()),
            )
        for start in ("random", "k-means++", "random_from_data"):
            yield f"mixtures, {start}", partial(_use, GaussianMixture(2, init_params=start), X)


def _pruning(every: bool) -> Iterator[Recipe]:
    from spinney import DecisionTreeClassifier, DecisionTreeRegressor, GradientBoostingRegressor, prune

    X, words = numbers(), strings()
    y = target(X)
    tree = DecisionTreeClassifier
    yield "cost complexity", lambda: prune.cost_complexity(tree().fit(X, y > 0), 0.01).predict(X)
    yield "path", lambda: prune.cost_complexity_path(tree().fit(X, y > 0))
    yield "cross-validated", lambda: prune.cost_complexity_cv(tree(), X, y > 0)
    yield "reduced error", lambda: prune.reduced_error(tree().fit(X, y > 0), X, y > 0)
    yield "pessimistic", lambda: prune.pessimistic(tree().fit(words, classes(words, 3)))
    yield "significance", lambda: prune.significance(tree().fit(X, y > 0))
    if every:
        yield "reduced error, regression", lambda: prune.reduced_error(DecisionTreeRegressor().fit(X, y), X, y)
        yield "significance, regression", lambda: prune.significance(DecisionTreeRegressor().fit(X, y))
        yield "boosted", lambda: prune.cost_complexity(GradientBoostingRegressor(n_estimators=2).fit(X, y), 0.1)


def _sparse(every: bool) -> Iterator[Recipe]:
    import spinney

    y, few = target(numbers()), dict[str, Any](n_estimators=2)
    for dtype in (np.float64, np.float32) if every else (np.float64,):
        X = few_cells(dtype)
        for n in (2, 3):
            labels = classes(numbers(), n)
            for kind in ("RandomForestClassifier", "ExtraTreesClassifier", "GradientBoostingClassifier"):
                yield f"{kind}, {n} classes", partial(_use, getattr(spinney, kind)(**few), X, labels)
            yield f"a tree of {n} classes", partial(_use, spinney.DecisionTreeClassifier(), X, labels)
        for kind in ("RandomForestRegressor", "ExtraTreesRegressor", "GradientBoostingRegressor", "AdaBoostRegressor"):
            yield f"{kind}", partial(_use, getattr(spinney, kind)(**few), X, y)
        yield "a tree of numbers", partial(_use, spinney.DecisionTreeRegressor(), X, y)
        yield "adaboost", partial(_use, spinney.AdaBoostClassifier(**few), X, classes(numbers()))
        yield "bagging", partial(_use, spinney.BaggingClassifier(**few), X, classes(numbers()))
        if every:
            for criterion in ("absolute_error", "poisson"):
                tree = spinney.DecisionTreeRegressor(criterion=criterion, max_depth=3)
                yield f"a tree by {criterion}", partial(_use, tree, X, abs(y))
            several = np.column_stack([y, y])
            yield "several outputs", partial(_use, spinney.DecisionTreeRegressor(max_depth=3), X, several)
