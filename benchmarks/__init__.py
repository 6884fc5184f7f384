"""Measurements of Spinney: data made from a seed, and the comparison with its peers in `versus`."""
