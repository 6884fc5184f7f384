"""Who gets which columns, names of columns drawn twice, and what members say together."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from spinney.ensemble.bagging import Draws, Subspaces, count_member_votes, say_classes, say_numbers, sum_members, take
from spinney.ensemble.forests.bootstrap import Bags


def test_columns_without_replacement_are_all_different():
    drawn = [Subspaces(9, 4, False, seed=1).of(k) for k in range(200)]
    assert all(len(set(one.tolist())) == 4 and (np.diff(one) > 0).all() for one in drawn)
    np.testing.assert_allclose(np.bincount(np.concatenate(drawn)) / 200, 4 / 9, atol=0.12)


def test_columns_with_replacement_come_again():
    drawn = [Subspaces(9, 9, True, seed=1).of(k) for k in range(200)]
    assert all(len(one) == 9 and one.max() < 9 for one in drawn)
    assert np.mean([len(set(one.tolist())) for one in drawn]) == pytest.approx(9 * (1 - (8 / 9) ** 9), abs=0.3)


def test_columns_depend_on_the_seed_and_the_member():
    drawn = {tuple(Subspaces(20, 10, False, seed).of(k)) for seed in range(3) for k in range(5)}
    assert len(drawn) == 15


class Twice:
    """Draws columns 0, 2, 2."""

    are_whole = False

    def of(self, number):
        return np.array([0, 2, 2])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_columns_drawn_twice_have_names_of_their_own(make):
    X = make({"a": [1, 2], "b": [3, 4], "c": ["u", "v"]})
    some = take(X, np.array([1]), Twice(), 0)
    assert type(some) is type(X)
    names = some.column_names if isinstance(some, pa.Table) else list(some.columns)
    assert names == ["a", "c", "c (2)"]
    assert some.shape == (1, 3)


@pytest.mark.parametrize("make", [np.array, csr_matrix])
def test_columns_of_arrays(make):
    some = take(make([[1, 2, 3], [4, 5, 6]]), None, Twice(), 0)
    np.testing.assert_array_equal(some.toarray() if hasattr(some, "toarray") else some, [[1, 3, 3], [4, 6, 6]])


class Voter:
    """Says the value of the first column."""

    def predict(self, X):
        return X[:, 0]


class Sure(Voter):
    """Knows two of three classes."""

    classes_ = np.array(["a", "c"])

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_members_without_probabilities_vote():
    said = say_classes(Voter(), np.array([["b"], ["c"]]), np.array(["a", "b", "c"]), {})
    assert said[:, 0].tolist() == [[0, 1, 0], [0, 0, 1]]


def test_members_need_not_know_all_classes():
    said = say_classes(Sure(), np.array([["b"]]), np.array(["a", "b", "c"]), {})
    assert said[:, 0].tolist() == [[0.5, 0, 0.5]]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sums_and_votes(n_jobs):
    X = np.arange(6.0)[:, None]
    draws = [Draws(Bags(np.arange(6), None, 3, False, 0), Subspaces(1, 1, False, 0))] * 4
    assert sum_members([Voter()] * 4, X, draws, partial(say_numbers, params={}), n_jobs)[:, 0, 0].tolist() == [
        0,
        4,
        8,
        12,
        16,
        20,
    ]
    votes = count_member_votes([Voter()] * 4, X, draws, partial(say_numbers, params={}), n_jobs)
    unseen = np.sum([draws[0].bags.counts(k) == 0 for k in range(4)], axis=0)
    assert votes.n.tolist() == unseen.tolist()
    assert votes.sums[:, 0, 0].tolist() == (unseen * X[:, 0]).tolist()
