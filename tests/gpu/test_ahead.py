"""Which node is split before which, best-first: what gains above them say is what a plain frontier does."""

from tests.gpu.test_fits import simulate

_DRAWN = """
import numpy as np
from types import SimpleNamespace
from spinney.gpu import ahead

def draw(rng, n):
    \"\"\"A tree of n splits, by draft: parents, depths, gains (few different ones, so that many are equal).\"\"\"
    parent, depth, open_ends = [-1], [0], [0]
    while len(parent) < n:
        above = open_ends.pop(rng.integers(len(open_ends)))
        for _ in range(2):
            open_ends.append(len(parent))
            parent.append(above)
            depth.append(depth[above] + 1)
    return parent, depth, rng.integers(1, rng.integers(2, 9), len(parent)).astype(float)

def split_in_turn(parent, gain):
    \"\"\"The drafts in a frontier's order: the largest gain first, of equal ones the one that was made first.\"\"\"
    frontier, order, made = {0: 0}, [], 1
    while frontier:
        best = max(frontier, key=lambda one: (gain[one], -frontier[one]))
        del frontier[best]
        order.append(best)
        for child in [k for k, above in enumerate(parent) if above == best]:
            frontier[child], made = made, made + 1
    return order

rng, wrong, pairs = np.random.default_rng(0), 0, 0
for _ in range(60):
    parent, depth, gain = draw(rng, 21)
    order = split_in_turn(parent, gain)
    tree = SimpleNamespace(parent=parent, nodes=[SimpleNamespace(depth=d, gain=g) for d, g in zip(depth, gain)])
    place = {draft: k for k, draft in enumerate(order)}
    for one in place:
        for other in place:
            if one != other:
                pairs += 1
                wrong += bool(ahead._comes_before(tree, one, other)) != (place[one] < place[other])
print(wrong, pairs > 20_000)
"""


def test_the_order_of_two_splits_follows_from_the_gains_above_them():
    assert simulate(1, "-c", _DRAWN) == "0 True"
