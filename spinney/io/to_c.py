"""A small fitted model as the source of a C function that needs nothing but math.h.

In: a fitted model of trees. Out: C99, the same operations as Spinney's in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from spinney.ensemble.conformal import Guarantee, guarantee_of
from spinney.io.source import Language, answer_parts, plain, read_small, tree_functions
from spinney.tree.formula import ZERO, Formula
from spinney.tree.questions import spreads

_MOST = 10_000
_FEW = 4  # categories of a set that are compared one by one
_IN_TREES = ("has", "term")  # functions that trees call


def to_c(model: Any, name: str = "predict", *, max_nodes: int = _MOST, interval: float | None = None) -> str:
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
    interval : float, default=None
        Level of intervals or sets of classes, such as 0.9, which the source then has besides: those of
        `predict_interval` and `predict_set`. The model must be calibrated, without groups, and its intervals be
        proportional to nothing, to the spread of its trees or to what its fit has found.

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
        interval=0.9         `void predict_interval(const double *row, double *out)`: low and high end, for one number;
                             `void predict_set(const double *row, int *out)`: 0 or 1 for each class, for classes
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
    language = _C(formula, name, guarantee_of(model, interval))
    lines, trees, ends = tree_functions(language)
    heads = [f"{line[:-2]};" for line in lines if line.startswith("static")]
    kind = "void" if spreads(formula.forest) else "double" if language.says_number else "int"
    arguments = "const double *, double, double *" if spreads(formula.forest) else "const double *"
    answers = answer_parts(language)
    parts = [
        _comment(formula),
        "#include <math.h>",
        _facts(language, ends, "".join(answers)),
        *map(language.fill, _reading(formula, language.texts)),
        *(language.fill(language.texts[key]) for key in _IN_TREES if any(f"{name}_{key}(" in one for one in lines)),
        "\n".join(heads),
        "\n".join(lines).strip("\n"),
        f"static {kind} (*const {name}_trees[])({arguments}) = {{{', '.join(trees)}}};",
        *map(language.fill, answers),
    ]
    return "\n\n".join(parts) + "\n"


# --- text ------------------------------------------------------------------------------------------------------------


def _quote(text: str) -> str:
    """A literal: letters, digits and blanks as they are, all else byte by byte."""
    data = text.encode("utf-8", "surrogatepass")
    safe = "".join(chr(b) if (chr(b).isalnum() and b < 128) or b in b" _-.,:()" else f"\\{b:03o}" for b in data)
    return f'"{safe}"'


def _bits(data: Iterable[int]) -> str:
    """A literal of bytes."""
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


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


def _facts(language: _C, ends: np.ndarray, text: str) -> str:
    """Numbers that the functions read; `text` is theirs."""
    formula, name = language.formula, language.name
    counts = [
        0 if one.categories is None or formula.cells(j).numbered else max(len(one.categories), 1)
        for j, one in enumerate(formula.schema.columns)
    ]
    classes = _classes(formula, name)
    lines = [
        f"enum {{{name}_n_columns = {len(counts)}, {name}_n_scores = {formula.n_scores}}};",
        f"enum {{{name}_n_trees = {formula.forest.n_trees}, {name}_n_outputs = {formula.n_outputs}}};",
    ]

    def add(key: str, value: str, kind: str = "double", shape: str = "[]", remark: str = "") -> None:
        lines.append(f"static const {kind} {name}_{key}{shape} = {value};{remark}")

    add("categories", _braces(list(map(str, counts))), "int", remark="  /* 0: numbers */")
    if not spreads(formula.forest) and (formula.values.shape[1] > 1 or formula.majority is not None):
        add("values", _rows(formula.values[ends], _number), shape=f"[][{formula.n_scores}]")
        if formula.majority is not None:
            add("majority", _rows(formula.majority[ends], str), "int", f"[][{formula.n_outputs}]")
    if "NAME_start" in text:
        add("start", _numbers(formula.start))
    if formula.votes is not None:
        add("votes", _numbers(formula.votes))
    if formula.confidence is not None:
        add("priors", _rows(formula.confidence.prior, _number), shape=f"[][{formula.n_scores}]")
    if "NAME_begin" in text:
        add("begin", _braces([str(one.start) for one in formula.spans]), "int")
        add("end", _braces([str(one.stop) for one in formula.spans]), "int")
    for key in ("divisor", "scale", "offset"):
        if f"NAME_{key}" in text:
            add(key, _number(float(getattr(formula, key))), shape="")
    if language.guarantee is not None:
        lines.append(f"enum {{{', '.join(f'{name}_{key} = {n}' for key, n in _counts(language).items())}}};")
        _add_guarantee(language.guarantee, text, add)
    return "\n".join([*classes, *lines])


def _counts(language: _C) -> dict[str, int]:
    """Lengths of arrays of intervals and sets."""
    kept = language.guarantee
    if kept is None or kept.residuals is None:
        return {"n_classes": sum(map(len, language.formula.classes))}
    return {"n_residuals": len(kept.residuals), "n_kept": len(kept.residuals) + 1 - kept.rank}


def _add_guarantee(kept: Guarantee, text: str, add: Callable[..., None]) -> None:
    """Numbers that functions of intervals and sets read."""
    if "NAME_quantile" in text:
        add("quantile", _number(kept.quantile), shape="")
    if "NAME_bound" in text:
        add("bound", _number(kept.bound), shape="")
    if "NAME_size(" in text:
        add("knots", _rows(np.column_stack(kept.spread), _number), shape="[][2]")
    if kept.residuals is not None and kept.unseen is not None:
        add("residuals", _numbers(kept.residuals))
        bits = np.packbits(kept.unseen, axis=1, bitorder="little").tolist()
        add("unseen", _braces([_bits(one) for one in bits]), "char *const")


class _C(Language):
    runtime, link_body = "runtime_c.txt", "c"
    functions: ClassVar = {
        "exp": "NAME_exp",
        "log": "NAME_log",
        "rounded": "NAME_rounded",
        "max": "fmax",
        "abs": "fabs",
    }
    scale = "NAME_scale"
    second: ClassVar = {"probability": "NAME_response(x[0]) > 0.5", "zero": "x[0] >= 0", "above zero": "x[0] > 0"}
    either, unless, end = " || ", "!(%s)", ";"
    when, otherwise, or_when = "if (%s) {", "} else {", "} else if (%s) {"
    constant, spread_head = "const double ", "static void %s(const double *x, double part, double *out) {"
    close, idle, no_leaf, no_way = ("}",), ("    (void)x;",), ("    (void)part;", "    (void)out;"), ()

    def __init__(self, formula: Formula, name: str, guarantee: Guarantee | None) -> None:
        super().__init__(formula, name, f"{name}_", guarantee)
        self.says_number = formula.values.shape[1] == 1 and formula.majority is None

    def number(self, value: float) -> str:
        return _number(value)

    def remark(self, text: str) -> str:
        return f" /* {_remark(text)} */"

    def head(self, name: str) -> str:
        return f"static {'double' if self.says_number else 'int'} {name}(const double *x) {{"

    def give(self, end: int, node: int) -> str:
        return f"return {self.with_terms(node) if self.says_number else end};"

    def one_of(self, column: int, members: Sequence[int]) -> str:
        if len(members) <= _FEW:
            return " || ".join(f"x[{column}] == {one}" for one in members)
        bits = bytearray(members[-1] // 8 + 1)
        for one in members:
            bits[one // 8] |= 1 << one % 8
        return f"{self.prefix}has({_bits(bits)}, {len(bits)}, x[{column}])"

    def switch(self, children: Sequence[str]) -> list[str]:
        cases = [f"        case {k}: {child}(x, part, out); break;" for k, child in enumerate(children)]
        return ["        switch ((int)value) {", *cases, "        }"]


def _reading(formula: Formula, texts: dict[str, str]) -> list[str]:
    """How a row is read; where numbers are categories or zeros are missing, in the way of other libraries."""
    arrays, lines = [], []
    for j, column in enumerate(formula.schema.columns):
        cells = formula.cells(j)
        if cells.numbered:
            known = cells.known(column.categories or ())
            values = ", ".join(f"{one!r}" for one in known or [0.0])
            arrays.append(f"static const double NAME_known_{j}[] = {{{values}}};")
            other = f"{len(known)}" if cells.has_others else "NAN"
            lines.append(f"    x[{j}] = NAME_place(row[{j}], NAME_known_{j}, {len(known)}, {other});\n")
        elif cells.zero_is_missing:
            lines.append(f"    x[{j}] = fabs(row[{j}]) <= {ZERO!r} ? NAN : row[{j}];\n")
    return [*([texts["place"], "\n".join(arrays)] if arrays else []), texts["read"].replace("MORE", "".join(lines))]
