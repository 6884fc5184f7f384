"""C4.5 release 8 (Quinlan, 1993 and 1996): numbers and categories, gain ratio, missing values in parts, pruning.

- Categories have one branch a value; at least two branches must weigh `min_samples_leaf`.
- With `subset` categories are joined in groups first, one branch a group: two by two, always those whose merger costs
  the least gain, as long as there are more than two. Of the stages that of the largest gain ratio is the test. Such a
  column may be asked about again further down.
- Numbers are cut in two, midway between neighbouring values of the node. Each side must weigh `min_samples_leaf`, or a
  tenth of the mean class of the node if that is more, but never more than 25 rows. Choosing among n cuts costs log2(n)
  bits (`mdl`): that much is taken off the gain, spread over the node's rows.
- Of the columns with at least average gain, the one of the largest gain ratio is asked about. Columns with
  categories for 30 % of the rows or more do not count in the average, unless all are such; where none of the columns
  that can be asked about counts, none is.
- Rows whose value is missing go down every branch, in parts; so do missing and unknown values in prediction.
- Splits that the limits which CART has too do not allow are not made, or taken back (limits.py).
- Then nodes below which no fewer rows are wrong become leaves, and the tree is pruned (raising.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._team import Team
from spinney.criteria.information import ROW, make_terms
from spinney.criteria.pessimism import confidence
from spinney.data.weights import Weights
from spinney.grow.branches.columns import Columns, read_units
from spinney.grow.branches.freeze import freeze
from spinney.grow.branches.grower import grow
from spinney.grow.branches.limits import Choose, Limits, limit_splits
from spinney.grow.branches.memory import make_rows
from spinney.grow.branches.raising import collapse, prune
from spinney.grow.rules import BranchRules
from spinney.tree.decision import SPREADS, DecisionTree

_MANY = 0.3  # categories a row that are too many for the average


class C45Settings(NamedTuple):
    """The estimator's parameters."""

    min_samples_leaf: float
    max_depth: int
    mdl: bool
    prune: bool
    cf: float
    subtree_raising: bool
    limits: Limits = Limits()
    subset: bool = False


def grow_c45(
    columns: Columns,
    classes: np.ndarray,
    n_classes: int,
    weights: Weights | np.ndarray,
    settings: C45Settings,
    team: Team,
    choose: Choose | None = None,
) -> DecisionTree:
    """Grow and prune a tree; `classes` is int32, the class of each row; `weights` may be units.

    `choose` says how many of its splits to keep.
    """
    units, kept = read_units(weights, len(classes))
    columns = columns.take(kept)
    classes = classes if kept is None else classes[kept]
    least = max(1, round(settings.min_samples_leaf * ROW))
    rules = BranchRules(
        ratio=True,
        spreads=True,
        mdl=settings.mdl,
        min_leaf=least,
        min_split=max(2 * least, round(settings.limits.min_split * ROW)),
        min_gain=0.0,
        min_decrease=settings.limits.min_decrease,
        total=int(units.sum()),
        critical=settings.limits.critical(columns, n_classes),
        max_depth=settings.max_depth,
        n_classes=len(np.unique(classes)),
        in_average=_counts_in_average(columns, int(units.sum()) / ROW),
        subset=settings.subset,
    )
    rows = make_rows(classes, units, columns.most_branches)
    terms = make_terms(rules.total)
    grown = grow(columns, rows, n_classes, rules, terms, team)
    limit_splits(grown, columns, terms, settings.limits, SPREADS, choose)
    collapse(grown)
    if settings.prune:
        rows = make_rows(classes, units, columns.most_branches)
        grown = prune(grown, columns, rows, confidence(settings.cf), settings.subtree_raising, team)
    return freeze(grown, columns, SPREADS, settings.subset)


def _counts_in_average(columns: Columns, n_rows: float) -> np.ndarray:
    """uint8, by column: whether its gain counts in the average that a gain must reach."""
    few = columns.n_present() < _MANY * n_rows
    return (few | (not few.any())).astype(np.uint8)
