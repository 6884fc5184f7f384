"""The report is scikit-learn's, with one column more."""

import numpy as np
import pytest
from sklearn import metrics

from spinney.evaluate import classification_report, confusion_matrix, specificity_score

RANDOM = np.random.RandomState(0)
TRUE, SAID = (RANDOM.choice(["a", "b", "c"], 80, p=p) for p in ((0.5, 0.3, 0.2), (0.3, 0.3, 0.4)))
SEVERAL, ANSWERS = RANDOM.rand(30, 3) < 0.5, RANDOM.rand(30, 3) < 0.5


@pytest.mark.parametrize(
    "rest",
    [
        {},
        {"sample_weight": RANDOM.rand(80)},
        {"labels": ["c", "a"]},
        {"labels": ["c", "a", "b"], "target_names": ["see", "eh", "bee"]},
        {"labels": ["a", "z"], "zero_division": 0},
        {"labels": ["a", "z"], "zero_division": np.nan},
    ],
)
def test_all_but_specificity_is_scikit_learns(rest):
    mine = classification_report(TRUE, SAID, output_dict=True, **rest)
    theirs = metrics.classification_report(TRUE, SAID, output_dict=True, **rest)
    assert list(mine) == list(theirs)
    for name, row in theirs.items():
        if isinstance(row, dict):
            assert list(mine[name]) == ["precision", "recall", "specificity", "f1-score", "support"]
            without = {key: value for key, value in mine[name].items() if key != "specificity"}
            np.testing.assert_equal(without, row)
        else:
            assert mine[name] == row


def test_specificity_of_classes_and_averages():
    report = classification_report(TRUE, SAID, output_dict=True)
    for name, value in zip("abc", confusion_matrix(TRUE, SAID).specificity):
        assert report[name]["specificity"] == pytest.approx(value)
    for average in ("macro", "weighted"):
        expected = specificity_score(TRUE, SAID, average=average)
        assert report[f"{average} avg"]["specificity"] == pytest.approx(expected)
    micro = classification_report(TRUE, SAID, labels=["a", "b"], output_dict=True)["micro avg"]["specificity"]
    assert micro == pytest.approx(specificity_score(TRUE, SAID, labels=["a", "b"], average="micro"))


def test_several_labels_a_row():
    report = classification_report(SEVERAL, ANSWERS, output_dict=True, zero_division=0)
    assert list(report) == ["0", "1", "2", "micro avg", "macro avg", "weighted avg", "samples avg"]
    for k in range(3):
        others = metrics.recall_score(~SEVERAL[:, k], ~ANSWERS[:, k])
        assert report[str(k)]["specificity"] == pytest.approx(others)
    by_row = metrics.recall_score(~SEVERAL, ~ANSWERS, average="samples", zero_division=0)
    assert report["samples avg"]["specificity"] == pytest.approx(by_row)


@pytest.mark.parametrize("digits", [2, 4])
def test_the_text_without_the_column_is_scikit_learns(digits):
    mine = classification_report(TRUE, SAID, digits=digits)
    theirs = metrics.classification_report(TRUE, SAID, digits=digits)
    cut = [(line[:33] + line[45:]).rstrip() for line in mine.splitlines()]
    assert cut == [line.rstrip() for line in theirs.splitlines()]
    assert mine.splitlines()[0].split() == ["precision", "recall", "specificity", "f1-score", "support"]


def test_division_by_zero_warns_as_in_scikit_learn():
    with pytest.warns(metrics._classification.UndefinedMetricWarning, match="Precision is ill-defined"):
        classification_report([0, 1], [0, 0])
