"""A tree as indented text, one line per branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from spinney.tree.decision import SPREADS, STOPS, DecisionTree
from spinney.view.numbers import write
from spinney.view.phrases import EMPTY, OR_MISSING, TreePhrases, check_count, check_depth, choose_tree, words_of


def export_text(
    model: Any,
    *,
    tree: Any = None,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int | None = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
    show_missing: bool = False,
) -> str:
    """Export a tree as indented text.

    Parameters
    ----------
    model : fitted model
        A decision tree, a forest, a boosted model, or AdaBoost or bagging of decision trees.
    tree : int or (int, int), default=None
        Tree of an ensemble: 0, 1, ...; (round, class index) for boosting with more than two classes.
    feature_names : list of str, default=None
        Names of the columns. None: those of the data that the model was fitted on, else `feature_0`, `feature_1`,
        ...
    class_names : list of str, default=None
        Names of the classes, in the order of `classes_`; a list of lists for several outputs. None: the labels of y.
    max_depth : int or None, default=10
        Maximum depth shown; None shows all.
    spacing : int, default=3
        Width of one level of indentation.
    decimals : int, default=2
        Number of decimals of thresholds and values. Thresholds that would look equal, or look like 0, get more.
    show_weights : bool, default=False
        Show the weight of each class in the leaves.
    show_missing : bool, default=False
        Show at each split the branch of missing values. Categories not seen in training are treated as missing.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import DecisionTreeClassifier, export_text
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X[["petal width (cm)"]], y)
    >>> print(export_text(model, class_names=["setosa", "versicolor", "virginica"]))
    |--- petal width (cm) <= 0.80
    |   |--- class: setosa
    |--- petal width (cm) >  0.80
    |   |--- petal width (cm) <= 1.75
    |   |   |--- class: versicolor
    |   |--- petal width (cm) >  1.75
    |   |   |--- class: virginica
    <BLANKLINE>
    """
    words = words_of(choose_tree(model, tree), feature_names, class_names, decimals=check_count("decimals", decimals))
    check_count("spacing", spacing, 1)
    step = "|" + " " * spacing
    dash = "|" + "-" * spacing
    lines = _lines(words, check_depth(max_depth), show_weights, show_missing)
    return "".join(f"{step * depth}{dash} {text}\n" for depth, text in lines)


def _lines(words: TreePhrases, max_depth: float, show_weights: bool, show_missing: bool) -> Iterator[tuple[int, str]]:
    """(depth, text) of every line. Nodes are numbered in the order in which they are read."""
    tree = words.tree
    height = _heights(tree)
    for node in words.nodes:
        depth = int(tree.depth[node])
        if depth > max_depth + 1:
            continue
        if node > 0:
            yield depth - 1, _branch(words, node, show_missing)
        if tree.is_leaf[node]:
            yield depth, _leaf(words, node, show_weights)
        elif depth > max_depth:
            yield depth, f"truncated branch of depth {height[node]}"
        elif show_missing:
            yield from _missing(words, node, depth, show_weights)


def _branch(words: TreePhrases, node: int, show_missing: bool) -> str:
    """The answer that leads to a node."""
    parent, branch = int(words.tree.parent[node]), int(words.tree.branch[node])
    answer = words.answer(parent, branch)
    return answer + OR_MISSING if show_missing and words.takes_missing(parent, branch) else answer


def _missing(words: TreePhrases, node: int, depth: int, show_weights: bool) -> Iterator[tuple[int, str]]:
    """Lines on missing values at questions that do not send them down one branch."""
    name, way = words.names[words.tree.feature[node]], words.tree.missing[node]
    if way == STOPS:
        yield depth, f"{name} is missing"
        yield depth + 1, _leaf(words, node, show_weights)
    elif way == SPREADS:
        yield depth, f"{name} is missing: every branch, by its weight"


def _leaf(words: TreePhrases, node: int, show_weights: bool) -> str:
    said, empty = words.prediction(node), f" ({EMPTY})" if words.is_empty(node) else ""
    if words.classes is None:
        return f"{words.says}: " + (said if said.startswith("[") else f"[{said}]") + empty
    text = f"class: {said}{empty}"
    return f"weights: {_weights(words, node)} {text}" if show_weights else text


def _weights(words: TreePhrases, node: int) -> str:
    """[50.00, 0.00, 0.00]; one after the other for several outputs."""
    rows = [row[: len(names)] for row, names in zip(words.weights(node), words.classes or [])]
    return ", ".join(f"[{', '.join(write(weight, words.decimals) for weight in row)}]" for row in rows)


def _heights(tree: DecisionTree) -> np.ndarray:
    """How many levels each node's subtree has; 1 for a leaf."""
    height = np.ones(tree.n_nodes, np.int64)
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        height[parent[node]] = max(height[parent[node]], height[node] + 1)
    return height
