"""`jax._src.dtypes`: for equinox and flax."""

from __future__ import annotations

from treadle.errors import DTypeError as TypePromotionError  # noqa: F401 - JAX's name of it
from treadle.numpy import dtype as DType  # noqa: F401, N812


def supports_inf(dtype: object) -> bool:
    """Whether an element type has infinities."""
    import numpy as np  # noqa: PLC0415

    return bool(np.isinf(np.asarray(float("inf")).astype(dtype)))  # type: ignore[call-overload]
