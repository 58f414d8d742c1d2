"""How a function is to be jitted: which arguments are static, which are donated, and the rest."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final, final

from treadle_ir import ArgumentError, frozen, integer, shown
from treadle_runtime.placement.asked import AskedFor
from treadle_runtime.placement.devices import Device


class Inline(enum.Enum):
    """When the operations of a jitted function take the place of a call of it, in a program around it.

    JAX_EARLY is `inline=True`: when the outer function is staged. JAX_LATE: when the outer program is lowered; until
    then transformations see one call. XLA_EARLY and XLA_LATE leave a call in what XLA is given, with an attribute by
    which its passes know; compilers that do not heed it inline as they see fit. AUTO is `inline=False`: as is best.

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


def split_of(
    function: Callable[..., Any],
    static_argnums: object,
    static_argnames: object,
    donate_argnums: object,
    donate_argnames: object,
) -> Split:
    """Check what a user said of arguments against the function's parameters.

    Static arguments may be named or numbered; the other spelling follows from the function's parameters.

    Raises:
        ArgumentError: a number or name that the function does not have, or one both static and donated.
    """
    if static_argnums is static_argnames is donate_argnums is donate_argnames is None:
        # asking for a function's parameters takes longer than the rest of `jit`
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
    """The positions of static arguments that `who` was given for a function: from 0, where it says how many it takes.

    Raises:
        ArgumentError: they are no integers, or the function has no such argument.
    """
    subject = f"{who}: {name_of(function)}"
    return _numbers(value, "static_argnums", _parameters(function), subject, "count from 0")


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The parameters of a function; None where it does not say."""
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
    """The name of a function for messages and modules."""
    name = getattr(function, "__name__", None)
    if name is None:
        inner = getattr(function, "func", None)  # functools.partial
        return name_of(inner) if inner is not None else type(function).__name__
    return str(name)


@final
@frozen
class JitOptions:
    """What a user said of how a function is jitted."""

    split: Split
    keep_unused: bool = False
    inline: bool = False
    inlining: str = ""  # of the call, where the operations do not take its place at once
    # Any: strings, numbers, booleans; checked when compiling
    flags: tuple[tuple[str, Any], ...] = ()
    device: Device | None = None
    inputs: AskedFor | None = None  # in_shardings
    outputs: AskedFor | None = None  # out_shardings
