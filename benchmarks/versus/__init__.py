"""Spinney beside its peers: `boosting` measures speed and memory, `accuracy` measures the defaults on real tables."""
