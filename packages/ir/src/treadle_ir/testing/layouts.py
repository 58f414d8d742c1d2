"""Arrays and how they lie, written as types show them: `8@x,4`, `8,4{U:x}`."""

from __future__ import annotations

import numpy as np

from treadle_ir import (
    AbstractMesh,
    ArrayType,
    AxisType,
    Primitive,
    Sums,
    result_layouts,
    sums_of,
    with_sums,
)
from treadle_ir.layouts.laid import Laid, sizes_text

MESH = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)


def laid(text: str, dtype: str = "f4") -> Laid:
    """`8@x,4@(x,y)` as a type and a layout; `8,4{U:x}` is a sum that is put off, `{R:x}` has such cotangents."""
    shape, layout = [], []
    text, _, put_off = text.removesuffix("}").partition("{")
    kind, _, over = put_off.partition(":")
    axes = frozenset(over.strip("()").split(",")) if over else frozenset[str]()
    sums = Sums(unreduced=axes) if kind == "U" else Sums(reduced=axes)
    for entry in text.replace("(x,y)", "x+y").split(",") if text else []:
        size, _, names = entry.partition("@")
        shape.append(int(size))
        layout.append(tuple(names.split("+")) if names else ())
    return Laid(ArrayType(tuple(shape), np.dtype(dtype)), with_sums(layout, sums))


def of_results(primitive: Primitive, *operands: str | Laid) -> list[str]:
    """How the results of a primitive lie, written so."""
    given = [laid(each) if isinstance(each, str) else each for each in operands]
    types = [each.type for each in given]
    results = primitive.infer(*types)
    found = result_layouts(primitive, types, [each.layout for each in given], results, MESH)
    return [
        f"{sizes_text(type.shape, layout)}{sums_of(layout)}"
        for type, layout in zip(results, found, strict=True)
        if isinstance(type, ArrayType) and layout is not None
    ]
