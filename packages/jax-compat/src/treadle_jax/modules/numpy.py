"""What `jax.numpy` does with values that are not arrays of its own, and that libraries rely on."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle.numpy as tnp
from treadle import Array
from treadle.typing import ArrayLike

__all__ = ["reshape"]


def reshape(
    a: ArrayLike,
    shape: Any,
    order: str = "C",
    *,
    copy: bool | None = None,
    out_sharding: Any = None,
) -> Array:
    """`treadle.numpy.reshape`, but a NumPy array is left to NumPy and stays one, 64 bits included, as on JAX.

    In a function that is being traced, what NumPy computes of it is known: libraries ask for such values. What NumPy
    refuses, treadle is asked for, whose errors say more.

    Example:
        >>> import numpy as np
        >>> reshape(np.arange(4.0), (2, -1))
        array([[0., 1.],
               [2., 3.]])
    """
    if isinstance(a, np.ndarray | np.generic) and out_sharding is None:
        try:
            made: Any = a.reshape(shape, order=order)  # type: ignore[call-overload]
        except (TypeError, ValueError):
            pass
        else:
            return made  # type: ignore[no-any-return]  # of NumPy's, as on JAX, whose annotation says the same
    return tnp.reshape(a, shape, order, copy=copy, out_sharding=out_sharding)
