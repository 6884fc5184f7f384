"""What can be set on the page: sliders and choices, and what their values may be.

In: what a request says. Out: values that a method can rely on, or a sentence that says what would be right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Values = dict[str, Any]


class LabError(ValueError):
    """Something that the person at the page can mend, in one sentence."""


class Parameter(NamedTuple):
    """One slider, or one choice."""

    name: str
    label: str
    default: Any
    low: float = 0
    high: float = 0
    step: float = 1
    choices: tuple[tuple[str, str], ...] = ()  # (value, in words)

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        found: dict[str, Any] = {"name": self.name, "label": self.label, "default": self.default}
        if self.choices:
            return {**found, "choices": [list(one) for one in self.choices]}
        return {**found, "low": self.low, "high": self.high, "step": self.step}

    def read(self, value: Any) -> Any:
        """The value, if it is one that this parameter can have."""
        if self.choices:
            known = [one for one, _ in self.choices]
            if value not in known:
                raise LabError(f"{self.label} must be one of {', '.join(known)}, got {value!r:.40}.")
            return value
        whole = isinstance(self.step, int)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):  # a whole number may be larger than any float
            number = float("nan")
        if not self.low <= number <= self.high or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            raise LabError(f"{self.label} must be {kind} from {self.low:g} to {self.high:g}, got {value!r:.40}.")
        return int(number) if whole else number


def read_values(parameters: Sequence[Parameter], given: Any) -> Values:
    """A value for each parameter: the one given, or the default."""
    if not isinstance(given, Mapping):
        raise LabError("params must be an object of names and values.")
    known = {one.name for one in parameters}
    if strange := [name for name in given if name not in known]:
        raise LabError(f"There is no parameter {strange[0]!r:.40} here; there is {', '.join(sorted(known)) or 'none'}.")
    return {one.name: one.read(given.get(one.name, one.default)) for one in parameters}


SEED = Parameter("random_state", "seed", 0, 0, 99)
