"""Parameters of the estimators: kept by constructors, checked by fits, documented once, translated for the engines.

A constructor is an explicit signature, which scikit-learn reads, and one call of `keep_parameters`. What a parameter
may be and what it means stands in a table, `Parameter` by name; `described` makes a class's `_parameter_constraints`
and the text of its docstring from the tables and the signature. In here are the tables of trees and forests, and what
every family needs; the others stand with their families. Below the tables, what the user wrote (names or numbers of
columns, shares, "sqrt", a random state) becomes numbers and arrays as the engines take them.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations
from numbers import Integral, Real
from textwrap import dedent
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions, validate_parameter_constraints

from spinney._docstrings import Parameter as Parameter
from spinney._docstrings import entry, with_section
from spinney.data.schema import Schema
from spinney.data.weights import share_of_rows
from spinney.grow import NO_LIMIT

if TYPE_CHECKING:
    from spinney.data.target import Target
    from spinney.grow.rules import TreeSettings

Kind = TypeVar("Kind", bound=Any)
_COLUMNS_OF_FIT = """n_features_in_ : int
    The number of columns of X.
feature_names_in_ : ndarray of shape (n_features,)
    The column names of X, if it has any."""


def keep_parameters(estimator: Any, arguments: Mapping[str, Any]) -> None:
    """Set the arguments of a constructor, its `locals()`, as attributes; nothing else, as scikit-learn asks."""
    for name, value in arguments.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def check_parameters(estimator: Any) -> None:
    """Run scikit-learn's check on the parameters that are not at their defaults."""
    kind: Any = type(estimator)
    defaults = defaults_of(kind)
    changed = {name: value for name in defaults if (value := getattr(estimator, name)) is not defaults[name]}
    if changed:
        name = type(estimator).__name__
        validate_parameter_constraints(estimator._parameter_constraints, changed, caller_name=name)


@cache
def defaults_of(kind: Any) -> dict[str, Any]:
    """The parameters of a class and their defaults."""
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {one.name: one.default for one in parameters}


@lru_cache(maxsize=1024)
def keywords_of(function: Callable[..., Any]) -> frozenset[str] | None:
    """The keywords that a function or method takes; None: any."""
    parameters = inspect.signature(function).parameters.values()
    return None if any(one.kind is one.VAR_KEYWORD for one in parameters) else frozenset(one.name for one in parameters)


def described(*tables: Mapping[str, Parameter], groups: Any = None, **texts: str) -> Callable[[Kind], Kind]:
    """Set `_parameter_constraints` of a class, and fill in its docstring: `{parameters}`, and `texts` by their names.

    Every parameter of the constructor is looked up in the tables; the last one that has it counts. With `groups`, a
    dict from heading to names, the docstring lists the parameters below these headings; the signature keeps its order.

    A docstring without the sections "Parameters" and, where there is a text `fitted`, "Attributes" gets them.
    Attributes end with `n_features_in_` and `feature_names_in_`.
    """

    def describe(kind: Kind) -> Kind:
        known = {name: one for table in tables for name, one in table.items()}
        defaults = defaults_of(kind)
        limits = {name: known[name].allowed for name in defaults}
        kind._parameter_constraints = {name: one for name, one in limits.items() if one is not None}
        if kind.__doc__:  # which there is none of with -OO
            entries = {name: entry(name, known[name], default) for name, default in defaults.items()}
            text = inspect.cleandoc(kind.__doc__)  # Python 3.13 strips the indentation, earlier versions keep it
            if "fitted" in texts:
                text = with_section(text, "Attributes", "{fitted}", "Examples")
            text = with_section(text, "Parameters", "{parameters}", "Attributes", "Examples")
            for name, one in {"parameters": _grouped(entries, groups), **texts}.items():
                text = text.replace(f"{{{name}}}", dedent(one).strip("\n"))
            kind.__doc__ = text if "n_features_in_" in text else _with_columns(text)
        return kind

    return describe


def _with_columns(text: str) -> str:
    """The docstring with the attributes that say what columns the model knows, at the end of its attributes."""
    return re.sub(
        r"(\nAttributes\n-+\n.*?)(?=\n\n\w[^\n]*\n---)", rf"\1\n{_COLUMNS_OF_FIT}", text, count=1, flags=re.DOTALL
    )


def _grouped(entries: dict[str, str], groups: Mapping[str, Sequence[str]] | None) -> str:
    """All entries, in order or below the headings of their groups.

    A heading is a line that ends in a colon, with blank lines around it. numpydoc reads it as an entry without a type,
    which is set in bold.
    """
    if groups is None:
        return "\n".join(entries.values())
    parts = []
    for heading, names in groups.items():
        own = [entries.pop(name) for name in names if name in entries]
        parts += [f"{heading}:", "\n".join(own)] if own else []
    if entries:
        raise ValueError(f"parameters without a group: {', '.join(entries)}.")
    return "\n\n".join(parts)


def other_defaults(**changes: Any) -> Callable[[Kind], Kind]:
    """Give a class the constructor that it inherits, with other defaults of keyword-only parameters."""

    def change(kind: Kind) -> Kind:
        plain: Any = kind.__init__
        own = FunctionType(plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__)
        own.__kwdefaults__ = {**plain.__kwdefaults__, **changes}
        own.__annotations__, own.__qualname__ = plain.__annotations__, f"{kind.__qualname__}.__init__"
        kind.__init__ = own
        return kind

    return change


# --- what several families have ---------------------------------------------------------------------------------------

AT_LEAST_1 = Interval(Integral, 1, None, closed="left")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
POSITIVE = Interval(Real, 0, None, closed="neither")
INSIDE_0_1 = Interval(Real, 0, 1, closed="neither")
SHARE = Interval(Real, 0, 1, closed="right")
THREADS = [AT_LEAST_1, Interval(Integral, None, -1, closed="right"), None]
COLUMNS = [AT_LEAST_1, SHARE, StrOptions({"sqrt", "log2"}), None]

COMMON = {
    "categorical_features": Parameter(
        '"from_dtype", mask, column numbers or names, or None',
        'Categorical columns. "from_dtype" selects columns of strings and of category dtypes. A mask, numbers or names '
        "list all categorical columns, those of strings included. All other columns must then hold numbers. None means "
        "that no column is categorical.",
        ["array-like", StrOptions({"from_dtype"}), None],
    ),
    "handle_unknown": Parameter(
        '{"missing", "error"}',
        'How `predict` treats a category that was not seen in training. "missing" treats it as a missing value. '
        '"error" raises a ValueError that names the column and the value.',
        [StrOptions({"missing", "error"})],
    ),
    "max_depth": Parameter(
        "int or None", "Maximum depth of a tree: splits on a path. None sets no limit.", [AT_LEAST_1, None]
    ),
    "monotonic_cst": Parameter(
        "sequence of -1, 0, 1, dict from column name to such, or None",
        "Monotonicity constraints per column: predictions may only increase (1) or only decrease (-1) along the "
        "column, or are not constrained (0).",
        ["array-like", dict, None],
    ),
    "n_jobs": Parameter(
        "int or None",
        "Number of threads. None and -1 use every core. The model does not depend on it.",
        THREADS,
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        "Seed of the random number generator. Pass an int for the same result in every fit.",
        ["random_state"],
    ),
    "verbose": Parameter("int", "Print progress if positive. 0 prints nothing.", ["verbose"]),
    "warm_start": Parameter("bool", "Keep the previous fit and add to it. False fits from the beginning.", ["boolean"]),
    "voting": Parameter(
        '{"soft", "hard"}',
        '"soft" averages the probabilities of the members. "hard" is a majority vote: each member has one vote, '
        "`predict` returns the class with the most votes, and ties go to the first class. Probabilities are then "
        "fractions of the votes, out-of-bag ones too. It can be changed after the fit.",
        [StrOptions({"soft", "hard"})],
    ),
}

# --- decision trees ---------------------------------------------------------------------------------------------------

TREE = {
    **COMMON,
    "splitter": Parameter(
        '{"best", "random"}',
        'How to choose the split of a node. "best" compares all thresholds. "random" draws one threshold at random per '
        "column and takes the best of these.",
        [StrOptions({"best", "random"})],
    ),
    "min_samples_split": Parameter(
        "int or float",
        "Minimum number of rows that a node needs to be split. A float is a fraction of all rows.",
        [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "min_samples_leaf": Parameter(
        "int or float",
        "Minimum number of rows in a leaf. A float is a fraction of all rows.",
        [AT_LEAST_1, INSIDE_0_1],
    ),
    "min_weight_fraction_leaf": Parameter(
        "float", "Minimum fraction of the total weight in a leaf.", [Interval(Real, 0, 0.5, closed="both")]
    ),
    "max_features": Parameter(
        'int, float, "sqrt", "log2" or None',
        "Number of columns that each split may choose from, sampled again for every node. A float is a fraction of the "
        "columns, None is all of them. If none of the sampled columns can split the node, more are sampled.",
        COLUMNS,
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        'Seed for splitter="random", `max_features` and `validation_fraction`. Without these, nothing is random: ties '
        "between splits go to the first column, and on one column to the lowest threshold. Among sampled columns, "
        "they go to the one sampled first.",
        ["random_state"],
    ),
    "max_leaf_nodes": Parameter(
        "int or None",
        "Maximum number of leaves. The tree is then grown best-first: the next leaf to be split is the one whose split "
        "reduces the impurity most. None sets no limit.",
        [Interval(Integral, 2, None, closed="left"), None],
    ),
    "min_impurity_decrease": Parameter(
        "float",
        "Minimum amount by which a split must reduce the impurity of the whole tree: the impurity decrease of the node "
        "times the node's fraction of the weight.",
        [NOT_NEGATIVE],
    ),
    "class_weight": Parameter(
        'dict, list of dicts, "balanced" or None',
        'Weights of the classes, which multiply `sample_weight`. "balanced" gives all classes the same total weight. '
        "Pass a list of dicts for several outputs.",
        [dict, list, StrOptions({"balanced"}), None],
    ),
    "significance": Parameter(
        "float or None",
        "Split a node only if the split passes a chi-squared test at this level, for example 0.05. None tests nothing.",
        [INSIDE_0_1, None],
    ),
    "validation_fraction": Parameter(
        "float or int",
        "Rows to hold out for `n_iter_no_change`. A float is a fraction, an int is a number of rows.",
        [INSIDE_0_1, AT_LEAST_1],
    ),
    "n_iter_no_change": Parameter(
        "int or None",
        "Hold out rows, grow best-first, and stop after this many consecutive splits that do not lower the error on "
        "the held-out rows. The tree is cut back to its lowest error. None grows the whole tree.",
        [AT_LEAST_1, None],
    ),
    "ccp_alpha": Parameter(
        "float",
        "Complexity parameter of cost-complexity pruning, the penalty per leaf. 0 does not prune. See "
        "`spinney.prune.cost_complexity`.",
        [NOT_NEGATIVE],
    ),
    "max_bins": Parameter(
        "int or None",
        "Maximum number of bins per column, up to 255. Thresholds are then bin edges. None tries every threshold.",
        [Interval(Integral, 2, 255, closed="both"), None],
    ),
}

CLASS_CRITERIA = [StrOptions({"gini", "entropy", "log_loss", "error", "gain_ratio"}), callable]
NUMBER_CRITERIA = [StrOptions({"squared_error", "friedman_mse", "absolute_error", "poisson"}), callable]

# --- forests ---------------------------------------------------------------------------------------------------

FOREST = {
    **TREE,
    "n_estimators": Parameter("int", "Number of trees.", [AT_LEAST_1]),
    "min_weight_fraction_leaf": TREE["min_weight_fraction_leaf"]._replace(
        text="Minimum fraction of a tree's total weight in a leaf."
    ),
    "max_features": TREE["max_features"]._replace(
        text="Number of columns to choose from, per split or per tree as `features_per` says. A float is a fraction of "
        "the columns, None is all of them. If none of the sampled columns can split a node, more are sampled."
    ),
    "max_leaf_nodes": TREE["max_leaf_nodes"]._replace(
        text="Maximum number of leaves per tree. Trees are then grown best-first. None sets no limit."
    ),
    "min_impurity_decrease": TREE["min_impurity_decrease"]._replace(
        text="Minimum amount by which a split must reduce the impurity of its tree."
    ),
    "bootstrap": Parameter(
        "bool", "Grow each tree on rows sampled with replacement. False grows each tree on all rows.", ["boolean"]
    ),
    "oob_score": Parameter(
        "bool or function",
        "Score the forest on out-of-bag rows: each row is predicted by the trees that were not fitted on it. "
        "`oob_score_` is the accuracy or R2, or the result of a function (y_true, y_pred) -> score.",
        ["boolean", callable],
    ),
    "n_jobs": Parameter(
        "int or None",
        "Number of threads, each of which grows one tree at a time. None and -1 use every core. The forest does not "
        "depend on it.",
        THREADS,
    ),
    "random_state": COMMON["random_state"],
    "verbose": Parameter("int", "1 shows a progress bar, 2 prints a line per tree, 0 prints nothing.", ["verbose"]),
    "warm_start": Parameter(
        "bool", "Keep the trees of the previous fit and add more. False grows all trees again.", ["boolean"]
    ),
    "class_weight": Parameter(
        'dict, list of dicts, "balanced", "balanced_subsample" or None',
        'Weights of the classes. "balanced" gives all classes the same total weight; "balanced_subsample" does so in '
        "each bootstrap sample.",
        [StrOptions({"balanced", "balanced_subsample"}), dict, list, None],
    ),
    "ccp_alpha": TREE["ccp_alpha"]._replace(
        text="Complexity parameter of cost-complexity pruning, which is applied to each tree. 0 does not prune."
    ),
    "max_samples": Parameter(
        "int, float or None",
        "Number of rows in each bootstrap sample. A float is a fraction of all rows. None samples as many rows as "
        "there are.",
        [None, Interval(RealNotInt, 0.0, None, closed="neither"), AT_LEAST_1],
    ),
    "keep_targets": Parameter(
        "bool", "Store the training rows of every leaf, which `predict_quantiles` needs.", ["boolean"]
    ),
    "features_per": Parameter(
        '{"split", "tree"}',
        '"split" samples `max_features` columns for every split. "tree" samples them once per tree, for all splits.',
        [StrOptions({"split", "tree"})],
    ),
    "max_bins": TREE["max_bins"]._replace(
        text="Maximum number of bins per column, up to 255. None tries every threshold."
    ),
}

# --- as the engines take them -----------------------------------------------------------------------------------------


def read_seed(random_state: Any) -> int:
    """One integer from a scikit-learn random state."""
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def repeated_seed(random_state: Any) -> int:
    """The same for models that are the same in every fit where no seed is given: None stands for 0."""
    return read_seed(0 if random_state is None else random_state)


def read_monotone(wanted: Any, schema: Schema) -> np.ndarray:
    """int8 per column: 1 rising, -1 falling, 0 free; from a sequence or a dict by column name."""
    if wanted is None:
        return np.zeros(0, np.int8)
    n = len(schema.columns)
    if isinstance(wanted, Mapping):
        directions = np.zeros(n)
        for name, direction in wanted.items():
            directions[column_index(name, schema.names, n, "monotonic_cst")] = direction
    else:
        directions = np.asarray(wanted, np.float64)
        if directions.shape != (n,):
            raise ValueError(
                f"monotonic_cst has shape {directions.shape[0] if directions.ndim == 1 else directions.shape} but the "
                f"input data X has {n} features. Give one entry per column."
            )
    if not np.isin(directions, (-1, 0, 1)).all():
        raise ValueError("monotonic_cst must hold only -1 (decreasing), 0 (no constraint) or 1 (increasing).")
    if (directions[schema.is_categorical] != 0).any():
        raise ValueError("monotonic_cst must be 0 for categorical columns, because categories have no order.")
    return directions.astype(np.int8)


def read_groups(wanted: Any, schema: Schema) -> np.ndarray:
    """uint8 (groups, columns): which columns may meet on a path; columns in no group form one of their own."""
    n_columns = len(schema.columns)
    if wanted is None:
        return np.zeros((0, n_columns), np.uint8)
    if isinstance(wanted, str):
        if wanted == "pairwise":
            wanted = list(combinations(range(n_columns), 2))
        elif wanted == "no_interactions":
            wanted = [[j] for j in range(n_columns)]
        else:
            raise ValueError(
                f"interaction_cst must be 'pairwise', 'no_interactions' or groups of columns, got {wanted!r}."
            )
    groups = [
        {column_index(name, schema.names, n_columns, "interaction_cst") for name in _group(one)} for one in wanted
    ]
    rest = set(range(n_columns)).difference(*groups)
    if rest:
        groups.append(rest)
    allowed = np.zeros((len(groups), n_columns), np.uint8)
    for g, group in enumerate(groups):
        allowed[g, list(group)] = 1
    return allowed


def _group(one: Any) -> Iterable[Any]:
    if isinstance(one, str) or not isinstance(one, Iterable):
        raise ValueError(f"interaction_cst must be a list of groups, each a list of columns, got the group {one!r}.")
    return one


def column_index(name: Any, names: np.ndarray | None, n_columns: int, parameter: str) -> int:
    """A column by name or number."""
    if isinstance(name, str):
        if names is None:
            raise ValueError(f"{parameter} names the column {name!r}, but X has no column names. Use column numbers.")
        found = np.flatnonzero(np.asarray(names) == name)
        if len(found) == 0:
            raise ValueError(
                f"{parameter} names the column {name!r}, which X does not have. Its columns are {list(names)}."
            )
        return int(found[0])
    if not isinstance(name, Integral) or not 0 <= int(name) < n_columns:
        raise ValueError(f"{parameter} must hold column names or numbers from 0 to {n_columns - 1}, got {name!r}.")
    return int(name)


def count_share(value: Any, n: int) -> float:
    """A share in (0, 1] from scikit-learn's max_features: None, a fraction, a number of columns, "sqrt", "log2".

    More columns than there are mean all of them, as in scikit-learn's trees: so one setting does for many tables.
    """
    if value is None:
        return 1.0
    if isinstance(value, str):
        return max(1, math.isqrt(n) if value == "sqrt" else n.bit_length() - 1) / n
    return min(int(value), n) / n if isinstance(value, Integral) else float(value)


def count_columns(value: Any, n: int) -> int:
    """The number of columns that scikit-learn's max_features means."""
    return max(1, int(count_share(value, n) * n + 1e-9))


def tree_settings(tree: Any, schema: Schema, target: Target) -> TreeSettings:
    """How to grow a tree with the parameters of `tree`, a `DecisionTreeClassifier` or `DecisionTreeRegressor`."""
    from spinney.criteria.impurity import NAMES, OWN
    from spinney.grow.rules import TreeSettings

    n, n_rows = len(schema.columns), target.values.shape[1]
    own = None if isinstance(tree.criterion, str) else tree.criterion
    n_features = count_columns(tree.max_features, n)
    is_random = tree.splitter == "random" or n_features < n
    total = target.weights.total()
    weight = float(n_rows) if total is None else float(total.sum())
    return TreeSettings(
        criterion=NAMES[tree.criterion] if own is None else OWN,
        own=own,
        max_depth=NO_LIMIT if tree.max_depth is None else int(tree.max_depth),
        max_leaves=tree.max_leaf_nodes,
        min_split=share_of_rows(tree.min_samples_split, n_rows),
        min_leaf=share_of_rows(tree.min_samples_leaf, n_rows),
        min_weight=float(tree.min_weight_fraction_leaf) * weight,
        min_decrease=float(tree.min_impurity_decrease),
        by_ratio=tree.criterion == "gain_ratio",
        random=tree.splitter == "random",
        n_features=n_features,
        monotone=_tree_monotone(tree, schema, target),
        significance=tree.significance,
        seed=read_seed(tree.random_state) if is_random else 0,
    )


def _tree_monotone(tree: Any, schema: Schema, target: Target) -> np.ndarray:
    monotone = read_monotone(tree.monotonic_cst, schema)
    if not monotone.any():
        return monotone
    if target.n_outputs > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    if target.n_classes is not None and target.n_classes[0] > 2:
        raise ValueError("Monotonicity constraints are not supported with multiclass classification.")
    if callable(tree.criterion):
        raise ValueError("Monotonicity constraints are not supported with a custom criterion.")
    return monotone


def n_categories(schema: Schema) -> np.ndarray:
    """Categories of each column; 0 for numbers. A column without any value counts as one."""
    sizes = [0 if column.categories is None else max(1, len(column.categories)) for column in schema.columns]
    return np.array(sizes, np.int64)
