"""AdaBoost round by round: row weights, the weak tree, its estimator weight, and the ensemble so far.

In: a plane with classes. Out: one step per round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.lab.panels import Step, by_class, curve, dotted, grid_of, line, plane, step, wrong_rows
from spinney.lab.parameters import SEED, LabParameter, Values, as_code
from spinney.lab.tables import LabTable, code_of, hold_out_unless_whole
from spinney.view.numbers import percent, plural

TITLE = "AdaBoost"
ABOUT = (
    "Weak trees are fitted one after another. Rows that a tree misclassifies get a larger weight for the next tree, "
    "and trees with smaller errors get a larger estimator weight."
)
PARAMETERS = (
    LabParameter("n_estimators", "rounds", 20, 1, 60),
    LabParameter("max_depth", "depth of each tree", 1, 1, 4),
    LabParameter("learning_rate", "learning rate", 1.0, 0.1, 1.5, 0.1),
    SEED,
)


def steps(table: LabTable, values: Values) -> list[Step]:
    """Return one step per round."""
    from spinney.view.rounds import only_members

    parts = hold_out_unless_whole(table, values["random_state"])
    model = _model(table, values).fit(table.X[parts.train], table.y[parts.train])
    rounds = len(model.estimators_)
    weights, errors, says = model.sample_weight_history_, model.estimator_errors_, model.estimator_weights_
    grid, numbers = grid_of(table), range(1, rounds + 1)
    together = list(model.staged_predict(grid))
    said = list(model.staged_predict(table.X))
    wrongs = [wrong_rows(one, table.y) for one in said]
    errors_of = [[float((one != table.y)[rows].mean()) for one in said] for rows in parts if len(rows)]
    falling = dotted(numbers, errors_of)
    say = _say_curve(model)
    found = []
    for k in range(rounds):
        member = only_members(model, model.estimators_[k : k + 1], np.ones(1))
        is_wrong = np.asarray(member.predict(table.X)) != table.y
        missed = np.flatnonzero(is_wrong).tolist()
        before, after = (_sizes(weights[k + i], parts.train, table.n_rows) for i in (0, 1))
        facts = {
            "round": k + 1,
            "error": float(errors[k]),
            "say": float(says[k]),
            "wrong": int(is_wrong[parts.train].sum()),
            "training_error": errors_of[0][k],
            "held_out_error": None if table.is_whole else errors_of[1][k],
            "heaviest": float((weights[k + 1] / weights[k + 1].mean()).max()),
        }
        dots = [{"x": errors[k], "y": says[k], "name": f"tree {k + 1}"}]
        found.append(
            step(
                _sentence(facts),
                facts,
                plane(
                    f"Tree {k + 1} (point size: weight before)",
                    region=by_class(member.predict(grid), table.classes),
                    sizes=before,
                    wrong=missed,
                    hollow=parts.held,
                ),
                plane(
                    f"Ensemble of {plural(k + 1, 'tree')} (point size: weight after)",
                    region=by_class(together[k], table.classes),
                    sizes=after,
                    wrong=wrongs[k],
                    hollow=parts.held,
                ),
                curve(
                    "Estimator weight",
                    "weighted error",
                    "estimator weight",
                    [say],
                    None,
                    marks=dots,
                    small=True,
                    zero=True,
                ),
                curve("Error of the ensemble", "rounds", "error rate", falling, k + 1, yFrom=0.0, small=True),
            )
        )
    return found


def code(table: LabTable, values: Values, at: int) -> list[str]:
    """Return Python code for a step."""
    model = _model(table, {**values, "n_estimators": at + 1})
    return [
        "from spinney import AdaBoostClassifier, DecisionTreeClassifier, plot_adaboost_rounds",
        *code_of(values["random_state"], table.is_whole),
        f"model = {as_code(model)}.fit(X[train], y[train])",
        "last = model.estimators_[-1]",
        "weights = model.sample_weight_history_[-1]  # after the round",
        "step = {",
        '    "round": len(model.estimators_),',
        '    "error": float(model.estimator_errors_[-1]),',
        '    "say": float(model.estimator_weights_[-1]),',
        '    "wrong": int((last.predict(X[train]) != y[train]).sum()),',
        '    "training_error": 1 - model.score(X[train], y[train]),',
        '    "held_out_error": ' + ("None," if table.is_whole else "1 - model.score(X[held], y[held]),"),
        '    "heaviest": float((weights / weights.mean()).max()),',
        "}",
        f"plot_adaboost_rounds(model, X[train], y[train], rounds=({at + 1},))",
    ]


def _algorithm(table: LabTable) -> str:
    return "discrete" if len(table.classes) == 2 else "SAMME"


def _sizes(weights: np.ndarray, train: np.ndarray, n_rows: int) -> np.ndarray:
    """Return point sizes: training rows by weight, held-out rows as if they had the mean weight."""
    sizes = np.ones(n_rows)
    sizes[train] = weights / weights.mean()
    return np.round(sizes, 3)


def _model(table: LabTable, values: Values) -> Any:
    from spinney import AdaBoostClassifier, DecisionTreeClassifier

    weak = DecisionTreeClassifier(max_depth=values["max_depth"])
    given = {"n_estimators": values["n_estimators"], "learning_rate": values["learning_rate"]}
    return AdaBoostClassifier(weak, **given, algorithm=_algorithm(table), keep_weights=True)


def _say_curve(model: Any) -> dict[str, Any]:
    """Return the curve of the estimator weight over the error."""
    from spinney.criteria.adaboost_weights import many_class_vote, two_class_vote

    errors, k = np.linspace(0.01, 0.99, 99), len(model.classes_)
    is_two = model.algorithm == "discrete"
    says = [two_class_vote(e) if is_two else many_class_vote(e, k) for e in errors.tolist()]
    return line("estimator weight", errors, model.learning_rate * np.array(says), "line", 0)


def _sentence(facts: dict[str, Any]) -> str:
    wrong = facts["wrong"]
    said = (
        f"Round {facts['round']}: the tree misclassifies {plural(wrong, 'training row')} with "
        f"{percent(facts['error'])} of the total weight, so its estimator weight is {facts['say']:.2f}. "
    )
    if wrong:
        said += f"The weights of these rows increase; the largest weight is now {facts['heaviest']:.1f} times the mean."
    else:
        said += "Without errors, the rounds end."
    if facts["held_out_error"] is None:
        return f"{said} The ensemble so far misclassifies {percent(facts['training_error'])} of the rows."
    errors = f"{percent(facts['training_error'])} of the training rows and {percent(facts['held_out_error'])} of the"
    return f"{said} The ensemble so far misclassifies {errors} held-out rows."
