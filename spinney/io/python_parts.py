"""The functions around the trees in Python's sources: text, in which NAME_ and PREDICT are replaced (`filled`).

`exp` and `log` are those of criteria/exp_log.py, operation by operation: the same bits. What becomes of raw scores is
written in the table of links (tree/links.py).
"""

from __future__ import annotations

import re

from spinney.tree.formula import Formula
from spinney.tree.links import LinkFunction
from spinney.tree.questions import spreads

_READ = '''
def NAME_read(row):
    """The values of a row as floats; categories as their numbers; nan for what is missing."""
    values = [row[name] for name in NAME_COLUMNS] if hasattr(row, "keys") else list(row)
    if len(values) != len(NAME_COLUMNS):
        raise ValueError("row has %d values, but %d are expected." % (len(values), len(NAME_COLUMNS)))
    return [NAME_cell(j, value) for j, value in enumerate(values)]


def NAME_cell(j, value):
    """A value as the trees compare it."""
    name, known = NAME_COLUMNS[j], NAME_CATEGORIES[j]
    if value is None or value != value:
        return math.nan
    if known is NoneOR:
        if isinstance(value, str):
            raise TypeError("column %r holds numbers, got %r." % (name, value))
        RETURN
    if known and isinstance(value, str) != isinstance(next(iter(known)), str):
        raise TypeError("column %r holds values such as %r, got %r." % (name, next(iter(known)), value))
    if NAME_STRICT and value not in known:
        raise ValueError("column %r holds a category that was not seen in fit: %r." % (name, value))
    return known.get(value, math.nan)
'''

# In models of other libraries, numbers may be categories, and zeros missing.
_NUMBERS_OF_OTHERS = """value = float(value)
        if j in NAME_NUMBERED:
            is_one = math.isfinite(value) and (value >= 0 or not NAME_HAS_OTHERS)
            return known.get(math.trunc(value), NAME_NUMBERED[j]) if is_one else NAME_NUMBERED[j]
        return math.nan if j in NAME_ZERO_IS_MISSING and abs(value) <= NAME_ZERO else value"""

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

_ROUNDED = '''
def NAME_rounded(x):
    """As a float32: sums are made in float32, as in the library that fitted the model."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)
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
    x, raw, n = NAME_read(row), list(NAME_START), len(NAME_START)
    for t, tree in enumerate(NAME_TREES):
        raw[t % n] = NAME_rounded(raw[t % n] + tree(x))
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

_SCORES = '''
def NAME_scores(row):
    """Raw scores, divided."""
    return [value / NAME_DIVISOR for value in NAME_raw(row)]
'''

_MARGIN = '''
def NAME_scores(row):
    """The margin of the vote: positive for the second class."""
    raw = NAME_raw(row)
    return [MARGIN]
'''

_RESPONSE = '''
def NAME_response(x):
    """What a score predicts."""
    return RESPONSE
'''

_NUMBER = '''
def PREDICT(row):
    """The predicted number of a row."""
    return NAME_response(NAME_scores(row)[0])
'''

_NUMBERS = '''
def PREDICT(row):
    """The predicted numbers of a row, a list."""
    return [NAME_response(x) for x in NAME_scores(row)]
'''

_EACH_CLASS = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    return [NAME_response(x) for x in NAME_scores(row)]
'''

_OF_ALL = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    x = NAME_scores(row)BODY'''

_LARGEST = '''
def PREDICT(row):
    """The most probable class of a row."""
    x = NAME_scores(row)
    return NAME_CLASSES[0][x.index(max(x))]
'''

_TWO_CLASSES = '''
def PREDICT_proba(row):
    """The probability of each class, a list of two."""
    share = NAME_response(NAME_scores(row)[0])
    return [NAME_rounded(1.0 - share), share]
'''

_SECOND = '''
def PREDICT(row):
    """The class of a row."""
    return NAME_CLASSES[0][SECOND]
'''

_WHEN = {
    "probability": "PREDICT_proba(row)[1] > 0.5",
    "zero": "NAME_scores(row)[0] >= 0",
    "above zero": "NAME_scores(row)[0] > 0",
}

_SHARES_OF_MANY = '''
def PREDICT_proba(row):
    """The probability of each class, a list for each output."""
    x = NAME_scores(row)
    return [x[begin:end] for begin, end in NAME_SPANS]


def PREDICT(row):
    """The most probable class of each output, a list."""
    return [classes[one.index(max(one))] for classes, one in zip(NAME_CLASSES, PREDICT_proba(row))]
'''

_MAJORITY = '''
def PREDICT(row):
    """The most common class of the row's leaf."""
    return NAME_CLASSES[0][NAME_TREES[0](NAME_read(row))[0][0]]
'''

_MAJORITIES = '''
def PREDICT(row):
    """The most common class of the row's leaf for each output, a list."""
    return [classes[k] for classes, k in zip(NAME_CLASSES, NAME_TREES[0](NAME_read(row))[0])]
'''

_SOFTLY = '''
def NAME_softly(scores):
    """Scores as probabilities."""
    greatest = max(scores)
    powers = [math.exp(value - greatest) for value in scores]
    total = sum(powers)
    return [value / total for value in powers]
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
    return NAME_response(NAME_scores(row)[0]) - NAME_OFFSET


def PREDICT(row):
    """-1 for an outlier, else 1."""
    return -1 if PREDICT_decision(row) < 0 else 1
'''

_HELPERS = {"exp": _EXP, "log": _LOG, "rounded": _ROUNDED, "softly": _SOFTLY}
_FUNCTIONS = {"exp": "NAME_exp", "log": "NAME_log", "rounded": "NAME_rounded"}


def reading_part(formula: Formula) -> str:
    """How a row is read."""
    foreign = formula.foreign is not None
    text = _READ.replace("OR:", " or j in NAME_NUMBERED:" if foreign else ":")
    return text.replace("RETURN", _NUMBERS_OF_OTHERS if foreign else "return float(value)")


def answer_parts(formula: Formula) -> list[str]:
    """All functions around the trees."""
    found = _answer(formula, formula.response)
    text = "".join(found)
    return [part for name, part in _HELPERS.items() if f"NAME_{name}(" in text] + found


def _answer(formula: Formula, link: LinkFunction) -> list[str]:
    if link.name == "median":
        return [_MEDIAN]
    found = [_raw(formula), _scores(formula, link), *_predictions(formula, link)]
    if any("NAME_response(" in part for part in found):
        found.insert(0, _RESPONSE.replace("RESPONSE", link.write(_FUNCTIONS, "NAME_SCALE")))
    return found if formula.is_single else [part.replace("NAME_rounded(", "(") for part in found]


def _raw(formula: Formula) -> str:
    if spreads(formula.forest):
        if formula.confidence is not None:
            return _RAW_BY_CONFIDENCE
        return _RAW_SPREAD if formula.votes is None else _RAW_OF_VOTES
    if formula.majority is not None:
        return _RAW_AND_MAJORITY
    return _RAW_IN_TURN if formula.values.shape[1] == 1 else _RAW


def _scores(formula: Formula, link: LinkFunction) -> str:
    if link.name == "margin":
        return _MARGIN.replace("MARGIN", "raw[1]" if formula.discrete else "(raw[1] - raw[0]) / NAME_DIVISOR")
    return _SCORES if link.divides else _SCORES.replace(" / NAME_DIVISOR", "").replace(", divided", "")


def _predictions(formula: Formula, link: LinkFunction) -> list[str]:
    several = formula.n_outputs > 1
    if link.name == "depth":
        return [_DEPTH]
    if not formula.is_class:
        return [_NUMBERS if several else _NUMBER]
    if formula.majority is not None and not spreads(formula.forest):
        return [_SHARES_OF_MANY.partition("\n\n\n")[0] + "\n", _MAJORITIES] if several else [_EACH_CLASS, _MAJORITY]
    if several:
        return [_SHARES_OF_MANY]
    if link.of_all is not None:
        last = _SECOND.replace("SECOND", _WHEN[formula.second_from]) if link.name == "margin" else _LARGEST
        return [_OF_ALL.replace("BODY", link.of_all.python), last]
    if formula.n_scores > 1 or link.name == "shares":
        return [_EACH_CLASS, _LARGEST]
    second = _SECOND.replace("SECOND", _WHEN[formula.second_from])
    return [second] if link.name == "hinge" else [_TWO_CLASSES, second]


def filled(text: str, name: str) -> str:
    """The text for a function of this name."""
    return re.sub("NAME_|PREDICT", lambda found: f"_{name}_" if found[0] == "NAME_" else name, text)
