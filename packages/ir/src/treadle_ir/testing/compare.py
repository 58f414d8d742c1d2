"""Comparing results: tolerances by element type, in units in the last place.

Integers and booleans must be equal. Of floats, NaNs and infinities must be in the same places, and the rest
within so many units in the last place, counted at the size of the element, or with `scale` at a given size: a
sum is only as exact as its greatest term.
"""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, MINIFLOATS, DType

_finfo: Any = ml_dtypes.finfo  # whose constructor has no types

# The distance from 1 to the next number, and the least normal number.
_EPSILON: Final[dict[DType, float]] = {
    **{BY_NAME[name]: float(_finfo(BY_NAME[name]).eps) for name in MINIFLOATS},
    BY_NAME["bf16"]: 2.0**-7,
    BY_NAME["f16"]: 2.0**-10,
    BY_NAME["f32"]: 2.0**-23,
    BY_NAME["f64"]: 2.0**-52,
}
_LEAST: Final[dict[DType, float]] = {
    **{BY_NAME[name]: float(_finfo(BY_NAME[name]).smallest_normal) for name in MINIFLOATS},
    BY_NAME["bf16"]: 2.0**-126,
    BY_NAME["f16"]: 2.0**-14,
    BY_NAME["f32"]: 2.0**-126,
    BY_NAME["f64"]: 2.0**-1022,
}


def epsilon(dtype: DType) -> float:
    """Return the distance from 1 to the next number of a floating type, or of a complex type's parts."""
    return _EPSILON[dtypes.real_part(dtype)]


def distance(actual: object, expected: object, *, scale: float = 0.0) -> float:
    """Return the largest distance between two float arrays, in units in the last place of `expected`.

    The distance is infinite if one has a NaN or an infinity where the other does not. Elements smaller than `scale` are
    measured at `scale`; complex numbers by their modulus.
    """
    x, y = np.asarray(actual), np.asarray(expected)
    if x.size == 0:
        return 0.0
    wide = np.dtype(np.complex128) if dtypes.is_complex(y.dtype) else np.dtype(np.float64)
    a, b = x.astype(wide), y.astype(wide)
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        size = np.maximum(np.abs(b), max(scale, _LEAST[dtypes.real_part(y.dtype)]))
        apart = np.abs(a - b) / (size * epsilon(y.dtype))
    apart = np.where(same, 0.0, np.where(np.isfinite(apart), apart, np.inf))
    return float(np.max(apart))


def assert_close(
    actual: object, expected: object, *, ulps: float = 4.0, scale: float = 0.0, what: str = "result"
) -> None:
    """Fail if two arrays differ in shape, element type, or by more than so many units in the last place.

    Raises:
        AssertionError: with the types, the worst distance and both arrays.
    """
    x: np.ndarray[Any, np.dtype[Any]] = np.asarray(actual)
    y: np.ndarray[Any, np.dtype[Any]] = np.asarray(expected)
    assert x.shape == y.shape, f"{what}: shape {x.shape}, expected {y.shape}"
    assert x.dtype == y.dtype, f"{what}: element type {x.dtype}, expected {y.dtype}"
    if dtypes.is_float0(y.dtype):
        return
    if not dtypes.is_inexact(y.dtype):
        assert np.array_equal(x, y), f"{what}: {x}, expected {y}"
        return
    apart = distance(x, y, scale=scale)
    assert apart <= ulps, (
        f"{what}: {apart:.3g} units in the last place apart, {ulps} allowed: {x}, expected {y}"
    )


def magnitude(*arrays: object) -> float:
    """Return the greatest finite absolute value in some arrays, for `scale`; 0 if there is none."""
    greatest = 0.0
    for array in map(np.asarray, arrays):
        if array.size and dtypes.is_inexact(array.dtype):
            wide = np.abs(
                array.astype(np.complex128 if dtypes.is_complex(array.dtype) else np.float64)
            )
            finite = wide[np.isfinite(wide)]
            if finite.size:
                greatest = max(greatest, float(finite.max()))
    return greatest
