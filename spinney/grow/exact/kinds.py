"""The four kinds of statistics under one name for each thing they do; see pairs.py for what these are."""

from __future__ import annotations

from spinney._compile import by_type
from spinney.grow.exact import medians, pairs, sums
from spinney.grow.exact.statistics import Classes, Medians, Pairs, Values

totals = by_type(
    {Pairs: pairs.totals, Classes: sums.totals_of_classes, Values: sums.totals_of_values, Medians: medians.totals}
)
scan = by_type({Pairs: pairs.scan, Classes: sums.scan_classes, Values: sums.scan_values, Medians: medians.scan})
decrease = by_type(
    {
        Pairs: pairs.decrease,
        Classes: sums.decrease_of_classes,
        Values: sums.decrease_of_values,
        Medians: medians.decrease,
    }
)
same = by_type({Pairs: pairs.same, Classes: sums.same_classes, Values: sums.same_values, Medians: sums.same_values})
lean = by_type({Pairs: pairs.lean, Classes: sums.lean_of_classes, Values: sums.lean_of_values, Medians: medians.lean})
is_significant = by_type(
    {
        Pairs: pairs.is_significant,
        Classes: sums.is_significant_for_classes,
        Values: sums.is_significant_for_values,
        Medians: sums.is_significant_for_values,
    }
)
side_means = by_type(
    {Pairs: pairs.side_means, Classes: pairs.no_means, Values: pairs.no_means, Medians: pairs.no_means}
)
