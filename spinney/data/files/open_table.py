"""`spinney.open_table`: a table in files, or in batches, for fits and predictions on tables larger than memory.

In: names of files, a lazy frame, a function or an iterator of batches. Out: a `StreamedTable` (`streamed.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from spinney.data.files.batches import open_batches
from spinney.data.files.csv import NULLS
from spinney.data.files.streamed import StreamedTable


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
    """Open data that may be larger than memory, to be passed to `fit` and `predict` as X.

    `fit` reads the data twice, once to learn the bins and once to encode it, and keeps one byte per cell in memory. The
    model equals the one fitted on the same data in memory, bit for bit. `predict` and the other prediction methods of
    every model read it batch by batch.

    Gradient boosting, random forests and extra-trees can be fitted on it, and `cross_validate` and `boosting_cv` accept
    it. Models that need exact values raise a TypeError; use `collect()` for them.

    Parameters
    ----------
    source : str, path, list of these, LazyFrame, function or iterator
        The data, in one of these forms:

        - Parquet, Arrow (IPC) or CSV files: a name, a pattern such as `"folder/*.parquet"`, a folder, or a list. Files
          of a pattern or folder are read in the order of their names.
        - A polars LazyFrame, which is computed once into a temporary file.
        - A function that returns an iterator of batches each time it is called. Batches are tables in memory from
          pandas, polars, Arrow or NumPy.
        - An iterator of batches, which are written to a temporary file.
    target : str or int, default=None
        Name of the target column. It becomes `y` of the table, so `fit(table)` needs no y. For arrays, its index.
    sample_weight : str or int, default=None
        Name of the column of sample weights. For arrays, its index.
    drop : list of str, default=()
        Columns to leave out.
    cache : path, default=None
        Folder in which the codes are kept and from which they are mapped into memory. The next fit on the same files
        with the same bins reads only these. Files are recognised by name, size and modification time, and the codes are
        verified by checksums; incomplete files are never used. With None, codes are held in memory.
    separator : str, default=None
        The separator of CSV files. With None, a comma, or a tab if the file's name ends in .tsv.
    null_values : list of str, default=("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "<NA>", "?")
        Strings in CSV files that mean missing, in addition to empty cells.
    dtypes : dict from column to "number" or "category", default=None
        Types of columns of CSV files that should not be derived from their cells.

    Returns
    -------
    StreamedTable
        Table with the attributes `y`, `sample_weight`, `columns` and `n_rows`, and the methods `batches()` and
        `collect()`, which returns the data in memory.

    See Also
    --------
    GradientBoostingClassifier, RandomForestClassifier

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
