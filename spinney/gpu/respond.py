"""From sums over trees to answers, on the GPU: start values, means, links, probabilities, classes and their labels.

In: arrays on the GPU. Out: others there. Formulas are the CPU's own: `criteria/` for links, `log_total` as in
ensemble/boosting/gradients.py; of equals the first is the largest, as in NumPy.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from spinney._compile.cuda import SIMULATED, Stream, cuda, gpu_kernel
from spinney.criteria.exp_log import exp
from spinney.gpu.memory import THREADS, blocks_for, check_memory
from spinney.gpu.statistics import log_total


def _launch(kernel: Any, stream: Stream, n: int, *arguments: Any) -> None:
    """A thread for each of n rows, or for some of them."""
    kernel.launch(stream, blocks_for(n, THREADS, waves=32), THREADS, arguments)


@gpu_kernel
def _fill_starts(starts, out):
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        for k in range(out.shape[0]):
            out[k, i] = starts[k]


def begin_scores(stream: Stream, start: np.ndarray, n: int) -> Any:
    """(outputs, rows): what raw scores begin with, (outputs,) or of every row; of the same type."""
    check_memory(8 * n * len(start), "the scores of this many rows")
    if start.ndim == 2:
        return stream.put(np.ascontiguousarray(start))
    out = stream.empty((len(start), n), start.dtype)
    _launch(_fill_starts, stream, n, stream.put(start), out)
    return out


@gpu_kernel
def _divide(line, number):
    for i in range(cuda.grid(1), line.size, cuda.gridsize(1)):
        line[i] = line[i] / number


def divide(stream: Stream, array: Any, number: float) -> Any:
    """In place."""
    size = int(np.prod(array.shape))
    _launch(_divide, stream, size, array.reshape(size), float(number))
    return array


# --- links -----------------------------------------------------------------------------------------------------------


@functools.cache
def _responses_of(formula: Any) -> Any:
    @gpu_kernel
    def fill_responses(raw, out):
        for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
            out[i] = formula(0.0, raw[0, i])

    return fill_responses


@functools.cache
def _chances_of(formula: Any) -> Any:
    @gpu_kernel
    def fill_chances(raw, out):
        for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
            chance = formula(0.0, raw[0, i])
            out[i, 0] = 1.0 - chance
            out[i, 1] = chance

    return fill_chances


@functools.cache
def _seconds_of(formula: Any) -> Any:
    @gpu_kernel
    def choose_second(raw, out):
        for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
            out[i] = 1 if formula(0.0, raw[0, i]) > 0.5 else 0

    return choose_second


@gpu_kernel
def _fill_softmax(raw, out):
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        total = log_total(raw, i)
        for k in range(raw.shape[0]):
            out[i, k] = exp(raw[k, i] - total)


@gpu_kernel
def _choose_largest(raw, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        best, most = 0, raw[0, i]
        for k in range(1, raw.shape[0]):
            if raw[k, i] > most:
                best, most = k, raw[k, i]
        out[i] = best


@gpu_kernel
def _turn(raw, out):
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        for k in range(out.shape[1]):
            out[i, k] = raw[k, i]


def respond(stream: Stream, formula: Any, raw: Any) -> Any:
    """Predicted numbers from raw scores (1, rows), by a link of `criteria/losses.py`."""
    out = stream.empty(raw.shape[1], np.float64)
    _launch(_responses_of(formula), stream, out.size, raw, out)
    return out


def chances(stream: Stream, formula: Any, raw: Any) -> Any:
    """Probabilities (rows, classes) from raw scores (outputs, rows); by softmax for three or more classes."""
    n_outputs, n = raw.shape
    out = stream.empty((n, max(2, n_outputs)), np.float64)
    _launch(_fill_softmax if n_outputs > 1 else _chances_of(formula), stream, n, raw, out)
    return out


def choose(stream: Stream, formula: Any, raw: Any) -> Any:
    """int64 (rows,): the most probable class."""
    out = stream.empty(raw.shape[1], np.int64)
    _launch(_choose_largest if raw.shape[0] > 1 else _seconds_of(formula), stream, out.size, raw, out)
    return out


def turned(stream: Stream, raw: Any) -> Any:
    """(rows, outputs) from (outputs, rows)."""
    out = stream.empty(raw.shape[::-1], np.float64)
    _launch(_turn, stream, raw.shape[1], raw, out)
    return out


# --- shares of classes -----------------------------------------------------------------------------------------------


@gpu_kernel
def _choose_shares(shares, out):
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        for o in range(out.shape[1]):
            best, most = 0, shares[i, o, 0]
            for c in range(1, shares.shape[2]):
                if shares[i, o, c] > most:
                    best, most = c, shares[i, o, c]
            out[i, o] = best


@gpu_kernel
def _take_part(shares, output, out):
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        for c in range(out.shape[1]):
            out[i, c] = shares[i, output, c]


@gpu_kernel
def _name(numbers, labels, out, at):
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[i, at] = labels[np.int64(numbers[i, at])]


def choose_of_shares(stream: Stream, shares: Any) -> Any:
    """int64 (rows, outputs): the class with the largest share, of (rows, outputs, classes)."""
    out = stream.empty(shares.shape[:2], np.int64)
    _launch(_choose_shares, stream, out.shape[0], shares, out)
    return out


def part_of(stream: Stream, shares: Any, output: int, n_classes: int) -> Any:
    """(rows, classes) of one output."""
    out = stream.empty((shares.shape[0], n_classes), np.float64)
    _launch(_take_part, stream, out.shape[0], shares, output, out)
    return out


def labels_of(stream: Stream, numbers: Any, classes: list[np.ndarray]) -> Any:
    """The labels of class numbers (rows, outputs); where a GPU has no such labels (strings), an array here."""
    dtype = np.result_type(*classes)
    if any(one.dtype.kind not in "biuf" for one in classes):
        places = stream.read(numbers).astype(np.int64)
        return np.column_stack([own[places[:, o]] for o, own in enumerate(classes)])
    out = stream.empty(numbers.shape, dtype)
    for o, own in enumerate(classes):
        _launch(_name, stream, out.shape[0], numbers, stream.put(own.astype(dtype)), out, o)
    return out


def open_stream() -> Stream:
    """A queue for one answer."""
    return Stream()


def is_there(array: Any) -> bool:
    """Whether an answer is on the GPU."""
    return SIMULATED or not isinstance(array, np.ndarray)


def hand_over(like: Any, array: Any) -> Any:
    """An array on the GPU as one of the library that a table is of: CuPy's, torch's, or as it is. No copy is made."""
    library = type(like).__module__.partition(".")[0]
    if library == "cupy":
        import cupy  # type: ignore[import-not-found,unused-ignore]

        return cupy.asarray(array)
    if library == "torch":
        import torch  # type: ignore[import-not-found,unused-ignore]

        return torch.as_tensor(array, device=like.device)
    return array
