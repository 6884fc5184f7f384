"""Random forests and extra-trees on a cluster: every worker with enough memory gets all codes and grows some trees.

In:  `DaskRows`, a target, a plan. Out: the forest and its bags, equal to those of the concatenated data. The random
choices of a tree depend on its number and on the row contents, so any worker can grow it. If a worker is lost, its
unfinished trees are grown on other workers.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any, NamedTuple, NoReturn
from uuid import uuid4

import numpy as np

from spinney._team import Team
from spinney.data.encode import Bins
from spinney.data.opened_table import OpenedRows
from spinney.data.target import Target
from spinney.distributed import parts
from spinney.distributed.gathered import workers_with_room
from spinney.distributed.tasks import (
    Losses,
    insist,
    let_go,
    place,
    place_everywhere,
    results,
    run_all,
    submit,
    submit_all,
)
from spinney.ensemble.forests.bootstrap import Bags
from spinney.ensemble.forests.fit import ForestTable, Plan, grow_trees, open_table
from spinney.ensemble.forests.out_of_bag import Votes, count_votes
from spinney.grow.binned.fit import grows_from_codes
from spinney.tree.forest import Forest, join

_COPIES = 3  # of the codes on a worker, while it lays them out
_PER_ROW = 48  # bytes: row order, targets, weights, a tree's rows
_ROUNDS = 4  # tasks per thread: the last ones end at about the same time


class CodedRows(OpenedRows):
    """Rows of a table as codes, without values."""

    has_values = False

    def __init__(self, codes: np.ndarray, bins: Bins, ends: np.ndarray | None) -> None:
        n_columns, n_rows = codes.shape
        vars(self).update(n_rows=n_rows, n_columns=n_columns, _codes=codes, _bins=bins, _ends=ends)

    def __reduce__(self) -> Any:
        own = vars(self)
        return CodedRows, (own["_codes"], own["_bins"], own["_ends"])

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        known: Bins = vars(self)["_bins"]
        return known

    def ends(self, rows: np.ndarray | None) -> np.ndarray:
        known: np.ndarray = vars(self)["_ends"]
        return known

    def codes(self, bins: Bins, team: Team, start: int = 0, stop: int | None = None) -> np.ndarray:
        known: np.ndarray = vars(self)["_codes"][:, start:stop]
        return known


def grow_remote_forest(
    rows: Any, n_categories: np.ndarray, target: Target, plan: Plan, max_bins: int | None, numbers: range,
    report: Callable[[], object],
) -> tuple[Forest, Bags | None]:  # fmt: skip
    """The trees of these numbers, and who has drawn which rows."""
    _check(rows, target, plan, max_bins)
    assert max_bins is not None
    client = rows.table.client
    cells = rows.n_rows * rows.n_columns
    with Team(1, inline=True) as alone:
        bins = rows.bins(n_categories > 0, plan.weights.counts, max_bins, alone)
    workers = workers_with_room(
        client,
        _COPIES * cells + _PER_ROW * rows.n_rows,
        f"The forest needs all {rows.n_rows:,} rows of {rows.n_columns} columns as codes, which",
        "Use larger workers or fewer rows, write the data to files and fit on spinney.open_table, or use gradient "
        "boosting, whose rows stay on their workers.",
    )
    ends = find_ends(rows, plan.weights.rows()) if plan.settings.random else None
    codes = rows.table.encode(rows.schema, bins, rows.owner, rows.strict)
    run_all(client, len, [(one,) for one in codes], "encoded")
    rows.table.partitions.clear()
    rows.codes = codes
    how = Sharing(open_codes, grow_some, bags_of, (bins, ends, n_categories, target, plan, max_bins))
    return grow_everywhere(client, codes, how, workers, numbers, report)


def count_remote_votes(
    rows: Any, forest: Forest, in_bag: Callable[[int], np.ndarray], answers: np.ndarray | None
) -> Votes:
    """What each row's out-of-bag trees say of it, partition by partition, by the codes that the trees were grown from.

    Which rows a tree has seen goes to the workers as one bit per row and tree.
    """
    if forest.bins is None:
        raise ValueError(
            "oob_score of a dask collection needs trees with the same bins, but those of the previous fit have others. "
            "Fit all trees with one max_bins, or pass X.compute()."
        )
    spans = [slice(begin, end) for begin, end in zip(rows.starts[:-1], rows.starts[1:])]
    bits: list[list[np.ndarray]] = [[] for _ in spans]
    for k in range(forest.n_trees):
        seen = in_bag(k) > 0
        for own, span in zip(bits, spans):
            own.append(np.packbits(seen[span]))
    client = rows.table.client

    def attempt() -> list[Votes]:
        futures = [place_everywhere(client, (forest, answers))]
        try:
            calls = [(codes, np.array(own), futures[0]) for codes, own in zip(rows.codes, bits)]
            futures += submit_all(client, votes_of_codes, calls, "out-of-bag")
            return results(client, futures[1:])
        finally:
            let_go(client, futures)

    return Votes(*(np.concatenate(parts) for parts in zip(*insist(attempt))))


class Sharing(NamedTuple):
    """How workers share the work: the functions run there, and get what they are told."""

    open: Callable[[list[Any], Any], Any]  # (partitions, told): what the trees of a worker are grown from
    grow: Callable[[Any, Any, range], Forest]  # (that, told, numbers of trees)
    facts: Callable[[Any], Any]  # (that): what the client must know of it
    told: Any


def grow_everywhere(
    client: Any,
    partitions: list[Any],
    how: Sharing,
    workers: dict[str, int],
    numbers: range,
    report: Callable[[], object],
) -> tuple[Forest, Any]:
    """All partitions go to every worker, each grows some of the trees; their forest, and the facts.

    Trees that are here stay, whoever is lost afterwards.
    """
    some = dict(list(workers.items())[: len(numbers)])
    n_pieces = min(len(numbers), _ROUNDS * sum(some.values()))
    pieces = [range(int(one[0]), int(one[-1]) + 1) for one in np.array_split(np.array(numbers), n_pieces)]
    grown: dict[range, Forest] = {}
    losses = Losses()

    def keep(piece: range, forest: Forest) -> None:
        grown[piece] = forest
        losses.n = 0
        for _ in piece:
            report()

    def attempt() -> Any:
        left = [piece for piece in pieces if piece not in grown]
        return _grow_pieces(client, partitions, how, some, left, keep)

    facts = insist(attempt, losses)
    return join([grown[piece] for piece in pieces]), facts


def _grow_pieces(
    client: Any,
    partitions: list[Any],
    how: Sharing,
    workers: dict[str, int],
    pieces: list[range],
    keep: Callable[[range, Forest], None],
) -> Any:
    """One attempt: hands the trees over as they are grown, and returns the facts."""
    from distributed import as_completed

    token = uuid4().hex[:12]
    futures = [place(client, how.told)]
    told = futures[0]

    def send(function: Any, name: str, *args: Any, worker: str) -> Any:
        where = {"workers": [worker], "allow_other_workers": True}
        futures.append(submit(client, function, *args, key=f"spinney-{name}-{token}-{len(futures)}", **where))
        return futures[-1]

    try:
        opened = {worker: send(how.open, "share", partitions, told, worker=worker) for worker in workers}
        seats = cycle([worker for worker, n in workers.items() for _ in range(n)])
        piece_of = {
            send(how.grow, "trees", opened[worker], told, piece, worker=worker): piece
            for piece, worker in zip(pieces, seats)
        }
        for future in as_completed(list(piece_of)):
            keep(piece_of[future], results(client, [future])[0])
        first = next(iter(workers))
        return results(client, [send(how.facts, "facts", opened[first], worker=first)])[0]
    finally:
        let_go(client, futures)


def find_ends(rows: Any, some: np.ndarray | None) -> np.ndarray:
    """(2, columns): the least and the greatest finite value of the rows that count; zeros where there is none."""
    tasks = []
    for k, part in enumerate(rows.table.partitions):
        begin, end = int(rows.starts[k]), int(rows.starts[k + 1])
        own = None if some is None else some[np.searchsorted(some, begin) : np.searchsorted(some, end)] - begin
        tasks.append((part, rows.schema, rows.owner, own))
    found = np.array(run_all(rows.table.client, parts.ends_of, tasks, "ends"))
    ends = np.array([found[:, 0].min(axis=0), found[:, 1].max(axis=0)])
    ends[:, ends[0] > ends[1]] = 0.0
    return ends


def _check(rows: Any, target: Target, plan: Plan, max_bins: int | None) -> None:
    if max_bins is None:
        _refuse(rows, "max_bins=None")
    if plan.structure is not None:
        _refuse(rows, "trees of random structure")
    if not grows_from_codes(plan.settings, target, rows.n_columns):
        _refuse(rows, "criterion='absolute_error', 'gain_ratio', max_leaf_nodes, monotonic_cst and very many classes")


def _refuse(rows: Any, what: str) -> NoReturn:
    raise ValueError(
        f"{rows.owner} grows trees on a dask collection from codes, but {what} needs the values. Leave it out, or pass "
        "X.compute()."
    )


# --- on the workers --------------------------------------------------------------------------------------------------


def open_codes(codes: list[np.ndarray], told: Any) -> ForestTable:
    """All partitions' codes, laid out for trees."""
    bins, ends, n_categories, target, plan, max_bins = told
    whole = np.concatenate(codes, axis=1) if len(codes) > 1 else codes[0]
    with Team(1, inline=True) as alone:
        opened = open_table(CodedRows(whole, bins, ends), n_categories, target, plan, max_bins, alone)
    return opened._replace(table=CodedRows(np.empty((bins.n_columns, 0), np.uint8), bins, ends))


def grow_some(opened: ForestTable, told: Any, numbers: range) -> Forest:
    """The trees of some numbers."""
    target, plan = told[3], told[4]
    with Team(1, inline=True) as alone:
        return grow_trees(opened, target, plan, numbers, alone)


def votes_of_codes(codes: np.ndarray, bits: np.ndarray, told: tuple[Forest, np.ndarray | None]) -> Votes:
    """Those of a partition's rows; `bits`: which rows every tree has seen."""
    forest, answers = told
    assert forest.bins is not None

    def in_bag(k: int) -> np.ndarray:
        return np.unpackbits(bits[k], count=codes.shape[1])

    with Team(1, inline=True) as alone:
        return count_votes(forest, CodedRows(codes, forest.bins, None), in_bag, alone, answers)


def bags_of(opened: ForestTable) -> Bags | None:
    return opened.bags
