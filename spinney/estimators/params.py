"""Parameters of the estimators: kept by constructors, checked by fits, documented once for all that share them.

A constructor is an explicit signature, which scikit-learn reads, and one call of `keep_parameters`. What a parameter
may be and what it means stands in a table, `Parameter` by name; `described` makes a class's `_parameter_constraints`
and the text of its docstring from the tables and the signature. In here are the tables of trees and forests, and what
every family needs; the others stand with their families.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from numbers import Integral, Real
from textwrap import dedent, fill
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions, validate_parameter_constraints

Kind = TypeVar("Kind", bound=Any)
_INDENT = " " * 4


class Parameter(NamedTuple):
    """What a parameter may be, in words and as scikit-learn checks it, and what it means."""

    form: str
    text: str = ""
    allowed: list[Any] | None = None  # None: it checks itself


def keep_parameters(estimator: Any, arguments: Mapping[str, Any]) -> None:
    """Set the arguments of a constructor, its `locals()`, as attributes; nothing else, as scikit-learn asks."""
    for name, value in arguments.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def check_parameters(estimator: Any) -> None:
    """scikit-learn's check of the parameters, for those that are not at their defaults."""
    kind: Any = type(estimator)
    defaults = _defaults(kind)
    changed = {name: value for name in defaults if (value := getattr(estimator, name)) is not defaults[name]}
    if changed:
        name = type(estimator).__name__
        validate_parameter_constraints(estimator._parameter_constraints, changed, caller_name=name)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return {one.name: one.default for one in parameters}


def described(*tables: Mapping[str, Parameter], **texts: str) -> Callable[[Kind], Kind]:
    """Set `_parameter_constraints` of a class, and fill in its docstring: `{parameters}`, and `texts` by their names.

    Every parameter of the constructor is looked up in the tables; the last one that has it counts.
    """

    def describe(kind: Kind) -> Kind:
        known = {name: one for table in tables for name, one in table.items()}
        defaults = _defaults(kind)
        limits = {name: known[name].allowed for name in defaults}
        kind._parameter_constraints = {name: one for name, one in limits.items() if one is not None}
        if kind.__doc__:  # which there is none of with -OO
            entries = [_entry(name, known[name], default) for name, default in defaults.items()]
            text = inspect.cleandoc(kind.__doc__)  # Python 3.13 strips the indentation, earlier versions keep it
            for name, one in {"parameters": "\n".join(entries), **texts}.items():
                text = text.replace(f"{{{name}}}", dedent(one).strip("\n"))
            kind.__doc__ = text
        return kind

    return describe


def _entry(name: str, one: Parameter, default: Any) -> str:
    """A parameter as numpydoc wants it."""
    quoted = f'"{default}"' if isinstance(default, str) else repr(default)
    first = f"{name} : {one.form}" + ("" if default is inspect.Parameter.empty else f", default {quoted}")
    return first + ("\n" + fill(one.text, 116, initial_indent=_INDENT, subsequent_indent=_INDENT) if one.text else "")


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
        "Which columns are categories. By default those of strings and of category dtypes.",
        ["array-like", StrOptions({"from_dtype"}), None],
    ),
    "handle_unknown": Parameter(
        '{"missing", "error"}',
        'What `predict` does with a category that was not there in training: "missing" takes it for a missing value, '
        '"error" raises a ValueError that names the column and the value.',
        [StrOptions({"missing", "error"})],
    ),
    "max_depth": Parameter("int or None", "Maximum depth: questions on a path.", [AT_LEAST_1, None]),
    "monotonic_cst": Parameter(
        "sequence of -1, 0, 1, dict from column name to such, or None",
        "Columns along which the answer may only fall (-1) or rise (1).",
        ["array-like", dict, None],
    ),
    "n_jobs": Parameter("int or None", "Threads; None: every core. The model does not depend on it.", THREADS),
    "random_state": Parameter("int, RandomState or None", "", ["random_state"]),
    "verbose": Parameter("int", "", ["verbose"]),
    "warm_start": Parameter("bool", "", ["boolean"]),
    "voting": Parameter(
        '{"soft", "hard"}',
        '"soft": the mean of the probabilities; "hard": a majority vote. Every member has one vote, `predict` is the '
        "class with the most, of equals the first, and probabilities are shares of votes, out of bag as well. It can "
        "be set after the fit.",
        [StrOptions({"soft", "hard"})],
    ),
}

# --- decision trees ---------------------------------------------------------------------------------------------------

TREE = {
    **COMMON,
    "splitter": Parameter(
        '{"best", "random"}',
        '"random": one random threshold per column, and the best of these.',
        [StrOptions({"best", "random"})],
    ),
    "min_samples_split": Parameter(
        "int or float",
        "Rows that a node must have to be split; a float is a share of all rows.",
        [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
    ),
    "min_samples_leaf": Parameter(
        "int or float", "Rows that a leaf must have; a float is a share of all rows.", [AT_LEAST_1, INSIDE_0_1]
    ),
    "min_weight_fraction_leaf": Parameter(
        "float", "Share of the whole weight that a leaf must have.", [Interval(Real, 0, 0.5, closed="both")]
    ),
    "max_features": Parameter(
        'int, float, "sqrt", "log2" or None',
        "Columns that each split may choose from, drawn anew for every node. If none of those drawn can split the "
        "node, more are drawn.",
        COLUMNS,
    ),
    "random_state": Parameter(
        "int, RandomState or None",
        'For splitter="random", max_features and validation_fraction. Without these nothing is random: of equally good '
        "splits the column further left wins, and on one column the lower threshold. (Of columns that were drawn, the "
        "first.)",
        ["random_state"],
    ),
    "max_leaf_nodes": Parameter(
        "int or None",
        "Grow best-first, always splitting the leaf whose split takes off the most impurity, to at most this many "
        "leaves.",
        [Interval(Integral, 2, None, closed="left"), None],
    ),
    "min_impurity_decrease": Parameter(
        "float",
        "What a split must take off the impurity of the whole tree: the node's decrease times its share of the weight.",
        [NOT_NEGATIVE],
    ),
    "class_weight": Parameter(
        'dict, list of dicts, "balanced" or None',
        "Weights of the classes; they multiply sample_weight.",
        [dict, list, StrOptions({"balanced"}), None],
    ),
    "significance": Parameter(
        "float or None",
        "Split a node only if the split passes a chi-squared test at this level, for example 0.05.",
        [INSIDE_0_1, None],
    ),
    "validation_fraction": Parameter(
        "float or int", "Rows held out for `n_iter_no_change`: a share or a number.", [INSIDE_0_1, AT_LEAST_1]
    ),
    "n_iter_no_change": Parameter(
        "int or None",
        "Grow best-first and stop when this many splits in a row have not lowered the error on the held-out rows; the "
        "tree is the one with the lowest.",
        [AT_LEAST_1, None],
    ),
    "ccp_alpha": Parameter(
        "float",
        "Prune the grown tree: each leaf must be worth so much impurity. See `spinney.prune.cost_complexity`.",
        [NOT_NEGATIVE],
    ),
    "max_bins": Parameter(
        "int or None",
        "Cut each column into at most this many bins first, up to 255; None tries every threshold.",
        [Interval(Integral, 2, 255, closed="both"), None],
    ),
}

CLASS_CRITERIA = [StrOptions({"gini", "entropy", "log_loss", "error", "gain_ratio"}), callable]
NUMBER_CRITERIA = [StrOptions({"squared_error", "friedman_mse", "absolute_error", "poisson"}), callable]

# --- forests ---------------------------------------------------------------------------------------------------

FOREST = {
    **TREE,
    "n_estimators": Parameter("int", "Trees.", [AT_LEAST_1]),
    "min_weight_fraction_leaf": TREE["min_weight_fraction_leaf"]._replace(
        text="Share of a tree's whole weight that a leaf must have."
    ),
    "max_features": TREE["max_features"]._replace(
        text="Columns to choose from; see `features_per`. If none of a split's columns can split the node, more are "
        "drawn."
    ),
    "max_leaf_nodes": TREE["max_leaf_nodes"]._replace(text="Grow each tree best-first to at most this many leaves."),
    "min_impurity_decrease": TREE["min_impurity_decrease"]._replace(
        text="What a split must take off the impurity of its tree."
    ),
    "bootstrap": Parameter("bool", "Grow each tree on rows drawn with replacement; False: on all rows.", ["boolean"]),
    "oob_score": Parameter(
        "bool or function",
        "Judge every row by the trees that have not seen it: `oob_score_`, by accuracy or R2, or by a function "
        "(y_true, y_pred) -> score.",
        ["boolean", callable],
    ),
    "n_jobs": Parameter(
        "int or None", "Threads, one tree each; None: every core. The forest does not depend on it.", THREADS
    ),
    "random_state": COMMON["random_state"],
    "verbose": Parameter("int", "1: a progress bar; 2: a line for each tree.", ["verbose"]),
    "warm_start": Parameter("bool", "Keep the trees of the fit before and add more.", ["boolean"]),
    "class_weight": Parameter(
        'dict, list of dicts, "balanced", "balanced_subsample" or None',
        'Weights of the classes; "balanced": all classes weigh the same, "balanced_subsample": in every bootstrap.',
        [StrOptions({"balanced", "balanced_subsample"}), dict, list, None],
    ),
    "ccp_alpha": TREE["ccp_alpha"]._replace(text="Prune every tree by cost-complexity."),
    "max_samples": Parameter(
        "int, float or None",
        "Rows that a bootstrap draws, or their share of all rows; None: as many as there are.",
        [None, Interval(RealNotInt, 0.0, None, closed="neither"), AT_LEAST_1],
    ),
    "keep_targets": Parameter("bool", "Keep the training rows of every leaf, for `predict_quantiles`.", ["boolean"]),
    "features_per": Parameter(
        '{"split", "tree"}',
        '"split": every split draws its own columns; "tree": every tree draws once, and all its splits use those.',
        [StrOptions({"split", "tree"})],
    ),
    "max_bins": TREE["max_bins"]._replace(
        text="Cut each column into at most this many bins first; None tries every threshold."
    ),
}
