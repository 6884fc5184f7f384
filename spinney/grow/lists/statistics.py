"""The four kinds of statistics under one name for each thing they do; see scan_pairs.py for what these are."""

from __future__ import annotations

from spinney._compile import by_type
from spinney.grow.lists import scan_medians, scan_pairs, scan_sums
from spinney.grow.targets import (
    Classes,
    Medians,
    Pairs,
    Values,
    decrease_of_classes,
    decrease_of_pair,
    decrease_of_values,
    same_classes,
    same_pair,
    same_values,
)

totals = by_type(
    {
        Pairs: scan_pairs.totals,
        Classes: scan_sums.totals_of_classes,
        Values: scan_sums.totals_of_values,
        Medians: scan_medians.totals,
    }
)
scan = by_type(
    {
        Pairs: scan_pairs.scan,
        Classes: scan_sums.scan_classes,
        Values: scan_sums.scan_values,
        Medians: scan_medians.scan,
    }
)
decrease = by_type(
    {
        Pairs: decrease_of_pair,
        Classes: decrease_of_classes,
        Values: decrease_of_values,
        Medians: scan_medians.decrease,
    }
)
same = by_type(
    {
        Pairs: same_pair,
        Classes: same_classes,
        Values: same_values,
        Medians: same_values,
    }
)
lean = by_type(
    {
        Pairs: scan_pairs.lean,
        Classes: scan_sums.lean_of_classes,
        Values: scan_sums.lean_of_values,
        Medians: scan_medians.lean,
    }
)
is_significant = by_type(
    {
        Pairs: scan_pairs.is_significant,
        Classes: scan_sums.is_significant_for_classes,
        Values: scan_sums.is_significant_for_values,
        Medians: scan_sums.is_significant_for_values,
    }
)
side_values = by_type(
    {
        Pairs: scan_pairs.side_values,
        Classes: scan_pairs.no_values,
        Values: scan_pairs.no_values,
        Medians: scan_medians.side_values,
    }
)
