"""What all estimators share: fits that succeed or change nothing, threads by the size of the work, weights, columns."""

import numpy as np
import pytest

import spinney
from spinney.data.schema import learn_and_read
from spinney.data.tables import TableHandle
from spinney.data.weights import read_sample_weight
from spinney.estimators.base import SMALL_WORK, TableModel, all_or_nothing, make_team, opened_for_fit


class Model(TableModel):
    pass


def test_a_fit_that_fails_changes_nothing():
    model = Model()
    model.kept = 1

    def fail():
        with all_or_nothing(model):
            model.kept, model.new = 2, 3
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert vars(model) == {"kept": 1}
    with all_or_nothing(model):
        model.kept = 2
    assert model.kept == 2


class Elsewhere(TableHandle):
    """Rows that a fit has to open."""

    is_open = True

    def close(self):
        self.is_open = False


def test_rows_that_are_elsewhere_are_opened_for_a_fit_and_closed_after_it():
    class Opening(TableModel):
        def __init__(self):
            pass

        def _open_elsewhere(self, X, y):
            return Elsewhere(), y + 1

    model, seen = Opening(), []
    with opened_for_fit(model, np.ones((2, 1)), 3) as (X, y):
        assert (type(X), y) == (np.ndarray, 3)
    with opened_for_fit(model, Elsewhere(), 3) as (X, y):
        seen.append(X)
        assert X.is_open
        assert y == 4
        model.kept = 1

    def fail():
        with opened_for_fit(model, Elsewhere(), 3) as (X, _):
            seen.append(X)
            model.kept = 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert not any(one.is_open for one in seen)
    assert vars(model) == {"kept": 1}


@pytest.mark.parametrize("kind", SMALL_WORK)
def test_little_work_is_done_in_the_callers_thread(kind):
    assert make_team(kind, SMALL_WORK[kind] - 1, 3).size == 1
    assert make_team(kind, SMALL_WORK[kind], 3).size == 3
    with pytest.raises(ValueError, match="n_jobs must be a positive number"):
        make_team(kind, 0, 0)


def test_weights_of_classes_are_factors():
    y = np.array(["a", "b", "b"])
    assert read_sample_weight(None, 3).total() is None
    np.testing.assert_array_equal(read_sample_weight([1, 2, 3], 3, {"a": 4, "b": 1}, y).total(), [4, 2, 3])
    np.testing.assert_array_equal(read_sample_weight(None, 3, {"a": 4, "b": 1}, y).total(), [4, 1, 1])
    with pytest.raises(ValueError, match="sample_weight"):
        read_sample_weight([1, 2], 3)


def test_names_of_columns_are_kept_and_forgotten():
    pandas = pytest.importorskip("pandas")
    model, X = Model(), np.zeros((2, 1))
    model._keep_schema(learn_and_read(pandas.DataFrame(X, columns=["a"]))[0])
    assert (model.n_features_in_, list(model.feature_names_in_)) == (1, ["a"])
    model._keep_schema(learn_and_read(X)[0])
    assert not hasattr(model, "feature_names_in_")


TREES = [("tree", spinney.DecisionTreeClassifier(max_depth=2)), ("c45", spinney.C45Classifier())]


@pytest.mark.parametrize(
    "model",
    [
        spinney.GradientBoostingClassifier(n_estimators=2, min_samples_leaf=2),
        spinney.VotingClassifier(TREES, voting="soft"),
        spinney.StackingClassifier(TREES, cv=2),
        spinney.BucketOfModels(TREES, cv=2),
        spinney.BayesianModelAveraging(TREES, cv=2),
        spinney.AutoClassifier(["boosting", "tree"], cv=2, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_logarithms_of_probabilities(model):
    X = np.random.RandomState(0).randn(60, 3)
    model.fit(X, X[:, 0] > 0)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert not hasattr(spinney.VotingClassifier(TREES, voting="hard"), "predict_log_proba")
