"""Functions that stand around the trees of other libraries' models in C's sources (`filled` in c_parts.py).

The operations are those of responses.py in their order, rounded to float32 where the library does: the same bits.
"""

from __future__ import annotations

from spinney.io.c_parts import PARTS
from spinney.tree.formula import ZERO, Formula

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

_CELLS = """
/* a row as trees compare it */
static void NAME_cells(const double *row, double *x) {
    NAME_read(row, x);
LINES
}
"""

_ROUNDED = """
/* sums are made in TYPEs, as in the library that has fitted the model */
static double NAME_rounded(double x) {
    return (TYPE)x;
}
"""

_RAW = """
/* raw scores: tree t adds to number t % n */
static void NAME_raw(const double *row, double *raw) {
    double x[NAME_n_columns];
    NAME_cells(row, x);
    for (int k = 0; k < NAME_n_scores; k++) raw[k] = NAME_start[k];
    for (int t = 0; t < NAME_n_trees; t++)
        raw[t % NAME_n_scores] = NAME_rounded(raw[t % NAME_n_scores] + NAME_trees[t](x));
    for (int k = 0; k < NAME_n_scores; k++) raw[k] /= NAME_divisor;
}
"""

_RESPONSES = {
    "identity": "raw",
    "exp": "NAME_rounded(NAME_exp(raw))",
    "logistic": "NAME_rounded(1.0 / NAME_rounded(1.0 + NAME_rounded(NAME_exp(-NAME_rounded(NAME_scale * raw)))))",
    "softplus": "(raw > 0.0 ? raw : 0.0) + NAME_log(1.0 + NAME_exp(-fabs(raw)))",
    "signed_square": "raw * fabs(raw)",
}

_RESPONSE = """
/* what a raw score predicts */
static double NAME_response(double raw) {
    return RESPONSE;
}
"""

_NUMBER = """
double PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return NAME_response(raw[0]);
}
"""

_EACH = """
void FUNCTION(const double *row, double *out) {
    NAME_raw(row, out);
    for (int k = 0; k < NAME_n_scores; k++) out[k] = NAME_response(out[k]);
}
"""

_TWO_CLASSES = """
void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    out[1] = NAME_response(raw[0]);
    out[0] = NAME_rounded(1.0 - out[1]);
}
"""

_SOFTMAX = """
void PREDICT_proba(const double *row, double *out) {
    double raw[NAME_n_scores], total = 0.0;
    NAME_raw(row, raw);
    const double greatest = raw[NAME_greatest(raw)];
    for (int k = 0; k < NAME_n_scores; k++) {
        out[k] = NAME_rounded(NAME_exp(NAME_rounded(raw[k] - greatest)));
        total += out[k];
    }
    for (int k = 0; k < NAME_n_scores; k++) out[k] = NAME_rounded(out[k] / NAME_rounded(total));
}
"""

_SECOND = """
int PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return SECOND;
}
"""

_GREATEST = """
int PREDICT(const double *row) {
    double raw[NAME_n_scores];
    NAME_raw(row, raw);
    return NAME_greatest(raw);
}
"""

_WHEN = {"probability": "NAME_response(raw[0]) > 0.5", "zero": "raw[0] >= 0", "above zero": "raw[0] > 0"}


def parts_of(formula: Formula) -> list[str]:
    """All functions around the trees."""
    assert formula.foreign is not None
    link, several = formula.link, formula.n_scores > 1
    found = _cells(formula)
    found += [PARTS["its_exp"]] if link in ("exp", "logistic", "softmax", "softplus") else []
    found += [PARTS["its_log"]] if link == "softplus" else []
    found += [_ROUNDED.replace("TYPE", "float" if formula.foreign.single else "double"), _RAW]
    found += [_RESPONSE.replace("RESPONSE", _RESPONSES[link])] if link in _RESPONSES else []
    if not formula.is_class:
        return [*found, _EACH.replace("FUNCTION", "PREDICT") if several else _NUMBER]
    if several:
        found.append(PARTS["greatest"])
        return [*found, _SOFTMAX if link == "softmax" else _EACH.replace("FUNCTION", "PREDICT_proba"), _GREATEST]
    when = _WHEN["above zero" if link == "hinge" else formula.foreign.second_from]
    return [*found, *([] if link == "hinge" else [_TWO_CLASSES]), _SECOND.replace("SECOND", when)]


def _cells(formula: Formula) -> list[str]:
    """Numbers into places of categories, and zeros into missing values."""
    arrays, lines = [], []
    for j, column in enumerate(formula.schema.columns):
        cells = formula.cells(j)
        if cells.numbered:
            known = cells.known(column.categories or ())
            values = ", ".join(f"{one!r}" for one in known or [0.0])
            arrays.append(f"static const double NAME_known_{j}[] = {{{values}}};")
            other = f"{len(known)}" if cells.has_others else "NAN"
            lines.append(f"    x[{j}] = NAME_place(row[{j}], NAME_known_{j}, {len(known)}, {other});")
        elif cells.zero_is_missing:
            lines.append(f"    x[{j}] = fabs(row[{j}]) <= {ZERO!r} ? NAN : row[{j}];")
    helpers = [_PLACE, "\n".join(arrays)] if arrays else []
    return [*helpers, _CELLS.replace("LINES\n", "".join(f"{line}\n" for line in lines))]
