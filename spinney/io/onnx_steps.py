"""Steps of a scikit-learn Pipeline before the model as ONNX operators, where they treat each column by itself.

In: a fitted Pipeline. Out: its last step, and what the steps before it do to the input `X`: the same float64 operations
in the same order as in scikit-learn. Other steps raise an error that says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from spinney.io.onnx_graph import Graph

Operations = list[tuple[str, np.ndarray]]  # (operator, its second operand, one number per column)


def split_pipeline(model: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """(the last step, the names and estimators of those before it that do something)."""
    if not isinstance(model, Pipeline):
        return model, []
    check_is_fitted(model)
    steps = [(name, step) for name, step in model.steps[:-1] if step not in (None, "passthrough")]
    return model.steps[-1][1], steps


def operations_of(steps: list[tuple[str, Any]]) -> Operations:
    """What the steps do, one operator after the other."""
    return [one for name, step in steps for one in _operations(name, step)]


def _operations(name: str, step: Any) -> Operations:
    read = _READERS.get(type(step))
    found = None if read is None else read(step)
    if found is None:
        known = ", ".join(kind.__name__ for kind in _READERS)
        raise ValueError(
            f"the step {name!r} of this Pipeline, {step!r:.80}, cannot be exported to ONNX. Supported steps: {known}, "
            "of numbers, without clip and indicators. Export the last step alone, pipeline[-1], and convert the steps "
            "before it with skl2onnx; onnx.compose.merge_models joins both graphs."
        )
    return [(operator, np.asarray(values, np.float64)) for operator, values in found]


def _standard(step: Any) -> Any:
    centre = [("Sub", step.mean_)] if step.with_mean else []
    return centre + ([("Div", step.scale_)] if step.with_std else [])


def _robust(step: Any) -> Any:
    centre = [("Sub", step.center_)] if step.with_centering else []
    return centre + ([("Div", step.scale_)] if step.with_scaling else [])


def _min_max(step: Any) -> Any:
    return None if step.clip else [("Mul", step.scale_), ("Add", step.min_)]


def _max_abs(step: Any) -> Any:
    return None if getattr(step, "clip", False) else [("Div", step.scale_)]


def _imputer(step: Any) -> Any:
    """None if it adds columns, leaves some out, or fills in something else than NaN."""
    if step.add_indicator:
        return None
    values, missing = step.statistics_.tolist(), step.missing_values
    numbers = all(isinstance(one, float | int) and one == one for one in values)
    return [("Fill", values)] if numbers and isinstance(missing, float) and missing != missing else None


_READERS: dict[type, Callable[[Any], Any]] = {
    StandardScaler: _standard,
    RobustScaler: _robust,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    SimpleImputer: _imputer,
}


def add_operations(graph: Graph, what: str, operations: Operations) -> str:
    """(rows, columns) of doubles after all of them."""
    for operator, values in operations:
        operand = graph.constant(values, operator.lower())
        if operator == "Fill":
            what = graph.add("Where", [graph.add("IsNaN", [what]), operand, what])
        else:
            what = graph.add(operator, [what, operand])
    return what
