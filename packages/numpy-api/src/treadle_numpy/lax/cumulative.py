"""Running reductions along an axis."""

from __future__ import annotations

from typing import Protocol

from treadle_ir import Array, DTypeError, Operand, ops
from treadle_ir.core.dtypes import is_bool
from treadle_ir.errors import flags
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array

__all__ = ["cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum"]


class RunningFunction(Protocol):
    """A running reduction along an axis, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(self, operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
        """Return the results so far, at each position; from the end if `reverse`."""
        ...


class _Instruction(Protocol):
    __name__: str

    def __call__(self, x: Operand, /, *, axis: int, reverse: bool = False) -> Array: ...


def _running(name: str, instruction: _Instruction, what: str, shown: str) -> RunningFunction:
    def function(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
        flags(name, reverse=reverse)
        x = coerce_array(name, 0, operand)
        if is_bool(x.dtype):
            raise DTypeError(
                f"{name}: takes numbers, got bool", fix="convert with .astype('int32')"
            )
        return instruction(x, axis=as_axis(name, axis, x.ndim), reverse=reverse)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {what} along an axis so far, at each position; from the end if `reverse`.

    The result has the operand's shape and element type. 16-bit floats are accumulated in 32 bits.

    Raises:
        AxisError: there is no such axis.
        DTypeError: the elements are booleans, or have no such operation.

    Example:
        >>> import numpy as np
        >>> print({name}(np.array([1.0, 3.0, 2.0], np.float32)){".round(3)" if "log" in name else ""})
        {shown}
    """
    return function


cumsum = _running("cumsum", ops.cumulative_add, "sum", "[1. 4. 6.]")
cumprod = _running("cumprod", ops.cumulative_multiply, "product", "[1. 3. 6.]")
cummax = _running("cummax", ops.cumulative_maximum, "maximum", "[1. 3. 3.]")
cummin = _running("cummin", ops.cumulative_minimum, "minimum", "[1. 1. 1.]")
cumlogsumexp = _running(
    "cumlogsumexp",
    ops.cumulative_logsumexp,
    "logarithm of the sum of exponentials",
    "[1.    3.127 3.408]",
)
