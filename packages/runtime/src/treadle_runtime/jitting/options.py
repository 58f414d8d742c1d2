"""The options of `jit`: static arguments, donated arguments, and the rest."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_ir import ArgumentError, Program
from treadle_ir.errors import integer, names, refused, sequence, shown
from treadle_ir.process import frozen
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.requested import RequestedShardings


class Inline(enum.Enum):
    """When a call of a jitted function is inlined into an enclosing program.

    JAX_EARLY is `inline=True`: when the outer function is staged. JAX_LATE: when the outer program is lowered; until
    then transformations see one call. XLA_EARLY and XLA_LATE leave a call in the program for XLA, with an attribute
    for its passes; compilers that ignore it inline as they see fit. AUTO is `inline=False`: the best choice.

    Example:
        >>> from treadle_ir import ops
        >>> from treadle_runtime import Inline, jit
        >>> f = jit(lambda x: ops.sine(x), inline=Inline.XLA_LATE)
        >>> "call @" in jit(lambda x: ops.negate(f(x))).lower(1.0).as_text()
        True
    """

    JAX_EARLY = "jax_early"
    JAX_LATE = "jax_late"
    XLA_EARLY = "xla_early"
    XLA_LATE = "xla_late"
    AUTO = "auto"


@final
@frozen
class Split:
    """Which arguments are static and which are donated."""

    static_argnums: tuple[int, ...] = ()
    static_argnames: frozenset[str] = frozenset()
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: frozenset[str] = frozenset()


def _tuple_of(value: object, name: str, kind: type) -> tuple[Any, ...]:
    if value is None:
        return ()
    several = isinstance(value, Sequence | set | frozenset) and not isinstance(value, str)
    items: tuple[object, ...] = tuple(value) if several else (value,)  # type: ignore[arg-type]  # as asked
    if all(isinstance(item, kind) for item in items):
        return items
    try:
        if kind is int:
            return tuple([integer("jit", name, item) for item in items])
    except ArgumentError:
        pass
    raise ArgumentError(
        f"{name} must be {'an int' if kind is int else 'a string'} or a sequence of them, got {shown(value)}"
    )


UNSPECIFIED: Final = Split()
UserPass: TypeAlias = str | Callable[[Program], Program]
"""A pass of a user's, or the name of a pass of treadle_ir."""


def split_of(
    function: Callable[..., Any],
    static_argnums: object,
    static_argnames: object,
    donate_argnums: object,
    donate_argnames: object,
) -> Split:
    """Check the user's static and donated arguments against the function's parameters.

    Static arguments may be named or numbered; the other spelling follows from the function's parameters.

    Raises:
        ArgumentError: the function does not have such a parameter, or an argument is both static and donated.
    """
    if static_argnums is static_argnames is donate_argnums is donate_argnames is None:
        # reading a function's parameters takes longer than the rest of `jit`
        return UNSPECIFIED
    parameters, name = _parameters(function), name_of(function)
    subject, advice = (
        f"jitted function {name}",
        "count from 0; keyword-only arguments are named in ",
    )
    numbers = _numbers(
        static_argnums, "static_argnums", parameters, subject, advice + "static_argnames"
    )
    names = _names(static_argnames, "static_argnames", parameters, name)
    if parameters is not None:
        if static_argnames is None:
            names = frozenset(_keyword(parameters, numbers))
        elif static_argnums is None:
            numbers = _positions(parameters, names)
    donated = _numbers(
        donate_argnums, "donate_argnums", parameters, subject, advice + "donate_argnames"
    )
    donated_names = _names(donate_argnames, "donate_argnames", parameters, name)
    if parameters is not None and donate_argnames is not None and donate_argnums is None:
        donated = _positions(parameters, donated_names)
    if set(numbers) & set(donated):
        raise ArgumentError(
            f"static_argnums {numbers} and donate_argnums {donated} cannot intersect",
            fix="a static argument has no buffer to donate: leave it out of donate_argnums",
        )
    if names & donated_names:
        raise ArgumentError(
            f"static_argnames {sorted(names)} and donate_argnames {sorted(donated_names)} cannot intersect",
            fix="a static argument has no buffer to donate: leave it out of donate_argnames",
        )
    return Split(numbers, names, donated, donated_names)


_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def static_numbers(who: str, function: Callable[..., Any], value: object) -> tuple[int, ...]:
    """Return the positions of static arguments, counted from 0 if the function's parameters are known.

    Args:
        who: the calling function, for messages.
        function: the user's function.
        value: the user's static_argnums.

    Raises:
        ArgumentError: they are not integers, or the function does not have such an argument.
    """
    if value is None or (type(value) is tuple and not value):
        return ()  # the signature of the function is not read, which takes as long as tracing a few operations
    subject = f"{who}: {name_of(function)}"
    return _numbers(value, "static_argnums", _parameters(function), subject, "count from 0")


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """Return the parameters of a function; None if they are unknown."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def _numbers(
    value: object,
    what: str,
    parameters: list[inspect.Parameter] | None,
    subject: str,
    advice: str,
) -> tuple[int, ...]:
    numbers = _tuple_of(value, what, int)
    if parameters is None or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return tuple(sorted(set(numbers)))
    count = sum(p.kind in _POSITIONAL for p in parameters)
    for number in numbers:
        if not -count <= number < count:
            raise ArgumentError(
                f"{subject} has {what}={numbers}, but only accepts {count} positional arguments",
                fix=advice,
            )
    return tuple(sorted({number % count for number in numbers}))


def _names(
    value: object, what: str, parameters: list[inspect.Parameter] | None, name: str
) -> frozenset[str]:
    names = frozenset(_tuple_of(value, what, str))
    if parameters is None or any(p.kind is p.VAR_KEYWORD for p in parameters):
        return names
    known = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    if names - known:
        raise ArgumentError(
            f"jitted function {name} has invalid argnames {sorted(names - known)} in {what}: "
            "the function does not take these arguments",
            fix=f"its arguments are {', '.join(p.name for p in parameters)}",
        )
    return names


def _keyword(parameters: list[inspect.Parameter], numbers: tuple[int, ...]) -> list[str]:
    return [
        p.name
        for number, p in enumerate(parameters)
        if p.kind is p.POSITIONAL_OR_KEYWORD and number in numbers
    ]


def _positions(parameters: list[inspect.Parameter], names: frozenset[str]) -> tuple[int, ...]:
    return tuple(
        number
        for number, p in enumerate(parameters)
        if p.kind is p.POSITIONAL_OR_KEYWORD and p.name in names
    )


def name_of(function: object) -> str:
    """Return the name of a function for messages and modules."""
    name = getattr(function, "__name__", None)
    if name is None:
        inner = getattr(function, "func", None)  # functools.partial
        return name_of(inner) if inner is not None else type(function).__name__
    return str(name)


@final
@frozen
class JitOptions:
    """The user's options of a jitted function."""

    split: Split
    keep_unused: bool = False
    inline: bool = False
    inlining: str = ""  # when the call is inlined, if not during staging
    # Any: strings, numbers, booleans; checked when compiling
    flags: tuple[tuple[str, Any], ...] = ()
    device: Device | None = None
    inputs: RequestedShardings | None = None  # in_shardings
    outputs: RequestedShardings | None = None  # out_shardings
    roll: str | None = None  # how unrolled loops are compiled, if not as the setting says
    passes: tuple[UserPass, ...] = ()  # the user's, which run on the optimised program


PLATFORMS: Final = ("cpu", "cuda", "rocm", "tpu")
"""Their public names."""


def platforms_of(function: str, parameter: str, given: object) -> tuple[str, ...]:
    """Return the platforms that a user requests, without repetitions; empty if `given` is None.

    Raises:
        ArgumentError: `given` is not a sequence of platform names.
    """
    if given is None:
        return ()
    if isinstance(given, str):
        raise refused(function, parameter, "a list of strings", given)
    wanted = tuple(sequence(function, parameter, given))
    for each in wanted:
        names(function, **{parameter: each})
        if each not in PLATFORMS:
            raise ArgumentError(
                f"{function}: there is no platform {each!r}; there are {', '.join(PLATFORMS)}",
                fix='write "cuda" or "rocm" for a GPU',
            )
    return tuple(dict.fromkeys(wanted))
