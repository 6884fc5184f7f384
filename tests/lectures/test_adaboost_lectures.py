"""What the lectures say of AdaBoost, held to their own numbers (LECTURES.md, section 5)."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from spinney import AdaBoostClassifier, DecisionTreeClassifier
from spinney.criteria.adaboost_weights import many_class_vote, two_class_vote
from spinney.ensemble.adaboost import Discrete, change_both, change_wrong

# The deck's picture has no coordinates: ten points on which three stumps are wrong as often as in its figures.
PLUS = [(1, 3), (2, 2), (4.5, 8), (5.5, 9), (6.5, 7)]
MINUS = [(4, 1), (5, 4), (6, 5), (8, 8.5), (9, 2.5)]
X, Y = np.array(PLUS + MINUS, dtype=float), np.array([1] * 5 + [-1] * 5)


@pytest.mark.parametrize("error, vote", [(0.30, 0.42), (3 / 14, 0.65), (3 / 22, 0.92)])
def test_votes_of_the_three_rounds(error, vote):
    assert two_class_vote(error) == pytest.approx(vote, abs=0.006)


def test_ten_points_in_three_rounds():
    stump = DecisionTreeClassifier(criterion="error", max_depth=1)
    model = AdaBoostClassifier(stump, algorithm="discrete", n_estimators=3, keep_weights=True).fit(X, Y)
    np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22])
    assert model.estimator_weights_.round(2).tolist() == [0.42, 0.65, 0.92]
    assert model.score(X, Y) == 1.0
    assert all(member.score(X, Y) == 0.7 for member in model.estimators_)
    signs = sum(vote * member.predict(X) for vote, member in zip(model.estimator_weights_, model.estimators_))
    np.testing.assert_allclose(model.decision_function(X), signs)
    second = model.sample_weight_history_[1]  # three wrong rows have half of the weight, the other seven share the rest
    assert sorted(second) == pytest.approx([1 / 14] * 7 + [1 / 6] * 3)


class Constant(ClassifierMixin, BaseEstimator):
    """Always says the class of most weight."""

    def fit(self, X, y, sample_weight=None):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.answer_ = self.classes_[np.bincount(codes, sample_weight).argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


def test_eighty_positive_and_twenty_negative():
    y = np.array([1] * 80 + [-1] * 20)
    verdict = Discrete(y, 2)(np.full(100, 1 / 100), np.ones(100))
    assert verdict.error == pytest.approx(0.2)
    assert verdict.vote == pytest.approx(0.5 * np.log(4))
    weights = verdict.change / 100
    np.testing.assert_allclose(weights, [1 / 200] * 80 + [1 / 50] * 20)
    assert weights.sum() == pytest.approx(4 / 5)
    after = weights / weights.sum()
    np.testing.assert_allclose(after, [1 / 160] * 80 + [1 / 40] * 20)
    assert after[y == 1].sum() == pytest.approx(0.5)

    model = AdaBoostClassifier(Constant(), algorithm="discrete", keep_weights=True).fit(np.zeros((100, 1)), y)
    assert len(model.estimators_) == 1  # the next constant is no better than guessing
    np.testing.assert_allclose(model.sample_weight_history_[1], after)
    first = model.sample_weight_history_[0]
    assert (first[y == 1].sum(), first[y == -1].sum()) == pytest.approx((0.8, 0.2))


def test_one_of_eight_is_wrong():
    wrong = np.arange(8) == 3
    vote = two_class_vote(1 / 8)
    assert vote == pytest.approx(0.97, abs=0.005)
    weights = np.full(8, 1 / 8) * change_both(wrong, vote)
    assert weights[3] == pytest.approx(0.33, abs=0.005)
    assert weights[0] == pytest.approx(0.05, abs=0.005)
    # wrong to right is as e^(2 vote), or (1 - error) / error
    assert weights[3] / weights[0] == pytest.approx(7.0)
    assert weights[wrong].sum() == pytest.approx(0.5 * weights.sum())


def test_a_stump_on_eight_patients():
    """One question about a number: three right on one side, four right and one wrong on the other."""
    weight = np.array([205.0, 180.0, 210.0, 167.0, 156.0, 125.0, 168.0, 172.0])[:, None]
    ill = np.array(["yes", "yes", "yes", "yes", "no", "no", "no", "no"])
    stump = DecisionTreeClassifier(criterion="error", max_depth=1)
    model = AdaBoostClassifier(stump, algorithm="discrete", n_estimators=1, keep_weights=True).fit(weight, ill)
    member = model.estimators_[0]
    assert member.tree_.threshold[0] == 176.0
    assert member.tree_.answers[1:, 0].round(6).tolist() == [[0.5, 0.125], [0.0, 0.375]]  # shares of no and yes
    assert model.estimator_errors_[0] == pytest.approx(1 / 8)
    assert model.estimator_weights_[0] == pytest.approx(0.97, abs=0.005)
    wrong = member.predict(weight) != ill
    assert wrong.sum() == 1
    assert model.sample_weight_history_[1, wrong] == pytest.approx(1 / 2)
    np.testing.assert_allclose(model.sample_weight_history_[1, ~wrong], 1 / 14)


@pytest.mark.parametrize("n_wrong", [1, 3, 9])
def test_three_ways_to_say_how_weights_change(n_wrong):
    """Both by e^vote (000, 002); right rows by error / (1 - error) (004); wrong rows by e^(twice the vote) (003)."""
    wrong = np.arange(20) < n_wrong
    error = n_wrong / 20
    both = change_both(wrong, two_class_vote(error))
    right_only = np.where(wrong, 1.0, error / (1 - error))
    wrong_only = change_wrong(wrong, many_class_vote(error, 2))
    for change in (both, right_only, wrong_only):
        np.testing.assert_allclose(change / change.sum(), np.where(wrong, 0.5 / n_wrong, 0.5 / (20 - n_wrong)))


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_the_learning_rate_multiplies_votes(rate):
    """Vote: rate ln((1 - error) / error); wrong rows' weights are multiplied by e^vote, all are normalised (003)."""
    model = AdaBoostClassifier(n_estimators=4, learning_rate=rate, keep_weights=True).fit(X, Y)
    errors, history = model.estimator_errors_, model.sample_weight_history_
    np.testing.assert_allclose(model.estimator_weights_, rate * np.log((1 - errors) / errors))
    for k, member in enumerate(model.estimators_):
        wrong = member.predict(X) != Y
        assert history[k, wrong].sum() == pytest.approx(errors[k])
        after = history[k] * np.where(wrong, np.exp(model.estimator_weights_[k]), 1.0)
        np.testing.assert_allclose(history[k + 1], after / after.sum(), rtol=1e-9)
    votes = sum(vote * member.predict(X) for vote, member in zip(model.estimator_weights_, model.estimators_))
    assert (model.predict(X) == np.sign(votes)).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_stump_has_a_column_a_threshold_and_a_sign(sign):
    x = np.array([[5.0, 1.0], [5.0, 2.0], [5.0, 6.0], [5.0, 9.0]])
    y = sign * np.where(x[:, 1] > 4, 1, -1)
    (stump,) = AdaBoostClassifier(n_estimators=10, algorithm="discrete").fit(x, y).estimators_  # perfect: no more
    assert (stump.tree_.feature[0], stump.tree_.threshold[0]) == (1, 4.0)
    assert stump.predict([[0.0, 4.1], [0.0, 3.9]]).tolist() == [sign, -sign]


def test_weights_or_weighted_bootstraps():
    """Both ways to make a member look at what was wrong (001): the ten points are learnt."""
    for reweight in (True, "resample"):
        model = AdaBoostClassifier(n_estimators=60, reweight=reweight, random_state=0).fit(X, Y)
        assert model.score(X, Y) == 1.0


def test_a_perfect_member_does_not_divide_by_zero():
    model = AdaBoostClassifier(algorithm="discrete").fit([[0.0], [1.0]], [0, 1])
    assert len(model.estimators_) == 1
    assert 10 < model.estimator_weights_[0] < 20
    assert model.predict([[0.0], [1.0]]).tolist() == [0, 1]


class Contrary(Constant):
    """Wrong on all but one row."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.right_ = np.asarray(y)
        return self

    def predict(self, X):
        row = np.asarray(X)[:, 0].astype(int)
        return np.where(row == 0, self.right_[row], -self.right_[row])


def test_a_member_worse_than_guessing_is_turned_round():
    X, y = np.arange(8.0)[:, None], np.array([1, 1, 1, 1, -1, -1, -1, -1])
    model = AdaBoostClassifier(Contrary(), algorithm="discrete", on_weak="flip", n_estimators=1).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(7 / 8)
    assert model.estimator_weights_[0] == pytest.approx(-0.97, abs=0.005)
    assert model.score(X, y) == 7 / 8
    with pytest.raises(ValueError, match=r"weighted error of 0\.875, which is no better than guessing"):
        AdaBoostClassifier(Contrary(), algorithm="discrete").fit(X, y)
