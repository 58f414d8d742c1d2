"""Elementwise instructions on two operands of one element type: arithmetic, extremes, bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from treadle_ir import Array, DTypeError, Operand, ops
from treadle_ir.core.dtypes import is_bool, is_inexact, is_integer
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import stretched
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.exact import matched
from treadle_numpy.operands.promote import converted, with_dtype

__all__ = [
    "add",
    "atan2",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "complex",
    "div",
    "max",
    "min",
    "mul",
    "nextafter",
    "pow",
    "rem",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sub",
]


class BinaryFunction(Protocol):
    """A function of two operands of one element type."""

    __name__: str

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the result."""
        ...


_OTHERS: Final = {
    "biu": "neither boolean nor integers",
    "biuf": "complex",
    "f": "not floating",
    "f32": "neither f32 nor f64",
    "iu": "not integers",
    "iuf": "boolean or complex",
    "iufc": "boolean",
}
"""What operands of other element types are, by the letters of those that a function takes, unless all."""


def _binary(
    name: str,
    instruction: Callable[[Operand, Operand], Array],
    kinds: str,
    doc: str,
    call: str,
    shown: str,
) -> BinaryFunction:
    def function(x: ArrayLike, y: ArrayLike) -> Array:
        return instruction(*matched(name, x, y))

    refusal = f", or they are {_OTHERS[kinds]}" if kinds in _OTHERS else ""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    The operands have one element type and one shape, or one is a scalar; Python's numbers take the type of the other.
    Between operands with as many axes, axes of size 1 are repeated.

    Raises:
        ShapeError: the shapes differ by more than sizes of 1, and neither is a scalar's.
        DTypeError: the element types differ{refusal}.

    Example:
        >>> print({call})
        {shown}
    """
    return function


def _numbers(
    name: str, instruction: Callable[[Operand, Operand], Array]
) -> Callable[[Operand, Operand], Array]:
    """Return the instruction without its meaning for booleans, which this function lacks."""

    def of_numbers(x: Operand, y: Operand) -> Array:
        if is_bool(x.dtype):
            raise DTypeError(
                f"{name} does not accept booleans", fix="use bitwise_or, bitwise_xor or bitwise_and"
            )
        return instruction(x, y)

    return of_numbers


add = _binary("add", _numbers("add", ops.add), "iufc", "The sum.", "add(1.5, 2)", "3.5")
atan2 = _binary(
    "atan2",
    ops.atan2,
    "f",
    "The angle in radians, in [-pi, pi], of the point whose ordinate is x and whose abscissa is y.",
    "atan2(1.0, -1.0).round(4)",
    "2.3562",
)
bitwise_and = _binary(
    "bitwise_and", ops.and_, "biu", "The bits that are set in both.", "bitwise_and(6, 3)", "2"
)
bitwise_or = _binary(
    "bitwise_or", ops.or_, "biu", "The bits that are set in either.", "bitwise_or(6, 3)", "7"
)
bitwise_xor = _binary(
    "bitwise_xor",
    ops.xor,
    "biu",
    "The bits that are set in one but not in both.",
    "bitwise_xor(6, 3)",
    "5",
)
complex = _binary(
    "complex",
    ops.complex,
    "f32",
    "The complex numbers with these real and imaginary parts, f32 or f64.",
    "complex(1.0, 2.0)",
    "(1+2j)",
)
div = _binary(
    "div", ops.divide, "iufc", "The quotient; of integers, rounded toward zero.", "div(-7, 2)", "-3"
)
max = _binary(
    "max", ops.maximum, "biufc", "The greater of two; NaN if either is.", "max(2.5, -1.0)", "2.5"
)
min = _binary(
    "min", ops.minimum, "biufc", "The lesser of two; NaN if either is.", "min(2.5, -1.0)", "-1.0"
)
_mul = _binary("mul", _numbers("mul", ops.multiply), "iufc", "The product.", "mul(1.5, 2)", "3.0")


def mul(x: ArrayLike, y: ArrayLike, *, out_dtype: DTypeLike | None = None) -> Array:
    """Return the product.

    The operands have one shape, or one is a scalar, and one element type, unless the result's is given: then they are
    converted to it first. Python's numbers take the type of the other. Between operands with as many axes, axes of
    size 1 are repeated.

    Args:
        x: the first factor.
        y: the second factor.
        out_dtype: the element type of the result, which may be wider than the factors' element type.

    Raises:
        ShapeError: the shapes differ by more than sizes of 1, and neither is a scalar's.
        DTypeError: the element types differ, or they are boolean.

    Example:
        >>> import numpy as np
        >>> print(mul(1.5, 2), mul(np.int8([100]), np.int8([100]), out_dtype="int32"))
        3.0 [10000]
    """
    wanted = as_dtype("mul", out_dtype)
    if wanted is None:
        return _mul(x, y)
    return _mul(
        *[array_of(converted(coerce("mul", i, each), wanted)) for i, each in enumerate((x, y))]
    )


def nextafter(x1: ArrayLike, x2: ArrayLike) -> Array:
    """Return the next number of the element type after `x1` towards `x2`.

    Raises:
        ShapeError: the shapes differ by more than sizes of 1, and neither is a scalar's.
        DTypeError: the element types differ, or they are not floating.

    Example:
        >>> print(nextafter(1.0, 2.0))
        1.0000001
    """
    return ops.next_after(*matched("nextafter", x1, x2))


rem = _binary(
    "rem",
    ops.remainder,
    "iuf",
    "What `div` rounded toward zero leaves: it has the sign of x.",
    "rem(-7, 2)",
    "-1",
)
shift_left = _binary(
    "shift_left",
    ops.shift_left,
    "iu",
    "The bits of x moved up by y; 0 where y is negative or as much as there are bits.",
    "shift_left(3, 2)",
    "12",
)
shift_right_arithmetic = _binary(
    "shift_right_arithmetic",
    ops.shift_right_arithmetic,
    "iu",
    "The bits of x moved down by y, with copies of the highest from above.",
    "shift_right_arithmetic(-8, 1)",
    "-4",
)
shift_right_logical = _binary(
    "shift_right_logical",
    ops.shift_right_logical,
    "iu",
    "The bits of x moved down by y, with zeros from above.",
    "shift_right_logical(-8, 1)",
    "2147483644",
)
sub = _binary(
    "sub",
    ops.subtract,
    "iufc",
    "The difference; of unsigned integers, modulo the number of their values.",
    "sub(1.5, 2)",
    "-0.5",
)


def pow(x: ArrayLike, y: ArrayLike) -> Array:
    """Return `x ** y`; with floating or complex x, the exponents may be integers of any type.

    Otherwise the operands have one element type. The shapes are equal but for sizes of 1, or one operand is a scalar.

    Raises:
        ShapeError: the shapes differ by more than sizes of 1, and neither is a scalar's.
        DTypeError: the element types do not go together, or are boolean.

    Example:
        >>> import numpy as np
        >>> print(pow(np.array([1.5, 2.0], np.float32), np.array([2, 3], np.int32)).round(4))
        [2.25 8.  ]
    """
    base, exponent = coerce("pow", 0, x), coerce("pow", 1, y)
    types = operand_type(base), operand_type(exponent)
    if is_inexact(types[0].dtype) and is_integer(types[1].dtype):
        exponent = with_dtype(exponent, types[1], types[0].dtype, types[0].weak and types[1].weak)
        return ops.power(*stretched("pow", [base, exponent]))
    return ops.power(*matched("pow", base, exponent))
