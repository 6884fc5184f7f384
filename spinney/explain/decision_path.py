"""Decision paths: the path of one row down the trees, and the contribution of each split.

In: a fitted tree-based model, and a row. Out: a `Path`. The value of a node is what the tree would predict if it ended
there. Along the path it changes with every split, and the change is credited to the column of that split (Saabas'
contributions). Start and changes add up to the prediction: for a forest or bagging the mean of the trees, for boosting
the raw score. A split near the root is credited only with what the splits below it do not decide. SHAP values divide
the credit evenly; these contributions show what the tree did, in its order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney.data.tables import Panel, Table
from spinney.explain.dependence.responses import check_model
from spinney.tree.decision import DecisionTree, OneTree
from spinney.tree.forest import Forest, trails
from spinney.tree.formula import single_formula
from spinney.tree.models import ReadTree
from spinney.tree.questions import spreads
from spinney.view.phrases import check_count, column_names, words_of

_MOST_COLUMNS, _MOST_TREES = 8, 3  # that are printed


@dataclass(frozen=True)
class Step:
    """One split on the path of the row."""

    node: int
    column: int
    condition: str  # what is true of the row
    value: Any  # the row's own; None: missing
    before: np.ndarray  # the tree's answer before the question, (scores,)
    after: np.ndarray

    @property
    def change(self) -> np.ndarray:
        """Change of the prediction at this split, (scores,)."""
        return self.after - self.before


@dataclass(frozen=True)
class TreePath:
    """The path of the row down one tree."""

    tree: int
    start: np.ndarray  # what the root says, (scores,)
    steps: tuple[Step, ...]
    score: int  # which score is told about

    @property
    def end(self) -> np.ndarray:
        """Prediction of the tree at the end of the path, (scores,)."""
        return self.steps[-1].after if self.steps else self.start

    def __str__(self) -> str:
        lines = [f"start {_number(self.start[self.score])}"]
        for step in self.steps:
            change, after = _signed(step.change[self.score]), _number(step.after[self.score])
            lines.append(f"{change} -> {after}  {' '.join(step.condition.split())} (value {_shown(step.value)})")
        return "\n".join(lines)


@dataclass(frozen=True)
class Path:
    """Decision path of a row: `start` plus the sum of `contributions` is `value`, (scores,)."""

    model: str
    prediction: Any
    says: str  # what the score is
    names: tuple[str, ...]
    values: tuple[Any, ...]  # of the row, by column
    start: np.ndarray
    contributions: np.ndarray  # (columns, scores)
    value: np.ndarray
    trees: tuple[TreePath, ...]  # by how much they move the score, the first the most
    score: int

    def __str__(self) -> str:
        head = f"{self.model} predicts {self.prediction}: {self.says} {_number(self.value[self.score])}"
        if len(self.trees) == 1:
            return f"{head}\n{self.trees[0]}"
        told = self.contributions[:, self.score]
        order = np.argsort(-np.abs(told), kind="stable")
        order = order[told[order] != 0]
        lines = [head, f"{_number(self.start[self.score])}  start: sum over the roots of all trees"]
        for j in order[:_MOST_COLUMNS].tolist():
            lines.append(f"{_signed(told[j])}  {self.names[j]} = {_shown(self.values[j])}")
        if len(order) > _MOST_COLUMNS:
            rest = order[_MOST_COLUMNS:]
            lines.append(f"{_signed(told[rest].sum())}  {len(rest)} other column{'s' if len(rest) > 1 else ''}")
        for tree in self.trees[:_MOST_TREES]:
            lines.append(f"tree {tree.tree}:")
            lines += [f"  {line}" for line in str(tree).splitlines()]
        return "\n".join(lines)

    __repr__ = __str__


def _number(value: float) -> str:
    return f"{value:.4g}"


def _signed(value: float) -> str:
    return f"{value:+.4g}"


def _shown(value: Any) -> str:
    return "missing" if value is None else _number(value) if isinstance(value, float) else str(value)


def path(model: Any, row: Any, *, target: Any = None, most_trees: int | None = None, decimals: int = 2) -> Path:
    """Describe the decision path of one row, with what every split adds to the prediction.

    Parameters
    ----------
    model : fitted model of Spinney's trees
        A tree, or an ensemble that is a sum of its trees.
    row : dict, Series, sequence or DataFrame of one row
        Values by column name, or in the order of the columns, as in `predict_row`.
    target : class label or int, default=None
        Class or output to describe. None: the predicted class.
    most_trees : int, default=None
        Number of trees to print: those that change the prediction most. All trees contribute. None: all trees.
    decimals : int, default=2
        Number of decimals of thresholds.

    Returns
    -------
    Path
        Prints as a description. Its attributes include `contributions` (columns, scores), `start`, `value` and `trees`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.explain import path
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DecisionTreeClassifier(max_depth=2).fit(X[["petal width (cm)"]], y)
    >>> print(path(model, [1.3]))
    DecisionTreeClassifier predicts 1: probability of class 1 0.9074
    start 0.3333
    +0.1667 -> 0.5  petal width (cm) > 0.80 (value 1.3)
    +0.4074 -> 0.9074  petal width (cm) <= 1.75 (value 1.3)
    """
    check_model(model)
    decimals = check_count("decimals", decimals)
    formula = _formula(model)
    cells, plain, table = _read_row(formula, model, row)
    forest = formula.forest
    prediction = model.predict_row(plain) if hasattr(model, "predict_row") else model.predict(table)[0]
    n_scores = formula.n_scores
    score, says = _target(formula, prediction, target, n_scores)
    ways = _ways(forest, cells)
    start, contributions = formula.start / formula.divisor, np.zeros((forest.n_columns, n_scores))
    start = start.astype(np.float64).copy()
    moves = np.zeros(forest.n_trees)
    question = np.cumsum(~forest.is_leaf) - 1
    for t, nodes in enumerate(ways):
        at = formula.at(nodes) / formula.divisor
        start += at[0]
        for column, adds, _ in _lines(forest, int(nodes[-1]), cells):
            contributions[column, t % n_scores] += adds
        np.add.at(contributions, forest.feature[question[nodes[:-1]]], np.diff(at, axis=0))
        adds = sum(adds for _, adds, _ in _lines(forest, int(nodes[-1]), cells)) if t % n_scores == score else 0.0
        moves[t] = abs(at[-1, score] + adds - at[0, score])
    order = np.argsort(-moves, kind="stable")[: None if most_trees is None else check_count("most_trees", most_trees)]
    names = tuple(column_names(formula.schema.columns, "x[{}]"))
    told = tuple(_tell(formula, int(t), ways[t], score, plain, cells, decimals) for t in order)
    value = start + contributions.sum(axis=0)
    last = ways[0][-1]
    if spreads(forest) and not forest.is_leaf[last]:  # parts of the row go down every branch: what they add up to
        column, answer = int(forest.feature[question[last]]), np.asarray(model.predict_proba(table)[0])
        condition = f"{names[column]} is missing: parts of the row go down every branch"
        told = (replace(told[0], steps=(*told[0].steps, Step(int(last), column, condition, None, value, answer))),)
        contributions[column] += answer - value
        value = answer
    name = type(model).__name__
    return Path(name, prediction, says, names, tuple(plain), start, contributions, value, told, score)


def _formula(model: Any) -> Any:
    if not hasattr(model, "formula"):
        raise TypeError(f"path needs a fitted model of Spinney's trees, got {type(model).__name__}.")
    formula = single_formula(model, may_be_linear=True)
    several = spreads(formula.forest) and not isinstance(model, OneTree)
    if formula.link == "median" or several:
        how = "votes of trees that send rows down several branches" if several else "the weighted median of its trees"
        raise TypeError(
            f"{type(model).__name__} predicts {how}, which is not a sum. Explain one of its trees (estimators_)."
        )
    return formula


def _read_row(formula: Any, model: Any, row: Any) -> tuple[np.ndarray, list[Any], Any]:
    """(the values that trees compare, the values as they were given, the row as a table)."""
    table = formula.schema.read_one(row, type(model).__name__, strict=formula.strict)
    cells = np.array([float(table.column(j)[0]) for j in range(table.n_columns)])
    plain: list[Any] = []
    for value, column in zip(cells.tolist(), formula.schema.columns):
        known = None if np.isnan(value) else value
        plain.append(known if known is None or column.categories is None else column.categories[int(known)])
    return cells, plain, table


def _target(formula: Any, prediction: Any, target: Any, n_scores: int) -> tuple[int, str]:
    classes = [str(one) for part in formula.classes for one in np.asarray(part).tolist()]
    if len(classes) == n_scores:
        wanted = str(prediction) if target is None else str(target)
        if isinstance(prediction, np.ndarray) and target is None:
            wanted = str(prediction.tolist()[0])
        if wanted not in classes:
            raise ValueError(f"target must be one of {classes}, got {target!r}.")
        what = "probability" if formula.link == "shares" else "raw score" if formula.link == "softmax" else "votes"
        return classes.index(wanted), f"{what} of class {wanted}"
    score = 0 if target is None else target
    if isinstance(score, bool) or not isinstance(score, int | np.integer) or not 0 <= score < n_scores:
        raise ValueError(f"target must be a number from 0 to {n_scores - 1}, got {target!r}.")
    said = {"identity": "value", "depth": "mean depth"}.get(formula.link, "raw score")
    return int(score), f"{said} of class {classes[1]}" if len(classes) == 2 and said == "raw score" else said


def _ways(forest: Forest, cells: np.ndarray) -> list[np.ndarray]:
    """The nodes of a row's way down each tree, numbered in the whole store; it ends where a missing value stops or goes
    every way."""
    row = Table(1, len(cells), (Panel(cells[None], tuple(range(len(cells)))),))
    ends = forest.one_row.leaves(row) + forest.first[:-1]
    begins, nodes = trails(ends, forest.shape.parent, forest.shape.depth)
    return np.split(nodes, begins[1:-1])


def _tell(
    formula: Any,
    t: int,
    nodes: np.ndarray,
    score: int,
    plain: list[Any],
    cells: np.ndarray,
    decimals: int,
) -> TreePath:
    """One tree's way in words; of the tree only the way is kept, which is all that has to be phrased."""
    forest = formula.forest.part(range(t, t + 1))
    own = nodes - formula.forest.first[t]
    off_way = np.ones(forest.n_nodes, bool)
    off_way[own] = False
    off_way[own[-1]] = True
    small = forest.collapse(off_way & ~forest.is_leaf)
    kept = np.cumsum(~_below(forest, off_way)) - 1
    classes = [np.asarray(one) for one in formula.classes]
    own_classes = classes[0] if len(classes) == 1 else classes or None
    read = ReadTree(DecisionTree(small), formula.schema, "impurity", own_classes)
    words = words_of(read, None, None, generic="x[{}]", decimals=decimals)
    at = formula.at(nodes) / formula.divisor
    steps = []
    for k in range(len(own) - 1):
        here, there = int(kept[own[k]]), int(kept[own[k + 1]])
        branch = words.tree.children_of(here).tolist().index(there)
        column = int(words.tree.feature[here])
        condition = f"{words.names[column]} is missing" if plain[column] is None else words.answer(here, branch)
        steps.append(Step(int(own[k]), column, condition, plain[column], at[k], at[k + 1]))
    before = at[-1]
    for column, adds, slope in _lines(formula.forest, int(nodes[-1]), cells):
        after = before.copy()
        after[t % formula.n_scores] += adds
        condition = f"slope {_number(slope)} of {words.names[column]}"
        steps.append(Step(int(own[-1]), column, condition, plain[column], before, after))
        before = after
    return TreePath(t, at[0], tuple(steps), score)


def _lines(forest: Forest, leaf: int, cells: np.ndarray) -> list[tuple[int, float, float]]:
    """(column, what it adds, slope) of the terms of a linear leaf."""
    found = []
    for column, (slope, centre, low, high) in forest.terms.of(leaf):
        x = float(cells[column])
        found.append((column, slope * (min(max(x, low), high) - centre) if np.isfinite(x) else 0.0, slope))
    return found


def _below(forest: Forest, marked: np.ndarray) -> np.ndarray:
    """Nodes strictly below marked ones."""
    n, end = forest.n_nodes, forest.shape.end
    at = np.flatnonzero(marked)
    return np.cumsum(np.bincount(at + 1, minlength=n + 1) - np.bincount(end[at], minlength=n + 1))[:n] > 0
