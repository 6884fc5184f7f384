"""A graph of ONNX in the making: names that do not clash, trees, and what becomes of raw scores.

In: a `Formula` and the name of its table. Out: lists of protobuf messages. Only this file and to_onnx.py know ONNX.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spinney._distribution import install_command
from spinney.ensemble.conformal import Guarantee
from spinney.tree.formula import Formula, Mixture
from spinney.tree.questions import IN_SET, IS_MISSING, UP_TO, Questions, read_questions, spreads

ML = "ai.onnx.ml"
OPSETS = {"": 18, ML: 5}
IR_VERSION = 10  # that of the first release with ai.onnx.ml 5


def import_onnx() -> Any:
    """The onnx package, or an ImportError that says how to get it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError(f"to_onnx needs the package onnx: {install_command('onnx')}") from error
    return onnx


def text_of(name: str) -> str:
    """A string as protobuf can hold it: lone surrogates are written out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


class Graph:
    """Collects nodes and constants."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.onnx = import_onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._taken = set(taken)
        self._known: dict[tuple[Any, ...], str] = {}

    def name(self, wanted: str) -> str:
        """A name that nothing has yet."""
        name, k = wanted, 0
        while name in self._taken:
            name, k = f"{wanted}_{k}", k + 1
        self._taken.add(name)
        return name

    def tensor(self, values: np.ndarray, name: str = "") -> Any:
        """A NumPy array as a message; strings one by one, all else as bytes."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        if values.dtype.kind in "UO":
            words = [text_of(str(one)).encode() for one in values.ravel().tolist()]
            return helper.make_tensor(name, kinds.STRING, values.shape, words)
        plain = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(values.dtype))
        return helper.make_tensor(name, kind, values.shape, plain.tobytes(), raw=True)

    def constant(self, values: Any, wanted: str = "constant") -> str:
        """The name of a constant; equal small ones are kept once."""
        array = np.asarray(values)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.dtype.kind in "iufb" and array.size < 9 else ()
        if key and key in self._known:
            return self._known[key]
        name = self.name(f"spinney/{wanted}")
        self.constants.append(self.tensor(array, name))
        if key:
            self._known[key] = name
        return name

    def add(self, operator: str, inputs: Sequence[str], output: str = "", domain: str = "", **attributes: Any) -> str:
        """A node of one output; returns the output's name."""
        name = output or self.name(f"spinney/{operator}")
        node = self.onnx.helper.make_node(operator, list(inputs), [name], name=name, domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def cast(self, what: str, kind: str) -> str:
        return self.add("Cast", [what], to=getattr(self.onnx.TensorProto, kind))

    def scaled(self, operator: str, what: str, number: float, idle: float) -> str:
        """`what` with an operator and a number; itself where the number changes nothing."""
        return what if number == idle else self.add(operator, [what, self.constant(np.array(number))])


# ----------------------------------------------------------------------------------------------------------------------
# Trees as the operator TreeEnsemble of ai.onnx.ml 5, and what their leaves say.
#
# In: a `Formula` and the name of a table of doubles, (rows, columns), categories numbered and missing values NaN. Out:
# `Scores`.
#
# The operator's leaves hold one number each. Where nodes say one number, it adds them up itself; where they say
# several, each tree has a target of its own and each leaf its number, by which answers are gathered from a table. These
# are added up tree after tree, as Spinney does, so that ties between classes are broken in the same way. Linear leaves
# are gathered by their numbers, too: of every tree its leaf's value and, one after the other, its terms.

_MODES = {UP_TO: 0, IN_SET: 6, IS_MISSING: 1}  # BRANCH_LEQ, BRANCH_MEMBER, BRANCH_LT
_SUM = 1  # aggregate_function


class Scores(NamedTuple):
    """Names of tensors."""

    raw: str  # (rows, scores): raw scores, not yet divided
    places: str  # (rows, outputs) int64: the classes that a single tree names; else ""
    each: str = ""  # (rows, trees): what each tree says, where that is asked for


def add_scores(graph: Graph, formula: Formula, table: str, each_tree: bool) -> Scores:
    """The trees of a formula; `each_tree`: their predictions are needed one by one, too."""
    questions = read_questions(formula.forest, formula.schema)
    tree_of = np.searchsorted(formula.forest.first, questions.ends, side="right") - 1
    values = formula.values[questions.ends]
    if each_tree:
        each = _ensemble(graph, questions, table, values[:, 0], tree_of, formula.forest.n_trees)
        raw = graph.add("ReduceSum", [each, graph.constant(np.array([1]))])
        return Scores(_with_start(graph, raw, formula.start), "", each)
    if formula.forest.is_linear:
        each = _linear_leaves(graph, formula, questions, tree_of, table)
        n_rounds = formula.forest.n_trees // formula.n_scores
        shape = graph.constant(np.array([0, n_rounds, formula.n_scores]))  # 0: as many rows as there are
        by_score = graph.add("Reshape", [each, shape])
        raw = graph.add("ReduceSum", [by_score, graph.constant(np.array([1]))], keepdims=0)
        return Scores(_with_start(graph, raw, formula.start), "")
    if values.shape[1] == 1 and formula.majority is None:
        targets = tree_of % formula.n_scores if formula.adds_in_turn else np.zeros_like(tree_of)
        raw = _ensemble(graph, questions, table, values[:, 0], targets, formula.n_scores)
        return Scores(_with_start(graph, raw, formula.start), "")
    ends = _numbers_of_ends(graph, questions, table, tree_of, formula.forest.n_trees)
    says = graph.constant(values, "answers")
    if formula.forest.n_trees == 1:
        return Scores(
            _with_start(graph, _row_of(graph, says, ends), formula.start),
            ""
            if formula.majority is None
            else _row_of(graph, graph.constant(formula.majority[questions.ends], "majority"), ends),
        )
    turned = graph.add("Transpose", [ends], perm=[1, 0])
    each = graph.add("Gather", [says, turned], axis=0)
    raw = graph.add("ReduceSum", [each, graph.constant(np.array([0]))], keepdims=0)
    return Scores(_with_start(graph, raw, formula.start), "")


def _numbers_of_ends(graph: Graph, q: Questions, table: str, tree_of: np.ndarray, n_trees: int) -> str:
    """(rows, trees) int64: in which end each row is."""
    numbers = np.arange(len(tree_of), dtype=np.float64)
    return graph.cast(_ensemble(graph, q, table, numbers, tree_of, n_trees), "INT64")


def _linear_leaves(graph: Graph, formula: Formula, q: Questions, tree_of: np.ndarray, table: str) -> str:
    """(rows, trees): what each tree adds to its raw score, with the operations of `add_terms` in tree/descend.py."""
    ends = _numbers_of_ends(graph, q, table, tree_of, formula.forest.n_trees)
    zero, terms, total = graph.constant(np.array(0.0)), formula.forest.terms, ""
    first, n_terms = terms.first[q.ends], np.diff(terms.first)[q.ends]
    for k in range(n_terms.max()):
        column, line = np.zeros(len(first), np.int64), np.zeros((len(first), 4))
        has = n_terms > k
        column[has], line[has] = terms.column[first[has] + k], terms.line[first[has] + k]
        columns = graph.add("Gather", [graph.constant(column, "columns"), ends])
        slope, centre, low, high = (graph.add("Gather", [graph.constant(part, "lines"), ends]) for part in line.T)
        x = graph.add("GatherElements", [table, columns], axis=1)
        inside = graph.add("Min", [graph.add("Max", [x, low]), high])
        adds = graph.add("Mul", [slope, graph.add("Sub", [inside, centre])])
        is_finite = graph.add("Equal", [graph.add("Sub", [x, x]), zero])
        adds = graph.add("Where", [is_finite, adds, zero])
        total = graph.add("Add", [total, adds]) if total else adds
    values = graph.add("Gather", [graph.constant(formula.values[q.ends, 0], "answers"), ends])
    return graph.add("Add", [values, total]) if total else values


def _row_of(graph: Graph, table: str, numbers: str) -> str:
    """Rows of a table by their numbers, (rows, 1)."""
    return graph.add("Squeeze", [graph.add("Gather", [table, numbers], axis=0), graph.constant(np.array([1]))])


def _with_start(graph: Graph, raw: str, start: np.ndarray) -> str:
    return graph.add("Add", [raw, graph.constant(start[None, :], "start")]) if start.any() else raw


def _ensemble(graph: Graph, q: Questions, table: str, weights: np.ndarray, targets: np.ndarray, n_targets: int) -> str:
    """The operator itself; `weights` and `targets` are those of the ends."""
    roots = _past_idle(q)
    alone = np.flatnonzero(roots < 0)  # trees of one leaf: a question of which both answers lead there
    ends = roots[alone]
    roots[alone] = len(q.kind) + np.arange(len(alone))
    yes, no = np.concatenate([q.yes, ends]), np.concatenate([q.no, ends])
    turn = _turn(yes[roots], no[roots], len(weights))
    yes, no = (np.where(one < 0, -1 - (-1 - one + turn) % len(weights), one) for one in (yes, no))
    kind = np.concatenate([q.kind, np.full(len(alone), IS_MISSING, np.uint8)])
    modes = np.array([_MODES[k] for k in range(3)], np.uint8)[kind]
    splits = np.where(kind == UP_TO, np.concatenate([q.threshold, np.zeros(len(alone))]), 0.0)
    splits[kind == IS_MISSING] = -np.inf  # less than that is nothing: only missing values say yes
    attributes: dict[str, Any] = {
        "nodes_splits": graph.tensor(splits),
        "nodes_featureids": _ints(q.column, len(alone)),
        "nodes_modes": graph.tensor(modes),
        "nodes_missing_value_tracks_true": _ints(q.missing_yes, len(alone)),
        "nodes_truenodeids": np.where(yes < 0, -1 - yes, yes).tolist(),
        "nodes_trueleafs": (yes < 0).astype(np.int64).tolist(),
        "nodes_falsenodeids": np.where(no < 0, -1 - no, no).tolist(),
        "nodes_falseleafs": (no < 0).astype(np.int64).tolist(),
        "leaf_weights": graph.tensor(np.roll(np.asarray(weights, np.float64), turn)),
        "leaf_targetids": np.roll(targets, turn).tolist(),
        "tree_roots": roots.tolist(),
        "aggregate_function": _SUM,
        "n_targets": n_targets,
        "post_transform": 0,
    }
    if len(q.members):
        attributes["membership_values"] = graph.tensor(_membership(q))
    return graph.add("TreeEnsemble", [table], domain=ML, **attributes)


def _past_idle(q: Questions) -> np.ndarray:
    """Where trees begin, past questions of which both answers lead to the same one: see `_turn`."""
    roots = q.roots.copy()
    idle = set(np.flatnonzero((q.kind == IS_MISSING) & (q.yes == q.no)).tolist())
    for t in range(len(roots)) if idle else ():
        while roots[t] in idle:
            roots[t] = q.no[roots[t]]
    return roots


def _turn(yes: np.ndarray, no: np.ndarray, n_leaves: int) -> int:
    """How far leaves are moved on, so that no root leads to a leaf and a question of the same number.

    Several releases of onnxruntime take such a root for a tree of one leaf (its issue 24679).
    """
    leads_to_both = (yes < 0) != (no < 0)
    leaf, question = -1 - np.minimum(yes, no)[leads_to_both], np.maximum(yes, no)[leads_to_both]
    taken = set(((question - leaf) % n_leaves)[question < n_leaves].tolist())
    return next(k for k in range(n_leaves) if k not in taken)  # of n leaves, fewer than n / 2 are below a root


def _ints(values: np.ndarray, n_more: int) -> list[int]:
    return [*values.astype(np.int64).tolist(), *[0] * n_more]


def _membership(q: Questions) -> np.ndarray:
    """All sets end to end, NaN after each."""
    lengths = np.diff(q.set_start)
    lengths = lengths[lengths > 0]
    values = np.full(len(q.members) + len(lengths), np.nan)
    values[np.arange(len(q.members)) + np.repeat(np.arange(len(lengths)), lengths)] = q.members
    return values


# ----------------------------------------------------------------------------------------------------------------------
# What becomes of raw scores, in operators of ONNX: probabilities, labels and numbers.
#
# In: a `Formula` or `Mixture` and the name of its table. Out: an `Answer`, names of tensors.


class Answer(NamedTuple):
    """Names of tensors."""

    numbers: list[str]  # probabilities of each output, (rows, classes); or numbers, (rows, outputs)
    places: str  # of classes, the numbers of those predicted: (rows, outputs) int64; else ""
    each: str = ""  # see `Scores`


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


def add_answer(graph: Graph, model: Formula | Mixture, table: str, each_tree: bool = False) -> Answer:
    """All operators from the table to the answers; `each_tree`: also what each tree of a regression forest says."""
    if isinstance(model, Mixture):
        return _mixture(graph, model, table)
    check_exportable(model)
    raw, named, each = add_scores(graph, model, table, each_tree)
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
        return Answer([numbers], "", each)
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


# ----------------------------------------------------------------------------------------------------------------------
# Intervals and sets of classes at one level.


def add_set(graph: Graph, shares: str, kept: Guarantee) -> str:
    """(rows, classes) Booleans: which classes are in the set."""
    scores = graph.add("Sub", [graph.constant(np.array(1.0)), shares])
    return graph.add("LessOrEqual", [scores, graph.constant(np.array(kept.bound))])


def add_interval(graph: Graph, answer: Answer, kept: Guarantee) -> str:
    """(rows, 2): low and high ends."""
    if kept.residuals is not None:
        return _jackknife(graph, answer.each, kept)
    x, by = answer.numbers[0], graph.constant(np.array(kept.quantile))
    if kept.spread is not None:
        size = _deviation(graph, answer.each) if isinstance(kept.spread, str) else _size(graph, x, *kept.spread)
        by = graph.add("Mul", [size, by])
    return graph.add("Concat", [graph.add("Sub", [x, by]), graph.add("Add", [x, by])], axis=1)


def _size(graph: Graph, x: str, at: np.ndarray, sizes: np.ndarray) -> str:
    """The size of residuals at predictions: linear between those that are known."""
    width = graph.constant(np.diff(at)[None, :])
    beyond = graph.add("Sub", [x, graph.constant(at[None, :-1])])
    inside = graph.add("Min", [graph.add("Max", [beyond, graph.constant(np.array(0.0))]), width])
    rise = graph.add("MatMul", [graph.add("Div", [inside, width]), graph.constant(np.diff(sizes)[:, None])])
    return graph.add("Add", [rise, graph.constant(sizes[:1])])


def _deviation(graph: Graph, each: str) -> str:
    """The standard deviation of the trees' predictions."""
    axis = graph.constant(np.array([1]))
    apart = graph.add("Sub", [each, graph.add("ReduceMean", [each, axis])])
    square = graph.add("ReduceMean", [graph.add("Mul", [apart, apart]), axis])
    return graph.add("Max", [graph.add("Sqrt", [square]), graph.constant(np.array(np.finfo(np.float64).tiny))])


def _jackknife(graph: Graph, each: str, kept: Guarantee) -> str:
    """Of each training row, the mean of the trees that have not seen it, minus and plus its residual; see conformal."""
    assert kept.residuals is not None
    assert kept.unseen is not None
    total = graph.add("MatMul", [each, graph.cast(graph.constant(kept.unseen.T, "unseen"), "DOUBLE")])
    n_unseen = kept.unseen.sum(axis=1)[None, :].astype(np.float64)
    mean = graph.add("Div", [total, graph.constant(n_unseen, "n_unseen")])
    residuals = graph.constant(kept.residuals[None, :], "residuals")
    n = len(kept.residuals) + 1 - kept.rank
    low = _nth(graph, graph.add("Sub", [mean, residuals]), n, largest=0)
    return graph.add("Concat", [low, _nth(graph, graph.add("Add", [mean, residuals]), n, largest=1)], axis=1)


def _nth(graph: Graph, what: str, n: int, largest: int) -> str:
    """(rows, 1): the n-th largest, or smallest, of each row."""
    found = graph.add("TopK", [what, graph.constant(np.array([n]))], axis=1, largest=largest, sorted=0)
    graph.nodes[-1].output.append(f"{found}/places")
    return graph.add("ReduceMin" if largest else "ReduceMax", [found, graph.constant(np.array([1]))])
