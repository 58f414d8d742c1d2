"""`jax._src.numpy.util`: for s2fft, and for code that extends `jax.numpy` and treats arguments as it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle import Array, lax
from treadle_ir import DType, default_dtype, dtypes, inexact_dtype, promoted
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import coerce, coerce_array, operand_type
from treadle_numpy.operands.promote import with_dtype


def promote_dtypes(*args: Any) -> list[Array]:
    """The arguments in the element type that they meet in."""
    return _met("promote_dtypes", args, lambda dtype: dtype)


def promote_dtypes_inexact(*args: Any) -> list[Array]:
    """The same, in floats where it is no floating or complex one."""
    return _met("promote_dtypes_inexact", args, inexact_dtype)


def promote_dtypes_complex(*args: Any) -> list[Array]:
    """The same, in complex numbers."""
    return _met("promote_dtypes_complex", args, _complex)


def promote_dtypes_numeric(*args: Any) -> list[Array]:
    """The same, in integers where it is that of booleans."""
    return _met("promote_dtypes_numeric", args, _numeric)


def promote_args(fun_name: str, *args: Any) -> list[Array]:
    """The arguments in the element type that they meet in, with as many axes each; scalars stay scalars."""
    return promote_shapes(fun_name, *_met(fun_name, args, lambda dtype: dtype))


def promote_args_inexact(fun_name: str, *args: Any) -> list[Array]:
    """The same, in floats where the type is no floating or complex one."""
    return promote_shapes(fun_name, *_met(fun_name, args, inexact_dtype))


def promote_args_complex(fun_name: str, *args: Any) -> list[Array]:
    """The same, in complex numbers."""
    return promote_shapes(fun_name, *_met(fun_name, args, _complex))


def promote_args_numeric(fun_name: str, *args: Any) -> list[Array]:
    """The same, in integers where the type is that of booleans."""
    return promote_shapes(fun_name, *_met(fun_name, args, _numeric))


def promote_shapes(fun_name: str, *args: Any) -> list[Array]:
    """The arguments with as many axes each, by axes of size 1 in front; scalars stay scalars."""
    arrays = [coerce_array(fun_name, i, x) for i, x in enumerate(args)]
    rank = max([x.ndim for x in arrays], default=0)
    return [
        x if x.ndim in (0, rank) else lax.reshape(x, (1,) * (rank - x.ndim) + x.shape)
        for x in arrays
    ]


def check_arraylike(
    fun_name: str, *args: Any, emit_warning: bool = False, stacklevel: int = 3
) -> None:
    """Refuse what is no array and no number.

    Raises:
        ArgumentError: there is such an argument. (Also a TypeError.)
    """
    for i, x in enumerate(args):
        coerce(fun_name, i, x)


def ensure_arraylike(fun_name: str, /, *args: Any) -> Any:
    """The arguments as arrays, one alone or a tuple; what is no array and no number is refused."""
    arrays = ensure_arraylike_tuple(fun_name, args)
    return arrays[0] if len(arrays) == 1 else arrays


def ensure_arraylike_tuple(fun_name: str, tup: Any) -> tuple[Array, ...]:
    """The same as a tuple."""
    return tuple([coerce_array(fun_name, i, x) for i, x in enumerate(tup)])


def _met(function: str, args: tuple[Any, ...], to: Callable[[DType], DType]) -> list[Array]:
    operands = [coerce(function, i, x) for i, x in enumerate(args)]
    types = [operand_type(x) for x in operands]
    if not types:
        return []
    dtype, weak = promoted(types)
    return [
        array_of(with_dtype(x, type, to(dtype), weak))
        for x, type in zip(operands, types, strict=True)
    ]


def _complex(dtype: DType) -> DType:
    if dtypes.is_complex(dtype):
        return dtype
    return dtypes.BY_NAME["c128" if dtype.itemsize == 8 else "c64"]


def _numeric(dtype: DType) -> DType:
    return default_dtype(int) if dtypes.is_bool(dtype) else dtype
