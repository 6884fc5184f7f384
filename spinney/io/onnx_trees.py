"""Trees as the operator TreeEnsemble of ai.onnx.ml 5, and what their leaves say.

In: a `Formula` and the name of a table of doubles, (rows, columns), categories numbered and missing values NaN. Out:
`Scores`.

The operator's leaves hold one number each. Where nodes say one number, it adds them up itself; where they say several,
each tree has a target of its own and each leaf its number, by which answers are gathered from a table. These are added
up tree after tree, as Spinney does, so that ties between classes are broken in the same way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.io.onnx_graph import ML, Graph
from spinney.tree.formula import Formula
from spinney.tree.questions import IN_SET, IS_MISSING, UP_TO, Questions, read_questions

_MODES = {UP_TO: 0, IN_SET: 6, IS_MISSING: 1}  # BRANCH_LEQ, BRANCH_MEMBER, BRANCH_LT
_SUM = 1  # aggregate_function


class Scores(NamedTuple):
    """Names of tensors."""

    raw: str  # (rows, scores): raw scores, not yet divided
    places: str  # (rows, outputs) int64: the classes that a single tree names; else ""


def add_scores(graph: Graph, formula: Formula, table: str) -> Scores:
    """The trees of a formula."""
    questions = read_questions(formula.forest, formula.schema)
    tree_of = np.searchsorted(formula.forest.first, questions.ends, side="right") - 1
    values = formula.values[questions.ends]
    if values.shape[1] == 1 and formula.majority is None:
        targets = tree_of % formula.n_scores if formula.adds_in_turn else np.zeros_like(tree_of)
        raw = _ensemble(graph, questions, table, values[:, 0], targets, formula.n_scores)
        return Scores(_with_start(graph, raw, formula.start), "")
    numbers = np.arange(len(tree_of), dtype=np.float64)
    ends = _ensemble(graph, questions, table, numbers, tree_of, formula.forest.n_trees)
    ends = graph.cast(ends, "INT64")
    says = graph.constant(values, "answers")
    if formula.forest.n_trees == 1:
        return Scores(
            _with_start(graph, _row_of(graph, says, ends), formula.start),
            ""
            if formula.majority is None
            else _row_of(graph, graph.constant(formula.majority[questions.ends], "majority"), ends),
        )
    turned = graph.add("Transpose", [ends], perm=[1, 0])
    each = graph.add("Gather", [says, turned], axis=0)
    raw = graph.add("ReduceSum", [each, graph.constant(np.array([0]))], keepdims=0)
    return Scores(_with_start(graph, raw, formula.start), "")


def _row_of(graph: Graph, table: str, numbers: str) -> str:
    """Rows of a table by their numbers, (rows, 1)."""
    return graph.add("Squeeze", [graph.add("Gather", [table, numbers], axis=0), graph.constant(np.array([1]))])


def _with_start(graph: Graph, raw: str, start: np.ndarray) -> str:
    return graph.add("Add", [raw, graph.constant(start[None, :], "start")]) if start.any() else raw


def _ensemble(graph: Graph, q: Questions, table: str, weights: np.ndarray, targets: np.ndarray, n_targets: int) -> str:
    """The operator itself; `weights` and `targets` are those of the ends."""
    roots = _past_idle(q)
    alone = np.flatnonzero(roots < 0)  # trees of one leaf: a question of which both answers lead there
    ends = roots[alone]
    roots[alone] = len(q.kind) + np.arange(len(alone))
    yes, no = np.concatenate([q.yes, ends]), np.concatenate([q.no, ends])
    turn = _turn(yes[roots], no[roots], len(weights))
    yes, no = (np.where(one < 0, -1 - (-1 - one + turn) % len(weights), one) for one in (yes, no))
    kind = np.concatenate([q.kind, np.full(len(alone), IS_MISSING, np.uint8)])
    modes = np.array([_MODES[k] for k in range(3)], np.uint8)[kind]
    splits = np.where(kind == UP_TO, np.concatenate([q.threshold, np.zeros(len(alone))]), 0.0)
    splits[kind == IS_MISSING] = -np.inf  # less than that is nothing: only missing values say yes
    attributes: dict[str, Any] = {
        "nodes_splits": graph.tensor(splits),
        "nodes_featureids": _ints(q.column, len(alone)),
        "nodes_modes": graph.tensor(modes),
        "nodes_missing_value_tracks_true": _ints(q.missing_yes, len(alone)),
        "nodes_truenodeids": np.where(yes < 0, -1 - yes, yes).tolist(),
        "nodes_trueleafs": (yes < 0).astype(np.int64).tolist(),
        "nodes_falsenodeids": np.where(no < 0, -1 - no, no).tolist(),
        "nodes_falseleafs": (no < 0).astype(np.int64).tolist(),
        "leaf_weights": graph.tensor(np.roll(np.asarray(weights, np.float64), turn)),
        "leaf_targetids": np.roll(targets, turn).tolist(),
        "tree_roots": roots.tolist(),
        "aggregate_function": _SUM,
        "n_targets": n_targets,
        "post_transform": 0,
    }
    if len(q.members):
        attributes["membership_values"] = graph.tensor(_membership(q))
    return graph.add("TreeEnsemble", [table], domain=ML, **attributes)


def _past_idle(q: Questions) -> np.ndarray:
    """Where trees begin, past questions of which both answers lead to the same one: see `_turn`."""
    roots = q.roots.copy()
    idle = set(np.flatnonzero((q.kind == IS_MISSING) & (q.yes == q.no)).tolist())
    for t in range(len(roots)) if idle else ():
        while roots[t] in idle:
            roots[t] = q.no[roots[t]]
    return roots


def _turn(yes: np.ndarray, no: np.ndarray, n_leaves: int) -> int:
    """How far leaves are moved on, so that no root leads to a leaf and a question of the same number.

    Several releases of onnxruntime take such a root for a tree of one leaf (its issue 24679).
    """
    leads_to_both = (yes < 0) != (no < 0)
    leaf, question = -1 - np.minimum(yes, no)[leads_to_both], np.maximum(yes, no)[leads_to_both]
    taken = set(((question - leaf) % n_leaves)[question < n_leaves].tolist())
    return next(k for k in range(n_leaves) if k not in taken)  # of n leaves, fewer than n / 2 are below a root


def _ints(values: np.ndarray, n_more: int) -> list[int]:
    return [*values.astype(np.int64).tolist(), *[0] * n_more]


def _membership(q: Questions) -> np.ndarray:
    """All sets end to end, NaN after each."""
    lengths = np.diff(q.set_start)
    lengths = lengths[lengths > 0]
    values = np.full(len(q.members) + len(lengths), np.nan)
    values[np.arange(len(q.members)) + np.repeat(np.arange(len(lengths)), lengths)] = q.members
    return values
