"""The target: labels of classes or finite numbers, read from `y` and checked; and as engines are given it.

In:  y as it was handed to `fit`; for `read_training`, X and sample_weight too.
Out: `Target`, for every engine and ensemble: it has either `labels` or `y`. Errors say what is wrong with y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array, column_or_1d

from spinney.data.on_gpu import here
from spinney.data.schema import Schema, learn_and_read, without_idle_categories
from spinney.data.sparse import is_sparse
from spinney.data.tables import Table
from spinney.data.weights import Weights, read_sample_weight


class Target(NamedTuple):
    """What is to be predicted, for the rows that count."""

    labels: np.ndarray | None  # int32 (outputs, rows), for classes
    n_classes: tuple[int, ...] | None  # of each output; None for numbers
    y: np.ndarray | None  # float64 (outputs, rows), for numbers
    weights: Weights
    classes: list[np.ndarray] | None = None  # what the classes of each output are called; engines need not know it

    @property
    def values(self) -> np.ndarray:
        """(outputs, rows): class numbers, or numbers."""
        both = self.labels if self.y is None else self.y
        assert both is not None
        return both

    @property
    def n_outputs(self) -> int:
        return len(self.values)

    @property
    def numbers(self) -> np.ndarray:
        """float64 (rows,): the first output, classes by their numbers."""
        return np.asarray(self.values[0], np.float64)

    @property
    def names(self) -> np.ndarray:
        """The classes of all rows as they are called, (rows,) or (rows, outputs)."""
        assert self.classes is not None
        found = [classes[numbers] for classes, numbers in zip(self.classes, self.values)]
        return found[0] if len(found) == 1 else np.column_stack(found)

    def keep_classes(self, model: Any) -> None:
        """Set `classes_` and `n_classes_`, lists for several outputs; nothing for numbers."""
        if self.classes is not None:
            is_one, sizes = len(self.classes) == 1, [len(one) for one in self.classes]
            model.classes_ = self.classes[0] if is_one else self.classes
            model.n_classes_ = sizes[0] if is_one else sizes

    def take(self, rows: np.ndarray | None, weights: Weights | None = None) -> Target:
        """That of some rows (None: all), with their weights or others."""
        if rows is None:
            return self if weights is None else self._replace(weights=weights)
        labels, y = (None if one is None else np.ascontiguousarray(one[:, rows]) for one in (self.labels, self.y))
        return Target(labels, self.n_classes, y, self.weights.take(rows) if weights is None else weights, self.classes)


ONES = Weights(None, None)


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN or NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither equal nor unequal
        return True


def read_target(
    y: Any, n_rows: int, owner: str, is_class: bool, criterion: Any = None, one_output: bool = False
) -> Target:
    """y, (n_samples,) or (n_samples, n_outputs), for trees that are grown by this criterion; all weights are 1."""
    if one_output:
        read, made = (read_labels, class_target) if is_class else (read_numbers, number_target)
        return made(read(y, n_rows, owner))
    values = read_y(y, None if is_class else np.float64, owner)
    if is_class:
        check_labels(values, n_rows)
        return class_target(values)
    check_numbers(values, n_rows)
    _check_criterion(criterion, values)
    return number_target(values)


def number_target(numbers: np.ndarray, weights: Weights = ONES) -> Target:
    """Of numbers (rows,) or (rows, outputs): in one layout, so that one kernel does. y may be a column of a table, or
    may not be written to."""
    values = numbers[None, :] if numbers.ndim == 1 else numbers.T
    return Target(None, None, np.require(values, requirements=["C", "W"]), weights)


def class_target(labels: np.ndarray, classes: list[np.ndarray] | None = None, weights: Weights = ONES) -> Target:
    """Of checked labels, (rows,) or (rows, outputs), whose classes are known, or found."""
    columns = [labels] if labels.ndim == 1 else list(labels.T)
    if classes is None:
        classes, numbers = (list(found) for found in zip(*map(find_classes, columns)))
    else:
        numbers = [class_numbers(column, known) for column, known in zip(columns, classes)]
    places = np.array([one.ravel() for one in numbers], dtype=np.int32)
    return Target(places, tuple(map(len, classes)), None, weights, classes)


def _check_criterion(criterion: Any, y: np.ndarray) -> None:
    """Raise where a criterion cannot have these numbers."""
    if callable(criterion) and y.ndim == 2 and y.shape[1] > 1:
        raise ValueError("A custom criterion needs one output, but y has several columns.")
    if criterion != "poisson":
        return
    if (y < 0).any():
        raise ValueError("criterion='poisson' needs y of at least 0, got negative values.")
    if y.sum() <= 0:
        raise ValueError("criterion='poisson' needs a positive sum of y, but all values are 0.")


def read_y(y: Any, dtype: Any, owner: str) -> np.ndarray:
    """y of one or two dimensions; a single column is one."""
    require_target(y, owner)
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuf":
        return y if dtype is None else y.astype(dtype, copy=False)
    if type(y) is not np.ndarray:
        y = y.toarray() if is_sparse(y) else here(y)
    with only_numbers(y, owner) if dtype is not None else nullcontext():
        y = check_array(y, ensure_2d=False, ensure_all_finite=False, dtype=dtype, estimator=owner, input_name="y")
    y = _as_numbers(y)
    return y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y


def _local(y: Any) -> Any:
    """A copy of what is on a GPU; everything else as it is."""
    return y if type(y) is np.ndarray else here(y)


def _as_numbers(y: np.ndarray) -> np.ndarray:
    """Whole numbers and Booleans as such, where they came as objects."""
    if y.dtype == object and y.size and all(isinstance(value, int | np.integer | np.bool_) for value in y.ravel()):
        numbers = np.array(y.tolist())
        return numbers if numbers.dtype.kind in "biu" else y
    return y


def check_mask(y: Any) -> None:
    """Raise if values of y are masked: a target must not be missing."""
    if isinstance(y, np.ma.MaskedArray) and (n_masked := int(np.ma.count_masked(y))):
        raise ValueError(f"Input y is a masked array with {n_masked} masked values. Drop those rows or fill them in.")


def require_target(y: Any, owner: str) -> None:
    """Raise if there is no y, in the words that scikit-learn has for it, or if some of it is masked."""
    if y is None:
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None.")
    if isinstance(y, str):
        raise TypeError(f"y must be one value per row, got the text {y!r:.60}. Pass the column itself.")
    check_mask(y)


@contextmanager
def only_numbers(y: Any, owner: str) -> Iterator[None]:
    """Inside, y becomes numbers; if it holds strings instead, the error says so and who takes those."""
    try:
        yield
    except (TypeError, ValueError) as error:
        strings = [value for value in np.asarray(y, dtype=object).ravel() if isinstance(value, str)]
        wrong = [value for value in strings if not _is_numeral(value)]
        if not wrong:
            raise
        other = owner.replace("Regressor", "Classifier")
        taker = f"For class labels, use {other}" if other != owner else "For class labels, use a classifier"
        raise ValueError(f"y must hold numbers for {owner}, got strings such as {str(wrong[0])!r}. {taker}.") from error


def _is_numeral(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_labels(y: Any, n_rows: int, owner: str) -> np.ndarray:
    """One label per row, checked."""
    require_target(y, owner)
    labels = _as_numbers(column_or_1d(_local(y), warn=True))
    check_labels(labels, n_rows)
    return labels


def read_indicators(y: Any, n_rows: int) -> np.ndarray | None:
    """Several labels per row as an array of zeros and ones, (rows, labels); None for anything else."""
    if is_sparse(y):
        return None
    values = np.asarray(_local(y))
    if values.ndim != 2 or values.shape[1] < 2 or type_of_target(values) != "multilabel-indicator":
        return None
    check_labels(values, n_rows)
    return values


def read_numbers(y: Any, n_rows: int, owner: str) -> np.ndarray:
    """One finite number per row."""
    require_target(y, owner)
    y = _local(y)
    with only_numbers(y, owner):
        numbers: np.ndarray = column_or_1d(y, warn=True, dtype=np.float64)
    check_numbers(numbers, n_rows)
    return numbers


def read_several_numbers(y: Any, n_rows: int, owner: str) -> np.ndarray:
    """Finite numbers, one per row or several."""
    require_target(y, owner)
    y = _local(y)
    values = np.asarray(y)
    if values.ndim != 2 or values.shape[1] == 1:
        return read_numbers(y, n_rows, owner)
    with only_numbers(y, owner):
        numbers = np.asarray(values, np.float64)
    check_numbers(numbers, n_rows)
    return numbers


def check_labels(y: np.ndarray, n_rows: int) -> None:
    """Raise unless y, of one or two dimensions, holds one label per row (or one per row and output)."""
    _check_length(y, n_rows)
    if y.dtype == object and any(map(is_missing, y.ravel())):
        raise ValueError("Input y contains missing labels (None or NaN). Drop those rows or fill them in.")
    if y.dtype.kind == "f":
        _check_finite(y)
    for column in [y] if y.ndim == 1 else y.T:
        if column.dtype == object:
            _check_strings(column)
        if not _are_few_whole_numbers(column):  # those are classes for sure
            check_classification_targets(column)


def _check_strings(labels: np.ndarray) -> None:
    """Raise for objects that are not all strings, in scikit-learn's words and with a remedy."""
    others = {kind for kind in set(map(type, labels.tolist())) if not issubclass(kind, str)}
    if others:
        other = next(one for one in labels.tolist() if type(one) in others)
        raise ValueError(
            f"Unknown label type: y is a column of objects that are not all strings, such as {other!r:.40}. Convert it "
            "to one type first, for example by y.astype(str)."
        )


def check_numbers(y: np.ndarray, n_rows: int) -> None:
    """Raise unless y holds finite numbers, one per row (or one per row and output)."""
    _check_length(y, n_rows)
    _check_finite(y)


def _check_finite(y: np.ndarray) -> None:
    if not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity. Drop those rows or fill them in.")


def _check_length(y: np.ndarray, n_rows: int) -> None:
    if len(y) != n_rows:
        raise ValueError(f"X and y must have the same number of rows: X has {n_rows}, y has {len(y)}.")


def _are_few_whole_numbers(y: np.ndarray) -> bool:
    """Whether y holds integers from a range much shorter than y itself."""
    return y.dtype.kind in "iu" and len(y) > 0 and int(y.max()) - int(y.min()) < len(y) // 4


def need_two_classes(classes: np.ndarray) -> None:
    """A classifier has nothing to learn from one class."""
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes, but has only one class: {classes.tolist()[0]!r}. "
            "Is the data sorted, or filtered too far?"
        )


def class_numbers(y: np.ndarray, classes: np.ndarray, unknown: int | None = None) -> np.ndarray:
    """Each label's place among the classes of a fitted model; `unknown` for labels that it was not fitted with, or None
    if they are an error."""
    number = {label: k for k, label in enumerate(classes.tolist())}
    labels, place = find_classes(y)
    strange = [label for label in labels.tolist() if label not in number]
    if strange and unknown is None:
        raise ValueError(
            f"y holds the class {strange[0]!r}, which is not among the classes of fit: {list(number)!r:.80}."
        )
    found = [number.get(label, unknown) for label in labels.tolist()]
    return np.array(found, np.int64)[place.astype(np.int64, copy=False).ravel()]


def find_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels in order, and each row's place among them; `np.unique`, without sorting where it can be avoided."""
    if not _are_few_whole_numbers(y):
        return np.unique(y, return_inverse=True)
    least = y.min()
    from_least = y.astype(np.int64, copy=False)
    if least != 0:
        from_least = from_least - least.astype(np.int64)
    present = np.bincount(from_least) > 0
    place = np.cumsum(present) - 1.0
    return np.flatnonzero(present).astype(y.dtype) + least, place[from_least]


# ----------------------------------------------------------------------------------------------------------------------
# What a fit is given, read in one go: the table, the target, the sample weights.


class Training(NamedTuple):
    """The rows of a fit."""

    schema: Schema
    table: Table
    target: Target


def read_training(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    owner: str | None = None,
    class_weight: Any = None,
    classes_repeat: bool = True,
    one_output: bool = False,
    two_classes: bool = False,
    learn: Callable[[Any, Any, str], tuple[Schema, Table]] = learn_and_read,
) -> Training:
    """Read what a model, or a member of `owner`, is fitted on; categories that only rows of weight 0 have are left out.

    `classes_repeat`: see `read_sample_weight`. `two_classes`: one class is an error. `learn`
    learns the schema and reads the table.
    """
    owner = owner or type(model).__name__
    schema, table = learn(X, model.categorical_features, owner)
    is_class = isinstance(model, ClassifierMixin)
    target = read_target(y, table.n_rows, owner, is_class, getattr(model, "criterion", None), one_output)
    if two_classes and target.classes is not None:
        need_two_classes(target.classes[0])
    labels = None if class_weight is None else target.names
    weights = read_sample_weight(sample_weight, table.n_rows, class_weight, labels, classes_repeat)
    return Training(*without_idle_categories(schema, table, weights), target._replace(weights=weights))
