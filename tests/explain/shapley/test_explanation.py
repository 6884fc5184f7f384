"""Explanations: names, parts, sums, and `shap`'s own."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import spinney
from spinney import explain
from spinney.explain import Explanation
from spinney.explain.shapley.explanation import read_explanation

NAMES = ["a", "b", "c"]


@pytest.fixture
def plain():
    return Explanation(np.arange(12.0).reshape(4, 3), 1.0, np.arange(12).reshape(4, 3) * 10, NAMES)


@pytest.fixture
def several():
    values = np.arange(24.0).reshape(4, 3, 2)
    return Explanation(values, np.array([1.0, 2.0]), None, NAMES, ["no", "yes"], says="probability")


def test_parts_by_number_and_by_name(plain, several):
    assert plain[1].values.tolist() == [3.0, 4.0, 5.0]
    assert plain[1].data.tolist() == [30, 40, 50]
    assert plain[:, "b"].values.tolist() == [1.0, 4.0, 7.0, 10.0]
    assert plain[:, "b"].feature_names == ["b"]
    assert plain[[0, 2], ["c", "a"]].values.tolist() == [[2.0, 0.0], [8.0, 6.0]]
    assert plain[[0, 2], ["c", "a"]].data.tolist() == [[20, 0], [80, 60]]
    assert plain[np.array([True, False, False, True])].values.tolist() == [[0.0, 1.0, 2.0], [9.0, 10.0, 11.0]]
    assert plain[1, "b"].values == 4.0
    one = several[..., "yes"]
    assert one.base_values == 2.0
    assert one.output_names is None
    assert one.says == "probability of yes"
    assert one.values.tolist() == several.values[:, :, 1].tolist()
    assert several[0, :, ["yes"]].output_names == ["yes"]
    assert len(plain) == 4
    assert np.asarray(plain).shape == plain.shape == (4, 3)


NOT_THERE = {
    "column": (lambda plain, several: plain[:, "d"], KeyError, "no column is called 'd'"),
    "output": (lambda plain, several: several[..., "maybe"], KeyError, "no output is called 'maybe'"),
    "third dimension": (
        lambda plain, several: plain[0, 0, 0],
        IndexError,
        r"dimensions \(row, column\) was indexed with 3 keys",
    ),
    "length of a number": (lambda plain, several: len(plain[0, 0]), TypeError, "single number has no length"),
    "one value per column": (
        lambda plain, several: several.most(),
        ValueError,
        r"dimensions \(row, column, output\) has more than one value per column",
    ),
    "rows": (
        lambda plain, several: Explanation(np.zeros(3), 0.0),
        ValueError,
        r"must have the dimensions \(row, column\), got shape \(3,\)",
    ),
    "second name": (
        lambda plain, several: Explanation(np.zeros((1, 2)), 0.0, feature_names=["a"]),
        ValueError,
        "feature_names must be 2 names",
    ),
}


@pytest.mark.parametrize("name", NOT_THERE)
def test_what_is_not_there(plain, several, name):
    call, error, words = NOT_THERE[name]
    with pytest.raises(error, match=words):
        call(plain, several)


def test_sums_and_sizes(plain, several):
    assert plain.total().tolist() == [4.0, 13.0, 22.0, 31.0]
    assert several.total()[0].tolist() == [1.0 + 6.0, 2.0 + 9.0]
    assert plain.mean_abs.tolist() == [4.5, 5.5, 6.5]
    assert plain.most(2) == {"c": 6.5, "b": 5.5}
    assert Explanation([[-3.0, 1.0]], 0.0)[0].most(1) == {"x[0]": -3.0}


def test_in_words(plain, several):
    assert repr(plain) == "<Explanation of 4 rows and 3 columns: prediction>"
    assert repr(plain[:1]) == "<Explanation of 1 row and 3 columns: prediction>"
    assert repr(several) == "<Explanation of 4 rows, 3 columns and 2 outputs: probability>"
    assert repr(plain[0, 0]) == "<Explanation of one number: prediction>"
    pairs = Explanation(np.zeros((2, 3, 3)), 0.0, interactions=True)
    assert repr(pairs) == "<Explanation of 2 rows, 3 columns and pairs of columns: prediction>"


class StandIn(SimpleNamespace):
    """The fields of a `shap.Explanation`, where shap is not installed: it shows that what is written is read again."""

    def __init__(self, values, base_values, data=None, feature_names=None, output_names=None):
        super().__init__(
            values=values, base_values=base_values, data=data, feature_names=feature_names, output_names=output_names
        )


def real_shap():
    return pytest.importorskip("shap", reason="shap itself is not installed")


@pytest.fixture(params=["shap", "stand-in"])
def library(request, monkeypatch):
    if request.param == "shap":
        return real_shap()
    library = SimpleNamespace(Explanation=StandIn)
    monkeypatch.setitem(sys.modules, "shap", library)
    return library


def test_there_and_back(plain, several, library):
    for ours in (plain, several, plain[0], several[1:3], several[..., "no"]):
        theirs = ours.to_shap()
        assert type(theirs) is library.Explanation
        again = read_explanation(theirs)
        np.testing.assert_array_equal(again.values, ours.values)
        np.testing.assert_allclose(again.base_values, ours.base_values)
        assert again.feature_names == ours.feature_names
        assert again.output_names == ours.output_names
    assert plain.to_shap().base_values.tolist() == [1.0] * 4
    pairs = Explanation(np.ones((2, 3, 3)), 0.5, interactions=True).to_shap()
    assert read_explanation(pairs).interactions
    nameless = read_explanation(library.Explanation(np.zeros((2, 3, 2)), np.zeros((2, 2))))
    assert [name.lower() for name in nameless.output_names] == ["output 0", "output 1"]  # shap has capitals
    assert nameless.feature_names == ["x[0]", "x[1]", "x[2]"]


def test_shap_itself_finds_the_same_values_and_draws_ours():
    shap = real_shap()
    import matplotlib.pyplot as plt

    X = np.random.RandomState(0).randn(60, 3)
    theirs = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, X[:, 0] + X[:, 1] * X[:, 2])
    found = explain.shap(spinney.from_sklearn(theirs), X)
    expected = read_explanation(shap.TreeExplainer(theirs, feature_perturbation="tree_path_dependent")(X))
    np.testing.assert_allclose(found.values, expected.values, atol=1e-9)
    np.testing.assert_allclose(found.base_values, expected.base_values)
    for draw, part in ((shap.plots.beeswarm, found), (shap.plots.bar, found), (shap.plots.waterfall, found[0])):
        assert draw(part.to_shap(), show=False) is not None
        plt.close("all")


def test_without_shap(plain, monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match="to_shap needs the package shap: pip install shap"):
        plain.to_shap()
    with pytest.raises(
        TypeError, match=r"must be what spinney\.explain\.shap returns, or a shap\.Explanation, got list"
    ):
        read_explanation([1.0])
