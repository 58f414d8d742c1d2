"""Sharded types, written as errors show them: `8@x,4`, `8,4{U:x}`."""

from __future__ import annotations

import numpy as np

from treadle_ir import AbstractMesh, ArrayType, AxisType, Primitive, Sharding
from treadle_ir.core import PartialSums, with_partial_sums
from treadle_ir.sharding import sharded_results, sizes_text, specialised_primitive

MESH = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)


def sharded(text: str, dtype: str = "f4") -> ArrayType:
    """Return the type that `8@x,4@(x,y)` describes; `8,4{U:x}` is a partial sum, `{R:x}` has such cotangents."""
    shape, dims = [], []
    text, _, partial = text.removesuffix("}").partition("{")
    kind, _, over = partial.partition(":")
    axes = frozenset(over.strip("()").split(",")) if over else frozenset[str]()
    sums = PartialSums(unreduced=axes) if kind == "U" else PartialSums(reduced=axes)
    for entry in text.replace("(x,y)", "x+y").split(",") if text else []:
        size, _, names = entry.partition("@")
        shape.append(int(size))
        dims.append(tuple(names.split("+")) if names else ())
    return ArrayType(
        tuple(shape), np.dtype(dtype), False, Sharding(MESH, with_partial_sums(dims, sums))
    )


def of_results(primitive: Primitive, *operands: str | ArrayType) -> list[str]:
    """Return the sizes and shardings of a primitive's results, written so."""
    types = tuple([sharded(each) if isinstance(each, str) else each for each in operands])
    plain = primitive.infer(*[type.unsharded for type in types])
    primitive = specialised_primitive(primitive, types, MESH)
    return [
        f"{sizes_text(type.shape, type.sharding.dims)}{type.sharding.partial}"
        for type in sharded_results(primitive, types, plain, MESH)
        if isinstance(type, ArrayType) and type.sharding is not None
    ]
