"""Functions that stand around the trees in Python's sources: text, in which NAME_ and PREDICT are replaced
(`filled`).

`exp` and `log` are those of criteria/exp_log.py, operation by operation: the same bits.
"""

from __future__ import annotations

import re

READ = '''
def NAME_read(row):
    """The values of a row as floats; categories as their numbers; nan for what is missing."""
    values = [row[name] for name in NAME_COLUMNS] if hasattr(row, "keys") else list(row)
    if len(values) != len(NAME_COLUMNS):
        raise ValueError("row has %d values, but %d are expected." % (len(values), len(NAME_COLUMNS)))
    found = []
    for name, known, value in zip(NAME_COLUMNS, NAME_CATEGORIES, values):
        if value is None or value != value:
            found.append(math.nan)
        elif known is None:
            if isinstance(value, str):
                raise TypeError("column %r holds numbers, got %r." % (name, value))
            found.append(float(value))
        else:
            if known and isinstance(value, str) != isinstance(next(iter(known)), str):
                raise TypeError("column %r holds values such as %r, got %r." % (name, next(iter(known)), value))
            if NAME_STRICT and value not in known:
                raise ValueError("column %r holds a category that was not seen in fit: %r." % (name, value))
            found.append(known.get(value, math.nan))
    return found
'''

_EXP = '''
def NAME_exp(x):
    """e to the x, in the same operations as Spinney: the same bits."""
    x = min(max(x, -700.0), 700.0)
    shifted = x * 1.4426950408889634 + 6755399441055744.0
    k = shifted - 6755399441055744.0
    r = (x - k * 6.93145751953125e-1) - k * 1.42860682030941723212e-6
    p = 1.6059043836821613e-10
    for c in (
        2.08767569878681e-9,
        2.505210838544172e-8,
        2.755731922398589e-7,
        2.7557319223985893e-6,
        2.48015873015873e-5,
        1.984126984126984e-4,
        1.3888888888888889e-3,
        8.333333333333333e-3,
        4.1666666666666664e-2,
        1.6666666666666666e-1,
        0.5,
        1.0,
        1.0,
    ):
        p = p * r + c
    return math.ldexp(p, int(k))
'''

_LOG = '''
def NAME_log(x):
    """The natural logarithm of a positive number, in the same operations as Spinney: the same bits."""
    m, k = math.frexp(x)
    k = float(k - 1) if m < 0.7071067811865476 else float(k)
    m = 2.0 * m if m < 0.7071067811865476 else m
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 0.05263157894736842
    for c in (
        0.058823529411764705,
        0.06666666666666667,
        0.07692307692307693,
        0.09090909090909091,
        0.1111111111111111,
        0.14285714285714285,
        0.2,
        0.3333333333333333,
    ):
        p = p * z + c
    return k * 6.93145751953125e-1 + (2.0 * s + (2.0 * s * z * p + k * 1.42860682030941723212e-6))
'''

_RAW = '''
def NAME_raw(row):
    """Raw scores: the sum of all trees' values, in order."""
    x, raw = NAME_read(row), list(NAME_START)
    for tree in NAME_TREES:
        for k, value in enumerate(tree(x)):
            raw[k] += value
    return raw
'''

_RAW_IN_TURN = '''
def NAME_raw(row):
    """Raw scores: tree t adds to number t % n."""
    x, raw = NAME_read(row), list(NAME_START)
    for t, tree in enumerate(NAME_TREES):
        raw[t % len(raw)] += tree(x)
    return raw
'''

_RAW_SPREAD = '''
def NAME_raw(row):
    """Class fractions; a row with a missing value goes down every branch, weighted by its training weight."""
    raw = list(NAME_START)
    NAME_TREES[0](NAME_read(row), 1.0, raw)
    return raw
'''

_RAW_OF_VOTES = '''
def NAME_raw(row):
    """Votes: each tree votes for its most probable class, and a little against the others."""
    x, raw = NAME_read(row), list(NAME_START)
    for tree, vote in zip(NAME_TREES, NAME_VOTES):
        shares = [0.0] * len(raw)
        tree(x, 1.0, shares)
        named = shares.index(max(shares))
        for k in range(len(raw)):
            raw[k] += vote * (1.0 if k == named else -1.0 / max(len(raw) - 1, 1))
    return raw
'''

_RAW_BY_CONFIDENCE = '''
def NAME_raw(row):
    """Votes: each tree votes for its most probable class, weighted by its confidence."""
    x, raw = NAME_read(row), list(NAME_START)
    for tree, prior in zip(NAME_TREES, NAME_PRIORS):
        shares = [0.0] * (len(raw) + 1)
        tree(x, 1.0, shares)
        weight = shares.pop()
        named = shares.index(max(shares))
        raw[named] += (weight * shares[named] + prior[named]) / (weight + 1.0)
    return raw
'''

_RAW_AND_MAJORITY = '''
def NAME_raw(row):
    """The class fractions of the leaf."""
    return list(NAME_TREES[0](NAME_read(row))[1])
'''

_NUMBER = '''
def PREDICT(row):
    """The predicted number of a row."""
    return NAME_raw(row)[0] / NAME_DIVISOR
'''

_NUMBERS = '''
def PREDICT(row):
    """The predicted numbers of a row, a list."""
    return [value / NAME_DIVISOR for value in NAME_raw(row)]
'''

_EXPONENTIAL = '''
def PREDICT(row):
    """The predicted number of a row."""
    return NAME_exp(NAME_raw(row)[0])
'''

_SHARES = '''
def NAME_shares(row):
    """Probabilities of the classes of each output."""
    raw = [value / NAME_DIVISOR for value in NAME_raw(row)]
    return [raw[begin:end] for begin, end in NAME_SPANS]
'''

_SHARE = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    return NAME_shares(row)[0]


def PREDICT(row):
    """The most probable class of a row."""
    shares = PREDICT_proba(row)
    return NAME_CLASSES[0][shares.index(max(shares))]
'''

_SHARES_OF_MANY = '''
def PREDICT_proba(row):
    """The probability of each class, a list for each output."""
    return NAME_shares(row)


def PREDICT(row):
    """The most probable class of each output, a list."""
    return [classes[one.index(max(one))] for classes, one in zip(NAME_CLASSES, NAME_shares(row))]
'''

_MAJORITY = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    return NAME_shares(row)[0]


def PREDICT(row):
    """The most common class of the row's leaf."""
    return NAME_CLASSES[0][NAME_TREES[0](NAME_read(row))[0][0]]
'''

_MAJORITIES = '''
def PREDICT_proba(row):
    """The probability of each class, a list for each output."""
    return NAME_shares(row)


def PREDICT(row):
    """The most common class of the row's leaf for each output, a list."""
    return [classes[k] for classes, k in zip(NAME_CLASSES, NAME_TREES[0](NAME_read(row))[0])]
'''

_LOGISTIC = '''
def PREDICT_proba(row):
    """The probability of each class, a list of two."""
    share = 1.0 / (1.0 + NAME_exp(-(NAME_SCALE * NAME_raw(row)[0])))
    return [1.0 - share, share]


def PREDICT(row):
    """The more probable class of a row."""
    return NAME_CLASSES[0][PREDICT_proba(row)[1] > 0.5]
'''

_SOFTMAX = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    raw, total = NAME_raw(row), 0.0
    greatest = max(raw)
    for value in raw:
        total += NAME_exp(value - greatest)
    total = greatest + NAME_log(total)
    return [NAME_exp(value - total) for value in raw]


def PREDICT(row):
    """The most probable class of a row."""
    raw = NAME_raw(row)
    return NAME_CLASSES[0][raw.index(max(raw))]
'''

_SOFTLY = '''
def NAME_softly(scores):
    """Scores as probabilities."""
    greatest = max(scores)
    powers = [math.exp(value - greatest) for value in scores]
    total = sum(powers)
    return [value / total for value in powers]
'''

_VOTES = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    return NAME_softly([value / NAME_DIVISOR / NAME_SCALE for value in NAME_raw(row)])


def PREDICT(row):
    """The class with the largest vote."""
    raw = [value / NAME_DIVISOR for value in NAME_raw(row)]
    return NAME_CLASSES[0][raw.index(max(raw))]
'''

_CONFIDENCE = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes: its fraction of the votes."""
    raw, total = NAME_raw(row), 0.0
    for value in raw:
        total += value
    return [value / total for value in raw]


def PREDICT(row):
    """The class with the largest vote."""
    raw = NAME_raw(row)
    return NAME_CLASSES[0][raw.index(max(raw))]
'''

_MARGIN = '''
def NAME_margin(row):
    """The margin of the vote: positive for the second class."""
    raw = NAME_raw(row)
    return (raw[1] - raw[0]) / NAME_DIVISOR


def PREDICT_proba(row):
    """The probability of each class, a list of two."""
    margin = NAME_margin(row)
    return NAME_softly([-margin * NAME_SCALE, margin * NAME_SCALE])


def PREDICT(row):
    """The class with the largest vote."""
    return NAME_CLASSES[0][NAME_margin(row) > 0]
'''

_MEDIAN = '''
def PREDICT(row):
    """The median of the trees' predictions, weighted by the estimator weights."""
    x = NAME_read(row)
    predicted = [tree(x) for tree in NAME_TREES]
    order = sorted(range(len(predicted)), key=predicted.__getitem__)
    reached, total = [], 0.0
    for k in order:
        total += NAME_VOTES[k]
        reached.append(total)
    return next((predicted[k] for k, so_far in zip(order, reached) if so_far >= 0.5 * total), predicted[order[0]])
'''

_DEPTH = '''
def PREDICT_decision(row):
    """The decision function of a row: outliers are below 0."""
    depth = NAME_raw(row)[0] / NAME_DIVISOR
    return -NAME_exp(-0.6931471805599453 * (depth / NAME_SCALE)) - NAME_OFFSET


def PREDICT(row):
    """-1 for an outlier, else 1."""
    return -1 if PREDICT_decision(row) < 0 else 1
'''

PARTS = {
    "its_exp": _EXP,
    "its_log": _LOG,
    "raw": _RAW,
    "raw_in_turn": _RAW_IN_TURN,
    "raw_spread": _RAW_SPREAD,
    "raw_of_votes": _RAW_OF_VOTES,
    "raw_by_confidence": _RAW_BY_CONFIDENCE,
    "raw_and_majority": _RAW_AND_MAJORITY,
    "number": _NUMBER,
    "numbers": _NUMBERS,
    "shares": _SHARES,
    "share": _SHARE,
    "shares_of_many": _SHARES_OF_MANY,
    "majority": _MAJORITY,
    "majorities": _MAJORITIES,
    "exp": _EXPONENTIAL,
    "logistic": _LOGISTIC,
    "softmax": _SOFTMAX,
    "softly": _SOFTLY,
    "votes": _VOTES,
    "confidence": _CONFIDENCE,
    "margin": _MARGIN,
    "discrete": _MARGIN.replace("(raw[1] - raw[0]) / NAME_DIVISOR", "raw[1]"),
    "median": _MEDIAN,
    "depth": _DEPTH,
}


def filled(text: str, name: str) -> str:
    """The text for a function of this name."""
    return re.sub("NAME_|PREDICT", lambda found: f"_{name}_" if found[0] == "NAME_" else name, text)
