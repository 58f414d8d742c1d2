"""The limits of element types."""

from __future__ import annotations

from functools import lru_cache

import ml_dtypes
import numpy as np

from treadle_ir import Array, DType, DTypeError
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_inexact, is_integer
from treadle_numpy.operands.dtypes import is_python, named_dtype

__all__ = ["finfo", "iinfo"]


def finfo(dtype: object) -> ml_dtypes.finfo:
    """Return the limits of a floating type.

    Example:
        >>> float(finfo("float32").eps)
        1.1920928955078125e-07
    """
    return _finfo(dtype if dtype.__class__ is str else _of("finfo", dtype))


@lru_cache(maxsize=256)
def _finfo(named: object) -> ml_dtypes.finfo:
    found = named_dtype("finfo", named)
    if not is_inexact(found):
        raise DTypeError(
            f"finfo: {found} is not a floating element type", fix="use iinfo for integers"
        )
    return ml_dtypes.finfo(found)  # type: ignore[no-untyped-call]


def iinfo(int_type: object) -> ml_dtypes.iinfo:
    """Return the limits of an integer type.

    Example:
        >>> iinfo("int8").max
        127
    """
    return _iinfo(int_type if int_type.__class__ is str else _of("iinfo", int_type))


@lru_cache(maxsize=256)
def _iinfo(named: object) -> ml_dtypes.iinfo:
    found = named_dtype("iinfo", named)
    if not is_integer(found):
        raise DTypeError(
            f"iinfo: {found} is not an integer element type", fix="use finfo for floats"
        )
    return ml_dtypes.iinfo(found)  # type: ignore[no-untyped-call]


def _of(function: str, x: object) -> DType:
    if isinstance(x, (Array, np.ndarray, np.generic)):
        return x.dtype
    if is_python(x):
        return default_dtype(x)
    return named_dtype(function, x)
