"""Buffers of numbers and of small NumPy arrays that came before: in programs most are the same again.

What is copied to a device for one argument of a fast call is kept by its elements, for the first few of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_compiler import device_dtype
from treadle_runtime.client import number_range
from treadle_runtime.placement.placement import PlacedType

MOST_NUMBERS: Final = 64  # that are kept for each argument

Elements: TypeAlias = np.ndarray[Any, Any]
Put: TypeAlias = Callable[[Any], Any]  # Any: a NumPy array or a number, and jaxlib's array


def putting_to(placed: PlacedType) -> Put:
    """What copies small elements of one type to one place."""
    device = placed.placement.device
    return device.backend.putting(placed.type.shape, device_dtype(placed.type.dtype), device.raw)


def known_numbers(put: Put, kind: type, dtype: np.dtype[Any]) -> tuple[Put, Put]:
    """What gives the buffer of a number that is known, or None; and what makes that of another one."""
    known: dict[Any, Any] = {}
    low, high = number_range(kind, dtype)

    def put_number(value: Any) -> Any:
        made = put(value if low <= value <= high else np.asarray(value, dtype))
        if len(known) < MOST_NUMBERS:
            known[value] = made
        return made

    return known.get, put_number


def known_elements(put: Put) -> tuple[Put, Callable[[Elements, bytes], Any]]:
    """The same for NumPy arrays by their elements as bytes."""
    known: dict[bytes, Any] = {}

    def put_elements(array: Elements, elements: bytes) -> Any:
        made = put(array)
        if len(known) < MOST_NUMBERS:
            known[elements] = made
        return made

    return known.get, put_elements
