"""Settings: `config.update("treadle_enable_x64", True)`, environment variables, context managers.

Keys are `treadle_...`; JAX's `jax_...` names are accepted with the same meaning. Environment variables are
`TREADLE_...`, and `JAX_...` is read where the first is not set. What programs depend on is a `treadle_ir.Setting`,
declared where it is used; what concerns the process (its devices, its tracebacks) is here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from treadle import tracebacks
from treadle_ir import DTYPE_PROMOTION, SETTINGS, X64, did_you_mean, overriding
from treadle_numpy.settings import MATMUL_PRECISION, RANK_PROMOTION
from treadle_runtime import backends


def _set_platforms(value: object) -> None:
    backends.configure(platforms=None if value in (None, "") else str(value))


def _set_devices(value: object) -> None:
    backends.configure(num_cpu_devices=int(str(value)))


def _set_filtering(value: object) -> None:
    tracebacks.show_all(value in ("off", "full", False))


_OF_THE_PROCESS: Final[dict[str, Callable[[object], None]]] = {
    "platforms": _set_platforms,
    "platform_name": _set_platforms,
    "num_cpu_devices": _set_devices,
    "traceback_filtering": _set_filtering,
}


def names() -> list[str]:
    """The names of all settings, without a prefix."""
    return sorted({*SETTINGS, *_OF_THE_PROCESS})


@final
class Config:
    """The process's settings. `config.update(name, value)` sets one; `config.treadle_enable_x64` reads it."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}  # of those that concern the process; Any: of all kinds

    def update(self, name: str, value: object) -> None:
        """Set a setting by its key, with the prefix `treadle_` or `jax_`.

        Raises:
            AttributeError: there is no such setting.
            ArgumentError: the setting cannot take the value.
        """
        key = _key(name)
        if key in SETTINGS:
            SETTINGS[key].set(value)
        elif key in _OF_THE_PROCESS:
            _OF_THE_PROCESS[key](value)
            self._values[key] = value
        else:
            raise _no_setting(name)

    def read(self, name: str) -> Any:  # Any: of all kinds
        """The value of a setting here.

        Raises:
            AttributeError: there is no such setting.
        """
        key = _key(name)
        if key in SETTINGS:
            return SETTINGS[key]()
        if key in _OF_THE_PROCESS:
            return self._values.get(key)
        raise _no_setting(name)

    def __getattr__(self, name: str) -> Any:  # Any: of all kinds
        if name.startswith("_"):
            raise AttributeError(name)
        return self.read(name)

    def __dir__(self) -> list[str]:
        return ["config_with_absl", "read", "update", *[f"treadle_{name}" for name in names()]]

    def __repr__(self) -> str:
        return f"<settings: {', '.join([f'{name}={self.read(name)!r}' for name in names()])}>"

    def config_with_absl(self) -> None:
        """Define absl flags for the settings (`--jax_platforms`, `--treadle_platforms`), read when the app runs.

        Raises:
            ModuleNotFoundError: absl is not installed.
        """
        from absl import app, flags  # noqa: PLC0415 - an optional dependency, imported on request

        known = [(prefix + name, name) for name in names() for prefix in ("treadle_", "jax_")]
        for flag, name in known:
            if flag not in flags.FLAGS:
                flags.DEFINE_string(flag, None, f"treadle's setting {name}")

        def apply() -> None:
            for flag, name in known:
                value = flags.FLAGS[flag].value
                if value is not None:
                    self.update(name, value)

        app.call_after_init(apply)


def _key(name: str) -> str:
    for prefix in ("treadle_", "jax_"):
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


def _no_setting(name: str) -> AttributeError:
    return AttributeError(
        f"treadle has no setting {name!r}{did_you_mean(_key(name), names())}; "
        f"it has {', '.join(['treadle_' + known for known in names()])}"
    )


config: Final = Config()


def enable_x64(new_val: bool = True) -> overriding:
    """`with enable_x64():` has 64-bit types for a while, in this thread.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> with treadle.enable_x64():
        ...     tnp.zeros(2).dtype
        dtype('float64')
    """
    return X64.override(new_val)


def default_matmul_precision(new_val: str | None) -> overriding:
    """`with default_matmul_precision("highest"):` says how exactly accelerators multiply where a product does not.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> with treadle.default_matmul_precision("highest"):
        ...     product = tnp.ones((2, 2)) @ tnp.ones((2, 2))
    """
    return MATMUL_PRECISION.override(new_val)


def numpy_dtype_promotion(new_val: str) -> overriding:
    """`with numpy_dtype_promotion("strict"):` refuses arrays of different element types beside each other.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> with treadle.numpy_dtype_promotion("strict"):
        ...     tnp.ones(2) + 1
        Array([2., 2.], dtype=float32)
    """
    return DTYPE_PROMOTION.override(new_val)


def numpy_rank_promotion(new_val: str) -> overriding:
    """`with numpy_rank_promotion("raise"):` refuses to broadcast arrays with different numbers of axes; or "warn".

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> with treadle.numpy_rank_promotion("raise"):
        ...     tnp.ones((2, 3)) + tnp.ones((1, 3))
        Array([[2., 2., 2.],
               [2., 2., 2.]], dtype=float32)
    """
    return RANK_PROMOTION.override(new_val)
