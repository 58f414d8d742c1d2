"""Operands of functions of real numbers: floats, with complex numbers refused under the name of the function."""

from __future__ import annotations

from treadle_ir import DTypeError, Operand
from treadle_ir.dtypes import is_complex, user_name
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.promote import inexact_operand


def _real(function: str, operand: Operand) -> Operand:
    if is_complex(operand.dtype):
        raise DTypeError(
            f"{function} does not support complex-valued inputs, got {user_name(operand.dtype)}",
            fix="pass real numbers: `x.real`, `x.imag` or `abs(x)`",
        )
    return operand


def real_operand(function: str, x: object) -> Operand:
    """One operand, as a float if it is an integer or a boolean.

    Raises:
        DTypeError: it is complex.
    """
    return _real(function, inexact_operand(function, x))


def real_operands(function: str, *arguments: object) -> list[Operand]:
    """Arguments of one floating element type and one shape or scalar.

    Raises:
        DTypeError: they are complex.
    """
    return [_real(function, x) for x in promote_shapes(function, *arguments, inexact=True)]
