"""Read a table all of whose columns are categories, as ID3 needs them.

Strings, category dtypes and named columns are what `data/schema.py` says. Some numbers pass for codes of categories:

- in a frame, whose columns have dtypes of their own: Booleans and whole numbers from 0 to 31;
- in an array, which has one dtype for all and can hold categories as numbers only: columns of at most 32 distinct
  values.

Any other column of numbers is an error that says what to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.data.reading import as_frame
from spinney.data.schema import Schema, learn_and_read
from spinney.data.tables import Table

MOST_CODES = 32


def learn_categories(X: Any, categorical_features: Any, owner: str) -> tuple[Schema, Table]:
    """Like `learn_and_read`, but without numbers."""
    schema, table = learn_and_read(X, categorical_features, owner)
    numbers = np.flatnonzero(~schema.is_categorical)
    if len(numbers) == 0:
        return schema, table
    find_reason = _not_codes if as_frame(X) is not None else _too_many
    for index in numbers.tolist():
        values = table.column(index)
        if reason := find_reason(values[~np.isnan(values)]):
            raise ValueError(
                f"Column {schema.columns[index].name or str(index)!r} holds {reason}, but {owner} accepts only "
                "categories. Bin it (pandas.cut, or scikit-learn's KBinsDiscretizer(encode='ordinal')), name it in "
                "categorical_features to make a category of each value, or use C45Classifier, which splits "
                "numbers."
            )
    return learn_and_read(X, np.arange(schema.n_columns), owner)


def _not_codes(values: np.ndarray) -> str:
    """Why a column of a frame is no codes of categories; empty if it is."""
    strange = ~((values >= 0) & (values < MOST_CODES) & (values == np.floor(values)))
    return f"numbers such as {values[strange][0]:g}" if strange.any() else ""


def _too_many(values: np.ndarray) -> str:
    """Why a column of an array is no categories; empty if it is."""
    n_distinct = len(np.unique(values))
    return f"{n_distinct} different numbers" if n_distinct > MOST_CODES else ""
