"""The cases of AdaBoost. Spinney is compared with scikit-learn, whose trees and rounds use one thread."""

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.data import Table
from benchmarks.versus.adaboost_peers import PEERS, Settings
from benchmarks.versus.cases import Bar, Case
from benchmarks.versus.peers import Registry
from benchmarks.versus.quality import Judge, accuracy

FASTER = Bar(1.0)


@dataclass(frozen=True)
class AdaBoostCase(Case):
    """Rounds of small trees."""

    rows: int = 200_000
    peers: tuple[str, ...] = ("spinney", "sklearn")
    rounds: int = 50
    depth: int = 1

    registry: ClassVar[Registry] = PEERS
    judge: ClassVar[Judge] = staticmethod(accuracy)

    def settings(self, table: Table, threads: int) -> Settings:
        """What the peers are asked to train on this table."""
        return Settings(task=table.task, rounds=self.rounds, depth=self.depth, threads=self.threads or threads)

    @property
    def details(self) -> list[str]:
        """Rounds and depth."""
        return [f"{self.rounds} rounds", f"depth {self.depth}"]


CASES: dict[str, AdaBoostCase] = {
    case.name: case
    for case in (
        AdaBoostCase("stumps", "fit, two classes, stumps", Bar(1 / 40)),
        AdaBoostCase("depth3", "fit, two classes, trees of depth 3", FASTER, rounds=10, depth=3),
        AdaBoostCase("multiclass", "fit, 7 classes, trees of depth 2", FASTER, table="multiclass", rounds=10, depth=2),
        AdaBoostCase("missing", "fit, two classes, 20 % missing, stumps", None, table="missing20", peers=("spinney",)),
        AdaBoostCase("regression", "fit, numbers (R2), depth 3", FASTER, table="regression", rounds=10, depth=3),
        AdaBoostCase("predict", "predict with 50 stumps", FASTER, kind="predict", rows=50_000, table="halves"),
        AdaBoostCase("small", "fit 1,000 rows, 50 stumps", FASTER, rows=1_000, threads=1),
    )
}
