"""`jax._src.dtypes`: for equinox, flax and jaxdecomp."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.errors import DTypeError as TypePromotionError  # noqa: F401 - JAX's name of it
from treadle.numpy import dtype as DType  # noqa: F401, N812


def supports_inf(dtype: object) -> bool:
    """Return whether an element type has infinities."""
    return bool(np.isinf(np.asarray(float("inf")).astype(dtype)))  # type: ignore[call-overload]


def to_complex_dtype(dtype: object) -> np.dtype[Any]:
    """Return the complex type for numbers of an element type: the double one for 64 bits."""
    found: np.dtype[Any] = np.dtype(dtype)  # type: ignore[call-overload]
    if found.kind == "c":
        return found
    return np.dtype(np.complex128 if found == np.float64 else np.complex64)
