"""Metadata: what else its owner keeps in a model file, in JSON's types. The command line keeps its recipe there.

In: a dict. Out: the same, checked; nothing in it is looked at by whoever loads the model.
"""

from __future__ import annotations

import math
from typing import Any


def check_metadata(metadata: Any) -> dict[str, Any]:
    """A dict from str to None, bool, int, finite float, str, or lists and dicts of such; else a TypeError."""
    if not isinstance(metadata, dict):
        raise TypeError(f"metadata must be a dict, got {metadata!r:.80}.")
    _check(metadata, "metadata")
    return metadata


def _check(value: Any, place: str) -> None:
    kind = type(value)
    if kind is dict:
        for name, one in value.items():
            if type(name) is not str:
                raise TypeError(f"the keys of {place} must be strings, got {name!r:.80}.")
            _check(one, f"{place}[{name!r}]")
    elif kind is list:
        for number, one in enumerate(value):
            _check(one, f"{place}[{number}]")
    elif not (value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value))):
        raise TypeError(f"{place} must be None, a bool, int, finite float, str, list or dict, got {value!r:.80}.")
