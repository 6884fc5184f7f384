"""The slow, obvious twin of C5.0's rounds: plain Python over rows, with `C45Classifier` for the trees.

In: a table, classes as numbers, weights or None. Out: the trees and, round by round, every row's weight in rows.
Nothing is shared with the package but the trees.
"""

import numpy as np

from spinney import C45Classifier


def leaf_parts(tree, row, node=0, part=1.0):
    """(part of the row, leaf) wherever it ends; values are those of the tree's columns, None if missing."""
    children = tree.children_of(node).tolist()
    if not children:
        return [(part, node)]
    value = row[tree.feature[node]]
    if value is None or value != value:
        total = sum(tree.weight[child] for child in children)
        shares = [(child, tree.weight[child] / total) for child in children if tree.weight[child] > 0]
        return [end for child, share in shares for end in leaf_parts(tree, row, child, part * share)]
    way = int(value) if np.isnan(tree.threshold[node]) else int(value > tree.threshold[node])
    return leaf_parts(tree, row, children[way], part)


def vote(tree, row):
    """(class, confidence) of a tree for a row."""
    n_classes = tree.answers.shape[2]
    shares, weight = [0.0] * n_classes, 0.0
    for part, leaf in leaf_parts(tree, row):
        counts = tree.answers[leaf, 0]
        weight += part * sum(counts)
        for c in range(n_classes):
            shares[c] += part * counts[c] / sum(counts)
    named = max(range(n_classes), key=lambda c: shares[c])
    prior = tree.answers[0, 0, named] / sum(tree.answers[0, 0])
    return named, (weight * shares[named] + prior) / (weight + 1)


def boost(X, y, trials, weights=None, **settings):
    """C5.0's trials; `X`: numbers, NaN is missing."""
    n = len(y)
    weight = [1.0] * n if weights is None else [float(w) for w in weights]
    left = sum(w > 0 for w in weight)
    weight = [w * left / sum(weight) for w in weight]
    members, history, votes = [], [list(weight)], [[0.0] * (max(y) + 1) for _ in range(n)]
    for t in range(trials):
        # not whole, so that they are not taken for repetitions
        tree = C45Classifier(**settings).fit(X, y, np.array(weight) * (1 + 1e-12)).tree_
        says = [vote(tree, row) for row in X.tolist()]
        wrong = [named != truth and w > 0 for (named, _), truth, w in zip(says, y, weight)]
        error = sum(w for w, bad in zip(weight, wrong) if bad)
        for row, (named, confidence) in enumerate(says):
            votes[row][named] += confidence
        useless = error / left >= 0.49 or (t > 0 and tree.n_nodes == 1)
        if t < trials - 1 and error >= 0.1 and useless and members:
            break
        members.append(tree)
        if t == trials - 1 or error < 0.1 or useless:
            break
        right = sum(weight) - error
        extra = (right - error) / 4
        for row, bad in enumerate(wrong):
            if weight[row] == 0:
                continue
            weight[row] = weight[row] + extra / sum(wrong) if bad else weight[row] * (right - extra) / right
            if t + 1 > trials / 2 and max(votes[row]) - votes[row][y[row]] > trials - 1 - t:
                weight[row] = 0.0
        left = sum(w > 0 for w in weight)
        weight = [w * left / sum(weight) for w in weight]
        weight = [max(w, 0.001) if w > 0 else 0.0 for w in weight]
        weight = [w * left / sum(weight) for w in weight]
        history.append(list(weight))
    if len(members) < trials and len(members) <= 2:
        return members[:1], history[:2]
    return members, history
