"""Arrays are put together alike by one thread and by several."""

import numpy as np
import pytest

from spinney._team import Team
from spinney.tree.arrays import joined


@pytest.mark.parametrize("n_rows", [3, 200_000])
def test_joined(n_rows):
    random = np.random.RandomState(0)
    parts = [random.randint(0, 9, (n_rows + k, 2)).astype(kind) for k, kind in enumerate([np.uint16, np.uint32])]
    parts.append(np.empty((0, 2), np.uint16))
    expected = np.concatenate(parts)
    with Team(3) as team:
        for found in (joined(parts), joined(parts, team)):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
