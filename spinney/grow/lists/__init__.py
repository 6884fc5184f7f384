"""Exact trees: every threshold between neighbouring values is tried, on lists that were sorted once."""
