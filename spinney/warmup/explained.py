"""Recipes: explanations of fitted models, for the kernels that only these need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from spinney.warmup.tables import classes, numbers, strings, target, with_holes


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
    yield "dependence, strings", lambda: explain.ice(named(), words, 0)
    yield "dependence, probabilities", lambda: explain.partial_dependence(named(), words, 0)
    yield "interactions", lambda: explain.friedman_h(boosted(), X, [0, 1], kind="overall")
    yield "held-out gains", lambda: explain.importances(boosted(), X, y, "held_out")
    yield "held-out gains, three classes", lambda: explain.importances(named(), words, labels, "held_out")
    if every:
        forest = partial(spinney.RandomForestRegressor, **few)
        yield "dependence, deep trees", lambda: explain.partial_dependence(forest().fit(*_deep()), _deep()[0], 0)
        yield "proximities", lambda: explain.proximity(forest().fit(X, y), X)
        yield "missing values", lambda: explain.shap(_forest_of(holes, few), holes)


def _forest_of(X: Any, few: dict[str, Any]) -> Any:
    from spinney import RandomForestClassifier

    return RandomForestClassifier(**few).fit(X, classes(X))


def _deep() -> Any:
    """Rows whose trees are deeper than ten questions."""
    import numpy as np

    X = np.arange(4000.0)[:, None]
    return X, np.sin(X[:, 0] ** 2)
