"""Trees of any size and kind, one thread for each row: those that ask about codes, and those that ask about values.

In: a forest's packed form (tree/packed.py) and a table, on the GPU. Out: sums of what the trees' leaves say, in the
order of the trees, as on the CPU; or the leaves. Each step is the CPU's own (`next_by_code`, `next_by_pair`,
`next_by_value`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import cuda, gpu_function, gpu_kernel
from spinney.gpu.short_trees import place_among
from spinney.tree.packed import COLUMN, next_by_code, next_by_pair, next_by_value


class Coding(NamedTuple):
    """How values become codes, for trees from bins."""

    edges: Any  # (columns, 256), of the table's dtype
    categories: Any  # uint8 (columns, categories): codes
    missing: Any  # uint8, by column
    is_category: Any  # uint8, by column
    columns: Any  # int32: the table's column that each is made of


class Steps(NamedTuple):
    """`packed.Steps` without what only the CPU asks for."""

    steps: Any
    children: Any
    sets: Any


class AnswerSums(NamedTuple):
    """Where answers go: tree t adds answers[leaf] to the numbers of a row that begin at t % outputs."""

    answers: Any  # float64 or float32 (nodes, numbers)
    line: Any  # float64 or float32: all sums
    row_step: int
    number_step: int
    n_outputs: int


@gpu_kernel
def encode_rows(cells, coding, first_row, n_rows, codes):
    """codes[row * columns + column] of some rows; a thread has a cell at a time."""
    n_columns = coding.missing.size
    for at in range(cuda.grid(1), n_rows * n_columns, cuda.gridsize(1)):
        row, j = at // n_columns, at % n_columns
        value = cells.line[cells.begin + (first_row + row) * cells.row_step + coding.columns[j] * cells.column_step]
        if value != value:
            codes[at] = coding.missing[j]
        elif coding.is_category[j]:
            codes[at] = coding.categories[j, np.int64(value)]
        else:
            codes[at] = np.uint8(place_among(coding.edges, j, value))


@gpu_function
def _leaf_by_code(words, first, codes, begin):
    at, to = np.uint64(1), np.uint64(0)
    while to != at:
        at = to
        to = next_by_code(words[first + at], at, codes, begin)
    return at


@gpu_function
def _leaf_by_pair(pairs, sets, first, codes, begin):
    at, to = np.uint64(1), np.uint64(0)
    while to != at:
        at = to
        to = next_by_pair(pairs[first + at, 0], pairs[first + at, 1], sets, at, codes, begin)
    return at


@gpu_function
def _leaf_by_value(steps, first, cells, begin):
    node, before = np.int64(0), np.int64(-1)
    while node != before:
        before = node
        column = np.int64(steps.steps[first + node].feature & COLUMN)
        to = next_by_value(steps, first, node, cells.line[begin + column * cells.column_step])
        node = to if to >= 0 else before  # whatever goes every way ends here
    return node


@gpu_function
def _add(sums, tree, node, row):
    place = row * sums.row_step + tree % sums.n_outputs * sums.number_step
    for w in range(sums.answers.shape[1]):
        sums.line[place] += sums.answers[node, w]
        place += sums.number_step


@gpu_kernel
def add_by_codes(words, first, codes, n_columns, first_row, n_rows, sums):
    """Trees that ask about numbers' codes, which begin with those of `first_row`."""
    for i in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for tree in range(first.size - 1):
            leaf = _leaf_by_code(words, np.uint64(first[tree]), codes, np.uint64(i * n_columns))
            _add(sums, tree, first[tree] + np.int64(leaf), first_row + i)


@gpu_kernel
def add_by_pairs(pairs, sets, first, codes, n_columns, first_row, n_rows, sums):
    """The same where some ask about sets of codes."""
    for i in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for tree in range(first.size - 1):
            leaf = _leaf_by_pair(pairs, sets, np.uint64(first[tree]), codes, np.uint64(i * n_columns))
            _add(sums, tree, first[tree] + np.int64(leaf), first_row + i)


@gpu_kernel
def add_by_values(steps, first, cells, n_rows, sums):
    """Trees that ask about values."""
    for row in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for tree in range(first.size - 1):
            leaf = _leaf_by_value(steps, first[tree], cells, cells.begin + row * cells.row_step)
            _add(sums, tree, first[tree] + leaf, row)


@gpu_kernel
def note_by_codes(words, first, codes, n_columns, first_row, n_rows, leaves):
    """leaves[row, tree] = the leaf's number within its tree."""
    for i in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for tree in range(first.size - 1):
            begin = np.uint64(i * n_columns)
            leaves[first_row + i, tree] = _leaf_by_code(words, np.uint64(first[tree]), codes, begin)


@gpu_kernel
def note_by_pairs(pairs, sets, first, codes, n_columns, first_row, n_rows, leaves):
    """The same where some ask about sets."""
    for i in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for tree in range(first.size - 1):
            begin = np.uint64(i * n_columns)
            leaves[first_row + i, tree] = _leaf_by_pair(pairs, sets, np.uint64(first[tree]), codes, begin)


@gpu_kernel
def note_by_values(steps, first, cells, n_rows, leaves):
    """The same of trees that ask about values."""
    for row in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for tree in range(first.size - 1):
            begin = cells.begin + row * cells.row_step
            leaves[row, tree] = _leaf_by_value(steps, first[tree], cells, begin)
