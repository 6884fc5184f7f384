"""Pruning: a fitted tree in, a smaller one out.

    cost_complexity       the subtree with the least impurity + alpha * leaves      needs an alpha
    cost_complexity_cv    the same, alpha chosen by cross-validation                needs the training rows
    reduced_error         cut what a validation set does not miss                   needs validation rows
    pessimistic           cut what the training errors' upper bounds do not miss    class trees
    significance          cut splits that could be chance

Every function takes a fitted model and returns another of the same class; the one it was given stays as it is.
The functions have the names of their files: `spinney.prune.reduced_error` is the function. Importing this package does
not load Numba.
"""

from spinney.prune.cost_complexity import cost_complexity, cost_complexity_path
from spinney.prune.cost_complexity_cv import PruningCurve, cost_complexity_cv
from spinney.prune.pessimistic import pessimistic
from spinney.prune.reduced_error import reduced_error
from spinney.prune.significance import significance

__all__ = [
    "cost_complexity",
    "cost_complexity_path",
    "cost_complexity_cv",
    "PruningCurve",
    "reduced_error",
    "pessimistic",
    "significance",
]
