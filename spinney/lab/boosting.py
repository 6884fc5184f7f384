"""Gradient boosting round by round: the residuals, the tree that is fitted to them, and the sum so far.

In: a plane; the vertical column is predicted from the horizontal one, or the class from both. Out: one step before the
first round and one per round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import log_loss

from spinney.lab.panels import Step, by_share, curve, dotted, grid_of, line, plane, step
from spinney.lab.parameters import SEED, LabError, LabParameter, Values, as_code
from spinney.lab.tables import LabTable, code_of, hold_out
from spinney.view.numbers import percent, plural, short

TITLE = "Gradient boosting"
ABOUT = (
    "Each tree is fitted to the residuals of the trees before it. Its prediction, times the learning rate, is added."
)
PARAMETERS = (
    LabParameter(
        "task",
        "target",
        "auto",
        choices=(
            ("auto", "class, if the table has one"),
            ("classes", "class from both columns"),
            ("numbers", "vertical from horizontal"),
        ),
    ),
    LabParameter("learning_rate", "learning rate", 0.3, 0.05, 1.0, 0.05),
    LabParameter("max_depth", "depth of each tree", 2, 1, 6),
    LabParameter("n_estimators", "rounds", 20, 1, 60),
    SEED,
)
_ALONG = 240  # predictions along the axis


def steps(table: LabTable, values: Values) -> list[Step]:
    """Return the step before the first round, and one per round."""
    return (_classes if _is_class(table, values) else _numbers)(table, values)


def code(table: LabTable, values: Values, at: int) -> list[str]:
    """Return Python code for a step."""
    is_class = _is_class(table, values)
    model = _model({**values, "n_estimators": max(at, 1)}, is_class)
    name, begin = type(model).__name__, code_of(values["random_state"])
    if is_class:
        return [
            f"from spinney import {name}, plot_regions",
            "from sklearn.metrics import log_loss",
            *begin,
            f"model = {as_code(model)}",
            "model.fit(X[train], y[train])",
            *_CLASS_CODE[at == 0],
            "plot_regions(model, X, y)",
        ]
    return [
        f"from spinney import {name}, plot_residual_rounds",
        *begin,
        "x, target = X[:, :1], X[:, 1]  # predict the vertical column from the horizontal one",
        f"model = {as_code(model)}",
        "model.fit(x[train], target[train])",
        "predicted = model.predict(x)" if at else "predicted = np.full(len(target), target[train].mean())",
        "step = {",
        f'    "round": {at},',
        '    "training_error": float(np.mean((target - predicted)[train] ** 2)),',
        '    "held_out_error": float(np.mean((target - predicted)[held] ** 2)),',
        '    "largest_residual": float(np.abs(target - predicted)[train].max()),',
        "}",
        f"plot_residual_rounds(model, x[train], target[train], rounds=({max(at, 1)},))",
    ]


_CLASS_CODE = {
    False: [
        "shares = model.predict_proba(X)",
        'step = {"round": len(model), "training_loss": float(log_loss(y[train], shares[train])), '
        '"held_out_loss": float(log_loss(y[held], shares[held], labels=model.classes_)), '
        '"wrong": int((model.predict(X[held]) != y[held]).sum())}',
    ],
    True: [
        "counts = np.unique(y[train], return_counts=True)[1]",
        "shares = np.tile(counts / len(train), (len(y), 1))  # before the first round",
        'step = {"round": 0, "training_loss": float(log_loss(y[train], shares[train])), '
        '"held_out_loss": float(log_loss(y[held], shares[held], labels=model.classes_)), '
        '"wrong": int((model.classes_[shares[held].argmax(axis=1)] != y[held]).sum())}',
    ],
}


def _is_class(table: LabTable, values: Values) -> bool:
    """Whether the class is predicted, or the vertical column."""
    return values["task"] == "classes" or (values["task"] == "auto" and table.has_classes)


def _model(values: Values, is_class: bool) -> Any:
    from spinney import GradientBoostingClassifier, GradientBoostingRegressor

    shared: dict[str, Any] = {"max_leaf_nodes": None, "min_samples_leaf": 1, "l2_regularization": 0.0, "max_bins": None}
    own = {name: values[name] for name in ("n_estimators", "learning_rate", "max_depth")}
    make = GradientBoostingClassifier if is_class else GradientBoostingRegressor
    return make(**own, **shared, random_state=0)


def _numbers(table: LabTable, values: Values) -> list[Step]:
    from spinney.view.rounds import stages_of

    parts = hold_out(table, values["random_state"])
    x, y = table.X[:, :1], table.X[:, 1]
    model = _model(values, is_class=False).fit(x[parts.train], y[parts.train])
    along = np.linspace(*table.ranges[0], _ALONG)
    on_rows = [one for _, one in stages_of(model, x, len(model))]
    on_line = [one for _, one in stages_of(model, along[:, None], len(model))]
    errors = [[float(np.mean((y - one)[rows] ** 2)) for one in on_rows] for rows in parts]
    falling = dotted(range(len(on_rows)), errors)
    span = float(np.abs(y - on_rows[0])[parts.train].max()) * 1.05 or 1.0
    train, found = parts.train, []
    rows = line("training rows", x[train, 0], y[train], "points", 2)
    for k, predicted in enumerate(on_rows):
        before = on_rows[max(k - 1, 0)]
        left = (y - before)[train]
        added = on_line[k] - on_line[k - 1] if k else None
        facts = {
            "round": k,
            "training_error": errors[0][k],
            "held_out_error": errors[1][k],
            "largest_residual": float(np.abs(y - predicted)[train].max()),
        }
        rest = [line("residuals", x[train, 0], left, "points", 2)]
        if added is not None:
            rest.append(line("added by the tree", along, added, "steps", 1))
        target = [rows, line("prediction so far", along, on_line[k], "steps", 0)]
        title = f"Residuals before round {k}, and its tree" if k else "Residuals of the mean"
        found.append(
            step(
                _sentence(k, facts, values, table),
                facts,
                curve(title, table.names[0], "residual", rest, None, yFrom=-span, yTo=span, zero=True),
                curve(f"After {plural(k, 'round')}", table.names[0], table.names[1], target, None, adds=True),
                curve("Error over the rounds", "rounds", "mean squared error", falling, k, yFrom=0.0),
            )
        )
    return found


def _sentence(k: int, facts: dict[str, Any], values: Values, table: LabTable) -> str:
    train, held = short(facts["training_error"], 3), short(facts["held_out_error"], 3)
    if k == 0:
        return (
            f"Before the first round, the prediction is the mean of {table.names[1]} for every row. The mean squared "
            f"error is {train} on training rows and {held} on held-out rows. Target minus prediction is the residual."
        )
    return (
        f"Round {k}: a tree of depth {values['max_depth']} is fitted to the residuals, and {values['learning_rate']:g} "
        f"times its prediction is added. The mean squared error falls to {train} on training rows and is {held} on "
        "held-out rows."
    )


def _classes(table: LabTable, values: Values) -> list[Step]:
    if not table.has_classes:
        raise LabError("This table has no classes. Choose the vertical column as the target, or another table.")
    parts = hold_out(table, values["random_state"])
    X, y, classes = table.X, table.y, np.asarray(table.classes)
    model = _model(values, is_class=True).fit(X[parts.train], y[parts.train])
    shares = np.bincount(table.codes[parts.train], minlength=len(classes)) / len(parts.train)
    grid = grid_of(table)
    on_rows = [np.tile(shares, (len(y), 1)), *model.staged_predict_proba(X)]
    on_grid = [np.tile(shares, (len(grid), 1)), *model.staged_predict_proba(grid)]
    losses = [[float(log_loss(y[rows], one[rows], labels=classes)) for one in on_rows] for rows in parts]
    falling = dotted(range(len(on_rows)), losses)
    found = []
    for k, said in enumerate(on_rows):
        left = 1.0 - said[np.arange(len(y)), table.codes]
        wrong = int((classes[said.argmax(axis=1)] != y)[parts.held].sum())
        facts = {"round": k, "training_loss": losses[0][k], "held_out_loss": losses[1][k], "wrong": wrong}
        found.append(
            step(
                _class_sentence(k, facts, values, len(parts.held)),
                facts,
                plane(f"After {plural(k, 'round')} (hollow: held out)", region=by_share(on_grid[k]), hollow=parts.held),
                plane("Residuals: 1 - probability of the true class", sizes=np.round(0.05 + 3 * left, 3)),
                curve("Log loss over the rounds", "rounds", "log loss", falling, k, yFrom=0.0),
            )
        )
    return found


def _class_sentence(k: int, facts: dict[str, Any], values: Values, n_held: int) -> str:
    train, held = short(facts["training_loss"], 3), short(facts["held_out_loss"], 3)
    wrong = f"{percent(facts['wrong'] / n_held)} of the held-out rows are misclassified"
    if k == 0:
        return f"Before the first round, the probabilities are the class frequencies. The log loss is {train}; {wrong}."
    return (
        f"Round {k}: trees of depth {values['max_depth']} are fitted to the residuals, and {values['learning_rate']:g} "
        f"times their predictions is added. The log loss is {train} on training rows and {held} on held-out rows; "
        f"{wrong}."
    )
