"""Shapley values by their definition: sums over all subsets of columns. Plain Python; shares no code.

A tree is nested dicts:

    {"value": [...]}                                                a leaf, one number per output
    {"column": j, "ways": [(cover, subtree), ...], "way": f}        a question; f(x) gives the shares of a row that
                                                                    take each way, from its value in the column
    {"value": [...], "lines": [(column, f), ...]}                   a leaf that says f(x) more, a number per output, if
                                                                    the column is known; on average it says nothing more
    {..., "stops": [...]}                                           what is said of rows that f gives None for
"""

from itertools import combinations
from math import factorial

import numpy as np


def said(tree, row, known):
    """What a tree says on average of rows that have the values of `row` in the columns of `known`."""
    if "value" in tree:
        lines = [line(row[column]) for column, line in tree.get("lines", []) if column in known]
        return np.array(tree["value"]) + sum(lines)
    if tree["column"] in known:
        shares = tree["way"](row[tree["column"]])
        if shares is None:
            return np.array(tree["stops"])
    else:
        total = sum(cover for cover, _ in tree["ways"])
        shares = [cover / total for cover, _ in tree["ways"]]
    return sum(share * said(below, row, known) for share, (_, below) in zip(shares, tree["ways"]) if share)


def by_cover(trees):
    """The game of each row: a subset of columns -> what the sum of the trees says."""
    return lambda row, known: sum(said(tree, row, known) for tree in trees)


def by_background(predict, background):
    """The same against background rows: all other columns are taken from them."""

    def game(row, known):
        rows = np.array(background)
        rows[:, list(known)] = np.asarray(row)[list(known)]
        return np.asarray(predict(rows)).reshape(len(rows), -1).mean(axis=0)

    return game


def subsets(columns):
    return [set(some) for k in range(len(columns) + 1) for some in combinations(columns, k)]


def shapley_values(game, row, n_columns):
    """(columns, outputs)."""
    worth = {frozenset(some): game(row, some) for some in subsets(range(n_columns))}
    found = []
    for i in range(n_columns):
        total = 0.0
        for some in subsets([j for j in range(n_columns) if j != i]):
            weight = factorial(len(some)) * factorial(n_columns - len(some) - 1) / factorial(n_columns)
            total = total + weight * (worth[frozenset(some | {i})] - worth[frozenset(some)])
        found.append(total)
    return np.array(found)


def interactions(game, row, n_columns):
    """(columns, columns, outputs): half of a pair's interaction on either side, and the rest of each column."""
    worth = {frozenset(some): game(row, some) for some in subsets(range(n_columns))}
    found = np.zeros((n_columns, n_columns, len(worth[frozenset()])))
    for i, j in combinations(range(n_columns), 2):
        for some in subsets([k for k in range(n_columns) if k not in (i, j)]):
            weight = factorial(len(some)) * factorial(n_columns - len(some) - 2) / (2 * factorial(n_columns - 1))
            both, first, second = (worth[frozenset(some | one)] for one in ({i, j}, {i}, {j}))
            found[i, j] += weight * (both - first - second + worth[frozenset(some)])
        found[j, i] = found[i, j]
    alone = shapley_values(game, row, n_columns)
    for i in range(n_columns):
        found[i, i] = alone[i] - found[i].sum(axis=0)
    return found
