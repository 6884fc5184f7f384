"""The splits of a decision tree (CART), node by node and level-wise.

In: a plane or a table of categories. Out: two steps per split: the candidates with their gains, and the split itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.criteria.candidates import candidate_splits
from spinney.lab.panels import Panel, Step, TreePicture, boxes_of, curve, line, plane, step, text_table, wrong_rows
from spinney.lab.parameters import LabParameter, Values, as_code
from spinney.lab.tables import LabTable
from spinney.view.numbers import percent, plural

TITLE = "Decision tree"
ABOUT = (
    "The tree evaluates every threshold of every column, splits at the one with the largest gain, and repeats this on "
    "both sides."
)
PARAMETERS = (
    LabParameter("criterion", "criterion", "gini", choices=(("gini", "Gini"), ("entropy", "entropy"))),
    LabParameter("max_depth", "maximum depth", 3, 1, 6),
    LabParameter("min_samples_leaf", "minimum rows per leaf", 1, 1, 30),
)
_MOST_LISTED = 8


def steps(table: LabTable, values: Values) -> list[Step]:
    """Return the root, and for each split the candidates and the split."""
    model = _fit(table, values)
    picture = TreePicture(model, table.names, table.labels)
    tree = model.tree_
    paths = model.decision_path(table.X).tocsc()
    growth = _Growth(table, model, picture, values, set())
    found = [growth.start()]
    for node in splits_in_order(tree):
        rows = paths[:, node].indices
        chosen = facts(model, node)
        choices = candidate_splits(take(table.X, rows), table.y[rows], criterion=values["criterion"], groups="sets")
        gains = (
            [_gains(table, choices, column, chosen) for column in range(2)]
            if table.is_plane
            else [_listing(choices, table.names[chosen["feature"]], chosen["gain"])]
        )
        found.append(growth.look(node, rows, len(choices), chosen, gains))
        growth.asking.add(node)
        found.append(growth.split(node, chosen, gains))
    return found


def splits_in_order(tree: Any) -> list[int]:
    """Return the inner nodes, level by level."""
    inner = np.flatnonzero(~tree.is_leaf)
    return inner[np.argsort(tree.depth[inner], kind="stable")].tolist()


def take(X: Any, rows: np.ndarray) -> Any:
    """Return rows of an array or a frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def facts(model: Any, node: int) -> dict[str, Any]:
    """Return the column, threshold, gain and branches of a split."""
    tree = model.tree_
    children = tree.children_of(node)
    weight = tree.weight[children]
    gain = tree.impurity[node] - float((weight * tree.impurity[children]).sum()) / tree.weight[node]
    threshold = float(tree.threshold[node])
    return {
        "node": node,
        "feature": int(tree.feature[node]),
        "threshold": None if np.isnan(threshold) else threshold,
        "gain": float(gain),
        "impurity": float(tree.impurity[node]),
        "branches": tree.n_samples[children].tolist(),
    }


def code(table: LabTable, values: Values, at: int) -> list[str]:
    """Return Python code for a step."""
    lines = [
        "from spinney import DecisionTreeClassifier, candidate_splits, plot_tree",
        f"model = {as_code(_model(values))}.fit(X, y)",
        "tree = model.tree_",
    ]
    if at == 0:
        return [*lines, *start_code(), f"plot_tree(model, feature_names={table.names!r}, max_depth=0)"]
    tree = _fit(table, values).tree_
    node = splits_in_order(tree)[(at - 1) // 2]
    rows = "X.iloc[rows]" if hasattr(table.X, "iloc") else "X[rows]"
    return [
        *lines,
        *split_code(node),
        f"rows = model.decision_path(X).toarray()[:, {node}] > 0  # that reach this node",
        f'candidates = candidate_splits({rows}, y[rows], criterion="{values["criterion"]}", groups="sets")',
        'print(candidates.sort_values("gain", ascending=False).head(8))',
        f"plot_tree(model, feature_names={table.names!r}, max_depth={int(tree.depth[node]) + 1})",
    ]


def start_code() -> list[str]:
    """Return code for the numbers of the first step."""
    return ['step = {"rows": len(y), "impurity": float(tree.impurity[0])}']


def split_code(node: int) -> list[str]:
    """Return code for the numbers of a split."""
    return [
        f"node = {node}  # the node of this step",
        "children = tree.children_of(node)",
        "below = (tree.weight[children] * tree.impurity[children]).sum() / tree.weight[node]",
        "step = {",
        '    "node": node,',
        '    "feature": int(tree.feature[node]),',
        '    "threshold": None if np.isnan(tree.threshold[node]) else float(tree.threshold[node]),',
        '    "gain": float(tree.impurity[node] - below),',
        '    "impurity": float(tree.impurity[node]),',
        '    "branches": tree.n_samples[children].tolist(),',
        "}",
    ]


def _model(values: Values) -> Any:
    from spinney import DecisionTreeClassifier

    return DecisionTreeClassifier(**values, random_state=0)


def _fit(table: LabTable, values: Values) -> Any:
    return _model(values).fit(table.X, table.y)


class _Growth(NamedTuple):
    """A tree that grows from step to step."""

    table: LabTable
    model: Any
    picture: TreePicture
    values: Values
    asking: set[int]  # nodes that are split so far

    @property
    def criterion(self) -> str:
        return "Gini impurity" if self.values["criterion"] == "gini" else "entropy (bits)"

    def start(self) -> Step:
        """Return the step with the root alone."""
        table, picture = self.table, self.picture
        impurity = float(self.model.tree_.impurity[0])
        said = (
            f"Before the first split, all {plural(table.n_rows, 'row')} are in the root. Its {self.criterion} is "
            f"{impurity:.3f}, and it predicts {picture.words.prediction(0)} for every row."
        )
        shown = plane("One region", boxes=boxes_of(picture, table, set()), wrong=[]) if table.is_plane else None
        return step(said, {"rows": table.n_rows, "impurity": impurity}, shown, picture.panel("The tree", set(), 0))

    def look(self, node: int, rows: np.ndarray, tried: int, chosen: dict[str, Any], gains: list[Panel]) -> Step:
        """Return the step with the candidates of a node."""
        table, picture, asking = self.table, self.picture, self.asking
        said = (
            f"{plural(tried, 'candidate split')} of this node's {plural(len(rows), 'row')} "
            f"{'is' if tried == 1 else 'are'} evaluated. “{picture.words.question(node)}” has the largest gain: it "
            f"reduces the {self.criterion} of {chosen['impurity']:.3f} by {chosen['gain']:.3f}."
        )
        drawn = picture.panel("The tree so far", asking, node)
        if not table.is_plane:
            return step(said, chosen, drawn, *gains)
        others = np.setdiff1d(np.arange(table.n_rows), rows)
        boxes, cut = boxes_of(picture, table, asking, node), [_cut(picture, table, node)]
        seen = plane("Rows of the node, and the best split", boxes=boxes, dim=others, lines=cut)
        return step(said, chosen, seen, *gains, drawn)

    def split(self, node: int, chosen: dict[str, Any], gains: list[Panel]) -> Step:
        """Return the step with the split."""
        from spinney.prune.pruned_copy import with_tree

        table, model, picture, _, asking = self
        tree = model.tree_
        at = ~np.isin(np.arange(tree.n_nodes), list(asking)) & ~tree.is_leaf
        predicted = with_tree(model, tree.collapse(at)).predict(table.X)
        wrong = wrong_rows(predicted, table.y)
        left, right = chosen["branches"]
        yes, no = (picture.words.prediction(int(child)) for child in tree.children_of(node))
        leaves = 1 + len(asking)
        said = (
            f"“{picture.words.question(node)}” sends {plural(left, 'row')} left (mostly {yes}) and "
            f"{plural(right, 'row')} right (mostly {no}). The tree now has {plural(leaves, 'leaf', 'leaves')} and "
            f"misclassifies {plural(len(wrong), 'training row')} of {table.n_rows} "
            f"({percent(len(wrong) / table.n_rows)})."
        )
        drawn = picture.panel("The tree", asking, node)
        if not table.is_plane:
            return step(said, chosen, drawn, *gains)
        cut = _cut(picture, table, node)
        seen = plane(
            "Regions (ringed: misclassified)", boxes=boxes_of(picture, table, asking), lines=[cut], wrong=wrong
        )
        return step(said, chosen, seen, *gains, drawn)


def _gains(table: LabTable, choices: Any, column: int, chosen: dict[str, Any]) -> Panel:
    own = choices[choices["feature"] == column]
    at = chosen["threshold"] if chosen["feature"] == column else None
    return curve(
        f"Gain of every threshold of {table.names[column]}",
        table.names[column],
        "gain",
        [line("gain", own["threshold"], own["gain"], "dots" if len(own) <= 60 else "line", column)],
        at,
        xRange=table.ranges[column],
        yFrom=0.0,
        yTo=float(choices["gain"].max()) * 1.08 or 1.0,
        small=True,
    )


def _listing(choices: Any, asked: str, gain: float) -> Panel:
    """Return a table of the best splits."""
    best = choices.sort_values("gain", ascending=False, kind="stable").head(_MOST_LISTED)
    rows, chosen = [], None
    for place, one in enumerate(best.itertuples(index=False)):
        what = f"≤ {one.threshold:g}" if one.categories is None else " or ".join(map(str, one.categories))
        rows.append([str(one.feature), what, f"{one.gain:.3f}"])
        if chosen is None and asked == str(one.feature) and abs(one.gain - gain) < 1e-9:
            chosen = place
    return text_table("Candidates with the largest gain", ["column", "one side", "gain"], rows, chosen, bars=True)


def _cut(picture: TreePicture, table: LabTable, node: int) -> list[float]:
    """Return the line of a split within the region of its node."""
    tree = picture.tree
    column, threshold = int(tree.feature[node]), float(tree.threshold[node])
    ends = [list(one) for one in table.ranges]
    for other, own in picture.words.limits[node].items():
        ends[other] = [max(ends[other][0], own.low), min(ends[other][1], own.high)]
    ends[column] = [threshold, threshold]
    return [ends[0][0], ends[1][0], ends[0][1], ends[1][1]]
