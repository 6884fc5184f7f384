"""Fitted trees as the nested dicts of tests/oracles/shapley.py, read from `trees_of(model)`."""

import numpy as np

from spinney.tree.decision import BRANCHES, LEAF, SET, SPREADS, STOPS
from spinney.tree.models import trees_of


def nested(one, values, n_categories, output=0):
    """One tree; `values` is what each node says, (nodes, outputs). Linear leaves add to one of the outputs."""
    tree = one.tree_

    def grow(node):
        if tree.kind[node] == LEAF:
            terms = tree.forest.terms.of(node)
            return {"value": values[node], "lines": [(j, _line(line, output, values.shape[1])) for j, line in terms]}
        children = tree.children_of(node).tolist()
        covers = [float(tree.weight[child]) for child in children]
        return {
            "column": int(tree.feature[node]),
            "ways": [(cover, grow(child)) for cover, child in zip(covers, children)],
            "way": _way(tree, node, covers, n_categories),
            "stops": values[node],
        }

    return grow(0)


def _line(line, output, n_outputs):
    slope, centre, low, high = line

    def adds(x):
        found = np.zeros(n_outputs)
        found[output] = slope * (np.clip(x, low, high) - centre) if np.isfinite(x) else 0.0
        return found

    return adds


def _way(tree, node, covers, n_categories):
    n, missing, kind = len(covers), int(tree.missing[node]), tree.kind[node]
    threshold = float(tree.threshold[node])
    inside = tree.categories_in(node, n_categories).tolist() if kind == SET else []

    def way(x):
        if np.isnan(x):
            if missing == STOPS:
                return None
            if missing == SPREADS:
                return [cover / sum(covers) for cover in covers]
            taken = missing
        elif kind == BRANCHES:
            taken = int(x)
        elif kind == SET:
            taken = 0 if int(x) in inside else 1
        else:
            taken = 0 if x <= threshold else 1
        return [float(k == taken) for k in range(n)]

    return way


def trees(model, n_categories=64):
    """All trees of a model, each saying what it adds to every output."""
    found = trees_of(model)
    whole, n = [], len(found)
    boosted = hasattr(model, "_booster")
    n_outputs = model._booster.n_outputs if boosted else 1
    for k, one in enumerate(found):
        tree = one.tree_
        if boosted:
            values = np.zeros((tree.n_nodes, n_outputs))
            values[:, k % n_outputs] = tree.answers[:, 0, 0]
        else:
            said = tree.probabilities if tree.is_class else tree.answers
            values = said.reshape(tree.n_nodes, -1) / n
        whole.append(nested(one, values, n_categories, k % n_outputs))
    return whole
