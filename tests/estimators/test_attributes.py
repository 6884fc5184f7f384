"""Fitted attributes and what methods return, beside scikit-learn's: the same names, shapes and dtypes; warnings too."""

import warnings

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.datasets import load_diabetes, load_iris

import spinney

CLASSES, NUMBERS = load_iris(return_X_y=True), load_diabetes(return_X_y=True)
OOB = {"n_estimators": 30, "oob_score": True, "random_state": 0}
CASES = [
    ("RandomForestClassifier", OOB),
    ("RandomForestRegressor", OOB),
    ("ExtraTreesClassifier", {"bootstrap": True, **OOB}),
    ("ExtraTreesRegressor", {"n_estimators": 5}),
    ("RandomTreesEmbedding", {"n_estimators": 5}),
    ("BaggingClassifier", {"max_features": 0.5, **OOB}),
    ("BaggingRegressor", OOB),
    ("AdaBoostClassifier", {"n_estimators": 8}),
    ("AdaBoostRegressor", {"n_estimators": 8}),
    ("IsolationForest", {"n_estimators": 5}),
    ("DecisionTreeClassifier", {}),
    ("DecisionTreeRegressor", {}),
    ("ExtraTreeClassifier", {}),
    ("ExtraTreeRegressor", {}),
]
METHODS = "predict", "predict_proba", "predict_log_proba", "decision_function", "apply", "score_samples"
# an array of our own, and whole numbers that are NumPy's in scikit-learn's single trees
OTHERWISE = {"tree_", "n_classes_"}


def fit_both(name, settings, several):
    X, y = CLASSES if name.endswith("Classifier") else NUMBERS
    if several:
        y = np.column_stack([y > 0, y > 1]).astype(int) if name.endswith("Classifier") else np.column_stack([y, -y])
    home = sklearn.ensemble if hasattr(sklearn.ensemble, name) else sklearn.tree
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return X, [getattr(room, name)(**settings).fit(X, y) for room in (spinney, home)]


def form(value):
    """What a value looks like from outside."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype
    if isinstance(value, (list, tuple)):
        return type(value), len(value), [form(one) for one in value[:1]]
    return type(value).__name__


@pytest.mark.parametrize("name, settings", CASES, ids=[name for name, _ in CASES])
@pytest.mark.parametrize("several", [False, True])
def test_attributes_and_answers_have_scikit_learns_forms(name, settings, several):
    if several and name.startswith(("Ada", "Bagging", "Iso", "RandomTreesE")):
        return
    X, (mine, theirs) = fit_both(name, settings, several)
    fitted = [one for one in dir(theirs) if one.endswith("_") and not one.startswith("_") and hasattr(theirs, one)]
    assert "n_features_in_" in fitted
    for one in set(fitted) - OTHERWISE:
        if name.startswith("Ada") and one == "estimators_":  # stops after other rounds
            assert type(mine.estimators_) is list
        elif one in ("estimator_weights_", "estimator_errors_"):
            assert getattr(mine, one).dtype == getattr(theirs, one).dtype
            assert len(mine.estimators_) <= len(getattr(mine, one)) <= mine.n_estimators
        elif one == "max_features_" or one == "one_hot_encoder_":
            assert hasattr(mine, one)
        else:
            assert form(getattr(mine, one)) == form(getattr(theirs, one)), one
    for method in METHODS:
        assert hasattr(mine, method) or not hasattr(theirs, method), method
        if hasattr(theirs, method) and not (several and method == "decision_function"):
            assert form(getattr(mine, method)(X)) == form(getattr(theirs, method)(X)), method


def test_rows_drawn_are_numbers_of_rows():
    X, (mine, theirs) = fit_both("RandomForestClassifier", OOB, False)
    for a, b in zip(mine.estimators_samples_, theirs.estimators_samples_, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert 0 <= a.min() <= a.max() < len(X)
        assert len(np.unique(a)) / len(X) == pytest.approx(0.632, abs=0.15)


@pytest.mark.parametrize(
    "kind", ["RandomForestClassifier", "RandomForestRegressor", "BaggingClassifier", "BaggingRegressor"]
)
def test_warnings_and_errors_are_where_scikit_learn_has_them(kind):
    X, y = CLASSES
    for room in (spinney, sklearn.ensemble):
        make = getattr(room, kind)
        with pytest.warns(UserWarning, match="do not have OOB scores"):
            make(n_estimators=2, oob_score=True, random_state=0).fit(X, y)
        warm = make(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
        with pytest.warns(UserWarning, match="n_estimators"):
            warm.fit(X, y)
        with pytest.raises(ValueError, match="n_estimators"):
            warm.set_params(n_estimators=2).fit(X, y)
        with pytest.raises(ValueError, match="bootstrap"):
            make(oob_score=True, bootstrap=False).fit(X, y)


@pytest.mark.parametrize("kind", ["RandomForestClassifier", "ExtraTreesClassifier"])
@pytest.mark.parametrize("preset", ["balanced", "balanced_subsample"])
def test_presets_of_class_weights_with_a_warm_start_are_warned_of(kind, preset):
    X, y = CLASSES
    for room in (spinney, sklearn.ensemble):
        with pytest.warns(UserWarning, match="compute_class_weight"):
            getattr(room, kind)(n_estimators=2, warm_start=True, class_weight=preset).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(room, kind)(n_estimators=2, class_weight=preset).fit(X, y)
            getattr(room, kind)(n_estimators=2, warm_start=True, class_weight={0: 1, 1: 2, 2: 1}).fit(X, y)


@pytest.mark.slow
def test_logarithms_of_probabilities_are_everywhere():
    X, y = CLASSES
    kinds = [
        *("AdaBoostClassifier", "BaggingClassifier", "RandomForestClassifier", "ExtraTreesClassifier"),
        *("RandomStructureForestClassifier", "GradientBoostingClassifier", "DecisionTreeClassifier"),
        *("ExtraTreeClassifier", "C45Classifier"),
    ]
    for kind in kinds:
        model = getattr(spinney, kind)().fit(X, y)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-12)
