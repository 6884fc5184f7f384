"""A fitted model as readable JSON, for those who write an evaluator of their own.

In: any fitted model of trees. Out: text; `docs/exporting.md` has the format, field by field, and an evaluator of a few
lines. Numbers are decimals that read back to the same float64.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np

from spinney._whole_file import write_whole
from spinney.io.source import plain
from spinney.tree.decision import BRANCHES, LEAF, NUMBER, SET, SPREADS, STOPS, DecisionTree
from spinney.tree.formula import ZERO, Formula, Mixture, complete_formula

FORMAT = 1


def to_json(model: Any, path: str | PathLike[str] | None = None) -> str:
    """Write a fitted tree model as JSON: columns by name, thresholds, categories by value, and leaf values.

    Parameters
    ----------
    model : fitted model
        A decision tree, forest, boosted model, isolation forest, or bagging or AdaBoost of decision trees; a voting or
        automatic model of these; an imported model.
    path : str or path, default=None
        File to write the text to.

    Returns
    -------
    str
        JSON with one line per node. The guide docs/exporting.md describes each field.

    See Also
    --------
    to_python, to_c, to_onnx, trees_to_frame

    Examples
    --------
    >>> import json
    >>> from spinney import DecisionTreeClassifier, to_json
    >>> from spinney.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> stored = json.loads(to_json(DecisionTreeClassifier(max_depth=1).fit(X, y)))
    >>> for node in stored["trees"][0]["nodes"]:
    ...     print(node)
    {'column': 'Outlook', 'in': ['Rainy', 'Sunny'], 'yes': 1, 'no': 2, 'missing': 1}
    {'value': [0.5, 0.5], 'class': ['No']}
    {'value': [0.0, 1.0], 'class': ['Yes']}
    """
    text = _text(complete_formula(model, may_be_linear=True)) + "\n"
    if path is not None:
        write_whole(path, [text.encode()])
    return text


def _text(formula: Formula | Mixture) -> str:
    import spinney

    facts: dict[str, Any] = {"format": FORMAT, "spinney": spinney.__version__}
    lines = [f'"{key}": {_dump(value)}' for key, value in (facts | _facts(formula)).items()]
    if isinstance(formula, Mixture):
        lines.append('"members": [\n' + ",\n".join(_text(one) for one in formula.members) + "\n]")
    else:
        trees = ",\n".join('{"nodes": [\n' + ",\n".join(_nodes(formula, t)) + "\n]}" for t in _numbers(formula))
        lines.append(f'"trees": [\n{trees}\n]')
    return "{\n" + ",\n".join(lines) + "\n}"


def _numbers(formula: Formula) -> range:
    return range(formula.forest.n_trees)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """JSON has no infinities: they become strings."""
    value = plain(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _facts(formula: Formula | Mixture) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "model": formula.model,
        "fingerprint": formula.fingerprint,
        "columns": list(_columns(formula)),
        "unknown_categories": "error" if formula.strict else "missing",
        "classes": [[_plain(one) for one in output.tolist()] for output in formula.classes] or None,
    }
    if isinstance(formula, Mixture):
        how = "votes" if formula.by_votes else "mean"
        return facts | {"combine": how, "weights": formula.weights.tolist(), "total": formula.total}
    facts |= {
        "link": formula.link,
        "start": formula.start.tolist(),
        "adds_to": "all" if not formula.adds_in_turn else "in_turn",
        "divisor": formula.divisor,
        "scale": formula.scale,
        "offset": formula.offset,
        "discrete": formula.discrete,
    }
    if formula.foreign is not None:
        facts |= {"sums": "float32" if formula.foreign.single else "float64"}
        if formula.is_class and formula.n_scores == 1:
            facts |= {"second_class": _SECOND[formula.second_from]}
    if formula.confidence is not None:
        facts |= {"priors": formula.confidence.prior.tolist()}
    return facts | ({} if formula.votes is None else {"votes": formula.votes.tolist()})


_SECOND = {"probability": "probability > 0.5", "zero": "raw >= 0", "above zero": "raw > 0"}


def _columns(formula: Formula | Mixture) -> Iterator[dict[str, Any]]:
    for j, column in enumerate(formula.schema.columns):
        name, cells = j if column.name is None else str(column.name), formula.cells(j)
        if column.categories is None:
            zero = {"zero_is_missing": ZERO} if cells.zero_is_missing else {}
            yield {"name": name, "kind": "boolean" if column.boolean else "number"} | zero
        else:
            categories = [_plain(one) for one in column.categories]
            others = {"others": categories[-1] if cells.has_others else None} if cells.numbered else {}
            yield {"name": name, "kind": "category", "categories": categories} | others


def _nodes(formula: Formula, t: int) -> Iterator[str]:
    """Each node of a tree as a line."""
    tree, first = formula.forest.tree(t), int(formula.forest.first[t])
    columns = formula.schema.columns
    kinds, missing, features = tree.kind.tolist(), tree.missing.tolist(), tree.feature.tolist()
    thresholds, starts, children = tree.threshold.tolist(), tree.child_start.tolist(), tree.children.tolist()
    for node, kind in enumerate(kinds):
        found: dict[str, Any] = {}
        if kind != LEAF:
            column, ways = columns[features[node]], children[starts[node] : starts[node + 1]]
            found["column"] = features[node] if column.name is None else str(column.name)
            if kind == NUMBER:
                found["up_to"] = _plain(thresholds[node])
            if kind == SET and column.categories is not None:
                chosen = tree.categories_in(node, len(column.categories)).tolist()
                found["in"] = [_plain(column.categories[c]) for c in chosen]
            if kind == BRANCHES:
                found["children"] = ways
            else:
                found["yes"], found["no"] = ways
            found |= _missing(tree, node, missing[node], ways)
        if kind == LEAF or missing[node] == STOPS:
            found |= _says(formula, first + node)
        yield _dump(found)


def _missing(tree: DecisionTree, node: int, missing: int, ways: list[int]) -> dict[str, Any]:
    if missing == SPREADS:
        return {"missing": "all", "weights": tree.weight[ways].tolist()}
    return {"missing": node if missing == STOPS else ways[missing]}


def _says(formula: Formula, node: int) -> dict[str, Any]:
    values = formula.values[node].tolist()
    if terms := formula.forest.terms.of(node):
        names = ("column", "slope", "centre", "low", "high")
        lines = [dict(zip(names, (j, *map(_plain, line)))) for j, line in terms]
        for one in lines:
            name = formula.schema.columns[one["column"]].name
            one["column"] = one["column"] if name is None else str(name)
        return {"value": values, "lines": lines}
    if formula.confidence is not None:
        return {"value": values, "weight": float(formula.confidence.weight[node])}
    if formula.majority is None:
        return {"value": values}
    named = [_plain(one[k]) for one, k in zip(_classes(formula), formula.majority[node].tolist())]
    return {"value": values, "class": named}


def _classes(formula: Formula) -> list[list[Any]]:
    return [np.asarray(one).tolist() for one in formula.classes]
