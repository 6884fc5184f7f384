"""Categories that only rows of weight 0 have are not known to models of dask collections either."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from spinney import GradientBoostingClassifier, RandomForestClassifier


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingClassifier(n_estimators=3, min_samples_leaf=3),
        RandomForestClassifier(3, random_state=0),
    ],
)
def test_idle_categories_are_not_known(client, model):
    random = np.random.RandomState(0)
    X = pd.DataFrame({"kind": random.choice(["a", "b", "c"], 60), "size": random.randn(60)})
    y, weight = pd.Series((X["size"] > 0).astype(int)), pd.Series(random.randint(0, 3, 60))
    X.loc[weight == 0, "kind"] = "d"
    here = clone(model).fit(X, y, sample_weight=weight)
    there = clone(model).fit(*(dd.from_pandas(one, npartitions=3) for one in (X, y, weight)))
    assert there._schema == here._schema
    assert there._schema.columns[0].categories == ("a", "b", "c")
    assert there.fingerprint_ == here.fingerprint_
