"""What `jax.numpy` does with values that are no arrays of its own, and that libraries rely on."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle.numpy as tnp

__all__ = ["reshape"]


def reshape(a: Any, shape: Any, order: str = "C", **options: Any) -> Any:
    """`treadle.numpy.reshape`, but a NumPy array is left to NumPy and stays one, 64 bits included, as on JAX.

    In a function that is being traced, what NumPy computes of it is known: libraries ask for such values. What NumPy
    refuses, treadle is asked for, whose errors say more.

    Example:
        >>> import numpy as np
        >>> reshape(np.arange(4.0), (2, -1))
        array([[0., 1.],
               [2., 3.]])
    """
    if isinstance(a, np.ndarray | np.generic) and options.get("out_sharding") is None:
        try:
            return a.reshape(shape, order=order)  # type: ignore[call-overload]
        except (TypeError, ValueError):
            pass
    return tnp.reshape(a, shape, order, **options)
