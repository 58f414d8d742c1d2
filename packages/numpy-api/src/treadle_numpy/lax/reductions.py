"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from treadle_ir import Array, UnsupportedError, functions, ops, sequence
from treadle_numpy.lax.monoids import Computation, Reduction, monoid_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted

__all__ = [
    "argmax",
    "argmin",
    "reduce",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_xor",
]


class ReductionFunction(Protocol):
    """A reduction along axes, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(self, operand: ArrayLike, axes: Sequence[int]) -> Array:
        """The elements along the axes combined."""
        ...


class _Instruction(Reduction, Protocol):
    __name__: str


def _reduction(name: str, instruction: _Instruction) -> ReductionFunction:
    def function(operand: ArrayLike, axes: Sequence[int]) -> Array:
        x = coerce_array(name, 0, operand)
        named = tuple(sorted(as_axis(name, axis, x.ndim) for axis in sequence(name, "axes", axes)))
        return instruction(x, axes=named)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The elements along some axes reduced by `{instruction.__name__}`."
    return function


reduce_sum = _reduction("reduce_sum", ops.reduce_add)
reduce_prod = _reduction("reduce_prod", ops.reduce_multiply)
reduce_max = _reduction("reduce_max", ops.reduce_maximum)
reduce_min = _reduction("reduce_min", ops.reduce_minimum)
reduce_and = _reduction("reduce_and", ops.reduce_and)
reduce_or = _reduction("reduce_or", ops.reduce_or)
reduce_xor = _reduction("reduce_xor", ops.reduce_xor)


def argmax(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """The position of the greatest element along an axis."""
    x = coerce_array("argmax", 0, operand)
    return ops.argmax(
        x, axis=as_axis("argmax", axis, x.ndim), dtype=as_dtype("argmax", index_dtype)
    )


def argmin(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """The position of the least element along an axis."""
    x = coerce_array("argmin", 0, operand)
    return ops.argmin(
        x, axis=as_axis("argmin", axis, x.ndim), dtype=as_dtype("argmin", index_dtype)
    )


def reduce(
    operands: ArrayLike,
    init_values: ArrayLike,
    computation: Computation,
    dimensions: Sequence[int],
) -> Array:
    """The elements along some axes combined, by lax.add, mul, max, min, bitwise_and, bitwise_or or bitwise_xor.

    Raises:
        UnsupportedError: another function than these.
    """
    dimensions = sequence("reduce", "dimensions", dimensions)
    functions("reduce", computation=computation)
    x = coerce_array("reduce", 0, operands)
    monoid = monoid_of(computation, x.dtype)
    if monoid is None:
        raise UnsupportedError(
            "reduce: only lax.add, mul, max, min, bitwise_and, bitwise_or and bitwise_xor are supported",
            fix="use lax.associative_scan or lax.scan for other functions",
        )
    axes = tuple(sorted(as_axis("reduce", i, x.ndim) for i in dimensions))
    start = converted(coerce("reduce", 1, init_values), x.dtype)
    return monoid.combine(monoid.reduce(x, axes=axes), start)
