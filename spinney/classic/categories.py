"""Read a table all of whose columns are categories, as ID3 needs them.

Strings, category dtypes and named columns are what `data/schema.py` says. Numbers count as categories too if they
are Booleans or whole numbers of few distinct values: that is how categories are often encoded. Any other number is an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.data.schema import Schema, learn_and_read
from spinney.data.tables import Table

MOST_WHOLE = 64  # distinct whole numbers that a column of categories may have


def learn_categories(X: Any, categorical_features: Any, owner: str) -> tuple[Schema, Table]:
    """Like `learn_and_read`, but without numbers."""
    schema, table = learn_and_read(X, categorical_features, owner)
    numbers = np.flatnonzero(~schema.is_categorical)
    if len(numbers) == 0:
        return schema, table
    for index in numbers:
        _check_whole(table.column(index), schema.columns[index].name or str(index), owner)
    return learn_and_read(X, np.arange(schema.n_columns), owner)


def _check_whole(values: np.ndarray, name: str, owner: str) -> None:
    known = values[~np.isnan(values)]
    reason = None
    if not (np.isfinite(known) & (known == np.floor(known))).all():
        reason = f"numbers such as {known[~np.isfinite(known) | (known != np.floor(known))][0]:g}"
    elif (n_distinct := len(np.unique(known))) > MOST_WHOLE:
        reason = f"{n_distinct} different whole numbers, more than {MOST_WHOLE}"
    if reason is not None:
        raise ValueError(
            f"Column {name!r} holds {reason}, and {owner} takes categories only. Bin it (pandas.cut, or scikit-learn's "
            "KBinsDiscretizer), name it in categorical_features to make a category of each value, or use "
            "C45Classifier, which finds cuts by itself."
        )
