"""Objects that are on a GPU are known by what they say of themselves."""

import numpy as np
import pytest

from spinney.data.on_gpu import copy_here, here, is_on_gpu, view_on_gpu
from tests.gpu.stand_ins import Capsule, Cupy, Torch

KINDS = [Cupy, Torch, Capsule]


def seen(view):
    """The numbers where a view says that they are."""

    class Here:
        __array_interface__ = view.__cuda_array_interface__
        keeps = view

    return np.asarray(Here())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i8", "u2", "b1"])
def test_a_view_is_where_the_numbers_are(kind, dtype):
    array = (np.arange(60) % 7).reshape(6, 10).astype(dtype)
    for some in (array, array.T, array[1:, 2:7], array[::-1, ::-3], array[:, 0], array[:0]):
        view = view_on_gpu(kind(some))
        assert view.dtype == array.dtype
        assert np.array_equal(seen(view), some)
        line, first = view.as_line()
        flat = seen(line)
        places = first + sum(np.multiply(step, at) for step, at in zip(view.steps, np.indices(some.shape)))
        assert np.array_equal(flat[places.astype(int)], some)


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_told_from_what_is_here(kind):
    there = kind(np.arange(3.0))
    assert is_on_gpu(there)
    assert is_on_gpu(None, there)
    assert np.array_equal(copy_here(there), [0, 1, 2])
    assert np.array_equal(here(there), [0, 1, 2])


def test_others_are_here():
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0]})
    for value in (np.ones(3), [1, 2], None, frame, frame.a, Torch(np.ones(3), on_gpu=False), Capsule(np.ones(3), 1)):
        assert not is_on_gpu(value)
        assert here(value) is value


def test_an_object_that_cannot_say_is_here():
    class Broken(Capsule):
        def __dlpack_device__(self):
            raise RuntimeError("meta")

    assert not is_on_gpu(Broken(np.ones(3)))


def test_tensors_with_derivatives_are_read():
    there = Torch(np.arange(3.0), requires_grad=True)
    assert is_on_gpu(there)
    assert np.array_equal(seen(view_on_gpu(there)), [0, 1, 2])
    assert np.array_equal(copy_here(there), [0, 1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_number_is_refused(kind):
    with pytest.raises(
        TypeError, match=r"y is on the GPU and holds .*, which is not supported. Convert it to float32 or float64"
    ):
        view_on_gpu(kind(np.ones(3, complex)), "y")


def test_masks_and_parts_of_records_are_refused():
    class Masked(Torch):
        @property
        def __cuda_array_interface__(self):
            return {**self.array.__array_interface__, "mask": Cupy(np.ones(3, bool))}

    with pytest.raises(TypeError, match=r"X is on the GPU and has a mask, which is not supported. Mark missing values"):
        view_on_gpu(Masked(np.ones(3)))
    records = np.zeros(3, [("a", "f8"), ("b", "i4")])
    with pytest.raises(TypeError, match=r"X is a field of records on the GPU, which is not supported. Copy it"):
        view_on_gpu(Cupy(records["a"]))
