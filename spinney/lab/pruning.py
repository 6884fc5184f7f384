"""Post-pruning and pre-pruning: a tree pruned from its leaves, or limited in growth, with the validation curve.

In: a plane. Out: one step per tree of a series, from large to small or from small to large.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.lab.panels import Step, TreePicture, boxes_of, curve, dotted, plane, step
from spinney.lab.parameters import SEED, LabParameter, Values
from spinney.lab.tables import LabTable, Parts, code_of, hold_out
from spinney.lab.tree import splits_in_order
from spinney.view.numbers import percent, short

TITLE = "Pruning"
ABOUT = "The training error falls with every split, but the held-out error rises again. Pruning chooses a size between."
PARAMETERS = (
    LabParameter(
        "way",
        "method",
        "cost",
        choices=(
            ("cost", "cost-complexity"),
            ("error", "reduced-error"),
            ("root", "limit on leaves (pre-pruning)"),
        ),
    ),
    SEED,
)
_MOST = 40  # trees of a series


class _Tree(NamedTuple):
    """One tree of the series."""

    model: Any
    picture: TreePicture
    asking: set[int]
    detail: Any  # the alpha, the nodes pruned so far, or the number of leaves
    errors: tuple[float, float]  # on training rows and on held-out rows

    @property
    def leaves(self) -> int:
        return int(self.model.get_n_leaves())


def steps(table: LabTable, values: Values) -> list[Step]:
    """Return one step per tree."""
    parts = hold_out(table, values["random_state"])
    series = _series(table, parts, values["way"])
    best = int(np.argmin([one.errors[1] for one in series][:: 1 if values["way"] == "root" else -1]))
    best = best if values["way"] == "root" else len(series) - 1 - best
    leaves = [one.leaves for one in series]
    lines = dotted(leaves, zip(*(one.errors for one in series)))
    marked = [{"x": leaves[best], "y": series[best].errors[1], "name": f"smallest: {_leaves(leaves[best])}"}]
    found = []
    for place, one in enumerate(series):
        shown = curve("Error over the size of the tree", "leaves", "error rate", lines, one.leaves, marks=marked)
        seen = plane(
            f"Regions of {_leaves(one.leaves)} (hollow: held out)",
            boxes=boxes_of(one.picture, table, one.asking),
            hollow=parts.held,
        )
        found.append(
            step(
                _sentence(values["way"], series, place, best),
                {"leaves": one.leaves, "training_error": one.errors[0], "held_out_error": one.errors[1]},
                seen,
                shown,
                one.picture.panel("The tree", one.asking),
            )
        )
    return found


def code(table: LabTable, values: Values, at: int) -> list[str]:
    """Return Python code for a step."""
    parts = hold_out(table, values["random_state"])
    one = _series(table, parts, values["way"])[at]
    lines = ["from spinney import DecisionTreeClassifier, plot_tree, prune", *code_of(values["random_state"])]
    grown = "DecisionTreeClassifier(random_state=0).fit(X[train], y[train])"
    if values["way"] == "root":
        lines += [f"model = {_stopped(one.detail)}.fit(X[train], y[train])"]
    elif values["way"] == "cost":
        lines += [f"full = {grown}", f"model = prune.cost_complexity(full, alpha={one.detail!r})"]
    else:
        lines += [
            "from copy import copy",
            f"full = {grown}",
            f"cut = {sorted(one.detail)}  # nodes of the full tree that have become leaves",
            "model = copy(full)",
            "model.tree_ = full.tree_.collapse(np.isin(np.arange(full.tree_.n_nodes), cut))",
            "# all cuts at once: prune.reduced_error(full, X[held], y[held])",
        ]
    return [
        *lines,
        "step = {",
        '    "leaves": model.get_n_leaves(),',
        '    "training_error": 1 - model.score(X[train], y[train]),',
        '    "held_out_error": 1 - model.score(X[held], y[held]),',
        "}",
        f"plot_tree(model, feature_names={table.names!r})",
    ]


def _series(table: LabTable, parts: Parts, way: str) -> list[_Tree]:
    from spinney import DecisionTreeClassifier

    full = DecisionTreeClassifier(random_state=0).fit(table.X[parts.train], table.y[parts.train])
    if way == "root":
        return _from_root(table, parts, full.get_n_leaves())
    if way == "error":
        cuts = _reduced_error_cuts(full, table.X[parts.held], table.y[parts.held])
        return [_after(full, set(cuts[:n]), list(cuts[:n]), table, parts) for n in range(len(cuts) + 1)]
    from spinney.prune.cost_complexity import full_path

    path = full_path(full.tree_)
    alphas = np.unique(path.alphas)
    kept = alphas[-_MOST:]  # of a large tree, the last ones
    return [
        _after(full, set(np.flatnonzero(path.cut_at <= alpha).tolist()), float(alpha), table, parts) for alpha in kept
    ]


def _after(full: Any, cut: set[int], detail: Any, table: LabTable, parts: Parts) -> _Tree:
    """Return the full tree with some nodes turned into leaves."""
    from spinney.prune.pruned_copy import with_tree

    tree = full.tree_
    model = with_tree(full, tree.collapse(np.isin(np.arange(tree.n_nodes), list(cut)))) if cut else full
    return _described(model, detail, table, parts)


def _described(model: Any, detail: Any, table: LabTable, parts: Parts) -> _Tree:
    picture = TreePicture(model, table.names, table.labels)
    return _Tree(model, picture, set(splits_in_order(model.tree_)), detail, _errors(model, table, parts))


def _from_root(table: LabTable, parts: Parts, most: int) -> list[_Tree]:
    """Return best-first trees of two leaves, three, ..."""
    from spinney import DecisionTreeClassifier

    found = []
    for leaves in range(2, min(most, _MOST) + 1):
        model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
        model.fit(table.X[parts.train], table.y[parts.train])
        found.append(_described(model, leaves, table, parts))
    return found


def _stopped(leaves: int) -> str:
    return f"DecisionTreeClassifier(max_leaf_nodes={leaves}, random_state=0)"


def _reduced_error_cuts(full: Any, X: np.ndarray, y: np.ndarray) -> list[int]:
    """Return the nodes that reduced-error pruning prunes, each where the held-out error falls most."""
    from spinney.prune.validation import find_errors, judge, sum_below

    tree = full.tree_
    errors = find_errors(tree, judge(full, X, y, None))
    as_leaf, ending = errors.as_leaf.sum(axis=1), errors.ending.sum(axis=1)
    end, gone = tree.subtree_end, np.zeros(tree.n_nodes, bool)
    found: list[int] = []
    while True:
        branch = sum_below(tree, ending)
        gain = np.where(tree.is_leaf | gone, np.iinfo(np.int64).min, branch - as_leaf)
        best = int(gain.max())
        if best < 0:
            return found
        node = int(np.flatnonzero(gain == best)[-1])  # ties go to the lowest
        found.append(node)
        gone[node : end[node]] = True
        ending[node : end[node]] = 0
        ending[node] = as_leaf[node]


def _errors(model: Any, table: LabTable, parts: Parts) -> tuple[float, float]:
    wrong = model.predict(table.X) != table.y
    return float(wrong[parts.train].mean()), float(wrong[parts.held].mean())


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n} leaves"


def _sentence(way: str, series: list[_Tree], place: int, best: int) -> str:
    one = series[place]
    train, held = one.errors
    judged = f"The tree misclassifies {percent(train)} of the training rows and {percent(held)} of the held-out rows."
    end = " This is the smallest held-out error." if place == best else ""
    if way == "root":
        return f"The tree is grown best-first to {_leaves(one.leaves)}. {judged}{end}"
    if place == 0:
        return f"The full tree has {_leaves(one.leaves)}. {judged}{end}"
    before = series[place - 1].leaves
    if way == "cost":
        made = f"At a penalty per leaf of {short(one.detail, 3)}, {before} leaves are pruned to {one.leaves}."
    else:
        made = (
            f"The branch whose removal is best for the held-out error is pruned: {before} leaves become {one.leaves}."
        )
    return f"{made} {judged}{end}"
