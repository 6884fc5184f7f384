"""The confusion matrix is scikit-learn's array, and knows its classes."""

import copy
import pickle

import numpy as np
import pytest
from sklearn import metrics

from spinney.evaluate import confusion_matrix, specificity_score

RANDOM = np.random.RandomState(0)
TRUE, SAID = (RANDOM.choice(["cat", "dog", "hen"], 80, p=p) for p in ((0.5, 0.3, 0.2), (0.3, 0.3, 0.4)))
WEIGHT = RANDOM.rand(80)


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
@pytest.mark.parametrize("labels", [None, ["hen", "cat"]])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_array_is_scikit_learns(normalize, labels, weight):
    rest = {"labels": labels, "sample_weight": weight, "normalize": normalize}
    matrix = confusion_matrix(TRUE, SAID, **rest)
    expected = metrics.confusion_matrix(TRUE, SAID, **rest)
    np.testing.assert_array_equal(matrix, expected)
    assert matrix.dtype == expected.dtype
    assert matrix.labels.tolist() == (labels or ["cat", "dog", "hen"])


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_measures_of_every_class(weight):
    matrix = confusion_matrix(TRUE, SAID, sample_weight=weight, normalize="true")
    precision, recall, f1, support = metrics.precision_recall_fscore_support(TRUE, SAID, sample_weight=weight)
    for mine, expected in ((matrix.precision, precision), (matrix.recall, recall), (matrix.f1, f1)):
        np.testing.assert_allclose(mine, expected)
    np.testing.assert_allclose(matrix.support, support)
    np.testing.assert_array_equal(matrix.sensitivity, matrix.recall)
    assert matrix.accuracy == pytest.approx(metrics.accuracy_score(TRUE, SAID, sample_weight=weight))
    for label, specificity in zip(matrix.labels, matrix.specificity):  # the recall of all other classes together
        expected = metrics.recall_score(TRUE != label, SAID != label, sample_weight=weight)
        assert specificity == pytest.approx(expected)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_true_and_false_positives_and_negatives(weight):
    matrix = confusion_matrix(TRUE, SAID, sample_weight=weight, normalize="all")
    tables = metrics.multilabel_confusion_matrix(TRUE, SAID, sample_weight=weight)
    for name, (i, j) in {"tn": (0, 0), "fp": (0, 1), "fn": (1, 0), "tp": (1, 1)}.items():
        np.testing.assert_allclose(getattr(matrix, name), tables[:, i, j])
        for place, label in enumerate(matrix.labels.tolist()):
            assert getattr(matrix.of(label), name) == pytest.approx(tables[place, i, j])


def test_of_two_classes_the_second_is_positive():
    truth, said = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([1, 1, 0, 1, 1, 1, 0])
    matrix = confusion_matrix(truth, said)
    tn, fp, fn, tp = metrics.confusion_matrix(truth, said).ravel().tolist()
    assert matrix.of() == matrix.of(1) == (tp, fp, fn, tn) == (2, 3, 1, 1)
    assert matrix.of(0) == (tn, fn, fp, tp)
    assert confusion_matrix(truth, said, labels=[1, 0]).of().tp == 1
    with pytest.raises(ValueError, match=r"positive must be one of the classes \[0, 1\], got 'yes'"):
        matrix.of("yes")
    with pytest.raises(ValueError, match="Only with two classes is there a default"):
        confusion_matrix(TRUE, SAID).of()
    with pytest.raises(AttributeError, match="this is a part of a confusion matrix"):
        matrix.T.tp  # noqa: B018


def test_nothing_to_divide_by_is_nan():
    matrix = confusion_matrix(["a", "a"], ["a", "b"])
    assert np.isnan(matrix.recall[1])
    assert np.isnan(matrix.specificity[0])
    assert matrix.specificity[1] == 0.5
    assert matrix.precision.tolist() == [1, 0]


def test_it_prints_as_a_table():
    assert str(confusion_matrix([0, 0, 0, 10], [0, 10, 0, 10])) == (
        "     | predicted\ntrue | 0  10\n   0 | 2   1\n  10 | 0   1"
    )
    text = repr(confusion_matrix(["long name", "b"], ["b", "b"], normalize="true"))
    assert text.splitlines() == [
        "          | predicted",
        "     true |     b  long name",
        "        b | 1.000      0.000",
        "long name | 1.000      0.000",
    ]


def test_what_is_computed_from_it_is_a_plain_array():
    matrix = confusion_matrix(TRUE, SAID)
    for other in (matrix / matrix.sum(), matrix[:2], matrix[0], matrix + 1, matrix == matrix, np.sqrt(matrix)):
        assert type(other) is np.ndarray
    assert type(matrix.sum()) is np.int64
    assert repr(matrix.T).startswith("array(")
    assert str(matrix.T).startswith("[[")
    assert isinstance(matrix[0, 0], np.int64)
    (tn, fp), (fn, tp) = confusion_matrix([0, 1, 1, 1], [1, 1, 0, 1])
    assert (tn, fp, fn, tp) == (0, 1, 1, 2)
    assert confusion_matrix([0, 1, 1, 1], [1, 1, 0, 1]).ravel().tolist() == [0, 1, 1, 2]
    with pytest.raises(AttributeError, match="part of a confusion matrix"):
        matrix.T.recall  # noqa: B018


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_copies_keep_the_classes(copied):
    matrix = confusion_matrix(TRUE, SAID, normalize="all")
    other = copied(matrix)
    other = pickle.loads(other) if isinstance(other, bytes) else other
    np.testing.assert_array_equal(other, matrix)
    assert str(other) == str(matrix)
    np.testing.assert_array_equal(other.recall, matrix.recall)
    assert type(pickle.loads(pickle.dumps(matrix.T))) is np.ndarray
    assert type(copy.deepcopy(matrix.T)) is np.ndarray


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_specificity_is_the_recall_of_the_others(weight):
    y, said = (TRUE == "cat").astype(int), (SAID == "cat").astype(int)
    found = specificity_score(y, said, sample_weight=weight)
    assert found == pytest.approx(metrics.recall_score(y, said, pos_label=0, sample_weight=weight))
    assert found == pytest.approx(specificity_score(TRUE == "cat", SAID == "cat", pos_label=True, sample_weight=weight))
    each = specificity_score(TRUE, SAID, average=None, sample_weight=weight)
    np.testing.assert_allclose(each, confusion_matrix(TRUE, SAID, sample_weight=weight).specificity)
    assert specificity_score(TRUE, SAID, average="macro", sample_weight=weight) == pytest.approx(each.mean())
    support = confusion_matrix(TRUE, SAID, sample_weight=weight).support
    weighted = specificity_score(TRUE, SAID, average="weighted", sample_weight=weight)
    assert weighted == pytest.approx(np.average(each, weights=support))
    assert each.min() <= specificity_score(TRUE, SAID, average="micro", sample_weight=weight) <= each.max()


def test_specificity_without_negatives():
    assert specificity_score([1, 1], [1, 1]) == 0.0
    assert specificity_score([1, 1], [1, 1], zero_division=1.0) == 1.0
    assert np.isnan(specificity_score([1, 1], [1, 1], average="macro", zero_division=np.nan))


def test_errors_of_specificity():
    with pytest.raises(ValueError, match=r"but y has 3\. Set average"):
        specificity_score(TRUE, SAID)
    with pytest.raises(ValueError, match=r"pos_label must be one of the classes \['a', 'b'\], got 1"):
        specificity_score(["a", "b"], ["a", "a"])
    with pytest.raises(ValueError, match="average must be one of"):
        specificity_score([0, 1], [0, 1], average="mean")
