"""Scores by name or function, one or several."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.evaluate.scoring import Scoring

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(120, 3)
Y = np.array(["no", "yes"])[(X[:, 0] + RANDOM.randn(120) > 0).astype(int)]
WEIGHT = RANDOM.rand(120)


@pytest.fixture(scope="module")
def fitted():
    return DecisionTreeClassifier(max_depth=2).fit(X, Y)


@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "neg_log_loss", "f1_macro", "balanced_accuracy"])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_a_name_is_scikit_learns_scorer(name, weight, fitted):
    arguments = {} if weight is None else {"sample_weight": weight}
    expected = metrics.get_scorer(name)(fitted, X, Y, **arguments)
    assert Scoring(fitted, name)(fitted, X, Y, weight) == {"score": expected}


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("y", [Y, Y.tolist(), Y.astype(object)])
def test_by_default_the_models_own_score(weight, y, fitted):
    assert Scoring(fitted, None)(fitted, X, y, weight) == {"score": fitted.score(X, Y, weight)}
    assert Scoring(fitted, None).title == "accuracy"
    assert Scoring(DecisionTreeRegressor(), None).title == "r2"
    assert Scoring(KMeans(), None).title is None


def test_several_outputs_are_scored_by_their_own_score():
    both = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    model = DecisionTreeRegressor(max_depth=2).fit(X, both)
    assert Scoring(model, None)(model, X, both, None) == {"score": model.score(X, both)}


def test_several_scores_ask_the_model_once(fitted):
    asked = []

    class Counting(DecisionTreeClassifier):
        def predict(self, X, check_input=True):
            asked.append("predict")
            return super().predict(X)

        def predict_proba(self, X, check_input=True):
            asked.append("predict_proba")
            return super().predict_proba(X)

    model = Counting(max_depth=2).fit(X, Y)
    names = ["accuracy", "f1_macro", "roc_auc", "neg_log_loss", "specificity"]
    scores = Scoring(model, names)(model, X, Y, None)
    assert sorted(asked) == ["predict", "predict_proba"]
    assert list(scores) == names
    assert scores["roc_auc"] == metrics.roc_auc_score(Y, fitted.predict_proba(X)[:, 1])


def test_specificity(fitted):
    found = Scoring(fitted, "specificity")(fitted, X, Y, None)["score"]
    assert found == pytest.approx(metrics.recall_score(Y, fitted.predict(X), pos_label="no"))


def test_functions_and_dicts(fitted):
    def with_weight(model, X, y, sample_weight=None):
        return float(sample_weight is not None)

    def without(model, X, y):
        assert model is fitted
        return 7

    scoring = Scoring(fitted, {"a": with_weight, "b": without, "c": "accuracy"})
    assert scoring(fitted, X, Y, WEIGHT) == {"a": 1.0, "b": 7.0, "c": fitted.score(X, Y, WEIGHT)}
    assert scoring(fitted, X, Y, None)["a"] == 0.0
    assert not scoring.only_predicts
    assert Scoring(fitted, ["accuracy", "roc_auc"]).only_predicts
    assert Scoring(fitted, metrics.make_scorer(metrics.f1_score)).only_predicts
    assert Scoring(fitted, lambda m, X, y: {"p": 1, "q": 2})(fitted, X, Y, None) == {"p": 1.0, "q": 2.0}


@pytest.mark.parametrize(
    "scoring, message",
    [
        ("acuracy", "scoring='acuracy' is not a score. Did you mean 'accuracy'"),
        ("rocauc", "Did you mean 'roc_auc'"),
        (["accuracy", "accuracy"], "a list of different names"),
        ([], "scoring must be a name"),
        (3, "scoring must be a name"),
    ],
)
def test_errors(scoring, message, fitted):
    with pytest.raises(ValueError, match=message):
        Scoring(fitted, scoring)


def test_a_score_is_a_number(fitted):
    with pytest.raises(ValueError, match="scoring must return a number"):
        Scoring(fitted, lambda m, X, y: [1, 2])(fitted, X, Y, None)
    with pytest.raises(TypeError, match="StandardScaler has no score method"):
        Scoring(StandardScaler(), None)
