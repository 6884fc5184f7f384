"""Concatenates the trees of several forests.

In: `Forest`s of the same columns. Out: one `Forest`, its trees in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spinney.tree.arrays import ends_of, joined, small
from spinney.tree.forest import Forest

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.encode import Bins


def join(forests: Sequence[Forest], team: Team | None = None) -> Forest:
    """The trees of several forests in one; copied by a team of threads if there is one."""
    forests = [one for one in forests if one.n_trees] or forests[:1]
    if len(forests) == 1:
        return forests[0]
    bins = forests[0].bins
    if not all(_same_bins(one.bins, bins) for one in forests):
        forests, bins = [one.with_thresholds() for one in forests], None

    def together(name: str) -> np.ndarray:
        return joined([getattr(one, name) for one in forests], team)

    def lengths(name: str) -> np.ndarray:
        return ends_of(np.concatenate([np.diff(getattr(one, name)) for one in forests]))

    has_weights = any(len(one.weight) for one in forests)
    has_impurity = any(len(one.impurity) for one in forests)
    in_leaves = all(one.counts_leaves for one in forests)
    n_samples = together("n_samples") if in_leaves else np.concatenate([one.counts() for one in forests])
    return replace(
        forests[0],
        bins=bins,
        first=lengths("first"),
        size=small(together("size")),
        feature=small(together("feature")),
        turn=together("turn"),
        answers=together("answers"),
        n_samples=small(n_samples, np.uint32),
        code=together("code"),
        threshold=together("threshold"),
        set_start=lengths("set_start"),
        sets=together("sets"),
        weight=joined([one.weight if len(one.weight) or not has_weights else one.weights() for one in forests], team),
        weight_unit=together("weight_unit"),
        impurity=np.concatenate([one.impurities() for one in forests]) if has_impurity else forests[0].impurity,
        gain=together("gain"),
    )


def _same_bins(one: Bins | None, other: Bins | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    pairs = [(one.edges, other.edges), (one.category_codes, other.category_codes)]
    return all(len(a) == len(b) and all(map(np.array_equal, a, b)) for a, b in pairs)
