"""Questions in eight bytes: those of trees grown from codes, all of which ask about the edges of the same bins.

    63          32 31      16 15        8 7        0
    [ right child | column   | below     | flags   ]     right child: number within the tree; the left one is the next

A row whose code in the column is less than `below` goes left; so does a missing value (code MISSING) if the flag is set.
A leaf has below = 0 and is its own right child. `edges[column, below - 1]` is the threshold.
"""

from __future__ import annotations

import numpy as np

from spinney._jit import inner_kernel
from spinney.data.binning import MAX_BINS
from spinney.tree.descend import MISSING_LEFT, SHORT_STEP

MISSING = np.uint8(MAX_BINS)
MOST_COLUMNS = 1 << 16
GOES_LEFT = np.uint64(1)  # flag: missing values go left
RIGHT, COLUMN, BELOW = np.uint64(32), np.uint64(16), np.uint64(8)  # shifts
COLUMN_MASK, BYTE = np.uint64(0xFFFF), np.uint64(0xFF)


@inner_kernel
def question(right, column, below, missing_left):
    """The word of a node."""
    word = (np.uint64(right) << RIGHT) | (np.uint64(column) << COLUMN) | (np.uint64(below) << BELOW)
    return word | np.uint64(missing_left)


@inner_kernel
def next_node(word, node, codes, i):
    """Where row i of `codes`, (columns, rows), goes from a node; a leaf is its own."""
    code = codes[(word >> COLUMN) & COLUMN_MASK, np.uint64(i)]
    below = np.uint8((word >> BELOW) & BYTE)
    goes_left = (code < below) | ((code == MISSING) & (word & GOES_LEFT != 0))  # no branch to guess
    return node + 1 if goes_left else np.int64(word >> RIGHT)


def as_steps(words: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The same questions with thresholds, see descend.py."""
    steps = np.zeros(len(words), SHORT_STEP).view(np.recarray)
    below = ((words >> BELOW) & BYTE).astype(np.int64)
    column = ((words >> COLUMN) & COLUMN_MASK).astype(np.int32)
    steps["threshold"] = np.where(below > 0, edges[column, below - 1], np.nan)
    steps["feature"] = np.where(words & GOES_LEFT, column | MISSING_LEFT, column)
    steps["right"] = (words >> RIGHT).astype(np.int32)
    return steps
