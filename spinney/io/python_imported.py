"""Functions that stand around the trees of other libraries' models in Python's sources (`filled` in python_parts.py).

The operations are those of responses.py in their order, rounded to float32 where the library does: the same bits.
"""

from __future__ import annotations

from spinney.io.python_parts import PARTS
from spinney.tree.formula import Formula

READ = '''
def NAME_read(row):
    """The values of a row as floats; categories as their numbers; nan for what is missing."""
    values = [row[name] for name in NAME_COLUMNS] if hasattr(row, "keys") else list(row)
    if len(values) != len(NAME_COLUMNS):
        raise ValueError("row has %d values, but %d are expected." % (len(values), len(NAME_COLUMNS)))
    return [NAME_cell(j, value) for j, value in enumerate(values)]


def NAME_cell(j, value):
    """A value as the trees compare it."""
    known = NAME_CATEGORIES[j]
    if value is None or value != value:
        return math.nan
    if known is None or j in NAME_NUMBERED:
        if isinstance(value, str):
            raise TypeError("column %r holds numbers, got %r." % (NAME_COLUMNS[j], value))
        value = float(value)
        if j in NAME_NUMBERED:
            is_one = math.isfinite(value) and (value >= 0 or not NAME_HAS_OTHERS)
            return known.get(math.trunc(value), NAME_NUMBERED[j]) if is_one else NAME_NUMBERED[j]
        return math.nan if j in NAME_ZERO_IS_MISSING and abs(value) <= NAME_ZERO else value
    if known and isinstance(value, str) != isinstance(next(iter(known)), str):
        sample = next(iter(known))
        raise TypeError("column %r holds values such as %r, got %r." % (NAME_COLUMNS[j], sample, value))
    return known.get(value, math.nan)
'''

_SINGLE = '''
def NAME_rounded(x):
    """As a float32: sums are made in float32, as in the library that fitted the model."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)
'''

_DOUBLE = '''
def NAME_rounded(x):
    """Unchanged: sums are made in float64."""
    return x
'''

_RAW = '''
def NAME_raw(row):
    """Raw scores: tree t adds to number t % n."""
    x, raw = NAME_read(row), list(NAME_START)
    for t, tree in enumerate(NAME_TREES):
        raw[t % len(raw)] = NAME_rounded(raw[t % len(raw)] + tree(x))
    return [value / NAME_DIVISOR for value in raw]
'''

_RESPONSES = {
    "identity": "raw",
    "exp": "NAME_rounded(NAME_exp(raw))",
    "logistic": "NAME_rounded(1.0 / NAME_rounded(1.0 + NAME_rounded(NAME_exp(-NAME_rounded(NAME_SCALE * raw)))))",
    "softplus": "max(raw, 0.0) + NAME_log(1.0 + NAME_exp(-abs(raw)))",
    "signed_square": "raw * abs(raw)",
}

_RESPONSE = '''
def NAME_response(raw):
    """What a raw score predicts."""
    return RESPONSE
'''

_NUMBER = '''
def PREDICT(row):
    """The predicted number of a row."""
    return NAME_response(NAME_raw(row)[0])
'''

_NUMBERS = '''
def PREDICT(row):
    """The predicted numbers of a row, a list."""
    return [NAME_response(value) for value in NAME_raw(row)]
'''

_TWO_CLASSES = '''
def PREDICT_proba(row):
    """The probability of each class, a list of two."""
    share = NAME_response(NAME_raw(row)[0])
    return [NAME_rounded(1.0 - share), share]
'''

_EACH_CLASS = '''
def PREDICT_proba(row):
    """The probability of each class by itself, a list in the order of the classes."""
    return [NAME_response(value) for value in NAME_raw(row)]
'''

_SOFTMAX = '''
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    raw, total = NAME_raw(row), 0.0
    greatest = max(raw)
    powers = [NAME_rounded(NAME_exp(NAME_rounded(value - greatest))) for value in raw]
    for power in powers:
        total += power
    return [NAME_rounded(power / NAME_rounded(total)) for power in powers]
'''

_SECOND = '''
def PREDICT(row):
    """The class of a row."""
    return NAME_CLASSES[0][SECOND]
'''

_GREATEST = '''
def PREDICT(row):
    """The most probable class of a row."""
    raw = NAME_raw(row)
    return NAME_CLASSES[0][raw.index(max(raw))]
'''

_WHEN = {
    "probability": "PREDICT_proba(row)[1] > 0.5",
    "zero": "NAME_raw(row)[0] >= 0",
    "above zero": "NAME_raw(row)[0] > 0",
}


def parts_of(formula: Formula) -> list[str]:
    """All functions around the trees."""
    assert formula.foreign is not None
    link, several = formula.link, formula.n_scores > 1
    found = [PARTS["its_exp"]] if link in ("exp", "logistic", "softmax", "softplus") else []
    found += [PARTS["its_log"]] if link == "softplus" else []
    found += [_SINGLE if formula.foreign.single else _DOUBLE, _RAW]
    found += [_RESPONSE.replace("RESPONSE", _RESPONSES[link])] if link in _RESPONSES else []
    if not formula.is_class:
        return [*found, _NUMBERS if several else _NUMBER]
    if several:
        return [*found, _SOFTMAX if link == "softmax" else _EACH_CLASS, _GREATEST]
    when = _WHEN["above zero" if link == "hinge" else formula.foreign.second_from]
    return [*found, *([] if link == "hinge" else [_TWO_CLASSES]), _SECOND.replace("SECOND", when)]
