"""What becomes of raw scores, in operators of ONNX: probabilities, labels and numbers.

In: a `Formula` or `Mixture` and the name of its table. Out: an `Answer`, names of tensors.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

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
    scores = graph.scaled("Div", raw, model.divisor, 1.0)
    if model.link == "shares":
        return _shares(graph, model, scores, named)
    if model.link == "hinge":
        return Answer([], _second(graph, model, scores, scores))
    numbers = _response(graph, model, scores)
    if model.link == "depth":
        return _depth(graph, model, numbers)
    if not model.is_class:
        return Answer([numbers], "")
    if model.n_scores > 1:
        return Answer([numbers], _greatest(graph, scores))
    rest = graph.add("Sub", [graph.constant(np.array(1.0)), numbers])
    both = graph.add("Concat", [rest, numbers], axis=1)
    return Answer([both], _second(graph, model, scores, numbers))


def _second(graph: Graph, model: Formula, scores: str, numbers: str) -> str:
    """1 for the second of two classes."""
    what, border = (numbers, 0.5) if model.second_from == "probability" else (scores, 0.0)
    operator = "GreaterOrEqual" if model.second_from == "zero" else "Greater"
    return graph.cast(graph.add(operator, [what, graph.constant(np.array(border))]), "INT64")


def _response(graph: Graph, model: Formula, scores: str) -> str:
    """The link's text (tree/links.py) as operators."""
    link = model.response
    text = link.onnx or (link.of_all.onnx if link.of_all is not None else link.text)
    return _Operators(graph, scores, model.scale).write(ast.parse(text, mode="eval").body)


class _Operators:
    """Writes an expression; factors and divisors of 1 are left out."""

    def __init__(self, graph: Graph, scores: str, scale: float) -> None:
        self.graph, self.scores, self.scale = graph, scores, scale

    def write(self, node: ast.expr) -> str:
        """The tensor that an expression is."""
        number = self.number(node)
        if number is not None:
            return self.graph.constant(np.array(number))
        if isinstance(node, ast.UnaryOp):
            return self.graph.add("Neg", [self.write(node.operand)])
        if isinstance(node, ast.BinOp):
            return self.write_both(_OPERATORS[type(node.op)], node.left, node.right)
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            inputs = [self.write(one) for one in node.args]
            more: dict[str, Any] = {"axis": 1} if node.func.id == "softmax" else {}
            return inputs[0] if node.func.id == "rounded" else self.graph.add(node.func.id.title(), inputs, **more)
        assert isinstance(node, ast.Name)
        return self.scores

    def write_both(self, operator: str, left: ast.expr, right: ast.expr) -> str:
        """An operator of two; a factor comes last."""
        if operator == "Mul" and self.number(left) is not None:
            left, right = right, left
        number = self.number(right)
        if number is not None and operator in ("Mul", "Div"):
            return self.graph.scaled(operator, self.write(left), number, 1.0)
        return self.graph.add(operator, [self.write(left), self.write(right)])

    def number(self, node: ast.expr) -> float | None:
        """What an expression is, if it does not depend on the scores."""
        if isinstance(node, ast.Constant):
            assert isinstance(node.value, float)
            return node.value
        if isinstance(node, ast.Name) and node.id == "scale":
            return self.scale
        number = self.number(node.operand) if isinstance(node, ast.UnaryOp) else None
        return None if number is None else -number


_OPERATORS: dict[type, str] = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.Div: "Div"}


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
    return Answer([_response(graph, model, both)], place)


def _depth(graph: Graph, model: Formula, score: str) -> Answer:
    """Scores as `decision_function` gives them, and 1 for outliers as the place."""
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
