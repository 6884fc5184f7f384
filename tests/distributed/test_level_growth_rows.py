"""The CPU's kernels as a backend of the batched loop: the same trees, on one machine and on rows shared out."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.distributed.level_growth import CpuBackend, grow_batched
from spinney.grow.boosting import memory
from spinney.grow.boosting.freeze import freeze, lay
from spinney.grow.rules import Kinds
from tests.compiled import few
from tests.grow.cases import WAYS, assert_same, cases, grow_cpu, make_case, make_dataset, make_limits, make_work
from tests.grow.cases import _keep as keep_grown


def grow(case, n_threads, lookahead, **way):
    work = make_work(case, n_threads)._replace(**way)
    with Team(n_threads) as team:
        kinds = Kinds(True, case.limits.has_monotone or None)
        backend = CpuBackend(work, case.dataset.layout.size, kinds, team)
        n = grow_batched(backend, case.table, case.rows, case.limits, work, lookahead)
    return keep_grown(case, work, n)


@pytest.mark.slow
@pytest.mark.kernels
@few(60, plain=20)
@given(case=cases(), lookahead=st.integers(0, 3), n_threads=st.integers(1, 2), way=st.sampled_from(WAYS))
def test_the_same_trees(case, lookahead, n_threads, way):
    assert_same(grow(case, n_threads, lookahead, **way), grow_cpu(case))


class Machines:
    """Threads that play machines: `add_up` of machine k."""

    def __init__(self, n):
        self.n, self.barrier, self.sums = n, Barrier(n, timeout=300), [None] * n

    def add_up(self, k, sums):
        self.sums[k] = sums.copy()
        self.barrier.wait()
        total = np.sum(self.sums, axis=0)
        self.barrier.wait()
        return total


@pytest.mark.kernels
@pytest.mark.parametrize("best_first", [True, False])
def test_rows_shared_out_to_three(best_first):
    rng = np.random.RandomState(0)
    columns = [rng.randint(0, 9, 400).astype(float), rng.normal(size=400), rng.randint(0, 3, 400).astype(float)]
    columns[1][rng.rand(400) < 0.2] = np.nan
    dataset = make_dataset(columns, [True, False, False])
    derivatives = np.stack((rng.normal(size=400), np.ones(400)), axis=1)
    whole = make_case(dataset, derivatives, make_limits(3, max_leaves=12, best_first=best_first))
    parts = [np.arange(0, 5), np.arange(5, 6), np.arange(6, 400)]  # most nodes have no rows on two machines
    machines = Machines(3)

    def member(k):
        own = dataset.take(parts[k])
        rows = whole.rows._replace(n=len(parts[k]), derivatives=np.ascontiguousarray(whole.rows.derivatives[parts[k]]))
        rows = rows._replace(keys=whole.rows.keys[parts[k]])
        with Team(1, inline=True) as team:
            table = memory.make_table(own, np.zeros(3, np.int64), team)
            work = memory.make_work(own, len(parts[k]), 12, whole.rows.fields.block_rows, 1)
            backend = CpuBackend(work, own.layout.size, Kinds(True, None), team, lambda sums: machines.add_up(k, sums))
            n = grow_batched(backend, table, rows, whole.limits, work, 2)
        return freeze([lay(work.nodes, n, rows.fields)], dataset.bins)

    with ThreadPoolExecutor(3) as pool:
        grown = list(pool.map(member, range(3)))
    wanted = grow_cpu(whole).frozen
    for one in grown:
        assert one.feature.tolist() == wanted.feature.tolist()
        assert one.answers.tobytes() == wanted.answers.tobytes()
        assert one.gain.tobytes() == wanted.gain.tobytes()
