"""From the grown nodes of ID3 and C4.5 to a `Forest` of one tree.

Nodes are numbered anew in preorder, and branches without training rows become leaves that answer as their parent does.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.impurity import ENTROPY
from spinney.criteria.information import ROW, entropy
from spinney.grow.multiway.columns import MultiwayColumns
from spinney.grow.multiway.memory import IN_GROUP, NO_CUT, MultiwayTree
from spinney.grow.rules import NO_NODE, NO_SPLIT
from spinney.tree.decision import STOPS, DecisionTree
from spinney.tree.forest import ASKS_BRANCHES, ASKS_SET, MISSING_SPREADS, MISSING_STOPS, Forest, small

_WORD = 64


def freeze(grown: MultiwayTree, columns: MultiwayColumns, missing: int, subset: bool = False) -> DecisionTree:
    """Build the tree; `missing` is what its questions say of missing values, STOPS or SPREADS.

    `subset`: categories are in groups, and a node of k groups becomes a chain of questions about one group each.
    """
    grown, members = _chained(grown) if subset else (grown, {})
    n_nodes, depth = _measure(grown, np.empty((len(grown.nodes), 2), np.int64))
    source, parent = np.empty(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    size = np.ones(n_nodes, np.int64)
    _number(grown, np.empty((depth + 1, 3), np.int64), source, parent, size)
    empty = source == NO_NODE
    nodes = grown.nodes[np.where(empty, 0, source)]
    asks = (nodes["feature"] != NO_SPLIT) & ~empty
    feature, asks_at = nodes["feature"][asks], np.flatnonzero(asks)
    is_number = columns.is_number[feature] > 0
    by_branch = np.where(is_number, 0, ASKS_SET if subset else ASKS_BRANCHES)
    set_start, sets = _pack_sets([members[k] for k in source[asks_at].tolist() if k in members], columns)
    answers = grown.class_units[source[np.where(empty, parent, np.arange(n_nodes))]] / ROW
    forest = Forest(
        n_columns=len(columns.codes),
        n_classes=(answers.shape[1],),
        criterion=ENTROPY,
        bins=None,
        first=np.array([0, n_nodes]),
        size=small(size),
        feature=small(feature),
        turn=(by_branch | (MISSING_STOPS if missing == STOPS else MISSING_SPREADS)).astype(np.uint8),
        answers=answers[:, None, :],
        n_samples=small(np.where(empty, 0, nodes["n_rows"]), np.uint32),
        threshold=np.where(is_number, nodes["threshold"][asks], np.nan),
        weight=np.where(empty, 0.0, nodes["units"] / ROW),
        impurity=entropy(answers),
        set_start=set_start,
        sets=sets,
    )
    return DecisionTree(forest)


def _chained(grown: MultiwayTree) -> tuple[MultiwayTree, dict[int, tuple[int, np.ndarray]]]:
    """(grown with questions about groups in place of those about categories, node -> (column, group it asks about)).

    Categories that had no rows have a leaf at the end of the chain.
    """
    nodes = [node.copy() for node in grown.nodes[: int(grown.state[0]["n_nodes"])]]
    sums, children = list(grown.class_units[: len(nodes)]), grown.children.tolist()
    members: dict[int, tuple[int, np.ndarray]] = {}
    for number in range(len(nodes)):
        top = nodes[number]
        if top["feature"] == NO_SPLIT or top["cut"] != NO_CUT:
            continue
        leads = np.array(children[top["first"] : top["first"] + top["n_branches"]])
        groups = np.where(leads <= IN_GROUP, IN_GROUP - leads, np.arange(len(leads)))
        heads = np.flatnonzero(leads >= 0)
        below = leads[heads].tolist()
        ends = list(below)
        if (leads == NO_NODE).any():
            node = top.copy()
            node["feature"], node["units"], node["n_rows"] = NO_SPLIT, 0, 0
            ends.append(len(nodes))
            nodes.append(node)
            sums.append(sums[number])
        counts = [int(nodes[child]["n_rows"]) for child in below]
        n_missing = max(0, sum(counts) - int(top["n_rows"])) // max(len(below) - 1, 1)  # they go down every branch
        here = number
        for k in range(len(ends) - 1):
            members[here] = int(top["feature"]), np.flatnonzero(groups == heads[k])
            last = k == len(ends) - 2
            after = ends[-1] if last else len(nodes)
            nodes[here]["first"], nodes[here]["n_branches"] = len(children), 2
            children += [ends[k], after]
            if not last:
                rest = below[k + 1 :]
                node = top.copy()
                node["units"] = sum(int(nodes[child]["units"]) for child in rest)
                node["n_rows"] = sum(counts[k + 1 :]) - (len(rest) - 1) * n_missing
                nodes.append(node)
                sums.append(np.sum([sums[child] for child in rest], axis=0))
                here = after
    new = np.array(nodes, grown.nodes.dtype)
    return grown._replace(nodes=new, class_units=np.array(sums), children=np.array(children, np.int32)), members


def _pack_sets(found: list[tuple[int, np.ndarray]], columns: MultiwayColumns) -> tuple[np.ndarray, np.ndarray]:
    """(where each set begins and the last one ends, words of 64 categories)."""
    n_words = [int(columns.n_values[column]) // _WORD + 1 for column, _ in found]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_words, dtype=np.int64)])
    sets = np.zeros(start[-1], np.uint64)
    for begin, (_, categories) in zip(start.tolist(), found):
        for category in categories.tolist():
            sets[begin + category // _WORD] |= np.uint64(1) << np.uint64(category % _WORD)
    return start, sets


@kernel
def _measure(grown, waiting):
    """(nodes, depth) of the tree as it is now; `waiting` is scratch: nodes and their depths."""
    n_nodes, deepest = 1, 0
    n_waiting = 1
    waiting[0, :] = 0
    while n_waiting > 0:
        n_waiting -= 1
        number, depth = waiting[n_waiting, 0], waiting[n_waiting, 1]
        node = grown.nodes[number]
        deepest = max(deepest, depth)
        if node.feature == NO_SPLIT:
            continue
        n_nodes += node.n_branches
        for k in range(node.first, node.first + node.n_branches):
            if grown.children[k] >= 0:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = grown.children[k], depth + 1
                n_waiting += 1
    return n_nodes, deepest


@kernel
def _number(grown, path, source, parent, size):
    """Walk in preorder. `path` is scratch: (grown number, new number, next branch) from the root to the node."""
    path[0, :] = 0
    source[0], parent[0], depth, n = 0, 0, 0, 1
    while depth >= 0:
        number, here, branch = path[depth, 0], path[depth, 1], path[depth, 2]
        if branch >= _n_branches(grown, number):
            size[here] = n - here
            depth -= 1
            continue
        path[depth, 2] += 1
        child = grown.children[grown.nodes[number].first + branch]
        source[n], parent[n] = child, here
        if child != NO_NODE:
            depth += 1
            path[depth, 0], path[depth, 1], path[depth, 2] = child, n, 0
        n += 1


@inner_kernel
def _n_branches(grown, number):
    if number == NO_NODE or grown.nodes[number].feature == NO_SPLIT:
        return np.int64(0)
    return grown.nodes[number].n_branches
