"""Folds: the rows that a model is fitted on, and the rows that it is scored on.

In: the user's `cv`, the targets, perhaps groups. Out: row numbers. scikit-learn's splitters do the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _num_samples

_FOLDS = 5
NAMES = ("grouped", "kfold", "loo", "repeated", "stratified")


class Folds:
    """A splitter that knows its table and groups: scikit-learn's tools may be given a table opened once."""

    def __init__(self, cv: Any, X: Any, y: Any, groups: Any, classifier: bool) -> None:
        if groups is not None and _num_samples(groups) != _num_samples(X):
            raise ValueError(
                f"groups must have one value per row: got {_num_samples(groups)} for {_num_samples(X)} rows."
            )
        self.splitter = find_splitter(cv, y, groups, classifier)
        self._given = X, y, groups
        for name in {"shuffle", "random_state"} & vars(self.splitter).keys():  # by these, halving sees if folds change
            setattr(self, name, getattr(self.splitter, name))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return int(self.splitter.get_n_splits(*self._given))

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        rows = np.arange(_num_samples(self._given[0]))
        for train, test in self.splitter.split(*self._given):
            yield rows[train], rows[test]


def make_splits(cv: Any, X: Any, y: Any, groups: Any, classifier: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """All folds of a table: (rows to fit on, rows to score)."""
    return list(Folds(cv, X, y, groups, classifier).split())


def find_splitter(cv: Any, y: Any, groups: Any, classifier: bool) -> Any:
    """One of scikit-learn's splitters for a number of folds, a name, a splitter or an iterable of (train, test)."""
    stratified = classifier and y is not None and type_of_target(y) in ("binary", "multiclass")
    if isinstance(cv, str):
        return _by_name(cv, stratified)
    if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
        n_folds = _FOLDS if cv is None else int(cv)  # type: ignore[call-overload]
        if groups is not None:
            return model_selection.GroupKFold(n_folds)
        return model_selection.StratifiedKFold(n_folds) if stratified else model_selection.KFold(n_folds)
    if hasattr(cv, "split") or (hasattr(cv, "__iter__") and not isinstance(cv, dict)):
        return model_selection.check_cv(cv, y, classifier=classifier)
    raise ValueError(
        f"cv must be a number of folds, one of {list(NAMES)}, a splitter of scikit-learn or an iterable of "
        f"(train, test) row numbers, got {cv!r}."
    )


def _by_name(name: str, stratified: bool) -> Any:
    if name == "stratified" and not stratified:
        raise ValueError("cv='stratified' is supported only for classification. Use cv='kfold'.")
    if name == "repeated":
        kind = model_selection.RepeatedStratifiedKFold if stratified else model_selection.RepeatedKFold
        return kind(n_splits=_FOLDS, n_repeats=10, random_state=0)
    if name == "loo":
        return model_selection.LeaveOneOut()
    if name in NAMES:
        kinds = {"kfold": "KFold", "stratified": "StratifiedKFold", "grouped": "GroupKFold"}
        return getattr(model_selection, kinds[name])(_FOLDS)
    near = get_close_matches(name.lower(), NAMES, 1, 0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"cv must be a number of folds, a splitter or one of {list(NAMES)}, got {name!r}.{hint}")
