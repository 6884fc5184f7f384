"""Colours of nodes, regions and points: strong where the tree is sure, pale where it is not.

In: a `DecisionTree`. Out: "#rrggbb". All fills are light enough for black text. The first eight class colours can be
told apart by readers who see few colours.
"""

from __future__ import annotations

from colorsys import hls_to_rgb

import numpy as np

from spinney.tree.decision import DecisionTree

_CLASSES = ("#4fa6df", "#f0a030", "#3fb58a", "#d98bbd", "#e8dc4a", "#e8804f", "#9a94e0", "#a9a9a9")
_NUMBERS = "#e8804f"  # the scale of regression trees runs from white to this
_EMPTY = "#f4f4f4"  # a branch without training rows
_TURN = 0.618034  # of the colour circle, from one class to the next, when there are many


def class_colours(n_classes: int) -> list[str]:
    """One strong colour a class."""
    if n_classes <= len(_CLASSES):
        return list(_CLASSES[:n_classes])
    wheel = [hls_to_rgb((0.57 + i * _TURN) % 1.0, 0.72 + 0.06 * (i % 3 - 1), 0.7) for i in range(n_classes)]
    return [_text(np.array(rgb)) for rgb in wheel]


def mix(colour: str, strength: float) -> str:
    """The colour on white: strength 0 is white, 1 the colour itself.

    >>> mix("#4fa6df", 0.5)
    '#a7d2ef'
    """
    return _text(1 + np.clip(strength, 0.0, 1.0) * (_rgb(colour) - 1))


def node_colours(tree: DecisionTree) -> list[str]:
    """The fill of every node: by its class and how pure it is, or by its number."""
    if tree.n_outputs > 1:
        return _by_impurity(tree)
    return _by_number(tree) if not tree.is_class else _by_class(tree)


def _by_class(tree: DecisionTree) -> list[str]:
    """The most common class's colour; paler the closer the node is to equal shares."""
    shares = tree.probabilities[:, 0]
    n_classes = shares.shape[1]
    even = 1 / n_classes
    strength = (shares.max(axis=1) - even) / (1 - even) if n_classes > 1 else np.ones(len(shares))
    colours, winner = class_colours(n_classes), shares.argmax(axis=1)
    return [
        mix(colours[winner[node]], strength[node]) if tree.n_samples[node] > 0 else _EMPTY
        for node in range(tree.n_nodes)
    ]


def _by_number(tree: DecisionTree) -> list[str]:
    values = tree.answers[:, 0, 0]
    low, high = float(values.min()), float(values.max())
    span = high - low
    return [mix(_NUMBERS, (value - low) / span if span > 0 else 0.5) for value in values.tolist()]


def _by_impurity(tree: DecisionTree) -> list[str]:
    """Several outputs have no one class: pure nodes are strong."""
    worst = float(tree.impurity.max())
    return [mix(_NUMBERS, 1 - impurity / worst if worst > 0 else 1.0) for impurity in tree.impurity.tolist()]


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def _text(rgb: np.ndarray) -> str:
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in rgb)
