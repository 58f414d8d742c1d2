"""jaxlib imports jax by itself on some paths: its question is answered without loading jax."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from treadle_compiler import jaxlib
from treadle_ir.process import fork_safe_rlock


@final
class Aval:
    """The type of an array as jaxlib wants to see it: exactly these three attributes."""

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape: Sequence[int], dtype: object, weak_type: bool = False) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)  # type: ignore[call-overload]  # whatever NumPy takes as a dtype
        self.weak_type = weak_type


def make_aval(shape: Sequence[int], dtype: object, weak_type: bool = False) -> object:
    """Return the type of an array for jaxlib; of jax's own class if jax is loaded."""
    # jaxlib keeps this function for ever, so if jax is loaded later it must hand over to the real class.
    real = sys.modules.get("jax.core")
    if real is None or real is _STUBS["jax.core"]:
        return Aval(shape, dtype, weak_type)
    return real.ShapedArray(shape, dtype, weak_type=weak_type)


def _stubs() -> dict[str, types.ModuleType | None]:
    top, core, source = (types.ModuleType(name) for name in ("jax", "jax.core", "jax._src"))
    top.__dict__.update(__path__=[], core=core)
    source.__dict__.update(__path__=[])
    core.__dict__.update(ShapedArray=make_aval)
    return {"jax": top, "jax.core": core, "jax._src": source, "jax._src.sharding_impls": None}


_STUBS: Final = _stubs()
_guard: Final = fork_safe_rlock()


@final
class no_jax_import:  # noqa: N801 - reads as a statement
    """Keep jaxlib from importing jax meanwhile; nothing happens if jax is loaded already.

    No generator: whose stack has room for `__enter__` has room for `__exit__`, and the lock is never left behind.
    """

    __slots__ = ("_stubbed",)

    def __enter__(self) -> None:
        _guard.acquire()
        try:
            self._stubbed = "jax" not in sys.modules
            if self._stubbed:
                sys.modules.update(_STUBS)  # type: ignore[arg-type]  # None there means: do not look for it
        except BaseException:
            _guard.release()
            raise

    def __exit__(self, *error: object) -> None:
        try:
            if self._stubbed:
                for name, stub in _STUBS.items():
                    if sys.modules.get(name) is stub:
                        sys.modules.pop(name, None)
        finally:
            _guard.release()


def own_sharding(device: object, memory_kind: str | None) -> Any:
    """Return jaxlib's sharding for one of its own devices; None if `device` is not one of them.

    If treadle is installed as `jax`, jaxlib finds treadle's class for such shardings under JAX's name, and calls it
    for each shard of an array over several devices.
    """
    core = jaxlib().core
    if not isinstance(device, core.Device):
        return None
    return core.SingleDeviceSharding(device, memory_kind=memory_kind)
