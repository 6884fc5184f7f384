"""The batched loop: what it asks of a backend, in which batches, and that looking ahead changes nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.distributed.level_growth import grow_batched
from spinney.grow.boosting.memory import NO_SLOT
from tests.compiled import few
from tests.grow.cases import (
    assert_same,
    cases,
    grow_cpu,
    grow_reference,
    make_case,
    make_dataset,
    make_limits,
    make_work,
)
from tests.oracles.boosting_batches import ReferenceBackend


class Recorder(ReferenceBackend):
    """Notes the batches, and holds the loop to its contract."""

    def __init__(self):
        self.batches = []
        self.owner = {}  # slot -> (depth, start) of the node whose histogram stands there

    def build_histograms(self, nodes):
        if len(nodes) == 1:
            assert (nodes[0]["depth"], nodes[0]["begin"], nodes[0]["end"]) == (0, 0, len(self.rows))
            self.owner[int(nodes[0]["slot"])] = (0, 0)
        else:
            for left, right in zip(nodes[::2], nodes[1::2], strict=True):
                self._check_pair(left, right)
        super().build_histograms(nodes)

    def _check_pair(self, left, right):
        """A backend may build the small child's histogram and subtract it from what stands in the big one's slot."""
        small, big = (left, right) if left["count"] <= right["count"] else (right, left)
        assert small["slot"] != NO_SLOT
        if big["slot"] != NO_SLOT:
            assert self.owner[int(big["slot"])] == (left["depth"] - 1, left["begin"])
            parent = self.histograms[int(big["slot"])]
            own, other = (self.histogram(self.places[node["depth"], node["begin"]]) for node in (big, small))
            np.testing.assert_array_equal(parent - other, own)
        for node in (left, right):
            if node["slot"] != NO_SLOT:
                self.owner[int(node["slot"])] = (int(node["depth"]), int(node["begin"]))

    def find_splits(self, nodes, allowed):
        assert (nodes["slot"] != NO_SLOT).all()
        assert len(set(nodes["slot"].tolist())) == len(nodes)
        assert allowed.shape == (len(nodes), len(self.table.columns))
        assert not np.delete(allowed, self.limits.features, axis=1).any()
        for node in nodes:
            assert self.owner[int(node["slot"])] == (node["depth"], node["begin"])
        return super().find_splits(nodes, allowed)

    def partition_rows(self, nodes):
        self.batches.append(len(nodes))
        return super().partition_rows(nodes)


@pytest.mark.kernels
@few(60, plain=40)
@given(case=cases(), lookahead=st.integers(0, 5))
def test_the_contract(case, lookahead):
    grow_batched(Recorder(), case.table, case.rows, case.limits, make_work(case), lookahead)


@pytest.mark.kernels
@few(60, plain=40)
@given(case=cases(), lookahead=st.integers(1, 5))
def test_looking_ahead_changes_nothing(case, lookahead):
    assert_same(grow_reference(case, lookahead), grow_cpu(case))


def noise(max_leaves):
    """Below any node may be a better split than all those known."""
    derivatives = np.stack((np.random.RandomState(0).randn(128), np.ones(128)), axis=1)
    return make_case(make_dataset([np.arange(128.0)]), derivatives, make_limits(1, max_leaves=max_leaves))


def balanced(best_first, max_leaves):
    """32 values in a row: the tree is a full one of five levels."""
    x = np.repeat(np.arange(32.0), 4)
    derivatives = np.stack((x, np.ones(128)), axis=1)
    return make_case(make_dataset([x]), derivatives, make_limits(1, best_first=best_first, max_leaves=max_leaves))


def batches(case, lookahead=0):
    recorder = Recorder()
    n_nodes = grow_batched(recorder, case.table, case.rows, case.limits, make_work(case), lookahead)
    return recorder.batches, n_nodes


@pytest.mark.kernels
def test_level_by_level_a_batch_is_a_level():
    assert batches(balanced(False, 32)) == ([1, 2, 4, 8, 16], 63)
    assert batches(balanced(False, 20)) == ([1, 2, 4, 8, 4], 39)  # within the leaf budget
    assert batches(balanced(False, 16)) == ([1, 2, 4, 8], 31)


@pytest.mark.kernels
def test_best_first_a_batch_is_the_first_node_and_the_next_few():
    assert batches(balanced(True, 32)) == ([1] * 31, 63)
    steps, n_nodes = batches(balanced(True, 32), lookahead=3)
    assert n_nodes == 63
    assert max(steps) == 4
    assert len(steps) < 16
    assert sum(steps) == 31  # in a full tree nothing is opened in vain


@pytest.mark.kernels
def test_nodes_opened_in_vain_stay_leaves():
    steps, n_nodes = batches(noise(8), lookahead=3)
    assert n_nodes == 15
    assert sum(steps) > 7
    assert_same(grow_reference(noise(8), 3), grow_cpu(noise(8)))


@pytest.mark.kernels
def test_no_looking_ahead_where_columns_are_drawn_by_node_number():
    x = np.repeat(np.arange(32.0), 4)
    limits = make_limits(2, node_features=1)
    case = make_case(make_dataset([x, x[::-1]]), np.stack((x, np.ones(128)), axis=1), limits)
    assert set(batches(case, lookahead=3)[0]) == {1}


@pytest.mark.kernels
def test_nothing_is_built_for_nodes_that_will_not_be_split():
    built = []

    class Builder(ReferenceBackend):
        def build_histograms(self, nodes):
            built.append(int((nodes["slot"] != NO_SLOT).sum()))
            super().build_histograms(nodes)

    case = balanced(False, 4)
    grow_batched(Builder(), case.table, case.rows, case.limits, make_work(case))
    assert built == [1, 2]  # the root, its children, and no histogram for the four leaves
