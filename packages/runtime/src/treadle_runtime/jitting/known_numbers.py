"""Caches of the buffers of numbers and small NumPy arrays, which are often the same in each call.

For each argument of a fast call, the first few buffers are cached by their elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_compiler import device_dtype
from treadle_runtime.client import number_range
from treadle_runtime.placement.placement import PlacedType

MOST_NUMBERS: Final = 64  # that are cached for each argument

Elements: TypeAlias = np.ndarray[Any, Any]
Put: TypeAlias = Callable[[Any], Any]  # Any: a NumPy array or a number, and jaxlib's array


def putting_to(placed: PlacedType) -> Put:
    """Return a function that copies small arrays of one type to one device."""
    device = placed.placement.device
    return device.backend.putting(placed.type.shape, device_dtype(placed.type.dtype), device.raw)


def known_numbers(put: Put, kind: type, dtype: np.dtype[Any]) -> tuple[Put, Put]:
    """Return two functions of a number: look up its cached buffer, or None; and create its buffer."""
    known: dict[Any, Any] = {}
    low, high = number_range(kind, dtype)

    def put_number(value: Any) -> Any:
        made = put(value if low <= value <= high else np.asarray(value, dtype))
        if len(known) < MOST_NUMBERS:
            known[value] = made
        return made

    return known.get, put_number


def known_elements(put: Put) -> tuple[Put, Callable[[Elements, bytes], Any]]:
    """Return two functions for small NumPy arrays: look up the buffer by the bytes of the elements; and create it."""
    known: dict[bytes, Any] = {}

    def put_elements(array: Elements, elements: bytes) -> Any:
        made = put(array)
        if len(known) < MOST_NUMBERS:
            known[elements] = made
        return made

    return known.get, put_elements
