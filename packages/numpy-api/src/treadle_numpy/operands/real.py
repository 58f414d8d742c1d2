"""Operands of functions of real numbers: floats, with complex numbers refused under the name of the function."""

from __future__ import annotations

from treadle_ir import DTypeError, Operand
from treadle_ir.core.dtypes import is_complex, user_name
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import coerce
from treadle_numpy.operands.promote import converted, inexact_operand


def _real(function: str, operand: Operand) -> Operand:
    if is_complex(operand.dtype):
        raise DTypeError(
            f"{function} does not support complex-valued inputs, got {user_name(operand.dtype)}",
            fix="pass real numbers: `x.real`, `x.imag` or `abs(x)`",
        )
    return operand


def coerce_real(function: str, position: int, x: object) -> Operand:
    """Return one argument as an operand of canonical element type, integers and booleans as they are.

    Raises:
        ArgumentError: it is neither an array nor a scalar; DTypeError: it is complex.
    """
    return _real(function, coerce(function, position, x))


def real_operand(function: str, x: object, *, strong: bool = False) -> Operand:
    """Return one operand, as a float if it is an integer or a boolean; `strong` if it is to be weak no more.

    Raises:
        DTypeError: it is complex.
    """
    operand = _real(function, inexact_operand(function, x))
    return converted(operand, operand.dtype) if strong else operand


def real_operands(function: str, *arguments: object, strong: bool = False) -> list[Operand]:
    """Arguments of one floating element type and one shape or scalar; `strong` if they are to be weak no more.

    Raises:
        DTypeError: they are complex.
    """
    operands = [_real(function, x) for x in promote_shapes(function, *arguments, inexact=True)]
    return [converted(x, x.dtype) for x in operands] if strong else operands
