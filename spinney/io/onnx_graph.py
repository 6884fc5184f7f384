"""A graph of ONNX in the making: nodes, constants and names that do not clash.

In: calls, one per operator. Out: lists of protobuf messages. Only this file and its `onnx_*` neighbours know ONNX.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spinney._distribution import install_command

ML = "ai.onnx.ml"
OPSETS = {"": 18, ML: 5}
IR_VERSION = 10  # that of the first release with ai.onnx.ml 5


def import_onnx() -> Any:
    """The onnx package, or an ImportError that says how to get it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError(f"to_onnx needs the package onnx: {install_command('onnx')}") from error
    return onnx


def text_of(name: str) -> str:
    """A string as protobuf can hold it: lone surrogates are written out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


class Graph:
    """Collects nodes and constants."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.onnx = import_onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._taken = set(taken)
        self._known: dict[tuple[Any, ...], str] = {}

    def name(self, wanted: str) -> str:
        """A name that nothing has yet."""
        name, k = wanted, 0
        while name in self._taken:
            name, k = f"{wanted}_{k}", k + 1
        self._taken.add(name)
        return name

    def tensor(self, values: np.ndarray, name: str = "") -> Any:
        """A NumPy array as a message; strings one by one, all else as bytes."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        if values.dtype.kind in "UO":
            words = [text_of(str(one)).encode() for one in values.ravel().tolist()]
            return helper.make_tensor(name, kinds.STRING, values.shape, words)
        plain = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(values.dtype))
        return helper.make_tensor(name, kind, values.shape, plain.tobytes(), raw=True)

    def constant(self, values: Any, wanted: str = "constant") -> str:
        """The name of a constant; equal small ones are kept once."""
        array = np.asarray(values)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.dtype.kind in "iufb" and array.size < 9 else ()
        if key and key in self._known:
            return self._known[key]
        name = self.name(f"spinney/{wanted}")
        self.constants.append(self.tensor(array, name))
        if key:
            self._known[key] = name
        return name

    def add(self, operator: str, inputs: Sequence[str], output: str = "", domain: str = "", **attributes: Any) -> str:
        """A node of one output; returns the output's name."""
        name = output or self.name(f"spinney/{operator}")
        node = self.onnx.helper.make_node(operator, list(inputs), [name], name=name, domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def cast(self, what: str, kind: str) -> str:
        return self.add("Cast", [what], to=getattr(self.onnx.TensorProto, kind))

    def scaled(self, operator: str, what: str, number: float, idle: float) -> str:
        """`what` with an operator and a number; itself where the number changes nothing."""
        return what if number == idle else self.add(operator, [what, self.constant(np.array(number))])
