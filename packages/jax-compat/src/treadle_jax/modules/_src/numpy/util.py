"""`jax._src.numpy.util`: for s2fft, and for code that extends `jax.numpy` and treats arguments as it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import treadle.numpy as tnp
from treadle import Array, lax
from treadle.errors import ArgumentError
from treadle.typing import ArrayLike
from treadle_ir import DType, ops
from treadle_ir.core import default_dtype, dtypes, inexact_dtype, promoted


def promote_dtypes(*args: Any) -> list[Array]:
    """Return the arguments in the element type that they meet in."""
    return _met("promote_dtypes", args, lambda dtype: dtype)


def promote_dtypes_inexact(*args: Any) -> list[Array]:
    """The same, in floats where it is not a floating or complex one."""
    return _met("promote_dtypes_inexact", args, inexact_dtype)


def promote_dtypes_complex(*args: Any) -> list[Array]:
    """The same, in complex numbers."""
    return _met("promote_dtypes_complex", args, _complex)


def promote_dtypes_numeric(*args: Any) -> list[Array]:
    """Return the same dtype, but integers instead of booleans."""
    return _met("promote_dtypes_numeric", args, _numeric)


def promote_args(fun_name: str, *args: Any) -> list[Array]:
    """Return the arguments in the element type that they meet in, with as many axes each; scalars stay scalars."""
    return promote_shapes(fun_name, *_met(fun_name, args, lambda dtype: dtype))


def promote_args_inexact(fun_name: str, *args: Any) -> list[Array]:
    """The same, in floats where the type is not a floating or complex one."""
    return promote_shapes(fun_name, *_met(fun_name, args, inexact_dtype))


def promote_args_complex(fun_name: str, *args: Any) -> list[Array]:
    """The same, in complex numbers."""
    return promote_shapes(fun_name, *_met(fun_name, args, _complex))


def promote_args_numeric(fun_name: str, *args: Any) -> list[Array]:
    """Return the same array, with integers instead of booleans."""
    return promote_shapes(fun_name, *_met(fun_name, args, _numeric))


def promote_shapes(fun_name: str, *args: Any) -> list[Array]:
    """Return the arguments with as many axes each, by axes of size 1 in front; scalars stay scalars."""
    arrays = ensure_arraylike_tuple(fun_name, args)
    rank = max([x.ndim for x in arrays], default=0)
    return [
        x if x.ndim in (0, rank) else lax.reshape(x, (1,) * (rank - x.ndim) + x.shape)
        for x in arrays
    ]


def check_arraylike(
    fun_name: str, *args: Any, emit_warning: bool = False, stacklevel: int = 3
) -> None:
    """Refuse what is neither an array nor a number.

    Raises:
        ArgumentError: there is such an argument. (Also a TypeError.)
    """
    for i, x in enumerate(args):
        if not isinstance(x, ArrayLike) and not hasattr(x, "__jax_array__"):
            raise ArgumentError(
                f"{fun_name} requires ndarray or scalar arguments, got {type(x)} at position {i}",
                fix="make it an array first: `jax.numpy.array(...)`",
            )


def ensure_arraylike(fun_name: str, /, *args: Any) -> Any:
    """Return the arguments as arrays, one alone or a tuple; what is neither an array nor a number is refused."""
    arrays = ensure_arraylike_tuple(fun_name, args)
    return arrays[0] if len(arrays) == 1 else arrays


def ensure_arraylike_tuple(fun_name: str, tup: Any) -> tuple[Array, ...]:
    """The same as a tuple."""
    check_arraylike(fun_name, *tup)
    return tuple([tnp.asarray(x) for x in tup])


def _met(function: str, args: tuple[Any, ...], to: Callable[[DType], DType]) -> list[Array]:
    arrays = ensure_arraylike_tuple(function, args)
    if not arrays:
        return []
    dtype, weak = promoted([x.type for x in arrays])
    return [ops.convert(x, dtype=to(dtype), weak=weak) for x in arrays]


def _complex(dtype: DType) -> DType:
    if dtypes.is_complex(dtype):
        return dtype
    return dtypes.BY_NAME["c128" if dtype.itemsize == 8 else "c64"]


def _numeric(dtype: DType) -> DType:
    return default_dtype(int) if dtypes.is_bool(dtype) else dtype
