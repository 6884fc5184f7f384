"""Folds: the rows that a model is fitted on, and the rows that it is scored on.

In: the user's `cv`, the targets, perhaps groups. Out: a list of `Split`s. scikit-learn's splitters do the work.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from numbers import Integral
from typing import Any
from warnings import catch_warnings, filterwarnings, warn

import numpy as np
from sklearn import model_selection
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _num_samples

_FOLDS, _REPEATS = 5, 10


class Split:
    """Rows to fit on and rows to score. If one part is the complement of the other, only one is kept in memory."""

    def __init__(self, train: Any, test: Any, n_rows: int) -> None:
        train, self.test = (_row_numbers(part, n_rows) for part in (train, test))
        self._n_rows = n_rows
        self._train = None if np.array_equal(train, self._rest()) else train

    @property
    def train(self) -> np.ndarray:
        return self._rest() if self._train is None else self._train

    def _rest(self) -> np.ndarray:
        stays = np.ones(self._n_rows, bool)
        stays[self.test] = False
        return np.flatnonzero(stays)


def _row_numbers(part: Any, n_rows: int) -> np.ndarray:
    rows = np.asarray(part)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind not in "iu":
        raise ValueError(f"cv must give the row numbers of each fold, at least one, got {part!r:.60}.")
    if rows.min() < 0 or rows.max() >= n_rows:
        raise ValueError(f"cv must give row numbers from 0 to {n_rows - 1}, got {rows.min()} to {rows.max()}.")
    return rows.astype(np.int64, copy=False)


def make_splits(cv: Any, X: Any, y: Any, groups: Any, classifier: bool) -> list[Split]:
    """The folds of a table.

    `cv` is a number of folds, a name (see `NAMES`), one of scikit-learn's splitters or an iterable of (train, test).
    """
    n_rows = _num_samples(X)
    if groups is not None and _num_samples(groups) != n_rows:
        raise ValueError(f"groups must have one value per row: got {_num_samples(groups)} for {n_rows} rows.")
    splitter = _find_splitter(cv, y, groups, classifier)
    if isinstance(splitter, model_selection.StratifiedKFold):
        _check_classes(splitter.n_splits, y)
    try:
        with catch_warnings():
            filterwarnings("ignore", "The least populated class", UserWarning)  # we have said so
            folds = [Split(train, test, n_rows) for train, test in splitter.split(X, y, groups)]
    except ValueError as error:
        if groups is None and "groups" in str(error):
            raise ValueError(f"cv={splitter!r} needs groups: pass groups=, one value per row.") from error
        raise
    if not folds:
        raise ValueError("cv must give at least one fold, got none.")
    return folds


def _find_splitter(cv: Any, y: Any, groups: Any, classifier: bool) -> Any:
    is_classes = classifier and y is not None and type_of_target(y) in ("binary", "multiclass")
    if isinstance(cv, str):
        return _by_name(cv, is_classes)
    if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
        n_folds = _FOLDS if cv is None else int(cv)  # type: ignore[call-overload]
        if n_folds < 2:
            raise ValueError(f"cv must be at least 2 folds, got {n_folds}.")
        if groups is not None:
            return model_selection.GroupKFold(n_folds)
        return model_selection.StratifiedKFold(n_folds) if is_classes else model_selection.KFold(n_folds)
    if hasattr(cv, "split") or (hasattr(cv, "__iter__") and not isinstance(cv, dict)):
        return model_selection.check_cv(cv, y, classifier=classifier)
    raise ValueError(
        f"cv must be a number of folds, one of {sorted(NAMES)}, a splitter of scikit-learn or an iterable of "
        f"(train, test) row numbers, got {cv!r}."
    )


def _stratified(is_classes: bool) -> Any:
    if not is_classes:
        raise ValueError("cv='stratified' is supported only for classification. Use cv='kfold'.")
    return model_selection.StratifiedKFold(_FOLDS)


def _repeated(is_classes: bool) -> Any:
    kind = model_selection.RepeatedStratifiedKFold if is_classes else model_selection.RepeatedKFold
    return kind(n_splits=_FOLDS, n_repeats=_REPEATS, random_state=0)


# what `cv` may be called -> its splitter, given whether there are classes
NAMES: dict[str, Callable[[bool], Any]] = {
    "kfold": lambda is_classes: model_selection.KFold(_FOLDS),
    "stratified": _stratified,
    "grouped": lambda is_classes: model_selection.GroupKFold(_FOLDS),
    "repeated": _repeated,
    "loo": lambda is_classes: model_selection.LeaveOneOut(),
}


def _by_name(name: str, is_classes: bool) -> Any:
    if name not in NAMES:
        near = get_close_matches(name.lower(), NAMES, 1, 0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"cv must be a number of folds, a splitter or one of {sorted(NAMES)}, got {name!r}.{hint}")
    return NAMES[name](is_classes)


def _check_classes(n_folds: int, y: Any) -> None:
    """Say which class has fewer rows than there are folds; with all classes so, there are no folds."""
    labels, sizes = np.unique(np.asarray(y), return_counts=True)
    rarest, least, most = labels[sizes.argmin()], int(sizes.min()), int(sizes.max())
    if most < n_folds:
        raise ValueError(
            f"{n_folds} folds need a class of at least {n_folds} rows, but the largest has {most}. "
            f"Set cv to at most {most}, or use cv='loo'."
        )
    if least < n_folds:
        warn(
            f"The class {rarest.item() if hasattr(rarest, 'item') else rarest!r} has {least} rows, fewer than the "
            f"{n_folds} folds. Some folds will be scored without it."
            + (
                f" Set cv to at most {least} to avoid that."
                if least > 1
                else " Leave it out, or merge it with another class."
            ),
            UserWarning,
            stacklevel=4,
        )
