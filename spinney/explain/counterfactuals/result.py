"""The result of a search for counterfactuals: rows, changes, costs and proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Change(NamedTuple):
    """A column that changes."""

    column: Any  # its name, or its number
    before: Any
    after: Any
    edge: float  # `after` is the least number above this one; nan: it is itself an end of the range
    cost: float

    @property
    def words(self) -> str:
        """The change as text: `age: 31 -> more than 35.5`."""
        name = f"column {self.column}" if isinstance(self.column, int) else str(self.column)
        shown = f"more than {self.edge:.6g}" if self.edge == self.edge else _shown(self.after)
        return f"{name}: {_shown(self.before)} -> {shown}"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return "missing" if value != value else f"{value:.6g}"
    return str(value)


@dataclass(frozen=True)
class Counterfactual:
    """A row similar to the given one, for which the model predicts the target.

    Attributes
    ----------
    row : dict or list
        Its values: a dict by column name, or a list if the columns have no names.
    changes : list of Change
        Columns that differ (column, before, after, cost), the most expensive first.
    prediction : scalar
        Prediction of the model for the row.
    cost : float
        Sum of the costs of the changes.
    bound : float
        Lower bound of the cost of any allowed row.
    optimal : bool
        Whether it is proved that no allowed row costs less.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.explain import counterfactual
    >>> model = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
    >>> found = counterfactual(model, [2.0], scale={0: 1.0})
    >>> print(found[0])
    yes, at a cost of 2 (the least possible), by
      column 0: 2 -> 4
    """

    row: Any
    changes: list[Change]
    prediction: Any
    cost: float
    bound: float

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no allowed row costs less: `bound` equals `cost`."""
        return self.bound >= self.cost * (1.0 - 1e-9)

    @property
    def gap(self) -> float:
        """How much less another row may cost, as a fraction of the cost; 0 if that is proved to be impossible."""
        return 0.0 if self.optimal else 1.0 - self.bound / self.cost

    def __repr__(self) -> str:
        if self.optimal:
            proved = "the least possible"
        elif self.bound > 0.0:
            proved = f"no change costs less than {self.bound:.4g}"
        else:
            proved = "a cheaper change may exist"
        head = f"{_shown(self.prediction)}, at a cost of {self.cost:.4g} ({proved})"
        if not self.changes:
            return f"{head}: no change is needed"
        return "\n".join([f"{head}, by", *(f"  {one.words}" for one in self.changes)])


@dataclass(frozen=True)
class Counterfactuals:
    """Counterfactuals of a row, the nearest first: a sequence of `Counterfactual`.

    Attributes
    ----------
    prediction : scalar
        Prediction of the model for the given row.
    target : str
        Description of the target.
    optimal : bool
        Whether each of them is proved to be the smallest change; also True if it is proved that there is none.
    bound : float
        Lower bound of the cost of any allowed row; infinity if there is none.
    seconds : float
        Duration of the search.
    nodes : int
        Number of boxes that branch and bound explored.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.explain import counterfactual
    >>> model = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
    >>> found = counterfactual(model, [2.0], scale={0: 1.0})
    >>> print(found)
    Prediction: no; target: yes
    yes, at a cost of 2 (the least possible), by
      column 0: 2 -> 4
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
        """Whether each result is proved to be the smallest change, or that there is none."""
        return all(one.optimal for one in self.found) if self.found else self.proved

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: int) -> Counterfactual:
        return self.found[place]

    def __iter__(self) -> Iterator[Counterfactual]:
        return iter(self.found)

    def to_frame(self) -> Any:
        """Convert to a pandas DataFrame.

        Returns
        -------
        pandas DataFrame
            One row per changed column of each counterfactual.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.explain import counterfactual
        >>> model = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> counterfactual(model, [2.0], scale={0: 1.0}).to_frame()[["column", "before", "cost"]]
           column  before  cost
        0       0     2.0   2.0
        """
        import pandas as pd

        rows = [
            {"counterfactual": k, "column": c.column, "before": c.before, "after": c.after, "cost": c.cost}
            for k, one in enumerate(self.found)
            for c in one.changes
        ]
        return pd.DataFrame(rows, columns=["counterfactual", "column", "before", "after", "cost"])

    def __repr__(self) -> str:
        head = f"Prediction: {_shown(self.prediction)}; target: {self.target}"
        if not self.found:
            spent = f"none was found in {self.seconds:.3g} s and {self.nodes} boxes"
            none = "there is no such row" if self.proved else spent
            return f"{head}\n{none}"
        return "\n".join([head, *map(repr, self.found)])


def plain_value(value: Any) -> Any:
    """Return a NumPy scalar as a Python scalar."""
    return value.item() if isinstance(value, np.generic) else value
