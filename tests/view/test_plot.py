"""Pictures of trees."""

import itertools
import subprocess
import sys

import matplotlib as mpl
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.text import Text

from spinney import DecisionTreeClassifier, plot_tree
from tests.compiled import slow
from tests.view.trees import ALL, branches, flowers, in_set, islands, leaf, make_model, number, prices, tennis


def full_tree(depth, path=1):
    """A full tree of long questions."""
    if depth == 0:
        return leaf([path, 100 - path, 3])
    children = [full_tree(depth - 1, 2 * path + k) for k in range(2)]
    return number(depth % 3, path + 0.125, *children)


def deep(depth=4):
    columns = {"petal length (cm)": None, "sepal width (cm)": None, "x": None}
    return make_model(full_tree(depth), columns, ["setosa", "versicolor", "virginica"])


def rendered(boxes):
    """The boxes as they come out, in pixels."""
    figure = boxes[0].figure
    figure.canvas.draw()
    return [box.get_bbox_patch().get_window_extent() for box in boxes]


def overlapping(boxes):
    areas = rendered(boxes)
    return [
        (i, j)
        for (i, a), (j, b) in itertools.combinations(enumerate(areas), 2)
        if a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1
    ]


@pytest.mark.filterwarnings("ignore:plot_tree. the tree fits only")
@pytest.mark.parametrize("size", [None, (6.4, 4.8), (20, 4), pytest.param((4, 12), marks=pytest.mark.slow)])
def test_boxes_do_not_overlap_at_depth_4(size):
    if size:
        plt.figure(figsize=size)
    boxes = plot_tree(deep())
    assert len(boxes) == 31
    assert not overlapping(boxes)
    outer = boxes[0].figure.bbox
    for area in rendered(boxes):
        assert outer.x0 <= area.x0 < area.x1 <= outer.x1
        assert outer.y0 <= area.y0 < area.y1 <= outer.y1


@pytest.mark.filterwarnings("ignore:plot_tree. the tree fits only")
@pytest.mark.parametrize("width", [8, 11, *slow((9, 10, 12))])
def test_boxes_do_not_overlap_where_letters_are_wider_than_in_proportion(width):
    plt.figure(figsize=(width, 3))
    assert not overlapping(plot_tree(deep(), precision=1))


def wordy(n_classes, depth):
    """Names that are too long for any box, and as many classes as you like."""
    rng = np.random.RandomState(n_classes)
    names = ["the number of passengers who were carried in that month (thousands)", "W" * 30, "x"]
    X = pd.DataFrame(rng.rand(400, 3), columns=names)
    X["a column of categories"] = rng.choice(["a rather long category, with a comma", "ß" * 20, "短い"], 400)
    y = np.array([f"class number {i} of all the classes there are" for i in range(n_classes)])
    return DecisionTreeClassifier(max_depth=depth).fit(X, y[rng.randint(0, n_classes, 400)])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:plot_tree. the tree fits only", "ignore:Glyph")
@pytest.mark.parametrize(
    "size, n_classes, depth", [(None, 2, 3), (None, 30, 3), ((6.4, 4.8), 3, 6), ((3, 8), 2, 3), ((3, 8), 30, 3)]
)
def test_text_stays_in_its_box(size, n_classes, depth):
    if size:
        plt.figure(figsize=size)
    boxes = plot_tree(wordy(n_classes, depth))
    for dpi in (60, 220):
        boxes[0].figure.set_dpi(dpi)
        for box, area in zip(boxes, rendered(boxes)):
            text = Text.get_window_extent(box)
            assert area.x0 <= text.x0 < text.x1 <= area.x1
            assert area.y0 <= text.y0 < text.y1 <= area.y1


def test_text_is_readable_at_depth_4_on_a_slide():
    plt.figure(figsize=(13.3, 7.5))
    assert plot_tree(deep())[0].get_fontsize() > 6.5


@pytest.mark.parametrize("make", ALL)
def test_every_kind_of_tree(make):
    model = make()
    boxes = plot_tree(model)
    assert len(boxes) == model.tree_.n_nodes
    assert not overlapping(boxes)


def test_what_boxes_say():
    boxes = plot_tree(flowers())
    assert (
        boxes[2].get_text() == "petal width ≤ 1.75\ngini = 0.5\nsamples = 100\nvalue = [0, 50, 50]\nclass = versicolor"
    )
    assert "class" not in plot_tree(flowers(), class_names=False)[2].get_text()


def tags(boxes):
    return [text.get_text() for text in boxes[0].axes.texts if text not in boxes]


def test_branches_are_named():
    assert tags(plot_tree(flowers())) == ["yes", "no"]
    assert tags(plot_tree(tennis())) == ["Overcast", "Rainy", "Sunny", "false", "true", "High", "Normal"]


def test_many_categories_are_abbreviated():
    letters = [chr(ord("A") + i) for i in range(26)]
    model = make_model(in_set(0, range(7), leaf([1, 0]), leaf([0, 1])), {"letter": letters}, ["n", "p"])
    assert plot_tree(model)[0].get_text().startswith("letter in {A, B, ... 5 more}\n")


def test_long_categories_are_cut():
    spec = branches(0, leaf([1, 0]), leaf([0, 1]), leaf([1, 0]))
    model = make_model(spec, {"x": ["a" * 50, "b", "c"]}, ["n", "p"])
    assert tags(plot_tree(model)) == ["a" * 21 + "…", "b", "c"]


def test_dollars_are_dollars():
    model = make_model(branches(0, leaf([1, 0]), leaf([0, 1]), leaf([1, 0])), {"$p$": ["$", "$$", "$$$"]}, ["n", "p"])
    boxes = plot_tree(model)
    rendered(boxes)
    assert tags(boxes) == ["$", "$$", "$$$"]
    assert not any(text.get_parse_math() for text in boxes[0].axes.texts)


def test_depth():
    boxes = plot_tree(deep(), max_depth=2)
    texts = [box.get_text() for box in boxes]
    assert len(texts) == 7 + 4
    assert texts[-4:] == ["..."] * 4
    assert not overlapping(boxes)
    assert len(plot_tree(deep(), max_depth=0)) == 2


def test_fill():
    fills = {mpl.colors.to_hex(box.get_bbox_patch().get_facecolor()) for box in plot_tree(prices())}
    assert len(fills) == 5
    fills = {mpl.colors.to_hex(box.get_bbox_patch().get_facecolor()) for box in plot_tree(prices(), filled=False)}
    assert fills == {"#ffffff"}


def test_where_it_is_drawn():
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5))
    boxes = plot_tree(flowers(), ax=left)
    others = plot_tree(islands(), ax=right)
    assert {box.axes for box in boxes} == {left}
    assert {box.axes for box in others} == {right}
    assert not overlapping(boxes + others)
    assert len(plot_tree(flowers(), ax=left)) == len(left.texts) - 2  # cleared before


def test_a_figure_of_its_own_is_as_large_as_the_tree():
    small = plot_tree(flowers())[0].figure.get_size_inches()
    plt.close("all")
    large = plot_tree(deep(5))[0].figure.get_size_inches()
    assert (large > small).all()


def test_the_current_figure_is_used():
    figure = plt.figure(figsize=(5, 5))
    assert plot_tree(flowers())[0].figure is figure
    assert tuple(figure.get_size_inches()) == (5, 5)


def test_font():
    assert plot_tree(flowers(), fontsize=7)[0].get_fontsize() == 7


def test_a_tree_too_large_to_read():
    plt.figure(figsize=(3, 2))
    with pytest.warns(UserWarning, match=r"text of 0\.\d+ points, too small to read. Set max_depth") as caught:
        plot_tree(deep(6))
    assert caught[0].filename == __file__


@pytest.mark.slow
def test_matplotlib_is_loaded_only_to_draw_and_its_absence_has_a_remedy():
    code = """
import sys
from spinney import export_text, plot_impurity_curves, plot_regions, plot_tree
from tests.view.trees import flowers
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = None
for draw in (plot_tree, lambda model: plot_regions(model, [[0, 1]])):
    try:
        draw(flowers())
    except ImportError as error:
        assert "pip install 'spinney-trees[plot]'" in str(error), error
    else:
        raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
