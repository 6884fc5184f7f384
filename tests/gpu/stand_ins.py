"""Arrays that say that they are on a GPU, and are not: for the simulated GPU, whose memory is this machine's."""

import numpy as np


class Cupy:
    """What CuPy's arrays say of themselves; as with those, `np.asarray` is refused."""

    def __init__(self, array):
        self.array = np.asarray(array)
        self.shape, self.dtype = self.array.shape, self.array.dtype

    def __array__(self, *more, **options):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    def __len__(self):
        return len(self.array)

    def get(self):
        return self.array.copy()

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__array_interface__, "version": 3, "stream": 1}

    def __dlpack_device__(self):
        return 2, 0


class Torch:
    """What torch's tensors say: on the GPU or not, and with derivatives or not."""

    def __init__(self, array, on_gpu=True, requires_grad=False):
        self.array, self.on_gpu, self.requires_grad = np.asarray(array), on_gpu, requires_grad
        self.shape = self.array.shape

    def detach(self):
        return Torch(self.array, self.on_gpu)

    def cpu(self):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.array.copy()

    @property
    def __cuda_array_interface__(self):
        if self.requires_grad:
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")
        if not self.on_gpu:
            raise AttributeError("Can't get __cuda_array_interface__ on non-CUDA tensor type")
        return {**self.array.__array_interface__, "version": 2}

    def __dlpack_device__(self):
        return (2 if self.on_gpu else 1), 0


class Capsule:
    """An array that knows DLPack only."""

    def __init__(self, array, device=2):
        self.array, self.device, self.shape = array, device, array.shape

    def __array__(self, *more, **options):
        return self.array.copy()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0
