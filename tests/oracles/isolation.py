"""An isolation tree in plain Python, slow and obvious: lists, recursion and a hash of its own. Shares no code."""

import math
import sys

ALL = (1 << 64) - 1


def mix(key, index):
    """SplitMix64: the number after `index` steps from `key`."""
    z = (key + (index + 1) * 0x9E3779B97F4A7C15) & ALL
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ALL
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ALL
    return z ^ (z >> 31)


def tree_key(seed, number):
    return mix(mix(seed, 3), number)


def grow(rows, n_categories, key, max_depth, depth=0):
    """A node as a dict; `rows` are lists of values, None for missing."""
    node = {"n": len(rows), "depth": depth}
    if depth == max_depth or len(rows) < 2:
        return node
    columns, j, known = list(range(len(n_categories))), None, []
    for k in range(len(columns)):
        other = k + mix(key, k) % (len(columns) - k)
        columns[k], columns[other] = columns[other], columns[k]
        known = [row[columns[k]] for row in rows if row[columns[k]] is not None]
        if known and (len(set(known)) > 1 or len(known) < len(rows)):
            j = columns[k]
            break
    if j is None:
        return node
    own, some_missing = mix(key, 1000 + j), len(known) < len(rows)
    coin = mix(own, 1) & 1 == 1
    if n_categories[j] == 0:
        if len(set(known)) > 1:
            chance = (mix(own, 0) >> 11) * 2.0**-53
            least, greatest = max(min(known), -sys.float_info.max), min(max(known), sys.float_info.max)
            threshold = least * (1.0 - chance) + greatest * chance
            if not min(known) <= threshold < max(known):
                threshold = min(known)
        else:
            threshold, coin = math.inf, False
        goes_left = lambda value: value <= threshold
        node["threshold"] = threshold
    else:
        for k in range(64):
            draw = mix(own, 2 + k)
            half = {c for c in range(n_categories[j]) if mix(draw, c // 64) >> (c % 64) & 1}
            if len(set(known)) == 1:
                coin = known[0] not in half
                break
            if 0 < sum(value in half for value in known) < len(known):
                break
        goes_left = lambda value: value in half
        node["set"] = half
    if not some_missing:
        coin = 2 * sum(map(goes_left, known)) > len(rows)
    left = [row for row in rows if (coin if row[j] is None else goes_left(row[j]))]
    right = [row for row in rows if not (coin if row[j] is None else goes_left(row[j]))]
    node.update(feature=j, missing_left=coin)
    node["children"] = [
        grow(side, n_categories, mix(key, k), max_depth, depth + 1) for k, side in enumerate((left, right))
    ]
    return node


def preorder(node):
    yield node
    for child in node.get("children", ()):
        yield from preorder(child)


def depth_of(n, depth):
    """How deep a leaf of n rows counts: Liu, Ting and Zhou's c(n) on top of its own depth."""
    if n <= 2:
        return depth + (1.0 if n == 2 else 0.0)
    return depth + 2.0 * (math.log(n - 1) + 0.5772156649015329) - 2.0 * (n - 1) / n
