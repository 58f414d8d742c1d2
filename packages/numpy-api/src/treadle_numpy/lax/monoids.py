"""Which function of two operands a reduction combines elements by: `lax.add`, `treadle.numpy.maximum`, `x * y`.

A function is recognised by the program that it is: one equation, on its two parameters, of a primitive that
reductions exist for. So functions of any layer are known here, and `lax` knows no layer above itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias, final

from treadle_ir import Array, ArrayType, DType, Operand, Primitive, ops, stage
from treadle_ir.calling import operand_or_none
from treadle_ir.primitives import elementwise
from treadle_ir.process import frozen
from treadle_numpy.operands.coerce import ArrayLike

Computation: TypeAlias = Callable[[Array, Array], ArrayLike]


class Reduction(Protocol):
    """A reduction along axes."""

    def __call__(self, x: Operand, /, *, axes: Sequence[int]) -> Array:
        """Return the elements along the axes combined."""
        ...


class WindowReduction(Protocol):
    """A reduction of windows."""

    def __call__(
        self,
        x: Operand,
        /,
        *,
        window_dimensions: tuple[int, ...],
        window_strides: tuple[int, ...],
        padding: tuple[tuple[int, int], ...],
        base_dilation: tuple[int, ...],
        window_dilation: tuple[int, ...],
    ) -> Array:
        """Return the elements of each window combined."""
        ...


@final
@frozen
class Monoid:
    """An associative function of two operands, and the reductions by it."""

    name: str
    combine: Callable[[Operand, Operand], Array]
    reduce: Reduction
    reduce_window: WindowReduction | None = None


_MONOIDS: Final[dict[type[Primitive], Monoid]] = {
    elementwise.Add: Monoid("add", ops.add, ops.reduce_add, ops.reduce_window_add),
    elementwise.Multiply: Monoid("multiply", ops.multiply, ops.reduce_multiply),
    elementwise.Maximum: Monoid(
        "maximum", ops.maximum, ops.reduce_maximum, ops.reduce_window_maximum
    ),
    elementwise.Minimum: Monoid(
        "minimum", ops.minimum, ops.reduce_minimum, ops.reduce_window_minimum
    ),
    elementwise.And: Monoid("and", ops.and_, ops.reduce_and),
    elementwise.Or: Monoid("or", ops.or_, ops.reduce_or),
    elementwise.Xor: Monoid("xor", ops.xor, ops.reduce_xor),
}

MONOIDS: Final = {monoid.name: monoid for monoid in _MONOIDS.values()}
"""All of them by name, which says in a composed function what the reduction is."""


def monoid_of(computation: Computation, dtype: DType) -> Monoid | None:
    """The monoid that a function of two scalars of an element type is; None if it is none that reductions know."""
    scalar = ArrayType((), dtype)

    def combined(x: Operand, y: Operand) -> list[Operand]:
        result = operand_or_none(computation(x, y))  # type: ignore[arg-type]  # tracers are arrays
        return [] if result is None else [result]

    program = stage(combined, scalar, scalar).program
    if len(program.equations) != 1 or len(program.parameters) != 2 or not program.results:
        return None
    (equation,) = program.equations
    direct = {*equation.operands} == {*program.parameters} and program.results == equation.results
    return _MONOIDS.get(type(equation.primitive)) if direct else None
