"""A case is one row of a table of figures, with the limit that Spinney aims at.

The cases themselves are in `boosting_cases`, `tree_cases`, `forest_cases`, `adaboost_cases`,
`clustering_cases` and `explain_cases`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from benchmarks.data import Table
from benchmarks.versus.peers import Registry
from benchmarks.versus.quality import Judge

Kind = Literal["fit", "growth", "predict", "one_row", "calls_of_fit", "calls_of_predict", "encode", "memory", "shared"]
UNITS: dict[Kind, str] = {
    "fit": "s",
    "growth": "s",
    "predict": "s",
    "one_row": "µs",
    "calls_of_fit": "µs",
    "calls_of_predict": "µs",
    "encode": "s",
    "memory": "MiB",
    "shared": "x slower",
}
FASTEST = "fastest"


@dataclass(frozen=True)
class Bar:
    """The most that Spinney may need: a share of the `against` peer's figure, or an absolute figure."""

    limit: float
    against: str | None = FASTEST  # "fastest", the name of a peer, or None for an absolute figure


@dataclass(frozen=True)
class Case:
    """One measurement of all peers. `threads` is set only where the case itself demands a number."""

    name: str
    title: str
    bar: Bar | None  # None: a figure that is held against nothing
    kind: Kind = "fit"
    table: str = "binary"
    rows: int = 1_000_000
    threads: int | None = None
    peers: tuple[str, ...] = ()

    registry: ClassVar[Registry]  # the peers to choose from
    judge: ClassVar[Judge]  # what says how good predictions are

    @property
    def unit(self) -> str:
        """The unit of the case's figures."""
        return UNITS[self.kind]

    @property
    def bar_text(self) -> str:
        """The bar in words."""
        if self.bar is None:
            return "-"
        if self.bar.against is None:
            return f"{self.bar.limit:g} {self.unit}"
        return f"{self.bar.limit:g} of {'the fastest' if self.bar.against == FASTEST else self.bar.against}"

    @property
    def against(self) -> str | None:
        """What the bar is measured by, if there is one and it is no absolute figure."""
        return None if self.bar is None else self.bar.against

    def settings(self, table: Table, threads: int) -> Any:
        """What the peers are asked to train on this table."""
        raise NotImplementedError

    def shape(self, table: Table, threads: int) -> str:
        """What a reader has to know about the run: rows x columns, threads."""
        rows, columns = (table.X_test if self.kind == "predict" else table.X).shape
        return ", ".join([f"{rows:,} x {columns:,}", *self.details, f"{threads} thread{'s' * (threads > 1)}"])

    @property
    def details(self) -> list[str]:
        """What else belongs there."""
        return []
