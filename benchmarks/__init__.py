"""Benchmarks of Spinney: generated data, and the comparison with other libraries in `versus`."""
