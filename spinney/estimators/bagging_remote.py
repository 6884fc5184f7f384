"""Bagging of Spinney's trees on a cluster: each worker with enough memory receives all rows and grows some trees.

In:  an ensemble, a template, dask collections. Out: what `BagFit` keeps of a fit. Rows are sampled by their contents,
and values are sorted, so workers need the table itself and not only its codes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn.base import clone

from spinney._team import Team
from spinney.distributed.collections import is_dask, vector_here
from spinney.estimators.targets import Answers, read_answers

if TYPE_CHECKING:
    from spinney.data.schema import Schema
    from spinney.ensemble.bagging import Draws
    from spinney.tree.forest import Forest

_COPIES = 6.0  # of the table on a worker, sorted lists and those of a tree included


class Grown(NamedTuple):
    schema: Schema
    forest: Forest
    draws: Draws
    answers: Answers


def grow_remote_bag(
    bag: Any, template: Any, X: Any, y: Any, sample_weight: Any, numbers: range, report: Callable[[], object]
) -> Grown:
    """The members of these numbers."""
    from spinney.distributed.forests import Sharing, grow_everywhere
    from spinney.distributed.gathered import plan_gathering

    if not is_dask(X):
        raise TypeError("y or sample_weight is a dask collection, but X is not: pass .compute() of it.")
    y, weight = vector_here(y, "y"), vector_here(sample_weight, "sample_weight")
    rows = plan_gathering(X, type(bag).__name__, _COPIES)
    answers = read_answers(template, y, rows.n_rows, type(bag).__name__)
    copy = clone(bag)
    copy._seed = bag._seed
    how = Sharing(_open, _grow, _facts, (copy, template, y, weight))
    forest, (schema, draws) = grow_everywhere(rows.client, rows.partitions, how, rows.workers, numbers, report)
    return Grown(schema, forest, draws, answers)


# --- on the workers --------------------------------------------------------------------------------------------------


def _open(partitions: list[Any], told: Any) -> Any:
    from spinney.distributed.gathered import joined

    bag, template, y, sample_weight = told
    return bag.plan_of_trees(template, joined(partitions), y, sample_weight)


def _grow(opened: Any, told: Any, numbers: range) -> Forest:
    from spinney.ensemble.forests import grow_trees

    _, table, target, plan, _ = opened
    with Team(1, inline=True) as alone:
        return grow_trees(table, target, plan, numbers, alone)


def _facts(opened: Any) -> tuple[Any, Any]:
    return opened[0], opened[4]
