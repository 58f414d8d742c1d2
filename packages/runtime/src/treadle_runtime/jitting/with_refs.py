"""Jitted functions that use references, or other cells: what these hold are further arguments and results.

The function that is compiled is pure: from the other arguments and what the references hold to the results and what
they hold in the end, which is written to them after the call. References are given as arguments, or the function closes
over them, which shows when it is staged (`refs.discharged`). A view among the arguments becomes a reference to
the part that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from treadle_ir import ArgumentError
from treadle_ir.refs import (
    Cell,
    Reference,
    holding,
    is_reference,
    lending,
    new_cell,
    references_once,
    store,
)
from treadle_ir.tracing import Arguments
from treadle_ir.tree import leaves_in_any_order

# Any: leaves, what cells hold, and a tree
Pure: TypeAlias = Callable[[list[Any], list[Any]], tuple[Any, list[Any]]]


def places_of(arguments: Arguments) -> tuple[int, ...]:
    """Return the indices of references, and of views of them, among the leaves of a call."""
    return tuple([i for i, leaf in enumerate(arguments.leaves) if is_reference(leaf)])


def pure_function(
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    places: tuple[int, ...],
    closed: Sequence[Cell],
) -> Pure:
    """Return a function of the other leaves and what references hold, for calls like this one.

    What the references among the arguments hold goes first, then what those hold that the function closes over.
    """
    shape = Arguments([], arguments.structure, arguments.statics)  # without the arrays of this call

    def pure(others: list[Any], values: list[Any]) -> tuple[Any, list[Any]]:
        count = len(places)
        given = [new_cell(value) for value in values[:count]]
        leaves = [*others]
        for place, cell in zip(places, given, strict=True):
            leaves.insert(place, cell)  # places ascend
        args, kwargs = shape.rebuilt(leaves)
        with holding(closed, values[count:]) as held:
            output = function(*args, **kwargs)
            for leaf in leaves_in_any_order(output):
                if is_reference(leaf):
                    raise ArgumentError(
                        f"{name}: the function returns {leaf.what}, which only lives inside of it",
                        fix="return what it holds, `ref[...]` of a reference",
                    )
            return output, [*[cell.load() for cell in given], *held()]

    pure.__name__ = name
    return pure


def call_pure(
    pure: Pure,
    name: str,
    arguments: Arguments,
    places: tuple[int, ...],
    closed: Sequence[Cell],
) -> Any:  # Any: what the function returns
    """Return the result of a pure function; what the references hold in the end is written to them.

    Raises:
        ArgumentError: one reference is given twice, or given and closed over.
    """
    given: list[Reference] = [arguments.leaves[place] for place in places]

    def paths() -> list[str]:
        every = arguments.paths()
        return [every[place] for place in places]

    lent = references_once(name, given, paths)
    cells = [*given, *closed]
    others = [leaf for leaf in arguments.leaves if not is_reference(leaf)]
    values = [cell.load() for cell in cells]
    with lending(lent):
        output, values = pure(others, values)
    store(cells, values)
    return output
