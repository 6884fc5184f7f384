"""Parameters of the page: sliders and choices, and their valid values.

In: the values of a request. Out: valid values, or an error that names the valid range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sklearn import config_context

Values = dict[str, Any]


class LabError(ValueError):
    """An error that the user of the page can correct."""


class LabParameter(NamedTuple):
    """One slider, or one choice."""

    name: str
    label: str
    default: Any
    low: float = 0
    high: float = 0
    step: float = 1
    choices: tuple[tuple[str, str], ...] = ()  # (value, label)

    def as_json(self) -> dict[str, Any]:
        """Return what the page needs."""
        found: dict[str, Any] = {"name": self.name, "label": self.label, "default": self.default}
        if self.choices:
            return {**found, "choices": [list(one) for one in self.choices]}
        return {**found, "low": self.low, "high": self.high, "step": self.step}

    def read(self, value: Any) -> Any:
        """Return the value if it is valid."""
        if self.choices:
            known = [one for one, _ in self.choices]
            if value not in known:
                raise LabError(f"{self.label} must be one of {', '.join(known)}, got {value!r:.40}.")
            return value
        whole = isinstance(self.step, int)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):  # an integer may be larger than any float
            number = float("nan")
        if not self.low <= number <= self.high or (whole and number != int(number)):
            kind = "an integer" if whole else "a number"
            raise LabError(f"{self.label} must be {kind} from {self.low:g} to {self.high:g}, got {value!r:.40}.")
        return int(number) if whole else number


def read_values(parameters: Sequence[LabParameter], given: Any) -> Values:
    """Return a value for each parameter: the given one, or the default."""
    if not isinstance(given, Mapping):
        raise LabError("params must be an object of names and values.")
    known = {one.name for one in parameters}
    if strange := [name for name in given if name not in known]:
        raise LabError(f"There is no parameter {strange[0]!r:.40}; there is {', '.join(sorted(known)) or 'none'}.")
    return {one.name: one.read(given.get(one.name, one.default)) for one in parameters}


SEED = LabParameter("random_state", "seed", 0, 0, 99)


def as_code(model: Any) -> str:
    """Return the call that makes a model, in one line.

    >>> from spinney import DecisionTreeClassifier
    >>> as_code(DecisionTreeClassifier(max_depth=2))
    'DecisionTreeClassifier(max_depth=2)'
    """
    with config_context(print_changed_only=True):
        return " ".join(line.strip() for line in model.__repr__(N_CHAR_MAX=10_000).splitlines())
