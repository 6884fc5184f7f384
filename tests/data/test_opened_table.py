"""Opened tables: models fitted to parts of them are those fitted to the rows themselves."""

import numpy as np
import pandas as pd
import pytest

from spinney import DecisionTreeClassifier, DecisionTreeRegressor, GradientBoostingClassifier
from spinney._team import Team
from spinney.data import presort as presort_module
from spinney.data.encode import learn_bins
from spinney.data.opened_table import OpenedTable
from spinney.data.schema import learn_and_read
from spinney.data.tables import Sorting, Table

RANDOM = np.random.RandomState(0)


def mixed(n=300):
    """Numbers with gaps, and categories one of which is rare."""
    random = np.random.RandomState(1)
    X = pd.DataFrame(
        {
            "a": random.randn(n),
            "b": random.randint(0, 5, n),
            "c": random.choice(list("pqrs"), n),
        }
    )
    X.loc[random.rand(n) < 0.1, "a"] = np.nan
    X.loc[7, "c"] = "only once"
    y = ((X["a"].fillna(1) + X["b"] / 2 + (X["c"] == "p") + random.randn(n) / 2) > 1.5).astype(int).to_numpy()
    return X, y


X, Y = mixed()
TRAIN, TEST = np.arange(8, 300), np.arange(8)  # the rare category is among those held out


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=9),
        DecisionTreeClassifier(max_features=1, random_state=3),
        DecisionTreeClassifier(n_iter_no_change=3, random_state=0),
        DecisionTreeRegressor(),
        DecisionTreeRegressor(criterion="absolute_error"),
    ],
    ids=str,
)
def test_an_exact_tree_is_the_same(model):
    opened = OpenedTable(X)
    plain = model.fit(X.iloc[TRAIN], Y[TRAIN])
    predicted, fingerprint = plain.predict(X), plain.tree_.threshold.tobytes() + plain.tree_.feature.tobytes()
    shared = model.fit(opened.take(TRAIN), Y[TRAIN])
    assert shared.tree_.threshold.tobytes() + shared.tree_.feature.tobytes() == fingerprint
    np.testing.assert_array_equal(shared.predict(X), predicted)
    np.testing.assert_array_equal(shared.predict(opened.take(TEST)), predicted[TEST])


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_of_numbers_the_fingerprint_is_the_same_too(splitter):
    numbers = X[["a", "b"]].to_numpy()
    opened = OpenedTable(numbers)
    for seed in range(5):
        rows = np.random.RandomState(seed).permutation(300)[:200]  # in any order
        model = DecisionTreeClassifier(splitter=splitter, random_state=0)
        assert model.fit(opened.take(rows), Y[rows]).fingerprint_ == model.fit(numbers[rows], Y[rows]).fingerprint_


def test_rows_may_be_there_twice_and_weigh_nothing():
    numbers, opened = X[["a", "b"]].to_numpy(), OpenedTable(X[["a", "b"]].to_numpy())
    rows = RANDOM.randint(0, 300, 300)
    weight = RANDOM.randint(0, 3, 300)
    model = DecisionTreeClassifier()
    expected = model.fit(numbers[rows], Y[rows], weight).fingerprint_
    assert model.fit(opened.take(rows), Y[rows], weight).fingerprint_ == expected
    rows = np.arange(0, 300, 2)
    expected = model.fit(numbers[rows], Y[rows], weight[rows]).fingerprint_
    assert model.fit(opened.take(rows), Y[rows], weight[rows]).fingerprint_ == expected


def test_boosting_has_the_bins_of_all_rows():
    opened = OpenedTable(X)
    model = GradientBoostingClassifier(n_estimators=5, min_samples_leaf=5)
    whole = model.fit(X, Y)._booster
    assert model.fit(opened, Y).fingerprint_ == whole.fingerprint  # of all rows: as ever
    model.fit(opened.take(TRAIN), Y[TRAIN])
    for mine, others in zip(model._booster.bins.edges, whole.bins.edges):
        np.testing.assert_array_equal(mine, others)
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(opened.take(TEST)), proba[TEST])
    model.fit(opened.take(TEST), Y[TEST])
    np.testing.assert_array_equal(model.predict_proba(opened), model.predict_proba(X))


def test_boosting_counts_rows_by_their_weights():
    weight = RANDOM.randint(0, 4, 300)
    model = GradientBoostingClassifier(n_estimators=3)
    assert model.fit(OpenedTable(X, weight), Y, weight).fingerprint_ == model.fit(X, Y, weight).fingerprint_


def test_a_table_is_read_and_sorted_once(monkeypatch):
    sorted_tables = []
    run = Team.run
    monkeypatch.setattr(
        Team, "run", lambda self, entry, *args: (sorted_tables.append(entry), run(self, entry, *args))[1]
    )
    opened = OpenedTable(X[["a", "b"]].to_numpy())
    for first in range(5):
        rows = np.arange(first, 300)
        DecisionTreeClassifier().fit(opened.take(rows), Y[rows])
    assert sorted_tables.count(presort_module._sort_panel) == 1
    assert sorted_tables.count(presort_module._take) == 5


def test_parts_of_parts_and_their_columns():
    schema, part = learn_and_read(OpenedTable(X).take(TRAIN), "from_dtype")
    table = learn_and_read(X, "from_dtype")[1]
    inner = part.take(np.array([3, 1, 1]))
    for j in range(3):
        np.testing.assert_array_equal(part.column(j), table.column(j)[TRAIN])
        np.testing.assert_array_equal(inner.column(j), table.column(j)[TRAIN[[3, 1, 1]]])
    for panel, other in zip(inner.panels, table.panels):
        np.testing.assert_array_equal(panel.values, other.values[TRAIN[[3, 1, 1]]])
    assert (inner.n_rows, inner.n_columns, part.n_rows) == (3, 3, 292)


def test_each_choice_of_categories_is_read_for_itself():
    opened = OpenedTable(X)
    for wanted in ("from_dtype", ["b", "c"], [False, True, True], [1, 2]):
        schema, part = opened.take(TRAIN).learn(wanted, "a tree")
        assert schema.is_categorical.tolist() == [False, wanted != "from_dtype", True]
        assert opened.read(schema).n_rows == 300
    assert type(opened.read(learn_and_read(X)[0])) is Table  # not learnt here: read again


def test_a_schema_learnt_elsewhere_reads_the_rows_as_they_came():
    model = DecisionTreeClassifier().fit(X, Y)
    np.testing.assert_array_equal(model.predict(OpenedTable(X).take(TEST)), model.predict(X)[TEST])


def test_bins_of_another_table_encode_a_part():
    opened = OpenedTable(X[["a", "b"]].to_numpy())
    schema, part = learn_and_read(opened.take(TRAIN))
    table = learn_and_read(X[["a", "b"]].to_numpy())[1]
    with Team(1, inline=True) as team:
        bins = learn_bins(table.take(TEST), schema.is_categorical, None, 4, team)
        np.testing.assert_array_equal(part.codes(bins, team), bins.encode(table, team)[:, TRAIN])
        own = part.bins(schema.is_categorical, None, 9, team)
        np.testing.assert_array_equal(part.codes(own, team, 5, 9), own.encode(table, team)[:, TRAIN[5:9]])
        binned = part.sorted(schema.is_categorical, team, Sorting(bins=own))
        assert binned.is_binned
        assert binned.n_rows == len(TRAIN)


def test_length():
    opened = OpenedTable(X)
    assert len(opened) == 300
    assert opened.take(TEST).shape == (8,)
    pd.testing.assert_frame_equal(opened.take(TEST).original(), X.iloc[:8])
