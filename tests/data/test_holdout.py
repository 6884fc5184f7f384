"""Rows held out: each row once, classes by their shares, the same for the same seed."""

import numpy as np
import pytest

from spinney.data.holdout import hold_out


@pytest.mark.parametrize("share", [0.25, 20])
def test_every_row_is_in_one_part(share):
    rows = np.arange(5, 85)
    kept, held = hold_out(rows, share, 0, None)
    np.testing.assert_array_equal(np.sort(np.concatenate([kept, held])), rows)
    assert len(held) == 20
    assert (np.diff(kept) > 0).all()
    assert (np.diff(held) > 0).all()
    np.testing.assert_array_equal(hold_out(rows, share, 0, None)[1], held)


def test_classes_keep_their_shares_unless_one_has_a_single_row():
    labels = np.repeat([0, 2], [30, 10])
    _, held = hold_out(np.arange(40), 0.5, 3, labels)
    np.testing.assert_array_equal(np.bincount(labels[held], minlength=3), [15, 0, 5])
    labels[0] = 1
    assert len(hold_out(np.arange(40), 0.5, 3, labels)[1]) == 20
