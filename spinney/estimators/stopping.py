"""Rows that validate a decision tree while it grows: held out of the training rows, or given as `eval_set`.

In: an estimator with `n_iter_no_change`, its training rows, and what was given as `eval_set`. Out: the rows to grow
from, and a `HeldOut`. No algorithm in here: see prune/stopping.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney._seed import read_seed
from spinney.data.holdout import hold_out
from spinney.data.schema import Schema
from spinney.data.weights import Weights
from spinney.estimators.base import read_sample_weight
from spinney.estimators.targets import Answers, check_labels, check_numbers, read_y

if TYPE_CHECKING:
    from spinney.data.tables import Table
    from spinney.prune.stopping import HeldOut


def find_judges(
    model: Any, schema: Schema, table: Table, answers: Answers, weights: Weights, eval_set: Any
) -> tuple[np.ndarray | None, HeldOut | None]:
    """(rows to fit on, rows to validate on); (None, None) without early stopping."""
    if model.n_iter_no_change is None:
        if eval_set is not None:
            raise ValueError("eval_set is used only with n_iter_no_change. Set n_iter_no_change, for example to 5.")
        return None, None
    from spinney.prune.stopping import HeldOut

    patience = int(model.n_iter_no_change)
    rows = weights.rows()
    rows = np.arange(answers.values.shape[1]) if rows is None else rows
    if eval_set is not None:
        return rows, HeldOut(*_read(model, schema, answers, eval_set), patience)
    if len(rows) < 2:
        raise ValueError("n_iter_no_change needs at least two rows of positive weight: one to fit, one to hold out.")
    labels = answers.values[0, rows] if answers.classes is not None and len(answers.values) == 1 else None
    kept, held = hold_out(rows, model.validation_fraction, read_seed(model.random_state), labels)
    return kept, HeldOut(table.take(held), answers.target(weights, held), patience)


def _read(model: Any, schema: Schema, answers: Answers, eval_set: Any) -> tuple[Table, Any]:
    """The caller's rows as a table and a target."""
    if not isinstance(eval_set, tuple | list) or len(eval_set) not in (2, 3):
        raise ValueError(f"eval_set must be (X, y) or (X, y, sample_weight), got {eval_set!r:.60}.")
    owner = type(model).__name__
    X, y, weight = (*eval_set, None)[:3]
    table = schema.read(X, owner)
    values = read_y(y, None if answers.classes is not None else np.float64, owner)
    n_outputs = len(answers.values)
    if (1 if values.ndim == 1 else values.shape[1]) != n_outputs:
        raise ValueError(f"y of eval_set must have as many columns as y, {n_outputs}, got shape {values.shape}.")
    weights = read_sample_weight(weight, table.n_rows, getattr(model, "class_weight", None), y)
    if answers.classes is None:
        check_numbers(values, table.n_rows)
        numbers = values[None] if values.ndim == 1 else values.T
        return table, Answers(np.require(numbers, requirements=["C", "W"]), None).target(weights)
    check_labels(values, table.n_rows)
    from spinney.prune.validation import class_codes

    columns = [values] if values.ndim == 1 else values.T
    codes = [class_codes(one, classes, False) for one, classes in zip(columns, answers.classes)]
    return table, Answers(np.array(codes, np.int32), answers.classes).target(weights)
