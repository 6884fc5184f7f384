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
from spinney.io.checks import At
from spinney.tree.forest import ASKS_BRANCHES, ASKS_SET, MISSING_LEFT, MISSING_SPREADS, MISSING_STOPS, Forest, trails

_WORD = 64
_SET_WORDS = 4  # of a set of a boosted model with bins
_BITS = MISSING_LEFT | ASKS_SET | ASKS_BRANCHES | MISSING_STOPS | MISSING_SPREADS
_OWN_CRITERION = 6  # the last one of criteria/impurity.py
_MOST_COLUMNS = 1 << 24
_MOST_NODES = 1 << 28  # of a tree


def audit_bins(bins: Bins, check: At) -> None:
    """Edges ascend, codes are those of bins."""
    n = len(bins.n_bins)
    same = len(bins.edges) == len(bins.category_codes) == len(bins.is_categorical) == n
    check(same, "Every column needs edges or codes")
    for j in range(n):
        at = check.at(f"column {j}")
        edges, codes, n_bins = bins.edges[j], bins.category_codes[j], int(bins.n_bins[j])
        at(0 <= n_bins <= MAX_BINS, f"A column has 0 to {MAX_BINS} bins, not {n_bins}")
        if bins.is_categorical[j]:
            at(len(edges) == 0 and codes.max(initial=0) < max(1, n_bins), "Codes must be those of bins")
        else:
            at(len(codes) == 0 and len(edges) <= max(0, n_bins - 1), "There are more edges than bins")
            at((edges[1:] > edges[:-1]).all() and not np.isnan(edges).any(), "Edges must ascend")


def audit_forest(forest: Forest, check: At) -> None:
    """All that can be said without the columns' categories."""
    check(0 < forest.n_columns < _MOST_COLUMNS, f"{forest.n_columns} columns are too many or too few")
    _audit_shape(forest, check)
    _audit_questions(forest, check)
    _audit_sets(forest, check)
    _audit_answers(forest, check)
    _audit_counts(forest, check)
    _audit_terms(forest, check)


def _audit_shape(forest: Forest, check: At) -> None:
    first, size = forest.first, forest.size.astype(np.int64)
    n = len(size)
    check(len(first) and first[0] == 0 and first[-1] == n, "Trees must begin at 0 and end at the last node", "first")
    good = (first[1:] > first[:-1]).all()  # differences of huge numbers may wrap around: they come after this
    lengths = np.diff(first) if good else np.zeros(1, np.int64)
    good = good and lengths.max(initial=0) < _MOST_NODES
    check(good, "Every tree needs at least one node", "first")
    if not n:
        return
    check = check.at("size")
    roots = first[:-1]
    check((size[roots] == lengths).all() and (size > 0).all(), "A root's subtree must be its tree")
    end_of_tree = np.repeat(first[1:], lengths)
    asks = np.flatnonzero(size > 1)
    end = np.arange(n) + size
    check((end <= end_of_tree).all(), "A subtree must end within its tree")
    n_asks = len(asks)
    check(len(forest.feature) == n_asks, f"There are {n_asks} splits and {len(forest.feature)} columns")
    check(len(forest.turn) == n_asks, f"There are {n_asks} splits and {len(forest.turn)} turns")
    if (forest.turn & ASKS_BRANCHES).any():
        _audit_branches(forest, size, end, asks, check)
        return
    left = asks + 1
    right = left + size[left]
    check((right < end[asks]).all(), "A split needs a second branch")
    check((end[right] == end[asks]).all(), "The branches of a split must fill its subtree")


def _audit_branches(forest: Forest, size: np.ndarray, end: np.ndarray, asks: np.ndarray, check: At) -> None:
    """Trees with nodes of any number of branches: an open subtree holds all that begin before its end."""
    ends, n_children = end.tolist(), [0] * len(size)
    open_nodes: list[int] = []
    for node, node_end in enumerate(ends):
        while open_nodes and ends[open_nodes[-1]] == node:
            open_nodes.pop()
        if open_nodes:
            check(node_end <= ends[open_nodes[-1]], f"The subtree of node {node} does not end within its parent's")
            n_children[open_nodes[-1]] += 1
        open_nodes.append(node)
    found = np.array(n_children)[asks]
    many = (forest.turn & ASKS_BRANCHES) != 0
    check((found >= 2).all() and (found[~many] == 2).all(), "A split needs two branches")


def _audit_questions(forest: Forest, check: At) -> None:
    turn, feature, n_asks = forest.turn, forest.feature, len(forest.feature)
    check(feature.max(initial=0) < forest.n_columns, "A split uses a column that does not exist", "feature")
    is_set, many = (turn & ASKS_SET) != 0, (turn & ASKS_BRANCHES) != 0
    check(not (turn & ~np.uint8(_BITS)).any(), "The kind of a split is unknown", "turn")
    check(not (is_set & many).any(), "A split must test a set or have a branch per category, not both", "turn")
    if forest.bins is None:
        check(len(forest.threshold) == n_asks and not len(forest.code), "Every split needs a threshold", "threshold")
        known = ~np.isnan(forest.threshold) | is_set | many
        check(known.all(), "A threshold is missing", "threshold")
        return
    check, turns = check.at("code"), check.at("turn")
    check(forest.bins.n_columns == forest.n_columns, "There must be bins for every column")
    check(len(forest.code) == n_asks and not len(forest.threshold), "Every split needs a code")
    plain = not (turn & ~np.uint8(MISSING_LEFT | ASKS_SET)).any()
    turns(plain, "Trees from bins have two branches, and missing values take one")
    by_number = ~forest.bins.is_categorical[feature]
    check((is_set != by_number).all(), "Splits on categories need sets, and splits on numbers need codes")
    check((forest.code < np.maximum(forest.bins.n_bins[feature], 1))[~is_set].all(), "A code does not belong to a bin")


def _audit_sets(forest: Forest, check: At) -> None:
    start, is_set = forest.set_start, forest.is_set
    n_sets = int(np.count_nonzero(is_set))
    check = check.at("sets")
    check(len(start) == n_sets + 1 and start[0] == 0, f"There must be a set for each of {n_sets} splits")
    ascend = (start[1:] >= start[:-1]).all()
    check(ascend and start[-1] == len(forest.sets), "Sets must fill their array")
    lengths = np.diff(start)
    if forest.bins is not None and n_sets:
        codes = forest.bins.n_bins[forest.feature[is_set]].astype(np.int64)  # that of missing values included
        needed = np.where(forest.criterion is None, _SET_WORDS, codes // _WORD + 1)
        check((lengths == needed).all(), "A set must have a bit for every code")


def _audit_answers(forest: Forest, check: At) -> None:
    answers, classes = forest.answers, forest.n_classes
    check = check.at("answers")
    check(len(answers) == forest.n_nodes, "Every node needs a value")
    check(forest.criterion is None or 0 <= forest.criterion <= _OWN_CRITERION, "The criterion is unknown")
    check(np.isfinite(answers).all(), "Node values must be finite")
    if classes is None:
        check(answers.shape[1] >= 1 and answers.shape[2] == 1, "A node must have one number per output")
        check(forest.criterion is not None or answers.shape[1] == 1, "A boosted tree has one output")
        return
    check(forest.criterion is not None, "The nodes of a boosted tree must hold numbers")
    good = (
        len(classes) == answers.shape[1]
        and all(c >= 1 for c in classes)
        and max(classes, default=0) == answers.shape[2]
    )
    check(good, "A node must have a weight for every class")
    check((answers >= 0).all() and (answers.sum(axis=2, dtype=np.float64) > 0).all(), "Weights must be positive")
    for k, n_classes in enumerate(classes):
        check(not answers[:, k, n_classes:].any(), "A class that does not exist has a weight")


def _audit_terms(forest: Forest, check: At) -> None:
    """Linear leaves: terms for every leaf, in columns that are numbers on the way to it."""
    n_terms, term, check = forest.n_terms, forest.term, check.at("term")
    if not len(n_terms):
        check(not len(forest.term_column) and not term.size, "There are terms, but no leaves that have any")
        return
    check(forest.criterion is None and forest.bins is None, "Only boosted trees have linear leaves")
    check(len(n_terms) == int(forest.is_leaf.sum()), "Every leaf needs a number of terms")
    n = int(n_terms.sum())
    check(len(forest.term_column) == n and term.shape == (n, 4), f"There must be {n} terms of four numbers")
    check((forest.term_column < forest.n_columns).all(), "A term uses a column that does not exist")
    check(np.isfinite(term[:, :2]).all() and not np.isnan(term).any(), "Slopes and centres must be finite")
    check((term[:, 2] <= term[:, 1]).all() and (term[:, 1] <= term[:, 3]).all(), "A centre is out of range")
    leaves = np.flatnonzero(forest.is_leaf)
    ends, nodes = trails(leaves, forest.shape.parent, forest.shape.depth)
    column = forest.of_questions(np.where(forest.is_set, -1, forest.feature.astype(np.int64)), -1)[nodes]
    on_path = np.repeat(leaves, np.diff(ends)) * forest.n_columns + column
    wanted = np.repeat(leaves, n_terms) * forest.n_columns + forest.term_column
    check(np.isin(wanted, on_path[column >= 0]).all(), "A term's column is not asked about on the way to it")


def _audit_counts(forest: Forest, check: At) -> None:
    n, n_asks, n_trees = forest.n_nodes, len(forest.feature), forest.n_trees
    is_classes = forest.n_classes is not None
    check(len(forest.n_samples) in (n - n_asks, n), "Samples are counted for leaves or for nodes", "n_samples")
    integers = forest.weight.dtype.kind == "i"
    wanted = n - n_asks if integers else n
    needs = integers or not is_classes
    known = forest.weight.dtype.kind != "u"  # else they are of other leaves: see tree/forest.py
    good = known and len(forest.weight) in ((wanted,) if needs else (0, wanted))
    check(good, "Weights are missing", "weight")
    check(len(forest.weight_unit) == (n_trees if integers else 0), "Weights need a unit per tree", "weight_unit")
    own = forest.criterion == _OWN_CRITERION
    lengths = (0,) if forest.criterion is None else (n,) if not is_classes or own else (0, n)
    check(len(forest.impurity) in lengths, "Impurities are missing or too many", "impurity")
    check(len(forest.gain) == (n_asks if forest.criterion is None else 0), "Gains are missing or too many", "gain")
    for name in ("weight", "weight_unit", "impurity", "gain"):
        check(not np.isnan(getattr(forest, name)).any(), "A number is missing", f"{name}")


def audit_with_schema(forest: Forest, schema: Schema, check: At) -> None:
    """The rest: trees must ask about the columns as these are."""
    n_categories = np.array([-1 if one.categories is None else len(one.categories) for one in schema.columns])
    check(len(n_categories) == forest.n_columns, "Trees and schema have other columns")
    bins: Any = forest.bins
    if bins is not None:
        same = all(len(codes) == max(n, 0) for codes, n in zip(bins.category_codes, n_categories.tolist()))
        check(same and (bins.is_categorical == (n_categories >= 0)).all(), "Bins and schema have other categories")
        return
    of = n_categories[forest.feature]
    by_category = (forest.turn & (ASKS_SET | ASKS_BRANCHES)) != 0
    check((by_category == (of >= 0)).all(), "Trees and schema have other categories")
    words = -(-of[forest.is_set] // _WORD)
    check((np.diff(forest.set_start) >= words).all(), "A set must have a bit for every category")


# --- estimators -------------------------------------------------------------------------------------------------------


_MOST_WITHOUT = 1 << 16  # rows without weight for each one that has some


def table(model: Any, check: At) -> None:
    """Columns and their names agree."""
    schema = vars(model)["_schema"]
    check(model.n_features_in_ == schema.n_columns, "The schema has other columns", "n_features_in_")
    found: Any = getattr(model, "feature_names_in_", None)
    own = schema.names
    same = (own is None) == (found is None) and (own is None or found.tolist() == own.tolist())
    check(same, "The schema has other names", "feature_names_in_")


def calibration(model: Any, check: At) -> None:
    """The rows of a calibration are training rows, and what it needs of the model is there."""
    kept, at = vars(model).get("_calibration"), check.at("_calibration")
    if kept is None:
        return
    regressor = not hasattr(model, "classes_")
    at(hasattr(model, "predict_interval" if regressor else "predict_set"), "This model is never calibrated")
    if kept.rows is not None:
        n_rows = vars(model).get("_n_rows", 0)
        at(regressor and n_rows and hasattr(model, "answers_of_members"), "Members are missing")
        at(kept.rows.min() >= 0 and kept.rows.max() < n_rows, "A row does not exist", "rows")
    if isinstance(kept.spread, str):
        needed = "answers_of_members" if kept.spread == "trees" else "predict_quantiles"
        at(hasattr(type(model), needed), "The model does not know this spread", "spread")


def _classes(model: Any) -> list[np.ndarray]:
    """Of each output."""
    return model.classes_ if isinstance(model.classes_, list) else [model.classes_]


def _answers(model: Any, forest: Forest, check: At) -> None:
    """A forest answers with the model's classes, or with numbers."""
    if hasattr(model, "n_outputs_"):
        check(model.n_outputs_ == forest.n_outputs, "Trees have another number of outputs", "n_outputs_")
    if not hasattr(model, "classes_"):
        check(forest.n_classes is None, "The trees predict classes that the model does not have")
        return
    found = [len(one) for one in _classes(model)]
    check(list(forest.n_classes or ()) == found, "Trees have other classes", "classes_")
    check(isinstance(model.classes_, list) == (len(found) > 1), "Classes are listed by output", "classes_")
    _counted(model, check)


def _counted(model: Any, check: At) -> None:
    found = [len(one) for one in _classes(model)]
    stated = model.n_classes_ if isinstance(model.n_classes_, int) else list(model.n_classes_)
    same = stated in (found, found[0] if len(found) == 1 else None)
    check(same, "The number of classes is wrong", "n_classes_")


def tree(model: Any, check: At) -> None:
    table(model, check)
    forest_of = model.tree_.forest
    check(forest_of.criterion is not None, "This is a tree of a boosted model", "tree_")
    audit_with_schema(forest_of, vars(model)["_schema"], check.at("tree_"))
    _answers(model, forest_of, check)


def _store(model: Any, check: At) -> None:
    table(model, check)
    check(model.forest_.criterion is not None, "This is a boosted model's forest", "forest_")
    check(model.forest_.n_trees > 0, "A forest has trees", "forest_")
    audit_with_schema(model.forest_, vars(model)["_schema"], check.at("forest_"))
    _answers(model, model.forest_, check)


def forest(model: Any, check: At) -> None:
    _store(model, check)
    bags, n_rows = vars(model)["_bags"], vars(model)["_n_rows"]
    pool = getattr(bags, "first", None)
    if pool is not None:
        check(pool[-1] <= model.forest_.n_trees, "More trees were merged than there are", "_bags")
        for one, n_own in zip(bags.bags, bags.n_rows):
            if one is None:
                _rows(model.forest_, n_own, check.at("_bags"))
    elif bags is not None:
        check(len(bags.order) == n_rows, "Rows were sampled from other data", "_bags")
        check(bags.shift == 0, "Trees were not merged", "_bags")
    else:
        _rows(model.forest_, n_rows, check.at("_n_rows"))
    targets = vars(model).get("_leaf_targets")
    if targets is not None:
        n_nodes, n_outputs = model.forest_.n_nodes, model.n_outputs_
        good = len(targets.start) == n_nodes + 1 and len(targets.y) == n_outputs
        check(good, "Targets are those of another forest", "_leaf_targets")
    _template(model, check)


def _rows(forest: Forest, n_rows: int, check: At) -> None:
    """A table of so many rows fits trees that were grown on all of them; most may have had no weight."""
    grown = int(forest.counts()[forest.first[:-1]].max())
    check(n_rows <= _MOST_WITHOUT * (grown + 1), f"Trees of {grown} rows do not belong to data of {n_rows}")


def _template(model: Any, check: At) -> None:
    """What `estimators_` are copies of: an unfitted tree."""
    known = type(model.estimator_).__name__
    trees = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
    check(
        known in trees and not hasattr(model.estimator_, "tree_"),
        "The base estimator must be an unfitted tree",
        "estimator_",
    )


def _draws(model: Any, n_members: int, check: At) -> None:
    check = check.at("_draws")
    check(len(vars(model)["_draws"]) == n_members > 0, "Every member needs its rows and columns")
    for k, one in enumerate(vars(model)["_draws"]):
        check(one.subspaces.n_columns == model.n_features_in_, "Columns belong to other data")
        check(max(one.bags.shift, one.subspaces.shift) <= k, "A member was merged before it existed")


def bagging(model: Any, check: At) -> None:
    table(model, check)
    has_forest = "forest_" in vars(model)
    check(has_forest != ("estimators_" in vars(model)), "Members are trees of a forest, or models")
    if has_forest:
        _store(model, check)
        _template(model, check)
        _draws(model, model.forest_.n_trees, check)
        return
    _draws(model, len(model.estimators_), check)
    for k, (member, draws) in enumerate(zip(model.estimators_, vars(model)["_draws"])):
        at = check.at(f"estimators_[{k}]")
        columns = getattr(member, "n_features_in_", draws.subspaces.n_drawn)
        at(columns == draws.subspaces.n_drawn, "A member has other columns")
        at(getattr(member, "n_outputs_", 1) == model.n_outputs_, "A member has other outputs")
        _fitted_member(member, model, at)
    if hasattr(model, "n_classes_"):
        _counted(model, check)


def isolation(model: Any, check: At) -> None:
    _store(model, check)
    _template(model, check)
    _draws(model, model.forest_.n_trees, check)
    check(model.forest_.n_outputs == 1, "The nodes of isolation trees must hold one depth", "forest_")


def boosting(model: Any, check: At) -> None:
    table(model, check)
    booster, at = vars(model)["_booster"], check.at("_booster")
    audit_with_schema(booster.forest, vars(model)["_schema"], at)
    n_classes = len(model.classes_) if hasattr(model, "classes_") else 0
    if n_classes:
        check(isinstance(model.classes_, np.ndarray) and n_classes > 1, "There must be two classes", "classes_")
        _counted(model, check)
    at(booster.n_outputs == (n_classes if n_classes > 2 else 1), "There must be a score per class")
    check(model.best_iteration_ == booster.n_rounds, "There are other rounds", "best_iteration_")
    try:
        if isinstance(model.loss, str):  # a user's own is compiled when it is needed
            model.fitted_loss  # noqa: B018
        else:
            check(isinstance(model.loss, Loss), "A loss is a name or a record", "loss")
    except (TypeError, ValueError) as error:
        check(False, f"The loss cannot be used: {str(error).rstrip('.')}", "loss")
    check(model.scorer_ is not False, "The scorer must not be False", "scorer_")
    if vars(model)["_init"] is not None:
        _fitted_member(vars(model)["_init"], model, check.at("_init"))


def imported(model: Any, check: At) -> None:
    """A model of another library: a boosted one, with a score per output, or a forest."""
    table(model, check)
    forest, answering, reading = model.forest_, vars(model)["_answering"], vars(model)["_reading"]
    audit_with_schema(forest, vars(model)["_schema"], check.at("forest_"))
    found = [len(one) for one in _classes(model)] if hasattr(model, "classes_") else []
    several = forest.criterion is not None and model.n_outputs_ > 1
    good = not found or isinstance(model.classes_, list) == several
    check(good, "Classes are listed by output", "classes_")
    if forest.criterion is None:
        n, at = answering.n_outputs, check.at("_answering.start")
        at(forest.n_trees % n == 0 and (forest.n_trees or not answering.averages), "There must be whole rounds")
        wanted = [max(n, 2)] if found else n
        at(wanted == (found or model.n_outputs_), "There must be a score per class or output")
    else:
        check(forest.n_trees > 0, "A forest has trees", "forest_")
        check(list(forest.n_classes or ()) == found, "Trees have other classes", "classes_")
        check(model.n_outputs_ == forest.n_outputs, "Trees have another number of outputs", "n_outputs_")
    columns = vars(model)["_schema"].columns
    for j in (*reading.numbered, *reading.zero_is_missing):
        check(j < len(columns), "A column does not exist", "_reading")
    for j in reading.numbered:
        known: Any = columns[j].categories
        good = known is not None and all(type(one) in (int, float) for one in known)
        check(good and list(known) == sorted(known), "Categories must be numbers", "_reading.numbered")
    for j in reading.zero_is_missing:
        is_number = columns[j].categories is None
        check(is_number, "Zero is not a number in this column", "_reading.zero_is_missing")


def _fitted_member(member: Any, owner: Any, check: At) -> None:
    """A member is fitted, and knows only classes that its owner has."""
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(member)
    except Exception:
        check(False, "A member is not fitted")
    check(hasattr(member, "predict"), "A member does not predict")
    found = getattr(member, "classes_", None)
    known = getattr(owner, "classes_", None)
    if isinstance(found, np.ndarray) and isinstance(known, np.ndarray):
        same = set(found.tolist()) <= set(known.tolist())
        numbers = found.dtype.kind in "iuf" and 0 <= found.min() and found.max() < len(known)
        check(same or numbers, "A member has other classes", "classes_")


def _columns(member: Any, n_columns: int, check: At) -> None:
    found = getattr(member, "n_features_in_", n_columns)
    check(found == n_columns, "A member has other columns")


def adaboost(model: Any, check: At) -> None:
    table(model, check)
    n = len(model.estimators_)
    same = n == len(model.estimator_weights_) == len(model.estimator_errors_) > 0
    check(same, "Every member needs a weight and an error", "estimators_")
    for k, member in enumerate(model.estimators_):
        _columns(member, model.n_features_in_, check.at(f"estimators_[{k}]"))
        _fitted_member(member, model, check.at(f"estimators_[{k}]"))
    if hasattr(model, "n_classes_"):
        _counted(model, check)


def c50(model: Any, check: At) -> None:
    adaboost(model, check)
    check((model.estimator_weights_ == 1.0).all(), "Trees of C5.0 have a weight of 1", "estimator_weights_")
    for k, member in enumerate(model.estimators_):
        forest = getattr(getattr(member, "tree_", None), "forest", None)
        same = forest is not None and forest.n_classes == (model.n_classes_,)
        check(same, "A member of C5.0 is a tree of all classes", f"estimators_[{k}]")


def auto(model: Any, check: At) -> None:
    table(model, check)
    n = len(model.estimators_)
    check(n == len(model.weights_) == len(model.names_) > 0, "Every member needs a weight", "estimators_")
    check((model.weights_ >= 0).all() and model.weights_.sum() > 0, "Weights must be positive", "weights_")
    for k, member in enumerate(model.estimators_):
        at = check.at(f"estimators_[{k}]")
        _columns(member, model.n_features_in_, at)
        _fitted_member(member, model, at)
        own: Any = getattr(member, "classes_", None)
        same = not hasattr(model, "classes_") or np.array_equal(own, model.classes_)
        at(same and "_schema" in vars(member), "A member is of another kind")
        at(vars(member)["_schema"] == vars(model)["_schema"], "A member has another schema")
    lengths = {len(column) for column in vars(model)["_columns"].values()}
    check(len(lengths) == 1, "The leaderboard has columns of other lengths", "_columns")


def _members(model: Any, check: At) -> None:
    """Members by name are those in the list, in the order of the parameter `estimators`."""
    named, at = model.named_estimators_, check.at("named_estimators_")
    at(all(one == "drop" for one in named.values() if isinstance(one, str)), "A member is a model or 'drop'")
    here = [one for one in named.values() if not isinstance(one, str)]
    same = len(here) == len(model.estimators_) and all(a is b for a, b in zip(here, model.estimators_))
    at(same and len(here), "Named members must be those in the list")
    for name, member in named.items():
        if not isinstance(member, str):
            own, n_columns = at.at(f"[{name!r}]"), getattr(member, "n_features_in_", 0)
            _fitted_member(member, model, own)
            _columns(member, getattr(model, "n_features_in_", n_columns), own)


def voting(model: Any, check: At) -> None:
    _members(model, check)
    read_weights(model.weights, len(model.estimators))
    if hasattr(model, "le_"):
        check(np.array_equal(model.le_.classes_, model.classes_), "The encoder has other classes", "le_")


def stacking(model: Any, check: At) -> None:
    _members(model, check)
    n = len(model.estimators_)
    widths = vars(model)["_widths"]
    check(len(model.stack_method_) == len(widths) == n, "Every member needs a method", "stack_method_")
    for member, method in zip(model.estimators_, model.stack_method_):
        known = method in ("predict_proba", "decision_function", "predict") and hasattr(member, method)
        check(known, f"A member has no method {method!r:.40}", "stack_method_")
    final = model.final_estimator_
    _fitted_member(final, model, check.at("final_estimator_"))
    width = sum(widths) + (getattr(model, "n_features_in_", 0) if model.passthrough else 0)
    _columns(final, width, check.at("final_estimator_"))


def bucket(model: Any, check: At) -> None:
    check(model.best_name_ in model.scores_, "The best member is not one of the members", "best_name_")
    _fitted_member(model.best_estimator_, model, check.at("best_estimator_"))


def averaging(model: Any, check: At) -> None:
    _members(model, check)
    n = len(model.estimators_)
    check(len(model.weights_) == len(model.log_likelihoods_) == n, "Every member needs a weight", "weights_")
    good = (model.weights_ >= 0).all() and model.weights_.sum() > 0
    check(good, "Weights must be positive", "weights_")
    classifies = hasattr(model.estimators_[0], "classes_")
    check(classifies == hasattr(model, "classes_"), "Classes are missing", "classes_")
    if not classifies:
        variances = getattr(model, "variances_", np.empty(0))
        check(len(variances) == n and (variances > 0).all(), "Every member needs a variance", "variances_")


def linear(model: Any, check: At) -> None:
    check(model.coef_.shape[-1] == model.n_features_in_, "There are other columns", "coef_")
    classes = getattr(model, "classes_", None)
    if classes is None:
        check(model.coef_.ndim == 1 and np.ndim(model.intercept_) == 0, "There is one output", "coef_")
        return
    rows = 1 if len(classes) == 2 else len(classes)
    same = model.coef_.ndim == 2 and len(model.coef_) == rows and np.shape(model.intercept_) == (rows,)
    check(same and len(classes) > 1, "There must be coefficients for every class", "coef_")


# ----------------------------------------------------------------------------------------------------------------------
# Checks that the parts of a clustering or a mixture from a file fit each other.


def centres(model: Any, check: At) -> None:
    table(model, check)
    k, n_columns = model.cluster_centers_.shape
    check(k > 0 and n_columns == model.n_features_in_, "Centres have other columns", "cluster_centers_")
    check(len(vars(model)["_origin"]) == n_columns, "The origin has other columns", "_origin")
    check(vars(model)["_n_features_out"] == k, "There are other centres", "_n_features_out")
    if hasattr(model, "labels_"):
        labels = model.labels_
        good = labels.min(initial=0) >= 0 and labels.max(initial=0) < k
        check(good, "A label is not that of a centre", "labels_")


def minibatch(model: Any, check: At) -> None:
    centres(model, check)
    running, k = vars(model)["_running"], len(model.cluster_centers_)
    same = running.means.shape == model.cluster_centers_.shape and len(model.counts_) == k
    same = same and running.dtype == model.cluster_centers_.dtype
    check(same, "Centres differ from the running means", "_running")


def bisecting(model: Any, check: At) -> None:
    centres(model, check)
    nodes, splits, k = model.node_labels_, model.split_nodes_, len(model.cluster_centers_)
    n = len(nodes)
    same = n == 2 * len(splits) + 1 == 2 * k - 1 and model.node_centers_.shape == (n, model.n_features_in_)
    check(same and model.children_.shape == (len(splits), 2), "Nodes, splits and clusters differ", "node_labels_")
    same = model.node_centers_.dtype == model.cluster_centers_.dtype
    check(same, "Centres have several dtypes", "node_centers_")
    is_leaf = np.ones(n, bool)
    for number, node in enumerate(splits.tolist()):
        check(0 <= node < 2 * number + 1 and is_leaf[node], "A split node does not exist", "split_nodes_")
        is_leaf[node] = False
    good = (np.sort(nodes[is_leaf]) == np.arange(k)).all() and (nodes[~is_leaf] == -1).all()
    check(good, "Leaves must be the clusters", "node_labels_")


_FORMS = {"full": (0, 2, 2), "tied": (2, 2), "diag": (0, 2), "spherical": (0,)}


def mixture(model: Any, check: At) -> None:
    table(model, check)
    k, n_columns = model.means_.shape
    check(k > 0 and n_columns == model.n_features_in_, "Means have other columns", "means_")
    weights = model.weights_
    check(len(weights) == k and (weights >= 0).all() and weights.sum() > 0, "Every mean needs a weight", "weights_")
    lengths = {0: k, 2: n_columns}
    wanted = tuple(lengths[one] for one in _FORMS[model.covariance_type])
    for name in ("covariances_", "precisions_", "precisions_cholesky_"):
        check(getattr(model, name).shape == wanted, "Matrices have the wrong shape", f"{name}")
    _positive(model, check)


def _positive(model: Any, check: At) -> None:
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
    check(good, "A covariance is not positive definite", "covariances_")


def bayesian_mixture(model: Any, check: At) -> None:
    mixture(model, check)
    k = len(model.means_)
    same = len(model.mean_precision_) == len(model.degrees_of_freedom_) == k
    check(same and len(model.mean_prior_) == model.n_features_in_, "Every mean needs a precision")
    concentration = model.weight_concentration_
    parts = concentration if isinstance(concentration, tuple) else (concentration,)
    good = all(len(one) == k and (one > 0).all() and np.isfinite(one).all() for one in parts) and len(parts) <= 2
    check(good, "Every mean needs a concentration", "weight_concentration_")
    freedom, precision = model.degrees_of_freedom_, model.mean_precision_
    good = (freedom > model.n_features_in_ - 1).all() and np.isfinite(freedom).all()
    check(good, "There are too few degrees of freedom", "degrees_of_freedom_")
    good = (precision > 0).all() and np.isfinite(precision).all()
    check(good, "Precisions must be positive", "mean_precision_")
