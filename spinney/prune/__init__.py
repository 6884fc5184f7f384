"""Pruning: a fitted tree in, a smaller one out.

    >>> from spinney import prune
    >>> smaller = prune.cost_complexity(model, alpha=0.01)      # doctest: +SKIP

The functions have the names of their files: after `import spinney.prune` the names mean the functions.
Nothing here loads Numba before it is used.
"""

from spinney.prune.cost_complexity import cost_complexity, cost_complexity_path

__all__ = ["cost_complexity", "cost_complexity_path"]
