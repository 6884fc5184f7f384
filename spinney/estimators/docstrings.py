"""Docstrings of methods: what several methods say of their arguments, and of what they return, stands here once.

`documented` completes a docstring from these tables. Families have tables of their own for what differs there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from spinney._docstrings import Function, Parameter, completed

_TABLE = "array-like, DataFrame or sparse matrix of shape (n_samples, n_features)"
_TABLE_OR_DASK = "array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)"
_DENSE = "array-like or DataFrame of shape (n_samples, n_features)"
_COLUMNS_OF_FIT = "Input data, with the columns of `fit`."
_PER_ROW = "array-like of shape (n_samples,)"

ARGUMENTS = {
    "X": Parameter(_TABLE_OR_DASK, _COLUMNS_OF_FIT),
    "y": Parameter(_PER_ROW, "Class labels or numbers."),
    "sample_weight": Parameter(_PER_ROW, "Sample weights."),
    "check_input": Parameter("bool", "Ignored; exists for compatibility with scikit-learn."),
    "client": Parameter("distributed.Client", "Dask client that fits a dask collection. None is the current client."),
    "init_score": Parameter(
        "array-like of shape (n_samples,) or (n_samples, n_classes)",
        "Raw scores that the trees are added to, as in `fit`.",
    ),
}
LOCAL = {"X": Parameter(_TABLE, _COLUMNS_OF_FIT)}
DENSE = {"X": Parameter(_DENSE, _COLUMNS_OF_FIT)}
OF_MEMBERS = {"X": Parameter(_DENSE, "Input data, in any form that the members accept.")}
CELLS = {"X": Parameter(_TABLE, "Input data: numbers, with the columns of `fit`.")}
CELLS_OR_MISSING = {"X": Parameter(_DENSE, "Input data: numbers, with the columns of `fit`. Missing values are NaN.")}
NO_TARGET = {"y": Parameter("object", "Ignored. Accepted for compatibility with scikit-learn.")}
TO_FIT = {
    "X": Parameter(
        _TABLE,
        "Input data. NumPy arrays and pandas, polars or Arrow tables may hold numbers, Booleans, strings, categories "
        "and missing values. Unstored cells of SciPy sparse matrices are zero.",
    ),
    "sample_weight": Parameter(
        _PER_ROW, "Weights of the rows. None gives all rows the weight 1. Rows of weight 0 are left out."
    ),
}
SEVERAL_TARGETS = {
    "y": Parameter("array-like of shape (n_samples,) or (n_samples, n_outputs)", "Target: class labels or numbers.")
}

FITTED = "self : estimator\n    The fitted estimator."
LABELS = "ndarray of shape (n_samples,)\n    Class labels."
NUMBERS = "ndarray of shape (n_samples,)\n    Predictions."
LABELS_OF_OUTPUTS = (
    "ndarray of shape (n_samples,) or (n_samples, n_outputs)\n"
    "    The predicted labels. Ties go to the first class in `classes_`."
)
NUMBERS_OF_OUTPUTS = "ndarray of shape (n_samples,) or (n_samples, n_outputs)\n    The predicted numbers."
PROBABILITIES_OF_OUTPUTS = (
    "ndarray of shape (n_samples, n_classes), or list of ndarray\n"
    "    Probabilities, in the order of `classes_`; a list of arrays for several outputs."
)
LOGARITHMS_OF_OUTPUTS = (
    "ndarray of shape (n_samples, n_classes), or list of ndarray\n"
    "    Logarithms of `predict_proba`; minus infinity for a probability of 0."
)
LEAVES = "ndarray of shape (n_samples, n_estimators)\n    Node numbers of the leaves."
PATHS = (
    "indicator : csr_matrix of shape (n_samples, n_nodes)\n"
    "    A one for every node that the row passes.\n"
    "n_nodes_ptr : ndarray of shape (n_estimators + 1,)\n"
    "    Columns n_nodes_ptr[k] to n_nodes_ptr[k + 1] of `indicator` are the nodes of tree k."
)
_RETURNED = {
    "fit": FITTED,
    "partial_fit": FITTED,
    "predict_proba": "ndarray of shape (n_samples, n_classes)\n    Probabilities, in the order of `classes_`.",
    "predict_log_proba": "ndarray of shape (n_samples, n_classes)\n    Logarithms of `predict_proba`.",
    "get_metadata_routing": "MetadataRouter\n    The routing, for scikit-learn's metadata routing.",
}


def documented(
    *tables: Mapping[str, Parameter], returns: str | None = None, setup: str = ""
) -> Callable[[Function], Function]:
    """Complete the docstring of a method: the arguments that it does not describe, what it returns, and the first lines
    of its example.

    An argument is looked up in the tables, the last one first, and then in `ARGUMENTS`. Without `returns`, the method's
    name says what it returns, if the docstring does not.
    """
    known = {**ARGUMENTS, **{name: one for table in tables for name, one in table.items()}}

    def document(method: Function) -> Function:
        says = re.search(r"^ *(Returns|Yields)\n *-", method.__doc__ or "", re.MULTILINE)
        return completed(known, returns=returns or (None if says else _RETURNED.get(method.__name__)), setup=setup)(
            method
        )

    return document
