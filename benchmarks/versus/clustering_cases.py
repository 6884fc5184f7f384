"""The cases of clustering. Spinney is compared with scikit-learn and Intel's extension."""

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.data import Table
from benchmarks.versus.cases import Bar, Case
from benchmarks.versus.clustering_peers import PEERS, Model, Settings, Start
from benchmarks.versus.peers import Registry
from benchmarks.versus.quality import Judge, mean_loss

BOTH = ("spinney", "sklearn", "sklearnex")
MILLION = 1_000_000


@dataclass(frozen=True)
class ClusteringCase(Case):
    """Twenty iterations."""

    peers: tuple[str, ...] = BOTH
    table: str = "clusters"
    rows: int = MILLION
    model: Model = "kmeans"
    n_clusters: int = 50
    start: Start = "rows"
    iterations: int = 20

    registry: ClassVar[Registry] = PEERS
    judge: ClassVar[Judge] = staticmethod(mean_loss)

    def settings(self, table: Table, threads: int) -> Settings:
        """What the peers are asked to fit to this table."""
        return Settings(
            task=table.task,
            model=self.model,
            n_clusters=self.n_clusters,
            start=self.start,
            iterations=self.iterations,
            threads=self.threads or threads,
        )

    @property
    def details(self) -> list[str]:
        """How many clusters."""
        return [f"{self.n_clusters} clusters"]


CASES: dict[str, ClusteringCase] = {
    case.name: case
    for case in (
        ClusteringCase(
            "kmeans_rows", "k-means, 20 iterations from given rows", Bar(0.5), peers=(*BOTH, "spinney_lloyd")
        ),
        ClusteringCase("kmeans", "k-means++ and 20 iterations", Bar(0.4, "sklearn"), start="k-means++"),
        ClusteringCase(
            "kmeans_many",
            "k-means, 20 iterations from given rows",
            None,
            rows=200_000,
            n_clusters=500,
            peers=(*BOTH, "spinney_lloyd"),
        ),
        ClusteringCase(
            "sparse",
            "k-means, sparse, 5,000 columns, 1 % stored, 20 iterations from given rows",
            Bar(0.3, "sklearn"),
            table="sparse",
            rows=100_000,
            n_clusters=20,
            peers=("spinney", "sklearn"),
        ),
        ClusteringCase(
            "sparse_plusplus",
            "the same from k-means++",
            Bar(0.3, "sklearn"),
            table="sparse",
            rows=100_000,
            n_clusters=20,
            start="k-means++",
            peers=("spinney", "sklearn"),
        ),
        ClusteringCase(
            "mixture",
            "Gaussian mixture, full covariances, 20 iterations",
            Bar(1 / 6, "sklearn"),
            table="gaussians",
            rows=200_000,
            model="mixture",
            n_clusters=10,
            peers=("spinney", "sklearn"),
        ),
        ClusteringCase(
            "mini_batch",
            "k-means by batches, as it is by default",
            Bar(0.5, "sklearn"),
            rows=200_000,
            model="mini_batch",
            peers=("spinney", "sklearn"),
        ),
        ClusteringCase(
            "bisecting",
            "bisecting k-means, as it is by default",
            Bar(0.9, "sklearn"),
            rows=200_000,
            model="bisecting",
            peers=("spinney", "sklearn"),
        ),
        ClusteringCase(
            "bayesian",
            "Bayesian mixture, full covariances, 20 iterations from k-means",
            Bar(0.5, "sklearn"),
            table="gaussians",
            rows=100_000,
            model="bayesian",
            n_clusters=10,
            peers=("spinney", "sklearn"),
        ),
    )
}
