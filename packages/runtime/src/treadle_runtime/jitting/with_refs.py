"""Jitted functions that use references: what these hold are further arguments and results.

The function that is compiled is pure: from the other arguments and what the references hold to the results and what
they hold in the end, which is written to them after the call. References are given as arguments, or the function closes
over them, which shows when it is staged (`treadle_ir.discharged`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from treadle_ir import ArgumentError, Arguments, Array, Ref, holding, lending, new_ref, store
from treadle_ir.tree import flatten_leaves_and_structure

Pure: TypeAlias = Callable[
    [list[Any], list[Array]], tuple[Any, list[Array]]
]  # Any: leaves, and a tree


def places_of(arguments: Arguments) -> tuple[int, ...]:
    """Where references are among the leaves of a call."""
    return tuple([i for i, leaf in enumerate(arguments.leaves) if isinstance(leaf, Ref)])


def pure_function(
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    places: tuple[int, ...],
    closed: Sequence[Ref],
) -> Pure:
    """A function of the other leaves and what references hold, for calls like this one.

    What the references among the arguments hold goes first, then what those hold that the function closes over.
    """
    shape = Arguments([], arguments.structure, arguments.statics)  # without the arrays of this call

    def pure(others: list[Any], values: list[Array]) -> tuple[Any, list[Array]]:
        count = len(places)
        given = [new_ref(value) for value in values[:count]]
        leaves = [*others]
        for place, ref in zip(places, given, strict=True):
            leaves.insert(place, ref)  # places ascend
        args, kwargs = shape.rebuilt(leaves)
        with holding(closed, values[count:]) as held:
            output = function(*args, **kwargs)
            for leaf in flatten_leaves_and_structure(output)[0]:
                if isinstance(leaf, Ref):
                    raise ArgumentError(
                        f"{name}: the function returns a reference, which only lives inside of it",
                        fix="return what it holds, `ref[...]`",
                    )
            return output, [*[ref[...] for ref in given], *held()]

    pure.__name__ = name
    return pure


def call_pure(
    pure: Pure,
    name: str,
    arguments: Arguments,
    places: tuple[int, ...],
    closed: Sequence[Ref],
) -> Any:  # Any: what the function returns
    """The result of a pure function; what the references hold in the end is written to them.

    Raises:
        ArgumentError: one reference is given twice, or given and closed over.
    """
    given: list[Ref] = []
    for place in places:
        ref = arguments.leaves[place]
        for number, other in enumerate(given):
            if ref is other:
                paths = arguments.paths()
                raise ArgumentError(
                    f"{name}: one reference is given as {paths[places[number]]} and as {paths[place]}",
                    fix="pass each reference once",
                )
        given.append(ref)
    refs = [*given, *closed]
    others = [leaf for i, leaf in enumerate(arguments.leaves) if i not in places]
    values = [ref[...] for ref in refs]
    with lending(given):
        output, values = pure(others, values)
    store(refs, values)
    return output
