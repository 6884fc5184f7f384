"""A fitted model as an ONNX graph.

In: any fitted model of trees. Out: an `onnx.ModelProto`: inputs as the table has them, categories looked up by value,
trees (onnx_graph.py), and what becomes of their scores (onnx_graph.py); all in float64.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from spinney._whole_file import whole_file
from spinney.data.schema import Schema, SchemaColumn
from spinney.ensemble.conformal import Guarantee, guarantee_of
from spinney.io.onnx_graph import (
    IR_VERSION,
    ML,
    OPSETS,
    Answer,
    Graph,
    add_answer,
    add_interval,
    add_set,
    import_onnx,
    text_of,
)
from spinney.tree.formula import ZERO, ColumnCells, Formula, Mixture, complete_formula


def to_onnx(
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    dtype: str = "float64",
    interval: float | None = None,
) -> Any:
    """Convert a fitted tree model to ONNX, for any runtime with the operators of ai.onnx.ml 5.

    Strings and categories are looked up inside the graph. Missing values are NaN, and unseen categories count as
    missing. All numbers are float64, so predictions equal Spinney's within 1e-12.

    Parameters
    ----------
    model : fitted model
        A decision tree, forest, boosted model, isolation forest, or bagging or AdaBoost of decision trees; linear
        leaves are supported; also a `Voting*`, `Auto*` or `BucketOfModels*` of these, or an imported model (equal up to
        rounding). A scikit-learn Pipeline is accepted if its last step is such a model and its other steps are
        StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler or SimpleImputer. C4.5 trees, which send missing values
        down several branches, and AdaBoostRegressor, which predicts a median, cannot be expressed in ONNX and raise
        ValueError.
    path : str or path, default=None
        File to write the ONNX model to.
    dtype : {"float64", "float32"}, default="float64"
        Type of numeric inputs. The graph compares float32 values with the thresholds directly, so predictions equal
        those of Spinney for the same float32 data. Outputs are float64 in both cases.
    interval : float, default=None
        Level of intervals or sets of classes, such as 0.9, which become another output: those of `predict_interval` and
        `predict_set`. The model must be calibrated; `to_c` says how.

    Returns
    -------
    onnx.ModelProto
        A graph with these inputs, outputs and metadata:

        ============= =============================================================================================
        inputs        Data without strings: `X`, (rows, columns). Data with strings: one input per column, with its
                      name, (rows, 1), of strings or numbers. A string that is not a category counts as missing.
        classifiers   `label` (rows,), int64 (uint64 beyond 2**63), strings, float64 or Booleans as in `classes_`;
                      `probabilities` (rows, classes)
        regressors    `variable` (rows, outputs)
        isolation     `label` (rows,), -1 for outliers and 1; `scores` (rows, 1), `decision_function`
        interval=0.9  regressors: `interval` (rows, 2), low and high ends; classifiers: `set` (rows, classes), Booleans
        several       `label` (rows, outputs) and `probabilities_0`, `probabilities_1`, ...
        outputs
        metadata      `spinney.version`, `spinney.model`, `spinney.fingerprint`, `spinney.columns` (names and
                      categories) and `spinney.classes`, in JSON; `spinney.interval`
        ============= =============================================================================================

    See Also
    --------
    to_json, to_python, to_c

    Examples
    --------
    >>> import numpy as np
    >>> import onnxruntime
    >>> from spinney import RandomForestClassifier, to_onnx
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> session = onnxruntime.InferenceSession(to_onnx(forest).SerializeToString())
    >>> kinds = {"tensor(string)": object, "tensor(double)": np.float64}
    >>> feed = {one.name: X[[one.name]].to_numpy().astype(kinds[one.type]) for one in session.get_inputs()}
    >>> label, probabilities = session.run(["label", "probabilities"], feed)
    >>> bool((label == forest.predict(X)).all())
    True
    """
    onnx = import_onnx()
    if dtype not in ("float64", "float32"):
        raise ValueError(f"dtype must be 'float64' or 'float32', got {dtype!r}.")
    model, steps = split_pipeline(model)
    operations = operations_of(steps)
    formula = complete_formula(model, may_be_linear=True)
    _check_steps(operations, formula.schema, dtype)
    inputs = _input_names(formula.schema)
    graph = Graph(inputs)
    kind = onnx.TensorProto.DOUBLE if dtype == "float64" else onnx.TensorProto.FLOAT
    table = _add_table(graph, formula, inputs, dtype, operations)
    kept = guarantee_of(model, interval)
    answer = add_answer(graph, formula, table, kept is not None and kept.by_trees)
    outputs = _add_outputs(graph, formula, answer, kept)
    written = onnx.helper.make_graph(
        graph.nodes, formula.model, _inputs(onnx, formula.schema, inputs, kind), outputs, graph.constants
    )
    opsets = [onnx.helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    made = onnx.helper.make_model(written, opset_imports=opsets, ir_version=IR_VERSION, producer_name="spinney")
    _describe(onnx, made, formula, kept)
    onnx.checker.check_model(made)
    if path is not None:
        with whole_file(path) as file:  # in the form that its suffix names, as onnx.save does
            suffix = os.path.splitext(path)[1]
            onnx.save(made, file, onnx.serialization.registry.get_format_from_file_extension(suffix))
    return made


def _one_tensor(schema: Schema) -> bool:
    """Whether all columns can be one block of numbers."""
    return not any(column.categories and isinstance(column.categories[0], str) for column in schema.columns)


def _input_names(schema: Schema) -> list[str]:
    if _one_tensor(schema):
        return ["X"]
    names: list[str] = []
    for j, column in enumerate(schema.columns):
        name = text_of(column.name) if column.name else f"column_{j}"
        while name in names:
            name += "_"
        names.append(name)
    return names


def _inputs(onnx: Any, schema: Schema, names: list[str], kind: int) -> list[Any]:
    make, rows = onnx.helper.make_tensor_value_info, "rows"
    if _one_tensor(schema):
        return [make("X", kind, [rows, schema.n_columns])]
    kinds = [onnx.TensorProto.STRING if _holds_strings(one) else kind for one in schema.columns]
    return [make(name, one, [rows, 1]) for name, one in zip(names, kinds)]


def _holds_strings(column: SchemaColumn) -> bool:
    return bool(column.categories) and isinstance(column.categories[0], str)  # type: ignore[index]


def _check_steps(operations: Operations, schema: Schema, dtype: str) -> None:
    """Steps before the model are written for a table of float64 numbers only."""
    if operations and (not _one_tensor(schema) or schema.is_categorical.any()):
        raise ValueError("the steps of this Pipeline before the model must return numbers, not categories.")
    if operations and dtype == "float32":
        raise ValueError(
            "dtype='float32' is not supported with steps before the model, because scikit-learn would round in each of "
            "them. Use dtype='float64'."
        )


def _add_table(graph: Graph, formula: Formula | Mixture, names: list[str], dtype: str, operations: Operations) -> str:
    """(rows, columns) of doubles: numbers as they are, categories as their numbers, NaN for what is missing."""
    schema = formula.schema
    cells = [formula.cells(j) for j in range(schema.n_columns)]
    if _one_tensor(schema):
        whole = graph.cast("X", "DOUBLE") if dtype == "float32" else add_operations(graph, "X", operations)
        if not schema.is_categorical.any() and not any(one.zero_is_missing for one in cells):
            return whole
        pieces = [graph.add("Gather", [whole, graph.constant(np.array([j]))], axis=1) for j in range(schema.n_columns)]
    else:
        casts = dtype == "float32"
        pieces = [
            graph.cast(name, "DOUBLE") if casts and not _holds_strings(column) else name
            for name, column in zip(names, schema.columns)
        ]
    found = [_add_column(graph, *one) for one in zip(pieces, schema.columns, cells)]
    return found[0] if len(found) == 1 else graph.add("Concat", found, axis=1)


def _add_column(graph: Graph, piece: str, column: SchemaColumn, cells: ColumnCells) -> str:
    """A column as trees compare it."""
    if cells.zero_is_missing:
        is_zero = graph.add("LessOrEqual", [graph.add("Abs", [piece]), graph.constant(np.array(ZERO))])
        return graph.add("Where", [is_zero, graph.constant(np.array(np.nan)), piece])
    if column.categories is None:
        return piece
    if not cells.numbered:
        return _add_lookup(graph, piece, column.categories)
    zero = graph.constant(np.array(0.0))
    if cells.has_others:
        negative = graph.constant(np.array(-1.0))
    else:
        negative = graph.add("Add", [graph.add("Ceil", [piece]), zero])  # -0.0 becomes 0.0
    whole = graph.add("Where", [graph.add("Less", [piece, zero]), negative, graph.add("Floor", [piece])])
    known = cells.known(column.categories)
    place = _add_lookup(graph, whole, tuple(known))
    if not cells.has_others:
        return place
    is_other = graph.add("And", [graph.add("IsNaN", [place]), graph.add("Not", [graph.add("IsNaN", [piece])])])
    return graph.add("Where", [is_other, graph.constant(np.array(float(len(known)))), place])


def _add_lookup(graph: Graph, piece: str, categories: tuple) -> str:
    """The number of each category; NaN for others."""
    numbers = np.arange(max(len(categories), 1), dtype=np.float64)
    strings = bool(categories) and isinstance(categories[0], str)
    if not categories:  # the column was missing in all rows: nothing is known
        categories, numbers = (0.0,), np.array([np.nan])
    keys = np.array(categories, object if strings else np.float64)
    return graph.add(
        "LabelEncoder",
        [piece],
        domain=ML,
        keys_tensor=graph.tensor(keys),
        values_tensor=graph.tensor(numbers),
        default_tensor=graph.tensor(np.array([np.nan])),
    )


def _labels(formula: Formula | Mixture) -> list[np.ndarray]:
    """The classes of each output, all of one kind that ONNX has: as `predict` would put them side by side."""
    known = [np.asarray(one) for one in formula.classes]
    together = np.concatenate(known)
    if together.dtype.kind == "O" and not all(isinstance(one, str) for one in together.tolist()):
        found = type(next(one for one in together.tolist() if not isinstance(one, str))).__name__
        raise TypeError(f"classes must be numbers, strings or Booleans to be exported, got {found}.")
    beyond = together.dtype.kind == "u" and together.max() >= 1 << 63
    kinds = {"i": np.int64, "u": np.uint64 if beyond else np.int64, "f": np.float64, "b": np.bool_}
    return [one.astype(kinds.get(together.dtype.kind, object)) for one in known]


def _add_outputs(graph: Graph, formula: Formula | Mixture, answer: Answer, kept: Guarantee | None) -> list[Any]:
    """The outputs' names are the usual ones, unless a column is called so."""
    helper, kinds = graph.onnx.helper, graph.onnx.TensorProto
    outputs = []

    def give(wanted: str, what: str, kind: int, shape: list[Any]) -> None:
        name = graph.name(wanted)
        graph.add("Identity", [what], name)
        outputs.append(helper.make_tensor_value_info(name, kind, shape))

    if answer.places:
        one = graph.constant(np.array([1]))
        if formula.is_class:
            classes = _labels(formula)
            columns = [answer.places]
            if len(classes) > 1:
                columns = [
                    graph.add("Gather", [answer.places, graph.constant(np.array([k]))], axis=1)
                    for k in range(len(classes))
                ]
            named = [
                graph.add("Gather", [graph.constant(labels, "classes"), column], axis=0)
                for labels, column in zip(classes, columns)
            ]
            known = {"i": kinds.INT64, "u": kinds.UINT64, "f": kinds.DOUBLE, "b": kinds.BOOL}
            kind = known.get(classes[0].dtype.kind, kinds.STRING)
        else:
            named = [graph.add("Gather", [graph.constant(np.array([1, -1]), "labels"), answer.places], axis=0)]
            kind = kinds.INT64
        if len(named) == 1:
            give("label", graph.add("Squeeze", [named[0], one]), kind, ["rows"])
        else:
            give("label", graph.add("Concat", named, axis=1), kind, ["rows", len(named)])
    for k, numbers in enumerate(answer.numbers):
        if formula.is_class:
            name = "probabilities" if len(formula.classes) == 1 else f"probabilities_{k}"
            give(name, numbers, kinds.DOUBLE, ["rows", len(formula.classes[k])])
        else:
            several = formula.n_outputs if isinstance(formula, Formula) else 1
            give("scores" if answer.places else "variable", numbers, kinds.DOUBLE, ["rows", several])
    if kept is not None and formula.is_class:
        give("set", add_set(graph, answer.numbers[0], kept), kinds.BOOL, ["rows", len(formula.classes[0])])
    elif kept is not None:
        give("interval", add_interval(graph, answer, kept), kinds.DOUBLE, ["rows", 2])
    return outputs


def _describe(onnx: Any, made: Any, formula: Formula | Mixture, kept: Guarantee | None) -> None:
    """Who made it, from what, and what the columns and classes are."""
    import spinney

    made.producer_version = spinney.__version__
    made.doc_string = f"{formula.model} of Spinney {spinney.__version__}"
    classes = [one.tolist() for one in formula.classes]
    facts = {
        "version": spinney.__version__,
        "model": formula.model,
        "fingerprint": formula.fingerprint,
        "columns": json.dumps(formula.schema.to_dict()["columns"]),
        **({"classes": json.dumps(classes[0] if len(classes) == 1 else classes, default=str)} if classes else {}),
        **({} if kept is None else {"interval": str(float(kept.level))}),
    }
    onnx.helper.set_model_props(made, {f"spinney.{key}": value for key, value in facts.items()})


# ----------------------------------------------------------------------------------------------------------------------
# Steps of a scikit-learn Pipeline before the model as ONNX operators, where they treat each column by itself.
#
# In: a fitted Pipeline. Out: its last step, and what the steps before it do to the input `X`: the same float64
# operations in the same order as in scikit-learn. Other steps raise an error that says what to do.

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
