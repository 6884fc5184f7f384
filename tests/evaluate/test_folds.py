"""Folds: names, numbers, splitters, and what is said when they cannot be made."""

import numpy as np
import pytest
from sklearn import model_selection as sk

from spinney.evaluate.runs import make_splits

X = np.zeros((30, 2))
CLASSES = np.repeat(["a", "b"], [20, 10])
GROUPS = np.arange(30) // 3


def pairs(splits):
    return [(train.tolist(), test.tolist()) for train, test in splits]


def expected(splitter, y=CLASSES, groups=None):
    return [(train.tolist(), test.tolist()) for train, test in splitter.split(X, y, groups)]


@pytest.mark.parametrize(
    "cv, classifier, groups, splitter",
    [
        (4, True, None, sk.StratifiedKFold(4)),
        (None, True, None, sk.StratifiedKFold(5)),
        (np.int64(4), False, None, sk.KFold(4)),
        (4, True, GROUPS, sk.GroupKFold(4)),
        ("kfold", True, None, sk.KFold(5)),
        ("stratified", True, None, sk.StratifiedKFold(5)),
        ("grouped", False, GROUPS, sk.GroupKFold(5)),
        ("repeated", True, None, sk.RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)),
        ("repeated", False, None, sk.RepeatedKFold(n_splits=5, n_repeats=10, random_state=0)),
        ("loo", True, None, sk.LeaveOneOut()),
        (sk.ShuffleSplit(3, random_state=1), True, None, sk.ShuffleSplit(3, random_state=1)),
        (sk.LeaveOneGroupOut(), True, GROUPS, sk.LeaveOneGroupOut()),
    ],
)
def test_folds_are_scikit_learns(cv, classifier, groups, splitter):
    assert pairs(make_splits(cv, X, CLASSES, groups, classifier)) == expected(splitter, groups=groups)


def test_folds_given_as_rows_or_masks():
    given = [(np.arange(20), np.arange(20, 25)), (np.arange(30) > 3, np.arange(30) <= 3)]
    assert pairs(make_splits(given, X, CLASSES, None, True)) == [
        (list(range(20)), list(range(20, 25))),
        (list(range(4, 30)), [0, 1, 2, 3]),
    ]


@pytest.mark.parametrize(
    "cv, message",
    [
        ("lo", "got 'lo'. Did you mean 'loo'?"),
        ("Stratified", "Did you mean 'stratified'?"),
        ("bootstrap", r"one of \['grouped', 'kfold', 'loo', 'repeated', 'stratified'\], got 'bootstrap'.$"),
        (1, "k-fold cross-validation requires at least one train/test split by setting n_splits=2 or more"),
        (2.5, "cv must be a number of folds, .* got 2.5"),
        (True, "cv must be a number of folds, .* got True"),
        ("grouped", "The 'groups' parameter should not be None"),
        (sk.LeaveOneGroupOut(), "The 'groups' parameter should not be None"),
        (sk.StratifiedKFold(25), "n_splits=25 cannot be greater than the number of members in each class"),
        (sk.KFold(31), "31"),
    ],
)
def test_errors(cv, message):
    with pytest.raises(ValueError, match=message):
        make_splits(cv, X, CLASSES, None, True)


def test_more_errors():
    with pytest.raises(ValueError, match="groups must have one value per row: got 29 for 30 rows"):
        make_splits(3, X, CLASSES, GROUPS[:-1], True)
    with pytest.raises(ValueError, match="cv='stratified' is supported only for classification"):
        make_splits("stratified", X, np.arange(30.0), None, False)


def test_rows_that_are_not_there():
    with pytest.raises(IndexError, match="index 30 is out of bounds"):
        make_splits([([0], [30])], X, CLASSES, None, True)
