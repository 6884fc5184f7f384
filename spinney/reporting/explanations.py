"""Explanations for the report: importances, SHAP values, partial dependence, single rows, the first trees.

In: a tree-based model and some rows. Out: figures, bars, and rows for the page's chooser. For models that are not a sum
of trees there are no SHAP values, and the page gives the reason.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from markupsafe import Markup

from spinney.data.schema import Schema, learn_and_read
from spinney.data.tables import Table
from spinney.explain.dependence.partial_dependence import partial_dependence
from spinney.explain.shapley.shap_values import shap
from spinney.reporting.charts import WIDE, WIDTH, Line, Strip, line_chart, strips_chart, swarm
from spinney.reporting.sample import Sample, rows_of, some_rows, text_of
from spinney.tree.models import trees_of
from spinney.view.numbers import short
from spinney.view.phrases import TreePhrases, words_of

_SHAP_ROWS, _SHOWN_ROWS, _MOST_BARS, _MOST_SWARM, _MOST_CURVES = 400, 60, 12, 10, 6
_LEVEL = 0.9  # of intervals and sets of classes
_CURVE_ROWS, _POINTS, _MOST_OUTPUTS, _MOST_STRIPS = 2000, 40, 8, 12
_MOST_NODES, _LEAST_TREES = 600_000, 10  # of a forest that is walked through


class ModelExplanations:
    """Explanations of a model by column."""

    def __init__(self, model: Any, sample: Sample, names: list[str], seed: int) -> None:
        self.model, self.names, self.seed = model, names, seed
        self.asked, self.note = _fewer_trees(model)
        self.part = some_rows(sample, _SHAP_ROWS, seed)
        self.sample, self.why_not = sample, ""
        self.found: Any = None
        try:
            self.found = shap(self.asked, self.part.X)
        except (TypeError, ValueError) as error:  # no sum over trees, or not for rows with missing values
            self.why_not = str(error)

    @property
    def outputs(self) -> list[str]:
        """Names of what is explained; one, for most models."""
        if self.found is None:
            return []
        names = [""] if self.found.output_names is None else self.sample.class_names or self.found.output_names
        return [str(name) for name in names][:_MOST_OUTPUTS]

    @property
    def _says(self) -> str:
        """What is explained, in words; a class as the page writes it."""
        says, classes = str(self.found.says), self.sample.classes
        if classes is None or not says.endswith(f" of {classes[-1]}"):
            return says
        return says.removesuffix(str(classes[-1])) + self.sample.class_names[-1]

    def _values(self) -> np.ndarray:
        """(rows, columns, outputs)."""
        values = self.found.values
        return values if values.ndim == 3 else values[:, :, None]

    def shap_bars(self) -> list[dict[str, Any]]:
        """Mean of absolute SHAP values over rows, added up over outputs."""
        if self.found is None:
            return []
        return bars(self.names, np.average(np.abs(self._values()), axis=0, weights=self.part.weight).sum(axis=1))

    def importance_bars(self) -> list[dict[str, Any]]:
        """The model's own importances."""
        own = getattr(self.asked, "feature_importances_", None)
        return [] if own is None or len(own) != len(self.names) else bars(self.names, np.asarray(own, float))

    def swarms(self) -> list[Markup]:
        """A beeswarm of each output; of a forest of two classes, of the second."""
        if self.found is None:
            return []
        values, data = self._values(), self._shades()
        outputs = list(range(len(self.outputs)))
        if len(outputs) == 2:
            outputs = [1]
        charts = []
        for k in outputs[:4]:
            order = np.argsort(-np.abs(values[:, :, k]).mean(axis=0), kind="stable")[:_MOST_SWARM]
            of = f" of {self.outputs[k]}" if self.outputs[k] else ""
            charts.append(
                swarm(
                    f"SHAP values{of}",
                    [self.names[j] for j in order],
                    values[:, order, k],
                    data[:, order],
                    f"contribution to the {self._says}",
                    WIDE if len(outputs) == 1 else WIDTH,
                )
            )
        return charts

    def _shades(self) -> np.ndarray:
        """Each value's rank in its column, 0 to 1; categories and missing values: NaN."""
        data = np.asarray(self.found.data)
        shades = np.full(data.shape, np.nan)
        for j in range(data.shape[1]):
            try:
                column = data[:, j].astype(np.float64)
            except (TypeError, ValueError):
                continue
            known = ~np.isnan(column)
            _, place = np.unique(column[known], return_inverse=True)
            shades[known, j] = place / max(1, place.max(initial=0))
        return shades

    def curves(self) -> list[Markup]:
        """Partial dependence of the columns that matter most."""
        ranked = self.shap_bars() or self.importance_bars()
        part = some_rows(self.sample, _CURVE_ROWS, self.seed)
        chosen = [one for one in ranked[:_MOST_CURVES] if one["column"] is not None and one["value"] > 0]
        if not chosen:
            return []
        columns = [one["column"] for one in chosen]
        found = partial_dependence(self.asked, part.X, columns, sample_weight=part.weight, grid_resolution=_POINTS)
        every, known = found if isinstance(found, list) else [found], learn_and_read(part.X)
        return [
            self._strips(one["name"], curve, *known) if curve["is_category"][0] else self._curve(one["name"], curve)
            for one, curve in zip(chosen, every)
        ]

    @property
    def _series(self) -> list[tuple[str, str]]:
        """Names and colours of what is predicted: one number, or the probability of each class."""
        names = self.sample.class_names if len(self.sample.class_names) > 2 else [""]
        return [(name, f"s{k % 8}") for k, name in enumerate(names[:_MOST_OUTPUTS])]

    @property
    def _axis(self) -> str:
        """What partial dependence is of."""
        names = self.sample.class_names
        if len(names) == 2:
            return f"mean probability of {names[1]}"
        if names:
            return "mean probability"
        return f"mean prediction of {self.sample.target}" if self.sample.target else "mean prediction"

    def _curve(self, name: str, found: Any) -> Markup:
        x, average = np.asarray(found["grid_values"][0], float), np.atleast_2d(found["average"])
        lines = [Line(title, x, y, style) for (title, style), y in zip(self._series, average)]
        return line_chart(name, lines, _cut(name), self._axis)

    def _strips(self, name: str, found: Any, schema: Schema, table: Table) -> Markup:
        """The most common categories one by one, all others in one row that spans the smallest to the largest value."""
        values, average = list(found["grid_values"][0]), np.atleast_2d(found["average"])[: len(self._series)]
        counts = _counts(int(found["columns"][0]), values, schema, table)
        top = np.argsort(-counts, kind="stable")[: _MOST_STRIPS - 1 if len(values) > _MOST_STRIPS else len(values)]
        strips = [Strip(text_of(values[k]), average[:, k]) for k in np.sort(top).tolist()]
        note = ""
        if len(top) < len(values):
            rest = np.setdiff1d(np.arange(len(values)), top)
            mean = np.average(average[:, rest], axis=1, weights=np.maximum(counts[rest], 1e-9))
            strips.append(Strip(f"{len(rest)} others", mean, average[:, rest].min(), average[:, rest].max()))
            note = f"The {len(top)} most common of {len(values)} categories; others combined, smallest to largest."
        return strips_chart(name, strips, self._series, self._axis, note)

    # --- single rows -------------------------------------------------------------------------------------------------

    def rows(self) -> dict[str, Any]:
        """Some rows, what is predicted for them, and what each column contributes to it."""
        n = min(_SHOWN_ROWS, len(self.part.y))
        said = [text_of(value) for value in self.model.predict(self.shown)]
        likely = self._likely(n)
        rows: list[dict[str, Any]] = [
            {"name": str(self.part.names[i]), "truth": text_of(self.part.y[i]), "said": said[i], "likely": likely[i]}
            for i in range(n)
        ]
        if self.found is None:
            return {"rows": rows, "names": self.names, "outputs": [], "base": [], "says": ""}
        values, data = self._values()[:n], np.asarray(self.found.data)
        chances = self._chances()
        for i, row in enumerate(rows):
            row["values"] = [text_of(value) for value in data[i]]
            row["chances"] = [f"{chance:.3g}" for chance in chances[i]]
            row["parts"] = [_few(values[i, :, k]) for k in range(len(self.outputs))]
        base = np.ravel(self.found.base_values)[: len(self.outputs)].tolist()
        return {
            "rows": rows,
            "names": self.names,
            "outputs": self.outputs,
            "of": self.sample.class_names[1] if len(self.sample.class_names) == 2 and len(self.outputs) == 1 else "",
            "base": base,
            "says": self._says,
        }

    def _likely(self, n: int) -> list[str]:
        """The interval or set of classes of each row; empty if the model does not know how wrong it is."""
        try:
            if hasattr(self.model, "predict_interval"):
                ends = np.asarray(self.model.predict_interval(self.shown, _LEVEL))
                return [f" ({100 * _LEVEL:.0f} %: {text_of(low)} to {text_of(high)})" for low, high in ends]
            if hasattr(self.model, "predict_set"):
                names = [text_of(one) for one in self.model.classes_]
                found = [[names[k] for k in np.flatnonzero(one)] for one in self.model.predict_set(self.shown, _LEVEL)]
                return [f" ({100 * _LEVEL:.0f} %: {', '.join(one) or 'no class'})" for one in found]
        except ValueError:  # it is not calibrated
            pass
        return [""] * n

    def _chances(self) -> np.ndarray:
        """(rows, outputs): the probability of each output's class; without columns where there are none."""
        if not self.sample.class_names or not hasattr(self.model, "predict_proba"):
            return np.zeros((len(self.part.y), 0))
        chances = np.asarray(self.model.predict_proba(self.shown))
        return chances[:, 1:] if len(self.outputs) == 1 else chances[:, : len(self.outputs)]

    @property
    def shown(self) -> Any:
        """The rows of `rows`, as a table."""
        return rows_of(self.part.X, np.arange(min(_SHOWN_ROWS, len(self.part.y))))


def _fewer_trees(model: Any) -> tuple[Any, str]:
    """The model, or a copy with its first trees, and a sentence that says so. Answers of forests are means over trees
    that are alike: some say what all do, and walks through every node of a large forest would take minutes.
    """
    forest = vars(model).get("forest_")  # forests, extra-trees and bagging; the order of boosted trees matters
    n_trees = getattr(forest, "n_trees", 0)
    if n_trees <= _LEAST_TREES or forest.n_nodes <= _MOST_NODES:
        return model, ""
    kept = min(n_trees, max(_LEAST_TREES, _MOST_NODES * n_trees // forest.n_nodes))
    smaller = copy(model)
    smaller.forest_ = forest.part(range(kept))
    said = f"the first {kept} of {n_trees:,} trees, to save time."
    return smaller, f"Importances, SHAP values and partial dependence use {said}"


def _few(values: np.ndarray) -> list[list[float]]:
    """[column, contribution] of the largest, and [-1, all others] at the end."""
    order = np.argsort(-np.abs(values), kind="stable")
    top, rest = order[:_MOST_BARS], order[_MOST_BARS:]
    found = [[int(j), float(f"{values[j]:.6g}")] for j in top if values[j] != 0]
    return [*found, [-1, float(f"{values[rest].sum():.6g}")]] if len(rest) else found


def _counts(column: int, values: list[Any], schema: Schema, table: Table) -> np.ndarray:
    """How many rows have each category."""
    place = {one: k for k, one in enumerate(schema.columns[column].categories or [])}
    codes = np.asarray(table.column(column), np.float64)
    counts = np.bincount(codes[~np.isnan(codes)].astype(int), minlength=len(place))
    return np.array([counts[place[one]] if one in place else 0 for one in values], float)


def _cut(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"


def bars(names: list[str], values: np.ndarray) -> list[dict[str, Any]]:
    """The largest values with their names, and the others in one."""
    order = np.argsort(-values, kind="stable")
    total, top = float(values.max(initial=0.0)) or 1.0, order[:_MOST_BARS]
    found = [
        {
            "name": names[j],
            "column": int(j),
            "value": float(values[j]),
            "text": short(values[j]),
            "share": values[j] / total,
        }
        for j in top.tolist()
    ]
    rest = order[_MOST_BARS:]
    if len(rest):
        left = float(values[rest].sum())
        share = min(1.0, left / total)
        found.append(
            {"name": f"{len(rest)} others", "column": None, "value": left, "text": short(left), "share": share}
        )
    return found


# ----------------------------------------------------------------------------------------------------------------------
# The trees section of the report: trees that can be folded, and the paths of some rows.
#
# In: a model and rows. Out: for its first trees nested nodes, and for each row the numbers of the nodes on its path.


_MOST_TREES, _MOST_SHOWN, _OPEN_DEPTH = 3, 160, 2
_NOTHING = 1e-6  # of a tree's largest value: what is smaller is 0 but for rounding


def first_trees(model: Any, class_names: list[str]) -> list[dict[str, Any]]:
    """Titles and nests of the first trees; none for models of other kinds."""
    try:
        trees = trees_of(model)
    except TypeError:
        return []
    n = len(trees)
    found = []
    for k in range(min(n, _MOST_TREES)):
        words = words_of(trees.read(k), None, class_names or None, decimals=3, trim=True, most=6)
        title = "The tree" if n == 1 else f"Tree {k + 1} of {n:,}"
        if len(trees.shape) == 2 and len(class_names) == trees.shape[1]:
            title += f": round {k // trees.shape[1] + 1}, {class_names[k % trees.shape[1]]}"
        found.append({"title": title, "root": _nest(words, k), "n_nodes": words.tree.n_nodes})
    return found


def _nest(words: TreePhrases, number: int) -> dict[str, Any]:
    """The root with its children in it, as far as the most populous nodes go."""
    tree = words.tree
    size = tree.n_samples if words.counts_known else -tree.depth
    shown = set(np.lexsort((np.arange(tree.n_nodes), -np.asarray(size, float)))[:_MOST_SHOWN].tolist())
    nodes: dict[int, dict[str, Any]] = {}
    for node in sorted(shown):  # a parent has at least as many rows as its child, and a smaller number
        parent = int(tree.parent[node])
        if node and parent not in nodes:
            continue
        nodes[node] = {
            "id": f"t{number}n{node}",
            "when": "" if node == 0 else words.answer(parent, int(tree.branch[node])),
            "says": _says(words, node),
            "rows": f"{int(tree.n_samples[node]):,}" if words.counts_known else "",
            "children": [],
            "hidden": 0,
            "open": int(tree.depth[node]) < _OPEN_DEPTH,
        }
        if node:
            nodes[parent]["children"].append(nodes[node])
        if not tree.is_leaf[node]:
            missing = [child for child in tree.children_of(node).tolist() if child not in shown]
            nodes[node]["hidden"] = sum(int(tree.subtree_end[child]) - child for child in missing)
    return nodes[0]


def _says(words: TreePhrases, node: int) -> str:
    if words.classes is None:
        values = words.tree.answers[:, :, 0]
        is_none = np.abs(values[node]).max() < _NOTHING * np.abs(values).max()  # as the root of a boosted tree
        return "0" if is_none else words.prediction(node)
    share = float(words.shares[node, 0].max())
    return f"{words.prediction(node)} {100 * share:.0f} %"


def ways_of_rows(model: Any, rows: Any, n_trees: int) -> list[list[str]]:
    """For each row the ids of the nodes that it passes in the first trees; empty where the model cannot say."""
    if n_trees == 0 or not hasattr(model, "apply"):
        return []
    leaves = np.asarray(model.apply(rows))
    leaves = leaves.reshape(len(leaves), -1)
    trees = trees_of(model)
    parents = [trees.read(k).tree_.parent for k in range(n_trees)]
    found = []
    for row in leaves:
        way = []
        for k, parent in enumerate(parents):
            node = int(row[k])
            while node >= 0:
                way.append(f"t{k}n{node}")
                node = int(parent[node]) if node else -1
        found.append(way)
    return found
