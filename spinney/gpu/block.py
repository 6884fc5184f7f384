"""What the threads of a block do together, in shared memory. All of them must call these."""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import cuda, gpu_function


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
def best_of(scores, places, score, place):
    """The largest score of all threads and, of those that have it, the smallest place; into scores[0], places[0]."""
    thread = cuda.threadIdx.x
    cuda.syncthreads()
    scores[thread] = score
    places[thread] = place
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if thread < half:
            other = thread + half
            if scores[other] > scores[thread] or (scores[other] == scores[thread] and places[other] < places[thread]):
                scores[thread] = scores[other]
                places[thread] = places[other]
        cuda.syncthreads()
        half //= 2
