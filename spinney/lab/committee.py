"""Bagging, random forests and extra-trees: trees on resampled rows or random splits, and their ensemble.

In: a plane. Out: one step per tree, with its regions, those of the ensemble so far, and the error over the trees.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spinney.lab.panels import Step, by_share, curve, dotted, grid_of, plane, step
from spinney.lab.parameters import SEED, LabError, LabParameter, Values, as_code
from spinney.lab.tables import LabTable, code_of, hold_out
from spinney.view.numbers import percent, plural

TITLE = {"bagging": "Bagging", "forest": "Random forest", "extra_trees": "Extra-trees"}
ABOUT = {
    "bagging": "Each tree is fitted on a bootstrap sample: as many rows, sampled with replacement. The probabilities "
    "of all trees are averaged.",
    "forest": "Bagging, with a new random subset of columns at each split.",
    "extra_trees": "Columns and thresholds are sampled at each split. Fitting is fast, and the ensemble is smooth.",
}
_TREES = LabParameter("n_estimators", "trees", 15, 1, 60)
_DEPTH = LabParameter("max_depth", "maximum depth", 8, 1, 12)
_COLUMNS = LabParameter("max_features", "columns per split", 1, 1, 2)
_DRAWN = (_TREES, _DEPTH, _COLUMNS, SEED)
PARAMETERS = {"bagging": (_TREES, _DEPTH, SEED), "forest": _DRAWN, "extra_trees": _DRAWN}


class _Judged(NamedTuple):
    """Errors after each tree."""

    counts: list[np.ndarray] | None  # how often each row is in the sample of each tree
    judges: list[np.ndarray]  # per tree: the rows it is evaluated on
    own: list[float]  # each tree's error on them
    together: list[float]  # of the ensemble, on rows that its trees were not fitted on
    training: list[float]


def _steps(kind: str, table: LabTable, values: Values) -> list[Step]:
    train, held = _rows(kind, table, values)
    model = _model(kind, values).fit(table.X[train], table.y[train])
    members, grid = list(model.estimators_), grid_of(table)
    judged = _judge(kind, model, members, table, train, held)
    regions = [member.predict_proba(grid) for member in members]
    votes = np.cumsum(regions, axis=0) / np.arange(1, len(members) + 1)[:, None, None]
    numbers = range(1, len(members) + 1)
    what = "held-out rows" if kind == "extra_trees" else "out-of-bag rows"
    lines = dotted(numbers, (judged.training, judged.together), ("training rows", what))
    found = []
    for k in range(len(members)):
        outside = judged.judges[k]
        facts = _facts(k, judged, table)
        sizes = None if judged.counts is None else np.where(judged.counts[k] == 0, 1.0, judged.counts[k])
        found.append(
            step(
                _sentence(kind, k, facts, table, model),
                facts,
                plane(
                    _title(kind, k),
                    region=by_share(regions[k]),
                    sizes=sizes,
                    hollow=outside,
                    bag=judged.counts is not None,
                ),
                plane(f"Ensemble of {plural(k + 1, 'tree')}", region=by_share(votes[k])),
                curve("Error over the trees", "trees", "error rate", lines, k + 1, yFrom=0.0),
            )
        )
    return found


def _code(kind: str, table: LabTable, values: Values, at: int) -> list[str]:
    model, lines = _model(kind, {**values, "n_estimators": at + 1}), []
    trees = "BaggingClassifier, DecisionTreeClassifier" if kind == "bagging" else type(model).__name__
    lines += code_of(values["random_state"]) if kind == "extra_trees" else []
    rows = "X[train], y[train]" if kind == "extra_trees" else "X, y"
    lines += [f"from spinney import {trees}, plot_regions", f"model = {as_code(model)}.fit({rows})"]
    return [*lines, *(_HELD_CODE if kind == "extra_trees" else _OUTSIDE_CODE), "plot_regions(model, X, y)"]


_HELD_CODE = [
    "step = {",
    '    "tree": len(model.estimators_),',
    '    "tree_error": 1 - model.estimators_[-1].score(X[held], y[held]),',
    '    "vote_error": 1 - model.score(X[held], y[held]),',
    '    "training_error": 1 - model.score(X[train], y[train]),',
    "}",
]
_OUTSIDE_CODE = [
    "shares, trees = np.zeros((len(y), len(model.classes_))), np.zeros(len(y))",
    "for member, bag in zip(model.estimators_, model.estimators_samples_):",
    "    outside = np.setdiff1d(np.arange(len(y)), bag)  # the rows that this tree was not fitted on",
    "    shares[outside] += member.predict_proba(X[outside])",
    "    trees[outside] += 1",
    "known = trees > 0",
    "step = {",
    '    "tree": len(model.estimators_),',
    '    "in_bag": len(np.unique(bag)),',
    '    "out_of_bag": len(outside),',
    '    "tree_error": 1 - model.estimators_[-1].score(X[outside], y[outside]),',
    '    "vote_error": float((model.classes_[shares[known].argmax(axis=1)] != y[known]).mean()),',
    '    "training_error": 1 - model.score(X, y),',
    "}",
]


def _model(kind: str, values: Values) -> Any:
    from spinney import BaggingClassifier, DecisionTreeClassifier, ExtraTreesClassifier, RandomForestClassifier

    shared = {"n_estimators": values["n_estimators"], "random_state": values["random_state"]}
    if kind == "bagging":
        return BaggingClassifier(DecisionTreeClassifier(max_depth=values["max_depth"]), **shared)
    make = RandomForestClassifier if kind == "forest" else ExtraTreesClassifier
    return make(**shared, max_depth=values["max_depth"], max_features=values["max_features"])


def _rows(kind: str, table: LabTable, values: Values) -> tuple[np.ndarray, np.ndarray]:
    """Return training rows and held-out rows. Bootstrap samples leave rows out by themselves."""
    if kind == "extra_trees":
        parts = hold_out(table, values["random_state"])
        return parts.train, parts.held
    return np.arange(table.n_rows), np.zeros(0, np.int64)


def _judge(kind: str, model: Any, members: list[Any], table: LabTable, train: np.ndarray, held: np.ndarray) -> _Judged:
    X, y, n = table.X, table.y, table.n_rows
    shares = np.array([member.predict_proba(X) for member in members])  # (tree, row, class)
    classes = np.asarray(model.classes_)
    sums = np.cumsum(shares, axis=0)
    training = [float((classes[one[train].argmax(axis=1)] != y[train]).mean()) for one in sums]
    if kind == "extra_trees":
        own = [float((classes[one[held].argmax(axis=1)] != y[held]).mean()) for one in shares]
        together = [float((classes[one[held].argmax(axis=1)] != y[held]).mean()) for one in sums]
        return _Judged(None, [held] * len(members), own, together, training)
    counts = [np.bincount(rows, minlength=n) for rows in model.estimators_samples_]
    seen, own, together, judges = np.zeros(shares.shape[1:]), [], [], []
    asked = np.zeros(n, np.int64)
    for k, bag in enumerate(counts):
        outside = np.flatnonzero(bag == 0)
        if not len(outside):
            raise LabError(
                f"The bootstrap sample of tree {k + 1} has every row, so that it cannot be evaluated. Choose more rows."
            )
        judges.append(outside)
        own.append(_error(classes, shares[k][outside], y[outside]))
        seen[outside] += shares[k][outside]
        asked[outside] += 1
        known = asked > 0
        together.append(_error(classes, seen[known], y[known]))
    return _Judged(counts, judges, own, together, training)


def _error(classes: np.ndarray, shares: np.ndarray, y: np.ndarray) -> float:
    return float((classes[shares.argmax(axis=1)] != y).mean())


def _facts(k: int, judged: _Judged, table: LabTable) -> dict[str, Any]:
    facts: dict[str, Any] = {"tree": k + 1}
    if judged.counts is not None:
        outside = len(judged.judges[k])
        facts |= {"in_bag": table.n_rows - outside, "out_of_bag": outside}
    return {
        **facts,
        "tree_error": judged.own[k],
        "vote_error": judged.together[k],
        "training_error": judged.training[k],
    }


def _title(kind: str, k: int) -> str:
    return f"Tree {k + 1}" + (
        " (hollow: held out)" if kind == "extra_trees" else " and its sample (hollow: out-of-bag)"
    )


def _sentence(kind: str, k: int, facts: dict[str, Any], table: LabTable, model: Any) -> str:
    alone, together = percent(facts["tree_error"]), percent(facts["vote_error"])
    asked = model.estimators_[k].tree_
    if kind == "extra_trees":
        column, threshold = table.names[int(asked.feature[0])], float(asked.threshold[0])
        first = (
            f"first splits at {column} ≤ {threshold:.2f}, a random threshold" if asked.n_nodes > 1 else "has no split"
        )
        more = f"; the {k + 1} trees together misclassify {together}" if k else ""
        return f"Tree {k + 1} {first}. Alone, it misclassifies {alone} of the held-out rows{more}."
    said = (
        f"The bootstrap sample of tree {k + 1} has {facts['in_bag']} of {table.n_rows} rows, some several times. The "
        f"tree misclassifies {alone} of the {plural(facts['out_of_bag'], 'row')} "
        f"({percent(facts['out_of_bag'] / table.n_rows)}) out of the sample."
    )
    if k == 0:
        return said
    return f"{said} The out-of-bag error of the {k + 1} trees together is {together}."


steps = {kind: partial(_steps, kind) for kind in TITLE}
code = {kind: partial(_code, kind) for kind in TITLE}
