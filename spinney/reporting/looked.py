"""What a model looks at: importances, SHAP values, partial dependence, contributions of single rows.

In: a model of trees and some rows. Out: figures, bars, and rows for the page's chooser. For models that are no sum of
trees there are no SHAP values, and the page says so.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from markupsafe import Markup

from spinney.explain.dependence import partial_dependence
from spinney.explain.shap_values import shap
from spinney.reporting.charts import Line, line_chart, short, swarm
from spinney.reporting.sample import Sample, rows_of, some_rows

_SHAP_ROWS, _SHOWN_ROWS, _MOST_BARS, _MOST_SWARM, _MOST_CURVES = 400, 60, 12, 10, 6
_CURVE_ROWS, _POINTS, _MOST_OUTPUTS = 2000, 40, 8
_MOST_NODES, _LEAST_TREES = 600_000, 10  # of a forest that is walked through


class Looked:
    """What is asked of a model about its columns."""

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
        return [str(name) for name in (self.found.output_names or [""])][:_MOST_OUTPUTS]

    def _values(self) -> np.ndarray:
        """(rows, columns, outputs)."""
        values = self.found.values
        return values if values.ndim == 3 else values[:, :, None]

    def shap_bars(self) -> list[dict[str, Any]]:
        """Mean of absolute SHAP values over rows, added up over outputs."""
        if self.found is None:
            return []
        return bars(self.names, np.abs(self._values()).mean(axis=0).sum(axis=1))

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
                    f"contribution to the {self.found.says}",
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
        found = partial_dependence(self.asked, part.X, [one["column"] for one in chosen], grid_resolution=_POINTS)
        every = found if isinstance(found, list) else [found]
        return [self._curve(one["name"], curve) for one, curve in zip(chosen, every)]

    def _curve(self, name: str, found: Any) -> Markup:
        values, average = found["grid_values"][0], np.atleast_2d(found["average"])
        outputs = [str(one) for one in getattr(self.model, "classes_", [])]
        lines = []
        is_category = bool(found["is_category"][0])
        x = np.arange(len(values), dtype=float) if is_category else np.asarray(values, float)
        if len(average) == 1:
            lines.append(Line("", x, average[0]))
        else:
            for k, line in enumerate(average[:_MOST_OUTPUTS]):
                lines.append(Line(outputs[k] if k < len(outputs) else "", x, line, f"s{k % 8}"))
        texts = [str(value) for value in values] if is_category else None
        return line_chart(
            name,
            lines,
            name if len(name) <= 40 else name[:39] + "…",
            "mean prediction",
            x_names=texts,
            dots=is_category,
        )

    # --- single rows -------------------------------------------------------------------------------------------------

    def rows(self) -> dict[str, Any]:
        """Some rows, what is predicted for them, and what each column contributes to it."""
        n = min(_SHOWN_ROWS, len(self.part.y))
        said = [_text(value) for value in self.model.predict(rows_of(self.part.X, np.arange(n)))]
        rows: list[dict[str, Any]] = [{"truth": _text(self.part.y[i]), "said": said[i]} for i in range(n)]
        if self.found is None:
            return {"rows": rows, "names": self.names, "outputs": [], "base": [], "says": ""}
        values, data = self._values()[:n], np.asarray(self.found.data)
        for i, row in enumerate(rows):
            row["values"] = [_text(value) for value in data[i]]
            row["parts"] = [_few(values[i, :, k]) for k in range(len(self.outputs))]
        base = np.ravel(self.found.base_values)[: len(self.outputs)].tolist()
        return {"rows": rows, "names": self.names, "outputs": self.outputs, "base": base, "says": self.found.says}

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
    return smaller, f"Importances, SHAP values and partial dependence are of {said}"


def _few(values: np.ndarray) -> list[list[float]]:
    """[column, contribution] of the largest, and [-1, all others] at the end."""
    order = np.argsort(-np.abs(values), kind="stable")
    top, rest = order[:_MOST_BARS], order[_MOST_BARS:]
    found = [[int(j), float(f"{values[j]:.6g}")] for j in top if values[j] != 0]
    return [*found, [-1, float(f"{values[rest].sum():.6g}")]] if len(rest) else found


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, float, np.number)):
        return "missing" if value != value else short(value)
    return "missing" if value is None else str(value)


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
