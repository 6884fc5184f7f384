"""Intervals and sets, equal to MAPIE's to the last digit on the same rows, folds, bags and scores."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes, load_wine

import spinney

mapie = pytest.importorskip("mapie")
X, Y = load_diabetes(return_X_y=True)
LEVELS = [0.5, 0.8, 0.9, 0.95]


@pytest.mark.parametrize("level", LEVELS)
def test_split_conformal_regression(level):
    from mapie.regression import SplitConformalRegressor

    model = spinney.GradientBoostingRegressor(n_estimators=30).fit(X[:200], Y[:200])
    theirs = SplitConformalRegressor(model, confidence_level=level, prefit=True).conformalize(X[200:340], Y[200:340])
    mine = model.calibrate(X[200:340], Y[200:340]).predict_interval(X[340:], level)
    assert np.array_equal(mine, theirs.predict_interval(X[340:])[1][:, :, 0])


@pytest.mark.parametrize("level", LEVELS)
def test_sets_of_classes(level):
    from mapie.classification import SplitConformalClassifier

    Z, labels = load_wine(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(labels))
    fitted, held, new = order[:60], order[60:130], order[130:]
    model = spinney.RandomForestClassifier(30, random_state=0).fit(Z[fitted, :2], labels[fitted])
    theirs = SplitConformalClassifier(model, confidence_level=level, prefit=True, conformity_score="lac")
    theirs.conformalize(Z[held, :2], labels[held])
    mine = model.calibrate(Z[held, :2], labels[held]).predict_set(Z[new, :2], level)
    assert np.array_equal(mine, theirs.predict_set(Z[new, :2])[1][:, :, 0])


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_conformalised_quantile_regression(level):
    from mapie.regression import ConformalizedQuantileRegressor

    forest = spinney.RandomForestRegressor(30, keep_targets=True, random_state=0).fit(X[:200], Y[:200])
    low, high = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    models = [_Quantile(forest, share) for share in (low, high, 0.5)]
    theirs = ConformalizedQuantileRegressor(models, confidence_level=level, prefit=True)
    theirs.conformalize(X[200:340], Y[200:340])
    mine = forest.calibrate(X[200:340], Y[200:340], spread="quantiles", level=level).predict_interval(X[340:], level)
    found = theirs.predict_interval(X[340:], symmetric_correction=True)[1][:, :, 0]
    np.testing.assert_allclose(mine, found, rtol=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_jackknife_plus_after_bootstrap(level):
    """The same trees, found again by the rows that each was grown on."""
    from mapie.regression import JackknifeAfterBootstrapRegressor

    rows = np.arange(120)
    forest = spinney.RandomForestRegressor(40, oob_score=True, random_state=0).fit(X[rows], Y[rows])
    tagged = np.column_stack([X, np.arange(len(X))])
    theirs = JackknifeAfterBootstrapRegressor(
        _OneTree(forest), confidence_level=level, method="plus", resampling=_bags_of(forest), aggregation_method="mean"
    )
    theirs.fit_conformalize(tagged[rows], Y[rows])
    found = theirs.predict_interval(tagged[200:300])[1][:, :, 0]
    np.testing.assert_allclose(forest.predict_interval(X[200:300], level), found, rtol=1e-12)


class _Quantile(RegressorMixin, BaseEstimator):
    """A quantile of a fitted forest."""

    def __init__(self, forest, share):
        self.forest, self.share = forest, share
        self.fitted_ = True

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.forest.predict_quantiles(X, self.share)


class _OneTree(RegressorMixin, BaseEstimator):
    """The tree of a forest that was grown on these rows, whose numbers are in the last column."""

    def __init__(self, forest):
        self.forest = forest

    def __sklearn_clone__(self):
        return _OneTree(self.forest)

    def fit(self, X, y):
        mine = np.sort(X[:, -1].astype(int))
        samples = enumerate(self.forest.estimators_samples_)
        self.number_ = next((k for k, one in samples if np.array_equal(np.sort(one), mine)), None)
        return self

    def predict(self, X):
        if self.number_ is None:  # the model of all rows
            return self.forest.predict(X[:, :-1])
        return self.forest.estimators_[self.number_].predict(X[:, :-1])


def _bags_of(forest):
    """A splitter whose training rows are the bags of a forest."""
    from mapie.subsample import Subsample

    class Bags(Subsample):
        def split(self, X, *args, **kwargs):
            for one in forest.estimators_samples_:
                yield one, np.setdiff1d(np.arange(len(X)), one)

    return Bags(n_resamplings=len(forest))
