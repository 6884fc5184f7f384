"""What is fitted: the task that a target is for, and estimators by the names of `--model`.

In: a name, a task, `--param name=value`. Out: an unfitted estimator, whose own checks validate the values. In: a
target. Out: whether it is for classification or for regression, and why.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

import numpy as np

import spinney
from spinney.tables.errors import TableError, suggestion, usage
from spinney.tables.kinds import Column


@dataclass(frozen=True)
class Kind:
    """A family of models: public names of its classifier and regressor, and changed defaults."""

    classifier: str
    regressor: str | None
    about: str
    changes: tuple[tuple[str, Any], ...] = ()
    slow: bool = False  # evaluated by one held-out part instead of folds
    by_codes: bool = False  # fitted on one byte per cell, so that large tables can stay on disk


MODELS = {
    "boosting": Kind("GradientBoostingClassifier", "GradientBoostingRegressor", "gradient boosting", by_codes=True),
    "auto": Kind("AutoClassifier", "AutoRegressor", "the best of boosting and forests, combined", slow=True),
    "forest": Kind("RandomForestClassifier", "RandomForestRegressor", "a random forest", by_codes=True),
    "extra-trees": Kind("ExtraTreesClassifier", "ExtraTreesRegressor", "extra-trees", by_codes=True),
    "tree": Kind(
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "a decision tree with leaves of at least 2 % of the rows",
        (("min_samples_leaf", 0.02),),
    ),
    "c45": Kind("C45Classifier", None, "C4.5"),
    "id3": Kind("ID3Classifier", None, "ID3"),
    "adaboost": Kind("AdaBoostClassifier", "AdaBoostRegressor", "AdaBoost"),
    "stack": Kind("StackingClassifier", "StackingRegressor", "boosting, a forest and extra-trees, stacked", slow=True),
}
_STACKED = ("boosting", "forest", "extra-trees")


def read_parameters(given: Sequence[str]) -> dict[str, Any]:
    """Parse `--param max_depth=5` into a dict. Values are Python literals; anything else is a string."""
    found = {}
    for pair in given:
        name, equals, text = (part.strip() for part in pair.partition("="))
        if not equals or not name:
            raise usage(f"--param must be name=value, such as --param max_depth=5, got {pair!r}.")
        found[name.replace("-", "_")] = _value(text)
    return found


def _value(text: str) -> Any:
    named = {"none": None, "null": None, "true": True, "false": False}
    if text.lower() in named:
        return named[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def make_model(
    name: str,
    task: str,
    parameters: dict[str, Any],
    seed: int,
    threads: int | None,
    budget: float | None,
    quality: int | None,
) -> Any:
    """Return an estimator, with its parameters checked as far as possible without data."""
    kind = MODELS[name]
    public = kind.classifier if task == "classification" else kind.regressor
    if public is None:
        raise usage(f"--model {name} supports only classification. Use --model tree for regression.")
    model = _stack(public, task) if name == "stack" else getattr(spinney, public)()
    known = model.get_params(deep=True)
    for one in parameters:
        if one not in known:
            from spinney.estimators.names import PARAMETERS as OTHER_NAMES  # here, so that the help is quick

            ours, remark = OTHER_NAMES.get(one, ("", ""))
            instead = f"use {ours}{f' ({remark})' if remark else ''}." if ours in known else remark and f"{remark}."
            raise usage(f"--param {one}: {public} has no such parameter; {instead or suggestion(one, known)}")
    sizes = {
        "max_depth",
        "max_leaf_nodes",
        "min_samples_leaf",
        "min_samples_split",
        "min_impurity_decrease",
        "ccp_alpha",
    }
    if not sizes & set(parameters):
        model.set_params(**dict(kind.changes))
    shared = {"random_state": seed, "n_jobs": threads}
    model.set_params(**{key: value for key, value in shared.items() if key in known and key not in parameters})
    if name == "stack":
        members = [f"{one}__{key}" for one, _ in model.estimators for key in shared]
        model.set_params(
            **{key: shared[key.partition("__")[2]] for key in members if key in known and key not in parameters}
        )
    for key, value, models in (("time_budget", budget, "boosting and auto"), ("quality", quality, "boosting")):
        if value is not None:
            if key not in known:
                option = "--" + key.replace("_", "-")
                raise usage(f"{option} is supported only with --model {models}, not with {name}.")
            model.set_params(**{key: value})
    model.set_params(**parameters)
    _check(model, parameters)
    return model


def _stack(public: str, task: str) -> Any:
    names = [MODELS[one].classifier if task == "classification" else MODELS[one].regressor or "" for one in _STACKED]
    return getattr(spinney, public)(
        [(one.replace("-", "_"), getattr(spinney, name)()) for one, name in zip(_STACKED, names)]
    )


def _check(model: Any, parameters: dict[str, Any]) -> None:
    """The estimator's own check of its parameters, before any row is read."""
    from spinney.estimators.params import check_parameters

    if parameters:
        try:
            check_parameters(model)
        except ValueError as error:
            raise usage(f"--param: {error}") from None


def check_id3(columns: Sequence[Any]) -> None:
    """Raise an error that names the options to use, since ID3 supports only categories."""
    numbers = [column.name for column in columns if column.kind in ("number", "date")]
    if numbers:
        names = ", ".join(map(repr, numbers[:5])) + (" ..." if len(numbers) > 5 else "")
        raise TableError(
            f"ID3 supports only categories, but {names} hold{'s' if len(numbers) == 1 else ''} numbers. Use "
            f"--model c45, --types {quote(numbers[0] + '=category')} or --drop."
        )


# --- tasks ------------------------------------------------------------------------------------------------------------


_FEW = 10  # most distinct integers that are treated as classes
_PER_CLASS = 5  # fewest rows per class, on average
_TOO_MANY = 1000
_NAMES = 20  # from this many distinct strings, and more than half as many as rows: names
_FEW_NUMBERS = 50  # most distinct integers that may be classes after all


def guess_task(target: Column, y: np.ndarray, wanted: str | None) -> tuple[str, str]:
    """Return (task, reason). Raise an error for targets that cannot be learned."""
    distinct = len(np.unique(y))
    if distinct == 1:
        raise TableError(
            f"the target {target.name!r} holds the same value, {y[0]!s}, in all {len(y):,} rows: there is nothing to "
            "learn."
        )
    if wanted == "regression" and target.kind == "category":
        raise TableError(
            f"--task regression: the target {target.name!r} holds text, such as {y[0]!r}, not numbers. Name strings "
            "that mean missing in --missing, or use --task classification."
        )
    if wanted == "classification" and y.dtype.kind == "f" and not bool((y == np.rint(y)).all()):
        raise TableError(
            f"--task classification: the target {target.name!r} holds fractions, such as {y[y != np.rint(y)][0]:g}; "
            f"--types {quote(target.name + '=category')} treats every number as a class."
        )
    task, why = (wanted, "as given by --task") if wanted else _guess(target, y, distinct)
    names = distinct > _NAMES and distinct > len(y) / 2
    if task == "classification" and (names or (distinct > _TOO_MANY and distinct > len(y) / 10)):
        raise TableError(
            f"the target {target.name!r} has {distinct:,} different values in {len(y):,} rows, such as {str(y[0])!r}: "
            "too many classes to learn. It looks like a name or an id"
            + (
                f". If it holds numbers, --types {quote(target.name + '=number')} finds the cell that is not one."
                if target.kind == "category"
                else "; --task regression treats its values as amounts."
            )
        )
    return task, why


def _guess(target: Column, y: np.ndarray, distinct: int) -> tuple[str, str]:
    if target.kind == "boolean":
        return "classification", "since it holds true and false"
    if target.kind == "category":
        return "classification", f"since it holds {distinct} different strings"
    if distinct == 2:
        return "classification", f"since it holds only two values, {y.min():g} and {y.max():g}"
    if y.dtype.kind == "i" and distinct <= _FEW and len(y) >= _PER_CLASS * distinct:
        return (
            "classification",
            f"since it holds only {distinct} different integers (--task regression if they are amounts)",
        )
    doubt = (
        " (--task classification if they are class labels)" if y.dtype.kind == "i" and distinct <= _FEW_NUMBERS else ""
    )
    return "regression", f"since it holds numbers, {distinct:,} different ones{doubt}"


def alike(classes: np.ndarray) -> list[list[str]]:
    """Return the classes that differ only in upper and lower case, such as Yes and yes."""
    found: dict[str, list[str]] = {}
    for one in classes.tolist():
        found.setdefault(str(one).casefold(), []).append(str(one))
    return [same for same in found.values() if len(same) > 1]
