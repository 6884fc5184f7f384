"""Spinney beside its peers: `boosting` and `trees` measure speed and memory, `accuracy` the defaults on real tables."""
