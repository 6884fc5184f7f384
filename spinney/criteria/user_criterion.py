"""A split criterion written by the user: a plain Python function, compiled into the search.

    def hellinger(left, right):           # classes: the weight of each class on either side
        ...
        return gain                       # per unit of weight; a split needs a gain of at least 0

    def my_variance(left, right):         # numbers: left.weight, left.total, left.squares
        ...

`code_of`, `judge_pair` and `judge_classes` take a criterion of either sort, ours (its number) or the user's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from spinney._compile import Kept, compile_for, is_integer, key_of, overloads, pair_array, python_of
from spinney.criteria.impurity import OWN, pair_score, side_score
from spinney.criteria.user_loss import gist


class SplitSide(NamedTuple):
    """What a criterion for numbers knows of one side of a split."""

    weight: float  # sum of the weights
    total: float  # weighted sum of the target
    squares: float  # weighted sum of its squares


def code_of(criterion: Any) -> int:
    """The number of a criterion of ours; OWN for a user's."""
    return criterion if isinstance(criterion, int) else OWN


@overloads(code_of)
def _code_of(criterion):
    if is_integer(criterion):
        return lambda criterion: criterion
    return lambda criterion: OWN


def judge_pair(criterion: Any, units: Any, w_left: Any, s_left: Any, q_left: Any, total: Any, logs: Any) -> Any:
    """What a split is worth, from the left side's weight, amount and square and the node's."""
    w_right, s_right = total[0] - w_left, total[1] - s_left
    if isinstance(criterion, int):
        return pair_score(criterion, w_left, s_left, w_right, s_right, logs)
    return criterion(units, w_left, s_left, q_left, w_right, s_right, total[2] - q_left)


@overloads(judge_pair)
def _judge_pair(criterion, units, w_left, s_left, q_left, total, logs):
    if is_integer(criterion):
        return lambda criterion, units, w_left, s_left, q_left, total, logs: pair_score(
            criterion, w_left, s_left, total[0] - w_left, total[1] - s_left, logs
        )
    return lambda criterion, units, w_left, s_left, q_left, total, logs: criterion(
        units, w_left, s_left, q_left, total[0] - w_left, total[1] - s_left, total[2] - q_left
    )


def judge_classes(criterion: Any, left: Any, right: Any, weights: Any, logs: Any, unit: Any, floats: Any) -> Any:
    """What a split is worth, from the weights of one output's classes on both sides; `weights` are their sums."""
    if isinstance(criterion, int):
        return side_score(criterion, left, weights[0], logs) + side_score(criterion, right, weights[1], logs)
    return criterion(left * unit, right * unit)


@overloads(judge_classes)
def _judge_classes(criterion, left, right, weights, logs, unit, floats):
    if is_integer(criterion):
        return lambda criterion, left, right, weights, logs, unit, floats: (
            side_score(criterion, left, weights[0], logs) + side_score(criterion, right, weights[1], logs)
        )

    def ask(criterion, left, right, weights, logs, unit, floats):  # type: ignore[no-untyped-def]
        for k in range(left.size):  # the user's function wants real weights
            floats[0, k] = left[k] * unit
            floats[1, k] = right[k] * unit
        return criterion(floats[0, : left.size], floats[1, : left.size])

    return ask


_kept = Kept()


def compile_criterion(function: Callable[..., Any], sides: str) -> Any:
    """Compile a user's criterion. `sides`: "numbers", "two classes" or "classes".

    Equal functions that capture equal values are compiled once; of different ones the last few are kept.
    """
    _check(function)
    return _kept.get((key_of(function), sides), lambda: _compile(function, sides))


def _check(function: Callable[..., Any]) -> None:
    if inspect.ismethod(function) or not inspect.isfunction(getattr(function, "py_func", function)):
        raise TypeError(f"criterion must be a name or a plain Python function (left, right), got {function!r}.")
    try:
        inspect.signature(function).bind(0, 0)
    except TypeError:
        raise TypeError(f"criterion must take two arguments, (left, right), got {function!r}.") from None


def _compile(function: Callable[..., Any], sides: str) -> Any:
    """Merged into the search if it makes no arrays of its own, else called from there."""
    from spinney._compile import CompileError, merged_kernel, uncached_kernel

    try:
        return _compiled_judge(function, sides, merged_kernel)
    except CompileError:
        pass
    try:
        return _compiled_judge(function, sides, uncached_kernel)
    except CompileError as error:
        what = "weight, total, squares" if sides == "numbers" else "arrays of class weights"
        raise TypeError(
            f"criterion could not be compiled. It must accept two sides ({what}), return one number, and use only "
            f"numbers, branches, loops, `math` and what Numba supports of NumPy. Numba reports: {gist(error)}"
        ) from error


def _compiled_judge(function: Callable[..., Any], sides: str, decorator: Any) -> Any:
    judge = _judge(function, sides, decorator)
    compile_for(judge, *(["float64[:]"] * 2 if sides == "classes" else ["float64[:]", *["int64"] * 6]))
    return judge


def _judge(function: Callable[..., Any], sides: str, decorator: Any) -> Any:
    """The user's function behind the arguments that the search has at hand."""
    own = decorator(python_of(function))

    def judge_numbers(units, w_left, s_left, q_left, w_right, s_right, q_right):  # type: ignore[no-untyped-def]
        left = SplitSide(w_left * units[0], s_left * units[1], q_left * units[2])
        return float(own(left, SplitSide(w_right * units[0], s_right * units[1], q_right * units[2])))

    def judge_two(units, w_left, s_left, q_left, w_right, s_right, q_right):  # type: ignore[no-untyped-def]
        left = pair_array((w_left - s_left) * units[0], s_left * units[0])
        return float(own(left, pair_array((w_right - s_right) * units[0], s_right * units[0])))

    def judge_many(left, right):  # type: ignore[no-untyped-def]
        return float(own(left, right))

    return decorator({"numbers": judge_numbers, "two classes": judge_two, "classes": judge_many}[sides])
