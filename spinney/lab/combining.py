"""Voting and stacking: different models on the same rows, and two ways to combine their predictions.

In: a plane with classes. Out: one step per member, and then the combination.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.lab.panels import Panel, Step, by_class, by_share, grid_of, plane, step, text_table, wrong_rows
from spinney.lab.parameters import SEED, LabError, LabParameter, Values, as_code
from spinney.lab.tables import LabTable, Parts, code_of, hold_out
from spinney.view.numbers import listed, percent

TITLE = {"voting": "Voting", "stacking": "Stacking"}
ABOUT = {
    "voting": "Models of different families are fitted on the same rows. Their majority or mean probability decides.",
    "stacking": "A final model is fitted on the members' predictions for rows that they were not fitted on.",
}


def _neighbours(default: int) -> LabParameter:
    return LabParameter("neighbours", "nearest neighbours", default, 1, 30)


_DEPTH = LabParameter("max_depth", "depth of the tree", 4, 1, 10)
_HOW = (("soft", "mean of the probabilities"), ("hard", "majority of the classes"))
PARAMETERS = {
    "voting": (LabParameter("voting", "voting", "soft", choices=_HOW), _DEPTH, _neighbours(1), SEED),
    "stacking": (_DEPTH, _neighbours(7), SEED),
}
_NAMES = ("decision tree", "logistic regression", "nearest neighbours")
_LISTED = 6  # rows shown of the data of the final model


def _voting_steps(table: LabTable, values: Values) -> list[Step]:
    """Return one step per member, the vote, and a row on which they disagree."""
    parts = hold_out(table, values["random_state"])
    model = _voting(values).fit(table.X[parts.train], table.y[parts.train])
    seen = _Members(table, parts, model)
    found = [seen.step(k) for k in range(len(_NAMES))]
    grid = grid_of(table)
    region = by_share(model.predict_proba(grid)) if values["voting"] == "soft" else None
    region = by_class(model.predict(grid), table.classes) if region is None else region
    error = _error(model, table, parts.held)
    said = (
        f"The {dict(_HOW)[values['voting']]} misclassifies {percent(error)} of the held-out rows; the members alone "
        f"misclassify {listed([percent(one) for one in seen.errors])}."
    )
    together = plane("The vote (hollow: held out)", region=region, hollow=parts.held)
    facts = {"error": error, "members": seen.errors}
    found.append(step(said, facts, together, *seen.panels(len(_NAMES), None)))
    found.append(_one_row(table, parts, model, values, region, facts))
    return found


def _stacking_steps(table: LabTable, values: Values) -> list[Step]:
    """Return one step per member, the data and the weights of the final model, and the combination."""
    _check_folds(table, parts := hold_out(table, values["random_state"]))
    X, y = table.X[parts.train], table.y[parts.train]
    model = _stacking(values).fit(X, y)
    seen = _Members(table, parts, model)
    found = [seen.step(k) for k in range(len(_NAMES))]
    answers = _answers(model, X, y)
    errors = [float((np.asarray(model.classes_)[one.argmax(axis=1)] != y).mean()) for one in answers]
    said = (
        "Each member is cross-validated with 5 folds on the training rows, so that every row is predicted by a model "
        "that was not fitted on it. The error rates are "
        f"{listed([f'{percent(one)} for the {name}' for name, one in zip(_NAMES, errors)])}."
    )
    small = seen.panels(len(_NAMES), None)
    found.append(step(said, {"unseen": errors}, _meta_table(table, parts, answers), *small))
    weights = _weights(model)
    loudest = _NAMES[int(np.argmax(weights))]
    said = (
        f"A logistic regression is fitted on these predictions. Its absolute coefficients per member are "
        f"{listed([f'{w:.2f} for the {name}' for w, name in zip(weights, _NAMES)])}. "
        f"The largest weight is that of the {loudest}."
    )
    rows = [[name, f"{w:.2f}"] for name, w in zip(_NAMES, weights)]
    listing = text_table("Weights of the members", ["member", "weight"], rows, int(np.argmax(weights)), bars=True)
    found.append(step(said, {"weights": weights}, listing, *small))
    error = _error(model, table, parts.held)
    said = (
        f"The stack misclassifies {percent(error)} of the held-out rows; the members alone misclassify "
        f"{listed([percent(one) for one in seen.errors])}."
    )
    region = by_share(model.predict_proba(grid_of(table)))
    together = plane("The stack (hollow: held out)", region=region, hollow=parts.held)
    found.append(step(said, {"error": error, "members": seen.errors}, together, *small))
    return found


def _voting_code(table: LabTable, values: Values, at: int) -> list[str]:
    lines = _begin(values, "VotingClassifier", f'voting="{values["voting"]}"')
    if at < len(_NAMES):
        return [*lines, *_member_code(at)]
    return [
        *lines,
        'step = {"error": 1 - model.score(X[held], y[held]), '
        '"members": [1 - member.score(X[held], y[held]) for member in members]}',
        "plot_regions(model, X, y)",
    ]


def _stacking_code(table: LabTable, values: Values, at: int) -> list[str]:
    lines = _begin(values, "StackingClassifier", "final_estimator=LogisticRegression(), cv=5")
    if at < len(_NAMES):
        return [*lines, *_member_code(at)]
    if at == len(_NAMES):
        lines += [
            "from sklearn.model_selection import cross_val_predict",
            "from sklearn.base import clone",
            "answers = [",
            '    cross_val_predict(clone(one), X[train], y[train], cv=5, method="predict_proba") for one in members',
            "]",
            'step = {"unseen": [float((model.classes_[one.argmax(axis=1)] != y[train]).mean()) for one in answers]}',
        ]
    elif at == len(_NAMES) + 1:
        lines += [
            "weights = np.abs(model.final_estimator_.coef_).mean(axis=0).reshape(len(members), -1).sum(axis=1)",
            'step = {"weights": weights.tolist()}',
        ]
    else:
        lines += [
            'step = {"error": 1 - model.score(X[held], y[held]), '
            '"members": [1 - member.score(X[held], y[held]) for member in members]}',
        ]
    return [*lines, "plot_regions(model, X, y)"]


def _begin(values: Values, name: str, more: str) -> list[str]:
    return [
        "from sklearn.linear_model import LogisticRegression",
        "from sklearn.neighbors import KNeighborsClassifier",
        f"from spinney import DecisionTreeClassifier, {name}, plot_regions",
        *code_of(values["random_state"]),
        "estimators = [",
        *(f'    ("{name}", {as_code(one)}),' for name, one in _estimators(values)),
        "]",
        f"model = {name}(estimators, {more}).fit(X[train], y[train])",
        "members = model.estimators_",
    ]


def _member_code(at: int) -> list[str]:
    return [
        f"member = members[{at}]",
        f'step = {{"member": {at}, "error": 1 - member.score(X[held], y[held])}}',
        "plot_regions(member, X, y)",
    ]


def _estimators(values: Values) -> list[tuple[str, Any]]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    from spinney import DecisionTreeClassifier

    return [
        ("tree", DecisionTreeClassifier(max_depth=values["max_depth"], random_state=0)),
        ("logistic", LogisticRegression(max_iter=1000)),
        ("neighbours", KNeighborsClassifier(values["neighbours"])),
    ]


def _voting(values: Values) -> Any:
    from spinney import VotingClassifier

    return VotingClassifier(_estimators(values), voting=values["voting"])


def _stacking(values: Values) -> Any:
    from sklearn.linear_model import LogisticRegression

    from spinney import StackingClassifier

    return StackingClassifier(_estimators(values), final_estimator=LogisticRegression(), cv=5)


class _Members:
    """Regions and errors of the members."""

    def __init__(self, table: LabTable, parts: Parts, model: Any) -> None:
        if (few := len(parts.train) - 1) < model.estimators[2][1].n_neighbors:
            raise LabError(f"There are only {few + 1} training rows. Choose fewer neighbours.")
        self.table, self.parts, self.members = table, parts, model.estimators_
        grid = grid_of(table)
        self.regions = [by_share(np.asarray(one.predict_proba(grid))) for one in self.members]
        self.errors = [_error(one, table, parts.held) for one in self.members]

    def panels(self, n: int, new: int | None) -> list[Panel]:
        """Return the panels of the first n members."""
        return [
            plane(
                f"{_NAMES[k].capitalize()}: error {percent(self.errors[k])}",
                region=self.regions[k],
                hollow=self.parts.held,
                small=k != new,
            )
            for k in range(n)
        ]

    def step(self, k: int) -> Step:
        """Return the step of one more member."""
        wrong = len(wrong_rows(self.members[k].predict(self.table.X[self.parts.held]), self.table.y[self.parts.held]))
        said = (
            f"Member {k + 1} of {len(_NAMES)} ({_NAMES[k]}) is fitted on {len(self.parts.train)} rows. Alone, it "
            f"misclassifies {wrong} of the {len(self.parts.held)} held-out rows ({percent(self.errors[k])})."
        )
        shown = self.panels(k + 1, k)
        return step(said, {"member": k, "error": self.errors[k]}, shown[k], *shown[:k])


def _error(model: Any, table: LabTable, rows: np.ndarray) -> float:
    return float(1 - model.score(table.X[rows], table.y[rows]))


def _one_row(
    table: LabTable, parts: Parts, model: Any, values: Values, region: list[int], facts: dict[str, Any]
) -> Step:
    """Return the step about the row on which the members disagree most."""
    shares = np.array([member.predict_proba(table.X) for member in model.estimators_])
    row = int(shares.std(axis=0).sum(axis=1).argmax())
    winners = [table.labels[int(one[row].argmax())] for one in shares]
    mean = shares[:, row].mean(axis=0)
    decided = str(table.labels[table.classes.index(plain_class(model.predict(table.X[[row]])[0]))])
    rows = [[name, *(f"{p:.2f}" for p in one[row]), won] for name, one, won in zip(_NAMES, shares, winners)]
    rows.append(["combined", *(f"{p:.2f}" for p in mean), decided])
    x, y = table.X[row]
    said = (
        f"The members disagree most on the row at ({x:.2f}, {y:.2f}): they predict {listed(winners)}. "
        f"The {dict(_HOW)[values['voting']]} predicts {decided}; the true class is "
        f"{table.labels[int(table.codes[row])]}."
    )
    where = plane("Position of the row", region=region, hollow=parts.held, ring=[row])
    listing = text_table("Probabilities for this row", ["member", *table.labels, "prediction"], rows, len(rows) - 1)
    return step(said, facts, where, listing)


def plain_class(value: Any) -> Any:
    """Return a class as a Python number or string."""
    return value.item() if isinstance(value, np.generic) else value


def _check_folds(table: LabTable, parts: Parts) -> None:
    fewest = int(np.bincount(table.codes[parts.train]).min())
    if fewest < 5:
        raise LabError(
            f"Stacking needs at least 5 training rows per class, but one class has {fewest}. Choose more rows."
        )


def _answers(model: Any, X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Return the cross-validated predictions of each member."""
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_predict

    return [
        np.asarray(cross_val_predict(clone(one), X, y, cv=5, method="predict_proba")) for _, one in model.estimators
    ]


def _meta_table(table: LabTable, parts: Parts, answers: list[np.ndarray]) -> Panel:
    last = table.labels[-1]
    order = np.argsort(table.codes[parts.train], kind="stable")  # some of each class
    picked = order[np.linspace(0, len(order) - 1, min(_LISTED, len(order))).astype(int)].tolist()
    rows = [
        [str(k + 1), *(f"{one[k, -1]:.2f}" for one in answers), table.labels[int(table.codes[parts.train[k]])]]
        for k in picked
    ]
    return text_table(f"Probability of {last}: data of the final model", ["row", *_NAMES, "class"], rows)


def _weights(model: Any) -> list[float]:
    """Return the weights of the members from the coefficients of the final model."""
    mean = np.abs(model.final_estimator_.coef_).mean(axis=0)
    return [float(one) for one in mean.reshape(len(_NAMES), -1).sum(axis=1)]


steps = {"voting": _voting_steps, "stacking": _stacking_steps}
code = {"voting": _voting_code, "stacking": _stacking_code}
