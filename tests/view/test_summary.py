"""What a notebook shows of a fitted model."""

import numpy as np
import pandas as pd
import pytest

import spinney


@pytest.mark.parametrize("model", [spinney.DecisionTreeRegressor(), spinney.ExtraTreesRegressor(20, random_state=0)])
def test_the_summary_of_many_columns_is_no_longer_than_that_of_few(model):
    def shown(n_columns):
        values = np.random.default_rng(0).normal(size=(60, n_columns))
        table = pd.DataFrame(values, columns=[f"c{k:04}" for k in range(n_columns)])
        return model.fit(table, values[:, 0] + values[:, 1])._repr_html_()

    assert len(shown(2000)) < 1.5 * len(shown(20))
