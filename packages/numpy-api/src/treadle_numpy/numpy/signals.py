"""Convolution and correlation of vectors."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.errors import names
from treadle_numpy.lax.precision import PrecisionLike, precision_name
from treadle_numpy.numpy.manipulation.rearranging import flip
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.ufuncs.parts import conjugate
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import promote

__all__ = ["convolve", "correlate"]


def _slid(
    name: str,
    a: ArrayLike,
    v: ArrayLike,
    mode: str,
    precision: PrecisionLike,
    element_type: DTypeLike | None,
) -> Array:
    x, y = [array_of(p) for p in promote(name, a, v, inexact=True)]
    if x.ndim != 1 or y.ndim != 1:
        raise ArgumentError(f"{name}: only one-dimensional arrays are supported")
    if not x.size or not y.size:
        raise ArgumentError(
            f"{name}: inputs cannot be empty, got shapes x.shape={x.shape} y.shape={y.shape}."
        )
    if x.size < y.size:  # convolution does not mind which of the two slides
        x, y = y, x
    kernel, size = flip(y), y.size
    if mode == "full":
        low, high = size - 1, size - 1
    elif mode == "same":
        low = size // 2
        high = size - low - 1
    elif mode == "valid":
        low = high = 0
    else:
        raise ArgumentError(f"mode must be one of ['full', 'same', 'valid'], got {mode!r}")
    result = ops.convolution(
        ops.reshape(x, shape=(1, 1, x.size)),
        ops.reshape(kernel, shape=(1, 1, size)),
        padding=((low, high),),
        lhs_spec=(0, 1, 2),
        rhs_spec=(0, 1, 2),
        out_spec=(0, 1, 2),
        precision=precision_name(precision),
        element_type=as_dtype(name, element_type),
    )
    return ravel(result)


@composed
def convolve(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "full",
    *,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Return the convolution of two vectors.

    Example:
        >>> import numpy as np
        >>> print(convolve(np.array([1.0, 2.0], np.float32), np.array([1.0, 1.0], np.float32)))
        [1. 3. 2.]
    """
    names("convolve", mode=mode)
    return _slid("convolve", a, v, mode, precision, preferred_element_type)


@composed
def correlate(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "valid",
    *,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Return the correlation of two vectors, the second conjugated.

    Example:
        >>> import numpy as np
        >>> print(correlate(np.array([1, 2, 3]), np.array([0, 1])))
        [2. 3.]
    """
    names("correlate", mode=mode)
    (y,) = promote("correlate", v)
    mirrored = flip(conjugate(array_of(y)))
    return _slid("correlate", a, mirrored, mode, precision, preferred_element_type)
