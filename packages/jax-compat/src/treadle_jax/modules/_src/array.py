"""`jax._src.array`: for code that asks whether an array has elements, by JAX's class of such arrays."""

from __future__ import annotations

from treadle_runtime import DeviceArray as DeviceArray

ArrayImpl = DeviceArray  # JAX's name of it
