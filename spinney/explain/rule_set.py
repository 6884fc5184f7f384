"""The rules of a small ensemble, from all of its trees.

In: a fitted model of a few small trees. Out: a list of rules, the most influential first; rules of several trees with
the same conditions are merged. A rule adds what its leaves add to the prediction: for a forest a fraction of the mean,
for boosting a part of the raw score. The rules that hold for a row and the start value add up to the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney.explain.dependence.responses import need_tree_sum
from spinney.tree.models import trees_of
from spinney.view.phrases import check_count
from spinney.view.rules import Condition, export_rules

_MOST_LEAVES = 20_000


@dataclass(frozen=True)
class EnsembleRule:
    """Conditions, and what the model adds to its prediction where all of them hold."""

    conditions: tuple[Condition, ...]
    adds: np.ndarray  # (scores,)
    trees: tuple[int, ...]
    n_samples: int  # training rows, the most of its leaves

    @property
    def text(self) -> str:
        """The rule as text."""
        told = " and ".join(one.text for one in self.conditions)
        adds = ", ".join(f"{value:+.3g}" for value in self.adds)
        adds = adds if len(self.adds) == 1 else f"[{adds}]"
        count = f"{len(self.trees)} tree{'s' if len(self.trees) > 1 else ''}, {self.n_samples} samples"
        return f"if {told} then {adds} ({count})" if told else f"always {adds} ({count})"

    def __str__(self) -> str:
        return self.text


class EnsembleRules(list[EnsembleRule]):
    """A list of rules that prints one per line."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__


def ensemble_rules(model: Any, *, most: int | None = None, decimals: int = 2) -> EnsembleRules:
    """List the rules of all trees of a small ensemble, the most influential first.

    Parameters
    ----------
    model : fitted model that is a sum of Spinney's trees
        An ensemble with few enough leaves to be read.
    most : int, default=None
        Maximum number of rules. None: all rules.
    decimals : int, default=2
        Number of decimals of thresholds.

    Returns
    -------
    EnsembleRules
        A list of rules, sorted by what they add to the prediction times the fraction of the training rows for which
        they hold.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import GradientBoostingRegressor
    >>> from spinney.explain import ensemble_rules
    >>> X = np.arange(100.0)[:, None]
    >>> model = GradientBoostingRegressor(n_estimators=3, learning_rate=1.0, max_depth=1, random_state=0)
    >>> print(ensemble_rules(model.fit(X, X[:, 0] >= 50), most=2))
    if feature_0 <= 49.50 then -0.5 (3 trees, 50 samples)
    if feature_0 > 49.50 then +0.5 (3 trees, 50 samples)
    """
    found = need_tree_sum(model, "ensemble_rules")
    n_leaves = int(found.forest.n_leaves.sum())
    if n_leaves > _MOST_LEAVES:
        raise ValueError(
            f"this {found.name} has {n_leaves:,} leaves, too many rules to read (at most {_MOST_LEAVES:,}). Fit fewer "
            "or smaller trees, or approximate the model by one tree (spinney.explain.surrogate)."
        )
    first = found.forest.first
    values = found.formula.at(np.arange(found.forest.n_nodes)) / found.formula.divisor
    rules: dict[tuple[Condition, ...], EnsembleRule] = {}
    shape = trees_of(model).shape
    for t in range(found.forest.n_trees):
        tree = None if not shape else t if len(shape) == 1 else divmod(t, shape[1])
        for rule in export_rules(model, tree=tree, decimals=check_count("decimals", decimals)):
            adds, key = values[first[t] + rule.leaf], rule.conditions
            if key in rules:
                old = rules[key]
                rules[key] = EnsembleRule(key, old.adds + adds, (*old.trees, t), max(old.n_samples, rule.n_samples))
            else:
                rules[key] = EnsembleRule(key, adds, (t,), rule.n_samples)
    ordered = sorted(rules.values(), key=lambda one: -float(np.abs(one.adds).max()) * one.n_samples)
    return EnsembleRules(ordered if most is None else ordered[: check_count("most", most)])
