"""`spinney evaluate`: the scores of a model on a table with known targets.

`Truth` goes through such a table: batches of rows with their targets and weights. Rows without a target are left out
and counted.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from spinney.cli import options
from spinney.cli.files import load_for
from spinney.cli.predict import Unknown
from spinney.cli.report import Report, Working, label, number, quoted, tell_scores
from spinney.evaluate.judging import Judged, measure_baseline, measure_classes, measure_numbers
from spinney.tables.errors import TableError, usage
from spinney.tables.files import Source, open_source
from spinney.tables.kinds import Column, staged, values
from spinney.tables.reading import (
    as_written_here,
    batches,
    check_columns,
    check_names,
    find_bad_cell,
    labels_of,
    times_of,
    weights_of,
)
from spinney.tables.recipe import Recipe, hash_rows
from spinney.view.numbers import plural


def find_truth(
    model: str, fitted: Any, recipe: Recipe, source: Source, target: str | None, weights: str | None
) -> Column:
    """Return the target column: that of training, or the one named by --target."""
    if recipe.task not in ("classification", "regression"):
        raise TableError(f"{model} holds a {type(fitted).__name__}, which does not predict a target.")
    name = target or (recipe.target.name if recipe.target else "")
    if not name:
        raise usage("--target must name the target column, since the model file does not.")
    check_names(source, {"--target": [name], "--weights": [weights] if weights else []})
    own = recipe.target
    column = replace(own, name=name) if own else Column(name, "number")
    return as_written_here(source, [column], recipe.missing)[0][0]


class Truth:
    """Batches of (rows, targets, weights or None); `n_without` rows had no target."""

    def __init__(
        self,
        recipe: Recipe,
        source: Source,
        column: Column,
        weights: str | None,
        groups: str | None = None,
        times: Column | None = None,
    ) -> None:
        self.recipe, self.source, self.column, self.weights = recipe, source, column, weights
        self.n_without, self._groups_by = 0, groups
        self._clock = times
        self.groups: list[np.ndarray] = []  # of the batches so far, if requested
        self.times: list[np.ndarray] = []

    def __iter__(self) -> Iterator[tuple[pl.DataFrame, np.ndarray, np.ndarray | None]]:
        schema, truth = self.source.frame.collect_schema(), self.column
        cells = staged(truth, schema[truth.name], self.recipe.missing)
        also = {"truth": cells}
        if self.weights:
            also["weights"] = pl.col(self.weights).cast(pl.Float64, strict=False)
        if self._groups_by:
            also["groups"] = pl.col(self._groups_by).cast(pl.String).fill_null("")
        if self._clock is not None:
            also["times"] = staged(self._clock, schema[self._clock.name], self.recipe.missing)
        n_rows, some = 0, False
        for table, other in batches(self.source, self.recipe, also):
            found = (
                other.select(pl.col("truth").alias(truth.name)).select(values(truth, schema[truth.name])).to_series()
            )
            if (found.is_null() & other["truth"].is_not_null()).any():
                raise find_bad_cell(self.source, [truth], self.recipe.missing)
            known = found.is_not_null()
            n_rows += len(found)
            self.n_without += int((~known).sum())
            table, found = table.filter(known), found.filter(known)
            if not len(table):
                continue
            some = True
            if self._groups_by:
                self.groups.append(other["groups"].filter(known).to_numpy())
            if self._clock is not None:
                self.times.append(times_of(self.source, self._clock, other["times"].filter(known)))
            labels = labels_of(found.cast(pl.Categorical) if truth.kind == "category" else found, truth.kind)
            weights = weights_of(self.source, other["weights"].filter(known), self.weights) if self.weights else None
            yield table, labels, weights
        if n_rows == 0:
            raise TableError(f"{self.source.name} has a header but no rows.")
        if not some:
            raise TableError(f"the target {truth.name!r} is missing in all rows of {self.source.name}.")


# --- the command ------------------------------------------------------------------------------------------------------


_SEEN = 0.2  # fraction of rows seen at fit from which a note is printed
_RARE, _FOUND = 0.4, 0.5  # fraction of the rarer class and its recall, below which a note is printed
_MOST_CLASSES = 12  # of a confusion matrix that is shown


@dataclass
class Answers:
    """Predictions for a table, and the true targets."""

    truth: list[np.ndarray] = field(default_factory=list)
    said: list[np.ndarray] = field(default_factory=list)  # numbers, labels, or probabilities
    weights: list[np.ndarray] = field(default_factory=list)
    n_without: int = 0
    hashes: list[np.ndarray] = field(default_factory=list)  # of the rows, if the model's file can say which it has seen


def evaluate(
    model: options.ModelFile,
    data: options.Data,
    target: options.Truth = None,
    weights: options.Weights = None,
    missing: options.MoreMissing = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Evaluate a model on a table with known targets: scores and, for classification, a confusion matrix.

    The baseline predicts the same for every row: the class frequencies or the mean of this table.

    Examples:

        spinney evaluate titanic.spinney held-out.csv

        spinney evaluate titanic.spinney held-out.csv --json
    """
    fitted, recipe = load_for(model, data, options.words(missing, ()), threads)
    source = open_source(data, options.dialect(separator, encoding, no_header, sheet))
    truth = find_truth(model, fitted, recipe, source, target, weights)
    recipe, extra, notes = check_columns(source, recipe)
    report = Report(as_json, quiet)
    watch = Unknown(fitted, recipe, notes)
    with Working(not quiet) as work:
        work.say("predicting")
        answers = _ask(fitted, recipe, source, truth, weights, watch)
    _tell(report, fitted, recipe, source, truth, answers, watch, [one for one in extra if one != truth.name])
    report.end()


def _ask(fitted: Any, recipe: Recipe, source: Source, truth: Column, weights: str | None, watch: Unknown) -> Answers:
    answers, known = Answers(), Truth(recipe, source, truth, weights)
    for table, labels, weight in known:
        watch.look(table)
        X = recipe.rows(table)
        answers.truth.append(labels)
        answers.said.append(fitted.predict_proba(X) if hasattr(fitted, "predict_proba") else fitted.predict(X))
        if weight is not None:
            answers.weights.append(weight)
        if recipe.sketch is not None and (found := hash_rows(table, labels)) is not None:
            answers.hashes.append(found)
    answers.n_without = known.n_without
    return answers


def _tell(
    report: Report,
    fitted: Any,
    recipe: Recipe,
    source: Source,
    truth: Column,
    answers: Answers,
    watch: Unknown,
    extra: list[str],
) -> None:
    y, said = np.concatenate(answers.truth), np.concatenate(answers.said)
    weights = np.concatenate(answers.weights) if answers.weights else None
    baseline = measure_baseline(y, weights, y, weights, recipe.task)
    report.note(file=source.name, rows=len(y), target=truth.name, task=recipe.task)
    report.say(f"{source.name}: {plural(len(y), 'row')} with {truth.name!r}", "bold")
    if answers.n_without:
        report.warn(f"{plural(answers.n_without, 'row')} without {truth.name!r} left out")
    if extra:
        report.warn(f"ignored columns that were not in the training data: {quoted(extra)}")
    for sentence in (*source.notes, *watch.sentences()):
        report.warn(sentence)
    _tell_seen(report, recipe, answers)
    how = plural(len(y), "row")
    if recipe.task == "regression":
        tell_scores(report, Judged(how, measure_numbers(y, said, weights), {}, baseline))
        return
    shares = said if said.ndim == 2 else None
    predicted = said if shares is None else fitted.classes_[shares.argmax(axis=1)]
    new = sorted({label(one) for one in np.unique(y)} - {label(one) for one in fitted.classes_.tolist()})
    if new:
        report.warn(
            f"classes that were not in the training data: {quoted(new)}; their rows count as errors, and log loss and "
            "AUC leave them out"
        )
    tell_scores(report, Judged(how, measure_classes(y, predicted, shares, fitted.classes_, weights), {}, baseline))
    _tell_classes(report, y, predicted, weights)
    _tell_threshold(report, y, predicted, fitted.classes_)


def _tell_seen(report: Report, recipe: Recipe, answers: Answers) -> None:
    """Print a note if these are rows that the model was fitted on."""
    if recipe.sketch is None or not answers.hashes:
        return
    share = recipe.sketch.share_of(np.concatenate(answers.hashes))
    if share >= _SEEN:
        report.note(share_of_rows_seen=share)
        many = "all" if share == 1.0 else f"about {share:.0%}"
        report.warn(f"{many} of these rows were in the table that the model was fitted on: the scores are optimistic")


def _tell_threshold(report: Report, y: np.ndarray, predicted: np.ndarray, classes: np.ndarray) -> None:
    """Print a note if a binary classifier has a low recall of the rarer class."""
    if len(classes) != 2:
        return
    rare = min(classes.tolist(), key=lambda one: int((y == one).sum()))
    is_rare = y == rare
    if 0 < is_rare.sum() < _RARE * len(y) and (found := float((predicted[is_rare] == rare).mean())) < _FOUND:
        report.say(
            f"  The recall of {label(rare)!r} is {found:.1%} at a threshold of 0.5. A lower threshold increases it: "
            "predict --proba gives the probabilities, and the report shows all thresholds.",
            "dim",
        )


def _tell_classes(report: Report, y: np.ndarray, predicted: np.ndarray, weights: np.ndarray | None) -> None:
    from spinney.evaluate.confusion import confusion_matrix

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a single class: the user sees it
        matrix = confusion_matrix(y, predicted, sample_weight=weights)
    labels = [] if matrix.labels is None else [label(one) for one in matrix.labels.tolist()]
    each = {"precision": matrix.precision, "recall": matrix.recall, "f1": matrix.f1, "support": matrix.support}
    report.note(
        confusion={"labels": labels, "matrix": matrix.counts.tolist()},
        classes={one_class: {name: float(one[k]) for name, one in each.items()} for k, one_class in enumerate(labels)},
    )
    if len(labels) <= _MOST_CLASSES:
        report.title("Confusion matrix (rows: true class, columns: predicted class)")
        report.table(
            ["", *labels],
            [(one_class, *(f"{n:,g}" for n in row)) for one_class, row in zip(labels, matrix.counts)],
            "l" + "r" * len(labels),
        )
    report.title("Scores by class")
    order = np.argsort(-matrix.support, kind="stable")[:_MOST_CLASSES]
    rows = [
        (labels[k], *(number(float(one[k])) for one in list(each.values())[:3]), f"{matrix.support[k]:,g}")
        for k in order
    ]
    report.table(["", "precision", "recall", "f1", "rows"], rows, "lrrrr")
    if len(labels) > _MOST_CLASSES:
        report.say(f"  and {len(labels) - _MOST_CLASSES} more classes (--json lists all)", "dim")
