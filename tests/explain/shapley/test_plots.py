"""Pictures of SHAP values: what they show, on which axes, and what they refuse."""

import numpy as np
import pytest

from spinney.explain import (
    Explanation,
    plot_beeswarm,
    plot_interactions,
    plot_shap_bars,
    plot_shap_dependence,
    plot_waterfall,
)
from spinney.explain.shapley.plots import strongest_partner

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
NAMES = ["height", "a name that is far too long to be put beside a bar", "$island$"]


@pytest.fixture(autouse=True)
def figure():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def found():
    rng = np.random.RandomState(0)
    data = np.empty((90, 3), object)
    data[:, 0], data[:, 1] = rng.randn(90).round(2).tolist(), rng.randn(90).round(2).tolist()
    data[:, 2] = rng.choice(["Dream", "Biscoe"], 90)
    data[4, 0] = data[5, 1] = data[6, 2] = np.nan
    values = rng.randn(90, 3) * [3.0, 2.0, 0.1]
    return Explanation(values, 0.5, data, NAMES)


@pytest.fixture(scope="module")
def pairs(found):
    values = np.zeros((90, 3, 3))
    values[:, [0, 1, 2], [0, 1, 2]] = found.values - np.array([[0.25, 0.25, 0.0]])
    values[:, 0, 1] = values[:, 1, 0] = 0.25
    return Explanation(values, 0.5, found.data, NAMES, interactions=True)


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_a_waterfall_goes_from_the_base_value_to_the_prediction(found, pairs):
    ax = plot_waterfall(found[4], most=2)
    order = np.argsort(-np.abs(found.values[4]))
    bars = ax.patches
    assert len(bars) == 3
    assert bars[0].get_x() + bars[0].get_width() == pytest.approx(found[4].total())
    assert bars[2].get_x() == pytest.approx(0.5)
    shown = labels(ax.yaxis)
    assert shown[2] == "1 other column"
    assert any(text == "height = missing" for text in labels(plot_waterfall(found[4]).yaxis))
    assert shown[0].startswith(NAMES[order[0]][:10])
    assert "prediction:" in ax.get_title(loc="left")
    same = plot_waterfall(pairs[4])
    assert same.patches[-1].get_x() == pytest.approx(0.5)
    assert len(plot_waterfall(found[:1]).patches) > 0
    plot_waterfall(Explanation([[1.0, -2.0]], 0.0)[0])  # without data


def test_bars_are_mean_sizes(found):
    ax = plot_shap_bars(found, most=2)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(found.mean_abs[:2].tolist())
    assert labels(ax.yaxis) == ["height", "a name that is far too long…"]
    two = Explanation(np.ones((4, 3, 2)), np.zeros(2), feature_names=NAMES, output_names=["no", "yes"])
    ax = plot_shap_bars(two, ax=ax.figure.add_subplot())
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]
    assert len(ax.patches) == 6


def test_a_beeswarm_has_every_row_once_and_missing_ones_grey(found):
    ax = plot_beeswarm(found)
    clouds = [one for one in ax.collections if len(one.get_offsets())]
    assert [len(one.get_offsets()) for one in clouds] == [90, 90, 90]
    for k, cloud in enumerate(clouds):
        places = cloud.get_offsets()
        np.testing.assert_allclose(places[:, 0], found.values[:, k])
        assert (np.abs(places[:, 1] - k) < 0.5).all()
    grey = matplotlib.colors.to_rgba("#b4b4b4")
    assert tuple(clouds[0].get_facecolors()[4]) == pytest.approx(grey)
    assert tuple(clouds[2].get_facecolors()[6]) == pytest.approx(grey)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["missing"]
    ax.figure.canvas.draw()


def test_a_column_and_its_strongest_partner(found, pairs):
    assert strongest_partner(pairs, 0) == 1
    ax = plot_shap_dependence(pairs, "height")
    assert ax.get_xlabel() == "height"
    assert ax.figure.axes[-1].get_ylabel().startswith("a name that is")
    ax = plot_shap_dependence(found, 2, colour="height")
    assert labels(ax.xaxis) == ["Biscoe", "Dream", "missing"]
    ax.figure.canvas.draw()
    ax = plot_shap_dependence(found, "height", colour="$island$", ax=ax.figure.add_subplot())
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Biscoe", "Dream", "missing"]
    assert plot_shap_dependence(found, 0, colour=None, ax=ax.figure.add_subplot()).get_legend() is None


def test_a_partner_without_interactions_is_the_one_that_moves_values():
    rng = np.random.RandomState(0)
    data = rng.randn(400, 4)
    values = np.zeros((400, 4))
    values[:, 1] = data[:, 1] * np.sign(data[:, 3])
    assert strongest_partner(Explanation(values, 0.0, data), 1) == 3
    assert strongest_partner(Explanation(np.zeros((2, 1)), 0.0, np.zeros((2, 1))), 0) is None


def test_many_categories_share_a_colour():
    rng = np.random.RandomState(0)
    data = rng.choice([f"c{k:02}" for k in range(12)], (60, 1)).astype(object)
    data = np.hstack([data, data])
    ax = plot_shap_dependence(Explanation(rng.randn(60, 2), 0.0, data), 0, colour=1)
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(named) == 8
    assert named[-1] == "5 others"


def test_a_map_of_pairs(pairs):
    ax = plot_interactions(pairs, decimals=1)
    assert len(ax.texts) == 6
    shown = {text.get_position(): text.get_text() for text in ax.texts}
    assert shown[(0, 1)] == "0.5"  # both halves
    assert set(labels(ax.xaxis)) == {"height", "a name that is far too long…", "$island$"}


TWO_OUTPUTS = Explanation(np.ones((4, 3, 2)), np.zeros(2), feature_names=NAMES, output_names=["no", "yes"])
PAIRS_OF_TWO = Explanation(np.ones((4, 3, 3, 2)), np.zeros(2), None, NAMES, ["no", "yes"], interactions=True)
ONE_OUTPUT = r"draws one output, got 2. Choose one, as in explanation\[\.\.\., 'no'"
NOT_DRAWN = {
    "waterfall of two outputs": (lambda found, pairs: plot_waterfall(TWO_OUTPUTS), ONE_OUTPUT),
    "beeswarm of two outputs": (lambda found, pairs: plot_beeswarm(TWO_OUTPUTS), ONE_OUTPUT),
    "pairs of two outputs": (
        lambda found, pairs: plot_interactions(PAIRS_OF_TWO),
        "plot_interactions draws one output",
    ),
    "waterfall of many rows": (
        lambda found, pairs: plot_waterfall(found),
        r"draws one row, got 90. Choose one, as in explanation\[0\]",
    ),
    "beeswarm of one row": (lambda found, pairs: plot_beeswarm(found[0]), "plot_beeswarm draws many rows"),
    "beeswarm of no row": (lambda found, pairs: plot_beeswarm(found[:0]), "needs at least one row, got none"),
    "bars of no row": (lambda found, pairs: plot_shap_bars(found[:0]), "needs at least one row, got none"),
    "beeswarm of no column": (
        lambda found, pairs: plot_beeswarm(found, most=0),
        "most must be a positive integer, got 0",
    ),
    "bars of no column": (
        lambda found, pairs: plot_shap_bars(found, most=0),
        "most must be a positive integer, got 0",
    ),
    "bars of pairs": (
        lambda found, pairs: plot_shap_bars(pairs),
        "got interactions. Use plot_interactions",
    ),
    "pairs of columns": (
        lambda found, pairs: plot_interactions(found),
        r"needs interactions. Use shap\(model, X, interactions=True\)",
    ),
    "dependence without data": (
        lambda found, pairs: plot_shap_dependence(Explanation([[1.0, 2.0]], 0.0), 0),
        "needs the data of the rows. Pass an explanation with data",
    ),
    "an unknown column": (
        lambda found, pairs: plot_shap_dependence(found, "width"),
        r"column must be one of the columns .* got 'width'",
    ),
    "an unknown colour": (
        lambda found, pairs: plot_shap_dependence(found, 0, colour=9),
        r"colour must be one of the columns .* got 9",
    ),
}


@pytest.mark.parametrize("name", NOT_DRAWN)
def test_what_cannot_be_drawn(found, pairs, name):
    draw, words = NOT_DRAWN[name]
    with pytest.raises(ValueError, match=words):
        draw(found, pairs)


def test_an_array_is_no_explanation(found):
    with pytest.raises(TypeError, match="explanation must be what"):
        plot_beeswarm(found.values)
