"""Examples of functions with batching rules that say what batching would."""

from __future__ import annotations

from typing import Final

from treadle_ir import ops
from treadle_ir.core.flows import Flags
from treadle_ir.primitives.custom_vmap import CustomBatching, CustomVmapCall
from treadle_ir.testing.examples import Example, array_type, example
from treadle_ir.tracing.array import Operand, Operands


def _product(x: Operand, y: Operand) -> list[Operand]:
    return [ops.multiply(ops.sine(x), y)]


def _batched(size: int, operands: Operands, flags: Flags) -> tuple[Operands, Flags]:
    shape = (size, 3)
    placed = [
        x if flag else ops.broadcast_in_dim(x, shape=shape, dimensions=(1,))
        for x, flag in zip(operands, flags, strict=True)
    ]
    return _product(*placed), (True,)


_F32: Final = array_type("f32[3]")
_CALL: Final = CustomVmapCall("product", _product, CustomBatching(_batched))
EXAMPLES: Final[list[Example]] = [
    example(_CALL.staged((_F32, _F32))[0], "f32[3]", "f32[3]", parses=False, reversible=False),
]
