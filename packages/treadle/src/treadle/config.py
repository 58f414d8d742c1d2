"""Settings of the process: `config.update("treadle_enable_x64", True)`, environment variables, context managers.

Keys are `treadle_...`; JAX's `jax_...` names are accepted with the same meaning. Environment variables are
`TREADLE_...`, and `JAX_...` is read where the first is not set.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, final

from treadle import tracebacks
from treadle_ir import ArgumentError, set_x64, x64_context, x64_enabled
from treadle_runtime import backends

_TRUE: Final = frozenset({"1", "true", "yes", "on", "y", "t"})
_FALSE: Final = frozenset({"", "0", "false", "no", "off", "n", "f"})


def environment_flag(name: str, default: bool = False) -> bool:
    """A yes-or-no environment variable, `TREADLE_<name>` or `JAX_<name>`.

    Raises:
        ArgumentError: its value is neither.
    """
    for variable in (f"TREADLE_{name}", f"JAX_{name}"):
        value = os.environ.get(variable)
        if value is None:
            continue
        if value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
        raise ArgumentError(
            f"environment variable {variable} is {value!r}, which is neither yes nor no",
            fix=f"set {variable}=1 or {variable}=0",
        )
    return default


def _set_x64(value: object) -> None:
    set_x64(bool(value))


def _set_platforms(value: object) -> None:
    backends.configure(platforms=None if value in (None, "") else str(value))


def _set_devices(value: object) -> None:
    backends.configure(num_cpu_devices=int(str(value)))


def _set_filtering(value: object) -> None:
    tracebacks.show_all(value in ("off", "full", False))


_SETTERS: Final[dict[str, Callable[[object], None]]] = {
    "enable_x64": _set_x64,
    "platforms": _set_platforms,
    "platform_name": _set_platforms,
    "num_cpu_devices": _set_devices,
    "traceback_filtering": _set_filtering,
}


@final
class Config:
    """The process's settings. `config.update(name, value)` sets one; `config.treadle_enable_x64` reads it."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def update(self, name: str, value: object) -> None:
        """Set a setting by its key, with the prefix `treadle_` or `jax_`.

        Raises:
            AttributeError: there is no such setting.
        """
        key = _key(name)
        if key not in _SETTERS:
            raise AttributeError(
                f"treadle has no setting {name!r}; it has {', '.join('treadle_' + k for k in _SETTERS)}"
            )
        _SETTERS[key](value)
        self._values[key] = value

    def read(self, name: str) -> Any:
        """The value of a setting."""
        key = _key(name)
        if key == "enable_x64":
            return x64_enabled()
        if key not in _SETTERS:
            raise AttributeError(f"treadle has no setting {name!r}")
        return self._values.get(key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.read(name)

    def config_with_absl(self) -> None:
        """Define absl flags for the settings (`--jax_platforms`, `--treadle_platforms`), read when the app runs.

        Raises:
            ModuleNotFoundError: absl is not installed.
        """
        from absl import app, flags  # noqa: PLC0415 - an optional dependency, imported on request

        names = [(prefix + key, key) for key in _SETTERS for prefix in ("treadle_", "jax_")]
        for name, _ in names:
            if name not in flags.FLAGS:
                flags.DEFINE_string(name, None, f"treadle's setting {name}")

        def apply() -> None:
            for name, _ in names:
                value = flags.FLAGS[name].value
                if value is not None:
                    self.update(name, value if "enable" not in name else value.lower() in _TRUE)

        app.call_after_init(apply)


def _key(name: str) -> str:
    for prefix in ("treadle_", "jax_"):
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


config: Final = Config()
if environment_flag("ENABLE_X64"):
    set_x64(True)


def enable_x64(new_val: bool = True) -> x64_context:
    """`with enable_x64():` has 64-bit types for a while, in this thread."""
    return x64_context(new_val)
