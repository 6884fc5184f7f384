"""A container for SHAP values, with the names of columns and outputs.

In: values, base values, data and names. Out: something to slice, print, plot and convert to `shap`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney.data.tables import Table


def table_values(table: Table, rows: slice = slice(None), columns: np.ndarray | None = None) -> np.ndarray:
    """Return cells of a table as float64 (rows, columns); all by default."""
    columns = np.arange(table.n_columns) if columns is None else columns
    if table.is_sparse:
        return np.asarray(table.by_rows[rows][:, columns].toarray(), np.float64)
    if len(table.panels) == 1:
        return np.ascontiguousarray(table.panels[0].values[rows][:, columns], np.float64)
    values = np.empty((len(range(*rows.indices(table.n_rows))), len(columns)))
    for k, j in enumerate(columns.tolist()):
        values[:, k] = table.column(j)[rows]
    return values


class Explanation:
    """SHAP values with the names of their columns and outputs.

    Slice it like an array, by number or by name: `found[0]` is a row, `found[:, "age"]` a column and
    `found[:, :, "yes"]` an output. A slice is an `Explanation` again.

    Parameters
    ----------
    values : ndarray
        SHAP values of shape (rows, columns) or (rows, columns, outputs). With `interactions`, there is a second
        dimension of columns.
    base_values : float or ndarray
        Expected prediction when no column is known; one number per output.
    data : ndarray of shape (rows, columns), default=None
        The explained rows.
    feature_names : list of str, default=None
        Names of the columns.
    output_names : list of str, default=None
        Names of the outputs, if there are several.
    interactions : bool, default=False
        Whether the values are SHAP interaction values.
    says : str, default="prediction"
        Description of what is explained, such as "probability".

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.explain import Explanation
    >>> Explanation(np.array([[1.0, -0.5]]), 2.0, feature_names=["height", "age"])
    <Explanation of 1 row and 2 columns: prediction>
    """

    def __init__(
        self,
        values: Any,
        base_values: Any,
        data: Any = None,
        feature_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
        interactions: bool = False,
        says: str = "prediction",
    ) -> None:
        self.values = np.asarray(values, np.float64)
        self.interactions, self.says = interactions, says
        axes = ["row", "column", *(["other"] if interactions else []), *(["output"] if output_names else [])]
        if self.values.ndim != len(axes):
            raise ValueError(f"values must have the dimensions ({', '.join(axes)}), got shape {self.values.shape}.")
        n = self.values.shape[1]
        if feature_names is not None and len(feature_names) != n:
            raise ValueError(f"feature_names must be {n} names, one per column, got {len(feature_names)}.")
        self.feature_names = [f"x[{j}]" for j in range(n)] if feature_names is None else list(feature_names)
        self.output_names = list(output_names) if output_names else None
        self.base_values = base_values
        self._axes, self._data = tuple(axes), data

    # --- parts -------------------------------------------------------------------------------------------------------

    @property
    def data(self) -> Any:
        """The explained rows: numbers, or objects if there are categories."""
        if callable(self._data):
            self._data = self._data()
        return self._data

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of `values`."""
        return self.values.shape

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(
                "an explanation of a single number has no length. Keep a dimension when slicing, as in found[0:1]."
            )
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=True if copy is None else copy)

    def __getitem__(self, key: Any) -> Explanation:
        keys = list(key) if isinstance(key, tuple) else [key]
        for at in [k for k, one in enumerate(keys) if one is Ellipsis][:1]:
            keys[at : at + 1] = [slice(None)] * (len(self._axes) - len(keys) + 1)
        if len(keys) > len(self._axes):
            raise IndexError(
                f"an explanation with the dimensions ({', '.join(self._axes)}) was indexed with {len(keys)} keys."
            )
        keys += [slice(None)] * (len(self._axes) - len(keys))
        found = {axis: self._place(axis, one) for axis, one in zip(self._axes, keys)}
        return self._part(found)

    def _place(self, axis: str, key: Any) -> Any:
        """A key as numbers: names are looked up."""
        names = {"column": self.feature_names, "other": self.feature_names, "output": self.output_names}.get(axis)
        if isinstance(key, str) or (isinstance(key, list | np.ndarray) and len(key) and isinstance(key[0], str)):
            known = list(map(str, names or ()))
            missing = [one for one in ([key] if isinstance(key, str) else key) if one not in known]
            if missing:
                raise KeyError(f"no {'column' if axis == 'other' else axis} is called {missing[0]!r}: {known!r:.200}")
            return known.index(key) if isinstance(key, str) else [known.index(one) for one in key]
        return int(key) if isinstance(key, np.integer) else key

    def _part(self, found: dict[str, Any]) -> Explanation:
        values = self.values
        for k, key in reversed(list(enumerate(found.values()))):
            values = values[(slice(None),) * k + (key,)]
        part = object.__new__(Explanation)
        part.values, part.interactions, part.says = values, self.interactions, self.says
        part._axes = tuple(axis for axis in self._axes if not isinstance(found[axis], int))
        part.feature_names = _take(self.feature_names, found.get("column", slice(None)))
        output = found.get("output", slice(None))
        part.output_names = None if self.output_names is None else _take(self.output_names, output)
        part.base_values = self.base_values if self.output_names is None else np.asarray(self.base_values)[..., output]
        if isinstance(output, int) and self.output_names is not None:
            part.says = f"{self.says} of {self.output_names[output]}"
            part.output_names, part.base_values = None, float(part.base_values)
        part._data = None
        if self.data is not None:
            rows, columns = found.get("row", slice(None)), found.get("column", slice(None))
            part._data = self.data[..., columns] if "row" not in self._axes else self.data[rows][..., columns]
        return part

    # --- what it says ------------------------------------------------------------------------------------------------

    @property
    def mean_abs(self) -> np.ndarray:
        """Mean absolute value over all rows, of shape (columns[, columns][, outputs]).

        Examples
        --------
        >>> import numpy as np
        >>> from spinney.explain import Explanation
        >>> Explanation(np.array([[1.0, -0.5], [-3.0, 0.5]]), 2.0).mean_abs
        array([2. , 0.5])
        """
        if "row" not in self._axes:
            return np.abs(self.values)
        return np.abs(self.values).mean(axis=0)

    def most(self, n: int = 5, decimals: int = 2) -> dict[str, float]:
        """Return the n columns with the largest values, in order.

        Parameters
        ----------
        n : int, default=5
            Number of columns.
        decimals : int, default=2
            Number of decimals of the values.

        Returns
        -------
        dict
            Name of a column -> its value, rounded; for several rows, its mean absolute value.

        Examples
        --------
        >>> import numpy as np
        >>> from spinney.explain import Explanation
        >>> found = Explanation(np.array([[1.0, -2.5]]), 2.0, feature_names=["height", "age"])
        >>> found[0].most(1)
        {'age': -2.5}
        """
        if self._axes not in (("column",), ("row", "column")):
            raise ValueError(
                f"an explanation with the dimensions ({', '.join(self._axes)}) has more than one value per column. "
                "Choose one output, and use SHAP values instead of interactions."
            )
        sizes, shown = self.mean_abs, self.values if self._axes == ("column",) else self.mean_abs
        order = np.argsort(-sizes, kind="stable")[:n]
        return {self.feature_names[j]: round(float(shown[j]), decimals) for j in order}

    def total(self) -> np.ndarray:
        """Return the predictions: base values plus all contributions.

        Returns
        -------
        ndarray
            One number per row and output. A single row or output has no axis.

        Examples
        --------
        >>> import numpy as np
        >>> from spinney.explain import Explanation
        >>> Explanation(np.array([[1.0, -0.5]]), 2.0).total()
        array([2.5])
        """
        axes = tuple(k for k, axis in enumerate(self._axes) if axis in ("column", "other"))
        return np.asarray(self.base_values) + self.values.sum(axis=axes)

    def to_shap(self) -> Any:
        """Convert to a `shap.Explanation`, for the plots of that library.

        Returns
        -------
        shap.Explanation
            The same values, base values, data and names. Needs the package shap.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.explain import shap
        >>> X, y = load_iris(return_X_y=True)
        >>> values = shap(DecisionTreeClassifier(max_depth=2).fit(X, y), X[:5])
        >>> values.to_shap().shape  # doctest: +SKIP
        (5, 4, 3)
        """
        try:
            import shap
        except ImportError as error:
            raise ImportError("to_shap needs the package shap: pip install shap") from error
        several = {} if self.output_names is None else {"output_names": list(self.output_names)}
        base: Any = self.base_values
        if "row" in self._axes:
            base = np.broadcast_to(np.asarray(base), (len(self.values), *np.shape(base))).copy()
        names = list(self.feature_names)
        return shap.Explanation(self.values, base_values=base, data=self.data, feature_names=names, **several)

    def __repr__(self) -> str:
        sizes = dict(zip(self._axes, self.shape))
        words = []
        for axis in ("row", "column", "output"):
            if axis in sizes:
                n = sizes[axis]
                words.append(f"{n:,} {axis}{'' if n == 1 else 's'}")
        if self.interactions:
            words.append("pairs of columns")
        listed = ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + (words[-1] if words else "one number")
        return f"<Explanation of {listed}: {self.says}>"


def _take(names: list[str], key: Any) -> list[str]:
    if isinstance(key, int):
        return [names[key]]
    return np.array(names, object)[key].tolist()


def read_explanation(found: Any) -> Explanation:
    """Return an `Explanation` unchanged, and a `shap.Explanation` as an `Explanation`."""
    if isinstance(found, Explanation):
        return found
    if not (hasattr(found, "values") and hasattr(found, "base_values") and hasattr(found, "feature_names")):
        raise TypeError(
            f"explanation must be what spinney.explain.shap returns, or a shap.Explanation, got {type(found).__name__}."
        )
    values, base = np.asarray(found.values, np.float64), np.asarray(found.base_values, np.float64)
    is_row = values.ndim == 1
    values = values[None] if is_row else values
    n, names = values.shape[1], found.feature_names
    outputs = getattr(found, "output_names", None)
    several = base.ndim == 2 or (is_row and base.ndim == 1 and base.size > 1)
    pairs = values.ndim - several == 3
    if several and not isinstance(outputs, list | tuple | np.ndarray):
        outputs = [f"output {k}" for k in range(values.shape[-1])]
    if base.ndim and not is_row:
        base = base.mean(axis=0)
    data = None if found.data is None else np.asarray(found.data)
    whole = Explanation(
        values,
        base if several else float(base.reshape(-1)[0]),
        data[None] if is_row and data is not None else data,
        [f"x[{j}]" for j in range(n)] if names is None else [str(one) for one in names],
        [str(one) for one in outputs] if several and outputs is not None else None,
        pairs,
    )
    return whole[0] if is_row else whole
