"""What the threads of a block do together, in shared memory. All of them must call these."""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import SIMULATED, cuda, gpu_function


@gpu_function
def running_sum(sums, value):
    """The sum of the values of this thread and those before it; afterwards `sums` holds all threads' answers."""
    thread = cuda.threadIdx.x
    cuda.syncthreads()
    sums[thread] = value
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        before = sums[thread - step] if thread >= step else np.int64(0)
        cuda.syncthreads()
        sums[thread] += before
        cuda.syncthreads()
        step *= 2
    return sums[thread]


@gpu_function
def best_of(scores, places, score, place, n):
    """The largest score of the first n threads and, of those that have it, the smallest place; into scores[0],
    places[0]. The others must have nothing to say."""
    thread = cuda.threadIdx.x
    cuda.syncthreads()
    scores[thread] = score
    places[thread] = place
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half >= n and half > 1:
        half //= 2
    while half > 0:
        if thread < half:
            other = thread + half
            if scores[other] > scores[thread] or (scores[other] == scores[thread] and places[other] < places[thread]):
                scores[thread] = scores[other]
                places[thread] = places[other]
        cuda.syncthreads()
        half //= 2


def _sync_warp() -> None:
    """The threads of a warp wait for each other. (The simulator's blocks are one warp.)"""
    cuda.syncthreads()


def _sync_true_warp() -> None:
    cuda.syncwarp()


sync_warp = gpu_function(_sync_warp if SIMULATED else _sync_true_warp)
