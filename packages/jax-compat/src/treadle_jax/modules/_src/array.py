"""`jax._src.array`: JAX's class of arrays with elements, for code that asks for it, and how pickles make one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import treadle.numpy as tnp
from treadle import Array
from treadle.extend.core.primitives import convert_element_type_p
from treadle_runtime import DeviceArray as DeviceArray

ArrayImpl = DeviceArray  # JAX's name of it


def _reconstruct_array(
    make: Callable[..., np.ndarray[Any, Any]],
    args: tuple[Any, ...],
    state: tuple[Any, ...],
    aval_state: dict[str, Any],
) -> Array:
    """Return an array that JAX has pickled: NumPy's, and whether the type is weak."""
    elements = make(*args)
    elements.__setstate__(state)
    array = tnp.asarray(elements)
    if aval_state.get("weak_type"):
        weak: Array = convert_element_type_p.bind(
            array, new_dtype=array.dtype, weak_type=True, sharding=None
        )
        return weak
    return array
