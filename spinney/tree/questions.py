"""Questions in eight bytes: those of trees grown from codes, all of which ask about the edges of the same bins.

    63          32 31      16 15      1 0
    [ right child | column   | limit   | turn ]     right child: number within the tree; the left one is the next

A row goes left if its code in the column, plus `turn`, is less than `limit`. The code of a missing value is 255; a turn
of 1 makes it 0 and so sends it left. A leaf has limit 0 and is its own right child. `edges[column, limit - turn - 1]`
is the threshold.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import either, inner_kernel
from spinney.data.binning import MAX_BINS
from spinney.tree.descend import MISSING_LEFT, SHORT_STEP

MISSING = np.uint8(MAX_BINS)
MOST_COLUMNS = 1 << 16
RIGHT, COLUMN, LIMIT = np.uint64(32), np.uint64(16), np.uint64(1)  # shifts
COLUMN_MASK, LIMIT_MASK, TURN = np.uint64(0xFFFF), np.uint64(0x7FFF), np.uint64(1)


@inner_kernel
def question(right, column, below, missing_left):
    """The word of a node where codes less than `below` go left; 0 for a leaf."""
    turn = np.uint64(missing_left)
    return (np.uint64(right) << RIGHT) | (np.uint64(column) << COLUMN) | ((np.uint64(below) + turn) << LIMIT) | turn


@inner_kernel
def next_node(word, node, codes, begin):
    """Where a row whose codes begin at a place in `codes` goes from a node; a leaf is its own. uint64 throughout."""
    code = np.uint64(np.uint8(np.uint64(codes[begin + ((word >> COLUMN) & COLUMN_MASK)]) + (word & TURN)))
    right = word >> RIGHT
    return either(code < (word >> LIMIT) & LIMIT_MASK, node + TURN, right)


def as_steps(words: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The same questions with thresholds, see descend.py."""
    steps = np.zeros(len(words), SHORT_STEP).view(np.recarray)
    turn = (words & TURN).astype(np.int64)
    below = ((words >> LIMIT) & LIMIT_MASK).astype(np.int64) - turn
    column = ((words >> COLUMN) & COLUMN_MASK).astype(np.int32)
    steps["threshold"] = np.where(below > 0, edges[column, below - 1], np.nan)
    steps["feature"] = np.where(turn == 1, column | MISSING_LEFT, column)
    steps["right"] = (words >> RIGHT).astype(np.int32)
    return steps
