"""Arrays in another element type."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import Array, DType, ops
from treadle_ir.core import canonical_dtype, x64_enabled
from treadle_ir.primitives.convert import Convert
from treadle_ir.tracing import current_trace
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, ScalarType, as_dtype, named_dtype
from treadle_numpy.operands.plans import Plans, remember
from treadle_numpy.operands.promote import converted

__all__ = ["astype"]

_CONVERSIONS: Final[Plans] = {}
_NAMES_OF_TYPES: Final = frozenset([str, type, ScalarType])


def _is_cut(dtype: object, wanted: DType) -> bool:
    """Return whether 64 bits were asked for and are not given: each such call warns, so none may be cached."""
    return dtype not in (bool, int, float, complex) and named_dtype("astype", dtype) != wanted


def astype(
    x: ArrayLike, dtype: DTypeLike | None, /, *, copy: bool = False, device: Device = None
) -> Array:
    """Return the same numbers in another element type; None means the default float type.

    Example:
        >>> print(astype(np.array([1.7, -1.7], np.float32), int))
        [ 1 -1]
    """
    if device is not None:
        return placed(astype(x, dtype, copy=copy), device)
    key = None
    if dtype.__class__ in _NAMES_OF_TYPES or isinstance(dtype, np.dtype):
        try:
            key = x.type, dtype, x64_enabled()  # type: ignore[union-attr]
        except AttributeError:
            pass
        else:
            primitive = _CONVERSIONS.get(key)
            if primitive is not None:
                found: Array = current_trace().process(primitive, (x,))[0]  # type: ignore[arg-type, assignment]
                return found
    operand = coerce("astype", 0, x)
    wanted = as_dtype("astype", float if dtype is None else dtype)
    asks = _is_cut(dtype, wanted) or canonical_dtype(wanted) != wanted  # the settings, each time
    if key is not None and key[0].dtype != wanted and not asks:
        remember(_CONVERSIONS, key, Convert(wanted))
    result = array_of(converted(operand, wanted))
    return ops.copy(result) if copy and result is x else result
