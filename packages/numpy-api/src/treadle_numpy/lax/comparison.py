"""Comparisons, and choices by their results."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.core.dtypes import is_bool, is_integer
from treadle_ir.primitives.compare import Direction
from treadle_numpy.lax.binary import BinaryFunction
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.exact import matched, strict

__all__ = ["clamp", "eq", "ge", "gt", "le", "lt", "ne", "select", "select_n"]


def _compared(name: Direction, doc: str, shown: str) -> BinaryFunction:
    def function(x: ArrayLike, y: ArrayLike) -> Array:
        return ops.compare(*matched(name, x, y), direction=name)

    refusal = "" if name in ("eq", "ne") else ", or they are complex"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}, elementwise, as booleans; with NaN the answer is {name == "ne"}.

    The operands have one element type and one shape, or one is a scalar; Python's numbers take the type of the other.
    Between operands with as many axes, axes of size 1 are repeated.

    Raises:
        ShapeError: the shapes differ by more than sizes of 1, and neither is a scalar's.
        DTypeError: the element types differ{refusal}.

    Example:
        >>> import numpy as np
        >>> print({name}(np.array([1, 2, 3]), 2))
        {shown}
    """
    return function


eq = _compared("eq", "Whether x is equal to y", "[False  True False]")
ne = _compared("ne", "Whether x is not equal to y", "[ True False  True]")
lt = _compared("lt", "Whether x is less than y", "[ True False False]")
le = _compared("le", "Whether x is less than or equal to y", "[ True  True False]")
gt = _compared("gt", "Whether x is greater than y", "[False False  True]")
ge = _compared("ge", "Whether x is greater than or equal to y", "[False  True  True]")


def clamp(min: ArrayLike, x: ArrayLike, max: ArrayLike) -> Array:
    """`x` kept between two bounds, each a scalar or of the shape of `x`; where `min` is above `max` it is `max`.

    Raises:
        ShapeError: a bound has another shape.
        DTypeError: the element types differ, or are complex.

    Example:
        >>> import numpy as np
        >>> print(clamp(0.0, np.array([-1.0, 0.5, 2.0]), 1.0))
        [0.  0.5 1. ]
    """
    return ops.clamp(*strict("clamp", min, x, max))


def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> Array:
    """Select elements of `on_true` where the condition holds, and elements of `on_false` elsewhere.

    Args:
        pred: booleans of shape `()` or of the other shape; an integer counts as true above 0.
        on_true: an array.
        on_false: an array of the same shape and dtype.

    Returns:
        An array of this shape and dtype.

    Raises:
        DTypeError: the condition is neither boolean nor an integer, or the other element types differ.
        ShapeError: the shapes do not fit.

    Example:
        >>> import numpy as np
        >>> print(select(np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0, 4.0])))
        [1. 4.]
    """
    condition = coerce("select", 0, pred)
    type = operand_type(condition)
    if is_integer(type.dtype):
        condition = ops.compare(condition, type.dtype.type(0), direction="gt")
    return ops.select(condition, *strict("select", on_true, on_false))


def select_n(which: ArrayLike, *cases: ArrayLike) -> Array:
    """From the case that `which` (a boolean, or an integer) names.

    Raises:
        ArgumentError: there is no case, or more than two with a boolean.
        DTypeError: `which` is neither boolean nor integer.

    Example:
        >>> import numpy as np
        >>> print(select_n(np.array([0, 1], np.int32), np.array([1.0, 2.0]), np.array([3.0, 4.0])))
        [1. 4.]
    """
    if not cases:
        raise ArgumentError("select_n() must have at least one case")
    choice = coerce("select_n", 0, which)
    operands = strict("select_n", *cases)
    type = operand_type(choice)
    if not (is_bool(type.dtype) or is_integer(type.dtype)):
        raise DTypeError(f"select_n: `which` must be a boolean or an integer, got {type}")
    if is_bool(type.dtype):
        if len(operands) > 2:
            raise ArgumentError(
                f"with a boolean `which` there may be two cases, got {len(operands)}"
            )
        return ops.select(choice, operands[-1], operands[0])
    result = operands[-1]
    for i in range(len(operands) - 2, -1, -1):
        result = ops.select(
            ops.compare(choice, type.dtype.type(i), direction="le"), operands[i], result
        )
    return array_of(result)
