"""What is measured: one `Case` per row of the table in the README, with the bar that Spinney has set itself."""

from dataclasses import dataclass
from typing import Literal

from benchmarks.data import Table
from benchmarks.versus.peers import PEERS, Settings

Kind = Literal["fit", "predict", "one_row", "encode", "memory", "shared"]
UNITS: dict[Kind, str] = {
    "fit": "s",
    "predict": "s",
    "one_row": "µs",
    "encode": "s",
    "memory": "MiB",
    "shared": "x slower",
}
FASTEST = "fastest"
NARROW_PEERS = tuple(name for name in PEERS if name != "lightgbm_columnwise")
# hessboost level by level with a number of leaves takes 25 times as long as best leaf first: not its best settings
LEAF_PEERS = tuple(name for name in NARROW_PEERS if name != "hessboost")
SPARSE_PEERS = (*LEAF_PEERS, "lightgbm_columnwise")


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
    bar: Bar
    kind: Kind = "fit"
    table: str = "binary"
    rows: int = 1_000_000
    rounds: int = 100
    leaves: int | None = 31
    depth: int | None = None
    threads: int | None = None
    peers: tuple[str, ...] = LEAF_PEERS

    @property
    def unit(self) -> str:
        """The unit of the case's figures."""
        return UNITS[self.kind]

    @property
    def bar_text(self) -> str:
        """The bar in words."""
        if self.bar.against is None:
            return f"{self.bar.limit:g} {self.unit}"
        return f"{self.bar.limit:g} of {'the fastest' if self.bar.against == FASTEST else self.bar.against}"

    def settings(self, table: Table, threads: int, rounds: int | None = None) -> Settings:
        """What the peers are asked to train on this table."""
        return Settings(
            task=table.task,
            classes=table.classes,
            rounds=rounds or self.rounds,
            leaves=self.leaves,
            depth=self.depth,
            threads=self.threads or threads,
        )


CASES: dict[str, Case] = {
    case.name: case
    for case in (
        Case("leaves31", "fit, 31 leaves best-first", Bar(0.6)),
        Case("depth6", "fit, depth 6 level-wise", Bar(0.6), leaves=None, depth=6, peers=NARROW_PEERS),
        Case("leaves255", "fit, 255 leaves", Bar(0.7), leaves=255),
        Case("multiclass", "fit, 7 classes, 54 columns", Bar(0.7), table="multiclass", rows=100_000),
        Case("regression", "fit, squared error", Bar(0.7), table="regression"),
        Case("missing", "fit, 90 % missing values", Bar(0.7), table="missing", peers=SPARSE_PEERS),
        Case("categorical", "fit, 20 categorical columns of 100 values", Bar(0.7), table="categorical"),
        Case(
            "wide",
            "fit, 2,000 columns",
            Bar(0.8),
            table="wide",
            rows=20_000,
            peers=SPARSE_PEERS,
        ),
        Case("small", "fit, 20 columns, warm", Bar(1.0), table="small", rows=1_000),
        Case("predict", "predict the test part, 31 leaves", Bar(0.8), kind="predict"),
        Case("one_row", "predict one row", Bar(60, None), kind="one_row", rows=100_000, threads=1),
        Case("encode", "NumPy float32 table to codes", Bar(0.4, None), kind="encode"),
        Case("memory", "peak memory above the input", Bar(1.0, "lightgbm"), kind="memory"),
        Case("shared", "slow-down with a busy process on each core", Bar(1.0, "lightgbm"), kind="shared"),
        Case(
            "cores31",
            "fit, 31 leaves, 16 cores",
            Bar(0.8, "lightgbm_quantised"),
            rows=2_000_000,
            rounds=50,
            threads=16,
        ),
        Case(
            "cores255",
            "fit, 255 leaves, 16 cores",
            Bar(0.8, "lightgbm_quantised"),
            rows=2_000_000,
            rounds=50,
            leaves=255,
            threads=16,
        ),
    )
}
