"""The one target: outputs, numbers and parts of it."""

import numpy as np

from spinney.criteria.losses import LogLoss, SquaredError
from spinney.data.target import Target
from spinney.data.weights import Weights, read_weights
from spinney.ensemble.boosting.booster import Task

NONE = Weights(None, None)
LABELS = np.array([[0, 2, 1, 2], [1, 0, 0, 1]], np.int32)


def test_classes_and_numbers():
    classes, numbers = Target(LABELS, (3, 2), None, NONE), Target(None, None, LABELS[:1] / 2, NONE)
    assert (classes.n_outputs, numbers.n_outputs) == (2, 1)
    assert classes.numbers.tolist() == [0.0, 2.0, 1.0, 2.0]
    assert classes.numbers.dtype == np.float64
    assert numbers.numbers.tolist() == [0.0, 1.0, 0.5, 1.0]


def test_some_rows():
    target = Target(LABELS, (3, 2), None, read_weights([1, 2, 3, 4], 4))
    assert target.take(None) is target
    some = target.take(np.array([3, 1]))
    assert some.labels.tolist() == [[2, 2], [1, 0]]
    assert some.weights.counts.tolist() == [4, 2]
    assert some.labels.flags.c_contiguous
    assert target.take(np.array([0]), NONE).weights is NONE
    assert target.take(None, NONE).labels is LABELS


def test_a_task_has_a_score_for_each_of_many_classes():
    assert Task(Target(None, None, LABELS[:1] / 2, NONE), SquaredError()).n_outputs == 1
    assert [Task(Target(LABELS[:1], (n,), None, NONE), LogLoss()).n_outputs for n in (1, 2, 3, 9)] == [1, 1, 3, 9]
    task = Task(Target(LABELS[:1], (3,), None, NONE), LogLoss())
    assert task.is_classes
    assert task.take(np.array([1, 2])).y.tolist() == [2.0, 1.0]
    heavy = read_weights([2, 2, 2, 3], 4)
    assert task.with_weights(heavy).weights is heavy
