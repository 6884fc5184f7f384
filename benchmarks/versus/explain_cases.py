"""The cases of explanations: seconds to explain rows with a fitted model."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Table, Task
from benchmarks.versus.cases import Bar, Case
from benchmarks.versus.explain_peers import PEERS, Settings, What
from benchmarks.versus.peers import Registry
from benchmarks.versus.quality import Judge

BOOSTERS = ("spinney", "hessboost", "catboost", "lightgbm", "xgboost")


def mean_size(task: Task, y: NDArray[Any], values: NDArray[Any]) -> dict[str, float]:
    """Mean |value|: much the same for models that are much the same."""
    return {"mean size": float(np.abs(values).mean())}


@dataclass(frozen=True)
class ExplainCase(Case):
    """Some rows of the test part, explained."""

    rows: int = 100_000
    peers: tuple[str, ...] = BOOSTERS
    what: What = "values"
    explained: int = 20_000
    forest: bool = False
    trees: int = 100

    registry: ClassVar[Registry] = PEERS
    judge: ClassVar[Judge] = staticmethod(mean_size)

    def settings(self, table: Table, threads: int) -> Settings:
        """What the peers are asked to train and to explain."""
        return Settings(
            task=table.task,
            what=self.what,
            explained=self.explained,
            forest=self.forest,
            trees=self.trees,
            threads=self.threads or threads,
        )

    @property
    def details(self) -> list[str]:
        """How many of the rows are explained."""
        return [f"{self.explained:,} explained at most"]


CASES: dict[str, ExplainCase] = {
    case.name: case
    for case in (
        ExplainCase("values", "SHAP values, 100 trees of 31 leaves", Bar(0.5), kind="predict"),
        ExplainCase(
            "pairs",
            "interactions, 100 trees of 31 leaves",
            Bar(0.5, "hessboost"),
            kind="predict",
            what="pairs",
            explained=1_000,
            peers=("spinney", "hessboost"),
        ),
        ExplainCase(
            "deep",
            "SHAP values, forest of 20 trees to pure leaves",
            Bar(0.1, "shap"),
            kind="predict",
            rows=50_000,
            explained=100,
            forest=True,
            trees=20,
            peers=("spinney", "shap"),
        ),
        ExplainCase(
            "background",
            "SHAP values against 100 background rows, 100 trees of 31 leaves",
            Bar(0.1, "shap"),
            kind="predict",
            what="background",
            explained=1_000,
            peers=("spinney", "shap"),
        ),
    )
}
