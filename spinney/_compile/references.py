"""References: a NamedTuple that kernels hand on as one address.

Numba passes a tuple by value: one of twenty arrays is 140 numbers at every call, which are typed, copied and optimised
in every function on the way. `refer(work)`, at the top of a kernel, writes them down once and gives their address:
`work.nodes` is then a read from there. The compiler may take what it reads as never changing, and keeps it in
registers. Members that are NamedTuples are references again.

    work (by value)     [ nodes: 7 numbers | state: 7 numbers | rows: 9 numbers | ... ]      at every call
    work (referred to)  [ address ] -> [ nodes | state | rows | ... ]                        once, on the kernel's stack

A reference lives as long as the call of the kernel that made it: it is handed down, never returned.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic

from spinney._compile.settings import PLAIN_PYTHON

_NAMED = (types.NamedTuple, types.NamedUniTuple)


def _address() -> Any:
    return ir.IntType(8).as_pointer()


class Reference(types.Type):
    """The type of a reference to a NamedTuple."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        super().__init__(name=f"Reference({whole.name})")

    @property
    def instance_class(self) -> type:
        kind: type = self.whole.instance_class
        return kind

    def member(self, name: str) -> tuple[int, Any]:
        """A member's place and type."""
        place = self.whole.fields.index(name)
        return place, self.whole.types[place]


@register_default(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _address())


@infer_getattr
class _Members(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference: Any, name: str) -> Any:  # type: ignore[override]
        if name not in reference.whole.fields:
            return None
        _, kind = reference.member(name)
        return Reference(kind) if isinstance(kind, _NAMED) else kind


@lower_getattr_generic(Reference)
def _read_member(context: Any, builder: Any, reference: Any, address: Any, name: str) -> Any:
    place, kind = reference.member(name)
    whole = builder.bitcast(address, context.get_value_type(reference.whole).as_pointer())
    there = cgutils.gep_inbounds(builder, whole, 0, place)
    if isinstance(kind, _NAMED):
        return builder.bitcast(there, _address())
    return _read_array(context, builder, kind, there) if isinstance(kind, types.Array) else _read(builder, there)


def _read_array(context: Any, builder: Any, kind: Any, there: Any) -> Any:
    """An array, without what is known of it anyway; whoever called the kernel keeps it alive."""
    array = context.make_array(kind)(context, builder)
    for place, name in enumerate(("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")):
        part = there.type.pointee.elements[place]
        if name in ("meminfo", "parent"):
            value = ir.Constant(part, None)
        elif name == "itemsize":
            value = ir.Constant(part, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        else:
            value = _read(builder, cgutils.gep_inbounds(builder, there, 0, place))
        setattr(array, name, value)
    return array._getvalue()


def _read(builder: Any, there: Any) -> Any:
    """What stands at an address, number by number: LLVM forgets for whole structs that they never change."""
    shape = there.type.pointee
    if not isinstance(shape, ir.Aggregate):
        number = builder.load(there)
        number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number
    value = ir.Constant(shape, ir.Undefined)
    for place in range(len(shape)):
        value = builder.insert_value(value, _read(builder, cgutils.gep_inbounds(builder, there, 0, place)), place)
    return value


@intrinsic
def _refer(typing_context: Any, whole: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        there = builder.bitcast(cgutils.alloca_once_value(builder, arguments[0]), _address())
        # No instructions, but LLVM must not see that this address is where the numbers were just written to: a read
        # of what never changes would not wait for that.
        nothing = ir.InlineAsm(ir.FunctionType(_address(), [_address()]), "", "=r,0,~{memory}", side_effect=True)
        return builder.call(nothing, [there])

    return Reference(whole)(whole), generate


def _itself(whole: Any) -> Any:
    return whole


refer: Any = _itself if PLAIN_PYTHON else _refer
