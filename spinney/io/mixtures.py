"""Means and votes of several models as a `Mixture` of formulas.

In: a fitted automatic model, or a vote or average of models of trees. Out: the members' formulas and their weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.io.formula import Formula, Mixture, read_formula


def read_mixture(model: Any) -> Mixture:
    """The members must have read the same table in the same way."""
    name = type(model).__name__
    if name.startswith("Auto"):
        members, weights, total = model.estimators_, model.weights_, 1.0
    elif name.startswith("Bayesian"):
        members, weights = model.estimators_, model.weights_
        total = float(weights.sum()) if hasattr(model, "classes_") else 1.0
    else:
        if getattr(model, "how", "mean") == "median":
            raise ValueError(
                "a median of several models cannot be exported, because it is not a sum. Export the members."
            )
        members, given = model.estimators_, model._member_weights()
        weights = np.ones(len(members)) if given is None else given
        total = float(weights.sum())
    formulas = tuple(read_formula(one) for one in members)
    classes = (np.asarray(model.classes_),) if hasattr(model, "classes_") else ()
    _check_alike(name, formulas, classes)
    return Mixture(
        model=name,
        schema=formulas[0].schema,
        strict=any(one.strict for one in formulas),
        fingerprint=str(getattr(model, "fingerprint_", "")),
        members=formulas,
        weights=weights,
        total=total,
        by_votes=getattr(model, "voting", "soft") == "hard",
        classes=classes,
    )


def _check_alike(name: str, formulas: tuple[Formula, ...], classes: tuple[np.ndarray, ...]) -> None:
    first = formulas[0]
    for one in formulas:
        if one.schema != first.schema:
            raise ValueError(f"the members of this {name} read the columns in different ways. Export them one by one.")
        if len(one.classes) != len(classes) or (classes and not np.array_equal(one.classes[0], classes[0])):
            raise ValueError(f"the members of this {name} have seen different classes. Export them one by one.")
        if one.link == "median":
            raise ValueError(f"{one.model}, a member of this {name}, predicts a median, which is not a sum.")
