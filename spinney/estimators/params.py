"""Parameters of the estimators: kept by constructors, checked by fits."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from sklearn.utils._param_validation import validate_parameter_constraints


def check_parameters(estimator: Any) -> None:
    """scikit-learn's check of the parameters, for those that are not at their defaults."""
    kind: Any = type(estimator)
    defaults = _defaults(kind)
    changed = {name: value for name in defaults if (value := getattr(estimator, name)) is not defaults[name]}
    if changed:
        name = type(estimator).__name__
        validate_parameter_constraints(estimator._parameter_constraints, changed, caller_name=name)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {one.name: one.default for one in parameters}
