"""Which columns are categories for ID3; its errors are in tests/estimators/trees/test_id3_c45.py."""

import numpy as np
import pandas as pd
import pytest

from spinney.grow.multiway.columns import learn_categories


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (pd.DataFrame({"a": [True, False]}), (False, True)),
        (pd.DataFrame({"a": [2, 0]}), (0, 2)),
        (pd.DataFrame({"a": [2.0, np.nan]}), (2.0,)),
        (pd.DataFrame({"a": ["x", None]}), ("x",)),
        (pd.DataFrame({"a": [np.nan, np.nan]}), ()),
        (np.array([[0.25], [-3.5]]), (-3.5, 0.25)),
        (np.array([[1000], [-1]]), (-1, 1000)),
    ],
)
def test_categories(X, expected):
    schema, table = learn_categories(X, "from_dtype", "ID3Classifier")
    assert schema.is_categorical.all()
    assert schema.columns[0].categories == expected
    assert np.nanmax(np.append(table.column(0), 0)) < max(1, len(expected))


def test_names_are_kept():
    schema, _ = learn_categories(pd.DataFrame({"a": [0.5, 1.5], "b": [1, 2]}), ["a"], "ID3Classifier")
    assert [column.name for column in schema.columns] == ["a", "b"]
