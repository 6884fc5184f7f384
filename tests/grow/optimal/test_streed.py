"""The same objective as STreeD's on columns of zeros and ones; only where `pystreed` is installed."""

import numpy as np
import pytest

from tests.grow.optimal.problems import find

pystreed = pytest.importorskip("pystreed")


def table(seed):
    """Columns that act together, some of them nearly the same."""
    random = np.random.RandomState(seed)
    n, n_columns = random.randint(60, 400), random.randint(4, 16)
    X = (random.rand(n, n_columns) < random.uniform(0.2, 0.8, n_columns)).astype(np.int32)
    X[:, -1] = np.where(random.rand(n) < 0.9, X[:, 0], X[:, -1])
    y = (X[:, 0] ^ X[:, 1]) + X[:, 2] * X[:, 3]
    y = np.where(random.rand(n) < 0.15, random.randint(0, 3, n), y)
    return X, (y if seed % 2 else np.minimum(y, 1)).astype(np.int32)


@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("seed", range(20))
def test_errors(seed, depth):
    X, y = table(seed)
    model = pystreed.STreeDClassifier(max_depth=depth, cost_complexity=0.0).fit(X, y)
    assert find(X, y, depth=depth).objective * len(y) == pytest.approx((model.predict(X) != y).sum())


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_penalty_per_leaf(seed, depth):
    X, y = table(seed)
    model = pystreed.STreeDClassifier(max_depth=depth, cost_complexity=0.01).fit(X, y)
    found = find(X, y, depth=depth, penalty=0.01)
    splits = found.objective - 0.01  # STreeD's penalty is one per split
    theirs = (model.predict(X) != y).mean() + 0.01 * model.get_n_leaves() - 0.01
    assert splits == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_squared_error(seed):
    X, y = table(seed)
    numbers = y + np.random.RandomState(seed).rand(len(y))
    model = pystreed.STreeDRegressor(max_depth=3, cost_complexity=0.0).fit(X, numbers)
    assert find(X, numbers, "squared_error", 3).objective == pytest.approx(((model.predict(X) - numbers) ** 2).mean())
