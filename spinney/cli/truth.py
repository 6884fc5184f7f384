"""Rows of a table with known targets, to evaluate a model on.

In: a table, and how the model reads it. Out: the target column; then batches of rows with their targets and weights.
Rows without a target are left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from spinney.tables.errors import TableError, usage
from spinney.tables.files import Source
from spinney.tables.kinds import Column, staged, values
from spinney.tables.reading import as_written_here, batches, check_names, find_bad_cell, labels_of, times_of
from spinney.tables.recipe import Recipe


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
            yield table, labels, self._weights(other["weights"].filter(known)) if self.weights else None
        if n_rows == 0:
            raise TableError(f"{self.source.name} has a header but no rows.")
        if not some:
            raise TableError(f"the target {truth.name!r} is missing in all rows of {self.source.name}.")

    def _weights(self, weights: pl.Series) -> np.ndarray:
        if weights.null_count() or not bool((weights >= 0).all()):
            raise TableError(
                f"--weights: column {self.weights!r} of {self.source.name} must hold a number of at least 0 in every "
                "row."
            )
        return weights.to_numpy()
