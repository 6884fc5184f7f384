"""Models as scikit-learn's: the same answers on float32 tables, and scikit-learn's own tools read them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.tree import export_text, plot_tree

from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    IsolationForest,
    KMeans,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    to_sklearn,
)

WINE, KIND = load_wine(return_X_y=True)
WINE = WINE.astype(np.float32)
NAMES = np.array(["red", "rose", "white"])[KIND]
SUGAR, LEVEL = load_diabetes(return_X_y=True)
SUGAR = SUGAR.astype(np.float32)
CLASSIFIERS = [
    DecisionTreeClassifier(),
    OptimalTreeClassifier(max_depth=2, time_budget=None, max_bins=16),
    RandomForestClassifier(7, random_state=0),
    GradientBoostingClassifier(n_estimators=7),
    GradientBoostingClassifier(n_estimators=7, max_bins=None),
    AdaBoostClassifier(n_estimators=7, random_state=0),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=7, reweight="resample", random_state=0),
    BaggingClassifier(n_estimators=7, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=7, max_features=0.4, random_state=0),
]
REGRESSORS = [
    DecisionTreeRegressor(max_depth=5),
    OptimalTreeRegressor(max_depth=2, time_budget=None, max_bins=16),
    RandomForestRegressor(7, random_state=0),
    ExtraTreesRegressor(7, random_state=0),
    GradientBoostingRegressor(n_estimators=7),
    GradientBoostingRegressor(n_estimators=7, max_bins=None),
    GradientBoostingRegressor(n_estimators=7, loss="absolute_error"),
    AdaBoostRegressor(n_estimators=7, random_state=0),
    BaggingRegressor(n_estimators=7, max_features=0.5, bootstrap_features=True, random_state=0),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("labels", [NAMES, KIND > 0], ids=["names", "two"])
def test_classifiers(model, labels):
    theirs = to_sklearn(model.fit(WINE, labels))
    assert type(theirs).__module__.startswith("sklearn.")
    assert type(theirs).__name__ == type(model).__name__.replace("Optimal", "Decision")
    np.testing.assert_array_equal(theirs.predict(WINE), model.predict(WINE))
    np.testing.assert_allclose(theirs.predict_proba(WINE), model.predict_proba(WINE), rtol=1e-12)
    if hasattr(theirs, "apply"):
        np.testing.assert_array_equal(theirs.apply(WINE), model.apply(WINE))
    if hasattr(theirs, "estimators_features_"):
        for one, other in zip(theirs.estimators_features_, model.estimators_features_, strict=True):
            np.testing.assert_array_equal(one, other)
    if hasattr(model, "decision_function"):
        np.testing.assert_allclose(theirs.decision_function(WINE), model.decision_function(WINE), rtol=1e-12)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda one: type(one).__name__)
def test_regressors(model):
    theirs = to_sklearn(model.fit(SUGAR, LEVEL))
    np.testing.assert_allclose(theirs.predict(SUGAR), model.predict(SUGAR), rtol=1e-12)


@pytest.mark.slow
def test_several_outputs_names_and_missing_values():
    frame = pd.DataFrame(SUGAR, columns=[f"c{j}" for j in range(10)])
    frame.iloc[::7, 2] = np.nan
    several = np.column_stack([LEVEL, -LEVEL])
    for model in (DecisionTreeRegressor(max_depth=4), RandomForestRegressor(5, random_state=0)):
        theirs = to_sklearn(model.fit(frame, several))
        np.testing.assert_allclose(theirs.predict(frame), model.predict(frame))
        assert theirs.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    forest = RandomForestClassifier(5, random_state=0).fit(frame, np.column_stack([LEVEL > 100, KIND_OF_LEVEL]))
    theirs = to_sklearn(forest)
    for mine, other in zip(forest.predict_proba(frame), theirs.predict_proba(frame), strict=True):
        np.testing.assert_allclose(other, mine)


@pytest.mark.parametrize("params", [{}, {"max_samples": 0.5, "max_features": 0.3}, {"contamination": 0.1}])
def test_isolation_forests(params):
    model = IsolationForest(n_estimators=9, random_state=0, **params).fit(WINE)
    theirs = to_sklearn(model)
    np.testing.assert_allclose(theirs.score_samples(WINE), model.score_samples(WINE), rtol=1e-12)
    np.testing.assert_allclose(theirs.decision_function(WINE), model.decision_function(WINE), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(theirs.predict(WINE), model.predict(WINE))


def test_scikit_learn_can_fit_them_again():
    for model, y in ((AdaBoostClassifier(n_estimators=3), KIND), (BaggingRegressor(n_estimators=3), KIND)):
        theirs = clone(to_sklearn(model.fit(WINE, y)))
        assert type(theirs.estimator).__module__.startswith("sklearn.")
        assert len(theirs.fit(WINE, y).estimators_) == 3


KIND_OF_LEVEL = np.digitize(LEVEL, [100, 200])


def test_scikit_learns_tools_read_them():
    theirs = to_sklearn(DecisionTreeClassifier(max_depth=2).fit(WINE, NAMES))
    assert "class: red" in export_text(theirs)
    assert len(plot_tree(theirs)) == 9  # boxes, and the words at the first arrows
    assert theirs.get_depth() == 2
    np.testing.assert_allclose(theirs.feature_importances_.sum(), 1.0)


LETTERS = pd.DataFrame({"a": ["x", "y", "z"] * 10}), [0, 1, 2] * 10
NOT_THEIRS = {
    "not fitted": (lambda: DecisionTreeClassifier(), NotFittedError, "not fitted"),
    "categories": (
        lambda: DecisionTreeClassifier().fit(*LETTERS),
        ValueError,
        "splits on categories, but scikit-learn's trees support only numbers",
    ),
    "C4.5": (
        lambda: C45Classifier().fit(*LETTERS),
        TypeError,
        "to_sklearn accepts a fitted model of these classes",
    ),
    "k-means": (
        lambda: KMeans(2, random_state=0).fit(WINE),
        TypeError,
        "to_sklearn accepts a fitted model of these classes",
    ),
    "bagging of C4.5": (
        lambda: BaggingClassifier(C45Classifier(), n_estimators=2).fit(WINE, NAMES),
        TypeError,
        "accepts AdaBoost and bagging only of decision trees; this BaggingClassifier has a C45",
    ),
    "SAMME.R": (
        lambda: AdaBoostClassifier(n_estimators=2, algorithm="SAMME.R").fit(WINE, NAMES),
        ValueError,
        r"AdaBoostClassifier does not support algorithm='SAMME\.R'\. Fit with",
    ),
    "two outputs": (
        lambda: BaggingClassifier(n_estimators=2).fit(WINE, np.c_[KIND, KIND]),
        ValueError,
        "BaggingClassifier supports one output; this model has 2",
    ),
    "a loss": (
        lambda: GradientBoostingRegressor(loss="poisson", n_estimators=2).fit(SUGAR, LEVEL),
        ValueError,
        "does not support loss='poisson'",
    ),
}


@pytest.mark.parametrize("name", NOT_THEIRS)
def test_errors(name):
    make, error, words = NOT_THEIRS[name]
    model = make()
    with pytest.raises(error, match=words):
        to_sklearn(model)
