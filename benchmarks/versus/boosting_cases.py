"""The cases of boosting, the rows of the table in docs/benchmarks.md."""

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.data import Table
from benchmarks.versus.boosting_peers import PEERS, Settings
from benchmarks.versus.cases import Bar, Case
from benchmarks.versus.peers import Registry
from benchmarks.versus.quality import Judge, quality

EXACT_PEERS = ("xgboost_exact", "sklearn_exact")
NARROW_PEERS = tuple(name for name in PEERS if name not in ("lightgbm_columnwise", *EXACT_PEERS))
# hessboost level by level with a number of leaves takes 25 times as long as best leaf first: not its best settings
LEAF_PEERS = tuple(name for name in NARROW_PEERS if name != "hessboost")
SPARSE_MATRIX_PEERS = ("spinney", "lightgbm", "lightgbm_columnwise", "xgboost_lossguide")  # that take SciPy's matrices
SPARSE_PEERS = (*LEAF_PEERS, "lightgbm_columnwise")


@dataclass(frozen=True)
class BoostingCase(Case):
    """Rounds of trees of so many leaves, or so deep."""

    peers: tuple[str, ...] = LEAF_PEERS
    rounds: int = 100
    leaves: int | None = 31
    depth: int | None = None
    max_bins: int | None = 255

    registry: ClassVar[Registry] = PEERS
    judge: ClassVar[Judge] = staticmethod(quality)

    def settings(self, table: Table, threads: int) -> Settings:
        """What the peers are asked to train on this table."""
        return Settings(
            task=table.task,
            classes=table.classes,
            rounds=self.rounds,
            leaves=self.leaves,
            depth=self.depth,
            max_bins=self.max_bins,
            threads=self.threads or threads,
        )

    @property
    def details(self) -> list[str]:
        """The rounds."""
        return [f"{self.rounds} rounds"]


CASES: dict[str, BoostingCase] = {
    case.name: case
    for case in (
        BoostingCase("leaves31", "fit, 31 leaves best-first", Bar(0.6)),
        BoostingCase("depth6", "fit, depth 6 level-wise", Bar(0.6), leaves=None, depth=6, peers=NARROW_PEERS),
        BoostingCase("leaves255", "fit, 255 leaves", Bar(0.7), leaves=255),
        BoostingCase("multiclass", "fit, 7 classes, 54 columns", Bar(0.7), table="multiclass", rows=100_000),
        BoostingCase("regression", "fit, squared error", Bar(0.7), table="regression"),
        BoostingCase("missing", "fit, 90 % missing values", Bar(0.7), table="missing", peers=SPARSE_PEERS),
        BoostingCase("categorical", "fit, 20 categorical columns of 100 values", Bar(0.7), table="categorical"),
        BoostingCase(
            "wide",
            "fit, 2,000 columns",
            Bar(0.8),
            table="wide",
            rows=20_000,
            peers=SPARSE_PEERS,
        ),
        BoostingCase(
            "sparse",
            "fit, sparse, 5,000 columns, 1 % stored",
            Bar(0.7),
            table="sparse",
            rows=100_000,
            rounds=20,
            peers=SPARSE_MATRIX_PEERS,
        ),
        BoostingCase(
            "sparse_counts",
            "the same of counts",
            Bar(0.7),
            table="sparse_counts",
            rows=100_000,
            rounds=20,
            peers=SPARSE_MATRIX_PEERS,
        ),
        BoostingCase(
            "exact",
            "fit, every threshold, depth 3",
            Bar(0.1, "sklearn_exact"),
            table="regression",
            rows=20_000,
            leaves=None,
            depth=3,
            max_bins=None,
            peers=("spinney", *EXACT_PEERS),
        ),
        BoostingCase("small", "fit, 20 columns, warm", Bar(1.0), table="small", rows=1_000),
        BoostingCase("predict", "predict the test part, 31 leaves", Bar(0.8), kind="predict"),
        BoostingCase("one_row", "predict one row", Bar(60, None), kind="one_row", rows=100_000, threads=1),
        BoostingCase("encode", "NumPy float32 table to codes", Bar(0.4, None), kind="encode"),
        BoostingCase("memory", "peak memory above the input", Bar(1.0, "lightgbm"), kind="memory"),
        BoostingCase("shared", "slow-down with a busy process on each core", Bar(1.0, "lightgbm"), kind="shared"),
        BoostingCase(
            "cores31",
            "fit, 31 leaves, 16 cores",
            Bar(0.8, "lightgbm_quantised"),
            rows=2_000_000,
            rounds=50,
            threads=16,
        ),
        BoostingCase(
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
