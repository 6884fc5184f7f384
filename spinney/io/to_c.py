"""A small fitted model as the source of a C function that needs nothing but math.h.

In: a fitted model of trees. Out: C99, the same operations as Spinney's in the same order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney.io.source import Spot, Texts, answer_parts, plain, read_small, tree_functions
from spinney.tree.formula import ZERO, Formula
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
    answers = answer_parts(formula, _TEXTS, lambda one: one.c)
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


# ----------------------------------------------------------------------------------------------------------------------
# The functions around the trees in C's sources: text, in which NAME_ and PREDICT are replaced (`filled`).
#
# `exp` and `log` are those of criteria/exp_log.py, operation by operation: the same bits. What becomes of raw scores is
# written in the table of links (tree/links.py).

_READ = """
/* a row; unknown categories count as missing */
static void NAME_read(const double *row, double *x) {
    for (int j = 0; j < NAME_n_columns; j++) {
        const double value = row[j];
        const int n = NAME_categories[j];
        x[j] = n == 0 || (value >= 0 && value < n && value == floor(value)) ? value : NAN;
    }
MORE}
"""

_PLACE = """
/* the place of an integer among those that are categories, else `other` */
static double NAME_place(double value, const double *known, int n, double other) {
    int first = 0, end = n;
    if (value != value) return NAN;
    value = value < 0 && other == other ? -1.0 : trunc(value);
    while (first < end) {
        const int k = first + (end - first) / 2;
        if (known[k] < value) first = k + 1;
        else end = k;
    }
    return first < n && known[first] == value ? first : other;
}
"""

HAS = """
/* whether a category is in a set of bits */
static int NAME_has(const char *bits, int n_bytes, double value) {
    const int k = value == value ? (int)value : -1;
    return k >= 0 && k / 8 < n_bytes && ((unsigned char)bits[k / 8] >> (k % 8) & 1);
}
"""

_EXP = """
/* e to the x, in the same operations as Spinney */
static double NAME_exp(double x) {
    static const double terms[] = {
        2.08767569878681e-9, 2.505210838544172e-8, 2.755731922398589e-7, 2.7557319223985893e-6, 2.48015873015873e-5,
        1.984126984126984e-4, 1.3888888888888889e-3, 8.333333333333333e-3, 4.1666666666666664e-2,
        1.6666666666666666e-1, 0.5, 1.0, 1.0};
    x = x < -700.0 ? -700.0 : x > 700.0 ? 700.0 : x;
    const double shifted = x * 1.4426950408889634 + 6755399441055744.0;
    const double k = shifted - 6755399441055744.0;
    const double r = (x - k * 6.93145751953125e-1) - k * 1.42860682030941723212e-6;
    double p = 1.6059043836821613e-10;
    for (int i = 0; i < 13; i++) p = p * r + terms[i];
    return ldexp(p, (int)k);
}
"""

_LOG = """
/* the natural logarithm of a positive number, in the same operations as Spinney */
static double NAME_log(double x) {
    static const double terms[] = {
        0.058823529411764705, 0.06666666666666667, 0.07692307692307693, 0.09090909090909091, 0.1111111111111111,
        0.14285714285714285, 0.2, 0.3333333333333333};
    int power;
    double m = frexp(x, &power), p = 0.05263157894736842;
    const double k = m < 0.7071067811865476 ? power - 1 : power;
    m = m < 0.7071067811865476 ? 2.0 * m : m;
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    for (int i = 0; i < 8; i++) p = p * z + terms[i];
    return k * 6.93145751953125e-1 + (2.0 * s + (2.0 * s * z * p + k * 1.42860682030941723212e-6));
}
"""

_RAW = """
/* raw scores: the sum of all trees' values, in order */
static void NAME_raw(const double *row, double *raw) {
    double x[NAME_n_columns];
    NAME_read(row, x);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] = NAME_start[k];
    for (int t = 0; t < NAME_n_trees; t++) {
        const double *values = NAME_values[NAME_trees[t](x)];
        for (int k = 0; k < NAME_n_scores; k++) raw[k] += values[k];
    }
}
"""

_RAW_IN_TURN = """
/* raw scores: tree t adds to number t % n */
static void NAME_raw(const double *row, double *raw) {
    double x[NAME_n_columns];
    NAME_read(row, x);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] = NAME_start[k];
    for (int t = 0; t < NAME_n_trees; t++)
        raw[t % NAME_n_scores] = NAME_rounded(raw[t % NAME_n_scores] + NAME_trees[t](x));
}
"""

_RAW_SPREAD = """
/* class fractions; a row with a missing value goes down every branch, weighted by its training weight */
static void NAME_raw(const double *row, double *raw) {
    double x[NAME_n_columns];
    NAME_read(row, x);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] = NAME_start[k];
    NAME_trees[0](x, 1.0, raw);
}
"""

_RAW_OF_VOTES = """
/* votes: each tree votes for its most probable class, and a little against the others */
static void NAME_raw(const double *row, double *raw) {
    double x[NAME_n_columns], shares[NAME_n_scores];
    NAME_read(row, x);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] = NAME_start[k];
    for (int t = 0; t < NAME_n_trees; t++) {
        int named = 0;
        for (int k = 0; k < NAME_n_scores; k++) shares[k] = 0.0;
        NAME_trees[t](x, 1.0, shares);
        for (int k = 1; k < NAME_n_scores; k++) named = shares[k] > shares[named] ? k : named;
        for (int k = 0; k < NAME_n_scores; k++)
            raw[k] += NAME_votes[t] * (k == named ? 1.0 : -1.0 / (NAME_n_scores > 1 ? NAME_n_scores - 1 : 1));
    }
}
"""

_RAW_BY_CONFIDENCE = """
/* votes: each tree votes for its most probable class, weighted by its confidence */
static void NAME_raw(const double *row, double *raw) {
    double x[NAME_n_columns], shares[NAME_n_scores + 1];
    NAME_read(row, x);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] = NAME_start[k];
    for (int t = 0; t < NAME_n_trees; t++) {
        int named = 0;
        for (int k = 0; k <= NAME_n_scores; k++) shares[k] = 0.0;
        NAME_trees[t](x, 1.0, shares);
        for (int k = 1; k < NAME_n_scores; k++) named = shares[k] > shares[named] ? k : named;
        const double weight = shares[NAME_n_scores];
        raw[named] += (weight * shares[named] + NAME_priors[t][named]) / (weight + 1.0);
    }
}
"""

_DIVIDE = "    for (int k = 0; k < NAME_n_scores; k++) x[k] /= NAME_divisor;\n"
_SCORES = f"""
static void NAME_scores(const double *row, double *x) {{
    NAME_raw(row, x);
{_DIVIDE}}}
"""

_ROUNDED = """
/* sums are made in float, as in the library that has fitted the model */
static double NAME_rounded(double x) {
    return (float)x;
}
"""

_GREATEST = """
static int NAME_greatest(const double *scores) {
    int best = 0;
    for (int k = 1; k < NAME_n_scores; k++) best = scores[k] > scores[best] ? k : best;
    return best;
}
"""

_SOFTLY = """
/* scores as probabilities */
static void NAME_softly(const double *scores, int n, double *out) {
    double greatest = scores[0], total = 0.0;
    for (int k = 1; k < n; k++) greatest = scores[k] > greatest ? scores[k] : greatest;
    for (int k = 0; k < n; k++) total += out[k] = exp(scores[k] - greatest);
    for (int k = 0; k < n; k++) out[k] /= total;
}
"""

_RESPONSE = """
/* what a score predicts */
static double NAME_response(double x) {
    return RESPONSE;
}
"""

_NUMBER = """
double PREDICT(const double *row) {
    double x[NAME_n_scores];
    NAME_scores(row, x);
    return NAME_response(x[0]);
}
"""

_EACH = """
void FUNCTION(const double *row, double *out) {
    NAME_scores(row, out);
    for (int k = 0; k < NAME_n_scores; k++) out[k] = NAME_response(out[k]);
}
"""

_OF_ALL = """
void PREDICT_proba(const double *row, double *out) {
    double x[NAME_n_scores];
    NAME_scores(row, x);BODY}
"""

_LARGEST = """
int PREDICT(const double *row) {
    double x[NAME_n_scores];
    NAME_scores(row, x);
    return NAME_greatest(x);
}
"""

_TWO_CLASSES = """
void PREDICT_proba(const double *row, double *out) {
    double x[NAME_n_scores];
    NAME_scores(row, x);
    out[1] = NAME_response(x[0]);
    out[0] = NAME_rounded(1.0 - out[1]);
}
"""

_SECOND = """
int PREDICT(const double *row) {
    double x[NAME_n_scores];
    NAME_scores(row, x);
    return SECOND;
}
"""

_MARGIN = """
/* the margin of the vote: positive for the second class */
static void NAME_scores(const double *row, double *x) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    x[0] = MARGIN;
}
"""

_SHARES_OF_MANY = """
void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores];
    NAME_scores(row, raw);
    for (int o = 0; o < NAME_n_outputs; o++)
        for (int k = NAME_begin[o]; k < NAME_end[o]; k++) *out++ = raw[k];
}

void PREDICT(const double *row, int *out) {
    double raw[NAME_n_scores];
    NAME_scores(row, raw);
    for (int o = 0; o < NAME_n_outputs; o++) {
        int best = NAME_begin[o];
        for (int k = best; k < NAME_end[o]; k++) best = raw[k] > raw[best] ? k : best;
        out[o] = best - NAME_begin[o];
    }
}
"""

_LEAF = """
static int NAME_leaf(const double *row) {
    double x[NAME_n_columns];
    NAME_read(row, x);
    return NAME_trees[0](x);
}

void PREDICT_proba(const double *row, double *out) {
    const double *values = NAME_values[NAME_leaf(row)];
    for (int o = 0; o < NAME_n_outputs; o++)
        for (int k = NAME_begin[o]; k < NAME_end[o]; k++) *out++ = values[k] / NAME_divisor;
}
"""

_MAJORITY = """
int PREDICT(const double *row) {
    return NAME_majority[NAME_leaf(row)][0];
}
"""

_MAJORITIES = """
void PREDICT(const double *row, int *out) {
    const int *named = NAME_majority[NAME_leaf(row)];
    for (int o = 0; o < NAME_n_outputs; o++) out[o] = named[o];
}
"""

_MEDIAN = """
/* the median of the trees' predictions, weighted by the estimator weights */
double PREDICT(const double *row) {
    double x[NAME_n_columns], predicted[NAME_n_trees], votes[NAME_n_trees], total = 0.0, reached = 0.0;
    NAME_read(row, x);
    for (int t = 0; t < NAME_n_trees; t++) {
        const double value = NAME_trees[t](x);
        int k = t;
        for (; k > 0 && predicted[k - 1] > value; k--) predicted[k] = predicted[k - 1], votes[k] = votes[k - 1];
        predicted[k] = value, votes[k] = NAME_votes[t];
    }
    for (int t = 0; t < NAME_n_trees; t++) total += votes[t];
    for (int t = 0; t < NAME_n_trees; t++) {
        reached += votes[t];
        if (reached >= 0.5 * total) return predicted[t];
    }
    return predicted[0];
}
"""

_DEPTH = """
double PREDICT_decision(const double *row) {
    double x[NAME_n_scores];
    NAME_scores(row, x);
    return NAME_response(x[0]) - NAME_offset;
}

int PREDICT(const double *row) {
    return PREDICT_decision(row) < 0 ? -1 : 1;
}
"""

_TEXTS = Texts(
    parts={
        "raw": _RAW,
        "raw in turn": _RAW_IN_TURN,
        "raw spread": _RAW_SPREAD,
        "raw of votes": _RAW_OF_VOTES,
        "raw by confidence": _RAW_BY_CONFIDENCE,
        "scores": _SCORES,
        "undivided": _SCORES.replace(_DIVIDE, ""),
        "margin": _MARGIN.replace("MARGIN", "(raw[1] - raw[0]) / NAME_divisor"),
        "discrete": _MARGIN.replace("MARGIN", "raw[1]"),
        "response": _RESPONSE,
        "number": _NUMBER,
        "numbers": _EACH.replace("FUNCTION", "PREDICT"),
        "each class": _EACH.replace("FUNCTION", "PREDICT_proba"),
        "of all": _OF_ALL,
        "largest": _LARGEST,
        "two classes": _TWO_CLASSES,
        "second": _SECOND,
        "shares of many": _SHARES_OF_MANY,
        "majority": _LEAF + _MAJORITY,
        "majorities": _LEAF + _MAJORITIES,
        "median": _MEDIAN,
        "depth": _DEPTH,
    },
    helpers={"exp": _EXP, "log": _LOG, "rounded": _ROUNDED, "greatest": _GREATEST, "softly": _SOFTLY},
    functions={"exp": "NAME_exp", "log": "NAME_log", "rounded": "NAME_rounded", "max": "fmax", "abs": "fabs"},
    scale="NAME_scale",
    when={"probability": "NAME_response(x[0]) > 0.5", "zero": "x[0] >= 0", "above zero": "x[0] > 0"},
)


def reading_parts(formula: Formula) -> list[str]:
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
    return [*([_PLACE, "\n".join(arrays)] if arrays else []), _READ.replace("MORE", "".join(lines))]


def filled(text: str, name: str) -> str:
    """The text for a function of this name."""
    return re.sub("NAME_|PREDICT", lambda found: f"{name}_" if found[0] == "NAME_" else name, text).strip("\n")
