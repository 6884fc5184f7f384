"""The slow twin of grow/binned/category_order.py: the order of categories, from sums in fractions and plain NumPy."""

from fractions import Fraction

import numpy as np


def smoothed_shares(codes, parts, weights):
    """{code: exact mean of each part, with one row of the whole added}; rows that lack a value are left out before."""
    whole = sum(weights)
    total = [sum(part) for part in zip(*parts, strict=True)]
    found = {}
    for code in sorted(set(codes)):
        rows = [i for i, one in enumerate(codes) if one == code]
        weight = sum(weights[i] for i in rows)
        sums = [sum(parts[i][c] for i in rows) for c in range(len(total))]
        found[code] = [(s + t / whole) / (weight + 1) for s, t in zip(sums, total, strict=True)]
    return found


def keys_of_pair(codes, amounts, weights):
    """{code: what it is ordered by}, of two classes or one number; weights are whole."""
    amounts, weights = [Fraction(a) for a in amounts], [Fraction(w) for w in weights]
    return {code: one[0] for code, one in smoothed_shares(codes, [[a] for a in amounts], weights).items()}


def parts_of_classes(labels, n_classes):
    """A one for the class of each row, in each output: labels (outputs, rows)."""
    rows = zip(*labels, strict=True)
    return [[int(c == label) for label, n in zip(row, n_classes, strict=True) for c in range(n)] for row in rows]


def keys_of_parts(codes, parts, weights):
    """({code: place along the first principal component}, how many times wider it is than the second).

    `parts` are a few numbers for each row, not yet multiplied by its weight, which is whole.
    """
    weights = [Fraction(int(w)) for w in weights]
    parts = [[Fraction(p) * w for p in row] for row, w in zip(parts, weights, strict=True)]
    n_parts = len(parts[0])
    shares = {code: np.array([float(x) for x in one]) for code, one in smoothed_shares(codes, parts, weights).items()}
    mean = np.array([float(sum(p[c] for p in parts) / sum(weights)) for c in range(n_parts)])
    spread = np.zeros((n_parts, n_parts))
    for code, share in shares.items():
        weight = float(sum(w for one, w in zip(codes, weights, strict=True) if one == code))
        spread += weight * np.outer(share - mean, share - mean)
    widths, directions = np.linalg.eigh(spread)
    ratio = widths[-1] / widths[-2] if widths[-2] > 1e-12 else np.inf
    return {code: float(share @ directions[:, -1]) for code, share in shares.items()}, ratio
