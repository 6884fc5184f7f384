"""The gamma function's logarithm and the digamma function, beside SciPy's."""

import numpy as np
import pytest
from scipy.special import gammaln, psi

from spinney.cluster.variational import digammas_of, log_gammas_of

pytestmark = pytest.mark.kernels

NUMBERS = np.concatenate(
    [np.geomspace(1e-12, 1e8, 400), np.arange(1, 60) / 2, 1.4616321449683622 + np.linspace(-1e-3, 1e-3, 9)]
)


@pytest.mark.parametrize("mine, theirs", [(log_gammas_of, gammaln), (digammas_of, psi)])
def test_as_scipys(mine, theirs):
    wanted = theirs(NUMBERS)
    gap = np.abs(mine(NUMBERS) - wanted) / np.maximum(1.0, np.abs(wanted))
    assert gap.max() < 5e-15 * 4


def test_shapes_are_kept():
    table = np.arange(1.0, 7.0).reshape(2, 3)
    assert log_gammas_of(table).shape == digammas_of(table).shape == (2, 3)
    assert log_gammas_of(table)[1, 1] == pytest.approx(np.log(24.0))
    np.testing.assert_allclose(np.diff(digammas_of(np.array([3.0, 4.0]))), 1 / 3)
