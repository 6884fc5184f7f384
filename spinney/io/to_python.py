"""A small fitted model as the source of a Python function that needs nothing but Python.

In: a fitted model of trees. Out: source text; its functions return the very bits that the model predicts (AdaBoost's
probabilities: to the last bit or two, since NumPy has an `exp` of its own).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from spinney.io.source import Spot, Texts, answer_parts, plain, read_small, tree_functions
from spinney.tree.formula import ZERO, Formula

_MOST = 10_000


def to_python(model: Any, name: str = "predict", *, max_nodes: int = _MOST) -> str:
    """Write a fitted tree model as the source of a Python function that predicts one row.

    The function needs no library, for places where none can be installed.

    Parameters
    ----------
    model : fitted model
        A decision tree (C4.5 included), forest, boosted model, isolation forest, bagging or AdaBoost of trees, or an
        imported model.
    name : str, default="predict"
        Name of the function. Names taken in C, its library or Python raise ValueError. For classifiers the source also
        has `<name>_proba`, which returns a list of probabilities (for several outputs, a list of such lists). For
        isolation forests it has `<name>_decision`.
    max_nodes : int, default=10_000
        Maximum number of nodes of the model. Larger models raise ValueError, because their source would be long and
        slow to load.

    Returns
    -------
    str
        Source that imports only Python's standard library. The function takes a row: a dict by column name (numbers
        from 0 if columns have no names), or a sequence in column order. Missing values are None or nan. Unseen
        categories count as missing, or raise ValueError if the model has handle_unknown="error".

    See Also
    --------
    to_c, to_json, to_onnx

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, to_python
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(X[["island", "flipper_length_mm"]], y)
    >>> source = to_python(tree, "species")
    >>> print(source[source.index("def _species_tree_0") :].split("\\n\\n")[0])
    def _species_tree_0(x):
        if not x[1] > 206.5:  # 'flipper_length_mm' or missing
            if x[0] == 1 or x[0] != x[0]:  # 'island' is 'Dream' or missing
                return (1,), (0.4661016949152542, 0.5338983050847458, 0.0)
            else:
                return (0,), (0.979381443298969, 0.0, 0.020618556701030927)
        else:
            return (2,), (0.015503875968992248, 0.03875968992248062, 0.9457364341085271)
    >>> space: dict = {}
    >>> exec(source, space)
    >>> space["species"]({"island": "Dream", "flipper_length_mm": 190})
    'Chinstrap'
    """
    formula = read_small(model, name, max_nodes, "to_python")
    syntax = _Python(formula, f"_{name}_")
    lines, trees, _ = tree_functions(formula, syntax)
    reads, answers = reading_part(formula), answer_parts(formula, _TEXTS, lambda one: one.python)
    text = "".join([reads, *answers])
    facts = [f"_{name}_{key} = {value}" for key, value in _facts(formula).items() if f"NAME_{key}" in text]
    parts = [
        f'"""{_title(formula)}"""\n\nimport math' + ("\nimport struct" if formula.is_single else ""),
        "\n".join(facts),
        filled(reads, name),
        "\n".join(lines).strip("\n").replace("\n\n", "\n\n\n"),
        f"_{name}_TREES = [{', '.join(trees)}]",
        *(filled(part, name) for part in answers),
    ]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _title(formula: Formula) -> str:
    import spinney

    return (
        f"Written by Spinney {spinney.__version__} from a fitted {formula.model}, fingerprint {formula.fingerprint}.\n"
        "\n"
        "Nothing but Python is needed. A row is a dict by the columns' names, or a sequence in their order; missing\n"
        "values are None or nan.\n"
    )


def literal(value: Any) -> str:
    """Python's text of a float, string, Boolean or integer, in ASCII."""
    value = plain(value)
    return f"float('{value}')" if isinstance(value, float) and not math.isfinite(value) else ascii(value)


def _list(values: Sequence[Any]) -> str:
    return f"[{', '.join(map(literal, values))}]"


def _facts(formula: Formula) -> dict[str, str]:
    columns = formula.schema.columns
    names = range(len(columns)) if formula.schema.names is None else [column.name for column in columns]
    categories = [
        "None" if one.categories is None else _numbers_of(one.categories[:-1] if has_others else one.categories)
        for one, has_others in ((one, formula.cells(j).has_others) for j, one in enumerate(columns))
    ]
    facts = {
        "COLUMNS": _list(list(names)),
        "CATEGORIES": "[" + ", ".join(categories) + "]  # numbers of categories by value",
        "STRICT": f"{formula.strict}  # whether categories never seen are an error",
        "START": _list(formula.start.tolist()),
        "DIVISOR": literal(float(formula.divisor)),
        "SCALE": literal(float(formula.scale)),
    }
    if formula.foreign is not None:
        reading = formula.foreign.reading
        others = [len(columns[j].categories or ()) - 1.0 if reading.has_others else math.nan for j in reading.numbered]
        numbered = "{" + ", ".join(f"{j}: {literal(k)}" for j, k in zip(reading.numbered, others)) + "}"
        facts["NUMBERED"] = f"{numbered}  # columns whose categories are integers; what all other numbers are"
        facts["HAS_OTHERS"] = repr(reading.has_others)
        facts["ZERO_IS_MISSING"] = f"{_tuple(reading.zero_is_missing)}  # columns"
        facts["ZERO"] = literal(ZERO)
    if formula.is_class:
        facts["CLASSES"] = "[" + ", ".join(_list(one.tolist()) for one in formula.classes) + "]"
    if formula.link == "shares":
        facts["SPANS"] = repr([(span.start, span.stop) for span in formula.spans])
    if formula.link == "depth":
        facts["OFFSET"] = literal(formula.offset)
    if formula.votes is not None:
        facts["VOTES"] = _list(formula.votes.tolist())
    if formula.confidence is not None:
        facts["PRIORS"] = "[" + ", ".join(map(_list, formula.confidence.prior.tolist())) + "]"
    return facts


def _numbers_of(categories: Sequence[Any]) -> str:
    return "{" + ", ".join(f"{literal(value)}: {k}" for k, value in enumerate(categories)) + "}"


class _Python:
    """How Python says things; see `Syntax` in source.py."""

    def __init__(self, formula: Formula, prefix: str) -> None:
        self.formula, self.prefix = formula, prefix

    def up_to(self, column: int, threshold: float, missing_yes: bool) -> str:
        number = literal(threshold)
        return f"not x[{column}] > {number}" if missing_yes else f"x[{column}] <= {number}"

    def in_set(self, column: int, members: Sequence[int], missing_yes: bool) -> str:
        known = f"x[{column}] == {members[0]}" if len(members) == 1 else f"x[{column}] in {{{str(members)[1:-1]}}}"
        return f"{known} or {self.is_missing(column)}" if missing_yes else known

    def is_missing(self, column: int) -> str:
        return f"x[{column}] != x[{column}]"

    def remark(self, text: str) -> str:
        return "  # " + text.encode("ascii", "backslashreplace").decode()

    def when(self, condition: str) -> str:
        return f"if {condition}:"

    def otherwise(self) -> str:
        return "else:"

    def close(self) -> list[str]:
        return []

    def head(self, name: str) -> str:
        return f"def {name}(x):"

    def give(self, end: int, node: int) -> str:
        values = self.formula.values[node].tolist()
        if self.formula.majority is not None:
            return f"return {_tuple(self.formula.majority[node].tolist())}, {_tuple(values)}"
        return f"return {literal(values[0])}" if len(values) == 1 else f"return {_tuple(values)}"

    def hand_on(self, name: str) -> str:
        return f"return {name}(x)"

    def idle(self) -> list[str]:
        return []

    def spread(self, name: str, spot: Spot) -> list[str]:
        head = f"def {name}(x, part, out):"
        if spot.column < 0:
            says = enumerate(self.formula.adds(spot.node))
            adds = [f"    out[{c}] += part * {literal(value)}" for c, value in says if value]
            return [head, *(adds or ["    pass"])]
        ways = [f"        {f}(x, part * {literal(a)} / {literal(b)}, out)" for f, a, b in spot.shares]
        column = self.formula.schema.columns[spot.column]
        about = "" if column.name is None else self.remark(repr(str(column.name)))
        lines = [head, f"    value = x[{spot.column}]{about}", "    if value != value:", *(ways or ["        pass"])]
        if spot.by_branch:
            return [*lines, "    else:", f"        ({', '.join(spot.children)},)[int(value)](x, part, out)"]
        yes, no = spot.children
        test = f"value <= {literal(spot.threshold)}"
        test = test if spot.members is None else self.in_set(spot.column, spot.members, False)
        lines += [f"    elif {test}:", f"        {yes}(x, part, out)"]
        return [*lines, "    else:", f"        {no}(x, part, out)"]


def _tuple(values: Sequence[Any]) -> str:
    return f"({', '.join(map(literal, values))}{',' if len(values) == 1 else ''})"


# ----------------------------------------------------------------------------------------------------------------------
# The functions around the trees in Python's sources: text, in which NAME_ and PREDICT are replaced (`filled`).
#
# `exp` and `log` are those of criteria/exp_log.py, operation by operation: the same bits. What becomes of raw scores is
# written in the table of links (tree/links.py).

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
def PREDICT_proba(row):
    """The probability of each class, a list in the order of the classes."""
    return list(NAME_TREES[0](NAME_read(row))[1])


def PREDICT(row):
    """The most common class of the row's leaf."""
    return NAME_CLASSES[0][NAME_TREES[0](NAME_read(row))[0][0]]
'''

_MAJORITIES = '''
def PREDICT_proba(row):
    """The probability of each class, a list for each output."""
    shares = list(NAME_TREES[0](NAME_read(row))[1])
    return [shares[begin:end] for begin, end in NAME_SPANS]


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

_TEXTS = Texts(
    parts={
        "raw": _RAW,
        "raw in turn": _RAW_IN_TURN,
        "raw spread": _RAW_SPREAD,
        "raw of votes": _RAW_OF_VOTES,
        "raw by confidence": _RAW_BY_CONFIDENCE,
        "scores": _SCORES,
        "undivided": _SCORES.replace(" / NAME_DIVISOR", "").replace(", divided", ""),
        "margin": _MARGIN.replace("MARGIN", "(raw[1] - raw[0]) / NAME_DIVISOR"),
        "discrete": _MARGIN.replace("MARGIN", "raw[1]"),
        "response": _RESPONSE,
        "number": _NUMBER,
        "numbers": _NUMBERS,
        "each class": _EACH_CLASS,
        "of all": _OF_ALL,
        "largest": _LARGEST,
        "two classes": _TWO_CLASSES,
        "second": _SECOND,
        "shares of many": _SHARES_OF_MANY,
        "majority": _MAJORITY,
        "majorities": _MAJORITIES,
        "median": _MEDIAN,
        "depth": _DEPTH,
    },
    helpers={"exp": _EXP, "log": _LOG, "rounded": _ROUNDED, "softly": _SOFTLY},
    functions={"exp": "NAME_exp", "log": "NAME_log", "rounded": "NAME_rounded"},
    scale="NAME_SCALE",
    when={
        "probability": "PREDICT_proba(row)[1] > 0.5",
        "zero": "NAME_scores(row)[0] >= 0",
        "above zero": "NAME_scores(row)[0] > 0",
    },
)


def reading_part(formula: Formula) -> str:
    """How a row is read."""
    foreign = formula.foreign is not None
    text = _READ.replace("OR:", " or j in NAME_NUMBERED:" if foreign else ":")
    return text.replace("RETURN", _NUMBERS_OF_OTHERS if foreign else "return float(value)")


def filled(text: str, name: str) -> str:
    """The text for a function of this name."""
    return re.sub("NAME_|PREDICT", lambda found: f"_{name}_" if found[0] == "NAME_" else name, text)
