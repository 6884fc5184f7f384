"""XGBoost's models: a file, bytes or a model object -> `Imported`.

The format is that of `Booster.save_model("....ubj")` or `"....json"`, of XGBoost 1.7 to 3.4. XGBoost rounds values to
float32, sends `x < threshold` left and adds float32 to float32, tree after tree: thresholds are turned into those for
float64 that decide alike, and raw scores are the same to the last bit.

A field that is not listed in `_KNOWN`, and a version that is newer than `_NEWEST`, may change what the others mean:
such files are refused.
"""

from __future__ import annotations

import json
import struct
from typing import Any, NoReturn

import numpy as np
from scipy.special import xlogy

from spinney.io.checks import ModelFormatError
from spinney.io.imported import (
    NO_CHILD,
    Answering,
    Imported,
    Nodes,
    Sets,
    ascending,
    check_category,
    check_outputs,
    last_left,
    make_forest,
    make_schema,
    number_categories,
    read_bytes,
    with_means,
)
from spinney.tree.forest import ends_of
from spinney.tree.formula import Reading

MOST_DEEP = 64  # containers within containers
_CONSTANTS = {b"Z": None, b"T": True, b"F": False}
_WHOLE = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q"}
_NUMBERS = {**_WHOLE, b"d": ">f", b"D": ">d"}
_ARRAYS = {b"i": "i1", b"U": "u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4", b"D": ">f8"}
_NOTHING = b"N"


def read_ubjson(data: bytes) -> Any:
    """The one value that the bytes are.

    >>> read_ubjson(b"{i\\x01a[$U#i\\x03\\x01\\x02\\x03}")
    {'a': array([1, 2, 3], dtype=uint8)}
    """
    reader = _Reader(data)
    value = reader.value(reader.marker(), 0)
    if reader.at != len(data):
        reader.refuse(f"{len(data) - reader.at} bytes follow its end")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def refuse(self, why: str) -> NoReturn:
        raise ModelFormatError(
            f"this is not a complete UBJSON file: {why} (at byte {self.at:,} of {len(self.data):,})."
        )

    def take(self, n: int) -> bytes:
        if n > len(self.data) - self.at:
            self.refuse(f"{n:,} bytes are announced and {len(self.data) - self.at:,} left")
        self.at += n
        return self.data[self.at - n : self.at]

    def marker(self) -> bytes:
        """The next letter that is not a no-op."""
        letter = self.take(1)
        while letter == _NOTHING:
            letter = self.take(1)
        return letter

    def peek(self) -> bytes:
        return self.data[self.at : self.at + 1]

    def length(self) -> int:
        """A size, and never more than the bytes that are left."""
        kind = self.take(1)
        if kind not in _WHOLE:
            self.refuse(f"a size cannot begin with {kind!r}")
        size = self.number(kind)
        if not 0 <= size <= len(self.data) - self.at:
            self.refuse(f"a size of {size:,} is announced and {len(self.data) - self.at:,} bytes are left")
        return int(size)

    def number(self, kind: bytes) -> Any:
        form = _NUMBERS[kind]
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self) -> str:
        try:
            return self.take(self.length()).decode()
        except UnicodeDecodeError:
            self.refuse("a string is not UTF-8")

    def value(self, kind: bytes, depth: int) -> Any:
        if depth > MOST_DEEP:
            self.refuse(f"more than {MOST_DEEP} containers lie within each other")
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        if kind in _NUMBERS:
            return self.number(kind)
        if kind in (b"S", b"H"):
            return self.text()
        if kind == b"C":
            return chr(self.take(1)[0])
        if kind == b"[":
            return self.array(depth + 1)
        if kind == b"{":
            return self.mapping(depth + 1)
        self.refuse(f"no value begins with {kind!r}")

    def head(self) -> tuple[bytes | None, int | None]:
        """(type of all elements, how many they are), where a container says so."""
        kind = None
        if self.peek() == b"$":
            self.take(1)
            kind = self.take(1)
            if kind not in _NUMBERS:
                self.refuse(f"elements of the common type {kind!r} are not read")
            if self.peek() != b"#":
                self.refuse("a common type without a number of elements")
        if self.peek() != b"#":
            return kind, None
        self.take(1)
        return kind, self.length()

    def array(self, depth: int) -> Any:
        kind, n = self.head()
        if kind is not None and n is not None:
            form = np.dtype(_ARRAYS[kind])
            return np.frombuffer(self.take(n * form.itemsize), form).astype(form.newbyteorder("="))
        found: list[Any] = []
        while n is None or len(found) < n:
            letter = self.marker()
            if n is None and letter == b"]":
                break
            found.append(self.value(letter, depth))
        return found

    def mapping(self, depth: int) -> dict[str, Any]:
        kind, n = self.head()
        found: dict[str, Any] = {}
        count = 0
        while n is None or count < n:
            while self.peek() == _NOTHING:
                self.take(1)
            if n is None and self.peek() == b"}":
                self.take(1)
                break
            key = self.text()
            found[key] = self.value(self.marker() if kind is None else kind, depth)
            count += 1
        return found


# --- from a model to the store ----------------------------------------------------------------------------------------


# objective: (link from raw scores to predictions, the inverse that makes a raw score of base_score)
_LINKS = {
    "binary:logistic": ("sigmoid", "logit"),
    "binary:logitraw": ("sigmoid", ""),
    "binary:hinge": ("hinge", ""),
    "reg:logistic": ("sigmoid", "logit"),
    "reg:squarederror": ("identity", ""),
    "reg:linear": ("identity", ""),
    "reg:squaredlogerror": ("identity", ""),
    "reg:pseudohubererror": ("identity", ""),
    "reg:absoluteerror": ("identity", ""),
    "reg:quantileerror": ("identity", ""),
    "reg:gamma": ("exp", "log"),
    "reg:tweedie": ("exp", "log"),
    "count:poisson": ("exp", "log"),
    "survival:cox": ("exp", "log"),
    "survival:aft": ("exp", "log"),
    "multi:softmax": ("softmax", ""),
    "multi:softprob": ("softmax", ""),
    "rank:pairwise": ("identity", ""),
    "rank:ndcg": ("identity", ""),
    "rank:map": ("identity", ""),
}
_TWO_CLASSES = ("binary:logistic", "binary:logitraw", "binary:hinge")
_WHAT = "from_xgboost takes a Booster, a fitted model of xgboost, bytes, or the path of a .ubj or .json file"
_NEWEST = (3, 4)
_KNOWN = {
    "file": {"learner", "version"},
    "learner": {"attributes", "feature_names", "feature_types", "gradient_booster", "learner_model_param", "objective"},
    "gradient_booster": {"gbtree", "model", "name", "weight_drop"},
    "model": {"cats", "gbtree_model_param", "iteration_indptr", "tree_info", "trees", "weight_drop"},
    "cats": {"enc", "feature_segments", "sorted_idx"},
    "gbtree_model_param": {"num_parallel_tree", "num_trees", "size_leaf_vector"},
    "learner_model_param": {"base_score", "boost_from_average", "num_class", "num_feature", "num_target"},
    "tree": {"base_weights", "default_left", "id", "leaf_weights", "left_children", "loss_changes", "parents"}
    | {"right_children", "split_conditions", "split_indices", "split_type", "sum_hessian", "tree_param"}
    | {"categories", "categories_nodes", "categories_segments", "categories_sizes"},
    "tree_param": {"num_deleted", "num_feature", "num_nodes", "size_leaf_vector"},
    "objective": {"name", "reg_loss_param", "aft_loss_param", "lambdarank_param", "lambda_rank_param"}
    | {"poisson_regression_param", "pseudo_huber_param", "quantile_loss_param", "softmax_multiclass_param"}
    | {"tweedie_regression_param"},
}
_SPACE = b' \t\r\n"}'  # what can follow a first brace in JSON


def read_xgboost(given: Any, n_rounds: int | None = None) -> Imported:
    """A model of XGBoost; `n_rounds`: only its first rounds."""
    data, best = _saved(given)
    whole = _parse(data)
    learner = _mapping(whole, "learner")
    version = _version(whole)
    booster = _mapping(learner, "gradient_booster")
    name = _get(booster, "name", str)
    if name not in ("gbtree", "dart"):
        raise ModelFormatError(f"this model has XGBoost's booster {name!r}; only boosters of trees are supported.")
    model = _mapping(_mapping(booster, "gbtree") if "gbtree" in booster else booster, "model")
    _check_known(whole, learner, booster, model, version)
    shape = _mapping(learner, "learner_model_param")
    n_columns, n_groups = _whole(shape, "num_feature"), max(_whole(shape, "num_class"), _targets(shape), 1)
    trees = _get(model, "trees", list)
    groups = _numbers(model, "tree_info", len(trees), np.int64)
    factors = _factors(booster, model, name, len(trees))
    for tree in trees:
        _check_fields(_dict(tree), "tree", version)
        _check_fields(_mapping(tree, "tree_param"), "tree_param", version)
        if _whole(_mapping(_dict(tree), "tree_param"), "size_leaf_vector") > 1:
            raise ModelFormatError(
                "trees with a vector in each leaf (multi_strategy='multi_output_tree') are not supported; "
                "'one_output_per_tree' is."
            )
    keep = _order(groups, n_groups, model, best if n_rounds is None else n_rounds)
    nodes, sets = _read_trees([trees[k] for k in keep], None if factors is None else factors[keep])
    categories, numbered, sets, nodes = _categories(model, nodes, sets, n_columns)
    names = _get(learner, "feature_names", list, [])
    schema = make_schema([str(one) for one in names] or None, categories, n_columns)
    n_categories = [len(categories.get(j, ())) for j in range(n_columns)]
    forest = with_means(make_forest(nodes, n_columns, n_categories, sets))
    objective = _get(_mapping(learner, "objective"), "name", str)
    answering, n_classes = _answering(objective, shape, n_groups)
    return Imported(
        source=f"XGBoost {version}".strip(),
        objective=objective,
        forest=forest,
        schema=schema,
        answering=answering,
        reading=Reading(numbered=numbered, has_others=True, unstored_is_missing=True),
        classes=np.arange(n_classes) if n_classes else None,
        n_outputs=n_groups,
    )


# --- the file ----------------------------------------------------------------------------------------------------


def _saved(given: Any) -> tuple[bytes, int | None]:
    """(the model as bytes, how many rounds its own `predict` uses: None for all)."""
    best = None
    if hasattr(given, "get_booster"):
        own, given = given, given.get_booster()
        if getattr(own, "early_stopping_rounds", None) is not None or given.attr("best_iteration") is not None:
            best = int(given.best_iteration) + 1
    if hasattr(given, "save_raw"):
        return bytes(given.save_raw("ubj")), best
    return read_bytes(given, _WHAT), None


def _parse(data: bytes) -> dict[str, Any]:
    if not data.startswith(b"{"):
        raise ModelFormatError(
            "this is not an XGBoost model in UBJSON or JSON, which begin with a brace. Files in the old binary format "
            "can be loaded with xgboost below 3.1 and saved again as .ubj."
        )
    if data[1:2] not in [_SPACE[k : k + 1] for k in range(len(_SPACE))]:
        return _dict(read_ubjson(data))
    try:
        return _dict(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise ModelFormatError(f"this is not a complete JSON file: {error}.") from error


def _version(whole: dict[str, Any]) -> str:
    """The release that wrote the file, "" if the file does not say."""
    found = _get(whole, "version", list, [])
    if found and not all(type(one) is int for one in found):
        raise ModelFormatError(f"'version' must be a list of integers, got {found!r:.60}.")
    version = ".".join(map(str, found))
    if tuple(found[:2]) > _NEWEST:
        raise ModelFormatError(
            f"the model was saved by XGBoost {version}, and this release of Spinney reads files of XGBoost up to "
            f"{'.'.join(map(str, _NEWEST))}. Update Spinney, or save the model with an older XGBoost."
        )
    return version


def _check_known(
    whole: dict[str, Any], learner: dict[str, Any], booster: dict[str, Any], model: dict[str, Any], version: str
) -> None:
    """Raise if there is a field that this release does not know."""
    parts = {"file": whole, "learner": learner, "gradient_booster": booster, "model": model}
    for name in ("learner_model_param", "objective"):
        parts[name] = _mapping(learner, name)
    for name in ("gbtree_model_param", "cats"):
        parts[name] = _get(model, name, dict, {})
    for name, part in parts.items():
        _check_fields(part, name, version)


def _check_fields(part: dict[str, Any], name: str, version: str) -> None:
    unknown = part.keys() - _KNOWN[name]
    if unknown:
        raise ModelFormatError(
            f"the file{f' of XGBoost {version}' * bool(version)} has a field {min(unknown)!r:.60} in {name!r}, which "
            "this release of Spinney does not know. Update Spinney, or save the model with an older XGBoost."
        )


def _factors(booster: dict[str, Any], model: dict[str, Any], name: str, n_trees: int) -> np.ndarray | None:
    """What DART multiplies each tree by, None if there is no dropout. XGBoost 3.4 keeps it with the trees."""
    homes = [one for one in (booster, model) if "weight_drop" in one]
    if not homes and name == "dart" and n_trees:
        raise ModelFormatError("this is a model of the booster 'dart', and 'weight_drop' is missing.")
    if len(homes) > 1:
        raise ModelFormatError("the file has 'weight_drop' twice.")
    return _numbers(homes[0], "weight_drop", n_trees, np.float32) if homes else None


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelFormatError("this is not an XGBoost model: there is no object in the file.")
    return value


def _get(home: dict[str, Any], key: str, kind: Any, default: Any = None) -> Any:
    value = home.get(key, default)
    if kind is list and isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, kind):
        raise ModelFormatError(f"this is not an XGBoost model: {key!r} is missing or has the wrong type.")
    return value


def _mapping(home: dict[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = _get(home, key, dict)
    return found


def _whole(home: dict[str, Any], key: str) -> int:
    """A whole number that is written as a string."""
    text = _get(home, key, str)
    if not text.isdecimal() or len(text) > 9:
        raise ModelFormatError(f"{key!r} must be an integer, got {text!r:.40}.")
    return int(text)


def _targets(shape: dict[str, Any]) -> int:
    return _whole(shape, "num_target") if "num_target" in shape else 1


def _numbers(home: dict[str, Any], key: str, n: int | None, dtype: Any) -> np.ndarray:
    """A list of numbers."""
    given = home.get(key)
    if not isinstance(given, (list, np.ndarray)):
        raise ModelFormatError(f"this is not an XGBoost model: {key!r} is missing or has the wrong type.")
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.array(given)
            if values.size and values.dtype.kind not in "biuf":
                raise ValueError
            values = values if dtype is None else values.astype(dtype)
    except (ValueError, OverflowError):
        raise ModelFormatError(f"{key!r} must be a list of numbers.") from None
    if values.ndim != 1:
        raise ModelFormatError(f"{key!r} must be a list of numbers, got a list of lists.")
    if n is not None and len(values) != n:
        raise ModelFormatError(f"{key!r} must be a list of {n} numbers, got {len(values)}.")
    return values


# --- trees -------------------------------------------------------------------------------------------------------


def _order(groups: np.ndarray, n_groups: int, model: dict[str, Any], n_rounds: int | None) -> np.ndarray:
    """Trees of the first rounds such that tree t adds to output t % n_groups; each output's keep their order."""
    check_outputs(n_groups, len(groups))
    if len(groups) and not 0 <= groups.min() <= groups.max() < n_groups:
        raise ModelFormatError(f"'tree_info' names output {groups.max()}, but there are {n_groups}.")
    if n_rounds is not None:
        if n_rounds < 1:
            raise ValueError(f"n_rounds must be a positive integer or None, got {n_rounds!r}.")
        param = _mapping(model, "gbtree_model_param")
        parallel = _whole(param, "num_parallel_tree") if "num_parallel_tree" in param else 1
        groups = groups[: n_rounds * n_groups * max(parallel, 1)]
    each = np.bincount(groups, minlength=n_groups)
    if each.min() < each.max():
        raise ModelFormatError(f"outputs have different numbers of trees: {each.tolist()!r:.200}.")
    return np.argsort(groups, kind="stable").reshape(n_groups, -1).T.ravel()


def _read_trees(trees: list[Any], factors: np.ndarray | None) -> tuple[Nodes, Sets]:
    """All nodes; children are numbered through all trees, and sets, of what goes right, through all questions."""
    parts: dict[str, list[np.ndarray]] = {key: [] for key in (*_FIELDS, "set", "member")}
    start, n_sets = [0], 0
    for k, tree in enumerate(trees):
        found, n_sets = _read_tree(tree, start[-1], n_sets, 1.0 if factors is None else factors[k])
        for key, values in found.items():
            parts[key].append(values)
        start.append(start[-1] + len(found["left"]))
    whole = {
        key: np.concatenate(some) if some else np.empty(0, _FIELDS.get(key, np.int64)) for key, some in parts.items()
    }
    sets = Sets(whole.pop("set"), whole.pop("member"))
    check_category(sets.member)
    weight, answers = whole["weight"], whole.pop("answers")
    nodes = Nodes(first=np.array(start), answers=answers[:, None, None], n_samples=np.zeros(len(weight)), **whole)
    return nodes, sets


_FIELDS = {
    "left": np.int64,
    "right": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "missing_left": np.bool_,
    "answers": np.float32,
    "weight": np.float64,
    "gain": np.float64,
    "set_of": np.int64,
}


def _read_tree(tree: dict[str, Any], start: int, n_sets: int, factor: Any) -> tuple[dict[str, np.ndarray], int]:
    left = _numbers(tree, "left_children", None, np.int64)
    n = len(left)
    right = _numbers(tree, "right_children", n, np.int64)
    says = _numbers(tree, "split_conditions", n, np.float32)
    is_leaf = left == NO_CHILD
    set_of = np.full(n, -1, np.int64)
    member, lengths = np.empty(0, np.int64), np.empty(0, np.int64)
    if "categories_nodes" in tree:
        member, lengths, nodes = _sets(tree, n)
        set_of[nodes] = n_sets + np.arange(len(nodes))
    kind = _numbers(tree, "split_type", n, np.int64) if "split_type" in tree else np.zeros(n, np.int64)
    if ((kind == 1) & ~is_leaf & (set_of < 0)).any():
        raise ModelFormatError("a split on categories has no set.")
    with np.errstate(over="ignore", invalid="ignore"):
        threshold = last_left(np.nextafter(says, np.float32(-np.inf)))
        answers = np.where(is_leaf, says, np.float32(0.0)) * np.float32(factor)
    found = {
        "left": np.where(is_leaf, NO_CHILD, left + start),
        "right": np.where(is_leaf, NO_CHILD, right + start),
        "feature": _numbers(tree, "split_indices", n, np.int64),
        "threshold": threshold,
        "missing_left": _numbers(tree, "default_left", n, np.int64) != 0,
        "answers": answers,
        "weight": _numbers(tree, "sum_hessian", n, np.float64),
        "gain": _numbers(tree, "loss_changes", n, np.float64),
        "set_of": set_of,
        "set": np.repeat(n_sets + np.arange(len(lengths)), lengths),
        "member": member,
    }
    return found, n_sets + len(lengths)


def _sets(tree: dict[str, Any], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(members of all sets end to end, how many each has, whose they are)."""
    nodes = _numbers(tree, "categories_nodes", None, np.int64)
    begin = _numbers(tree, "categories_segments", len(nodes), np.int64)
    lengths = _numbers(tree, "categories_sizes", len(nodes), np.int64)
    member = _numbers(tree, "categories", None, np.int64)
    if len(nodes) and not 0 <= nodes.min() <= nodes.max() < n:
        raise ModelFormatError("a set of categories belongs to a node that does not exist.")
    if len(np.unique(nodes)) < len(nodes):
        raise ModelFormatError("a node has two sets of categories.")
    if (lengths < 0).any() or not np.array_equal(ends_of(lengths)[:-1], begin) or lengths.sum() != len(member):
        raise ModelFormatError("the sets of categories are not contiguous.")
    return member, lengths, nodes


# --- columns -----------------------------------------------------------------------------------------------------


def _categories(
    model: dict[str, Any], nodes: Nodes, sets: Sets, n_columns: int
) -> tuple[dict[int, tuple], tuple[int, ...], Sets, Nodes]:
    """(categories by column, columns that know them by number only, the sets of what goes left, the nodes)."""
    assert nodes.set_of is not None
    asks = nodes.set_of >= 0
    column = np.zeros(int(asks.sum()), np.int64)
    column[nodes.set_of[asks]] = nodes.feature[asks]
    named = _named_categories(model, n_columns)
    by_name = np.isin(column, list(named))
    in_named = by_name[sets.set]
    numbered, own = number_categories(column[~by_name], _renumber(sets, ~by_name), has_others=True)
    member = sets.member.copy()
    member[~in_named] = own.member
    categories = dict(numbered)
    for j, values in named.items():
        categories[j], place = ascending(values)
        mine = in_named & (column[sets.set] == j)
        if len(member[mine]) and member[mine].max() >= len(values):
            raise ModelFormatError(f"a set names category {member[mine].max()} of column {j}, which has {len(values)}.")
        member[mine] = place[member[mine]]
    lengths = np.array([len(categories[int(j)]) for j in column], np.int64)
    if lengths.sum() > 1 << 28:
        raise ModelFormatError("there are too many sets of categories: they would not fit into memory.")
    left = np.ones(int(lengths.sum()), bool)  # whatever is not named goes left
    left[ends_of(lengths)[sets.set] + member] = False
    which = np.repeat(np.arange(len(column)), lengths)
    place = np.arange(len(left)) - np.repeat(ends_of(lengths)[:-1], lengths)
    return categories, tuple(sorted(numbered)), Sets(which[left], place[left]), nodes


def _renumber(sets: Sets, kept: np.ndarray) -> Sets:
    """Only these sets, numbered from 0."""
    some = kept[sets.set]
    return Sets((np.cumsum(kept) - 1)[sets.set[some]], sets.member[some])


def _named_categories(model: dict[str, Any], n_columns: int) -> dict[int, list]:
    """Columns whose categories the file names (XGBoost 3.1 and later): strings or numbers by code."""
    found: dict[int, list] = {}
    coded = _get(_get(model, "cats", dict, {}), "enc", list, [])
    if len(coded) > n_columns:
        raise ModelFormatError(f"{len(coded)} columns have categories, but there are {n_columns} columns.")
    for j, one in enumerate(coded):
        one = _dict(one)
        values: list[Any]
        if "offsets" in one:
            ends = _numbers(one, "offsets", None, np.int64)
            letters = _numbers(one, "values", None, np.int64).astype(np.uint8).tobytes()
            if len(ends) and ((ends[1:] < ends[:-1]).any() or ends[0] != 0 or ends[-1] != len(letters)):
                raise ModelFormatError(f"the names of the categories of column {j} are not contiguous.")
            try:
                values = [letters[a:b].decode() for a, b in zip(ends[:-1].tolist(), ends[1:].tolist())]
            except UnicodeDecodeError:
                raise ModelFormatError(f"a category of column {j} is not UTF-8.") from None
        else:
            numbers = _numbers(one, "values", None, None)
            values = numbers.tolist()
        if len(set(values)) < len(values):
            raise ModelFormatError(f"column {j} has a category twice.")
        if values:
            found[j] = values
    return found


# --- predictions -------------------------------------------------------------------------------------------------


def _answering(objective: str, shape: dict[str, Any], n_groups: int) -> tuple[Answering, int]:
    """(from scores to predictions, number of classes or 0)."""
    if objective not in _LINKS:
        known = ", ".join(sorted(_LINKS))
        raise ModelFormatError(f"the objective {objective!r:.60} is not supported. Supported: {known}.")
    link, inverse = _LINKS[objective]
    text = _get(shape, "base_score", str)
    try:
        given = np.array([float(one) for one in text.strip("[]").split(",")])
    except ValueError:
        raise ModelFormatError(f"'base_score' must be a number or a list of them, got {text!r:.60}.") from None
    if len(given) not in (1, n_groups):
        raise ModelFormatError(f"'base_score' has {len(given)} numbers, but there are {n_groups} outputs.")
    start = np.array([_margin(one, inverse) for one in given.astype(np.float32)], np.float32)
    n_classes = 2 if objective in _TWO_CLASSES and n_groups == 1 else n_groups if link == "softmax" else 0
    return Answering(link=link, start=np.broadcast_to(start, n_groups).copy()), n_classes


def _margin(score: Any, inverse: str) -> Any:
    """The raw score whose prediction is this float32; by the logarithm of the C library, as XGBoost finds it."""
    one = np.float32(1.0)
    if inverse == "logit":
        if not 0.0 < score < 1.0:
            raise ModelFormatError(f"'base_score' must lie between 0 and 1, got {score}.")
        return -xlogy(one, one / score - one)
    if inverse == "log":
        if not score > 0.0:
            raise ModelFormatError(f"'base_score' must be positive, got {score}.")
        return xlogy(one, score)
    if not np.isfinite(score):
        raise ModelFormatError(f"'base_score' must be a number, got {score}.")
    return score
