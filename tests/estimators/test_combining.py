"""Combining models: scikit-learn's checks, none excused, and the same predictions as its classes of the same name."""

from inspect import signature

import numpy as np
import pytest
from sklearn import ensemble as theirs
from sklearn.base import clone
from sklearn.datasets import load_iris, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import spinney
from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.datasets import load_penguins
from spinney.ensemble.stacking import split_off

CLASSIFIERS = [("line", LogisticRegression()), ("bayes", GaussianNB())]
REGRESSORS = [("line", LinearRegression()), ("ridge", Ridge(alpha=5.0))]
IRIS = load_iris(return_X_y=True)
TWO = tuple(part[:100] for part in IRIS)
NUMBERS = make_regression(n_samples=80, n_features=4, noise=5.0, random_state=0)
KINDS = {"classes": CLASSIFIERS, "numbers": REGRESSORS}

CHECKED = [
    spinney.VotingClassifier(CLASSIFIERS),
    spinney.VotingClassifier(CLASSIFIERS, voting="soft", weights=[1, 2]),
    spinney.VotingRegressor(REGRESSORS),
    spinney.VotingRegressor(REGRESSORS, how="median"),
    # the other two ways say where a row stands in the table, so they cannot be the same for parts of it
    spinney.RankVoting(REGRESSORS, how="mean_relevance"),
    spinney.StackingClassifier(CLASSIFIERS, cv=2),
    spinney.StackingRegressor(REGRESSORS, cv=2),
    spinney.StackingRegressor(REGRESSORS, cv="holdout", random_state=0),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("data", [IRIS, TWO], ids=["three classes", "two classes"])
@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("weights", [None, [1, 3, 1]])
def test_voting_of_classes_is_scikit_learns(data, voting, weights):
    X, y = data[0], np.array(["setosa", "versicolor", "virginica"])[data[1]]
    members = [*CLASSIFIERS, ("near", KNeighborsClassifier(3))]
    mine = spinney.VotingClassifier(members, voting=voting, weights=weights).fit(X, y)
    other = theirs.VotingClassifier(members, voting=voting, weights=weights).fit(X, y)
    assert mine.predict(X).tolist() == other.predict(X).tolist()
    np.testing.assert_array_equal(mine.transform(X), other.transform(X))
    assert mine.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
    assert hasattr(mine, "predict_proba") == hasattr(other, "predict_proba")
    if voting == "soft":
        np.testing.assert_array_equal(mine.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("weights", [None, [1, 3]])
def test_voting_of_numbers_is_scikit_learns(weights):
    mine = spinney.VotingRegressor(REGRESSORS, weights=weights).fit(*NUMBERS)
    other = theirs.VotingRegressor(REGRESSORS, weights=weights).fit(*NUMBERS)
    np.testing.assert_array_equal(mine.predict(NUMBERS[0]), other.predict(NUMBERS[0]))


def test_a_dropped_member_and_its_weight_are_left_out():
    mine = spinney.VotingClassifier(CLASSIFIERS, voting="soft", weights=[1, 7]).set_params(bayes="drop").fit(*IRIS)
    assert len(mine.estimators_) == 1
    assert mine.named_estimators_["bayes"] == "drop"
    np.testing.assert_array_equal(mine.predict_proba(IRIS[0]), mine.estimators_[0].predict_proba(IRIS[0]))


def test_tables_reach_the_members_as_they_are():
    X, y = load_penguins()
    members = [("tree", DecisionTreeClassifier(max_depth=3)), ("c45", spinney.C45Classifier())]
    model = spinney.VotingClassifier(members, voting="soft").fit(X, y)
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.score(X, y) > 0.95


def test_rank_voting_of_members_fitted_before():
    X, y = TWO
    members = [(name, clone(model).fit(X, y)) for name, model in CLASSIFIERS]
    scores = np.column_stack([model.predict_proba(X)[:, 1] for _, model in members])
    for how in ("borda", "mean_rank", "mean_relevance"):
        got = spinney.RankVoting(members, how=how, weights=[2, 1]).predict(X)
        np.testing.assert_array_equal(got, spinney.aggregate_ranks(scores, how, [2, 1]))


def test_ranking_with_three_classes_is_refused():
    members = [("bayes", GaussianNB().fit(*IRIS))]
    with pytest.raises(ValueError, match="member 'bayes' failed in predict: a classifier ranks by its second class"):
        spinney.RankVoting(members).predict(IRIS[0])


class Counting(LinearRegression):
    """Says in fit what n_jobs it was given."""

    def __init__(self, n_jobs=None, error=None):
        super().__init__()
        self.n_jobs = n_jobs
        self.error = error

    def fit(self, X, y):
        if self.error is not None:
            raise self.error
        self.seen_ = self.n_jobs
        return super().fit(X, y)


def test_members_share_the_threads():
    members = [("a", Counting()), ("b", Counting(n_jobs=3))]
    model = spinney.VotingRegressor(members, n_jobs=4).fit(*NUMBERS)
    assert [member.seen_ for member in model.estimators_] == [2, 3]
    assert [member.n_jobs for member in model.estimators_] == [None, 3]  # as it was
    alone = spinney.VotingRegressor(members).fit(*NUMBERS)
    assert [member.seen_ for member in alone.estimators_] == [None, 3]


def test_the_same_answer_with_threads():
    members = [("tree", DecisionTreeRegressor(max_depth=3)), *REGRESSORS]
    one, two = (spinney.VotingRegressor(members, n_jobs=n_jobs).fit(*NUMBERS) for n_jobs in (None, 2))
    np.testing.assert_array_equal(one.predict(NUMBERS[0]), two.predict(NUMBERS[0]))


@pytest.mark.parametrize(
    "error, kind", [(ValueError("no"), ValueError), (TypeError("no"), TypeError), (KeyError("no"), RuntimeError)]
)
def test_a_failure_names_the_member(error, kind):
    with pytest.raises(kind, match=r"member 'bad' failed in fit: '?no'?") as caught:
        spinney.VotingRegressor([*REGRESSORS, ("bad", Counting(error=error))]).fit(*NUMBERS)
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    "estimators, options, message",
    [
        ([], {}, "at least one model"),
        ([("a", "drop")], {}, "at least one model"),
        ([("a", Ridge()), ("a", Ridge())], {}, "names that differ"),
        ([("how", Ridge())], {}, r"named like parameters of VotingRegressor: \['how'\]"),
        ([("a__b", Ridge())], {}, "without '__'"),
        ([Ridge()], {}, "list of \\(name, model\\)"),
        ([("a", GaussianNB())], {}, "member 'a' must be a regressor, got GaussianNB"),
        (REGRESSORS, {"weights": [1]}, "one entry a member"),
        (REGRESSORS, {"weights": [1, -1]}, "not negative"),
        (REGRESSORS, {"how": "mode"}, "'how' parameter"),
    ],
)
def test_wrong_members(estimators, options, message):
    with pytest.raises(ValueError, match=message):
        spinney.VotingRegressor(estimators, **options).fit(*NUMBERS)


def test_weights_reach_members_that_take_them():
    X, y = NUMBERS
    weights = np.arange(80.0)
    mine = spinney.VotingRegressor(REGRESSORS).fit(X, y, sample_weight=weights)
    other = theirs.VotingRegressor(REGRESSORS).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(mine.predict(X), other.predict(X))
    with pytest.raises(TypeError, match=r"member 'near' \(KNeighborsRegressor\) does not take it"):
        spinney.VotingRegressor([("near", KNeighborsRegressor())]).fit(X, y, sample_weight=weights)


def test_soft_voting_needs_probabilities():
    from sklearn.svm import LinearSVC

    with pytest.raises(ValueError, match=r"member 'svc' \(LinearSVC\) has no predict_proba, which voting='soft' needs"):
        spinney.VotingClassifier([("svc", LinearSVC())], voting="soft").fit(*IRIS)


def stackings(data):
    if data is NUMBERS:
        return REGRESSORS, spinney.StackingRegressor, theirs.StackingRegressor
    return CLASSIFIERS, spinney.StackingClassifier, theirs.StackingClassifier


@pytest.mark.parametrize("data", [IRIS, TWO, NUMBERS], ids=["three classes", "two classes", "numbers"])
@pytest.mark.parametrize(
    "options",
    [{}, {"cv": 3}, {"passthrough": True}, {"stack_method": "predict"}, {"cv": KFold(4, shuffle=True, random_state=1)}],
    ids=str,
)
def test_stacking_is_scikit_learns(data, options):
    X, y = data
    members, mine, other = stackings(data)
    theirs_has = {name: value for name, value in options.items() if name in signature(other).parameters}
    mine, other = mine(members, **options).fit(X, y), other(members, **theirs_has).fit(X, y)
    np.testing.assert_array_equal(mine.transform(X), other.transform(X))
    np.testing.assert_array_equal(mine.predict(X), other.predict(X))
    assert mine.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
    if data is not NUMBERS:
        np.testing.assert_array_equal(mine.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("data", [IRIS, NUMBERS], ids=["classes", "numbers"])
def test_stacking_of_fitted_members_and_weights_is_scikit_learns(data):
    X, y = data
    members, mine, other = stackings(data)
    fitted = [(name, clone(model).fit(X[::2], y[::2])) for name, model in members]
    pairs = [
        (
            kind(fitted, cv="prefit").fit(X[1::2], y[1::2]),
            kind(members).fit(X, y, sample_weight=1.0 + np.arange(len(y))),
        )
        for kind in (mine, other)
    ]
    for one, two in zip(*pairs):
        np.testing.assert_array_equal(one.predict(X), two.predict(X))


@pytest.mark.parametrize("data", [IRIS, NUMBERS], ids=["classes", "numbers"])
def test_blending_is_stacking_of_members_fitted_to_the_other_part(data):
    X, y = data
    members, mine, other = stackings(data)
    model = mine(members, cv="holdout", holdout_fraction=0.3, random_state=0).fit(X, y)
    strata = y if data is IRIS else np.zeros(len(y), int)
    learn, held_out = split_off(strata, 0.3, np.random.RandomState(0))
    assert not set(learn) & set(held_out)
    fitted = [(name, clone(one).fit(X[learn], y[learn])) for name, one in members]
    blend = other(fitted, cv="prefit").fit(X[held_out], y[held_out])
    np.testing.assert_array_equal(model.predict(X), blend.predict(X))


def test_stacking_sees_strings_and_passes_them_on():
    X, y = load_penguins()
    members = [("tree", DecisionTreeClassifier(max_depth=3)), ("c45", spinney.C45Classifier())]
    final = DecisionTreeClassifier(max_depth=4)
    model = spinney.StackingClassifier(members, final, passthrough=True, cv=3).fit(X[::-1], y[::-1])
    assert model.final_estimator_.feature_names_in_.tolist() == model.get_feature_names_out().tolist()
    assert model.score(X, y) > 0.95
    table = model.transform(X[:5])
    assert table.index.tolist() == X.index[:5].tolist()
    assert table["island"].tolist() == X["island"][:5].tolist()
    assert not table.iloc[:, 0].isna().any()


@pytest.mark.parametrize(
    "options, kind, message",
    [
        ({"final_estimator": GaussianNB()}, ValueError, "final_estimator must be a regressor, got GaussianNB"),
        ({"stack_method": "predict_proba"}, ValueError, "member 'line' .* has no predict_proba"),
        ({"cv": "prefit"}, ValueError, "member 'line' failed in check of cv='prefit'"),
        ({"cv": "holdout", "holdout_fraction": 1.0}, ValueError, "holdout_fraction"),
        ({"cv": "holdout", "holdout_fraction": 0.001}, ValueError, "holds out none of n_samples = 80"),
        ({"cv": "blend"}, ValueError, "'cv' parameter"),
    ],
)
def test_wrong_stacking(options, kind, message):
    with pytest.raises(kind, match=message):
        spinney.StackingRegressor(REGRESSORS, **options).fit(*NUMBERS)


def test_stacking_takes_only_weights_in_fit():
    with pytest.raises(TypeError, match=r"fit takes X, y and sample_weight, got \['groups'\]"):
        spinney.StackingRegressor(REGRESSORS).fit(*NUMBERS, groups=None)
