"""LightGBM's models: a text file, its text or a model object -> `Imported`.

The format is that of `Booster.save_model`, versions v3 and v4. LightGBM compares float64 values with `x <= threshold`
and adds float64 numbers, tree after tree, as we do: raw scores are the same to the last bit.

A column's missing values are of one of three types: none (a missing value is 0), zero (0 is missing, too) and NaN.

Keys, versions and options that are not listed here may change what the others mean: such files are refused.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from spinney.io.checks import ModelFormatError
from spinney.io.imported import (
    NO_CHILD,
    Answering,
    Imported,
    Nodes,
    Sets,
    ascending,
    check_outputs,
    empty_sets,
    make_forest,
    make_schema,
    number_categories,
    read_bytes,
)
from spinney.tree.forest import ends_of
from spinney.tree.formula import Reading

_VERSIONS = ("v3", "v4")
_HEAD_KEYS = {"tree", "version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx", "objective"}
_HEAD_KEYS |= {"average_output", "feature_names", "feature_infos", "monotone_constraints", "tree_sizes"}
_TREE_KEYS = {"num_leaves", "num_cat", "split_feature", "split_gain", "threshold", "decision_type", "left_child"}
_TREE_KEYS |= {"right_child", "leaf_value", "leaf_weight", "leaf_count", "internal_value", "internal_weight"}
_TREE_KEYS |= {"internal_count", "cat_boundaries", "cat_threshold", "is_linear", "shrinkage"}
_TREE_KEYS |= {"leaf_const", "num_features", "leaf_features", "leaf_coeff"}  # of linear trees
_IS_CATEGORY, _DEFAULT_LEFT, _MISSING_TYPE = 1, 2, 12  # bits of decision_type
_NO_TYPE, _ZERO_TYPE, _NAN_TYPE = 0, 4, 8
_ALL_BITS = _IS_CATEGORY | _DEFAULT_LEFT | _MISSING_TYPE
_MOST_ROWS = 1 << 53
_MOST_BITS = 1 << 28  # of all sets, unpacked
_LINKS = {
    "binary": "sigmoid",
    "multiclass": "softmax",
    "softmax": "softmax",
    "multiclassova": "sigmoid each",
    "ova": "sigmoid each",
    "cross_entropy": "sigmoid",
    "xentropy": "sigmoid",
    "cross_entropy_lambda": "log1p exp",
    "xentlambda": "log1p exp",
    "poisson": "exp",
    "gamma": "exp",
    "tweedie": "exp",
    "regression": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "fair": "identity",
    "quantile": "identity",
    "mape": "identity",
    "lambdarank": "identity",
    "rank_xendcg": "identity",
    "custom": "identity",
}
_CLASSES = ("binary", "multiclass", "softmax", "multiclassova", "ova")
_WHAT = "from_lightgbm takes a Booster, a fitted model of lightgbm, the text of a model, or the path of its file"
_GENERIC = re.compile(r"Column_\d+")  # what LightGBM calls columns without names


def read_lightgbm(given: Any) -> Imported:
    """A model of LightGBM."""
    text, classes = _saved(given)
    head, blocks, tail = _cut(text)
    if "tree" not in head or not head.get("version", "").startswith("v"):
        raise ModelFormatError("this is not a LightGBM model: its text begins with 'tree' and 'version=v4'.")
    if head["version"].strip() not in _VERSIONS:
        raise ModelFormatError(
            f"the model has version {head['version'].strip()!r:.40} of LightGBM's format, and this release of Spinney "
            f"reads {' and '.join(_VERSIONS)}. Update Spinney, or save the model with another LightGBM."
        )
    for part, keys in ((head, _HEAD_KEYS), *((block, _TREE_KEYS) for block in blocks)):
        _check_keys(part, keys)
    n_columns, n_outputs = _whole(head, "max_feature_idx") + 1, _whole(head, "num_tree_per_iteration")
    trees = [_Tree(block) for block in blocks]
    check_outputs(n_outputs, len(trees))
    if len(trees) % n_outputs:
        raise ModelFormatError(f"{len(trees)} trees cannot be rounds of {n_outputs}.")
    nodes, sets, column = _join(trees)
    zero = _check_missing_types(trees)
    categories, sets = _categories(tail, head, column, sets, n_columns)
    names = head.get("feature_names", "").split(" ")
    generic = all(_GENERIC.fullmatch(name) for name in names)
    schema = make_schema(None if generic else names, categories, n_columns)
    forest = make_forest(nodes, n_columns, [len(categories.get(j, ())) for j in range(n_columns)], sets)
    answering, objective = _answering(head, n_outputs)
    named = objective.split(" ")[0]
    if named not in _CLASSES:
        classes = None
    elif classes is None:
        classes = np.arange(max(n_outputs, 2))
    by_number = {j for j in categories if j not in _named(tail, head, n_columns)}
    return Imported(
        source=f"LightGBM {head['version']}",
        objective=objective,
        forest=forest,
        schema=schema,
        answering=answering,
        reading=Reading(numbered=tuple(sorted(by_number)), zero_is_missing=zero),
        classes=classes,
        n_outputs=n_outputs,
    )


# --- the text ----------------------------------------------------------------------------------------------------


def _saved(given: Any) -> tuple[str, Any]:
    """(the model as text, the labels of its classes if they are known)."""
    classes = None
    if hasattr(given, "booster_"):
        classes, given = getattr(given, "classes_", None), given.booster_
    if hasattr(given, "model_to_string"):
        return given.model_to_string(), classes
    if isinstance(given, str) and "\n" in given:
        return given, None
    try:
        return read_bytes(given, _WHAT).decode().replace("\r\n", "\n"), None
    except UnicodeDecodeError:
        raise ModelFormatError("this is not a LightGBM model: the file is not text.") from None


def _cut(text: str) -> tuple[dict[str, str], list[dict[str, str]], str]:
    """(the head, each tree, what follows), the first two as the keys of their lines."""
    body, end, tail = text.partition("\nend of trees")
    if not end:
        raise ModelFormatError("this is not a complete LightGBM model: the line 'end of trees' is missing.")
    head, *blocks = re.split(r"^Tree=\d+$", body, flags=re.MULTILINE)
    return _keys(head), [_keys(block) for block in blocks], tail


def _keys(block: str) -> dict[str, str]:
    lines = (line.partition("=") for line in block.splitlines())
    return {key.strip(): value for key, _, value in lines if key}


def _check_keys(part: dict[str, str], known: set[str]) -> None:
    unknown = part.keys() - known
    if unknown:
        raise ModelFormatError(
            f"the text has a line {min(unknown)!r:.60} that this release of Spinney does not know. Update Spinney, or "
            "save the model with an older LightGBM."
        )


def _whole(home: dict[str, str], key: str) -> int:
    text = home.get(key, "").strip()
    if not text.isdecimal() or len(text) > 9:
        raise ModelFormatError(f"{key!r} must be an integer, got {text!r:.40}.")
    return int(text)


class _Tree:
    """The arrays of one tree: questions, then leaves."""

    def __init__(self, block: dict[str, str]) -> None:
        self._block = block
        n_leaves = _whole(block, "num_leaves")
        if n_leaves < 1:
            raise ModelFormatError("a tree has no leaves.")
        if block.get("is_linear", "0").strip() == "1":
            raise ModelFormatError("trees with linear models in their leaves (linear_tree=true) are not supported.")
        n = n_leaves - 1
        self.n_questions = n
        self.feature = self._numbers("split_feature", n, np.int64)
        self.threshold = self._numbers("threshold", n)
        self.kind = self._numbers("decision_type", n, np.int64)
        self.left, self.right = self._children("left_child"), self._children("right_child")
        self.value = np.concatenate([self._numbers("internal_value", n), self._numbers("leaf_value", n_leaves)])
        self.gain = self._numbers("split_gain", n)
        self.count, self.weight = self._of_nodes("count", n_leaves), self._of_nodes("weight", n_leaves)
        if (self.kind & ~_ALL_BITS).any():
            raise ModelFormatError("'decision_type' has unknown bits.")
        self.is_set = (self.kind & _IS_CATEGORY) != 0
        if self.is_set.any():
            self.bounds = self._numbers("cat_boundaries", None, np.int64)
            self.words = self._numbers("cat_threshold", None, np.int64)
            self._check_sets()

    def _check_sets(self) -> None:
        own, bounds = self.threshold[self.is_set], self.bounds
        whole = np.isfinite(own).all() and bool((own == np.floor(own)).all())
        if not whole or own.min() < 0 or own.max() >= len(bounds) - 1:
            raise ModelFormatError("a split on categories has no set.")
        if bounds[0] != 0 or (bounds[1:] < bounds[:-1]).any() or bounds[-1] != len(self.words):
            raise ModelFormatError("the sets of categories are not contiguous.")
        if len(self.words) and not 0 <= self.words.min() <= self.words.max() < 1 << 32:
            raise ModelFormatError("'cat_threshold' must be numbers of 32 bits.")

    def _children(self, key: str) -> np.ndarray:
        """Numbers within the tree: questions first, then leaves, which are negative in the file."""
        child = self._numbers(key, self.n_questions, np.int64)
        return np.where(child < 0, self.n_questions - 1 - child, child)

    def _of_nodes(self, key: str, n_leaves: int) -> np.ndarray:
        """What is known of questions and leaves; 0 where nothing is."""
        parts = [(f"internal_{key}", self.n_questions), (f"leaf_{key}", n_leaves)]
        return np.concatenate([self._numbers(name, n) if self._block.get(name) else np.zeros(n) for name, n in parts])

    def _numbers(self, key: str, n: int | None, dtype: Any = np.float64) -> np.ndarray:
        words = self._block.get(key, "").split()
        try:
            with np.errstate(over="ignore"):
                values = np.array(words, dtype)
        except (ValueError, OverflowError):
            raise ModelFormatError(f"{key!r} must be a list of numbers, got {' '.join(words)!r:.60}.") from None
        if n is not None and len(values) != n:
            raise ModelFormatError(f"{key!r} must be a list of {n} numbers, got {len(values)}.")
        return values

    def members(self) -> tuple[np.ndarray, np.ndarray]:
        """(number of a set among those of the tree's questions, in their order; category) of all that go left."""
        own = self.threshold[self.is_set].astype(np.int64)
        if 32 * int(np.diff(self.bounds)[own].sum()) > _MOST_BITS:
            raise ModelFormatError("the sets of categories are too large to be read.")
        sets, members = [], []
        for k, at in enumerate(own.tolist()):
            words = self.words[self.bounds[at] : self.bounds[at + 1]].astype("<u4")
            found = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
            sets.append(np.full(len(found), k))
            members.append(found)
        return np.concatenate(sets), np.concatenate(members)


# --- trees -------------------------------------------------------------------------------------------------------


def _join(trees: list[_Tree]) -> tuple[Nodes, Sets, np.ndarray]:
    """All nodes; the sets, numbered through all trees; the column of each set."""
    n_nodes = np.array([2 * tree.n_questions + 1 for tree in trees], np.int64)
    first = ends_of(n_nodes)
    n_sets = ends_of(np.array([tree.is_set.sum() for tree in trees], np.int64))
    whole: dict[str, np.ndarray] = {
        "left": np.full(first[-1], NO_CHILD, np.int64),
        "right": np.full(first[-1], NO_CHILD, np.int64),
        "feature": np.zeros(first[-1], np.int64),
        "threshold": np.zeros(first[-1]),
        "missing_left": np.zeros(first[-1], bool),
        "gain": np.zeros(first[-1]),
        "set_of": np.full(first[-1], -1, np.int64),
    }
    sets, columns = [empty_sets()], [np.empty(0, np.int64)]
    for start, tree, own in zip(first.tolist(), trees, n_sets.tolist()):
        asks = slice(start, start + tree.n_questions)
        whole["left"][asks], whole["right"][asks] = tree.left + start, tree.right + start
        whole["feature"][asks], whole["threshold"][asks] = tree.feature, tree.threshold
        whole["gain"][asks], whole["missing_left"][asks] = tree.gain, _missing_left(tree)
        if tree.is_set.any():
            whole["set_of"][asks][tree.is_set] = own + np.arange(tree.is_set.sum())
            which, member = tree.members()
            sets.append(Sets(own + which, member))
            columns.append(tree.feature[tree.is_set])
    said = {name: np.concatenate([getattr(tree, name) for tree in trees] or [np.empty(0)]) for name in _SAID}
    nodes = Nodes(
        first=first,
        answers=said["value"][:, None, None],
        n_samples=np.nan_to_num(said["count"]).clip(0, _MOST_ROWS).astype(np.int64),
        weight=said["weight"],
        **whole,
    )
    both = Sets(np.concatenate([one.set for one in sets]), np.concatenate([one.member for one in sets]))
    return nodes, both, np.concatenate(columns)


_SAID = ("value", "count", "weight")


def _missing_left(tree: _Tree) -> np.ndarray:
    """Where missing values go: where they are told to, or where 0 goes; right of a set."""
    told = (tree.kind & _DEFAULT_LEFT) != 0
    zero_left = tree.threshold >= 0.0
    return np.where(tree.is_set, False, np.where((tree.kind & _MISSING_TYPE) == _NO_TYPE, zero_left, told))


def _check_missing_types(trees: list[_Tree]) -> tuple[int, ...]:
    """The columns in which 0 is missing. They must agree on that in all trees."""
    found: dict[int, set[bool]] = {}
    for tree in trees:
        number = ~tree.is_set
        types = tree.kind[number] & _MISSING_TYPE
        if not np.isin(types, (_NO_TYPE, _ZERO_TYPE, _NAN_TYPE)).all():
            raise ModelFormatError("'decision_type' names a type of missing values that does not exist.")
        for j, is_zero in set(zip(tree.feature[number].tolist(), (types == _ZERO_TYPE).tolist())):
            found.setdefault(j, set()).add(is_zero)
    mixed = [j for j, kinds in found.items() if len(kinds) > 1]
    if mixed:
        raise ModelFormatError(
            f"trees disagree on whether 0 is missing in column {min(mixed)}, which is not supported."
        )
    return tuple(sorted(j for j, kinds in found.items() if True in kinds))


# --- columns -----------------------------------------------------------------------------------------------------


def _categories(
    tail: str, head: dict[str, str], column: np.ndarray, sets: Sets, n_columns: int
) -> tuple[dict[int, tuple], Sets]:
    """(categories by column, the sets by place among these)."""
    if len(column) and not 0 <= column.min() <= column.max() < n_columns:
        raise ModelFormatError(f"a split is on column {column.max()}, but there are {n_columns} columns.")
    named = _named(tail, head, n_columns)
    of_member = column[sets.set]
    categories, numbered = number_categories(column, sets, has_others=False)
    member = numbered.member
    for j, values in named.items():
        categories[j], place = ascending(values)
        own = of_member == j
        if own.any() and sets.member[own].max() >= len(values):
            raise ModelFormatError(f"a set names category {sets.member[own].max()} of column {j}, of {len(values)}.")
        member[own] = place[sets.member[own]]
    return categories, Sets(sets.set, member)


def _named(tail: str, head: dict[str, str], n_columns: int) -> dict[int, list]:
    """The categories of columns that a pandas table had as such, by column. The file has their values, in order, and
    says elsewhere which columns are categories."""
    found = re.search(r"^pandas_categorical:(.*)$", tail, re.MULTILINE)
    try:
        lists = json.loads(found[1]) if found else None
    except (ValueError, RecursionError):
        lists = False
    if not lists and lists is not False:
        return {}
    if not isinstance(lists, list) or not all(isinstance(one, list) for one in lists):
        raise ModelFormatError("'pandas_categorical' must be a list of lists of categories.")
    columns = _category_columns(tail, head, n_columns)
    if len(columns) != len(lists):
        raise ModelFormatError(
            f"the categories of {len(lists)} columns of a pandas table are known, but {len(columns)} columns are "
            "categories, and the file does not say which is which. Fit the model on a table in which all of them have "
            "pandas' category dtype."
        )
    for values in lists:
        kinds = {str if isinstance(value, str) else type(value) for value in values}
        is_clear = kinds <= {str} or kinds <= {int, float, bool}
        if not is_clear or len(set(values)) < len(values):
            raise ModelFormatError(f"a column's categories must differ and be all strings or numbers: {values!r:.80}.")
    return dict(zip(columns, lists))


def _category_columns(tail: str, head: dict[str, str], n_columns: int) -> list[int]:
    """By the parameters, or else by the values that columns had in training."""
    told = re.search(r"^\[categorical_feature: ([\d,]*)\]$", tail, re.MULTILINE)
    if told and told[1]:
        columns = sorted({int(word) for word in told[1].split(",") if word and len(word) < 10})
        return [j for j in columns if j < n_columns]
    infos = head.get("feature_infos", "").split(" ")
    return [j for j, info in enumerate(infos[:n_columns]) if info and not info.startswith(("[", "none"))]


# --- predictions -------------------------------------------------------------------------------------------------


def _answering(head: dict[str, str], n_outputs: int) -> tuple[Answering, str]:
    objective = head.get("objective", "custom").strip()
    name, *options = objective.split(" ")
    if name not in _LINKS:
        raise ModelFormatError(f"the objective {name!r:.60} is not supported. Supported: {', '.join(sorted(_LINKS))}.")
    if (name in ("multiclass", "softmax", "multiclassova", "ova")) != (n_outputs > 1) and name != "custom":
        raise ModelFormatError(f"the objective {name!r} cannot have {n_outputs} trees per round.")
    link, scale = _LINKS[name], 1.0
    for option in options:
        key, _, value = option.partition(":")
        if key == "sigmoid":
            try:
                scale = float(value)
            except ValueError:
                raise ModelFormatError(f"the parameter sigmoid must be a number, got {value!r:.40}.") from None
        elif option == "sqrt":
            link = "signed square"
        elif key != "num_class":
            raise ModelFormatError(f"the option {option!r:.60} of the objective {name!r} is not known.")
    averages = "average_output" in head
    return Answering(link=link, scale=scale, start=np.zeros(n_outputs), averages=averages), objective
