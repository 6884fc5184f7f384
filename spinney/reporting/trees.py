"""The trees section of the report: trees that can be folded, and the paths of some rows.

In: a model and rows. Out: for its first trees nested nodes, and for each row the numbers of the nodes on its path.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.tree.models import trees_of
from spinney.view.phrases import TreePhrases, words_of

_MOST_TREES, _MOST_NODES, _OPEN_DEPTH = 3, 160, 2
_NOTHING = 1e-6  # of a tree's largest value: what is smaller is 0 but for rounding


def first_trees(model: Any, class_names: list[str]) -> list[dict[str, Any]]:
    """Titles and nests of the first trees; none for models of other kinds."""
    try:
        trees = trees_of(model)
    except TypeError:
        return []
    n = len(trees)
    found = []
    for k in range(min(n, _MOST_TREES)):
        words = words_of(trees.read(k), None, class_names or None, decimals=3, trim=True, most=6)
        title = "The tree" if n == 1 else f"Tree {k + 1} of {n:,}"
        if len(trees.shape) == 2 and len(class_names) == trees.shape[1]:
            title += f": round {k // trees.shape[1] + 1}, {class_names[k % trees.shape[1]]}"
        found.append({"title": title, "root": _nest(words, k), "n_nodes": words.tree.n_nodes})
    return found


def _nest(words: TreePhrases, number: int) -> dict[str, Any]:
    """The root with its children in it, as far as the most populous nodes go."""
    tree = words.tree
    size = tree.n_samples if words.counts_known else -tree.depth
    shown = set(np.lexsort((np.arange(tree.n_nodes), -np.asarray(size, float)))[:_MOST_NODES].tolist())
    nodes: dict[int, dict[str, Any]] = {}
    for node in sorted(shown):  # a parent has at least as many rows as its child, and a smaller number
        parent = int(tree.parent[node])
        if node and parent not in nodes:
            continue
        nodes[node] = {
            "id": f"t{number}n{node}",
            "when": "" if node == 0 else words.answer(parent, int(tree.branch[node])),
            "says": _says(words, node),
            "rows": f"{int(tree.n_samples[node]):,}" if words.counts_known else "",
            "children": [],
            "hidden": 0,
            "open": int(tree.depth[node]) < _OPEN_DEPTH,
        }
        if node:
            nodes[parent]["children"].append(nodes[node])
        if not tree.is_leaf[node]:
            missing = [child for child in tree.children_of(node).tolist() if child not in shown]
            nodes[node]["hidden"] = sum(int(tree.subtree_end[child]) - child for child in missing)
    return nodes[0]


def _says(words: TreePhrases, node: int) -> str:
    if words.classes is None:
        values = words.tree.answers[:, :, 0]
        is_none = np.abs(values[node]).max() < _NOTHING * np.abs(values).max()  # as the root of a boosted tree
        return "0" if is_none else words.prediction(node)
    share = float(words.shares[node, 0].max())
    return f"{words.prediction(node)} {100 * share:.0f} %"


def ways_of_rows(model: Any, rows: Any, n_trees: int) -> list[list[str]]:
    """For each row the ids of the nodes that it passes in the first trees; empty where the model cannot say."""
    if n_trees == 0 or not hasattr(model, "apply"):
        return []
    leaves = np.asarray(model.apply(rows))
    leaves = leaves.reshape(len(leaves), -1)
    trees = trees_of(model)
    parents = [trees.read(k).tree_.parent for k in range(n_trees)]
    found = []
    for row in leaves:
        way = []
        for k, parent in enumerate(parents):
            node = int(row[k])
            while node >= 0:
                way.append(f"t{k}n{node}")
                node = int(parent[node]) if node else -1
        found.append(way)
    return found
