"""What models are made of: a fixed table of records, each with its fields and what these may hold.

In: a value of one of our classes. Out: its fields; and the other way round, a value whose fields have been checked and
that has been audited as a whole. Estimators are records too: see estimator_records.py. Nothing is imported by a name
that a file gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from spinney.data.encode import Bins, make_bins, split_bins
from spinney.data.schema import Schema
from spinney.io.audit import audit_bins, audit_forest
from spinney.io.checks import (
    At,
    Check,
    Maybe,
    ModelFormatError,
    anything,
    array,
    boolean,
    demand,
    dict_of,
    finite,
    finite_array,
    integer,
    is_a,
    kept_or_none,
    number,
    text,
    tuple_of,
)
from spinney.tree.forest import Forest

SEED = integer(0, (1 << 64) - 1)
COUNT = integer(0, 1 << 48)
_MOST_REPEATS = 128  # draws per row: a row of whole weight stands for up to 127 rows
Fields = dict[str, Check | Maybe]

_BINS: Fields = {
    "n_edges": array("u1", 1),
    "edges": array("u8", 1),
    "n_codes": array("i4", 1),
    "codes": array("u1", 1),
    "n_bins": array("i4", 1),
    "is_categorical": array("b1", 1),
}
_FOREST: Fields = {
    "n_columns": integer(1, 1 << 24),
    "n_classes": kept_or_none(tuple_of(integer(1, 1 << 32))),
    "criterion": kept_or_none(integer(0, 6)),
    "bins": kept_or_none(is_a(Bins)),
    "first": array("i8", 1),
    "size": array("u2 u4", 1),
    "feature": array("u2 u4", 1),
    "turn": array("u1", 1),
    "answers": array("f4 f8", 3),
    "n_samples": array("u1 u2 u4 u8", 1),
    "code": array("u1", 1),
    "threshold": array("f8", 1),
    "set_start": array("i8", 1),
    "sets": array("u8", 1),
    "weight": array("f4 f8 i8 u1 u2 u4", 1),
    "weight_unit": array("f8", 1),
    "impurity": array("f8", 1),
    "gain": array("f8", 1),
    "n_terms": Maybe(array("u1", 1)),
    "term_column": Maybe(array("u2 u4", 1)),
    "term": Maybe(array("f8", 2)),
}
_BAGS: Fields = {
    "order": array("i8", 1),
    "weights": kept_or_none(finite_array("f8", 1)),
    "n_draws": COUNT,
    "replace": boolean,
    "seed": SEED,
    "n_parts": COUNT,
    "shift": COUNT,
}
_SUBSPACES: Fields = {
    "n_columns": integer(1, 1 << 24),
    "n_drawn": integer(1, 1 << 32),
    "replace": boolean,
    "seed": SEED,
    "shift": COUNT,
}
_TARGETS: Fields = {
    "start": array("i8", 1),
    "row": array("u4", 1),
    "weight": finite_array("f4", 1),
    "y": finite_array("f8", 2),
}
_CALIBRATION: Fields = {
    "method": text,
    "scores": finite_array("f8", 1),
    "weights": kept_or_none(array("i8", 1)),
    "own_weight": COUNT,
    "group": kept_or_none(array("i8", 1)),
    "labels": tuple_of(text),
    "by": kept_or_none(text),
    "spread": lambda value, place: _is_spread(value, place),
    "level": kept_or_none(text),
    "rows": kept_or_none(array("i8", 1)),
}
_MEANS: Fields = {
    "origin": finite_array("f8", 1),
    "means": finite_array("f8", 2),
    "counts": finite_array("f8", 1),
    "dtype": anything,
    "seed": SEED,
    "n_steps": COUNT,
    "n_rows_since": COUNT,
}
_MIXTURE: Fields = {
    "weights": finite_array("f8", 1),
    "means": finite_array("f8", 2),
    "covariances": finite_array("f8", 1, 2, 3),
    "log_likelihood": number,
}
_RANDOM: Fields = {"key": array("u4", 1), "place": integer(0, 624), "gauss": number, "has_gauss": boolean}
_FOLDS: Fields = {"n_splits": integer(2), "shuffle": boolean, "random_state": anything}


@dataclass(frozen=True)
class Record:
    """A class of ours in a file."""

    name: str
    kind: type
    fields: dict[str, Check | Maybe]
    make: Callable[..., Any]  # from the fields
    split: Callable[[Any], dict[str, Any]]  # into the fields
    audit: Callable[[Any, Any], None]  # (value, At)
    is_json: bool = False  # fields are JSON as they are


def check_fields(found: dict[str, Any], wanted: Fields, place: str) -> None:
    """All fields that must be there, and no others, each as it may be."""
    for name in found:
        demand(name in wanted, f"There is no field {name!r:.80}", place)
    for name, check in wanted.items():
        if name in found:
            (check.check if isinstance(check, Maybe) else check)(found[name], f"{place}.{name}")
        else:
            demand(isinstance(check, Maybe), f"The field {name!r} is missing", place)


def _plain(name: str, kind: Any, wanted: Fields, audit: Any = None) -> Record:
    """A dataclass or a named tuple, whose fields are those of the file."""
    own = list(wanted)
    return Record(name, kind, wanted, kind, lambda value: {one: getattr(value, one) for one in own}, audit or anything)


# --- tables ----------------------------------------------------------------------------------------------------------


def _make_schema(columns: Any) -> Schema:
    return Schema.from_dict({"columns": [dict(one) for one in columns]})


# --- trees -----------------------------------------------------------------------------------------------------------


def _audit_booster(booster: Any, check: At) -> None:
    n_outputs = len(booster.start)
    whole = n_outputs >= 1 and booster.forest.n_trees % n_outputs == 0
    check(whole and booster.forest.criterion is None, "A boosted model has whole rounds of boosted trees")
    check(np.isfinite(booster.start).all(), "Start values must be finite", "start")


def _audit_tree(tree: Any, check: At) -> None:
    check(tree.forest.n_trees == 1, "A decision tree is one tree")


# --- which rows members have drawn -----------------------------------------------------------------------------------


def _audit_bags(bags: Any, check: At) -> None:
    n = len(bags.order)
    check(n and (np.sort(bags.order) == np.arange(n)).all(), "Rows must be in some order", "order")
    check(1 <= bags.n_draws <= _MOST_REPEATS * n, "The number of samples per row is out of range", "n_draws")
    if bags.weights is not None:
        good = len(bags.weights) == n and (bags.weights >= 0).all() and bags.weights.any()
        check(good, "Every row needs a weight", "weights")


def _audit_subspaces(subspaces: Any, check: At) -> None:
    check(subspaces.n_drawn <= subspaces.n_columns, "More columns are sampled than exist")


def _audit_pool(pool: Any, check: At) -> None:
    same = len(pool.first) == len(pool.bags) == len(pool.n_rows) == len(pool.seeds) > 0
    ascend = same and pool.first[0] == 0 and all(a <= b for a, b in pairwise(pool.first))
    check(ascend, "Merged forests stand one after the other")
    for first, bags, n_rows in zip(pool.first, pool.bags, pool.n_rows):
        good = bags is None or (bags.shift <= first and len(bags.order) == n_rows)
        check(good, "A merged forest was numbered before it existed")


def _audit_targets(targets: Any, check: At) -> None:
    start, n_rows = targets.start, len(targets.row)
    good = len(start) and start[0] == 0 and start[-1] == n_rows and (start[1:] >= start[:-1]).all()
    check(good, "Rows must be listed leaf by leaf", "start")
    check(len(targets.weight) == n_rows, "Every row needs a weight", "weight")
    check(targets.row.max(initial=0) < targets.y.shape[1], "A row does not exist", "row")


def _is_spread(value: Any, place: str) -> None:
    """None, "trees", "quantiles", a curve, or a model."""
    from spinney.ensemble.conformal import SpreadCurve
    from spinney.io.estimator_records import is_model

    if value is None or type(value) is SpreadCurve:
        return
    if isinstance(value, str):
        return demand(value in ("trees", "quantiles"), "The spread is unknown", place)
    is_model(value, place)


def _audit_curve(curve: Any, check: At) -> None:
    at, size = curve
    good = len(at) == len(size) > 0 and (np.diff(at) > 0).all() and (size > 0).all()
    check(good, "A spread needs positive sizes at ascending predictions")


def _audit_calibration(kept: Any, check: At) -> None:
    from spinney.ensemble.conformal import METHODS, read_level

    n = len(kept.scores)
    check(kept.method in METHODS and n, "The calibration is unknown")
    check((kept.method == "jackknife+") == (kept.rows is not None), "Rows belong to jackknife+", "rows")
    for name in ("weights", "group", "rows"):
        values = getattr(kept, name)
        check(values is None or len(values) == n, "Every score needs one", name)
    if kept.weights is not None:
        check((kept.weights > 0).all() and kept.own_weight > 0, "Weights must be positive", "weights")
        check(int(kept.weights.max()) < 1 << 40, "Weights are too large", "weights")
    groups = np.zeros(n, np.int64) if kept.group is None else kept.group
    known = max(1, len(kept.labels))
    check((kept.group is None) == (len(kept.labels) == 0), "Groups need labels", "labels")
    check(((groups >= 0) & (groups < known)).all(), "A group does not exist", "group")
    if kept.rows is None:
        ascend = np.lexsort((kept.scores, groups))
        check((ascend == np.arange(n)).all(), "Scores must ascend in each group", "scores")
    check((kept.spread == "quantiles") == (kept.level is not None), "Quantiles have a level", "level")
    if kept.level is not None:
        try:
            read_level(float(kept.level))
        except ValueError as error:
            check(False, str(error).rstrip("."), "level")


def _audit_means(means: Any, check: At) -> None:
    k = len(means.counts)
    check(k and means.means.shape == (k, len(means.origin)), "Centres and columns do not agree")
    good = isinstance(means.dtype, np.dtype) and means.dtype.str in ("<f4", "<f8")
    check(good, "Centres are float32 or float64")


# --- models of other libraries ---------------------------------------------------------------------------------------


def _audit_answering(answering: Any, check: At) -> None:
    from spinney.io.imported import LINK_NAMES

    check(answering.link in LINK_NAMES, "The link is unknown", "link")
    known = answering.second_from in ("probability", "zero", "above zero")
    check(known, "The rule that predicts the second of two classes is unknown", "second_from")
    check(len(answering.start) > 0, "A model must have at least one output", "start")


# --- random numbers, losses ------------------------------------------------------------------------------------------


def _split_random(random: np.random.RandomState) -> dict[str, Any]:
    state: Any = random.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise TypeError(f"random_state has a generator {state['bit_generator']}, which a model file cannot hold.")
    return {
        "key": state["state"]["key"].copy(),
        "place": int(state["state"]["pos"]),
        "gauss": float(state["gauss"]),
        "has_gauss": bool(state["has_gauss"]),
    }


def _make_random(key: Any, place: int, gauss: float, has_gauss: bool) -> np.random.RandomState:
    if key.shape != (624,):
        raise ValueError("The state of a generator has 624 numbers")
    random = np.random.RandomState(0)
    random.set_state(("MT19937", key, place, int(has_gauss), gauss))
    return random


def _make_bunch(items: dict[str, Any]) -> Bunch:
    return Bunch(**items)


def stored(name: str) -> Check:
    """A record of the store, by name: its class is looked up late, since its module is slow to import."""
    return lambda value, place: is_a(store_records()[name].kind)(value, place)


_COLUMNS = tuple_of(integer(0, 1 << 24))
# records whose fields are those of their class: the module of the class, the fields, and an audit of the whole
_PLAIN: dict[str, tuple[str, Fields, Any]] = {
    "DecisionTree": ("spinney.tree.decision", {"forest": is_a(Forest)}, _audit_tree),
    "Booster": (
        "spinney.ensemble.boosting.booster",
        {"start": array("f8", 1), "forest": is_a(Forest)},
        _audit_booster,
    ),
    "Bags": ("spinney.ensemble.forests.bootstrap", _BAGS, _audit_bags),
    "Subspaces": ("spinney.ensemble.bagging", _SUBSPACES, _audit_subspaces),
    "Draws": ("spinney.ensemble.bagging", {"bags": stored("Bags"), "subspaces": stored("Subspaces")}, None),
    "PooledBags": (
        "spinney.ensemble.forests.bootstrap",
        {
            "first": tuple_of(COUNT),
            "bags": tuple_of(kept_or_none(stored("Bags"))),
            "n_rows": tuple_of(COUNT),
            "seeds": tuple_of(SEED),
        },
        _audit_pool,
    ),
    "LeafTargets": ("spinney.ensemble.forests.quantiles", _TARGETS, _audit_targets),
    "SpreadCurve": (
        "spinney.ensemble.conformal",
        {"prediction": finite_array("f8", 1), "size": finite_array("f8", 1)},
        _audit_curve,
    ),
    "ConformalScores": ("spinney.ensemble.conformal", _CALIBRATION, _audit_calibration),
    "RunningMeans": ("spinney.cluster.minibatch", _MEANS, _audit_means),
    "KMeansStep": ("spinney.cluster.kmeans", {"centers": finite_array("f4 f8", 2), "inertia": number}, None),
    "MixtureStep": ("spinney.cluster.mixture", _MIXTURE, None),
    "Reading": (
        "spinney.tree.formula",
        {"numbered": _COLUMNS, "has_others": boolean, "zero_is_missing": _COLUMNS, "unstored_is_missing": boolean},
        None,
    ),
    "Answering": (
        "spinney.io.imported",
        {"link": text, "scale": finite, "start": finite_array("f4 f8", 1), "averages": boolean, "second_from": text},
        _audit_answering,
    ),
    "Loss": (
        "spinney.criteria.user_loss",
        dict.fromkeys(("gradient", "hessian", "inverse_link", "value", "start"), anything),
        None,
    ),
    "KFold": ("sklearn.model_selection", _FOLDS, None),
    "StratifiedKFold": ("sklearn.model_selection", _FOLDS, None),
}


@cache
def store_records() -> dict[str, Record]:
    """All records but estimators, by name. Made when first needed: some of their modules are slow to import."""
    every = [
        Record("Schema", Schema, {"columns": anything}, _make_schema, Schema.to_dict, anything, is_json=True),
        Record("Bins", Bins, _BINS, make_bins, split_bins, audit_bins),
        Record("Forest", Forest, _FOREST, Forest.from_fields, Forest.to_fields, audit_forest),
        Record("RandomState", np.random.RandomState, _RANDOM, _make_random, _split_random, anything),
        Record("Bunch", Bunch, {"items": dict_of(anything)}, _make_bunch, lambda one: {"items": dict(one)}, anything),
    ]
    for name, (module, fields, audit) in _PLAIN.items():
        every.append(_plain(name, getattr(import_module(module), name), fields, audit))
    return {record.name: record for record in every}


def make(record: Record, found: dict[str, Any], place: str) -> Any:
    """A value from its fields, checked and audited."""
    check_fields(found, record.fields, place)
    try:
        value = record.make(**found)
    except ModelFormatError:
        raise
    except (TypeError, ValueError, KeyError) as error:
        raise ModelFormatError(f"A {record.name} cannot be made: {str(error).rstrip('.')}", place) from None
    record.audit(value, At(place))
    return value
