"""Checks that what a file holds can be used.

In: a `Forest` or `Bins` whose fields have the right types. Out: nothing, or `ModelFormatError` with the place: no walk
may loop, leave its tree, or read what does not exist. Nodes are in preorder and subtrees are contiguous, so one pass
over the sizes proves the shape of all trees.

In: an estimator whose parameters and fitted attributes each have the right type. Out: the same: its parts fit each
other, so that all its methods work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.criteria.user_loss import Loss
from spinney.data.encode import MAX_BINS, Bins
from spinney.data.schema import Schema
from spinney.ensemble.voting import read_weights
from spinney.io.checks import demand
from spinney.tree.forest import ASKS_BRANCHES, ASKS_SET, MISSING_LEFT, MISSING_SPREADS, MISSING_STOPS, Forest, trails

_WORD = 64
_SET_WORDS = 4  # of a set of a boosted model with bins
_BITS = MISSING_LEFT | ASKS_SET | ASKS_BRANCHES | MISSING_STOPS | MISSING_SPREADS
_OWN_CRITERION = 6  # the last one of criteria/impurity.py
_MOST_COLUMNS = 1 << 24
_MOST_NODES = 1 << 28  # of a tree


def audit_bins(bins: Bins, place: str) -> None:
    """Edges ascend, codes are those of bins."""
    n = len(bins.n_bins)
    same = len(bins.edges) == len(bins.category_codes) == len(bins.is_categorical) == n
    demand(same, "Every column needs edges or codes", place)
    for j in range(n):
        at = f"{place}.column {j}"
        edges, codes, n_bins = bins.edges[j], bins.category_codes[j], int(bins.n_bins[j])
        demand(0 <= n_bins <= MAX_BINS, f"A column has 0 to {MAX_BINS} bins, not {n_bins}", at)
        if bins.is_categorical[j]:
            demand(len(edges) == 0 and codes.max(initial=0) < max(1, n_bins), "Codes must be those of bins", at)
        else:
            demand(len(codes) == 0 and len(edges) <= max(0, n_bins - 1), "There are more edges than bins", at)
            demand((edges[1:] > edges[:-1]).all() and not np.isnan(edges).any(), "Edges must ascend", at)


def audit_forest(forest: Forest, place: str) -> None:
    """All that can be said without the columns' categories."""
    demand(0 < forest.n_columns < _MOST_COLUMNS, f"{forest.n_columns} columns are too many or too few", place)
    _audit_shape(forest, place)
    _audit_questions(forest, place)
    _audit_sets(forest, place)
    _audit_answers(forest, place)
    _audit_counts(forest, place)
    _audit_terms(forest, place)


def _audit_shape(forest: Forest, place: str) -> None:
    first, size = forest.first, forest.size.astype(np.int64)
    n = len(size)
    demand(
        len(first) and first[0] == 0 and first[-1] == n,
        "Trees must begin at 0 and end at the last node",
        f"{place}.first",
    )
    good = (first[1:] > first[:-1]).all()  # differences of huge numbers may wrap around: they come after this
    lengths = np.diff(first) if good else np.zeros(1, np.int64)
    good = good and lengths.max(initial=0) < _MOST_NODES
    demand(good, "Every tree needs at least one node", f"{place}.first")
    if not n:
        return
    place = f"{place}.size"
    roots = first[:-1]
    demand((size[roots] == lengths).all() and (size > 0).all(), "A root's subtree must be its tree", place)
    end_of_tree = np.repeat(first[1:], lengths)
    asks = np.flatnonzero(size > 1)
    end = np.arange(n) + size
    demand((end <= end_of_tree).all(), "A subtree must end within its tree", place)
    n_asks = len(asks)
    demand(len(forest.feature) == n_asks, f"There are {n_asks} splits and {len(forest.feature)} columns", place)
    demand(len(forest.turn) == n_asks, f"There are {n_asks} splits and {len(forest.turn)} turns", place)
    if (forest.turn & ASKS_BRANCHES).any():
        _audit_branches(forest, size, end, asks, place)
        return
    left = asks + 1
    right = left + size[left]
    demand((right < end[asks]).all(), "A split needs a second branch", place)
    demand((end[right] == end[asks]).all(), "The branches of a split must fill its subtree", place)


def _audit_branches(forest: Forest, size: np.ndarray, end: np.ndarray, asks: np.ndarray, place: str) -> None:
    """Trees with nodes of any number of branches: an open subtree holds all that begin before its end."""
    ends, n_children = end.tolist(), [0] * len(size)
    open_nodes: list[int] = []
    for node, node_end in enumerate(ends):
        while open_nodes and ends[open_nodes[-1]] == node:
            open_nodes.pop()
        if open_nodes:
            demand(
                node_end <= ends[open_nodes[-1]], f"The subtree of node {node} does not end within its parent's", place
            )
            n_children[open_nodes[-1]] += 1
        open_nodes.append(node)
    found = np.array(n_children)[asks]
    many = (forest.turn & ASKS_BRANCHES) != 0
    demand((found >= 2).all() and (found[~many] == 2).all(), "A split needs two branches", place)


def _audit_questions(forest: Forest, place: str) -> None:
    turn, feature, n_asks = forest.turn, forest.feature, len(forest.feature)
    demand(feature.max(initial=0) < forest.n_columns, "A split uses a column that does not exist", f"{place}.feature")
    is_set, many = (turn & ASKS_SET) != 0, (turn & ASKS_BRANCHES) != 0
    demand(not (turn & ~np.uint8(_BITS)).any(), "The kind of a split is unknown", f"{place}.turn")
    demand(
        not (is_set & many).any(), "A split must test a set or have a branch per category, not both", f"{place}.turn"
    )
    if forest.bins is None:
        demand(
            len(forest.threshold) == n_asks and not len(forest.code),
            "Every split needs a threshold",
            f"{place}.threshold",
        )
        known = ~np.isnan(forest.threshold) | is_set | many
        demand(known.all(), "A threshold is missing", f"{place}.threshold")
        return
    place = f"{place}.code"
    demand(forest.bins.n_columns == forest.n_columns, "There must be bins for every column", place)
    demand(len(forest.code) == n_asks and not len(forest.threshold), "Every split needs a code", place)
    plain = not (turn & ~np.uint8(MISSING_LEFT | ASKS_SET)).any()
    demand(plain, "Trees from bins have two branches, and missing values take one", f"{place[:-5]}.turn")
    by_number = ~forest.bins.is_categorical[feature]
    demand((is_set != by_number).all(), "Splits on categories need sets, and splits on numbers need codes", place)
    demand(
        (forest.code < np.maximum(forest.bins.n_bins[feature], 1))[~is_set].all(),
        "A code does not belong to a bin",
        place,
    )


def _audit_sets(forest: Forest, place: str) -> None:
    start, is_set = forest.set_start, forest.is_set
    n_sets = int(np.count_nonzero(is_set))
    place = f"{place}.sets"
    demand(len(start) == n_sets + 1 and start[0] == 0, f"There must be a set for each of {n_sets} splits", place)
    ascend = (start[1:] >= start[:-1]).all()
    demand(ascend and start[-1] == len(forest.sets), "Sets must fill their array", place)
    lengths = np.diff(start)
    if forest.bins is not None and n_sets:
        codes = forest.bins.n_bins[forest.feature[is_set]].astype(np.int64)  # that of missing values included
        needed = np.where(forest.criterion is None, _SET_WORDS, codes // _WORD + 1)
        demand((lengths == needed).all(), "A set must have a bit for every code", place)


def _audit_answers(forest: Forest, place: str) -> None:
    answers, classes = forest.answers, forest.n_classes
    place = f"{place}.answers"
    demand(len(answers) == forest.n_nodes, "Every node needs a value", place)
    demand(forest.criterion is None or 0 <= forest.criterion <= _OWN_CRITERION, "The criterion is unknown", place)
    demand(np.isfinite(answers).all(), "Node values must be finite", place)
    if classes is None:
        demand(answers.shape[1] >= 1 and answers.shape[2] == 1, "A node must have one number per output", place)
        demand(forest.criterion is not None or answers.shape[1] == 1, "A boosted tree has one output", place)
        return
    demand(forest.criterion is not None, "The nodes of a boosted tree must hold numbers", place)
    good = (
        len(classes) == answers.shape[1]
        and all(c >= 1 for c in classes)
        and max(classes, default=0) == answers.shape[2]
    )
    demand(good, "A node must have a weight for every class", place)
    demand(
        (answers >= 0).all() and (answers.sum(axis=2, dtype=np.float64) > 0).all(), "Weights must be positive", place
    )
    for k, n_classes in enumerate(classes):
        demand(not answers[:, k, n_classes:].any(), "A class that does not exist has a weight", place)


def _audit_terms(forest: Forest, place: str) -> None:
    """Linear leaves: terms for every leaf, in columns that are numbers on the way to it."""
    n_terms, term, place = forest.n_terms, forest.term, f"{place}.term"
    if not len(n_terms):
        demand(not len(forest.term_column) and not term.size, "There are terms, but no leaves that have any", place)
        return
    demand(forest.criterion is None and forest.bins is None, "Only boosted trees have linear leaves", place)
    demand(len(n_terms) == int(forest.is_leaf.sum()), "Every leaf needs a number of terms", place)
    n = int(n_terms.sum())
    demand(len(forest.term_column) == n and term.shape == (n, 4), f"There must be {n} terms of four numbers", place)
    demand((forest.term_column < forest.n_columns).all(), "A term uses a column that does not exist", place)
    demand(np.isfinite(term[:, :2]).all() and not np.isnan(term).any(), "Slopes and centres must be finite", place)
    demand((term[:, 2] <= term[:, 1]).all() and (term[:, 1] <= term[:, 3]).all(), "A centre is out of range", place)
    leaves = np.flatnonzero(forest.is_leaf)
    ends, nodes = trails(leaves, forest.shape.parent, forest.shape.depth)
    column = forest.of_questions(np.where(forest.is_set, -1, forest.feature.astype(np.int64)), -1)[nodes]
    on_path = np.repeat(leaves, np.diff(ends)) * forest.n_columns + column
    wanted = np.repeat(leaves, n_terms) * forest.n_columns + forest.term_column
    demand(np.isin(wanted, on_path[column >= 0]).all(), "A term's column is not asked about on the way to it", place)


def _audit_counts(forest: Forest, place: str) -> None:
    n, n_asks, n_trees = forest.n_nodes, len(forest.feature), forest.n_trees
    is_classes = forest.n_classes is not None
    demand(
        len(forest.n_samples) in (n - n_asks, n), "Samples are counted for leaves or for nodes", f"{place}.n_samples"
    )
    integers = forest.weight.dtype.kind == "i"
    wanted = n - n_asks if integers else n
    needs = integers or not is_classes
    known = forest.weight.dtype.kind != "u"  # else they are of other leaves: see tree/forest.py
    good = known and len(forest.weight) in ((wanted,) if needs else (0, wanted))
    demand(good, "Weights are missing", f"{place}.weight")
    demand(
        len(forest.weight_unit) == (n_trees if integers else 0), "Weights need a unit per tree", f"{place}.weight_unit"
    )
    own = forest.criterion == _OWN_CRITERION
    lengths = (0,) if forest.criterion is None else (n,) if not is_classes or own else (0, n)
    demand(len(forest.impurity) in lengths, "Impurities are missing or too many", f"{place}.impurity")
    demand(
        len(forest.gain) == (n_asks if forest.criterion is None else 0),
        "Gains are missing or too many",
        f"{place}.gain",
    )
    for name in ("weight", "weight_unit", "impurity", "gain"):
        demand(not np.isnan(getattr(forest, name)).any(), "A number is missing", f"{place}.{name}")


def audit_with_schema(forest: Forest, schema: Schema, place: str) -> None:
    """The rest: trees must ask about the columns as these are."""
    n_categories = np.array([-1 if one.categories is None else len(one.categories) for one in schema.columns])
    demand(len(n_categories) == forest.n_columns, "Trees and schema have other columns", place)
    bins: Any = forest.bins
    if bins is not None:
        same = all(len(codes) == max(n, 0) for codes, n in zip(bins.category_codes, n_categories.tolist()))
        demand(
            same and (bins.is_categorical == (n_categories >= 0)).all(), "Bins and schema have other categories", place
        )
        return
    of = n_categories[forest.feature]
    by_category = (forest.turn & (ASKS_SET | ASKS_BRANCHES)) != 0
    demand((by_category == (of >= 0)).all(), "Trees and schema have other categories", place)
    words = -(-of[forest.is_set] // _WORD)
    demand((np.diff(forest.set_start) >= words).all(), "A set must have a bit for every category", place)


# --- estimators -------------------------------------------------------------------------------------------------------


_MOST_WITHOUT = 1 << 16  # rows without weight for each one that has some


def table(model: Any, place: str) -> None:
    """Columns and their names agree."""
    schema = vars(model)["_schema"]
    demand(model.n_features_in_ == schema.n_columns, "The schema has other columns", f"{place}.n_features_in_")
    found: Any = getattr(model, "feature_names_in_", None)
    own = schema.names
    same = (own is None) == (found is None) and (own is None or found.tolist() == own.tolist())
    demand(same, "The schema has other names", f"{place}.feature_names_in_")


def calibration(model: Any, place: str) -> None:
    """The rows of a calibration are training rows, and what it needs of the model is there."""
    kept, at = vars(model).get("_calibration"), f"{place}._calibration"
    if kept is None:
        return
    regressor = not hasattr(model, "classes_")
    demand(hasattr(model, "predict_interval" if regressor else "predict_set"), "This model is never calibrated", at)
    if kept.rows is not None:
        n_rows = vars(model).get("_n_rows", 0)
        demand(regressor and n_rows and hasattr(model, "answers_of_members"), "Members are missing", at)
        demand(kept.rows.min() >= 0 and kept.rows.max() < n_rows, "A row does not exist", f"{at}.rows")
    if isinstance(kept.spread, str):
        needed = "answers_of_members" if kept.spread == "trees" else "predict_quantiles"
        demand(hasattr(type(model), needed), "The model does not know this spread", f"{at}.spread")


def _classes(model: Any) -> list[np.ndarray]:
    """Of each output."""
    return model.classes_ if isinstance(model.classes_, list) else [model.classes_]


def _answers(model: Any, forest: Forest, place: str) -> None:
    """A forest answers with the model's classes, or with numbers."""
    if hasattr(model, "n_outputs_"):
        demand(model.n_outputs_ == forest.n_outputs, "Trees have another number of outputs", f"{place}.n_outputs_")
    if not hasattr(model, "classes_"):
        demand(forest.n_classes is None, "The trees predict classes that the model does not have", place)
        return
    found = [len(one) for one in _classes(model)]
    demand(list(forest.n_classes or ()) == found, "Trees have other classes", f"{place}.classes_")
    demand(isinstance(model.classes_, list) == (len(found) > 1), "Classes are listed by output", f"{place}.classes_")
    _counted(model, place)


def _counted(model: Any, place: str) -> None:
    found = [len(one) for one in _classes(model)]
    stated = model.n_classes_ if isinstance(model.n_classes_, int) else list(model.n_classes_)
    same = stated in (found, found[0] if len(found) == 1 else None)
    demand(same, "The number of classes is wrong", f"{place}.n_classes_")


def tree(model: Any, place: str) -> None:
    table(model, place)
    forest_of = model.tree_.forest
    demand(forest_of.criterion is not None, "This is a tree of a boosted model", f"{place}.tree_")
    audit_with_schema(forest_of, vars(model)["_schema"], f"{place}.tree_")
    _answers(model, forest_of, place)


def _store(model: Any, place: str) -> None:
    table(model, place)
    demand(model.forest_.criterion is not None, "This is a boosted model's forest", f"{place}.forest_")
    demand(model.forest_.n_trees > 0, "A forest has trees", f"{place}.forest_")
    audit_with_schema(model.forest_, vars(model)["_schema"], f"{place}.forest_")
    _answers(model, model.forest_, place)


def forest(model: Any, place: str) -> None:
    _store(model, place)
    bags, n_rows = vars(model)["_bags"], vars(model)["_n_rows"]
    pool = getattr(bags, "first", None)
    if pool is not None:
        demand(pool[-1] <= model.forest_.n_trees, "More trees were merged than there are", f"{place}._bags")
        for one, n_own in zip(bags.bags, bags.n_rows):
            if one is None:
                _rows(model.forest_, n_own, f"{place}._bags")
    elif bags is not None:
        demand(len(bags.order) == n_rows, "Rows were sampled from other data", f"{place}._bags")
        demand(bags.shift == 0, "Trees were not merged", f"{place}._bags")
    else:
        _rows(model.forest_, n_rows, f"{place}._n_rows")
    targets = vars(model).get("_leaf_targets")
    if targets is not None:
        n_nodes, n_outputs = model.forest_.n_nodes, model.n_outputs_
        good = len(targets.start) == n_nodes + 1 and len(targets.y) == n_outputs
        demand(good, "Targets are those of another forest", f"{place}._leaf_targets")
    _template(model, place)


def _rows(forest: Forest, n_rows: int, place: str) -> None:
    """A table of so many rows fits trees that were grown on all of them; most may have had no weight."""
    grown = int(forest.counts()[forest.first[:-1]].max())
    demand(n_rows <= _MOST_WITHOUT * (grown + 1), f"Trees of {grown} rows do not belong to data of {n_rows}", place)


def _template(model: Any, place: str) -> None:
    """What `estimators_` are copies of: an unfitted tree."""
    known = type(model.estimator_).__name__
    trees = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
    demand(
        known in trees and not hasattr(model.estimator_, "tree_"),
        "The base estimator must be an unfitted tree",
        f"{place}.estimator_",
    )


def _draws(model: Any, n_members: int, place: str) -> None:
    place = f"{place}._draws"
    demand(len(vars(model)["_draws"]) == n_members > 0, "Every member needs its rows and columns", place)
    for k, one in enumerate(vars(model)["_draws"]):
        demand(one.subspaces.n_columns == model.n_features_in_, "Columns belong to other data", place)
        demand(max(one.bags.shift, one.subspaces.shift) <= k, "A member was merged before it existed", place)


def bagging(model: Any, place: str) -> None:
    table(model, place)
    has_forest = "forest_" in vars(model)
    demand(has_forest != ("estimators_" in vars(model)), "Members are trees of a forest, or models", place)
    if has_forest:
        _store(model, place)
        _template(model, place)
        _draws(model, model.forest_.n_trees, place)
        return
    _draws(model, len(model.estimators_), place)
    for k, (member, draws) in enumerate(zip(model.estimators_, vars(model)["_draws"])):
        at = f"{place}.estimators_[{k}]"
        columns = getattr(member, "n_features_in_", draws.subspaces.n_drawn)
        demand(columns == draws.subspaces.n_drawn, "A member has other columns", at)
        demand(getattr(member, "n_outputs_", 1) == model.n_outputs_, "A member has other outputs", at)
        _fitted_member(member, model, at)
    if hasattr(model, "n_classes_"):
        _counted(model, place)


def isolation(model: Any, place: str) -> None:
    _store(model, place)
    _template(model, place)
    _draws(model, model.forest_.n_trees, place)
    demand(model.forest_.n_outputs == 1, "The nodes of isolation trees must hold one depth", f"{place}.forest_")


def boosting(model: Any, place: str) -> None:
    table(model, place)
    booster, at = vars(model)["_booster"], f"{place}._booster"
    audit_with_schema(booster.forest, vars(model)["_schema"], at)
    n_classes = len(model.classes_) if hasattr(model, "classes_") else 0
    if n_classes:
        demand(
            isinstance(model.classes_, np.ndarray) and n_classes > 1, "There must be two classes", f"{place}.classes_"
        )
        _counted(model, place)
    demand(booster.n_outputs == (n_classes if n_classes > 2 else 1), "There must be a score per class", at)
    demand(model.best_iteration_ == booster.n_rounds, "There are other rounds", f"{place}.best_iteration_")
    try:
        if isinstance(model.loss, str):  # a user's own is compiled when it is needed
            model.fitted_loss  # noqa: B018
        else:
            demand(isinstance(model.loss, Loss), "A loss is a name or a record", f"{place}.loss")
    except (TypeError, ValueError) as error:
        demand(False, f"The loss cannot be used: {str(error).rstrip('.')}", f"{place}.loss")
    demand(model.scorer_ is not False, "The scorer must not be False", f"{place}.scorer_")
    if vars(model)["_init"] is not None:
        _fitted_member(vars(model)["_init"], model, f"{place}._init")


def imported(model: Any, place: str) -> None:
    """A model of another library: a boosted one, with a score per output, or a forest."""
    table(model, place)
    forest, answering, reading = model.forest_, vars(model)["_answering"], vars(model)["_reading"]
    audit_with_schema(forest, vars(model)["_schema"], f"{place}.forest_")
    found = [len(one) for one in _classes(model)] if hasattr(model, "classes_") else []
    several = forest.criterion is not None and model.n_outputs_ > 1
    good = not found or isinstance(model.classes_, list) == several
    demand(good, "Classes are listed by output", f"{place}.classes_")
    if forest.criterion is None:
        n, at = answering.n_outputs, f"{place}._answering.start"
        demand(forest.n_trees % n == 0 and (forest.n_trees or not answering.averages), "There must be whole rounds", at)
        wanted = [max(n, 2)] if found else n
        demand(wanted == (found or model.n_outputs_), "There must be a score per class or output", at)
    else:
        demand(forest.n_trees > 0, "A forest has trees", f"{place}.forest_")
        demand(list(forest.n_classes or ()) == found, "Trees have other classes", f"{place}.classes_")
        demand(model.n_outputs_ == forest.n_outputs, "Trees have another number of outputs", f"{place}.n_outputs_")
    columns = vars(model)["_schema"].columns
    for j in (*reading.numbered, *reading.zero_is_missing):
        demand(j < len(columns), "A column does not exist", f"{place}._reading")
    for j in reading.numbered:
        known: Any = columns[j].categories
        good = known is not None and all(type(one) in (int, float) for one in known)
        demand(good and list(known) == sorted(known), "Categories must be numbers", f"{place}._reading.numbered")
    for j in reading.zero_is_missing:
        is_number = columns[j].categories is None
        demand(is_number, "Zero is not a number in this column", f"{place}._reading.zero_is_missing")


def _fitted_member(member: Any, owner: Any, place: str) -> None:
    """A member is fitted, and knows only classes that its owner has."""
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(member)
    except Exception:
        demand(False, "A member is not fitted", place)
    demand(hasattr(member, "predict"), "A member does not predict", place)
    found = getattr(member, "classes_", None)
    known = getattr(owner, "classes_", None)
    if isinstance(found, np.ndarray) and isinstance(known, np.ndarray):
        same = set(found.tolist()) <= set(known.tolist())
        numbers = found.dtype.kind in "iuf" and 0 <= found.min() and found.max() < len(known)
        demand(same or numbers, "A member has other classes", f"{place}.classes_")


def _columns(member: Any, n_columns: int, place: str) -> None:
    found = getattr(member, "n_features_in_", n_columns)
    demand(found == n_columns, "A member has other columns", place)


def adaboost(model: Any, place: str) -> None:
    table(model, place)
    n = len(model.estimators_)
    same = n == len(model.estimator_weights_) == len(model.estimator_errors_) > 0
    demand(same, "Every member needs a weight and an error", f"{place}.estimators_")
    for k, member in enumerate(model.estimators_):
        _columns(member, model.n_features_in_, f"{place}.estimators_[{k}]")
        _fitted_member(member, model, f"{place}.estimators_[{k}]")
    if hasattr(model, "n_classes_"):
        _counted(model, place)


def c50(model: Any, place: str) -> None:
    adaboost(model, place)
    demand((model.estimator_weights_ == 1.0).all(), "Trees of C5.0 have a weight of 1", f"{place}.estimator_weights_")
    for k, member in enumerate(model.estimators_):
        forest = getattr(getattr(member, "tree_", None), "forest", None)
        same = forest is not None and forest.n_classes == (model.n_classes_,)
        demand(same, "A member of C5.0 is a tree of all classes", f"{place}.estimators_[{k}]")


def auto(model: Any, place: str) -> None:
    table(model, place)
    n = len(model.estimators_)
    demand(n == len(model.weights_) == len(model.names_) > 0, "Every member needs a weight", f"{place}.estimators_")
    demand((model.weights_ >= 0).all() and model.weights_.sum() > 0, "Weights must be positive", f"{place}.weights_")
    for k, member in enumerate(model.estimators_):
        at = f"{place}.estimators_[{k}]"
        _columns(member, model.n_features_in_, at)
        _fitted_member(member, model, at)
        own: Any = getattr(member, "classes_", None)
        same = not hasattr(model, "classes_") or np.array_equal(own, model.classes_)
        demand(same and "_schema" in vars(member), "A member is of another kind", at)
        demand(vars(member)["_schema"] == vars(model)["_schema"], "A member has another schema", at)
    lengths = {len(column) for column in vars(model)["_columns"].values()}
    demand(len(lengths) == 1, "The leaderboard has columns of other lengths", f"{place}._columns")


def _members(model: Any, place: str) -> None:
    """Members by name are those in the list, in the order of the parameter `estimators`."""
    named, at = model.named_estimators_, f"{place}.named_estimators_"
    demand(all(one == "drop" for one in named.values() if isinstance(one, str)), "A member is a model or 'drop'", at)
    here = [one for one in named.values() if not isinstance(one, str)]
    same = len(here) == len(model.estimators_) and all(a is b for a, b in zip(here, model.estimators_))
    demand(same and len(here), "Named members must be those in the list", at)
    for name, member in named.items():
        if not isinstance(member, str):
            _fitted_member(member, model, f"{at}[{name!r}]")
            _columns(member, getattr(model, "n_features_in_", getattr(member, "n_features_in_", 0)), f"{at}[{name!r}]")


def voting(model: Any, place: str) -> None:
    _members(model, place)
    read_weights(model.weights, len(model.estimators))
    if hasattr(model, "le_"):
        demand(np.array_equal(model.le_.classes_, model.classes_), "The encoder has other classes", f"{place}.le_")


def stacking(model: Any, place: str) -> None:
    _members(model, place)
    n = len(model.estimators_)
    widths = vars(model)["_widths"]
    demand(len(model.stack_method_) == len(widths) == n, "Every member needs a method", f"{place}.stack_method_")
    for member, method in zip(model.estimators_, model.stack_method_):
        known = method in ("predict_proba", "decision_function", "predict") and hasattr(member, method)
        demand(known, f"A member has no method {method!r:.40}", f"{place}.stack_method_")
    final = model.final_estimator_
    _fitted_member(final, model, f"{place}.final_estimator_")
    width = sum(widths) + (getattr(model, "n_features_in_", 0) if model.passthrough else 0)
    _columns(final, width, f"{place}.final_estimator_")


def bucket(model: Any, place: str) -> None:
    demand(model.best_name_ in model.scores_, "The best member is not one of the members", f"{place}.best_name_")
    _fitted_member(model.best_estimator_, model, f"{place}.best_estimator_")


def averaging(model: Any, place: str) -> None:
    _members(model, place)
    n = len(model.estimators_)
    demand(len(model.weights_) == len(model.log_likelihoods_) == n, "Every member needs a weight", f"{place}.weights_")
    good = (model.weights_ >= 0).all() and model.weights_.sum() > 0
    demand(good, "Weights must be positive", f"{place}.weights_")
    classifies = hasattr(model.estimators_[0], "classes_")
    demand(classifies == hasattr(model, "classes_"), "Classes are missing", f"{place}.classes_")
    if not classifies:
        variances = getattr(model, "variances_", np.empty(0))
        demand(len(variances) == n and (variances > 0).all(), "Every member needs a variance", f"{place}.variances_")


def linear(model: Any, place: str) -> None:
    demand(model.coef_.shape[-1] == model.n_features_in_, "There are other columns", f"{place}.coef_")
    classes = getattr(model, "classes_", None)
    if classes is None:
        demand(model.coef_.ndim == 1 and np.ndim(model.intercept_) == 0, "There is one output", f"{place}.coef_")
        return
    rows = 1 if len(classes) == 2 else len(classes)
    same = model.coef_.ndim == 2 and len(model.coef_) == rows and np.shape(model.intercept_) == (rows,)
    demand(same and len(classes) > 1, "There must be coefficients for every class", f"{place}.coef_")


# ----------------------------------------------------------------------------------------------------------------------
# Checks that the parts of a clustering or a mixture from a file fit each other.


def centres(model: Any, place: str) -> None:
    table(model, place)
    k, n_columns = model.cluster_centers_.shape
    demand(k > 0 and n_columns == model.n_features_in_, "Centres have other columns", f"{place}.cluster_centers_")
    demand(len(vars(model)["_origin"]) == n_columns, "The origin has other columns", f"{place}._origin")
    demand(vars(model)["_n_features_out"] == k, "There are other centres", f"{place}._n_features_out")
    if hasattr(model, "labels_"):
        labels = model.labels_
        good = labels.min(initial=0) >= 0 and labels.max(initial=0) < k
        demand(good, "A label is not that of a centre", f"{place}.labels_")


def minibatch(model: Any, place: str) -> None:
    centres(model, place)
    running, k = vars(model)["_running"], len(model.cluster_centers_)
    same = running.means.shape == model.cluster_centers_.shape and len(model.counts_) == k
    same = same and running.dtype == model.cluster_centers_.dtype
    demand(same, "Centres differ from the running means", f"{place}._running")


def bisecting(model: Any, place: str) -> None:
    centres(model, place)
    nodes, splits, k = model.node_labels_, model.split_nodes_, len(model.cluster_centers_)
    n = len(nodes)
    same = n == 2 * len(splits) + 1 == 2 * k - 1 and model.node_centers_.shape == (n, model.n_features_in_)
    demand(
        same and model.children_.shape == (len(splits), 2), "Nodes, splits and clusters differ", f"{place}.node_labels_"
    )
    same = model.node_centers_.dtype == model.cluster_centers_.dtype
    demand(same, "Centres have several dtypes", f"{place}.node_centers_")
    is_leaf = np.ones(n, bool)
    for number, node in enumerate(splits.tolist()):
        demand(0 <= node < 2 * number + 1 and is_leaf[node], "A split node does not exist", f"{place}.split_nodes_")
        is_leaf[node] = False
    good = (np.sort(nodes[is_leaf]) == np.arange(k)).all() and (nodes[~is_leaf] == -1).all()
    demand(good, "Leaves must be the clusters", f"{place}.node_labels_")


_FORMS = {"full": (0, 2, 2), "tied": (2, 2), "diag": (0, 2), "spherical": (0,)}


def mixture(model: Any, place: str) -> None:
    table(model, place)
    k, n_columns = model.means_.shape
    demand(k > 0 and n_columns == model.n_features_in_, "Means have other columns", f"{place}.means_")
    weights = model.weights_
    demand(
        len(weights) == k and (weights >= 0).all() and weights.sum() > 0,
        "Every mean needs a weight",
        f"{place}.weights_",
    )
    lengths = {0: k, 2: n_columns}
    wanted = tuple(lengths[one] for one in _FORMS[model.covariance_type])
    for name in ("covariances_", "precisions_", "precisions_cholesky_"):
        demand(getattr(model, name).shape == wanted, "Matrices have the wrong shape", f"{place}.{name}")
    _positive(model, place)


def _positive(model: Any, place: str) -> None:
    """Densities need positive definite covariances."""
    covariances = model.covariances_
    if model.covariance_type in ("diag", "spherical"):
        good = (covariances > 0).all()
    else:
        try:
            np.linalg.cholesky(covariances)
            good = np.allclose(covariances, np.swapaxes(covariances, -1, -2))
        except np.linalg.LinAlgError:
            good = False
    demand(good, "A covariance is not positive definite", f"{place}.covariances_")


def bayesian_mixture(model: Any, place: str) -> None:
    mixture(model, place)
    k = len(model.means_)
    same = len(model.mean_precision_) == len(model.degrees_of_freedom_) == k
    demand(same and len(model.mean_prior_) == model.n_features_in_, "Every mean needs a precision", place)
    concentration = model.weight_concentration_
    parts = concentration if isinstance(concentration, tuple) else (concentration,)
    good = all(len(one) == k and (one > 0).all() and np.isfinite(one).all() for one in parts) and len(parts) <= 2
    demand(good, "Every mean needs a concentration", f"{place}.weight_concentration_")
    freedom, precision = model.degrees_of_freedom_, model.mean_precision_
    good = (freedom > model.n_features_in_ - 1).all() and np.isfinite(freedom).all()
    demand(good, "There are too few degrees of freedom", f"{place}.degrees_of_freedom_")
    good = (precision > 0).all() and np.isfinite(precision).all()
    demand(good, "Precisions must be positive", f"{place}.mean_precision_")
