"""What stumps.py works with: blocks of sorted lists and the codes of rows, weights, and the memory of a round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._team import Team, next_chunk
from spinney.data.presort import Presorted
from spinney.grow.lists.entries import count_known, row_of

BLOCKS = 127  # of known values
CODES = 256
LANES = 8  # codes a word
_LINE = 8  # numbers a cache line

CUT = np.dtype(
    [
        ("score", np.float64),  # -inf: none
        ("column", np.int64),
        ("missing_left", np.int64),
        ("position", np.int64),  # entries of the column's list that go left,
        ("n_left", np.int64),  # and missing ones, if they do
        ("weight", np.int64),  # on the left
        ("amount", np.int64),  # of it the second class
        ("room", np.int64),  # a cache line for each thread
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("phase", np.int64),
        ("n_chunks", np.int64),
        ("weight", np.int64),  # of all rows,
        ("amount", np.int64),  # of the second class
        ("shift", np.int64),  # of weights of rows: bits by which sums are larger
        ("unit", np.float64),  # of sums
        ("min_weight", np.int64),
        ("divisor", np.float64),  # what changed weights are divided by
        ("least", np.float64),  # a cut between two blocks is worth this
        ("block", np.int64),  # that is cut in two
        ("is_split", np.int64),
    ],
    align=True,
)


class Blocks(NamedTuple):
    """The sorted lists of a table, and the codes of its rows and their classes."""

    lists: np.ndarray
    codes: np.ndarray  # uint64 (groups of eight columns, rows): a byte a column
    known: np.ndarray  # int64: entries of each list that are not missing
    length: np.ndarray  # int64: entries a block, by column


class Rows(NamedTuple):
    """What rounds change."""

    weight: np.ndarray  # int64
    repeats: np.ndarray  # float64: rows that a row stands for; empty: one each
    kind: np.ndarray  # uint8


class Desk(NamedTuple):
    """Memory of a round."""

    sums: np.ndarray  # int64 (threads, columns of all groups, codes); zeros between the rounds
    columns: np.ndarray  # int64 (columns, codes): the same of all threads
    bounds: np.ndarray  # float64, by block and column, then the same with missing values on the left; negative
    order: np.ndarray  # int64 (2, blocks): blocks that are walked, and room to sort them
    least: np.ndarray  # float64, by column: the best cut between two blocks
    cuts: Any  # CUT records: each thread's best
    parts: np.ndarray  # int64 (threads, _LINE): sums of weights
    most: np.ndarray  # float64 (threads, _LINE): largest weight of one repetition, by kind
    state: Any  # one STATE record


class StumpRules(NamedTuple):
    criterion: int
    may_split: bool
    min_leaf: int
    min_weight: float  # of a leaf; negative: so large a share of the whole
    min_decrease: float
    unit: float  # of the rows' weights
    scaled: bool  # whether sums are brought to 52 bits: the form that weights of other trees have


class Change(NamedTuple):
    """How weights change before a round."""

    factor: np.ndarray  # float64, by kind; empty: they stay as they are
    scale: float  # a power of two: of weights, when they are added up


def make_blocks(presorted: Presorted, label: np.ndarray, team: Team) -> Blocks:
    """Cut all lists into blocks; `label` is 0 or 1 for each row."""
    n_columns = presorted.n_columns
    codes = np.zeros((-(-n_columns // LANES), presorted.n_rows, LANES), np.uint8)
    known, length = np.empty(n_columns, np.int64), np.empty(n_columns, np.int64)
    team.run(_fill_codes, presorted.lists, label, codes, known, length)
    return Blocks(presorted.lists, codes.view(np.uint64)[:, :, 0], known, length)


def make_desk(blocks: Blocks, n_threads: int) -> Desk:
    """Memory for rounds of these blocks."""
    n_columns, n_blocks = len(blocks.known), 2 * len(blocks.known) * BLOCKS
    return Desk(
        sums=np.zeros((n_threads, LANES * len(blocks.codes), CODES), np.int64),
        columns=np.empty((n_columns, CODES), np.int64),
        bounds=np.empty(n_blocks),
        order=np.empty((2, n_blocks), np.int64),
        least=np.empty(n_columns),
        cuts=np.zeros(n_threads, CUT),
        parts=np.zeros((n_threads, _LINE), np.int64),
        most=np.zeros((n_threads, _LINE)),
        state=np.zeros(1, STATE),
    )


@kernel
def _fill_codes(rank, size, sync, lists, label, codes, known, length):
    while True:
        j = next_chunk(sync)
        if j >= known.size:
            return
        entries, group = lists[j], codes[j // LANES]
        known[j] = count_known(entries)
        length[j] = max(np.int64(1), (known[j] + BLOCKS - 1) // BLOCKS)
        for i in range(entries.size):
            row = row_of(entries[i])
            block = i // length[j] if i < known[j] else np.int64(BLOCKS)
            group[row, j % LANES] = 2 * block + label[row]
