"""Floating-point operations and bytes moved, per equation.

Counts are those of the textbook algorithm, not of what XLA makes of it: an elementwise operation is one
operation per element of the result, also a transcendental one; each operand is read once and each result written
once, as if nothing were fused. An operation that the table does not know counts one per element of its results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from treadle_ir.equality import has_programs, inside_out, programs_of
from treadle_ir.program import Equation, Program
from treadle_ir.types import ArrayType, Type


@final
@dataclass(frozen=True, slots=True)
class Cost:
    """Operations and bytes moved; not `exact` where the number of turns of a loop is unknown."""

    flops: int = 0
    bytes: int = 0
    exact: bool = True

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.flops + other.flops, self.bytes + other.bytes, self.exact and other.exact)

    def times(self, count: int) -> Cost:
        """The cost of doing it so many times."""
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
    """Two operations (multiply, add) per result element and contracted index."""
    shape = _shape(equation.operands[0].type)
    pairs: object = getattr(equation.primitive, "contracting", ((), ()))
    axes = pairs[0] if isinstance(pairs, tuple) and pairs else ()
    contracted: int = math.prod(shape[axis] for axis in axes)
    return 2 * _per_result(equation) * contracted


def _convolution(equation: Equation) -> int:
    """Two operations per result element and element of the kernel that goes into it."""
    kernel = equation.operands[1].type
    shape = _shape(kernel)
    spec: object = getattr(equation.primitive, "rhs_spec", (0,))
    outputs = shape[spec[0]] if isinstance(spec, tuple) and spec and shape else 1
    return 2 * _per_result(equation) * (_size(kernel) // max(outputs, 1))


def _window(equation: Equation) -> int:
    """One operation per result element and place in the window."""
    window: object = getattr(equation.primitive, "window_dimensions", ())
    assert isinstance(window, tuple)
    return max(_per_result(equation), _per_operand(equation)) * math.prod(window)


def _sort(equation: Equation) -> int:
    """n log2 n comparisons along the axis."""
    shape = _shape(equation.operands[0].type)
    axis: object = getattr(equation.primitive, "dimension", -1)
    length = shape[axis] if shape and isinstance(axis, int) else 1
    return _per_operand(equation) * max(length - 1, 0).bit_length()


def _updates(equation: Equation) -> int:
    """One operation per element of the updates."""
    return _size(equation.operands[-1].type)


def _matrix(numerator: int, denominator: int) -> Flops:
    """A share of m * n * min(m, n) for each matrix of a stack."""

    def flops(equation: Equation) -> int:
        shape = _shape(equation.operands[0].type)
        if len(shape) < 2:
            return _per_result(equation)
        *stack, m, n = shape
        return math.prod(stack) * m * n * min(m, n) * numerator // denominator

    return flops


def _triangular_solve(equation: Equation) -> int:
    """n operations for each element of the right-hand side."""
    return max(_shape(equation.operands[0].type) or (1,)) * _size(equation.operands[-1].type)


def _fft(equation: Equation) -> int:
    """5 n log2 n for a transform of n points in all."""
    size = max(_per_result(equation), _per_operand(equation))
    return 5 * size * max(size - 1, 0).bit_length()


Flops: TypeAlias = Callable[[Equation], int]


def _table(*rows: tuple[Flops, str]) -> Mapping[str, Flops]:
    return {mnemonic: flops for flops, mnemonics in rows for mnemonic in mnemonics.split()}


FLOPS: Final[Mapping[str, Flops]] = _table(
    (
        _nothing,
        "constant iota broadcast_in_dim reshape transpose reverse concatenate pad slice dimension_size gather "
        "scatter dynamic_slice dynamic_update_slice convert bitcast_convert copy stop_gradient checkpoint_name "
        "optimization_barrier select real imag complex create_token after_all device_put sharding_constraint",
    ),
    (
        _per_operand,
        "reduce reduce_add reduce_multiply reduce_maximum reduce_minimum reduce_and reduce_or reduce_xor",
    ),
    (_per_operand, "argmax argmin top_k"),
    (_dot_general, "dot_general"),
    (_convolution, "convolution"),
    (_window, "reduce_window reduce_window_add reduce_window_maximum reduce_window_minimum"),
    (_window, "select_and_scatter_add select_and_gather_add"),
    (_sort, "sort"),
    (_updates, "scatter_add scatter_multiply scatter_maximum scatter_minimum"),
    (_matrix(1, 3), "cholesky"),
    (_matrix(2, 3), "lu"),
    (_matrix(2, 1), "qr householder_product"),
    (_matrix(9, 1), "eigh tridiagonal"),
    (_matrix(25, 1), "eig schur hessenberg"),
    (_matrix(20, 1), "svd"),
    (_triangular_solve, "triangular_solve"),
    (_fft, "fft"),
)

_NOT_MOVED: Final = frozenset(
    {"reshape", "stop_gradient", "checkpoint_name", "optimization_barrier"}
)


def equation_costs(program: Program) -> list[Cost]:
    """The cost of each equation, in order.

    Nested programs count as often as they run: a scan its length, a loop its bound or else once (not `exact` in
    either case), a choice its most expensive branch.
    """
    nested: dict[int, Cost] = {}
    costs: list[Cost] = []
    for each in inside_out(program):
        costs = [_cost(equation, nested) for equation in each.equations]
        nested[id(each)] = _total(costs)
    return costs


def program_cost(program: Program) -> Cost:
    """The cost of a whole program."""
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
    flops = FLOPS.get(primitive.name, _per_result)(equation)
    if primitive.name in _NOT_MOVED:
        return Cost(flops, 0)
    moved = sum(operand.type.nbytes for operand in equation.operands)
    moved += sum(result.type.nbytes for result in equation.results)
    return Cost(flops, moved)


def _nested_cost(equation: Equation, costs: list[Cost]) -> Cost:
    primitive = equation.primitive
    if primitive.name == "case":
        flops, moved = max(cost.flops for cost in costs), max(cost.bytes for cost in costs)
        return Cost(flops, moved, all(cost.exact for cost in costs))
    total = _total(costs)
    length: object = getattr(primitive, "length", None)
    if isinstance(length, int):
        return total.times(length)
    if primitive.name == "while":
        bound: object = getattr(primitive, "trip_bound", None)
        turns = bound if isinstance(bound, int) else 1
        return Cost(total.flops * turns, total.bytes * turns, exact=False)
    if primitive.name in (
        "reduce",
        "reduce_window",
        "scatter",
    ):  # the program combines two elements
        turns = _per_operand(equation)
        moved = sum(x.type.nbytes for x in (*equation.operands, *equation.results))
        return Cost(max(total.flops, 1) * turns, moved, total.exact)
    return total
