"""Recipes for explanations: SHAP values of small models, alone, in pairs and against background rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from spinney.warmup.tables import classes, numbers, strings, target, with_holes


def explained(every: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The kernels do not depend on the model nor on the table; what is read before them may."""
    from spinney import DecisionTreeClassifier, GradientBoostingRegressor, RandomForestClassifier

    X, words, holes = numbers(), strings(), with_holes()
    few: dict[str, Any] = {"n_estimators": 2, "min_samples_leaf": 5}
    boosted = GradientBoostingRegressor(**few)
    yield "values", lambda: boosted.fit(X, target(X)).shap_values(X)
    yield "pairs", lambda: boosted.fit(X, target(X)).shap_values(X, interactions=True)
    yield "background", lambda: boosted.fit(X, target(X)).shap_values(X, X)
    yield "pairs, background", lambda: boosted.fit(X, target(X)).shap_values(X, X[:1], interactions=True)
    yield "strings", partial(_values, DecisionTreeClassifier(), words, classes(words, 3))
    if every:
        yield "missing values", partial(_values, RandomForestClassifier(n_estimators=3), holes, classes(holes))


def _values(model: Any, X: Any, y: Any) -> Any:
    return model.fit(X, y).shap_values(X)
