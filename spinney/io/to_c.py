"""A small fitted model as the source of a C function that needs nothing but math.h.

In: a fitted model of trees. Out: C99, the same operations as Spinney's in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney.io.c_parts import HAS, answer_parts, filled, reading_parts
from spinney.io.source import Spot, plain, read_small, tree_functions
from spinney.tree.formula import Formula
from spinney.tree.questions import spreads

_MOST = 10_000
_FEW = 4  # categories of a set that are compared one by one


def to_c(model: Any, name: str = "predict", *, max_nodes: int = _MOST) -> str:
    """Write a fitted tree model as the source of a C function that predicts one row.

    The function needs only math.h, for small devices and other languages.

    Parameters
    ----------
    model : fitted model
        A decision tree (C4.5 included), forest, boosted model, isolation forest, bagging or AdaBoost of trees, or an
        imported model.
    name : str, default="predict"
        Name of the function, and prefix of all other names. Names taken in C, its library or Python raise ValueError.
    max_nodes : int, default=10_000
        Maximum number of nodes of the model. Larger models raise ValueError.

    Returns
    -------
    str
        C99 that includes only math.h. A row is an array of doubles in column order: numbers directly, categories as
        their numbers, which a comment lists, and NAN for missing values. Any other number in a category column also
        counts as missing.

        ==================== =====================================================================================
        one number           `double predict(const double *row)`
        several numbers      `void predict(const double *row, double *out)`
        classes              `int predict(const double *row)`: the index of the class in `predict_classes`;
                             `void predict_proba(const double *row, double *out)`
        several classes      `void predict(const double *row, int *out)`; `predict_proba` writes the probabilities of
                             all outputs, one after the other
        isolation forests    `int predict(const double *row)`: -1 or 1; `double predict_decision(const double *row)`
        ==================== =====================================================================================

    See Also
    --------
    to_python, to_json, to_onnx

    Notes
    -----
    Compile without -ffast-math, which ignores NAN. -std=c99 keeps the last bit on processors with fused multiply-add.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import DecisionTreeRegressor, to_c
    >>> tree = DecisionTreeRegressor(max_depth=1).fit(*load_diabetes(return_X_y=True))
    >>> source = to_c(tree, "level")
    >>> print(source[source.index("static double level_tree_0(const double *x) {") :].split("\\n\\n")[0])
    static double level_tree_0(const double *x) {
        if (x[8] <= -0.0037611760063045703) { /* column 8 */
            return 109.98623853211012;
        } else {
            return 193.15178571428575;
        }
    }
    """
    formula = read_small(model, name, max_nodes, "to_c")
    syntax = _C(formula, f"{name}_")
    lines, trees, ends = tree_functions(formula, syntax)
    heads = [f"{line[:-2]};" for line in lines if line.startswith("static")]
    kind = "void" if spreads(formula.forest) else "double" if syntax.says_number else "int"
    arguments = "const double *, double, double *" if spreads(formula.forest) else "const double *"
    answers = answer_parts(formula)
    parts = [
        _comment(formula),
        "#include <math.h>",
        _facts(formula, ends, name, "".join(answers)),
        *(filled(part, name) for part in reading_parts(formula)),
        *([filled(HAS, name)] if any(f"{name}_has(" in line for line in lines) else []),
        "\n".join(heads),
        "\n".join(lines).strip("\n"),
        f"static {kind} (*const {name}_trees[])({arguments}) = {{{', '.join(trees)}}};",
        *(filled(part, name) for part in answers),
    ]
    return "\n\n".join(parts) + "\n"


# --- text ------------------------------------------------------------------------------------------------------------


def _quote(text: str) -> str:
    """A literal: letters, digits and blanks as they are, all else byte by byte."""
    data = text.encode("utf-8", "surrogatepass")
    safe = "".join(chr(b) if (chr(b).isalnum() and b < 128) or b in b" _-.,:()" else f"\\{b:03o}" for b in data)
    return f'"{safe}"'


def _remark(text: str) -> str:
    """Text that cannot end a comment."""
    return "".join(c if " " <= c <= "~" and c not in "*\\?" else f"<{ord(c):x}>" for c in text)


def _number(value: float) -> str:
    if math.isnan(value):
        return "NAN"
    return repr(value) if math.isfinite(value) else ("INFINITY" if value > 0 else "-INFINITY")


def _braces(values: Sequence[str]) -> str:
    return "{" + ", ".join(values) + "}"


def _numbers(values: np.ndarray) -> str:
    return _braces([_number(one) for one in values.tolist()])


def _rows(values: np.ndarray, write: Any) -> str:
    return "{\n" + ",\n".join("    " + _braces([write(one) for one in row]) for row in values.tolist()) + "\n}"


def _comment(formula: Formula) -> str:
    import spinney

    lines = [
        f"Written by Spinney {spinney.__version__} from a fitted {formula.model}, fingerprint {formula.fingerprint}.",
        "",
        "Columns of a row, as doubles; NAN is missing:",
    ]
    for j, column in enumerate(formula.schema.columns):
        own = "" if column.name is None else f" {str(column.name)!r}"
        if column.categories is None:
            lines.append(f"  {j}{own}: {'Booleans, 0 or 1' if column.boolean else 'numbers'}")
        elif formula.cells(j).numbered:
            lines.append(f"  {j}{own}: categories, which are integers, unchanged")
        else:
            lines.append(f"  {j}{own}: categories by their numbers")
            lines += [f"      {k} = {value!r}" for k, value in enumerate(column.categories)]
    for output in formula.classes:
        lines += ["", "Classes:", *(f"  {k} = {plain(one)!r}" for k, one in enumerate(output.tolist()))]
    return "/*\n" + "\n".join(f" * {_remark(line)}".rstrip() for line in lines) + "\n */"


def _classes(formula: Formula, name: str) -> list[str]:
    found = []
    for k, output in enumerate(formula.classes):
        labels = [plain(one) for one in output.tolist()]
        own = f"{name}_classes" if len(formula.classes) == 1 else f"{name}_classes_{k}"
        if isinstance(labels[0], str):
            found.append(f"const char *const {own}[] = {_braces([_quote(one) for one in labels])};")
        elif isinstance(labels[0], float):
            found.append(f"const double {own}[] = {_braces([_number(one) for one in labels])};")
        else:
            found.append(f"{_whole_numbers(own, [int(one) for one in labels])};")
    return found


def _whole_numbers(name: str, labels: list[int]) -> str:
    """Labels of 64 bits: unsigned where some are beyond what is signed."""
    if max(labels) >= 1 << 63:
        return f"const unsigned long long {name}[] = {_braces([f'{one}ULL' for one in labels])}"
    # the least one cannot be written as one number: C knows its digits only with a minus before them
    texts = [f"{one}LL" if one > -(1 << 63) else f"{one + 1}LL - 1" for one in labels]
    return f"const long long {name}[] = {_braces(texts)}"


def _facts(formula: Formula, ends: np.ndarray, name: str, text: str) -> str:
    """Numbers that the functions read; `text` is theirs."""
    counts = [
        0 if one.categories is None or formula.cells(j).numbered else max(len(one.categories), 1)
        for j, one in enumerate(formula.schema.columns)
    ]
    lines = [
        *_classes(formula, name),
        f"enum {{{name}_n_columns = {len(counts)}, {name}_n_scores = {formula.n_scores}}};",
        f"enum {{{name}_n_trees = {formula.forest.n_trees}, {name}_n_outputs = {formula.n_outputs}}};",
        f"static const int {name}_categories[] = {_braces(list(map(str, counts)))};  /* 0: numbers */",
    ]
    needs_table = not spreads(formula.forest) and (formula.values.shape[1] > 1 or formula.majority is not None)
    if needs_table:
        lines.append(
            f"static const double {name}_values[][{formula.n_scores}] = {_rows(formula.values[ends], _number)};"
        )
    if needs_table and formula.majority is not None:
        lines.append(f"static const int {name}_majority[][{formula.n_outputs}] = {_rows(formula.majority[ends], str)};")
    if "NAME_start" in text:
        lines.append(
            f"static const double {name}_start[] = {_braces([_number(one) for one in formula.start.tolist()])};"
        )
    if formula.votes is not None:
        lines.append(
            f"static const double {name}_votes[] = {_braces([_number(one) for one in formula.votes.tolist()])};"
        )
    if formula.confidence is not None:
        rows = _rows(formula.confidence.prior, _number)
        lines.append(f"static const double {name}_priors[][{formula.n_scores}] = {rows};")
    if "NAME_begin" in text:
        spans = formula.spans
        lines.append(f"static const int {name}_begin[] = {_braces([str(one.start) for one in spans])};")
        lines.append(f"static const int {name}_end[] = {_braces([str(one.stop) for one in spans])};")
    for key in ("divisor", "scale", "offset"):
        if f"NAME_{key}" in text:
            lines.append(f"static const double {name}_{key} = {_number(float(getattr(formula, key)))};")
    return "\n".join(lines)


class _C:
    """How C says things; see `Syntax` in source.py."""

    def __init__(self, formula: Formula, prefix: str) -> None:
        self.formula, self.prefix = formula, prefix
        self.says_number = formula.values.shape[1] == 1 and formula.majority is None

    def up_to(self, column: int, threshold: float, missing_yes: bool) -> str:
        number = _number(threshold)
        return f"!(x[{column}] > {number})" if missing_yes else f"x[{column}] <= {number}"

    def in_set(self, column: int, members: Sequence[int], missing_yes: bool) -> str:
        if len(members) <= _FEW:
            known = " || ".join(f"x[{column}] == {one}" for one in members)
        else:
            bits = bytearray(members[-1] // 8 + 1)
            for one in members:
                bits[one // 8] |= 1 << one % 8
            text = "".join(f"\\{byte:03o}" for byte in bits)
            known = f'{self.prefix}has("{text}", {len(bits)}, x[{column}])'
        return f"{known} || {self.is_missing(column)}" if missing_yes else known

    def is_missing(self, column: int) -> str:
        return f"x[{column}] != x[{column}]"

    def remark(self, text: str) -> str:
        return f" /* {_remark(text)} */"

    def when(self, condition: str) -> str:
        return f"if ({condition}) {{"

    def otherwise(self) -> str:
        return "} else {"

    def close(self) -> list[str]:
        return ["}"]

    def head(self, name: str) -> str:
        return f"static {'double' if self.says_number else 'int'} {name}(const double *x) {{"

    def give(self, end: int, node: int) -> str:
        return f"return {_number(float(self.formula.values[node, 0])) if self.says_number else end};"

    def hand_on(self, name: str) -> str:
        return f"return {name}(x);"

    def idle(self) -> list[str]:
        return ["    (void)x;"]

    def spread(self, name: str, spot: Spot) -> list[str]:
        head = f"static void {name}(const double *x, double part, double *out) {{"
        if spot.column < 0:
            says = enumerate(self.formula.adds(spot.node))
            adds = [f"    out[{c}] += part * {_number(value)};" for c, value in says if value]
            return [head, "    (void)x;", *(adds or ["    (void)part;", "    (void)out;"]), "}"]
        ways = [f"        {f}(x, part * {_number(a)} / {_number(b)}, out);" for f, a, b in spot.shares]
        column = self.formula.schema.columns[spot.column]
        about = "" if column.name is None else self.remark(repr(str(column.name)))
        lines = [head, f"    const double value = x[{spot.column}];{about}", "    if (value != value) {", *ways]
        if spot.by_branch:
            cases = [f"        case {k}: {child}(x, part, out); break;" for k, child in enumerate(spot.children)]
            return [*lines, "    } else {", "        switch ((int)value) {", *cases, "        }", "    }", "}"]
        yes, no = spot.children
        test = f"value <= {_number(spot.threshold)}"
        test = test if spot.members is None else self.in_set(spot.column, spot.members, False)
        lines += [f"    }} else if ({test}) {{", f"        {yes}(x, part, out);"]
        return [*lines, "    } else {", f"        {no}(x, part, out);", "    }", "}"]
