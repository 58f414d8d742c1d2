"""Where classes of values say that they come from: while the hook is in, from modules of JAX.

Libraries that serve arrays of several kinds choose their functions by `type(x).__module__`, such as autoray, by which
PennyLane works.
"""

from __future__ import annotations

from typing import Final

from treadle import Array
from treadle_ir.tracing import show_tracers_as
from treadle_runtime import DeviceArray

_MODULES: Final[dict[type, str]] = {Array: "jax", DeviceArray: "jax._src.array"}
_OWN: Final = {cls: cls.__module__ for cls in _MODULES}


def start() -> None:
    """From now on they come from `jax`."""
    show_tracers_as("jax.core")
    for cls, module in _MODULES.items():
        cls.__module__ = module


def stop() -> None:
    """They come from treadle."""
    show_tracers_as(None)
    for cls, module in _OWN.items():
        cls.__module__ = module
