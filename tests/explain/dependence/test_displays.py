"""Pictures of dependence."""

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

import spinney
from spinney.datasets import load_penguins
from spinney.explain import ALEDisplay, PartialDependenceDisplay, partial_dependence

X, Y = load_penguins()


@pytest.fixture(scope="module")
def model():
    return spinney.RandomForestClassifier(5, random_state=0).fit(X, Y)


@pytest.fixture(autouse=True)
def no_figures():
    yield
    plt.close("all")


def test_a_panel_per_column_and_a_line_per_class(model):
    shown = PartialDependenceDisplay.from_estimator(model, X, ["bill_length_mm", "island"], missing=True)
    expected = partial_dependence(model, X, "bill_length_mm").average
    lines = [line.get_ydata() for line in shown.axes_[0].get_lines() if len(line.get_xdata()) == 100]
    np.testing.assert_allclose(lines, expected)
    assert [text.get_text() for text in shown.axes_[0].get_legend().get_texts()] == ["Adelie", "Chinstrap", "Gentoo"]
    assert [text.get_text() for text in shown.axes_[0].texts] == ["missing"]
    ticks = [text.get_text() for text in shown.axes_[1].get_xticklabels()]
    assert ticks == ["Biscoe", "Dream", "Torgersen", "missing"]
    assert shown.axes_[0].get_ylim() == shown.axes_[1].get_ylim()


def test_curves_of_rows_and_pairs(model):
    shown = PartialDependenceDisplay.from_estimator(model, X, "year", kind="both", target="Gentoo", centered=True)
    lines = shown.axes_[0].get_lines()
    assert len(lines) == 172 + 2  # every second row, their mean, the deciles
    assert all(line.get_ydata()[0] == 0 for line in lines[:-1])
    pairs = [("bill_length_mm", "bill_depth_mm"), ("island", "year")]
    shown = PartialDependenceDisplay.from_estimator(model, X, pairs, target=0, grid_resolution=5)
    assert [ax.get_ylabel() for ax in shown.axes_] == ["bill_depth_mm", "year"]
    effects = ALEDisplay.from_estimator(model, X, ["island", "year", pairs[0]], target="Adelie", n_bins=4, n_cols=2)
    assert len(effects.axes_) == 3
    _, ax = plt.subplots()
    assert effects.__class__(effects.results[0]).plot(ax=ax).axes_[0] is ax


def test_pictures_say_of_which_class_they_are(model):
    one = PartialDependenceDisplay.from_estimator(model, X, ["year", ("year", "bill_depth_mm")], target="Gentoo")
    assert one.axes_[0].get_ylabel() == "partial dependence, class Gentoo"
    assert one.figure_.axes[-1].get_ylabel() == "partial dependence, class Gentoo"  # of the colours of the pair
    assert ALEDisplay.from_estimator(model, X, "year", target=0).axes_[0].get_ylabel().endswith("effect, class Adelie")
    every = PartialDependenceDisplay.from_estimator(model, X, "year")  # named in the legend
    assert every.axes_[0].get_ylabel() == "partial dependence"
    two = spinney.DecisionTreeClassifier(max_depth=2).fit(X, np.where(Y == "Adelie", "is $Adelie$", "is not"))
    assert PartialDependenceDisplay.from_estimator(two, X, "year").axes_[0].get_ylabel().endswith(", class is not")
    numbers = spinney.DecisionTreeRegressor(max_depth=2).fit(X, np.arange(len(Y)))
    assert PartialDependenceDisplay.from_estimator(numbers, X, "year").axes_[0].get_ylabel() == "partial dependence"
    both = spinney.DecisionTreeClassifier(max_depth=2).fit(X, np.c_[np.arange(len(Y)) % 2, np.arange(len(Y)) % 2])
    shown = PartialDependenceDisplay.from_estimator(both, X, "year", target=1)
    assert shown.axes_[0].get_ylabel() == "partial dependence"  # which column of the targets it is, nothing says


def test_what_is_wrong_is_said(model):
    with pytest.raises(ValueError, match=r"target must be one of \['Adelie', 'Chinstrap', 'Gentoo'\], got 'Emperor'"):
        PartialDependenceDisplay.from_estimator(model, X, "year", target="Emperor")
    with pytest.raises(ValueError, match=r"target must name an output \(a class, or its number from 0 to 2\)"):
        PartialDependenceDisplay.from_estimator(model, X, ("year", "island"))
    with pytest.raises(ValueError, match="kind must be 'average' or 'both' for pairs of columns"):
        PartialDependenceDisplay.from_estimator(model, X, ("sex", "island"), kind="individual", target=0)
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match="ax must be 2 axes, one for each panel, got 1"):
        PartialDependenceDisplay.from_estimator(model, X, ["year", "sex"], ax=ax)
