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
    """({code: place along the covariances with the widest part}, how many times wider it is than the next, squared).

    `parts` are a few numbers for each row, not yet multiplied by its weight, which is whole.
    """
    weights = [Fraction(int(w)) for w in weights]
    parts = [[Fraction(p) * w for p in row] for row, w in zip(parts, weights, strict=True)]
    shares, mean = (
        smoothed_shares(codes, parts, weights),
        [sum(part) / sum(weights) for part in zip(*parts, strict=True)],
    )
    of_code = {code: sum(w for one, w in zip(codes, weights, strict=True) if one == code) for code in shares}
    above = {code: [s - m for s, m in zip(share, mean, strict=True)] for code, share in shares.items()}
    spread = [sum(of_code[code] * one[c] ** 2 for code, one in above.items()) for c in range(len(mean))]
    widest = int(np.argmax(np.array([float(one) for one in spread])))
    direction = [sum(of_code[code] * one[widest] * one[c] for code, one in above.items()) for c in range(len(mean))]
    keys = {code: sum(d * x for d, x in zip(direction, one, strict=True)) for code, one in above.items()}
    others = [one for c, one in enumerate(spread) if c != widest]
    return keys, float(spread[widest] / max(others)) if max(others) > 0 else np.inf


def keeps_its_order(codes, parts, weights):
    """(Whether neighbours are alike, how much nearer they are than any two), from exact fractions."""
    weights = [Fraction(int(w)) for w in weights]
    parts = [[Fraction(p) * w for p in row] for row, w in zip(parts, weights, strict=True)]
    shares = list(smoothed_shares(codes, parts, weights).values())
    if len(shares) < 4:
        return len(shares) < 3, None

    def mean_distance(pairs):
        apart = [sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) for one, other in pairs]
        return sum(apart) / len(apart)

    pairs = [(one, other) for k, one in enumerate(shares) for other in shares[:k]]
    near, far = mean_distance(list(zip(shares[1:], shares[:-1], strict=True))), mean_distance(pairs)
    return 2 * near < far, float(near / far) if far else None
