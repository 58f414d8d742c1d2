"""Context managers of settings: `with debug_nans(True):` has another value for a while, in this thread or task."""

from __future__ import annotations

from typing import Any, Final, final

from treadle_ir import ArgumentError, settings as ir
from treadle_ir.core import DTYPE_PROMOTION
from treadle_ir.errors import boundary
from treadle_ir.settings import X64, Setting, overriding
from treadle_numpy import settings as numpy
from treadle_runtime import settings as runtime

_NOTHING: Final = object()


@boundary
@final
class SettingManager:
    """The context manager of one setting: `with manager(value):`.

    Where the setting is on or off, `manager()` turns it on. The value holds in this thread or task, until the block is
    left; `treadle.config.update` sets the process's.
    """

    def __init__(self, setting: Setting[Any]) -> None:  # Any: of all types
        self.setting: Final = setting
        self.__name__ = self.__qualname__ = setting.name
        self.__module__ = "treadle"
        self.__doc__ = f"`with {setting.name}(value):` - {setting.help}"

    def __call__(self, new_val: Any = _NOTHING) -> overriding:  # Any: what users give
        """Return the context manager that sets the value.

        Raises:
            ArgumentError: the setting cannot take the value.
        """
        if new_val is _NOTHING:
            if not isinstance(self.setting.default, bool):
                raise ArgumentError(
                    f"{self.setting.name}: the value is missing",
                    fix=f"write `with {self.setting.name}(value):`",
                )
            new_val = True
        return self.setting.override(new_val)

    def __reduce__(self) -> str:
        """By its name, which is public in `treadle`."""
        return self.__name__

    def __repr__(self) -> str:
        return f"<context manager of the setting {self.setting.name}>"


# Programs
enable_x64: Final = SettingManager(X64)
default_matmul_precision: Final = SettingManager(numpy.MATMUL_PRECISION)
numpy_dtype_promotion: Final = SettingManager(DTYPE_PROMOTION)
numpy_rank_promotion: Final = SettingManager(numpy.RANK_PROMOTION)
default_prng_impl: Final = SettingManager(numpy.PRNG_IMPL)
legacy_prng_key: Final = SettingManager(numpy.LEGACY_KEY)
enable_custom_prng: Final = SettingManager(numpy.CUSTOM_PRNG)
threefry_partitionable: Final = SettingManager(numpy.THREEFRY_PARTITIONABLE)
softmax_custom_jvp: Final = SettingManager(numpy.SOFTMAX_JVP)

# A look at what happens
debug_nans: Final = SettingManager(ir.DEBUG_NANS)
debug_infs: Final = SettingManager(ir.DEBUG_INFS)
debug_key_reuse: Final = SettingManager(ir.DEBUG_KEY_REUSE)
enable_checks: Final = SettingManager(ir.ENABLE_CHECKS)
check_tracer_leaks: Final = SettingManager(ir.CHECK_TRACER_LEAKS)
log_compiles: Final = SettingManager(ir.LOG_COMPILES)
explain_cache_misses: Final = SettingManager(ir.EXPLAIN_CACHE_MISSES)
no_tracing: Final = SettingManager(ir.NO_TRACING)
no_execution: Final = SettingManager(runtime.NO_EXECUTION)
array_garbage_collection_guard: Final = SettingManager(runtime.GARBAGE_GUARD)
thread_guard: Final = SettingManager(runtime.THREAD_GUARD)

# Transfers
transfer_guard: Final = SettingManager(runtime.TRANSFER_GUARD)
transfer_guard_host_to_device: Final = SettingManager(runtime.HOST_TO_DEVICE)
transfer_guard_device_to_device: Final = SettingManager(runtime.DEVICE_TO_DEVICE)
transfer_guard_device_to_host: Final = SettingManager(runtime.DEVICE_TO_HOST)


def checking_leaks() -> overriding:
    """`with checking_leaks():` is `with check_tracer_leaks(True):`.

    Example:
        >>> import treadle
        >>> kept = []
        >>> with treadle.checking_leaks():
        ...     treadle.jit(kept.append)(1.0)
        Traceback (most recent call last):
        treadle.errors.LeakedTracerError: a traced array of type f32[]* is kept after the trace has ended: in a list...
    """
    return ir.CHECK_TRACER_LEAKS.override(True)
