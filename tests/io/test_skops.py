"""skops, and whatever else keeps an object by its state, can keep every model after it has predicted."""

import numpy as np
import pytest

import spinney
from tests.io.models import answers, fitted

KINDS = ["RandomForestClassifier", "ExtraTreesRegressor", "GradientBoostingClassifier", "IsolationForest"]
KINDS += ["VotingClassifier", "StackingRegressor", "AdaBoostClassifier", "BaggingRegressor", "GaussianMixture"]


def test_the_state_of_bins_is_what_was_learnt():
    """Not what was worked out for prediction, whose keys are tuples: JSON has no such keys."""
    model, X = fitted(spinney.RandomForestClassifier)
    model.predict(X)
    bins = model.forest_.bins
    assert set(bins.__getstate__()) == {"edges", "category_codes", "n_bins", "is_categorical"} < set(vars(bins))


@pytest.mark.parametrize("name", KINDS)
def test_through_skops(name):
    skops = pytest.importorskip("skops.io")
    model, X = fitted(getattr(spinney, name))
    expected = answers(model, X)
    content = skops.dumps(model)
    again = skops.loads(content, trusted=skops.get_untrusted_types(data=content))
    found = answers(again, X)
    assert set(found) == set(expected)
    for method, answer in found.items():
        np.testing.assert_array_equal(answer, expected[method])
