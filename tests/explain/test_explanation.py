"""Explanations: names, parts, sums, and `shap`'s own."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from spinney.explain import Explanation
from spinney.explain.explanation import read_explanation

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


def test_what_is_not_there(plain, several):
    with pytest.raises(KeyError, match="no column is called 'd'"):
        plain[:, "d"]
    with pytest.raises(KeyError, match="no output is called 'maybe'"):
        several[..., "maybe"]
    with pytest.raises(IndexError, match=r"dimensions \(row, column\) has not 3"):
        plain[0, 0, 0]
    with pytest.raises(TypeError, match="one number has no length"):
        len(plain[0, 0])
    with pytest.raises(ValueError, match=r"dimensions \(row, column, output\) has no one value per column"):
        several.most()
    with pytest.raises(ValueError, match=r"must have the dimensions \(row, column\), got shape \(3,\)"):
        Explanation(np.zeros(3), 0.0)
    with pytest.raises(ValueError, match="feature_names must be 2 names"):
        Explanation(np.zeros((1, 2)), 0.0, feature_names=["a"])


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


class Theirs(SimpleNamespace):
    """What a `shap.Explanation` has."""

    def __init__(self, values, base_values, data=None, feature_names=None, output_names=None):
        super().__init__(
            values=values, base_values=base_values, data=data, feature_names=feature_names, output_names=output_names
        )


def test_there_and_back(plain, several, monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", SimpleNamespace(Explanation=Theirs))
    for ours in (plain, several, plain[0], several[1:3], several[..., "no"]):
        theirs = ours.to_shap()
        again = read_explanation(theirs)
        np.testing.assert_array_equal(again.values, ours.values)
        np.testing.assert_allclose(again.base_values, ours.base_values)
        assert again.feature_names == ours.feature_names
        assert again.output_names == ours.output_names
    assert plain.to_shap().base_values.tolist() == [1.0] * 4
    pairs = Explanation(np.ones((2, 3, 3)), 0.5, interactions=True).to_shap()
    assert read_explanation(pairs).interactions
    nameless = read_explanation(Theirs(np.zeros((2, 3, 2)), np.zeros((2, 2))))
    assert nameless.output_names == ["output 0", "output 1"]
    assert nameless.feature_names == ["x[0]", "x[1]", "x[2]"]


def test_without_shap(plain, monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match="to_shap needs the package shap: pip install shap"):
        plain.to_shap()
    with pytest.raises(
        TypeError, match=r"must be what spinney\.explain\.shap returns, or a shap\.Explanation, got list"
    ):
        read_explanation([1.0])
