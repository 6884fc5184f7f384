"""Forty models, bit for bit those of tests/fingerprints.txt: whatever is rebuilt, no model changes unnoticed.

A change that is meant is said in the CHANGELOG, and written by
`python -m tests.test_fingerprints > tests/fingerprints.txt`.
"""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import spinney
from spinney._compile import PLAIN_PYTHON
from tests.families import FEW, FITS, categories, classes, numbers, table, target

KNOWN = Path(__file__).with_name("fingerprints.txt")
SMALL = {"min_samples_leaf": 5, **FEW}


def sparse():
    return scipy.sparse.csr_matrix(np.where(numbers() > 0.5, numbers(), 0.0))


def weights():
    return np.random.RandomState(1).randint(0, 3, 80)


MORE = {
    "boosting-search": lambda: spinney.GradientBoostingClassifier(random_state=0).fit(table(300), classes(300)),
    "boosting-stopped": lambda: spinney.GradientBoostingRegressor(
        n_estimators=50, early_stopping=True, random_state=0
    ).fit(table(300), target(300)),
    "boosting-poisson": lambda: spinney.GradientBoostingRegressor("poisson", **SMALL).fit(table(), np.abs(target())),
    "boosting-gamma": lambda: spinney.GradientBoostingRegressor("gamma", **SMALL).fit(table(), 1 + np.abs(target())),
    "boosting-tweedie": lambda: spinney.GradientBoostingRegressor("tweedie", **SMALL).fit(table(), np.abs(target())),
    "boosting-quantile": lambda: spinney.GradientBoostingRegressor("quantile", quantile=0.8, **SMALL).fit(
        table(), target()
    ),
    "boosting-huber": lambda: spinney.GradientBoostingRegressor("huber", **SMALL).fit(table(), target()),
    "boosting-exponential": lambda: spinney.GradientBoostingClassifier("exponential", **SMALL).fit(
        table(), classes() > 0
    ),
    "boosting-absolute-exact": lambda: spinney.GradientBoostingRegressor("absolute_error", max_bins=None, **SMALL).fit(
        table(), target(), weights()
    ),
    "boosting-sparse": lambda: spinney.GradientBoostingClassifier(**SMALL).fit(sparse(), classes()),
    "boosting-level-wise": lambda: spinney.GradientBoostingRegressor(
        growth="level_wise", subsample=0.7, max_features=0.5, monotonic_cst=[1, 0, 0, -1], **SMALL
    ).fit(numbers(), target(), weights()),
    "tree-best-first": lambda: spinney.DecisionTreeClassifier(max_leaf_nodes=7, random_state=0).fit(
        table(), classes(), weights()
    ),
    "tree-absolute": lambda: spinney.DecisionTreeRegressor(criterion="absolute_error", max_depth=3).fit(
        table(), target()
    ),
    "tree-sparse": lambda: spinney.DecisionTreeClassifier(max_depth=4, random_state=0).fit(sparse(), classes()),
    "forest-of-values": lambda: spinney.RandomForestRegressor(max_bins=None, **FEW).fit(table(), target(), weights()),
    "forest-monotone": lambda: spinney.RandomForestRegressor(monotonic_cst=[1, 0, 0, 0], **FEW).fit(
        numbers(), target()
    ),
    "forest-categories": lambda: spinney.RandomForestClassifier(categorical_features=[3], **FEW).fit(
        table(), classes(), weights()
    ),
    "c45-subset": lambda: spinney.C45Classifier(subset=True, categorical_features=[0, 1, 2]).fit(
        categories(), classes()
    ),
    "kmeans-weighted": lambda: spinney.KMeans(n_clusters=4, random_state=1).fit(numbers(), sample_weight=weights()),
}
EVERY = FITS | MORE


def known():
    return dict(line.split() for line in KNOWN.read_text().splitlines())


def test_every_model_is_known():
    assert list(known()) == list(EVERY)
    assert len(EVERY) > 40


@pytest.mark.skipif(PLAIN_PYTHON, reason="a minute and more in plain Python")
@pytest.mark.parametrize("name", EVERY)
def test_the_model_is_the_known_one(name):
    assert EVERY[name]().fingerprint_ == known()[name]


if __name__ == "__main__":
    for name, fit in EVERY.items():
        print(name, fit().fingerprint_, flush=True)
