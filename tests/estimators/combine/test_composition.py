"""Combining models: scikit-learn's checks, none excused, and the same predictions as its classes of the same name."""

import doctest
import re
from inspect import getdoc, signature

import numpy as np
import pytest
from scipy.stats import norm
from sklearn import ensemble as theirs
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import spinney
from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.datasets import load_penguins
from spinney.ensemble.cross_fitting import split_off

CLASSIFIERS = [("line", LogisticRegression()), ("bayes", GaussianNB())]
REGRESSORS = [("line", LinearRegression()), ("ridge", Ridge(alpha=5.0))]
IRIS = load_iris(return_X_y=True)
TWO = tuple(part[:100] for part in IRIS)
NUMBERS = make_regression(n_samples=80, n_features=4, noise=5.0, random_state=0)
KINDS = {"classes": CLASSIFIERS, "numbers": REGRESSORS}

CHECKED = [  # every class
    spinney.VotingClassifier(CLASSIFIERS, voting="soft", weights=[1, 2]),
    spinney.VotingRegressor(REGRESSORS),
    # the other two ways say where a row stands in the table, so they cannot be the same for parts of it
    spinney.RankVoting(REGRESSORS, how="mean_relevance"),
    spinney.StackingClassifier(CLASSIFIERS, cv=2),
    spinney.StackingRegressor(REGRESSORS, cv=2),
    spinney.BucketOfModels(REGRESSORS, cv=2),
    spinney.BayesianModelAveraging(REGRESSORS, cv=2),
    spinney.BucketOfModelsClassifier(CLASSIFIERS, cv=2),
    spinney.BucketOfModelsRegressor(REGRESSORS, cv=2),
    spinney.BayesianModelAveragingClassifier(CLASSIFIERS, cv=2),
    spinney.BayesianModelAveragingRegressor(REGRESSORS, cv=2),
]
OTHERS = [  # in other ways
    spinney.VotingClassifier(CLASSIFIERS),
    spinney.VotingRegressor(REGRESSORS, how="median"),
    spinney.StackingRegressor(REGRESSORS, cv="holdout", random_state=0),
    spinney.BucketOfModels(CLASSIFIERS, cv=2),
    spinney.BayesianModelAveraging(CLASSIFIERS, cv=2),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(OTHERS)
def test_scikit_learn_checks_in_other_ways(estimator, check):
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
    with pytest.raises(ValueError, match="member 'bayes' failed in predict: ranking needs two classes, but"):
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
        ([], {}, "non-empty list of \\(name, model\\), got an empty list"),
        ([("a", "drop")], {}, "All estimators are dropped"),
        ([("a", Ridge()), ("a", Ridge())], {}, "distinct names"),
        ([("how", Ridge())], {}, r"named like parameters of VotingRegressor: \['how'\]"),
        ([("a__b", Ridge())], {}, "must not contain __"),
        ([Ridge()], {}, "list of \\(name, model\\)"),
        ([("a", GaussianNB())], {}, "member 'a' must be a regressor, got GaussianNB"),
        (REGRESSORS, {"weights": [1]}, "one entry per member"),
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
    with pytest.raises(TypeError, match=r"KNeighborsRegressor does not support sample weights.*'near' to 'drop'"):
        spinney.VotingRegressor([("near", KNeighborsRegressor())]).fit(X, y, sample_weight=weights)


def test_soft_voting_needs_probabilities():
    with pytest.raises(ValueError, match=r"member 'svc' \(LinearSVC\) has no predict_proba, which voting='soft' needs"):
        spinney.VotingClassifier([("svc", LinearSVC())], voting="soft").fit(*IRIS)


def stackings(data):
    if data is NUMBERS:
        return REGRESSORS, spinney.StackingRegressor, theirs.StackingRegressor
    return CLASSIFIERS, spinney.StackingClassifier, theirs.StackingClassifier


@pytest.mark.parametrize("data", [IRIS, TWO, NUMBERS], ids=["three classes", "two classes", "numbers"])
@pytest.mark.parametrize(
    "options",
    [{"cv": 3, "passthrough": True}, {"stack_method": "predict"}, {"cv": KFold(4, shuffle=True, random_state=1)}],
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
    assert model.holdout_indices_.tolist() == held_out.tolist()
    assert not hasattr(model.set_params(cv=2).fit(X, y), "holdout_indices_")
    model = mine(members, cv="holdout", holdout_fraction=0.3, random_state=0).fit(X, y)
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
        ({"stack_method": "predict_proba"}, ValueError, "member 'line' .* does not implement the method predict_proba"),
        ({"cv": "prefit"}, ValueError, "member 'line' failed in check of cv='prefit'"),
        ({"cv": "holdout", "holdout_fraction": 1.0}, ValueError, "holdout_fraction"),
        ({"cv": "holdout", "holdout_fraction": 0.001}, ValueError, "holds out no rows of n_samples = 80"),
        ({"cv": "blend"}, ValueError, "'cv' parameter"),
    ],
)
def test_wrong_stacking(options, kind, message):
    with pytest.raises(kind, match=message):
        spinney.StackingRegressor(REGRESSORS, **options).fit(*NUMBERS)


def test_stacking_takes_only_weights_in_fit():
    with pytest.raises(TypeError, match=r"fit accepts X, y and sample_weight, got \['groups'\]"):
        spinney.StackingRegressor(REGRESSORS).fit(*NUMBERS, groups=None)


@pytest.mark.parametrize("data", [IRIS, NUMBERS], ids=["classes", "numbers"])
@pytest.mark.parametrize("scoring", [None, "own"])
def test_the_bucket_scores_as_cross_val_score_does(data, scoring):
    X, y = data
    scoring = scoring and ("neg_log_loss" if data is IRIS else "neg_mean_absolute_error")
    members = stackings(data)[0]
    model = spinney.BucketOfModels(members, scoring=scoring, cv=4).fit(X, y)
    expected = {name: cross_val_score(one, X, y, cv=4, scoring=scoring) for name, one in members}
    assert {name: one.tolist() for name, one in model.fold_scores_.items()} == {
        name: one.tolist() for name, one in expected.items()
    }
    assert model.best_name_ == max(expected, key=lambda name: expected[name].mean())
    again = clone(dict(members)[model.best_name_]).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_the_bucket_has_what_its_best_model_has():
    members = [("bayes", GaussianNB()), ("svc", LinearSVC())]
    assert not hasattr(spinney.BucketOfModels(members), "predict_proba")
    model = spinney.BucketOfModels(members, scoring=lambda model, X, y: isinstance(model, GaussianNB)).fit(*IRIS)
    assert model.best_name_ == "bayes"
    assert not hasattr(model, "decision_function")
    assert model.predict_proba(IRIS[0]).shape == (150, 3)


def test_averaging_follows_its_formula_for_classes():
    X, y = IRIS
    model = spinney.BayesianModelAveraging(CLASSIFIERS, prior=[3, 1]).fit(X, y)
    logs = [
        np.log(cross_val_predict(one, X, y, method="predict_proba")[np.arange(150), y]).sum() for _, one in CLASSIFIERS
    ]
    np.testing.assert_allclose(model.log_likelihoods_, logs)
    odds = 3 * np.exp(logs[0] - logs[1])
    np.testing.assert_allclose(model.weights_, [odds / (1 + odds), 1 / (1 + odds)])
    mixed = sum(w * one.predict_proba(X) for w, one in zip(model.weights_, model.estimators_))
    np.testing.assert_allclose(model.predict_proba(X), mixed)


def test_averaging_follows_its_formula_for_numbers():
    X, y = NUMBERS
    model = spinney.BayesianModelAveraging(REGRESSORS).fit(X, y)
    residuals = [y - cross_val_predict(one, X, y) for _, one in REGRESSORS]
    logs = [norm.logpdf(one, scale=np.sqrt(np.mean(one**2))).sum() for one in residuals]
    np.testing.assert_allclose(model.log_likelihoods_, logs)
    centre, deviation = model.predict(X, return_std=True)
    np.testing.assert_array_equal(centre, model.predict(X))
    np.testing.assert_allclose(centre, sum(w * one.predict(X) for w, one in zip(model.weights_, model.estimators_)))
    assert (deviation >= np.sqrt(model.variances_.min())).all()


def test_averaging_with_members_ruled_out_or_dropped():
    X, y = NUMBERS
    model = spinney.BayesianModelAveraging(REGRESSORS, prior=[0, 1]).fit(X, y)
    assert model.weights_.tolist() == [0, 1]
    model.set_params(ridge="drop", prior=[1, 5]).fit(X, y)
    assert model.weights_.tolist() == [1]
    with pytest.raises(ValueError, match=r"prior must be finite, not negative and not all 0, got \[1.0, -1.0\]"):
        spinney.BayesianModelAveraging(REGRESSORS, prior=[1, -1]).fit(X, y)


def test_weights_of_0_and_perfect_members():
    X = np.arange(20.0)[:, None]
    model = spinney.BayesianModelAveraging([("line", LinearRegression()), ("flat", Ridge(1e9))]).fit(X, 2 * X[:, 0])
    np.testing.assert_allclose(model.weights_, [1, 0], atol=1e-12)
    weights = np.r_[np.ones(20), np.zeros(5)]
    X, y = np.r_[X, X[:5]], np.r_[2 * X[:, 0], np.full(5, 1e3)]
    for kind in (spinney.BayesianModelAveraging, spinney.BucketOfModels):
        fitted = kind(REGRESSORS, cv=KFold(5, shuffle=True, random_state=0)).fit(X, y, sample_weight=weights)
        assert abs(fitted.predict([[3.0]])[0] - 6) < 0.2


def test_classifiers_and_regressors_do_not_mix():
    with pytest.raises(ValueError, match="all classifiers or all regressors, got both"):
        spinney.BucketOfModels([*CLASSIFIERS, ("ridge", Ridge())]).fit(*IRIS)


EITHER = {
    spinney.BucketOfModels: (spinney.BucketOfModelsClassifier, spinney.BucketOfModelsRegressor),
    spinney.BayesianModelAveraging: (
        spinney.BayesianModelAveragingClassifier,
        spinney.BayesianModelAveragingRegressor,
    ),
}


@pytest.mark.parametrize("kind", EITHER)
def test_a_combination_of_either_kind_is_what_its_members_are(kind):
    classes, numbers = kind(CLASSIFIERS, cv=3), kind(REGRESSORS, cv=3)
    assert isinstance(classes, kind)
    assert type(clone(classes)) is kind
    assert (is_classifier(classes), is_regressor(classes)) == (True, False)
    assert (is_classifier(numbers), is_regressor(numbers)) == (False, True)
    assert hasattr(classes, "predict_proba")
    assert not hasattr(numbers, "predict_proba")
    assert numbers.set_params(cv=4, ridge__alpha=2.0).get_params()["ridge__alpha"] == 2.0
    assert repr(numbers).startswith(f"{kind.__name__}(cv=4")
    for model, one, data in zip((classes, numbers), EITHER[kind], (IRIS, NUMBERS)):
        same = one(model.estimators, cv=model.cv).fit(*data)
        assert isinstance(same, kind)
        np.testing.assert_array_equal(model.fit(*data).predict(data[0]), same.predict(data[0]))
        assert model.score(*data) == same.score(*data)
        assert set(vars(model)) == set(vars(same))
    turned = classes.set_params(estimators=REGRESSORS).fit(*NUMBERS)
    assert is_regressor(turned)
    assert not hasattr(turned, "classes_")


@pytest.mark.parametrize("model", [*CHECKED, *OTHERS], ids=lambda model: type(model).__name__)
def test_a_failed_fit_leaves_the_old_model(model):
    data = IRIS if is_classifier(model) else NUMBERS
    model = clone(model).fit(*data)
    before, answers = dict(vars(model)), model.predict(data[0])
    with pytest.raises(ValueError):
        model.fit(np.full_like(data[0], np.nan), data[1])
    assert vars(model) == before
    np.testing.assert_array_equal(model.predict(data[0]), answers)


LABELS = {
    "1 and 2": np.array([1, 2]),
    "strings": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], object),
    "Booleans": np.array([False, True]),
}
IN_LABELS = {
    "hard": lambda members: spinney.VotingClassifier(members),
    "soft": lambda members: spinney.VotingClassifier(members, voting="soft"),
    "stacking": lambda members: spinney.StackingClassifier(members, cv=3),
    "stacking of labels": lambda members: spinney.StackingClassifier(members, cv=3, stack_method="predict"),
    "blending": lambda members: spinney.StackingClassifier(members, cv="holdout", random_state=0),
    "averaging": lambda members: spinney.BayesianModelAveraging(members, cv=3),
    "bucket": lambda members: spinney.BucketOfModels(members, cv=3),
    "bagging": lambda members: spinney.BaggingClassifier(members[0][1], n_estimators=3, random_state=0),
    "AdaBoost": lambda members: spinney.AdaBoostClassifier(members[0][1], n_estimators=3, random_state=0),
}


def members_of(model):
    return getattr(model, "estimators_", None) or [model.best_estimator_]


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("make", IN_LABELS.values(), ids=IN_LABELS)
def test_members_learn_and_answer_in_labels(make, labels):
    X, y = TWO[0], labels[TWO[1]]
    members = [("tree", DecisionTreeClassifier(max_depth=2)), ("line", LogisticRegression())]
    model = make(members).fit(X, y)
    assert model.classes_.tolist() == labels.tolist()
    assert model.score(X, y) == 1
    for member in members_of(model):
        assert member.classes_.tolist() == labels.tolist()
        assert member.score(X, y) == 1
        assert member.predict(X).dtype.kind == y.dtype.kind


@pytest.mark.parametrize("make", IN_LABELS.values(), ids=IN_LABELS)
def test_members_may_have_parameters_with_labels(make):
    X, y = TWO[0], np.array(["no", "yes"])[TWO[1]]
    members = [
        ("heavy", DecisionTreeClassifier(max_depth=2, class_weight={"no": 1, "yes": 2})),
        ("constant", DummyClassifier(strategy="constant", constant="yes")),
    ]
    model = make(members).fit(X, y)
    assert set(model.predict(X)) <= {"no", "yes"}
    if "constant" in getattr(model, "named_estimators_", {}):
        assert set(model.named_estimators_["constant"].predict(X)) == {"yes"}


def test_the_final_estimator_learns_labels():
    X, y = TWO[0], np.array(["no", "yes"])[TWO[1]]
    final = LogisticRegression(class_weight={"no": 1, "yes": 2})
    model = spinney.StackingClassifier(CLASSIFIERS, final).fit(X, y)
    assert model.final_estimator_.classes_.tolist() == ["no", "yes"]
    assert model.score(X, y) == 1


@pytest.mark.parametrize("labels", [np.array([1, 2]), np.array(["a", "b"])], ids=["numbers", "strings"])
def test_regressors_in_a_stack_of_classes_get_numbers(labels):
    X, y = TWO[0], labels[TWO[1]]
    model = spinney.StackingClassifier([("numbers", LinearRegression()), *CLASSIFIERS]).fit(X, y)
    assert model.score(X, y) == 1
    target = y if labels.dtype.kind == "i" else TWO[1]
    np.testing.assert_array_equal(model.estimators_[0].predict(X), LinearRegression().fit(X, target).predict(X))


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("stack_method", ["auto", "predict"])
def test_members_fitted_before_answer_in_labels(labels, stack_method):
    X, y = TWO[0], labels[TWO[1]]
    fitted = [(name, clone(model).fit(X, y)) for name, model in CLASSIFIERS]
    model = spinney.StackingClassifier(fitted, cv="prefit", stack_method=stack_method).fit(X, y)
    assert model.score(X, y) == 1
    frozen = [(name, FrozenEstimator(model)) for name, model in fitted]
    combinations = [
        spinney.VotingClassifier(frozen),
        spinney.VotingClassifier(frozen, voting="soft"),
        spinney.StackingClassifier(frozen, stack_method=stack_method),
        spinney.BayesianModelAveraging(frozen),
    ]
    for one in combinations:
        assert one.fit(X, y).score(X, y) == 1


def test_frozen_members_of_fewer_or_other_classes():
    X, y = IRIS
    frozen = FrozenEstimator(GaussianNB().fit(X[:100], y[:100]))
    with pytest.warns(RuntimeWarning, match=r"A member was fitted on the classes \[0, 1\] of \[0, 1, 2\] only"):
        mean = (
            spinney.VotingClassifier([("two", frozen), ("all", GaussianNB())], voting="soft").fit(X, y).predict_proba(X)
        )
    np.testing.assert_array_equal(mean[:, 2], GaussianNB().fit(X, y).predict_proba(X)[:, 2] / 2)
    names = np.array(["a", "b", "c"])[y]
    hard, soft = (spinney.VotingClassifier([("two", frozen)], voting=voting) for voting in ("hard", "soft"))
    with pytest.raises(
        ValueError, match=r"member 'two' failed in predict: it predicts 0, which is none of the classes"
    ):
        hard.fit(X, names).predict(X)
    with pytest.raises(
        ValueError, match=r"member 'two' failed in predict_proba: it was fitted on other classes, \[0, 1"
    ):
        soft.fit(X, names).predict(X)


def test_held_out_predictions_where_a_part_lacks_a_class():
    X, y = IRIS  # the rows are sorted by class: without shuffling, each of three parts is a class
    parts = KFold(3)
    with pytest.warns(RuntimeWarning, match="was fitted on the classes"):
        model = spinney.StackingClassifier([("bayes", GaussianNB())], cv=parts).fit(X, y)
    assert model.predict_proba(X).shape == (150, 3)
    with pytest.raises(
        ValueError, match=r"member 'svc' failed in cross-validation: it was fitted on the classes .* decision_f"
    ):
        spinney.StackingClassifier([("svc", LinearSVC())], cv=parts).fit(X, y)


@pytest.mark.parametrize("rows", [range(140), [*range(149), 0]], ids=["too few", "one twice"])
def test_parts_must_hold_every_row_once(rows):
    splits = [(np.arange(0, 150, 2), np.asarray(rows))]
    for model in (
        spinney.StackingClassifier(CLASSIFIERS, cv=splits),
        spinney.BayesianModelAveraging(CLASSIFIERS, cv=splits),
    ):
        with pytest.raises(ValueError, match="cv must hold out every row exactly once"):
            model.fit(*IRIS)


ALL = [getattr(spinney, name) for name in spinney.__all__]
COMBINATIONS = [one for one in ALL if hasattr(one, "fit") and "estimators" in signature(one).parameters]


@pytest.mark.parametrize("kind", COMBINATIONS)
def test_parameters_and_attributes_are_documented(kind):
    parameters, rest = re.search(r"Parameters\n-+\n(.*?)Attributes\n-+\n(.*?)Examples\n", getdoc(kind), re.S).groups()
    assert re.findall(r"^(\w+) : ", parameters, re.M) == list(signature(kind).parameters)
    assert set(kind._parameter_constraints) == set(signature(kind).parameters)
    either = kind in (spinney.BucketOfModels, spinney.BayesianModelAveraging)
    tables = [IRIS, NUMBERS] if either else [IRIS if "Classifier" in kind.__name__ else NUMBERS]
    models = [kind(stackings(data)[0]).fit(*data) for data in tables]
    names = set(re.findall(r"^(\w+)", rest, re.M))
    found = {name for model in models for name in vars(model) if name.endswith("_") and name[0] != "_"}
    assert names - {"feature_names_in_", "holdout_indices_"} == found


@pytest.mark.parametrize("one", [*COMBINATIONS, spinney.aggregate_ranks, spinney.aggregate_votes])
def test_the_examples_say_what_happens(one):
    runner = doctest.DocTestRunner(verbose=False)
    (example,) = [found for found in doctest.DocTestFinder(recurse=False).find(one, one.__name__) if found.examples]
    runner.run(example)
    assert runner.failures == 0


# --- several labels ---------------------------------------------------------------------------------------------------

SEVERAL = np.column_stack([IRIS[1] == 0, IRIS[1] > 1, IRIS[0][:, 0] > 5.8]).astype(int)


@pytest.mark.parametrize("cv", [None, "holdout", "prefit"])
@pytest.mark.parametrize("stack_method", ["auto", "predict"])
def test_stacking_of_several_labels(cv, stack_method):
    X, y = IRIS[0], SEVERAL
    members = [("near", KNeighborsClassifier()), ("ridge", RidgeClassifier())]
    if cv == "prefit":
        members = [(name, model.fit(X, y)) for name, model in members]
    options = {"stack_method": stack_method, "cv": cv, "final_estimator": KNeighborsClassifier(3)}
    model = spinney.StackingClassifier(members, random_state=0, **options).fit(X, y)
    assert [one.tolist() for one in model.classes_] == [[0, 1]] * 3
    assert model.stack_method_ == (
        ["predict"] * 2 if stack_method == "predict" else ["predict_proba", "decision_function"]
    )
    table = model.transform(X)
    assert table.shape == (150, 6)
    asked = model.named_estimators_["near"]
    expected = asked.predict(X) if stack_method == "predict" else [one[:, 1] for one in asked.predict_proba(X)]
    np.testing.assert_array_equal(table[:, :3], expected if stack_method == "predict" else np.column_stack(expected))
    assert model.predict(X).shape == y.shape
    if cv is None:
        other = theirs.StackingClassifier(members, stack_method=stack_method, final_estimator=KNeighborsClassifier(3))
        np.testing.assert_array_equal(other.fit(X, y).predict(X), model.predict(X))


def test_members_that_are_not_fitted():
    for kind in (spinney.StackingClassifier, spinney.StackingRegressor):
        members = CLASSIFIERS if kind is spinney.StackingClassifier else REGRESSORS
        with pytest.raises(NotFittedError, match="member 'line' failed in check of cv='prefit'"):
            kind(members, cv="prefit").fit(*(TWO if kind is spinney.StackingClassifier else NUMBERS))


def test_what_a_final_estimator_lacks_is_told_in_its_words():
    model = spinney.StackingClassifier(CLASSIFIERS, final_estimator=GaussianNB()).fit(*TWO)
    with pytest.raises(AttributeError, match="has no attribute 'decision_function'") as caught:
        model.decision_function(TWO[0])
    assert "'GaussianNB' object has no attribute 'decision_function'" in str(caught.value.__cause__)


class Quiet(GaussianNB):
    """A member whose `fit` returns nothing."""

    def fit(self, X, y):
        super().fit(X, y)


@pytest.mark.parametrize("kind", [spinney.VotingClassifier, spinney.StackingClassifier])
def test_members_whose_fit_returns_nothing(kind):
    quiet, loud = (kind([("one", one), ("line", LogisticRegression())]).fit(*TWO) for one in (Quiet(), GaussianNB()))
    np.testing.assert_array_equal(quiet.predict(TWO[0]), loud.predict(TWO[0]))


def test_the_diagram_shows_the_final_estimator():
    assert "RidgeCV" in spinney.StackingRegressor(REGRESSORS)._repr_html_()
    assert "LogisticRegression" in spinney.StackingClassifier([("bayes", GaussianNB())])._repr_html_()
    assert "KNeighborsClassifier" in spinney.StackingClassifier(CLASSIFIERS, KNeighborsClassifier())._repr_html_()
