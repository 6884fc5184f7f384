"""The arrays of a forest in fewer bytes, for pickles and model files, without loss.

In: the arrays of a `Forest` by name. Out: the same dictionary, in which three may be shorter:

| array     | in the forest     | stored as                                                           |
|-----------|-------------------|---------------------------------------------------------------------|
| n_samples | uint32            | uint8 or uint16, if these hold it                                   |
| weight    | float32, per node | uint8, uint16 or uint32 per leaf, if weights are whole and add up   |
| impurity  | float64, per node | per question, if it is 0 in every leaf                              |

Each is shortened only if the same bits come back. Arrays for predictions are stored unchanged and can be mapped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.tree.arrays import MOST_EXACT, ends_of

Arrays = dict[str, Any]  # by name
_KINDS = (np.uint8, np.uint16, np.uint32)


def shortened(arrays: Arrays) -> Arrays:
    """The arrays as they are stored."""
    return arrays | {"n_samples": _few_bytes(arrays["n_samples"])} | _short_weight(arrays) | _short_impurity(arrays)


def restored(arrays: Arrays) -> Arrays:
    """The arrays of the forest. Weights that are not those of the leaves are left unchanged, for an audit."""
    found = dict(arrays)
    if found["n_samples"].dtype.itemsize < 4:
        found["n_samples"] = found["n_samples"].astype(np.uint32)
    is_question = found["size"] > 1
    if found["weight"].dtype.kind == "u" and len(found["weight"]) == (found["size"] == 1).sum():
        found["weight"] = _sums(found["weight"], found["size"])
    if 0 < len(found["impurity"]) == is_question.sum():
        impurity = np.zeros(len(is_question))
        impurity[is_question] = found["impurity"]
        found["impurity"] = impurity
    return found


def _few_bytes(numbers: np.ndarray) -> np.ndarray:
    most = int(numbers.max(initial=0))
    kind = next((kind for kind in _KINDS if most <= np.iinfo(kind).max), numbers.dtype)
    return numbers.astype(kind, copy=False)


def _short_weight(arrays: Arrays) -> Arrays:
    weight, size = arrays["weight"], arrays["size"]
    if weight.dtype != np.float32 or len(weight) != len(size) or not len(size):
        return {}
    leaves = weight[size == 1]
    if not (leaves.min() >= 0 and weight.max() <= MOST_EXACT):
        return {}
    short = _few_bytes(leaves.astype(np.int64))
    return {"weight": short} if _same_bits(_sums(short, size), weight) else {}


def _short_impurity(arrays: Arrays) -> Arrays:
    impurity, size = arrays["impurity"], arrays["size"]
    is_leaf = size == 1
    if len(impurity) != len(size) or is_leaf.all():
        return {}
    nothing = impurity[is_leaf]
    return {"impurity": impurity[~is_leaf]} if _same_bits(nothing, np.zeros_like(nothing)) else {}


def _sums(of_leaves: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Integer weights of leaves, summed over the leaves below every node."""
    end = np.minimum(np.arange(len(size)) + size.astype(np.int64), len(size))
    before, total = ends_of(size == 1), ends_of(of_leaves)
    return (total[before[end]] - total[before[:-1]]).astype(np.float32)


def _same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one.view(np.uint8), other.view(np.uint8))
