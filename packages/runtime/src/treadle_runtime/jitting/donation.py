"""Assignment of donated buffers to results, and the warning for unusable donations.

A result can reuse a buffer with the same shape and element type. Donated parameters are assigned in order, each to the
first matching result that does not have a buffer yet.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal, TypeAlias, final

from treadle_compiler import element_type
from treadle_ir import ArrayType
from treadle_ir.errors import user_stacklevel
from treadle_ir.process import frozen
from treadle_ir.tracing import Arguments
from treadle_ir.tree import leaves_in_any_order
from treadle_runtime.jitting.options import Split

Refusal: TypeAlias = Literal["", "shape", "element type", "count", "keyword"]
"""Why memory is not reused: no result has the shape, or the element type; others took them all; passed by keyword."""


@final
@frozen
class Donation:
    """What becomes of the memory of one array that the user wants to donate.

    Attributes:
        argument: the array's path among the arguments, as `state['step']`.
        leaf: its number among all arrays of the arguments.
        type: its type.
        result: the number of the result that reuses its memory; None if none does.
        refusal: why none does; empty if one does.
        others: the types of results that come near: of the same shape, or the results that others took.
    """

    argument: str
    leaf: int
    type: ArrayType
    result: int | None
    refusal: Refusal = ""
    others: tuple[ArrayType, ...] = ()


def donations_of(
    split: Split,
    arguments: Arguments,
    types: Sequence[ArrayType],
    results: Sequence[ArrayType],
    names: Sequence[str],
) -> tuple[Donation, ...]:
    """Return what becomes of the memory of each donated array, in the order of the arguments.

    Args:
        split: which arguments are donated.
        arguments: the arguments of a call.
        types: the types of all arrays among them.
        results: the types of the results.
        names: the names of the function's positional parameters.
    """
    types = [each.unsharded for each in types]
    donated = donated_leaves(split, arguments)
    pairs = pair(types, results, donated)
    found = [(number, *_refusal(types[number], results, pairs.get(number))) for number in donated]
    found += [(number, "keyword", ()) for number in _by_keyword(split, arguments, names)]
    paths = arguments.paths(names)
    return tuple(
        [
            Donation(
                paths[number].removeprefix("argument "),
                number,
                types[number],
                pairs.get(number),
                refusal,
                others,
            )
            for number, refusal, others in sorted(found, key=lambda each: each[0])
        ]
    )


def _by_keyword(split: Split, arguments: Arguments, names: Sequence[str]) -> list[int]:
    """Return the leaves of arguments that are donated by position, but were passed by keyword."""
    meant = [names[number] for number in split.donate_argnums if number < len(names)]
    _, keywords = arguments.rebuilt(range(len(arguments.leaves)))
    passed = [keywords[x] for x in meant if x in keywords and x not in split.donate_argnames]
    return list(leaves_in_any_order(passed))


def _refusal(
    type: ArrayType, results: Sequence[ArrayType], result: int | None
) -> tuple[Refusal, tuple[ArrayType, ...]]:
    """Return why no result reuses the memory of an array, with the types of the results that come near."""
    if result is not None:
        return "", ()
    same = [each for each in results if each.strong() == type.strong()]
    if same:
        return "count", tuple(same)
    near = [each for each in results if each.shape == type.shape]
    return ("element type" if near else "shape"), tuple(near)


def pair(
    parameters: Sequence[ArrayType], results: Sequence[ArrayType], donated: Sequence[int]
) -> dict[int, int]:
    """Return the result that reuses the buffer of each parameter, by the index of the parameter."""
    free: dict[ArrayType, list[int]] = {}  # by type, the last one first
    for number in reversed(range(len(results))):
        free.setdefault(results[number].strong(), []).append(number)
    pairs: dict[int, int] = {}
    for index in donated:
        fitting = free.get(parameters[index].strong())
        if fitting:
            pairs[index] = fitting.pop()
    return pairs


def warn_unusable(types: Sequence[ArrayType]) -> None:
    """Warn of donated buffers that no result can reuse; they stay alive."""
    listed = ", ".join(map(hlo_text, types))
    warnings.warn(
        f"Some donated buffers were not usable: {listed}\n"
        "  what it means: no result has that shape and element type, so the memory is not reused; "
        "the arrays stay alive",
        UserWarning,
        stacklevel=user_stacklevel(),
    )


def hlo_text(type: ArrayType) -> str:
    """Return a type with its layout in XLA's notation: `f32[2,3]{1,0}`."""
    short = {"i1": "pred"}.get(element_type(type.dtype), element_type(type.dtype))
    if short[:1] == "i":
        short = "s" + short[1:]
    elif short[:2] == "ui":
        short = "u" + short[2:]
    elif short.startswith("complex"):
        short = "c64" if type.dtype.itemsize == 8 else "c128"
    shape = ",".join(map(str, type.shape))
    layout = ",".join(map(str, reversed(range(type.ndim))))
    return f"{short}[{shape}]{{{layout}}}" if type.shape else f"{short}[]"


@final
class _Mark:
    """Stands for a leaf while the donated ones are looked for."""

    __slots__ = ()


def donated_leaves(split: Split, arguments: Arguments) -> list[int]:
    """Return the leaves that belong to donated arguments, by index."""
    if not split.donate_argnums and not split.donate_argnames:
        return []
    marks = [_Mark() for _ in arguments.leaves]
    positional, keywords = arguments.rebuilt(marks)
    given = [positional[number] for number in split.donate_argnums if number < len(positional)]
    given += [keywords[name] for name in split.donate_argnames if name in keywords]
    marked = {*leaves_in_any_order(given)}
    return [index for index, mark in enumerate(marks) if mark in marked]
