"""References: a NamedTuple that kernels hand on as one address.

Numba passes a tuple by value: one of twenty arrays is 140 numbers at every call, and all of them are copied, typed and
optimised in every function on the way. `refer(work)` at the top of a kernel writes them down once, and hands out their
address: `work.nodes` is then a read from there. (The compiler may take those reads as never changing, and does.) Members
that are NamedTuples are references again; `value_of(limits.penalty)` reads one whole, for a hot loop.

A reference lives as long as the call of the kernel that made it: it is handed down, never returned.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba.core import cgutils, types
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AttributeTemplate
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import infer_getattr
from numba.extending import intrinsic
from llvmlite import ir as llvm

from spinney._compile.settings import PLAIN_PYTHON

T = TypeVar("T")


class Reference(types.Type):
    """The address of a NamedTuple's members."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        super().__init__(name=f"Reference({whole.name})")

    @property
    def instance_class(self) -> type:
        kind: type = self.whole.instance_class
        return kind

    @property
    def key(self) -> Any:
        return self.whole


@register_default(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, llvm.IntType(8).as_pointer())


_NAMED = (types.NamedTuple, types.NamedUniTuple)


@infer_getattr
class _Members(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference: Any, name: str) -> Any:
        fields = reference.whole.fields
        if name not in fields:
            return None
        kind = reference.whole.types[fields.index(name)]
        return Reference(kind) if isinstance(kind, _NAMED) else kind


@lower_getattr_generic(Reference)
def _read_member(context: Any, builder: Any, kind: Any, address: Any, name: str) -> Any:
    place = kind.whole.fields.index(name)
    whole = builder.bitcast(address, context.get_value_type(kind.whole).as_pointer())
    member = cgutils.gep_inbounds(builder, whole, 0, place)
    return _read(context, builder, kind.whole.types[place], member, nested=True)


def _read(context: Any, builder: Any, kind: Any, address: Any, nested: bool) -> Any:
    """A member: the address of a NamedTuple, or all the numbers of anything else."""
    if nested and isinstance(kind, _NAMED):
        return builder.bitcast(address, llvm.IntType(8).as_pointer())
    if isinstance(kind, types.Array):
        return _read_array(context, builder, kind, address)
    return _read_all(builder, address)


def _read_array(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    array = context.make_array(kind)(context, builder)
    shape = address.type.pointee
    for place, name in enumerate(("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")):
        part = shape.elements[place]
        if name in ("meminfo", "parent"):  # whoever called has the array in hand
            value = llvm.Constant(part, None)
        elif name == "itemsize":
            value = llvm.Constant(part, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        else:
            value = _read_all(builder, cgutils.gep_inbounds(builder, address, 0, place))
        setattr(array, name, value)
    return array._getvalue()


def _read_all(builder: Any, address: Any) -> Any:
    """What stands at an address, number by number."""
    shape = address.type.pointee
    if not isinstance(shape, llvm.Aggregate):
        number = builder.load(address)
        number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number
    value = llvm.Constant(shape, llvm.Undefined)
    for place in range(len(shape.elements) if hasattr(shape, "elements") else shape.count):
        part = _read_all(builder, cgutils.gep_inbounds(builder, address, 0, place))
        value = builder.insert_value(value, part, place)
    return value


@intrinsic
def _refer(typing_context, whole):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        place = cgutils.alloca_once_value(builder, arguments[0])
        pointer = llvm.IntType(8).as_pointer()
        hidden = llvm.InlineAsm(llvm.FunctionType(pointer, [pointer]), "", "=r,0,~{memory}", side_effect=True)
        return builder.call(hidden, [builder.bitcast(place, pointer)])

    return Reference(whole)(whole), generate


refer = _refer if not PLAIN_PYTHON else (lambda whole: whole)
