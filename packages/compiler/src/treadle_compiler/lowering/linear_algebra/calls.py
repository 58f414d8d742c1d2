"""Calls of LAPACK on the CPU and of cuSOLVER on NVIDIA's devices: names, attributes and layouts.

Both are typed calls of XLA's foreign function interface that jaxlib brings; wrong attributes are found out when a
program runs. Matrices are column-major, in the last two axes, and the batch goes around them: XLA transposes where what
comes before or after wants another layout, and often nothing does. A routine of LAPACK is named by a letter for its
element type; `sy` and `or` become `he` and `un` for complex numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, MissingRuleError, Primitive, Type
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.process import frozen

_LETTERS: Final = {
    BY_NAME["f32"]: "s",
    BY_NAME["f64"]: "d",
    BY_NAME["c64"]: "c",
    BY_NAME["c128"]: "z",
}
_COMPLEX_NAMES: Final = {
    "syevd": "heevd",
    "sytrd": "hetrd",
    "orgqr": "ungqr",
    "ormqr": "unmqr",
}
I32: Final = np.dtype(np.int32)


@final
@frozen(eq=False)
class Routine:
    """A routine of one platform: the target of the call, and its attributes, as MLIR text."""

    target: str
    attributes: Mapping[str, str]


def lapack(name: str, a: HloValue, attributes: Mapping[str, str] | None = None) -> Routine:
    """LAPACK's routine for the element type of an operand, named as that for real numbers, without its letter."""
    if dtypes.is_complex(a.dtype):
        name = _COMPLEX_NAMES.get(name, name)
    return Routine(f"lapack_{_LETTERS[a.dtype]}{name}_ffi", attributes or {})


def hybrid(name: str, attributes: Mapping[str, str] | None = None) -> Routine:
    """A routine of LAPACK's on the host that works on a GPU's arrays, or of MAGMA where that is installed."""
    return Routine(f"cuhybrid_{name}", {"magma": '"auto"', **(attributes or {})})


def letter(value: str) -> str:
    """An attribute that is one of LAPACK's letters."""
    return f"{ord(value)} : ui8"


def flag(value: bool) -> str:
    """An attribute that is true or false."""
    return "true" if value else "false"


def call_routine(
    context: LoweringContext,
    primitive: Primitive,
    routines: Mapping[str, Routine],
    operands: HloValues,
    results: Sequence[ArrayType],
    *,
    vectors: Sequence[int] = (),
    in_place: Sequence[tuple[int, int]] = (),
) -> list[HloValue]:
    """The results of the platform's routine.

    `vectors` are the places of operands, then of results, whose last two axes are not a matrix. `in_place` pairs a
    result with the operand whose memory it may take over.

    Raises:
        MissingRuleError: the platform has no such routine.
    """
    routine = routines.get(context.platform)
    if routine is None:
        raise no_routine(context, primitive)
    values = [*[emit.array_type(x) for x in operands], *results]
    layouts = [_layout(len(x.shape), place not in vectors) for place, x in enumerate(values)]
    attributes = {
        "call_target_name": f'"{routine.target}"',
        "api_version": "4 : i32",
        "backend_config": _config(routine.attributes),
        "operand_layouts": f"[{', '.join(layouts[: len(operands)])}]",
        "result_layouts": f"[{', '.join(layouts[len(operands) :])}]",
    }
    if in_place:
        aliases = [_alias(result, operand, len(results)) for result, operand in in_place]
        attributes["output_operand_aliases"] = f"[{', '.join(aliases)}]"
    return context.emit("stablehlo.custom_call", operands, results, attributes)


def no_routine(context: LoweringContext, primitive: Primitive) -> MissingRuleError:
    """The error for a platform on which there is no such routine."""
    return MissingRuleError(
        f"{primitive.name}: there is no routine for it on platform {context.platform}",
        fix="run it on the CPU: `treadle.device_put(x, treadle.devices('cpu')[0])`",
    )


def _config(attributes: Mapping[str, str]) -> str:
    return f"{{{', '.join([f'{name} = {value}' for name, value in attributes.items()])}}}"


def _alias(result: int, operand: int, results: int) -> str:
    path = f"[{result}]" if results > 1 else "[]"
    return (
        f"#stablehlo.output_operand_alias<output_tuple_indices = {path}, operand_index = {operand}, "
        "operand_tuple_indices = []>"
    )


def _layout(rank: int, matrix: bool) -> str:
    """Axes, those first along which neighbours in memory differ."""
    axes = list(reversed(range(rank)))
    if matrix and rank >= 2:
        axes[:2] = axes[1], axes[0]
    return f"dense<{axes if axes else ''}> : tensor<{rank}xindex>"


def info_type(a: HloValue) -> ArrayType:
    """The type of the codes that say whether a routine did its work: one for each matrix."""
    return ArrayType(a.shape[:-2], I32)


def or_nan(
    context: LoweringContext,
    info: HloValue,
    results: HloValues,
    sound: HloValue | None = None,
) -> list[HloValue]:
    """Results where the routine's code is 0, which says that it did its work, and `sound` holds, else NaN."""
    done = emit.compare(context, info, emit.like(context, info, 0), "eq")
    if sound is not None:
        done = emit.binary(context, "and", done, sound)
    return [where_matrix(context, done, x, emit.like(context, x, np.nan)) for x in results]


def finite(context: LoweringContext, a: HloValue) -> HloValue:
    """Return whether a matrix has neither NaN nor infinity: not all routines report it."""
    difference = emit.binary(context, "subtract", a, a)
    zero = emit.compare(context, difference, emit.like(context, a, 0), "eq")
    rank = len(a.shape)
    return emit.reduce(context, "and", zero, True, (rank - 2, rank - 1))


def where_matrix(
    context: LoweringContext, condition: HloValue, x: HloValue, y: HloValue
) -> HloValue:
    """`x` in the matrices or vectors for which a condition holds, else `y`."""
    spread = emit.broadcast(context, condition, x.shape, range(len(condition.shape)))
    return emit.select(context, spread, x, y)


def triangle(
    context: LoweringContext, x: HloValue, *, lower: bool, strictly: bool = False
) -> HloValue:
    """Return whether an element of the matrices stands in a triangle, with the diagonal unless `strictly`."""
    rank = len(x.shape)
    row, column = (emit.iota(context, x.shape, I32, axis) for axis in (rank - 2, rank - 1))
    if lower:
        return emit.compare(context, row, column, "gt" if strictly else "ge")
    return emit.compare(context, row, column, "lt" if strictly else "le")


def keep(context: LoweringContext, condition: HloValue, x: HloValue) -> HloValue:
    """The elements for which a condition holds, the others zero."""
    return emit.select(context, condition, x, emit.like(context, x, 0))


def identities(context: LoweringContext, type: Type) -> HloValue:
    """Ones on the diagonals of matrices, and zeros."""
    assert isinstance(type, ArrayType)
    rank = type.ndim
    row, column = (emit.iota(context, type.shape, I32, axis) for axis in (rank - 2, rank - 1))
    type = type.strong()
    diagonal = emit.compare(context, row, column, "eq")
    return emit.select(context, diagonal, context.constant(1, type), context.constant(0, type))


def zeros(context: LoweringContext, type: Type) -> HloValue:
    """Zeros."""
    assert isinstance(type, ArrayType)
    return context.constant(0, type.strong())


def columns(context: LoweringContext, x: HloValue, count: int) -> HloValue:
    """The first columns of matrices."""
    axis = len(x.shape) - 1
    return x if x.shape[axis] == count else emit.slice(context, x, axis, 0, count)


def rows(context: LoweringContext, x: HloValue, count: int) -> HloValue:
    """The first rows of matrices."""
    axis = len(x.shape) - 2
    return x if x.shape[axis] == count else emit.slice(context, x, axis, 0, count)


def swapped(context: LoweringContext, x: HloValue) -> HloValue:
    """Rows as columns."""
    rank = len(x.shape)
    return emit.transpose(context, x, (*range(rank - 2), rank - 1, rank - 2))


def conjugate(context: LoweringContext, x: HloValue) -> HloValue:
    """Complex conjugates; real numbers are their own."""
    if not dtypes.is_complex(x.dtype):
        return x
    real, imag = emit.parts(context, x)
    type = ArrayType(x.shape, x.dtype)
    return context.one("stablehlo.complex", (real, emit.unary(context, "negate", imag)), type)
