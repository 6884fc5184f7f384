"""Models as scikit-learn's: the same answers on float32 tables, and scikit-learn's own tools read them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.tree import export_text, plot_tree

from spinney import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
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
    RandomForestClassifier(7, random_state=0),
    GradientBoostingClassifier(n_estimators=7),
    GradientBoostingClassifier(n_estimators=7, max_bins=None),
]
REGRESSORS = [
    DecisionTreeRegressor(max_depth=5),
    RandomForestRegressor(7, random_state=0),
    ExtraTreesRegressor(7, random_state=0),
    GradientBoostingRegressor(n_estimators=7),
    GradientBoostingRegressor(n_estimators=7, max_bins=None),
    GradientBoostingRegressor(n_estimators=7, loss="absolute_error"),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("labels", [NAMES, KIND > 0], ids=["names", "two"])
def test_classifiers(model, labels):
    theirs = to_sklearn(model.fit(WINE, labels))
    assert type(theirs).__module__.startswith("sklearn.")
    assert type(theirs).__name__ == type(model).__name__
    np.testing.assert_array_equal(theirs.predict(WINE), model.predict(WINE))
    np.testing.assert_allclose(theirs.predict_proba(WINE), model.predict_proba(WINE), rtol=1e-12)
    np.testing.assert_array_equal(theirs.apply(WINE), model.apply(WINE))
    if hasattr(model, "decision_function"):
        np.testing.assert_allclose(theirs.decision_function(WINE), model.decision_function(WINE), rtol=1e-12)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda one: type(one).__name__)
def test_regressors(model):
    theirs = to_sklearn(model.fit(SUGAR, LEVEL))
    np.testing.assert_allclose(theirs.predict(SUGAR), model.predict(SUGAR), rtol=1e-12)


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


KIND_OF_LEVEL = np.digitize(LEVEL, [100, 200])


def test_scikit_learns_tools_read_them():
    theirs = to_sklearn(DecisionTreeClassifier(max_depth=2).fit(WINE, NAMES))
    assert "class: red" in export_text(theirs)
    assert len(plot_tree(theirs)) == 9  # boxes, and the words at the first arrows
    assert theirs.get_depth() == 2
    np.testing.assert_allclose(theirs.feature_importances_.sum(), 1.0)


def test_errors():
    with pytest.raises(NotFittedError):
        to_sklearn(DecisionTreeClassifier())
    words = pd.DataFrame({"a": ["x", "y", "z"] * 10})
    with pytest.raises(ValueError, match="asks about categories, and scikit-learn's trees know numbers only"):
        to_sklearn(DecisionTreeClassifier().fit(words, [0, 1, 2] * 10))
    with pytest.raises(TypeError, match="to_sklearn takes a fitted model of these classes"):
        to_sklearn(C45Classifier().fit(words, [0, 1, 2] * 10))
    with pytest.raises(ValueError, match="has no loss like 'poisson'"):
        to_sklearn(GradientBoostingRegressor(loss="poisson", n_estimators=2).fit(SUGAR, LEVEL))
