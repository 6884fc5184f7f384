"""Prune fitted trees.

    cost_complexity       the subtree with the smallest impurity + alpha * leaves    needs an alpha
    cost_complexity_cv    the same, with alpha chosen by cross-validation            needs the training rows
    tree_cost             what cost_complexity minimises
    reduced_error         prune what does not reduce the validation error            needs validation rows
    pessimistic           prune what does not reduce a bound of the training errors  classification only
    significance          prune splits that fail a chi-squared test

Every function takes a fitted model and returns another of the same class. The model that you pass is not changed.
The functions have the names of their files: `spinney.prune.reduced_error` is the function. Importing this package does
not load Numba.
"""

from spinney.prune.cost_complexity import cost_complexity, cost_complexity_path, tree_cost
from spinney.prune.cost_complexity_cv import PruningCurve, cost_complexity_cv
from spinney.prune.pessimistic import pessimistic
from spinney.prune.reduced_error import PruningStep, reduced_error
from spinney.prune.significance import significance

__all__ = [
    "cost_complexity",
    "cost_complexity_path",
    "cost_complexity_cv",
    "PruningCurve",
    "tree_cost",
    "reduced_error",
    "PruningStep",
    "pessimistic",
    "significance",
]
