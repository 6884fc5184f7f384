"""Functions that stand around the trees in C's sources: text, in which NAME_ and PREDICT are replaced (`filled`).

`exp` and `log` are those of criteria/exp_log.py, operation by operation: the same bits.
"""

from __future__ import annotations

import re

READ = """
/* a row; unknown categories count as missing */
static void NAME_read(const double *row, double *x) {
    for (int j = 0; j < NAME_n_columns; j++) {
        const double value = row[j];
        const int n = NAME_categories[j];
        x[j] = n == 0 || (value >= 0 && value < n && value == floor(value)) ? value : NAN;
    }
}
"""

_HAS = """
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
    for (int t = 0; t < NAME_n_trees; t++) raw[t % NAME_n_scores] += NAME_trees[t](x);
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

_NUMBER = """
double PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return raw[0] / NAME_divisor;
}
"""

_NUMBERS = """
void PREDICT(const double *row, double *out) {
    NAME_raw(row, out);
    for (int k = 0; k < NAME_n_scores; k++) out[k] /= NAME_divisor;
}
"""

_EXPONENTIAL = """
double PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return NAME_exp(raw[0]);
}
"""

_SHARES = """
void PREDICT_proba(const double *row, double *out) {
    NAME_raw(row, out);
    for (int k = 0; k < NAME_n_scores; k++) out[k] /= NAME_divisor;
}

int PREDICT(const double *row) {
    double shares[NAME_n_scores];
    PREDICT_proba(row, shares);
    return NAME_greatest(shares);
}
"""

_SHARES_OF_MANY = """
static void NAME_shares(const double *row, double *raw) {
    NAME_raw(row, raw);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] /= NAME_divisor;
}

void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores];
    NAME_shares(row, raw);
    for (int o = 0; o < NAME_n_outputs; o++)
        for (int k = NAME_begin[o]; k < NAME_end[o]; k++) *out++ = raw[k];
}

void PREDICT(const double *row, int *out) {
    double raw[NAME_n_scores];
    NAME_shares(row, raw);
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

_MAJORITY = (
    _LEAF
    + """
int PREDICT(const double *row) {
    return NAME_majority[NAME_leaf(row)][0];
}
"""
)

_MAJORITIES = (
    _LEAF
    + """
void PREDICT(const double *row, int *out) {
    const int *named = NAME_majority[NAME_leaf(row)];
    for (int o = 0; o < NAME_n_outputs; o++) out[o] = named[o];
}
"""
)

_LOGISTIC = """
void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    out[1] = 1.0 / (1.0 + NAME_exp(-(NAME_scale * raw[0])));
    out[0] = 1.0 - out[1];
}

int PREDICT(const double *row) {
    double shares[2];
    PREDICT_proba(row, shares);
    return shares[1] > 0.5;
}
"""

_SOFTMAX = """
void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores], total = 0.0;
    NAME_raw(row, raw);
    const double greatest = raw[NAME_greatest(raw)];
    for (int k = 0; k < NAME_n_scores; k++) total += NAME_exp(raw[k] - greatest);
    total = greatest + NAME_log(total);
    for (int k = 0; k < NAME_n_scores; k++) out[k] = NAME_exp(raw[k] - total);
}

int PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return NAME_greatest(raw);
}
"""

_VOTES = """
void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] = raw[k] / NAME_divisor / NAME_scale;
    NAME_softly(raw, NAME_n_scores, out);
}

int PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] /= NAME_divisor;
    return NAME_greatest(raw);
}
"""

_CONFIDENCE = """
void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores], total = 0.0;
    NAME_raw(row, raw);
    for (int k = 0; k < NAME_n_scores; k++) total += raw[k];
    for (int k = 0; k < NAME_n_scores; k++) out[k] = raw[k] / total;
}

int PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return NAME_greatest(raw);
}
"""

_MARGIN = """
/* the margin of the vote: positive for the second class */
static double NAME_margin(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return (raw[1] - raw[0]) / NAME_divisor;
}

void PREDICT_proba(const double *row, double *out) {
    const double margin = NAME_margin(row);
    const double both[2] = {-margin * NAME_scale, margin * NAME_scale};
    NAME_softly(both, 2, out);
}

int PREDICT(const double *row) {
    return NAME_margin(row) > 0;
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
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return -NAME_exp(-0.6931471805599453 * (raw[0] / NAME_divisor / NAME_scale)) - NAME_offset;
}

int PREDICT(const double *row) {
    return PREDICT_decision(row) < 0 ? -1 : 1;
}
"""

READ_SETS = READ + _HAS
PARTS = {
    "its_exp": _EXP,
    "its_log": _LOG,
    "raw": _RAW,
    "raw_in_turn": _RAW_IN_TURN,
    "raw_spread": _RAW_SPREAD,
    "raw_of_votes": _RAW_OF_VOTES,
    "raw_by_confidence": _RAW_BY_CONFIDENCE,
    "greatest": _GREATEST,
    "softly": _SOFTLY,
    "identity": _NUMBER,
    "identity_of_many": _NUMBERS,
    "exp": _EXPONENTIAL,
    "shares": _SHARES,
    "shares_of_many": _SHARES_OF_MANY,
    "majority": _MAJORITY,
    "majorities": _MAJORITIES,
    "logistic": _LOGISTIC,
    "softmax": _SOFTMAX,
    "votes": _VOTES,
    "confidence": _CONFIDENCE,
    "margin": _MARGIN,
    "discrete": _MARGIN.replace("(raw[1] - raw[0]) / NAME_divisor", "raw[1]"),
    "median": _MEDIAN,
    "depth": _DEPTH,
}


def filled(text: str, name: str) -> str:
    """The text for a function of this name."""
    return re.sub("NAME_|PREDICT", lambda found: f"{name}_" if found[0] == "NAME_" else name, text).strip("\n")
