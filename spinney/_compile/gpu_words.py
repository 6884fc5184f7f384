"""What numba-cuda lacks of what the CPU's inner kernels call, so that the same functions are compiled for both."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from spinney._compile.intrinsics import either, view_as_float, view_as_int


def teach_compiler() -> None:
    """Add these words to numba-cuda, which must have been imported."""
    from numba.cuda import ufuncs
    from numba.cuda.typing.templates import infer_global, make_intrinsic_template

    for one in (view_as_int, view_as_float):
        template = make_intrinsic_template(one, one._defn, one._name, prefer_literal=False, kwargs={"target": "cuda"})
        infer_global(one, types.Function(template))

    def choose(typing_context: Any, condition: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.select(*arguments)

        return first(types.boolean, first, first), generate

    template = make_intrinsic_template(either, choose, "either", prefer_literal=False, kwargs={"target": "cuda"})
    infer_global(either, types.Function(template))

    def floor(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.call(builder.module.declare_intrinsic("llvm.floor", [arguments[0].type]), arguments)

    def rint(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, module = ir.FunctionType(arguments[0].type, [arguments[0].type]), builder.module
        own = module.globals.get("__nv_rint") or ir.Function(module, kind, "__nv_rint")  # NVVM has no other
        return builder.call(own, arguments)

    ufuncs.ufunc_db().setdefault(np.floor, {"d->d": floor})
    ufuncs.ufunc_db().setdefault(np.rint, {"d->d": rint})
