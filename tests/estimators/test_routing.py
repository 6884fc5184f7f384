"""scikit-learn's metadata routing: the same calls are routed, or refused, as by its classes of the same name."""

import inspect

import numpy as np
import pytest
from sklearn import config_context
from sklearn import ensemble as theirs
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

import spinney

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(60, 3)
CLASSES, NUMBERS = (X[:, 0] + X[:, 1] > 0).astype(int), X[:, 0] - X[:, 2]
WEIGHTS = RANDOM.randint(1, 4, 60).astype(float)
ON = {"enable_metadata_routing": True}


class _Taker(BaseEstimator):
    """Remembers what its fit was given."""

    def fit(self, X, y, sample_weight=None, batch=None):
        self.n_rows_, self.sample_weight_, self.batch_ = len(X), sample_weight, batch
        self.answer_ = y[0]
        return self

    def predict(self, X, scale=1):
        return np.full(len(X), self.answer_) * scale


class ClassTaker(ClassifierMixin, _Taker):
    def fit(self, X, y, sample_weight=None, batch=None):
        self.classes_ = np.unique(y)
        return super().fit(X, y, sample_weight, batch)


class NumberTaker(RegressorMixin, _Taker):
    pass


def taker(kind):
    return ClassTaker() if kind == "Classifier" else NumberTaker()


def line(kind):
    return LogisticRegression() if kind == "Classifier" else LinearRegression()


def target(kind):
    return CLASSES if kind == "Classifier" else NUMBERS


def make(library, name, kind, member):
    """A model of these members, of either library."""
    model = getattr(library, name + kind)
    if name in ("Bagging", "AdaBoost"):
        return model(member, n_estimators=3)
    more = {"final_estimator": line(kind), "cv": 3} if name == "Stacking" else {}
    return model([("one", member), ("two", line(kind).set_fit_request(sample_weight=True))], **more)


def outcome(model, y, **given):
    """What came of a fit: the error's type and text (with the classes' names), or what the members were given."""
    try:
        model.fit(X, y, **given)
    except Exception as error:
        return type(error), str(error)
    return [
        (one.n_rows_, one.sample_weight_ is None, one.batch_ is None)
        for one in model.estimators_
        if isinstance(one, _Taker)
    ]


REQUESTS = [
    {},
    {"sample_weight": True},
    {"sample_weight": False},
    {"batch": True},
    {"sample_weight": True, "batch": True},
]
GIVEN = [{}, {"sample_weight": WEIGHTS}, {"batch": WEIGHTS}, {"sample_weight": None}]


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
@pytest.mark.parametrize("name", ["Voting", "Stacking"])
@pytest.mark.parametrize("asked", REQUESTS, ids=str)
@pytest.mark.parametrize("given", GIVEN, ids=lambda given: str(list(given)))
def test_members_get_what_scikit_learns_give_theirs(name, kind, asked, given):
    with config_context(**ON):
        found, expected = (
            outcome(make(library, name, kind, taker(kind).set_fit_request(**asked)), target(kind), **given)
            for library in (spinney, theirs)
        )
        if name == "Stacking" and given.get("batch") is not None and asked.get("batch"):
            assert expected[0] is TypeError  # there the final estimator gets all arguments, wanted or not
            expected = [(60, "sample_weight" not in given, False)]
    assert found == expected


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
@pytest.mark.parametrize("asked", REQUESTS, ids=str)
@pytest.mark.parametrize("given", GIVEN, ids=lambda given: str(list(given)))
def test_bagging_routes_as_scikit_learns(kind, asked, given):
    with config_context(**ON):
        models = [make(one, "Bagging", kind, taker(kind).set_fit_request(**asked)) for one in (spinney, theirs)]
        found, expected = (outcome(model, target(kind), **given) for model in models)
    if isinstance(expected, tuple):
        assert found == expected
    else:  # members get fewer rows here: those drawn; what they are given is the same
        assert [one[1:] for one in found] == [one[1:] for one in expected]


def test_bagged_members_get_the_values_of_their_rows():
    with config_context(**ON):
        member = ClassTaker().set_fit_request(batch=True)
        model = spinney.BaggingClassifier(member, random_state=0).fit(X, CLASSES, batch=np.arange(60))
    for one, rows in zip(model.estimators_, model.estimators_samples_):
        np.testing.assert_array_equal(one.batch_, rows)


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_bags_hand_on_what_predictions_are_given(kind):
    y = target(kind)
    with config_context(**ON):
        for library in (spinney, theirs):
            model = make(library, "Bagging", kind, taker(kind)).fit(X, y)
            with pytest.raises(UnsetMetadataPassedError, match=r"\[scale\] are passed but are not explicitly set"):
                model.predict(X, scale=0)
            model = make(library, "Bagging", kind, taker(kind).set_predict_request(scale=True)).fit(X, y)
            assert set(model.predict(X, scale=0)) == {0}
            if kind == "Classifier":
                assert model.predict_proba(X, scale=0)[:, 0].min() == 1
                assert model.predict_log_proba(X, scale=0)[:, 0].min() == 0
    with pytest.raises(TypeError, match=r"predict accepts X, got \['scale'\]. To route others"):
        make(spinney, "Bagging", kind, taker(kind)).fit(X, y).predict(X, scale=0)


def test_our_trees_in_a_bag_take_routed_arguments():
    with config_context(**ON):
        tree = spinney.DecisionTreeClassifier(n_iter_no_change=2).set_fit_request(sample_weight=True)
        plain = spinney.BaggingClassifier(tree, random_state=0).fit(X, CLASSES, sample_weight=WEIGHTS)
        assert plain.score(X, CLASSES) > 0.8
        with pytest.raises(TypeError, match=r"fit got unexpected argument\(s\) {'groups'}"):
            spinney.BaggingClassifier(tree).fit(X, CLASSES, groups=WEIGHTS)


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_adaboost_does_not_route_as_scikit_learns_does_not(kind):
    with config_context(**ON):
        models = [make(one, "AdaBoost", kind, spinney_tree(kind)) for one in (spinney, theirs)]
        for model in models:
            model.fit(X, target(kind))
        messages = []
        for model in models:
            with pytest.raises(NotImplementedError) as error:
                model.fit(X, target(kind), sample_weight=WEIGHTS)
            messages.append(str(error.value))
            with pytest.raises(NotImplementedError, match="has not implemented metadata routing yet"):
                model.get_metadata_routing()
        assert messages[0] == messages[1]


def spinney_tree(kind):
    return getattr(spinney, f"DecisionTree{kind}")(max_depth=1)


@pytest.mark.parametrize("name", ["Voting", "Stacking", "Bagging"])
@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_the_routers_are_scikit_learns(name, kind):
    with config_context(**ON):
        ours, others = (make(one, name, kind, taker(kind).set_fit_request(batch=True)) for one in (spinney, theirs))
        assert str(get_routing_for_object(ours)) == str(get_routing_for_object(others))
        assert hasattr(ours, "set_fit_request") == hasattr(others, "set_fit_request")


def test_the_final_estimator_of_a_stack_must_ask_for_what_predict_is_given():
    members = [("line", LinearRegression()), ("tree", spinney.DecisionTreeRegressor(max_depth=2))]
    with config_context(**ON):
        for library in (spinney, theirs):
            model = library.StackingRegressor(members, NumberTaker()).fit(X, NUMBERS)
            with pytest.raises(UnsetMetadataPassedError, match=r"\[scale\] are passed but are not explicitly set"):
                model.predict(X, scale=2)
            model = library.StackingRegressor(members, NumberTaker().set_predict_request(scale=True)).fit(X, NUMBERS)
            np.testing.assert_array_equal(model.predict(X, scale=2), 2 * model.predict(X))
    assert spinney.StackingRegressor(members, NumberTaker()).fit(X, NUMBERS).predict(X, scale=0).max() == 0


MADE = {
    "voting": lambda members: spinney.VotingClassifier(members),
    "stacking": lambda members: spinney.StackingClassifier(members, cv=2),
    "bucket": lambda members: spinney.BucketOfModels(members, cv=2),
    "averaging": lambda members: spinney.BayesianModelAveraging(members, cv=2),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_weights_that_nobody_asked_for_are_an_error(make):
    members = [("line", LogisticRegression()), ("tree", spinney.DecisionTreeClassifier())]
    with config_context(**ON):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            make(members).fit(X, CLASSES, sample_weight=WEIGHTS)
        asking = [(name, clone(one).set_fit_request(sample_weight=True)) for name, one in members]
        routed = make(asking).fit(X, CLASSES, sample_weight=WEIGHTS)
    plain = make(members).fit(X, CLASSES, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(routed.predict(X), plain.predict(X))


def test_weights_can_be_kept_from_a_member():
    tree = spinney.DecisionTreeClassifier(max_depth=2)
    with config_context(**ON):
        members = [
            ("a", tree.set_fit_request(sample_weight=True)),
            ("b", ClassTaker().set_fit_request(sample_weight=False)),
        ]
        bucket = spinney.BucketOfModels(members, cv=2).fit(X, CLASSES, sample_weight=WEIGHTS)
    assert bucket.best_name_ == "a"
    assert bucket.best_estimator_.fingerprint_ == tree.fit(X, CLASSES, sample_weight=WEIGHTS).fingerprint_


@pytest.mark.parametrize("model", [spinney.VotingRegressor, spinney.RankVoting, spinney.StackingRegressor])
def test_without_routing_only_weights_are_taken(model):
    with pytest.raises(TypeError, match=r"fit accepts X, y and sample_weight, got \['batch'\]. To route others"):
        model([("one", NumberTaker())]).fit(X, NUMBERS, batch=WEIGHTS)


def test_without_routing_bagging_takes_only_weights():
    with pytest.raises(TypeError, match=r"BaggingRegressor.fit accepts X, y and sample_weight, got \['batch'\]"):
        spinney.BaggingRegressor(NumberTaker()).fit(X, NUMBERS, batch=WEIGHTS)


SINGLE = [
    getattr(spinney, name)
    for name in spinney.__all__
    if inspect.isclass(getattr(spinney, name)) and hasattr(getattr(spinney, name), "fit")
]


@pytest.mark.parametrize("kind", SINGLE, ids=lambda kind: kind.__name__)
def test_every_argument_of_fit_can_be_requested(kind):
    """Members' arguments are theirs to ask for, so voting and the like have nothing to request."""
    arguments = list(inspect.signature(kind.fit).parameters)[3:]
    named = [one for one in arguments if one not in ("fit_params",)]
    with config_context(**ON):
        asks = getattr(kind, "set_fit_request", None)
        if kind.__name__.startswith(("Voting", "RankVoting", "Stacking", "Bucket", "BayesianModel")):
            assert asks is None
        elif named:
            assert set(named) <= set(inspect.signature(asks).parameters)


def test_weights_through_a_grid_search_and_a_pipeline():
    with config_context(**ON):
        tree = spinney.DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), tree)
        grid = {"decisiontreeclassifier__max_depth": [1, 3]}
        search = GridSearchCV(pipe, grid, cv=3, scoring="accuracy")
        with pytest.raises(UnsetMetadataPassedError):
            search.fit(X, CLASSES, sample_weight=WEIGHTS)
        search.set_params(scoring=None)
        pipe[-1].set_score_request(sample_weight=True)
        search.fit(X, CLASSES, sample_weight=WEIGHTS)
        best = clone(search.best_estimator_[-1]).fit(pipe[0].fit_transform(X), CLASSES, sample_weight=WEIGHTS)
        assert search.best_estimator_[-1].fingerprint_ == best.fingerprint_


def test_weights_through_cross_validation_of_a_vote():
    def scores(library):
        tree = spinney.DecisionTreeClassifier(max_depth=2).set_fit_request(sample_weight=True)
        vote = library.VotingClassifier(
            [("tree", tree), ("line", LogisticRegression().set_fit_request(sample_weight=True))]
        )
        return cross_val_score(vote, X, CLASSES, params={"sample_weight": WEIGHTS}, cv=3, scoring=by_accuracy)

    by_accuracy = make_scorer(accuracy_score)
    with config_context(**ON):
        by_accuracy.set_score_request(sample_weight=True)
        np.testing.assert_array_equal(scores(spinney), scores(theirs))
