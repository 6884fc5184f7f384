"""Summaries over many tables: mean ranks, mean ratios, and pairwise comparisons with each variant of Spinney.

Losses of different tables have different scales, so only ranks and ratios are averaged. In ratios a log loss below
0.001 counts as 0.001, since ratios of tiny losses would dominate the mean.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.stats import rankdata

from benchmarks.data import Task
from benchmarks.versus.tables import RealTable

FLOOR = 1e-3  # the least log loss that a ratio tells apart
TASKS: tuple[Task, ...] = ("binary", "multiclass", "regression")


@dataclass
class Losses:
    """Loss and seconds by table and library, and the task of every table. A library that failed has no entry."""

    by_table: dict[str, dict[str, float]] = field(default_factory=dict)
    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    cpu: dict[str, dict[str, float]] = field(default_factory=dict)
    task: dict[str, Task] = field(default_factory=dict)
    splits: dict[str, dict[str, list[dict[str, float]]]] = field(default_factory=dict)

    def add(self, table: RealTable, results: dict[str, list[dict[str, float]]]) -> None:
        """Take in one table's results, of every library one for each split."""
        self.by_table[table.name] = {name: _mean(result, "loss") for name, result in results.items()}
        self.seconds[table.name] = {name: _mean(result, "seconds") for name, result in results.items()}
        self.cpu[table.name] = {name: _mean(result, "cpu") for name, result in results.items()}
        self.task[table.name] = table.task
        self.splits[table.name] = results

    def only(self, tables: list[str]) -> "Losses":
        """The same for some of the tables."""
        return Losses(
            {name: self.by_table[name] for name in tables},
            {name: self.seconds[name] for name in tables},
            {name: self.cpu[name] for name in tables},
            {name: self.task[name] for name in tables},
            {name: self.splits[name] for name in tables},
        )

    def mean_ranks(self, names: list[str], task: Task | None = None) -> dict[str, float]:
        """Mean rank among the named libraries (1 is best, ties shared, a failure is last)."""
        chosen = [t for t in self.by_table if task in (None, self.task[t])]
        if not chosen:
            return {name: float("nan") for name in names}
        ranks = [rankdata([self.by_table[t].get(name, np.inf) for name in names]) for t in chosen]
        return dict(zip(names, np.mean(ranks, axis=0).tolist(), strict=True))

    def ratios(self, name: str, others: list[str]) -> list[float]:
        """Loss over the best of the others' losses, on the tables where there are both."""
        found = []
        for table, losses in self.by_table.items():
            floor = FLOOR if self.task[table] != "regression" else 0.0
            rivals = [losses[other] for other in others if other in losses]
            if name in losses and rivals:
                found.append(max(losses[name], floor) / max(min(rivals), floor))
        return found


def _mean(results: list[dict[str, float]], what: str) -> float:
    return float(np.mean([result[what] for result in results]))


def print_duel(losses: Losses, name: str, peer: str) -> None:
    """For every table the ratio of two libraries' losses, how far a split's strays from it, and that of the times."""
    print(f"\n{f'{name} / {peer}':24s}{'loss':>8s}{'+-':>8s}{'CPU time':>10s}")
    ratios = []
    for table, results in losses.splits.items():
        if name in results and peer in results:
            floor = FLOOR if losses.task[table] != "regression" else 0.0
            pairs = list(zip(results[name], results[peer], strict=True))
            logs = [np.log(max(a["loss"], floor) / max(b["loss"], floor)) for a, b in pairs]
            time = _mean(results[name], "cpu") / _mean(results[peer], "cpu")
            ratios.append(np.mean(logs))
            print(f"{table:24.23s}{np.exp(ratios[-1]):8.4f}{np.std(logs):8.4f}{time:10.2f}")
    wins = sum(ratio < 0.0 for ratio in ratios)
    print(f"{'geometric mean':24s}{np.exp(np.mean(ratios or [np.nan])):8.4f}; better on {wins} of {len(ratios)}")


def print_standings(losses: Losses, names: list[str], spinneys: list[str]) -> None:
    """Mean rank (over all and by task), mean ratio to the best and time of the libraries, then the duels."""
    ranks, by_task = losses.mean_ranks(names), {task: losses.mean_ranks(names, task) for task in TASKS}
    print(f"\n{f'tables: {len(losses.task)}':22s}{'rank':>8s}" + "".join(f"{task:>12s}" for task in TASKS), end="")
    print(f"{'mean ratio':>12s}{'geometric':>11s}{'seconds':>10s}{'failed':>8s}")
    for name in sorted(names, key=ranks.__getitem__):
        ratios = losses.ratios(name, names) or [float("nan")]
        means = f"{np.mean(ratios):12.4f}{np.exp(np.mean(np.log(ratios))):11.4f}"
        failed = sum(name not in found for found in losses.by_table.values())
        cells = "".join(f"{by_task[task][name]:12.2f}" for task in TASKS)
        seconds = sum(found.get(name, 0.0) for found in losses.seconds.values())
        print(f"{name:22s}{ranks[name]:8.2f}{cells}{means}{seconds:10.1f}{failed:8d}")
    peers = [name for name in names if name not in spinneys]
    for name in spinneys:
        print(_alone(losses, name, peers if name == spinneys[0] else [spinneys[0], *peers]))


def _alone(losses: Losses, name: str, peers: list[str]) -> str:
    """The mean ranks with only this one Spinney in the field, and its ratios to every peer, losses as they are."""
    ranks = losses.mean_ranks([name, *peers])
    lines = [f"\n{name} alone: rank {ranks[name]:.2f}", f"{'beside':14s}{'rank':>6s}{'wins':>10s}{'median':>9s}", ""]
    lines[1] += f"{'geometric':>11s}{'worst':>8s}{'CPU time, geometric':>21s}{'in all':>8s}"
    for peer in peers:
        both = [t for t, found in losses.by_table.items() if name in found and peer in found]
        if not both:
            continue
        plain = [losses.by_table[t][name] / losses.by_table[t][peer] for t in both]
        cpu = [losses.cpu[t][name] / losses.cpu[t][peer] for t in both]
        total = sum(losses.cpu[t][name] for t in both) / sum(losses.cpu[t][peer] for t in both)
        wins = f"{sum(one < 1 for one in plain)} of {len(both)}"
        lines.append(
            f"{peer:14s}{ranks[peer]:6.2f}{wins:>10s}{np.median(plain):9.4f}{_geometric(plain):11.4f}{max(plain):8.3f}"
            f"{_geometric(cpu):21.4f}{total:8.4f}"
        )
    return "\n".join(line for line in lines if line)


def _geometric(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))
