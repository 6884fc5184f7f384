"""The cases of forests. Spinney is compared with scikit-learn, Intel's extension and, for prediction, LightGBM."""

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.data import Table
from benchmarks.versus.cases import Bar, Case
from benchmarks.versus.forest_peers import PEERS, Kind, Settings
from benchmarks.versus.peers import Registry
from benchmarks.versus.quality import Judge, accuracy, mean_loss

BOTH = ("spinney", "sklearn")
FASTER = Bar(1.0)


@dataclass(frozen=True)
class ForestCase(Case):
    """Many trees."""

    rows: int = 200_000
    peers: tuple[str, ...] = (*BOTH, "intelex")
    model: Kind = "forest"
    trees: int = 20
    exact: bool = False  # every threshold, no bins

    registry: ClassVar[Registry] = PEERS
    judge: ClassVar[Judge] = staticmethod(accuracy)

    def settings(self, table: Table, threads: int) -> Settings:
        """What the peers are asked to train on this table."""
        return Settings(
            task=table.task, model=self.model, trees=self.trees, exact=self.exact, threads=self.threads or threads
        )

    @property
    def details(self) -> list[str]:
        """Trees."""
        return [f"{self.trees} trees"]


@dataclass(frozen=True)
class UnjudgedCase(ForestCase):
    """Many trees without a target: what is said of rows is averaged, to be compared, and is neither right nor wrong."""

    peers: tuple[str, ...] = BOTH
    trees: int = 100

    judge: ClassVar[Judge] = staticmethod(mean_loss)


CASES: dict[str, ForestCase] = {
    case.name: case
    for case in (
        ForestCase("forest", "fit a random forest, two classes", Bar(0.5)),
        ForestCase("forest_sklearn", "fit a random forest, two classes", Bar(1 / 10, "sklearn"), peers=BOTH),
        ForestCase("extra", "fit extra-trees, two classes", Bar(1 / 5, "sklearn"), model="extra", peers=BOTH),
        ForestCase("bagging", "fit bagging, two classes", Bar(1 / 15, "sklearn"), model="bagging", peers=BOTH),
        ForestCase(
            "predict",
            "predict with a random forest",
            FASTER,
            kind="predict",
            rows=250_000,  # to train on; 50,000 to predict
            peers=(*BOTH, "intelex", "lightgbm"),
        ),
        ForestCase("small", "fit 1,000 rows, 100 trees", Bar(1 / 3, "sklearn"), rows=1_000, trees=100, peers=BOTH),
        ForestCase("one_row", "predict one row, 100 trees", FASTER, kind="one_row", rows=10_000, trees=100, threads=1),
        ForestCase("exact", "fit a random forest without bins", FASTER, exact=True, peers=BOTH),
        ForestCase("multiclass", "fit a random forest, 7 classes", FASTER, table="multiclass", rows=100_000),
        ForestCase("regression", "fit a random forest, numbers", FASTER, table="regression", rows=50_000),
        ForestCase(
            "sparse",
            "fit a random forest, sparse, 5,000 columns, 1 % stored",
            Bar(0.3, "sklearn"),
            table="sparse",
            rows=100_000,
            trees=4,
            peers=BOTH,
        ),
        ForestCase(
            "sparse_extra",
            "fit extra-trees, the same",
            Bar(0.3, "sklearn"),
            table="sparse",
            rows=100_000,
            trees=4,
            model="extra",
            peers=BOTH,
        ),
        ForestCase("strings", "fit a random forest, words and numbers", FASTER, table="strings", peers=BOTH),
        ForestCase("tree", "fit one extra-tree, two classes", FASTER, model="extra_tree", trees=1, peers=BOTH),
        ForestCase(
            "tree_numbers",
            "fit one extra-tree, numbers",
            FASTER,
            model="extra_tree",
            trees=1,
            peers=BOTH,
            table="regression",
        ),
        UnjudgedCase("isolation", "fit an isolation forest", Bar(1 / 2), model="isolation"),
        UnjudgedCase("outliers", "score rows by an isolation forest", FASTER, kind="predict", model="isolation"),
        UnjudgedCase("embedding", "fit an embedding", FASTER, model="embedding"),
        UnjudgedCase("embed", "transform rows", FASTER, kind="predict", model="embedding"),
        ForestCase("memory", "peak memory of a fit above the input", None, kind="memory", rows=100_000, trees=100),
    )
}
