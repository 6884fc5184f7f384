"""Confusion matrices and per-class measures. scikit-learn does the counting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn import metrics
from sklearn.utils.multiclass import unique_labels

from spinney.view.figures import drawing


class Counts(NamedTuple):
    """Counts of one class against all others: numbers of rows, or sums of their weights."""

    tp: Any  # of the class, and predicted as it
    fp: Any  # not of the class, but predicted as it
    fn: Any  # of the class, but not predicted as it
    tn: Any  # neither


class ConfusionMatrix(np.ndarray):
    """A confusion matrix: an array whose rows are the true classes and whose columns are the predicted classes.

    It is the array that scikit-learn's `confusion_matrix` returns, with class labels, a readable print and measures of
    each class against all others. Results computed from it are plain arrays.

    Attributes
    ----------
    labels : ndarray
        The classes, in the order of rows and columns.
    counts : ndarray
        The matrix before it was normalised: numbers of rows, or sums of their weights.
    tp, fp, fn, tn : ndarray of shape (n_classes,)
        True positives, false positives, false negatives and true negatives, with each class as the positive one. With
        two classes, `matrix.of(positive)` returns them as four numbers.
    support, precision, recall, sensitivity, specificity, f1 : ndarray of shape (n_classes,)
        Measures of each class; NaN if the denominator is 0. Sensitivity is another name of recall.
    accuracy : float
        Fraction of the rows that are predicted correctly.

    Examples
    --------
    >>> from spinney.evaluate import confusion_matrix
    >>> matrix = confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1])
    >>> matrix.accuracy, matrix.recall.tolist()
    (0.75, [0.5, 1.0])
    """

    labels: np.ndarray | None
    _counts: np.ndarray

    def __new__(cls, values: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> ConfusionMatrix:
        matrix = np.array(values).view(cls)
        matrix.labels, matrix._counts = labels, np.asarray(counts)
        return matrix

    def __array_finalize__(self, obj: Any) -> None:
        if not hasattr(self, "labels"):
            self.labels = None  # a slice, a transpose: an array like any other

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __reduce__(self) -> Any:
        if self.labels is None:
            return np.asarray(self).__reduce__()
        return ConfusionMatrix, (np.asarray(self), self.labels, self._counts)

    def __copy__(self) -> Any:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: Any) -> Any:
        make, parts = self.__reduce__()[:2]
        return make(*parts) if make is ConfusionMatrix else np.array(self)

    @property
    def counts(self) -> np.ndarray:
        """The matrix before it was normalised."""
        if self.labels is None:
            raise AttributeError("this is a part of a confusion matrix. Use the whole matrix.")
        return self._counts

    @property
    def tp(self) -> np.ndarray:
        """True positives of each class."""
        return self.counts.diagonal()

    @property
    def fp(self) -> np.ndarray:
        """False positives of each class."""
        return self.counts.sum(axis=0) - self.tp

    @property
    def fn(self) -> np.ndarray:
        """False negatives of each class."""
        return self.support - self.tp

    @property
    def tn(self) -> np.ndarray:
        """True negatives of each class."""
        return self.counts.sum() - self.support - self.fp

    def of(self, positive: Any = None) -> Counts:
        """Return the true and false positives and negatives of one class.

        Parameters
        ----------
        positive : label, default=None
            The class. None: the second of two classes.

        Returns
        -------
        Counts
            A named tuple `(tp, fp, fn, tn)`.

        Examples
        --------
        >>> from spinney.evaluate import confusion_matrix
        >>> confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1]).of(1)
        Counts(tp=2, fp=1, fn=0, tn=1)
        """
        counts, labels = self.counts, [] if self.labels is None else self.labels.tolist()
        if positive is None and len(counts) != 2:
            raise ValueError(
                f"positive must be one of the classes {labels}. Only with two classes is there a default, the second."
            )
        if positive is not None and positive not in labels:
            raise ValueError(f"positive must be one of the classes {labels}, got {positive!r}.")
        place = 1 if positive is None else labels.index(positive)
        return Counts(*(one[place].item() for one in (self.tp, self.fp, self.fn, self.tn)))

    @property
    def support(self) -> np.ndarray:
        """Number of rows, or sum of their weights, of each class."""
        return self.counts.sum(axis=1)

    @property
    def precision(self) -> np.ndarray:
        """Precision of each class."""
        return _divide(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> np.ndarray:
        """Recall of each class."""
        return _divide(self.tp, self.support)

    @property
    def sensitivity(self) -> np.ndarray:
        """Sensitivity of each class: another name of recall."""
        return self.recall

    @property
    def specificity(self) -> np.ndarray:
        """Specificity of each class."""
        return _divide(self.tn, self.tn + self.fp)

    @property
    def f1(self) -> np.ndarray:
        """F1 score of each class."""
        return _divide(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float:
        """Fraction of the rows that are predicted correctly."""
        return float(_divide(self.counts.trace(), self.counts.sum()))

    @drawing
    def plot(self, ax: Any = None) -> Any:
        """Plot the matrix, like `spinney.plot_confusion_matrix`.

        Examples
        --------
        >>> from spinney.evaluate import confusion_matrix
        >>> ax = confusion_matrix([0, 0, 1, 1], [0, 1, 1, 1]).plot()
        """
        from spinney.view.judging import plot_confusion_matrix

        return plot_confusion_matrix(self, ax)

    def __repr__(self) -> str:
        return str(self) if self.labels is not None else repr(np.asarray(self))

    def __str__(self) -> str:
        if self.labels is None:
            return str(np.asarray(self))
        return _as_table(np.asarray(self), [str(one) for one in self.labels.tolist()])


def _divide(a: Any, b: Any) -> np.ndarray:
    """a / b, NaN where b is 0."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return np.divide(a, b, out=np.full(a.shape, np.nan), where=b > 0)


def _as_table(values: np.ndarray, names: list[str]) -> str:
    cells = [[_number(value) for value in row] for row in values.tolist()]
    widths = [max(map(len, [name, *column])) for name, column in zip(names, zip(*cells))]
    first = max(map(len, ["true", *names]))
    lines = [f"{'':{first}} | predicted"]
    for head, row in [("true", names), *zip(names, cells)]:
        lines.append(f"{head:>{first}} | " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)))
    return "\n".join(lines)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: str | None = None
) -> ConfusionMatrix:
    """Compute a confusion matrix: how often each true class was predicted as each class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes.
    y_pred : array-like of shape (n_samples,)
        Predicted classes.
    labels : array-like, default=None
        Classes to show, in this order. None: all classes, sorted.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    normalize : {"true", "pred", "all"}, default=None
        Return fractions of the true class, of the predicted class, or of all rows, instead of counts.

    Returns
    -------
    ConfusionMatrix
        The array that scikit-learn's function returns, with labels, a readable print and `tp`, `fp`, `fn`, `tn`,
        `precision`, `recall`, `specificity`, `f1` and `accuracy`.

    Examples
    --------
    >>> from spinney.evaluate import confusion_matrix
    >>> matrix = confusion_matrix(["cat", "cat", "dog", "dog", "dog"], ["cat", "dog", "dog", "dog", "cat"])
    >>> matrix
         | predicted
    true | cat  dog
     cat |   1    1
     dog |   1    2
    >>> print(matrix.recall, matrix.specificity)
    [0.5        0.66666667] [0.66666667 0.5       ]
    >>> matrix.of("cat")
    Counts(tp=1, fp=1, fn=1, tn=2)
    >>> matrix.tp, matrix.fp  # of each class
    (array([1, 2]), array([1, 1]))
    """
    counts = metrics.confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    shown = unique_labels(y_true, y_pred) if labels is None else np.asarray(labels)
    values = counts
    if normalize is not None:
        values = metrics.confusion_matrix(
            y_true, y_pred, labels=labels, sample_weight=sample_weight, normalize=normalize
        )
    return ConfusionMatrix(values, shown, counts)


def specificity_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = 0.0,
) -> Any:
    """Compute specificity: the fraction of the rows of other classes that are not predicted as the class.

    It is the number of true negatives divided by the number of negatives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or indicators (n_samples, n_classes)
        True classes.
    y_pred : array-like of shape (n_samples,), or indicators (n_samples, n_classes)
        Predicted classes.
    labels : array-like, default=None
        Classes to include. None: all.
    pos_label : label, default=1
        The positive class if average="binary".
    average : {"binary", "macro", "micro", "weighted"} or None, default="binary"
        "binary": of one class. "macro": the mean over the classes. "micro": of the rows of all classes together.
        "weighted": the mean weighted by support. None: one value per class.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    zero_division : float, default=0.0
        Specificity of a class that all rows belong to.

    Returns
    -------
    float, or ndarray if average=None
        The specificity.

    Examples
    --------
    >>> from spinney.evaluate import specificity_score
    >>> specificity_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.6666666666666666
    """
    known = ("binary", "macro", "micro", "weighted", None)
    if average not in known:
        raise ValueError(f"average must be one of {known}, got {average!r}.")
    if average == "binary":
        _check_binary(y_true, y_pred, pos_label)
        labels = [pos_label]
    tables = metrics.multilabel_confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    found = average_specificity(tables, None if average == "binary" else average, zero_division)
    return float(found[0]) if average == "binary" else found


def _check_binary(y_true: Any, y_pred: Any, pos_label: Any) -> None:
    present = unique_labels(y_true, y_pred).tolist()
    if len(present) > 2:
        raise ValueError(
            f"average='binary' needs two classes, but y has {len(present)}. Set average to 'macro', 'micro', "
            "'weighted' or None."
        )
    if pos_label not in present:
        raise ValueError(f"pos_label must be one of the classes {present}, got {pos_label!r}.")


def average_specificity(tables: np.ndarray, average: str | None, zero_division: float) -> Any:
    """From tables [[tn, fp], [fn, tp]], one per class."""
    negatives = tables[:, 0].sum(axis=1)
    if average == "micro":
        tables, negatives = tables.sum(axis=0, keepdims=True), negatives.sum(keepdims=True)
    each = np.where(negatives > 0, _divide(tables[:, 0, 0], negatives), zero_division)
    if average is None:
        return each
    weights = tables[:, 1].sum(axis=1) if average == "weighted" else np.ones(len(each))
    kept = ~np.isnan(each) & (weights > 0)
    return float(np.average(each[kept], weights=weights[kept])) if kept.any() else float(zero_division)


# ----------------------------------------------------------------------------------------------------------------------
# The classification report: precision, recall, specificity and F1 of every class. scikit-learn does the counting.


_COLUMNS = ("precision", "recall", "specificity", "f1-score", "support")


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Report precision, recall, specificity, F1 and support of every class, and the accuracy.

    Recall is also called sensitivity. Specificity is the fraction of the rows of other classes that are not predicted
    as the class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or indicators (n_samples, n_classes)
        True classes.
    y_pred : array-like of shape (n_samples,), or indicators (n_samples, n_classes)
        Predicted classes.
    labels : array-like, default=None
        Classes to show, in this order. None: all classes, sorted.
    target_names : list of str, default=None
        Names of the classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    digits : int, default=2
        Number of decimals of the text.
    output_dict : bool, default=False
        Return a dict of dicts instead of text.
    zero_division : "warn", 0, 1 or NaN, default="warn"
        Value where the denominator is 0; "warn" is 0 with a warning.

    Returns
    -------
    str, or dict: class or average -> measure -> value
        The report of scikit-learn, with one column more.

    Examples
    --------
    >>> from spinney.evaluate import classification_report
    >>> print(classification_report([0, 0, 0, 1], [0, 0, 1, 1]))
                  precision    recall specificity  f1-score   support
    <BLANKLINE>
               0       1.00      0.67        1.00      0.80         3
               1       0.50      1.00        0.67      0.67         1
    <BLANKLINE>
        accuracy                                       0.75         4
       macro avg       0.75      0.83        0.83      0.73         4
    weighted avg       0.88      0.75        0.92      0.77         4
    <BLANKLINE>
    """
    report: dict[str, Any] = metrics.classification_report(
        y_true,
        y_pred,
        labels=labels,
        target_names=target_names,
        sample_weight=sample_weight,
        output_dict=True,
        zero_division=zero_division,
    )
    tables = metrics.multilabel_confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    by_row = None
    if "samples avg" in report:
        by_row = metrics.multilabel_confusion_matrix(
            y_true, y_pred, labels=labels, sample_weight=sample_weight, samplewise=True
        )
    rows = _with_specificity(report, tables, by_row, 0.0 if zero_division == "warn" else float(zero_division))
    return rows if output_dict else _as_text(rows, len(tables), digits)


def _with_specificity(
    report: dict[str, Any], tables: np.ndarray, by_row: np.ndarray | None, zero_division: float
) -> dict[str, Any]:
    """The report with the column put in."""
    each = average_specificity(tables, None, zero_division)
    found = dict(zip(report, each))
    for name in list(report)[len(each) :]:
        if name == "samples avg" and by_row is not None:
            found[name] = average_specificity(by_row, "macro", zero_division)
        elif name != "accuracy":
            found[name] = average_specificity(tables, name.split()[0], zero_division)
    return {
        name: {key: float(found[name]) if key == "specificity" else row[key] for key in _COLUMNS}
        if name in found
        else row
        for name, row in report.items()
    }


def _as_text(rows: dict[str, Any], n_classes: int, digits: int) -> str:
    names = list(rows)
    width = max(len("weighted avg"), digits, *map(len, names))
    widths = [max(9, len(column)) for column in _COLUMNS]
    lines = [" ".join([f"{'':>{width}} ", *(f"{column:>{w}}" for column, w in zip(_COLUMNS, widths))]), ""]
    for number, name in enumerate(names):
        if number == n_classes:
            lines.append("")
        row = rows[name]
        if name == "accuracy" and not isinstance(row, dict):
            total = rows["macro avg"]["support"]
            values: list[Any] = ["", "", "", row, total]
        else:
            values = [row[column] for column in _COLUMNS]
        cells = [value if value == "" else f"{value:.{digits}f}" for value in values[:-1]]
        cells.append(f"{values[-1]:.10g}")
        lines.append(" ".join([f"{name:>{width}} ", *(f"{cell:>{w}}" for cell, w in zip(cells, widths))]))
    return "\n".join([*lines, ""])
