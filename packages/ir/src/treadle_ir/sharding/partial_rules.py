"""Partial sums: which results are unreduced or reduced, if some of the operands are.

An operation that is linear in what is unreduced takes each device's term by itself, and its result is unreduced; before
any other it has to be added up, which moves data, so the user has to request it. What is reduced stays so, until a
product mixes it with what differs between devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

from treadle_ir.core.dtypes import is_inexact
from treadle_ir.core.families import Contraction
from treadle_ir.core.mesh import ClosedDimShardings
from treadle_ir.core.partial import NO_PARTIAL_SUMS, PartialSums, partial_sums_of
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.types import ArrayType
from treadle_ir.primitives.call import CheckpointName, OptimizationBarrier, StopGradient
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.contract import Convolution, DotGeneral
from treadle_ir.primitives.convert import Convert, Copy
from treadle_ir.primitives.cumulative import CumulativeAdd
from treadle_ir.primitives.elementwise import (
    Add,
    Complex,
    Conjugate,
    Divide,
    Imag,
    Multiply,
    Negate,
    Real,
    Subtract,
)
from treadle_ir.primitives.fourier import Fft
from treadle_ir.primitives.indexing.dynamic import DynamicSlice, DynamicUpdateSlice
from treadle_ir.primitives.indexing.gather import Gather
from treadle_ir.primitives.indexing.scatter import Scatter, ScatterAdd
from treadle_ir.primitives.memory import LayoutConstraint, ToMemory
from treadle_ir.primitives.metadata import ValueMetadata
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)
from treadle_ir.primitives.window import ReduceWindowAdd
from treadle_ir.sharding.sharded_type import ShardedType, refuse

ADD_UP: Final = "add it up first, `reshard(x, P(...))`, which says that devices exchange data"

_LINEAR: Final = (
    *(Add, Subtract, Negate, Complex, Real, Imag, Conjugate, Convert, Copy),
    *(StopGradient, CheckpointName, ValueMetadata, ToMemory, LayoutConstraint),
    *(BroadcastInDim, Concatenate, Pad, Reshape, Reverse, Slice, Transpose),
    *(CumulativeAdd, Fft, ReduceAdd, ReduceWindowAdd),
)
"""Linear in all their operands together."""

_LINEAR_IN: Final[dict[type[Primitive], tuple[int, ...]]] = {
    Divide: (0,),
    DynamicSlice: (0,),
    DynamicUpdateSlice: (0, 1),
    Gather: (0,),
    Scatter: (0, 2),
    ScatterAdd: (0, 2),
}
"""Linear in some of their operands together."""

_ADDS_WHOLE: Final = (Pad, Select)
"""An operand of these that is not a partial sum may be combined with partial sums."""

_PRODUCTS: Final = (Multiply, DotGeneral, Convolution)
"""Linear in each of their operands, while the other one stays."""


def result_partial_sums(
    primitive: Primitive,
    operands: Sequence[ShardedType],
    divided: Sequence[ClosedDimShardings],
    results: Sequence[ArrayType],
) -> list[PartialSums]:
    """Return the axes over which results that are divided so are partial sums.

    Raises:
        ShardingTypeError: the operation is not linear in what is unreduced, or operands do not go together.
    """
    if isinstance(primitive, OptimizationBarrier):
        return [partial_sums_of(each.dims) for each in operands]
    unreduced = {partial_sums_of(each.dims).unreduced for each in operands} - {frozenset()}
    if not unreduced:
        return [_reduced(primitive, operands)] * len(results)
    if len(unreduced) > 1:
        raise refuse(primitive, operands, "they are sums over different axes of the mesh", ADD_UP)
    (axes,) = unreduced
    summed = [i for i, each in enumerate(operands) if partial_sums_of(each.dims).unreduced]
    if partial_operands(primitive, summed, len(operands)) is None:
        linear = {*summed} <= {*_terms(primitive, summed, len(operands))}
        why = (
            f"one of them is a sum over {_listed(axes)} that is not added up yet, and another is not"
            if linear
            else f"it is not linear in the sum over {_listed(axes)}"
        )
        raise refuse(primitive, operands, why, ADD_UP)
    if any([not axes.isdisjoint(names) for dims in divided for names in dims]):
        raise refuse(primitive, operands, f"{_listed(axes)} divides the other one", ADD_UP)
    return [PartialSums(unreduced=axes)] * len(results)


def partial_operands(
    primitive: Primitive, summed: Sequence[int], count: int
) -> Sequence[int] | None:
    """Return the positions among `count` operands that have to be partial sums if `summed` are; None if they may not.

    Another operand of these positions is the term of the first device.
    """
    terms = _terms(primitive, summed, count)
    taken = [*terms] == [*summed] or (isinstance(primitive, _ADDS_WHOLE) and {*summed} <= {*terms})
    return terms if taken else None


def _terms(primitive: Primitive, summed: Sequence[int], count: int) -> Sequence[int]:
    """The positions among `count` operands in which an operation is linear together, where those `summed` are sums."""
    if isinstance(primitive, Convert) and not is_inexact(primitive.dtype):
        return ()  # to round a sum is not to round its terms
    if isinstance(primitive, _LINEAR):
        return range(count)
    if isinstance(primitive, Select):
        return range(1, count)
    if isinstance(primitive, _PRODUCTS):
        return summed[:1]
    return _LINEAR_IN.get(type(primitive), ())


def _reduced(primitive: Primitive, operands: Sequence[ShardedType]) -> PartialSums:
    """Return the axes over which results are reduced: as the operands, unless others are divided by those axes."""
    arrays = [each for each in operands if is_inexact(each.type.dtype)]
    found = {partial_sums_of(each.dims).reduced for each in arrays} - {frozenset()}
    if not found or isinstance(primitive, Contraction):
        return NO_PARTIAL_SUMS
    if len(found) == 1:
        (axes,) = found
        others = [
            each for each in arrays if each.type.ndim and not partial_sums_of(each.dims).reduced
        ]
        if not others:
            return PartialSums(reduced=axes)
        if all([axes.issubset(chain.from_iterable(each.dims)) for each in others]):
            return NO_PARTIAL_SUMS
    raise refuse(
        primitive,
        operands,
        "they are not reduced over the same axes of the mesh, nor divided by them",
        "reshard one like the other first: `reshard(x, P(..., reduced={...}))`",
    )


def _listed(axes: frozenset[str]) -> str:
    return " and ".join(map(repr, sorted(axes)))
