"""Checks of the operands of linear algebra."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, DType
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.primitives.shape import array_operand

I32: Final = np.dtype(np.int32)
LAPACK: Final = ("f32", "f64", "c64", "c128")
_WIDE: Final = frozenset([BY_NAME[name] for name in LAPACK])
_NARROW: Final = frozenset([BY_NAME[name] for name in ("bf16", "f16")])


def check_dtype(name: str, type: ArrayType, *, narrow: bool = False) -> None:
    """Refuse element types that linear algebra does not support; bf16 and f16 too, unless `narrow`.

    Raises:
        DTypeError: the element type is not supported.
    """
    if type.dtype in _WIDE or (narrow and type.dtype in _NARROW):
        return
    taken = ", ".join(LAPACK if not narrow else ("bf16", "f16", *LAPACK))
    raise DTypeError(
        f"{name}: the operand is {type}, but it takes {taken}",
        fix="convert the operand first (`.astype(...)`)",
    )


def matrices(name: str, operand: Type, *, square: bool = False, narrow: bool = False) -> ArrayType:
    """Return the type of an operand that holds matrices in its last two axes.

    Raises:
        DTypeError: it is not an array of a floating or complex type that linear algebra supports.
        ShapeError: it has fewer than two axes, or is not square although `square` is set.
    """
    type = array_operand(name, operand)
    check_dtype(name, type, narrow=narrow)
    if type.ndim < 2:
        raise ShapeError(
            f"{name}: the operand is {type}, but must have at least two axes",
            fix="a matrix stands in the last two axes: reshape, or add axes with `x[:, None]`",
        )
    if square and type.shape[-1] != type.shape[-2]:
        raise ShapeError(
            f"{name}: the operand is {type}, whose last two axes must have one size",
        )
    return type


def same_dtype(name: str, x: ArrayType, y: ArrayType) -> None:
    """Refuse operands of two element types.

    Raises:
        DTypeError: their element types differ.
    """
    if x.dtype != y.dtype:
        raise DTypeError(
            f"{name}: operands have types {x} and {y}, whose element types must be equal",
            fix="convert first with .astype(...), or use the function of treadle.numpy, which promotes",
        )


def same_batch(name: str, x: ArrayType, y: ArrayType, *, own: tuple[int, int] = (2, 2)) -> None:
    """Refuse operands whose leading axes differ; `own` has the number of last axes of each that are not leading.

    Raises:
        ShapeError: their leading axes differ.
    """
    batch, other = x.shape[: x.ndim - own[0]], y.shape[: y.ndim - own[1]]
    if x.ndim < own[0] or y.ndim < own[1] or batch != other:
        raise ShapeError(
            f"{name}: operands have types {x} and {y}, whose leading axes must be equal",
            fix="broadcast first with lax.broadcast_in_dim, or use treadle.vmap",
        )


def real_dtype(type: ArrayType) -> DType:
    """Return the element type of eigenvalues of Hermitian matrices, and of singular values."""
    return dtypes.real_part(type.dtype)


def complex_dtype(type: ArrayType) -> DType:
    """Return the element type of eigenvalues of any matrices."""
    if dtypes.is_complex(type.dtype):
        return type.dtype
    return np.dtype(np.complex128 if type.dtype == np.float64 else np.complex64)
