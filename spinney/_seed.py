"""Seed: one integer from whatever stands for one."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_random_state


def read_seed(random_state: Any) -> int:
    """One integer from a scikit-learn random state."""
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def repeated_seed(random_state: Any) -> int:
    """The same for models that are the same in every fit where no seed is given: None stands for 0."""
    return read_seed(0 if random_state is None else random_state)
