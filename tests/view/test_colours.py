"""Colours: strong where the tree is sure, and black text can be read on all of them."""

import numpy as np
import pytest

from spinney.view.figures import class_colours, mix, node_colours
from tests.view.trees import branches, flowers, leaf, make_model, prices, single, two_outputs


def rgb(colour):
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def contrast_with_black(colour):
    """As in the accessibility guidelines of the W3C."""
    parts = rgb(colour)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return (linear @ [0.2126, 0.7152, 0.0722] + 0.05) / 0.05


@pytest.mark.parametrize("n_classes", [2, 3, 8, 9, 26])
def test_black_text_can_be_read(n_classes):
    colours = class_colours(n_classes)
    assert len(set(colours)) == n_classes
    assert min(map(contrast_with_black, colours)) > 4.5


def strength(colour):
    return 1 - rgb(colour).min()


def test_pure_nodes_are_strong_and_mixed_ones_pale():
    fills = node_colours(flowers().tree_)
    assert fills[0] == "#ffffff"
    assert fills[1] == class_colours(3)[0]
    assert strength(fills[2]) < strength(fills[3]) < strength(fills[4])


def test_numbers_have_one_scale():
    fills = node_colours(prices().tree_)
    values = prices().tree_.answers[:, 0, 0]
    assert fills[1] == "#ffffff"
    assert [fills[i] for i in np.argsort(values)] == sorted(fills, key=strength)


def test_odd_trees():
    assert node_colours(single().tree_)[0] == mix(class_colours(2)[1], 0.5)
    assert len(set(node_colours(two_outputs().tree_))) == 3
    empty = make_model(branches(0, leaf([1, 0]), leaf([0, 0]), leaf([0, 1])), {"a": ["x", "y", "z"]}, ["n", "p"])
    assert node_colours(empty.tree_)[2] == "#f4f4f4"
