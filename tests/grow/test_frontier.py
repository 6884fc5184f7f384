"""The frontier hands out nodes in the order of their keys, ties by number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.boosting.memory import NODE
from spinney.grow.rules import pop, priority, push
from tests.compiled import few, outer, records

pytestmark = pytest.mark.kernels

_push, _pop, _priority = outer(push), outer(pop), outer(priority)
KEYS = st.lists(st.sampled_from((-2.0, -1.5, 0.0, 3.0, np.inf)) | st.floats(allow_nan=False), min_size=1, max_size=40)


@few(80)
@given(KEYS, st.randoms(use_true_random=False))
def test_nodes_come_out_in_order(keys, random):
    nodes = records(len(keys), NODE)
    nodes.key = keys
    heap, size = np.empty(len(keys), np.int64), 0
    for node in random.sample(range(len(keys)), len(keys)):
        size = _push(heap, size, nodes, node)
    found = []
    while size:
        node, size = _pop(heap, size, nodes)
        found.append(node)
    assert found == sorted(range(len(keys)), key=lambda node: (keys[node], node))


@few(80)
@given(KEYS, st.data())
def test_pushes_and_pops_may_mix(keys, data):
    nodes = records(len(keys), NODE)
    nodes.key = keys
    heap, size, inside = np.empty(len(keys), np.int64), 0, []
    for node in range(len(keys)):
        size = _push(heap, size, nodes, node)
        inside.append(node)
        if data.draw(st.booleans()):
            first, size = _pop(heap, size, nodes)
            assert first == min(inside, key=lambda node: (keys[node], node))
            inside.remove(first)
    assert size == len(inside)
    assert sorted(heap[:size]) == sorted(inside)


def test_policies():
    assert _priority(True, 7, 2.5) < _priority(True, 3, 2.0)  # best-first: the larger gain
    assert _priority(False, 3, 2.0) < _priority(False, 7, 2.5)  # level-wise: the older node
