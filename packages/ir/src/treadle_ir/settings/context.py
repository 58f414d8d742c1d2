"""The context: everything that a staged or compiled program depends on besides its arguments.

A `Setting` is one such thing: the width of default types, the default device, the precision of matrix products. The
distribution that uses it declares it, once, at import. Its value is the process-wide value (`setting.set`), unless a
context manager overrides it in this thread or task (`with setting.override(value):`). The named axes
that are being mapped belong to the context, too (`with named_axis("i", 8):`).

A `Context` has all of these: it is immutable and interned, so equal contexts are one object. Every cache of programs,
derived programs or executables has `current_context().key` in its keys: a function that is used again returns what a
new function would return, whatever the context of its first use was.

Threads and tasks start without overrides, as they start without a current trace.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Hashable, Mapping
from contextvars import ContextVar
from typing import Any, Final, Generic, Literal, ParamSpec, TypeVar, final
from weakref import WeakValueDictionary

from treadle_ir.errors.argument_checks import shown
from treadle_ir.errors.kinds import ArgumentError, did_you_mean
from treadle_ir.errors.wrapping import wraps
from treadle_ir.process.fork import fork_safe_rlock

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")

Values = Mapping["Setting[Any]", Any]  # Any: each setting has its own type
AxisKind = Literal["mapped", "manual", "unchecked"]
"""The binder of a named axis: vmap; shard_map, with or without a check of varying axes."""
Axes = tuple[tuple[Hashable, int, AxisKind], ...]  # name, size and kind, outermost first


@final
class Context:
    """The settings that differ from their defaults, and the named axes; equal contexts are one object."""

    __slots__ = (
        "__weakref__",
        "_values",
        "axes",
        "dispatch",
        "instrumented",
        "key",
        "observed",
        "of_users",
        "programs",
        "unobserved",
        "x64",
    )

    axes: Axes
    key: Context  # the cache key: this context, restricted to settings that affect compiled artefacts
    programs: Context  # also without settings that affect only calls: for caches of staged programs
    dispatch: Context  # the key, with the observers of calls: generated fast paths serve calls without observers
    observed: bool  # calls of jitted functions have observers: see `Setting.observed`
    unobserved: Context  # this context, without the observers
    of_users: bool  # a setting applies to users' operations only: see `Setting.of_users`
    instrumented: bool  # a debug setting requires work on each call: see `Setting.instrumented`
    x64: bool  # the one setting that is read for every operation

    def __init__(self, values: Values, axes: Axes) -> None:
        self._values = values
        self.axes = axes
        self.x64 = bool(values.get(X64, X64.default))
        self.of_users = any([setting.of_users for setting in values])
        self.instrumented = any([setting.instrumented for setting in values])
        self.observed = any([setting.observed for setting in values])
        self.unobserved = self._only(lambda setting: not setting.observed)
        self.key = self._only(lambda setting: setting.keyed)
        self.dispatch = self._only(lambda setting: setting.keyed or setting.observed)
        self.programs = self._only(lambda setting: setting.keyed and not setting.instrumented)

    def _only(self, wanted: Callable[[Setting[Any]], bool]) -> Context:
        """Return this context with only the settings for which `wanted` is true."""
        values = {setting: value for setting, value in self._values.items() if wanted(setting)}
        return self if len(values) == len(self._values) else interned(values, self.axes)

    def get(self, setting: Setting[T]) -> T:
        """Return the value of a setting in this context."""
        value: T = self._values.get(setting, setting.default)
        return value

    def is_op_by_op(self) -> bool:
        """Return whether a setting observes each operation by itself, so that operations must not be fused."""
        return self.instrumented or any(
            [value in setting.op_by_op for setting, value in self._values.items()]
        )

    def replaced(self, setting: Setting[T], value: T) -> Context:
        """Return this context with another value of one setting."""
        values = {**self._values, setting: value}
        if value == setting.default:
            del values[setting]
        return interned(values, self.axes)

    def within(self, name: Hashable, size: int, kind: AxisKind = "mapped") -> Context:
        """Return this context inside of a named axis."""
        return interned(self._values, (*self.axes, (name, size, kind)))

    def differences(self, other: Context) -> list[str]:
        """List the differences of this context from `other`: `enable_x64 is True, was False`."""
        settings = sorted({*self._values, *other._values}, key=lambda setting: setting.name)
        lines = [
            f"{setting.name.removeprefix('_')} is {self.get(setting)!r}, was {other.get(setting)!r}"
            for setting in settings
            if self.get(setting) != other.get(setting)
        ]
        if self.axes != other.axes:
            now, before = [{name: size for name, size, _ in c.axes} for c in (self, other)]
            lines.append(f"the named axes are {now}, were {before}")
        return lines

    def __repr__(self) -> str:
        said = [f"{setting.name}={value!r}" for setting, value in self._values.items()]
        said += [f"axis {name!r}={size}" for name, size, _ in self.axes]
        return f"Context({', '.join(said)})"


_interned: Final[WeakValueDictionary[Hashable, Context]] = WeakValueDictionary()
_lock: Final = fork_safe_rlock()
# The process's context, in a list of one element, to which hot paths can hold a reference.
process_context: Final[list[Context]] = []


def interned(values: Values, axes: Axes) -> Context:
    """Return the canonical context with these values and axes."""
    # True == 1 == 1.0: the class distinguishes values that differ for programs.
    key = frozenset((setting, type(value), value) for setting, value in values.items()), axes
    with _lock:
        found = _interned.get(key)
        if found is None:
            found = _interned[key] = Context(values, axes)
        return found


def _same(value: Any) -> Any:  # Any: the setting's type
    return value


@final
class Setting(Generic[T]):
    """A value that programs, or operations on programs, may depend on.

    `name` is the public one: `config.update("treadle_<name>", value)`, and `TREADLE_<NAME>` in the
    environment, set the process's value. `parse` converts a value from a user or the environment; for an
    invalid value it raises a ValueError whose text continues "which ...". Programs depend on a setting unless `keyed`
    is off. `op_by_op` are the values under which each operation is observed by itself: fused functions run operation by
    operation then, as they do under an instrumented setting.

    An `instrumented` setting requires work on each call: on its results (`debug_nans`) or its operands
    (`transfer_guard`). Programs do not depend on it, but compiled calls and eager operations under it are instrumented,
    with separate cache entries: calls without the setting pay nothing.

    An `observed` setting holds observers of calls of jitted functions. Compiled calls do not depend on it, but no call
    takes its fast path past the observers.

    A setting that is `of_users` applies to operations that users write, not to the internal operations of library
    functions (`treadle_ir.errors.whose`): cache entries of such a function under it depend on its caller.

    A setting that is not `listed` has no public name, and several may share a name: users define them.

    A process-wide setting (of devices, of the log) has `applied`, which receives each new process-wide value before it
    is stored.

    Example:
        >>> from treadle_ir.settings.context import Setting, yes_or_no
        >>> shout = Setting("example_shout", False, parse=yes_or_no, help="Print in capitals.", keyed=False)
        >>> with shout.override(True):
        ...     print(shout())
        True
    """

    __slots__ = (
        *("applied", "default", "help", "keyed", "name", "of_users", "parse", "op_by_op"),
        *("instrumented", "observed"),
    )

    def __init__(
        self,
        name: str,
        default: T,
        *,
        parse: Callable[[Any], T] = _same,  # Any: a user's value
        help: str,
        keyed: bool = True,
        op_by_op: Container[object] = (),
        instrumented: bool = False,
        observed: bool = False,
        of_users: bool = False,
        applied: Callable[[T], object] | None = None,
        listed: bool = True,
    ) -> None:
        if listed and name in SETTINGS:
            raise ValueError(f"there is a setting `{name}` already")
        self.name: Final = name
        self.parse: Final = parse
        self.default: Final = default
        self.help: Final = help
        self.keyed: Final = keyed
        self.op_by_op: Final = op_by_op
        self.instrumented: Final = instrumented
        self.observed: Final = observed
        self.of_users: Final = of_users
        self.applied: Final = applied
        if not listed:
            return
        SETTINGS[name] = self
        if process_context:  # the first setting is declared before it exists
            self.read_environment()

    def __call__(self) -> T:
        """Return the value in the current context."""
        return current_context().get(self)

    def set(self, value: object) -> None:
        """Set the process-wide value.

        Raises:
            ArgumentError: the setting cannot take it.
        """
        parsed = self.parsed(value)
        if self.applied is not None:
            self.applied(parsed)
        with _lock:
            process_context[0] = process_context[0].replaced(self, parsed)

    def override(self, value: object) -> overriding:
        """Return a context manager in which the setting has another value, in this thread or task.

        Raises:
            ArgumentError: the setting cannot take it.
        """
        parsed = self.parsed(value)
        return overriding(lambda context: context.replaced(self, parsed))

    def parsed(self, value: object, variable: str | None = None) -> T:
        """Parse `value` as a value of the setting's type; `variable` names the environment variable that held it.

        Raises:
            ArgumentError: the setting cannot take it.
        """
        try:
            return self.parse(value)
        except (TypeError, ValueError) as error:
            if variable is None:
                raise ArgumentError(
                    f"setting `{self.name}` is {shown(value)}, which {error}"
                ) from None
            raise ArgumentError(
                f"environment variable {variable} is {shown(value)}, which {error}",
                fix=f"unset {variable}, or set it to what `{self.name}` takes",
                where="",
            ) from None

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that change the default; the first one wins."""
        return environment_variables(self.name)

    def read_environment(self) -> None:
        """Set the process-wide value from an environment variable, if there is one.

        Raises:
            ArgumentError: the setting cannot take it.
        """
        for variable in self.variables:
            text = os.environ.get(variable)
            if text is not None:
                parsed = self.parsed(text, variable)
                with _lock:
                    process_context[0] = process_context[0].replaced(self, parsed)
                return

    def __repr__(self) -> str:
        return f"Setting({self.name!r})"


SETTINGS: Final[dict[str, Setting[Any]]] = {}  # by name; only grows
_prefixes: Final = ["TREADLE_"]  # of environment variables; the first one wins


def environment_variables(name: str) -> tuple[str, ...]:
    """Return the environment variables that give a setting, or another choice, a value; the first one wins."""
    return tuple([prefix + name.upper() for prefix in _prefixes])


def read_prefix(prefix: str) -> None:
    """Read environment variables with this prefix too, unless the variable with an earlier one is set.

    Raises:
        ArgumentError: a setting cannot take the value of its variable.
    """
    if prefix in _prefixes:
        return
    given = [
        setting
        for setting in SETTINGS.values()
        if not any([variable in os.environ for variable in setting.variables])
    ]
    _prefixes.append(prefix)
    for setting in given:
        setting.read_environment()


_TRUE: Final = frozenset({"1", "true", "yes", "on", "y", "t"})
_FALSE: Final = frozenset({"", "0", "false", "no", "off", "n", "f"})


def yes_or_no(value: object) -> bool:
    """Return a boolean, given a boolean or one of the words of the environment.

    Raises:
        ValueError: `value` is neither yes nor no.
    """
    if isinstance(value, str):
        if value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
        raise ValueError("is neither yes nor no (1 or 0, true or false, on or off)")
    return bool(value)


def one_of(
    *choices: str | None,
) -> Callable[[object], Any]:  # Any: a Literal of the choices, where it is declared
    """Return a parser of one of several words."""

    def parse(value: object) -> Any:
        if value in choices:
            return value
        raise ValueError(
            f"is none of {', '.join(map(repr, choices))}{did_you_mean(value, choices)}"
        )

    return parse


X64: Final = Setting(
    "enable_x64",
    False,
    parse=yes_or_no,
    help="Default types are 64 bits wide, and 64-bit types are kept.",
)
process_context.append(interned({}, ()))
X64.read_environment()


@final
class _Overrides:
    """The changes by the context managers around the running code, innermost last."""

    __slots__ = ("_base", "_change", "_context", "outer")

    def __init__(self, outer: _Overrides | None, change: Callable[[Context], Context]) -> None:
        self.outer = outer
        self._change = change
        self._base: Context | None = None
        self._context: Context | None = None

    def context(self) -> Context:
        """Return the context with these changes, made again if the process-wide context has changed."""
        process = process_context[0]
        if self._base is not process or self._context is None:
            outside = process if self.outer is None else self.outer.context()
            self._context, self._base = self._change(outside), process
        return self._context


context_overrides: Final[ContextVar[_Overrides | None]] = ContextVar(
    "treadle_context", default=None
)


def current_context() -> Context:
    """Return the context of the running code."""
    overrides = context_overrides.get()
    return process_context[0] if overrides is None else overrides.context()


@final
class overriding:  # noqa: N801 - reads as a statement: `with overriding(change):`
    """A context manager that changes the context; one object may be entered again, and by many threads.

    It is a decorator, too: the decorated function runs in the changed context.
    """

    __slots__ = ("_change",)

    def __init__(self, change: Callable[[Context], Context]) -> None:
        self._change = change

    def __enter__(self) -> None:
        context_overrides.set(_Overrides(context_overrides.get(), self._change))

    def __exit__(self, *error: object) -> None:
        inner = context_overrides.get()
        assert inner is not None, (
            "context managers are left in the order in which they were entered"
        )
        context_overrides.set(inner.outer)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function wrapped so that it runs in the changed context."""

        @wraps(function)
        def within(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return function(*args, **kwargs)

        return within


def named_axis(name: Hashable, size: int, kind: AxisKind = "mapped") -> overriding:
    """Return a context manager that binds a named axis, for collectives: `with named_axis("i", 8):`."""
    return overriding(lambda context: context.within(name, size, kind))
