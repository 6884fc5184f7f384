"""The functions around the trees in C's sources: text, in which NAME_ and PREDICT are replaced (`filled`).

`exp` and `log` are those of criteria/exp_log.py, operation by operation: the same bits. What becomes of raw scores is
written in the table of links (tree/links.py).
"""

from __future__ import annotations

import re

from spinney.tree.formula import ZERO, Formula
from spinney.tree.links import LinkFunction
from spinney.tree.questions import spreads

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

_WHEN = {"probability": "NAME_response(x[0]) > 0.5", "zero": "x[0] >= 0", "above zero": "x[0] > 0"}

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

_HELPERS = {"exp": _EXP, "log": _LOG, "rounded": _ROUNDED, "greatest": _GREATEST, "softly": _SOFTLY}
_FUNCTIONS = {"exp": "NAME_exp", "log": "NAME_log", "rounded": "NAME_rounded", "max": "fmax", "abs": "fabs"}


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


def answer_parts(formula: Formula) -> list[str]:
    """All functions around the trees."""
    found = _answer(formula, formula.response)
    text = "".join(found)
    return [part for name, part in _HELPERS.items() if f"NAME_{name}(" in text] + found


def _answer(formula: Formula, link: LinkFunction) -> list[str]:
    several = formula.n_outputs > 1
    if formula.majority is not None and not spreads(formula.forest):
        return [_LEAF, _MAJORITIES if several else _MAJORITY]
    if link.name == "median":
        return [_MEDIAN]
    found = [_raw(formula), _scores(formula, link), *_predictions(formula, link)]
    if any("NAME_response(" in part for part in found):
        found.insert(0, _RESPONSE.replace("RESPONSE", link.write(_FUNCTIONS, "NAME_scale")))
    return found if formula.is_single else [part.replace("NAME_rounded(", "(") for part in found]


def _raw(formula: Formula) -> str:
    if not spreads(formula.forest):
        return _RAW_IN_TURN if formula.values.shape[1] == 1 else _RAW
    if formula.confidence is not None:
        return _RAW_BY_CONFIDENCE
    return _RAW_SPREAD if formula.votes is None else _RAW_OF_VOTES


def _scores(formula: Formula, link: LinkFunction) -> str:
    if link.name == "margin":
        return _MARGIN.replace("MARGIN", "raw[1]" if formula.discrete else "(raw[1] - raw[0]) / NAME_divisor")
    return _SCORES if link.divides else _SCORES.replace(_DIVIDE, "")


def _predictions(formula: Formula, link: LinkFunction) -> list[str]:
    if link.name == "depth":
        return [_DEPTH]
    if not formula.is_class:
        return [_EACH.replace("FUNCTION", "PREDICT") if formula.n_outputs > 1 else _NUMBER]
    if formula.n_outputs > 1:
        return [_SHARES_OF_MANY]
    if link.of_all is not None:
        last = _SECOND.replace("SECOND", _WHEN[formula.second_from]) if link.name == "margin" else _LARGEST
        return [_OF_ALL.replace("BODY", link.of_all.c), last]
    if formula.n_scores > 1 or link.name == "shares":
        return [_EACH.replace("FUNCTION", "PREDICT_proba"), _LARGEST]
    second = _SECOND.replace("SECOND", _WHEN[formula.second_from])
    return [second] if link.name == "hinge" else [_TWO_CLASSES, second]


def filled(text: str, name: str) -> str:
    """The text for a function of this name."""
    return re.sub("NAME_|PREDICT", lambda found: f"{name}_" if found[0] == "NAME_" else name, text).strip("\n")
