"""What a search for counterfactuals says: rows, changes in words, costs and what was proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Change(NamedTuple):
    """One column that changes."""

    column: Any  # its name, or its number
    before: Any
    after: Any
    edge: float  # `after` is the least number above this one; nan: it is itself an end of the range
    cost: float

    @property
    def words(self) -> str:
        """`age: 31 -> more than 35.5`"""
        name = f"column {self.column}" if isinstance(self.column, int) else str(self.column)
        shown = f"more than {self.edge:.6g}" if self.edge == self.edge else _shown(self.after)
        return f"{name}: {_shown(self.before)} -> {shown}"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return "missing" if value != value else f"{value:.6g}"
    return str(value)


@dataclass(frozen=True)
class Counterfactual:
    """A row like the given one, of which the model says what was wanted.

    Attributes
    ----------
    row : dict or list
        Its values: a dict by the columns' names, or a list if they have none.
    changes : list of Change
        Columns that differ (column, before, after, cost), those that cost most first.
    prediction : scalar
        What the model says of it.
    cost : float
        Sum of the changes' costs.
    bound : float
        No row that was allowed costs less.
    optimal : bool
        Whether it is proved that none costs less: `bound` is `cost`.
    """

    row: Any
    changes: list[Change]
    prediction: Any
    cost: float
    bound: float

    @property
    def optimal(self) -> bool:
        return self.bound >= self.cost * (1.0 - 1e-9)

    @property
    def gap(self) -> float:
        """How much less another row may cost, as a share of the cost; 0 if that is proved to be impossible."""
        return 0.0 if self.optimal else 1.0 - self.bound / self.cost

    def __repr__(self) -> str:
        proved = "the least possible" if self.optimal else f"at least {self.bound:.4g} is needed"
        head = f"{_shown(self.prediction)} at a cost of {self.cost:.4g} ({proved})"
        if not self.changes:
            return f"{head}: nothing has to change"
        return "\n".join([f"{head} by", *(f"  {one.words}" for one in self.changes)])


@dataclass(frozen=True)
class Counterfactuals:
    """Counterfactuals of a row, the nearest first: a sequence of `Counterfactual`.

    Attributes
    ----------
    prediction : scalar
        What the model says of the row itself.
    target : str
        What was wanted, in words.
    optimal : bool
        Whether each of them is proved to be the least change; also True where it is proved that there is none.
    bound : float
        No row that was allowed costs less; infinity where there is none.
    seconds : float
        How long it took.
    nodes : int
        How many boxes branch and bound has explored.
    """

    prediction: Any
    target: str
    bound: float
    seconds: float
    proved: bool
    found: list[Counterfactual] = field(default_factory=list)
    nodes: int = 0

    @property
    def optimal(self) -> bool:
        return all(one.optimal for one in self.found) if self.found else self.proved

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: int) -> Counterfactual:
        return self.found[place]

    def __iter__(self) -> Iterator[Counterfactual]:
        return iter(self.found)

    def to_frame(self) -> Any:
        """A pandas table: one row per change."""
        import pandas as pd

        rows = [
            {"counterfactual": k, "column": c.column, "before": c.before, "after": c.after, "cost": c.cost}
            for k, one in enumerate(self.found)
            for c in one.changes
        ]
        return pd.DataFrame(rows, columns=["counterfactual", "column", "before", "after", "cost"])

    def __repr__(self) -> str:
        head = f"Now {_shown(self.prediction)}; wanted: {self.target}"
        if not self.found:
            spent = f"none was found in {self.seconds:.3g} s and {self.nodes} nodes"
            none = "there is no such row" if self.proved else spent
            return f"{head}\n{none}"
        return "\n".join([head, *map(repr, self.found)])


def plain_value(value: Any) -> Any:
    """A Python scalar."""
    return value.item() if isinstance(value, np.generic) else value
