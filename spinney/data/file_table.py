"""`spinney.open_table`: a table in files, or in batches, for fits and predictions on tables larger than memory.

In: names of files, a lazy frame, a function or an iterator of batches. Out: a `StreamedTable` (`streamed.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from spinney.data.batches import open_batches
from spinney.data.streamed import StreamedTable
from spinney.data.text_batches import NULLS


def open_table(
    source: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    drop: Sequence[Any] = (),
    cache: str | PathLike | None = None,
    separator: str | None = None,
    null_values: Sequence[str] = NULLS,
    dtypes: Mapping[str, str] | None = None,
) -> StreamedTable:
    """Open a table that may be larger than memory: it goes where X goes.

    A fit goes through it twice, once to learn the bins and once to encode it, and keeps one byte per cell. The model is
    the one that the table in memory would give, bit for bit. `predict` and its kin go through it batch by batch.
    Gradient boosting, random forests and extra-trees can be fitted to such a table, `cross_validate` and `boosting_cv`
    take it, and all models predict from it. Models that need exact values say that they take tables in memory.

    Parameters
    ----------
    source : str, path, list of such, LazyFrame, function or iterator
        Files of Parquet, Arrow (IPC) or CSV: a name, a pattern such as `"folder/*.parquet"`, a folder, or a list. Files
        of a pattern or folder are read in the order of their names. Or a lazy frame of polars', which is computed once
        into a temporary file. Or batches, tables in memory of pandas, polars, Arrow or NumPy: a function that returns
        an iterator of them each time it is called, or one iterator, whose batches are laid down in a temporary file.
    target : str, optional
        The column to predict, `y` of the table, so that `fit(table)` is enough. For arrays: its number.
    sample_weight : str, optional
        A column of weights of the rows.
    drop : list of str, optional
        Columns to leave out.
    cache : path, optional
        A folder to keep the codes in, mapped into memory rather than held in it. They survive: the next fit to the same
        files, with the same bins, reads nothing else. Files are known by name, size and time of change, what is kept by
        checksums; nothing that was written by half is ever used. Default: codes are held in memory.
    separator : str, optional
        What is between the cells of a CSV file. Default: a comma, or a tab if the file is called .tsv.
    null_values : list of str, optional
        Words of a CSV file that stand for missing values, besides empty cells.
    dtypes : dict from column to "number" or "category", optional
        What columns of a CSV file are, where their cells would say otherwise.

    Returns
    -------
    StreamedTable
        With `y`, `sample_weight`, `columns`, `n_rows`, `batches()`, and `collect()`, which is the table in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import GradientBoostingRegressor, open_table
    >>> X = np.random.default_rng(0).random((1000, 3))
    >>> table = open_table(lambda: np.split(X, 4), target=2)
    >>> model = GradientBoostingRegressor(n_estimators=5).fit(table)
    >>> again = GradientBoostingRegressor(n_estimators=5).fit(X[:, :2], X[:, 2])
    >>> model.fingerprint_ == again.fingerprint_
    True
    >>> model.predict(table).shape
    (1000,)
    """
    drop = [drop] if isinstance(drop, str) else list(drop)
    null_values = [null_values] if isinstance(null_values, str) else list(null_values)
    text = {"separator": separator, "null_values": null_values, "dtypes": dtypes}
    batches = open_batches(source, **text)
    options = [separator, null_values, dict(dtypes or {})]
    return StreamedTable(
        batches, target, sample_weight, drop, None if cache is None else Path(cache).expanduser(), options
    )
