"""Running reductions along an axis."""

from __future__ import annotations

from typing import Protocol

from treadle_ir import Array, Operand, flags, ops
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array

__all__ = ["cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum"]


class RunningFunction(Protocol):
    """A running reduction along an axis, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(self, operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
        """The results so far, at each position; from the end if `reverse`."""
        ...


class _Instruction(Protocol):
    __name__: str

    def __call__(self, x: Operand, /, *, axis: int, reverse: bool = False) -> Array: ...


def _running(name: str, instruction: _Instruction) -> RunningFunction:
    def function(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
        flags(name, reverse=reverse)
        x = coerce_array(name, 0, operand)
        return instruction(x, axis=as_axis(name, axis, x.ndim), reverse=reverse)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The running `{instruction.__name__}` along an axis, from the end if `reverse`."
    )
    return function


cumsum = _running("cumsum", ops.cumulative_add)
cumprod = _running("cumprod", ops.cumulative_multiply)
cummax = _running("cummax", ops.cumulative_maximum)
cummin = _running("cummin", ops.cumulative_minimum)
cumlogsumexp = _running("cumlogsumexp", ops.cumulative_logsumexp)
