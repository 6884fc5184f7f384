"""What becomes of raw scores, in operators of ONNX: probabilities, labels and numbers.

In: a `Formula` or `Mixture` and the name of its table. Out: an `Answer`, names of tensors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney.io.onnx_graph import Graph
from spinney.io.onnx_trees import add_scores
from spinney.tree.formula import Formula, Mixture
from spinney.tree.questions import spreads


class Answer(NamedTuple):
    """Names of tensors."""

    numbers: list[str]  # probabilities of each output, (rows, classes); or numbers, (rows, outputs)
    places: str  # of classes, the numbers of those predicted: (rows, outputs) int64; else ""


def check_exportable(formula: Formula) -> None:
    """Refuse, in words, what operators of ONNX cannot say."""
    if spreads(formula.forest):
        raise ValueError(
            f"this {formula.model} sends rows with missing values down several branches, as C4.5 does, but ONNX trees "
            "send each row down one. Use to_python, to_c or to_json, or fit "
            "DecisionTreeClassifier(criterion='gain_ratio')."
        )
    if formula.link == "confidence":
        raise ValueError(
            f"ONNX cannot express the votes of {formula.model}. Use another model, or to_python, to_c or to_json."
        )
    if formula.link == "median":
        raise ValueError(
            f"{formula.model} predicts a weighted median of its trees, but ONNX can only add trees up. Use a "
            "forest or gradient boosting, or to_python, to_c or to_json."
        )


def add_answer(graph: Graph, model: Formula | Mixture, table: str) -> Answer:
    """All operators from the table to the answers."""
    if isinstance(model, Mixture):
        return _mixture(graph, model, table)
    check_exportable(model)
    raw, named = add_scores(graph, model, table)
    if model.link == "margin":
        return _margin(graph, model, raw)
    raw = graph.scaled("Div", raw, model.divisor, 1.0)
    if model.foreign is not None:
        return _foreign(graph, model, raw)
    if model.link == "identity":
        return Answer([raw], "")
    if model.link == "exp":
        return Answer([graph.add("Exp", [raw])], "")
    if model.link == "depth":
        return _depth(graph, model, raw)
    if model.link == "shares":
        return _shares(graph, model, raw, named)
    if model.link == "logistic":
        share = graph.add("Sigmoid", [graph.scaled("Mul", raw, model.scale, 1.0)])
        rest = graph.add("Sub", [graph.constant(np.array(1.0)), share])
        place = graph.cast(graph.add("Greater", [share, graph.constant(np.array(0.5))]), "INT64")
        return Answer([graph.add("Concat", [rest, share], axis=1)], place)
    places = _greatest(graph, raw)
    scaled = graph.scaled("Div", raw, model.scale, 1.0) if model.link == "votes" else raw
    return Answer([graph.add("Softmax", [scaled], axis=1)], places)


def _foreign(graph: Graph, model: Formula, raw: str) -> Answer:
    """A boosted model of another library."""
    assert model.foreign is not None
    numbers = [_response(graph, model, raw)]
    if not model.is_class:
        return Answer(numbers, "")
    if model.n_scores > 1:
        return Answer(numbers, _greatest(graph, raw))
    told = "above zero" if model.link == "hinge" else model.foreign.second_from
    what, border = (numbers[0], 0.5) if told == "probability" else (raw, 0.0)
    operator = "GreaterOrEqual" if told == "zero" else "Greater"
    place = graph.cast(graph.add(operator, [what, graph.constant(np.array(border))]), "INT64")
    if model.link == "hinge":
        return Answer([], place)
    rest = graph.add("Sub", [graph.constant(np.array(1.0)), numbers[0]])
    return Answer([graph.add("Concat", [rest, numbers[0]], axis=1)], place)


def _response(graph: Graph, model: Formula, raw: str) -> str:
    """Predictions, (rows, scores)."""
    if model.link == "logistic":
        return graph.add("Sigmoid", [graph.scaled("Mul", raw, model.scale, 1.0)])
    if model.link == "softmax":
        return graph.add("Softmax", [raw], axis=1)
    if model.link == "signed_square":
        return graph.add("Mul", [raw, graph.add("Abs", [raw])])
    if model.link == "softplus":  # max(raw, 0) + log(1 + exp(-|raw|)); the operator Softplus knows float32 only
        power = graph.add("Exp", [graph.add("Neg", [graph.add("Abs", [raw])])])
        rest = graph.add("Log", [graph.add("Add", [graph.constant(np.array(1.0)), power])])
        return graph.add("Add", [graph.add("Max", [raw, graph.constant(np.array(0.0))]), rest])
    return graph.add("Exp", [raw]) if model.link == "exp" else raw


def _greatest(graph: Graph, scores: str) -> str:
    return graph.add("ArgMax", [scores], axis=1, keepdims=1, select_last_index=0)


def _columns(graph: Graph, what: str, columns: slice) -> str:
    ends = [graph.constant(np.array([k])) for k in (columns.start, columns.stop, 1)]
    return graph.add("Slice", [what, *ends])


def _shares(graph: Graph, model: Formula, raw: str, named: str) -> Answer:
    whole = [slice(0, model.n_scores)]
    parts = [raw] if model.spans == whole else [_columns(graph, raw, span) for span in model.spans]
    if named:
        return Answer(parts, named)
    places = [_greatest(graph, part) for part in parts]
    return Answer(parts, places[0] if len(places) == 1 else graph.add("Concat", places, axis=1))


def _margin(graph: Graph, model: Formula, raw: str) -> Answer:
    second = _columns(graph, raw, slice(1, 2))
    if not model.discrete:
        second = graph.add("Sub", [second, _columns(graph, raw, slice(0, 1))])
        second = graph.scaled("Div", second, model.divisor, 1.0)
    place = graph.cast(graph.add("Greater", [second, graph.constant(np.array(0.0))]), "INT64")
    both = graph.add("Concat", [graph.add("Neg", [second]), second], axis=1)
    return Answer([graph.add("Softmax", [graph.scaled("Mul", both, model.scale, 1.0)], axis=1)], place)


def _depth(graph: Graph, model: Formula, raw: str) -> Answer:
    """Scores as `decision_function` gives them, and 1 for outliers as the place."""
    from spinney.criteria.exp_log import LN2

    share = graph.scaled("Div", raw, model.scale, 1.0)
    score = graph.add("Neg", [graph.add("Exp", [graph.scaled("Mul", share, -LN2, 1.0)])])
    decision = graph.add("Sub", [score, graph.constant(np.array(model.offset))])
    return Answer([decision], graph.cast(graph.add("Less", [decision, graph.constant(np.array(0.0))]), "INT64"))


def _mixture(graph: Graph, model: Mixture, table: str) -> Answer:
    total = ""
    for member, weight in zip(model.members, model.weights.tolist()):
        answer = add_answer(graph, member, table)
        if not model.by_votes:
            said = answer.numbers[0]
        else:
            numbers = graph.constant(np.arange(len(model.classes[0]))[None, :], "numbers")
            said = graph.cast(graph.add("Equal", [answer.places, numbers]), "DOUBLE")
        said = graph.scaled("Mul", said, weight, 1.0)
        total = graph.add("Add", [total, said]) if total else said
    if model.by_votes:
        return Answer([], _greatest(graph, total))
    total = graph.scaled("Div", total, model.total, 1.0)
    return Answer([total], _greatest(graph, total) if model.is_class else "")
