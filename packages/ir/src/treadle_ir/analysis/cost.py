"""Floating-point operations and bytes moved, per equation.

Operations are counted as in the textbook algorithm, not as XLA compiles it: an elementwise operation is one
operation per element of the result, also if it is transcendental; each operand is read once and each result written
once, as if nothing were fused. An operation without a rule of its own counts one per element of its results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, final

from treadle_ir.analysis.iterations import is_exclusive, iterations
from treadle_ir.core.equality import has_programs, inside_out, programs_of
from treadle_ir.core.families import Conversion, Creation, Rearrangement, Reducing, Windowing
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.rules import RuleTable
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.primitives.call import CheckpointName, OptimizationBarrier, StopGradient
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.contract import Convolution, DotGeneral
from treadle_ir.primitives.elementwise import Complex, Imag, Real
from treadle_ir.primitives.fourier import Fft
from treadle_ir.primitives.indexing import (
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    Scatter,
    ScatterFamily,
)
from treadle_ir.primitives.memory import LayoutConstraint, ToMemory
from treadle_ir.primitives.metadata import ValueMetadata
from treadle_ir.primitives.shape import Reshape
from treadle_ir.primitives.sort import Sort, TopK
from treadle_ir.primitives.window import Windowed
from treadle_ir.process.frozen_classes import frozen


@final
@frozen
class Cost:
    """Operations and bytes moved; not `exact` where the number of iterations of a loop is unknown."""

    flops: int = 0
    bytes: int = 0
    exact: bool = True

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.flops + other.flops, self.bytes + other.bytes, self.exact and other.exact)

    def times(self, count: int) -> Cost:
        """Return the cost of `count` repetitions."""
        return Cost(self.flops * count, self.bytes * count, self.exact)


def _size(type: Type) -> int:
    return type.size if isinstance(type, ArrayType) else 0


def _shape(type: Type) -> tuple[int, ...]:
    return type.shape if isinstance(type, ArrayType) else ()


def _per_result(equation: Equation) -> int:
    return sum(_size(result.type) for result in equation.results)


def _per_operand(equation: Equation) -> int:
    return _size(equation.operands[0].type) if equation.operands else 0


def _nothing(equation: Equation) -> int:
    return 0


def _dot_general(equation: Equation) -> int:
    """Count two operations (multiply, add) per result element and contracted index."""
    assert isinstance(equation.primitive, DotGeneral)
    shape = _shape(equation.operands[0].type)
    contracted = math.prod(shape[axis] for axis in equation.primitive.contracting[0])
    return 2 * _per_result(equation) * contracted


def _convolution(equation: Equation) -> int:
    """Count two operations per result element and kernel element that meets an operand element, not the padding."""
    primitive = equation.primitive
    assert isinstance(primitive, Convolution)
    shape, kernel = [_shape(operand.type) for operand in equation.operands]
    (result,) = [_shape(each.type) for each in equation.results]
    flops = 2 * result[primitive.out_spec[0]] * result[primitive.out_spec[1]]
    flops *= kernel[primitive.rhs_spec[1]]
    for i in range(len(shape) - 2):
        flops *= _meetings(
            shape[primitive.lhs_spec[2 + i]],
            kernel[primitive.rhs_spec[2 + i]],
            result[primitive.out_spec[2 + i]],
            primitive.strides[i],
            primitive.padding[i][0],
            primitive.lhs_dilation[i],
            primitive.rhs_dilation[i],
        )
    return flops


def _meetings(
    size: int, kernel: int, places: int, stride: int, low: int, dilation: int, spread: int
) -> int:
    """Return how often kernel elements meet operand elements along an axis, over all positions of the window.

    At position `p`, kernel element `k` is at `stride p + spread k - low` of the dilated operand, which has an element
    at each multiple of `dilation`.
    """
    if not all(isinstance(n, int) for n in (size, kernel, places)):
        return kernel * places  # symbolic sizes
    period = dilation // math.gcd(dilation, stride)  # of the positions where elements may meet
    found = 0
    for k in range(kernel):
        offset = spread * k - low
        first = max(0, -(offset // stride))
        last = min(places - 1, ((size - 1) * dilation - offset) // stride)
        for p in range(first, min(first + period, last + 1)):
            if (stride * p + offset) % dilation == 0:
                found += (last - p) // period + 1
    return found


def _window(equation: Equation) -> int:
    """Count one operation per result element and position in the window."""
    assert isinstance(equation.primitive, Windowed)
    window = math.prod(equation.primitive.window_dimensions)
    return max(_per_result(equation), _per_operand(equation)) * window


def _sort(equation: Equation) -> int:
    """Count n log2 n comparisons along the axis."""
    assert isinstance(equation.primitive, Sort)
    length = _shape(equation.operands[0].type)[equation.primitive.dimension]
    return _per_operand(equation) * max(length - 1, 0).bit_length()


def _fft(equation: Equation) -> int:
    """Count 5 n log2 n operations for n complex numbers, and half as many for real numbers.

    Source: Frigo and Johnson, "The design and implementation of FFTW3", 2005: the count of radix 2 is used for every
    algorithm.
    """
    primitive = equation.primitive
    assert isinstance(primitive, Fft)
    levels = sum(math.log2(max(n, 1)) for n in primitive.lengths)
    numbers = max(_per_operand(equation), _per_result(equation))
    return round((2.5 if primitive.kind in ("rfft", "irfft") else 5) * numbers * levels)


def _updates(equation: Equation) -> int:
    """Count one operation per element of the updates."""
    return _size(equation.operands[-1].type)


Flops: TypeAlias = Callable[[Equation], int]

# The operations of a primitive or a family; without a rule, one per element of the results.
flops_rules: Final[RuleTable[Flops]] = RuleTable(
    "cost", "flops_rules.register", "treadle_ir/analysis"
)

# Primitives that only move, convert, create or mark elements.
WITHOUT_ARITHMETIC: Final = (
    Rearrangement,
    Creation,
    Conversion,
    StopGradient,
    CheckpointName,
    OptimizationBarrier,
    ValueMetadata,
    ToMemory,
    LayoutConstraint,
)

for _free in (
    *WITHOUT_ARITHMETIC,
    Gather,
    DynamicSlice,
    DynamicUpdateSlice,
    Scatter,
    Select,
    Real,
    Imag,
    Complex,
):
    flops_rules.register(_free, _nothing)
for _by_operand in (Reducing, TopK):
    flops_rules.register(_by_operand, _per_operand)
flops_rules.register(DotGeneral, _dot_general)
flops_rules.register(Convolution, _convolution)
flops_rules.register(Windowing, _window)
flops_rules.register(Sort, _sort)
flops_rules.register(Fft, _fft)
flops_rules.register(ScatterFamily, _updates)


def flops_of(equation: Equation) -> int:
    """Return the operations of one equation, without the operations of the programs nested in it."""
    return (flops_rules.get(type(equation.primitive)) or _per_result)(equation)


_NOT_MOVED: Final = (Reshape, StopGradient, CheckpointName, OptimizationBarrier, ValueMetadata)


def equation_costs(program: Program) -> list[Cost]:
    """Return the cost of each equation, in order.

    Nested programs count as often as they run: a scan its length, a loop its bound or else once (not `exact` in
    either case), a choice its most expensive branch.
    """
    return costs_of(program.equations)


def costs_of(equations: Sequence[Equation]) -> list[Cost]:
    """Return the cost of each of several equations, such as a part of a program; see `equation_costs`.

    Args:
        equations: the equations.
    """
    nested: dict[int, Cost] = {}
    inner = [each for equation in equations for each in programs_of(equation.primitive)]
    for each in inside_out(*inner):
        nested[id(each)] = _total([_cost(equation, nested) for equation in each.equations])
    return [_cost(equation, nested) for equation in equations]


def program_cost(program: Program) -> Cost:
    """Return the cost of a program."""
    return _total(equation_costs(program))


def _total(costs: Iterable[Cost]) -> Cost:
    flops = moved = 0
    exact = True
    for cost in costs:
        flops += cost.flops
        moved += cost.bytes
        exact = exact and cost.exact
    return Cost(flops, moved, exact)


def _cost(equation: Equation, nested: Mapping[int, Cost]) -> Cost:
    primitive = equation.primitive
    if has_programs(primitive) and primitive.programs():
        return _nested_cost(equation, [nested[id(each)] for each in programs_of(primitive)])
    flops = flops_of(equation)
    if isinstance(primitive, _NOT_MOVED):
        return Cost(flops, 0)
    moved = sum(operand.type.nbytes for operand in equation.operands)
    moved += sum(result.type.nbytes for result in equation.results)
    return Cost(flops, moved)


def _nested_cost(equation: Equation, costs: list[Cost]) -> Cost:
    primitive = equation.primitive
    if is_exclusive(primitive):
        flops, moved = max(cost.flops for cost in costs), max(cost.bytes for cost in costs)
        return Cost(flops, moved, all(cost.exact for cost in costs))
    count, known = iterations(primitive)
    total = _total(costs).times(count)
    return total if known else Cost(total.flops, total.bytes, exact=False)
