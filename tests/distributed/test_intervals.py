"""Intervals of models that a cluster has fitted or calibrated: those of the rows in one table."""

import numpy as np
import pandas as pd
import pytest

import spinney
from tests.distributed.partitions import slow

DRAW = np.random.RandomState(0)
X = pd.DataFrame(DRAW.rand(300, 3), columns=list("abc"))
Y = pd.Series(3.0 * X["a"] + 0.3 * DRAW.randn(300), name="y")


@pytest.fixture(scope="module")
def table(client):
    import dask.dataframe as dd

    return dd.from_pandas(X.assign(y=Y), npartitions=3)


@pytest.mark.parametrize("given", [slow({}), slow({"times": "c"})])
def test_folds_of_a_cluster(table, given):
    model = spinney.GradientBoostingRegressor(random_state=0).fit(table[list("abc")], table["y"], **given)
    local = spinney.GradientBoostingRegressor(random_state=0).fit(X, Y, **given)
    wanted = local.predict_interval(X)
    assert np.array_equal(model.predict_interval(X), wanted)
    assert np.array_equal(model.predict_interval(table[list("abc")]).compute(), wanted)


def test_calibrated_on_a_cluster(table):
    tree = spinney.DecisionTreeRegressor(max_depth=2).fit(X, Y)
    wanted = tree.calibrate(X, Y, times="b").predict_interval(X)
    assert np.array_equal(tree.calibrate(table[list("abc")], table["y"], times="b").predict_interval(X), wanted)


def test_out_of_bag_rows_of_a_cluster(table):
    forests = [spinney.RandomForestRegressor(25, oob_score=True, random_state=0) for _ in range(2)]
    forests[0].fit(table[list("abc")], table["y"])
    forests[1].fit(X, Y)
    assert np.array_equal(*(forest.predict_interval(X) for forest in forests))
