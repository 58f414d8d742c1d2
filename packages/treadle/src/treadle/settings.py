"""Settings: `config.update("treadle_enable_x64", True)`, environment variables, context managers.

Keys are `treadle_...`; JAX's `jax_...` names are accepted with the same meaning. Environment variables are
`TREADLE_...`, and `JAX_...` is read where the first is not set. Each is a `Setting`, declared by the
distribution that gives it its meaning; all are listed in docs/settings.md. Context managers are in `managers.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, final

from treadle_compiler import settings as _of_the_compiler  # noqa: F401
from treadle_ir import ArgumentError
from treadle_ir.errors import did_you_mean, flags as refuse_other_than_flags, refused
from treadle_ir.process import frozen
from treadle_ir.settings import SETTINGS
from treadle_numpy import settings as _of_numpy  # noqa: F401
from treadle_runtime import settings as _of_the_runtime  # noqa: F401
from treadle_runtime.placement import placement as _placement  # noqa: F401

_PREFIXES: Final = ("treadle_", "jax_")
STRICT: Final[Mapping[str, bool | str]] = MappingProxyType(
    {
        "check_static_indices": True,
        "check_tracer_leaks": True,
        "debug_key_reuse": True,
        "debug_nans": True,
        "explicit_x64_dtypes": "error",
    }
)
"""The settings that `config.strict()` sets, and their values."""


def names() -> list[str]:
    """Return the names of all settings, without a prefix; those with an underscore have functions of their own."""
    return sorted([name for name in SETTINGS if not name.startswith("_")])


@final
@frozen
class _Option:
    """An option that a library declared."""

    holder: Any  # Any: whatever has `value` and `_set`
    meta: tuple[Any, list[Any], dict[str, Any]]


@final
class Config:
    """The process's settings. `config.update(name, value)` sets one; `config.treadle_enable_x64` reads it."""

    def __init__(self) -> None:
        self._options: dict[str, _Option] = {}  # users' own, by their whole names

    def add_option(
        self,
        name: str,
        holder: Any,  # Any: whatever has `value` and `_set`
        opt_type: Any,  # Any: a type, or "enum"
        meta_args: Sequence[Any],
        meta_kwargs: Mapping[str, Any],
    ) -> None:
        """Declare an option of a library's own, which `update`, `read` and `values` know by its whole name.

        Args:
            name: the whole name.
            holder: what has the value: `holder.value` reads it, `holder._set(value)` sets it.
            opt_type: the type of values; `meta` shows it with `meta_args` and `meta_kwargs`.
            meta_args: what else there is to say, as to a definition of a flag.
            meta_kwargs: the same by name, as `help`.

        Raises:
            ArgumentError: there is an option of that name.

        Example:
            >>> from types import SimpleNamespace
            >>> held = SimpleNamespace(value=1)
            >>> held._set = lambda value: setattr(held, "value", value)
            >>> config.add_option("example_of_settings_depth", held, int, [], {"help": "How deep."})
            >>> config.update("example_of_settings_depth", 3)
            >>> config.read("example_of_settings_depth")
            3
        """
        if not isinstance(name, str):
            raise refused("config.add_option", "name", "a string", name)
        if name in self._options or (name.startswith(_PREFIXES) and _key(name) in SETTINGS):
            raise ArgumentError(
                f"config.add_option: there is an option {name!r} already", fix="take another name"
            )
        self._options[name] = _Option(holder, (opt_type, list(meta_args), dict(meta_kwargs)))

    @property
    def meta(self) -> dict[str, tuple[Any, list[Any], dict[str, Any]]]:
        """What is known of each option by its whole name: its type, and what it is for as `help`; a copy."""
        own: dict[str, Any] = {
            prefix + name: (type(SETTINGS[name].default), [], {"help": SETTINGS[name].help})
            for name in names()
            for prefix in _PREFIXES
        }
        return {**own, **{name: option.meta for name, option in self._options.items()}}

    def update(self, name: str, val: object) -> None:
        """Set a setting by its key, with the prefix `treadle_` or `jax_`.

        Raises:
            AttributeError: there is no such setting.
            ArgumentError: the setting cannot take the value.
        """
        key = _key(name)
        if name in self._options:
            self._options[name].holder._set(val)
            return
        setting = SETTINGS.get(key)
        if setting is None:
            raise _no_setting(name)
        setting.set(val)

    def strict(self, on: bool = True, *, environ: Mapping[str, str] | None = None) -> None:
        """Turn silent mistakes into errors: NaNs, reused keys, leaked tracers, narrowed types, indices out of bounds.

        It sets the settings of `STRICT` for the process; docs/debugging.md states what each costs. `TREADLE_STRICT=1`
        in the environment does the same before the program starts.

        Args:
            on: False resets these settings to their defaults.
            environ: environment variables; a setting whose own variable is among them keeps its value.

        Raises:
            ArgumentError: `on` is not a boolean.

        Example:
            >>> config.strict()
            >>> config.treadle_debug_nans, config.treadle_explicit_x64_dtypes
            (True, 'error')
            >>> config.strict(False)
            >>> config.treadle_debug_nans, config.treadle_explicit_x64_dtypes
            (False, 'warn')
        """
        refuse_other_than_flags("config.strict", on=on)
        for name, value in STRICT.items():
            setting = SETTINGS[name]
            if environ is None or not any([each in environ for each in setting.variables]):
                setting.set(value if on else setting.default)

    def read(self, name: str) -> Any:  # Any: of all kinds
        """Return the value of a setting here.

        Raises:
            AttributeError: there is no such setting.
        """
        key = _key(name)
        if name in self._options:
            return self._options[name].holder.value
        setting = SETTINGS.get(key)
        if setting is None:
            raise _no_setting(name)
        return setting()

    def __getattr__(self, name: str) -> Any:  # Any: of all kinds
        if name.startswith("_"):
            raise AttributeError(name)
        return self.read(name)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to hide a setting by an attribute, which would change nothing."""
        if _key(name) in SETTINGS:
            raise AttributeError(
                f"settings are not assigned to: write config.update({name!r}, {value!r:.100})",
                name=name,
            )
        super().__setattr__(name, value)

    @property
    def values(self) -> dict[str, Any]:  # Any: of all kinds
        """All settings as they are here, by their keys with either prefix; a copy."""
        own = {prefix + name: self.read(name) for name in names() for prefix in _PREFIXES}
        return {**own, **{name: self.read(name) for name in self._options}}

    @property
    def x64_enabled(self) -> bool:
        """Whether 64-bit types are in force: `enable_x64` under its other name."""
        return bool(self.read("enable_x64"))

    def __dir__(self) -> list[str]:
        return [
            "add_option",
            "config_with_absl",
            "meta",
            "parse_flags_with_absl",
            "read",
            "strict",
            "update",
            "values",
            "x64_enabled",
            *[f"treadle_{name}" for name in names()],
        ]

    def __repr__(self) -> str:
        return f"<settings: {', '.join([f'{name}={self.read(name)!r}' for name in names()])}>"

    def config_with_absl(self) -> None:
        """Define absl flags for the settings (`--jax_platforms`, `--treadle_platforms`), read when the app runs.

        Raises:
            ModuleNotFoundError: absl is not installed.
        """
        from absl import app, flags  # noqa: PLC0415 - an optional dependency, imported on request

        _define(flags)
        app.call_after_init(lambda: self._take(flags))

    def parse_flags_with_absl(self) -> None:
        """Define absl flags as `config_with_absl` does, and read them from the command line now.

        For scripts and tests that absl does not run; other flags are left to the code that defines them.

        Raises:
            ModuleNotFoundError: absl is not installed.
        """
        from absl import flags  # noqa: PLC0415 - an optional dependency, imported on request

        _define(flags)
        if not flags.FLAGS.is_parsed():
            flags.FLAGS(sys.argv, known_only=True)
        self._take(flags)

    def _take(self, flags: Any) -> None:
        """Set what the flags give."""
        for flag, name in _flags():
            value = flags.FLAGS[flag].value
            if value is not None:
                self.update(name, value)


def _flags() -> list[tuple[str, str]]:
    """Return the absl flags, each with its setting."""
    return [(prefix + name, name) for name in names() for prefix in _PREFIXES]


def _define(flags: Any) -> None:  # Any: absl's module, without types
    for flag, name in _flags():
        if flag not in flags.FLAGS:
            flags.DEFINE_string(flag, None, f"treadle's setting {name}")


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise refused("config.update", "name", "a string", name)
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


def _no_setting(name: str) -> AttributeError:
    close = did_you_mean(_key(name), names()).replace("'", "'treadle_", 1)
    error = AttributeError(f"treadle has no setting {name!r}{close}")
    error.add_note("  fix: take a name that `print(*treadle.config.values)` shows")
    return error


config: Final = Config()
