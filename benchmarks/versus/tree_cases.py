"""The cases of single trees. Spinney is compared with scikit-learn; LightGBM's single rounds are for information."""

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.data import Table
from benchmarks.versus.cases import Bar, Case
from benchmarks.versus.peers import Registry
from benchmarks.versus.quality import Judge, accuracy
from benchmarks.versus.tree_peers import PEERS, Algorithm, Criterion, Settings, gini_by_hand

RIVALS = ("spinney", "sklearn")
SHALLOW = (*RIVALS, "lightgbm")
FASTER = Bar(1.0)
MILLION = 1_000_000


@dataclass(frozen=True)
class TreeCase(Case):
    """One tree; to the end, unless a depth is given."""

    rows: int = 200_000
    peers: tuple[str, ...] = RIVALS
    algorithm: Algorithm = "cart"
    criterion: Criterion | None = None
    depth: int | None = None
    max_bins: int | None = None

    registry: ClassVar[Registry] = PEERS
    judge: ClassVar[Judge] = staticmethod(accuracy)

    def settings(self, table: Table, threads: int) -> Settings:
        """What the peers are asked to train on this table."""
        return Settings(
            task=table.task,
            classes=table.classes,
            algorithm=self.algorithm,
            criterion=self.criterion,
            depth=self.depth,
            max_bins=self.max_bins,
            threads=self.threads or threads,
        )


CASES: dict[str, TreeCase] = {
    case.name: case
    for case in (
        TreeCase("deep", "fit, two classes, full depth", FASTER),
        TreeCase("depth8", "fit, two classes, depth 8", FASTER, depth=8, peers=SHALLOW),
        TreeCase("regression", "fit, numbers, full depth", FASTER, table="regression"),
        TreeCase("entropy", "fit, entropy, full depth", FASTER, criterion="entropy"),
        TreeCase(
            "own",
            "fit, a Gini written by the user, full depth",
            Bar(1.5, "spinney_gini"),
            criterion=gini_by_hand,
            peers=("spinney", "spinney_gini"),
        ),
        TreeCase("million", "fit, full depth", FASTER, kind="growth", rows=MILLION),
        TreeCase("million8", "fit, depth 8", FASTER, kind="growth", rows=MILLION, depth=8),
        TreeCase("bins", "fit, 255 bins, full depth", FASTER, max_bins=255, peers=(*RIVALS, "spinney_exact")),
        TreeCase("bins8", "fit, 255 bins, depth 8", FASTER, max_bins=255, depth=8, peers=(*SHALLOW, "spinney_exact")),
        TreeCase("categories", "fit, ten columns of words of 16, full depth", FASTER, table="strings"),
        TreeCase("missing", "fit, 20 % missing values, full depth", FASTER, table="missing20"),
        TreeCase(
            "sparse",
            "fit, sparse, 5,000 columns, 1 % stored, depth 10",
            Bar(0.3, "sklearn"),
            table="sparse",
            rows=100_000,
            depth=10,
        ),
        TreeCase("multiclass", "fit, 7 classes, full depth", FASTER, table="multiclass"),
        TreeCase("iris_fit", "fit iris", FASTER, kind="calls_of_fit", table="iris", rows=150, threads=1),
        TreeCase("iris_predict", "predict iris", FASTER, kind="calls_of_predict", table="iris", rows=150, threads=1),
        TreeCase("predict", "predict with a tree of full depth", FASTER, kind="predict", table="halves"),
        TreeCase("memory", "peak memory of a fit above the input, full depth", None, kind="memory"),
        TreeCase(
            "c45",
            "fit C4.5, words and numbers",
            None,
            table="strings",
            algorithm="c45",
            threads=1,
            peers=("spinney",),
        ),
    )
}
