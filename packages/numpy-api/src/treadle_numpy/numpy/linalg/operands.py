"""Matrices as arguments."""

from __future__ import annotations

from treadle_ir import Array, ShapeError
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand


def inexact_matrices(name: str, a: ArrayLike) -> Array:
    """Return an argument as floating or complex matrices in the last two axes.

    Raises:
        ShapeError: it has fewer than two axes.
    """
    x = array_of(inexact_operand(name, a))
    if x.ndim < 2:
        raise ShapeError(
            f"{name}: the array has shape {x.shape}, but must have at least two axes",
            fix="a matrix stands in the last two axes: add axes with `x[:, None]`",
        )
    return x


def square_matrices(name: str, a: ArrayLike) -> Array:
    """Return an argument as floating or complex square matrices.

    Raises:
        ShapeError: the last two axes are not square.
    """
    x = array_of(inexact_operand(name, a))
    check_square(name, x)
    return x


def check_square(name: str, x: Array) -> None:
    """Refuse what is not square.

    Raises:
        ShapeError: the last two axes are not square.
    """
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"Argument to {name}() must have shape [..., n, n], got {x.shape}")
