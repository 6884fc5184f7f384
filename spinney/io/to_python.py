"""A small fitted model as the source of a Python function that needs nothing but Python.

In: a fitted model of trees. Out: source text; its functions return the very bits that the model predicts (AdaBoost's
probabilities: to the last bit or two, since NumPy has an `exp` of its own).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from spinney.ensemble.conformal import Guarantee, SpreadCurve, guarantee_of
from spinney.io.source import Language, answer_parts, plain, read_small, tree_functions
from spinney.tree.formula import ZERO, Formula

_MOST = 10_000


def to_python(model: Any, name: str = "predict", *, max_nodes: int = _MOST, interval: float | None = None) -> str:
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
    interval : float, default=None
        Level of intervals or sets of classes, such as 0.9. The source then also has `<name>_interval`, which returns
        the low and the high end as `predict_interval` does, or `<name>_set`, which returns a Boolean for each class as
        `predict_set` does. The model must be calibrated; `to_c` says how.

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
    language = _Python(formula, name, f"_{name}_", guarantee_of(model, interval))
    lines, trees, _ = tree_functions(language)
    cell = language.texts["cell" if formula.foreign is None else "cell of others"]
    reads, answers = language.texts["read"] + cell, answer_parts(language)
    text = "".join([reads, *answers])
    facts = [f"_{name}_{key} = {value}" for key, value in _facts(language).items() if f"NAME_{key}" in text]
    parts = [
        f'"""{_title(formula)}"""\n\nimport math' + ("\nimport struct" if formula.is_single else ""),
        "\n".join(facts),
        language.fill(reads),
        "\n".join(lines).strip("\n").replace("\n\n", "\n\n\n"),
        *([language.fill(language.texts["term"])] if formula.forest.is_linear else []),
        f"_{name}_TREES = [{', '.join(trees)}]",
        *map(language.fill, answers),
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


def _facts(language: _Python) -> dict[str, str]:
    formula = language.formula
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
    return facts | ({} if language.guarantee is None else _guarantee_facts(language.guarantee))


def _guarantee_facts(kept: Guarantee) -> dict[str, str]:
    if kept.residuals is not None and kept.unseen is not None:
        bits = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(kept.unseen, axis=1, bitorder="little")]
        return {"RESIDUALS": _list(kept.residuals.tolist()), "UNSEEN": _list(bits), "RANK": str(kept.rank)}
    facts = {"QUANTILE": literal(kept.quantile), "BOUND": literal(kept.bound)}
    if isinstance(kept.spread, SpreadCurve):
        facts["KNOTS"] = "[" + ", ".join(map(_tuple, np.column_stack(kept.spread).tolist())) + "]"
    return facts


def _numbers_of(categories: Sequence[Any]) -> str:
    return "{" + ", ".join(f"{literal(value)}: {k}" for k, value in enumerate(categories)) + "}"


class _Python(Language):
    runtime, link_body = "runtime_python.txt", "python"
    functions: ClassVar = {"exp": "NAME_exp", "log": "NAME_log", "rounded": "NAME_rounded"}
    scale = "NAME_SCALE"
    second: ClassVar = {
        "probability": "PREDICT_proba(row)[1] > 0.5",
        "zero": "NAME_scores(row)[0] >= 0",
        "above zero": "NAME_scores(row)[0] > 0",
    }

    def number(self, value: float) -> str:
        return literal(value)

    def remark(self, text: str) -> str:
        return "  # " + text.encode("ascii", "backslashreplace").decode()

    def head(self, name: str) -> str:
        return f"def {name}(x):"

    def give(self, end: int, node: int) -> str:
        values = self.formula.values[node].tolist()
        if self.formula.majority is not None:
            return f"return {_tuple(self.formula.majority[node].tolist())}, {_tuple(values)}"
        return f"return {self.with_terms(node)}" if len(values) == 1 else f"return {_tuple(values)}"

    def one_of(self, column: int, members: Sequence[int]) -> str:
        return f"x[{column}] == {members[0]}" if len(members) == 1 else f"x[{column}] in {{{str(members)[1:-1]}}}"

    def switch(self, children: Sequence[str]) -> list[str]:
        return [f"        ({', '.join(children)},)[int(value)](x, part, out)"]


def _tuple(values: Sequence[Any]) -> str:
    return f"({', '.join(map(literal, values))}{',' if len(values) == 1 else ''})"
