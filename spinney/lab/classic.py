"""ID3 and C4.5 on tables of categories: the tree grows, and every column is compared at each node.

In: a table of categories (and numbers, for C4.5). Out: for each split a table of gains, or gain ratios, and then the
branches.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from spinney.criteria.candidates import candidate_splits
from spinney.lab.panels import Panel, Step, TreePicture, step, text_table, wrong_rows
from spinney.lab.parameters import LabParameter, Values, as_code
from spinney.lab.tables import LabTable
from spinney.lab.tree import facts, split_code, splits_in_order, start_code, take
from spinney.tree.decision import BRANCHES
from spinney.view.numbers import listed, plural

TITLE = {"id3": "ID3", "c45": "C4.5"}
ABOUT = {
    "id3": "At each node, ID3 splits on the column with the largest information gain, with one branch per category.",
    "c45": "C4.5 divides the gain by the entropy of the split itself, so that columns with many values are not "
    "preferred. It splits numbers at thresholds, and prunes the tree at the end.",
}
_DEPTH = LabParameter("max_depth", "maximum depth", 8, 1, 8)
_ROWS = LabParameter("min_samples_leaf", "minimum rows in two branches", 2, 1, 20)
PARAMETERS = {"id3": (_DEPTH,), "c45": (_DEPTH, _ROWS, LabParameter("cf", "pruning confidence", 0.25, 0.05, 0.5, 0.05))}


def _id3_steps(table: LabTable, values: Values) -> list[Step]:
    return _steps(table, _fit("id3", table, values), is_ratio=False)


def _c45_steps(table: LabTable, values: Values) -> list[Step]:
    """Return the steps of C4.5, by gain ratio, and the pruned tree."""
    model = _fit("c45", table, values)
    return [*_steps(table, model, is_ratio=True), _pruned(table, model, values)]


def _c45_code(table: LabTable, values: Values, at: int) -> list[str]:
    order = splits_in_order(_fit("c45", table, values).tree_)
    if at <= 2 * len(order):
        return _code("c45", table, values, at)
    return [
        "from spinney import C45Classifier, plot_tree, prune",
        f"full = {as_code(_model('c45', values))}.fit(X, y)",
        f"model = prune.pessimistic(full, cf={values['cf']})",
        'step = {"before": full.get_n_leaves(), "after": model.get_n_leaves(), '
        '"wrong": int((model.predict(X) != y).sum())}',
        "plot_tree(model)",
    ]


def _code(kind: str, table: LabTable, values: Values, at: int) -> list[str]:
    name = "ID3Classifier" if kind == "id3" else "C45Classifier"
    lines = [
        f"from spinney import {name}, candidate_splits, plot_tree",
        f"model = {as_code(_model(kind, values))}.fit(X, y)",
        "tree = model.tree_",
    ]
    if at == 0:
        return [*lines, *start_code(), "plot_tree(model, max_depth=0)"]
    tree = _fit(kind, table, values).tree_
    node = splits_in_order(tree)[(at - 1) // 2]
    return [
        *lines,
        *split_code(node),
        f"rows = model.decision_path(X).toarray()[:, {node}] > 0  # that reach this node",
        'found = candidate_splits(X[rows], y[rows], criterion="gain_ratio")',
        'gains = found.groupby("feature")["gain"].max()',
        *(['step["gains"] = {name: gains.get(name) for name in X.columns}'] if at % 2 else []),
        f"plot_tree(model, max_depth={int(tree.depth[node]) + 1})",
    ]


def _model(kind: str, values: Values) -> Any:
    from spinney import C45Classifier, ID3Classifier

    if kind == "id3":
        return ID3Classifier(max_depth=values["max_depth"])
    given = {"max_depth": values["max_depth"], "min_samples_leaf": values["min_samples_leaf"]}
    return C45Classifier(**given, mdl=False, prune=False)


def _fit(kind: str, table: LabTable, values: Values) -> Any:
    return _model(kind, values).fit(table.X, table.y)


def _steps(table: LabTable, model: Any, is_ratio: bool) -> list[Step]:
    picture, tree = TreePicture(model, table.names, table.labels), model.tree_
    paths = model.decision_path(table.X).tocsc()
    asking: set[int] = set()
    counts = listed([f"{int(n)} {c}" for n, c in zip(tree.answers[0, 0], table.labels)])
    said = (
        f"All {table.n_rows} rows are at the root: {counts}. The entropy of their classes is "
        f"{tree.impurity[0]:.3f} bits."
    )
    numbers = {"rows": table.n_rows, "impurity": float(tree.impurity[0])}
    found = [step(said, numbers, picture.panel("The tree", set(), 0))]
    for node in splits_in_order(tree):
        rows = paths[:, node].indices
        chosen = facts(model, node)
        judged = _judged(table, rows)
        found.append(_look(table, picture, node, asking, judged, chosen, is_ratio))
        asking.add(node)
        found.append(_split(table, picture, node, asking, chosen, _listing(judged, chosen["feature"], is_ratio)))
    return found


def _judged(table: LabTable, rows: np.ndarray) -> list[dict[str, Any]]:
    """Return the best split of each column with its gain and gain ratio; None for a column with a single value."""
    choices = candidate_splits(take(table.X, rows), table.y[rows], criterion="gain_ratio")
    found = []
    for place, name in enumerate(table.names):
        own = choices[choices["feature"] == name]
        if not len(own):
            found.append({"place": place, "name": name, "gain": None, "ratio": None, "what": "a single value"})
            continue
        one = own.loc[own["gain"].idxmax()]
        what = f"≤ {one['threshold']:g}" if one["categories"] is None else ", ".join(map(str, one["categories"]))
        gain, ratio = float(one["gain"]), float(one["gain_ratio"])
        found.append({"place": place, "name": name, "gain": gain, "ratio": ratio, "what": what})
    return found


def _look(
    table: LabTable,
    picture: TreePicture,
    node: int,
    asking: set[int],
    judged: list[dict[str, Any]],
    chosen: dict[str, Any],
    is_ratio: bool,
) -> Step:
    name = table.names[chosen["feature"]]
    rows = int(picture.tree.n_samples[node])
    own = judged[chosen["feature"]]
    where = "At the root" if node == 0 else f"Under {_path(picture, node)}"
    said = f"{where} there are {plural(rows, 'row')} with an entropy of {chosen['impurity']:.3f} bits. "
    if is_ratio:
        said += (
            f"{name} has the largest gain ratio among the columns with at least average gain: {own['ratio']:.3f}, "
            f"with a gain of {own['gain']:.3f} bits."
        )
    else:
        said += f"{name} has the largest gain: {own['gain']:.3f} bits{_ties(judged, own)}."
    return step(
        said,
        {**chosen, "gains": {one["name"]: one["gain"] for one in judged}},
        picture.panel("The tree so far", asking, node),
        _listing(judged, chosen["feature"], is_ratio),
    )


def _ties(judged: list[dict[str, Any]], own: dict[str, Any]) -> str:
    """Describe ties: other columns with the same gain."""
    gains = [one["gain"] for one in judged if one is not own and one["gain"] is not None]
    n = sum(abs(gain - own["gain"]) < 1e-9 for gain in gains)
    return (
        f" ({plural(n, 'other column')} {'has' if n == 1 else 'have'} the same gain; ties go to the first)" if n else ""
    )


def _path(picture: TreePicture, node: int) -> str:
    """Describe the path to a node."""
    found = []
    while node:
        parent = int(picture.tree.parent[node])
        found.append(picture.words.answer(parent, int(picture.tree.branch[node])).replace("  ", " "))
        node = parent
    return listed(found[::-1])


def _listing(judged: list[dict[str, Any]], chosen: int, is_ratio: bool) -> Panel:
    by = "ratio" if is_ratio else "gain"
    order = sorted(judged, key=lambda one: -1.0 if one[by] is None else one[by], reverse=True)
    columns = ["column", "values", "gain (bits)", *(["gain ratio"] if is_ratio else [])]
    rows = [
        [
            one["name"],
            one["what"],
            *("-" if one[k] is None else f"{one[k]:.3f}" for k in ("gain", "ratio")[: 1 + is_ratio]),
        ]
        for one in order
    ]
    at = next(place for place, one in enumerate(order) if one["place"] == chosen)
    return text_table("Gain of each column at this node", columns, rows, at, bars=True)


def _split(
    table: LabTable, picture: TreePicture, node: int, asking: set[int], chosen: dict[str, Any], listing: Panel
) -> Step:
    tree, parts = picture.tree, []
    for branch, child in enumerate(tree.children_of(node).tolist()):
        n = int(tree.n_samples[child])
        is_branch = tree.kind[node] == BRANCHES
        tag = picture.words.tag(node, branch) if is_branch else picture.words.answer(node, branch).replace("  ", " ")
        if n == 0:
            parts.append(f"{tag} is empty and predicts {picture.words.prediction(child)}, {_of_parent(picture, node)}")
        elif float(tree.impurity[child]) == 0.0:
            parts.append(f"{tag} is pure ({plural(n, 'row')} of class {picture.words.prediction(child)})")
        else:
            parts.append(f"{tag} has {plural(n, 'row')} of several classes")
    said = f"The node splits on {table.names[chosen['feature']]}. {listed(parts)}."
    return step(said, chosen, picture.panel("The tree", asking, node), listing)


def _of_parent(picture: TreePicture, node: int) -> str:
    """Describe the prediction of a branch without rows."""
    weights = picture.words.weights(node)[0]
    if (weights == weights.max()).sum() == 1:
        return "the majority class of its parent"
    return "the first of the tied majority classes of its parent"


def _pruned(table: LabTable, model: Any, values: Values) -> Step:
    from spinney import prune

    small = prune.pessimistic(model, values["cf"])
    before, after = model.get_n_leaves(), small.get_n_leaves()
    wrong = len(wrong_rows(small.predict(table.X), table.y))
    made = f"{after} of {before} leaves remain" if after < before else f"all {before} leaves remain"
    said = (
        f"Pruning replaces each branch whose expected error, at a confidence of {values['cf']:g}, is not below that of "
        f"a leaf: {made}. The pruned tree misclassifies {plural(wrong, 'training row')} of {table.n_rows}."
    )
    picture = TreePicture(small, table.names, table.labels)
    shown = picture.panel("The pruned tree", set(splits_in_order(small.tree_)))
    return step(said, {"before": before, "after": after, "wrong": wrong}, shown)


steps = {"id3": _id3_steps, "c45": _c45_steps}
code = {"id3": partial(_code, "id3"), "c45": _c45_code}
