"""Jitted functions that use references, or other cells: what these hold are further arguments and results.

The function that is compiled is pure: from the other arguments and what the references hold to the results and what
they hold in the end, which is written to them after the call. References are given as arguments, or the function closes
over them, which shows when it is staged (`treadle_ir.discharged`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from treadle_ir import ArgumentError, Arguments, Cell, holding, lending, new_cell, store
from treadle_ir.tree import leaves_in_any_order

# Any: leaves, what cells hold, and a tree
Pure: TypeAlias = Callable[[list[Any], list[Any]], tuple[Any, list[Any]]]


def places_of(arguments: Arguments) -> tuple[int, ...]:
    """Where references are among the leaves of a call."""
    return tuple([i for i, leaf in enumerate(arguments.leaves) if isinstance(leaf, Cell)])


def pure_function(
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    places: tuple[int, ...],
    closed: Sequence[Cell],
) -> Pure:
    """A function of the other leaves and what references hold, for calls like this one.

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
                if isinstance(leaf, Cell):
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
    """The result of a pure function; what the references hold in the end is written to them.

    Raises:
        ArgumentError: one reference is given twice, or given and closed over.
    """
    given: list[Cell] = [arguments.leaves[place] for place in places]
    first: dict[int, int] = {}  # by id, where it is given first
    for place, cell in zip(places, given, strict=True):
        before = first.setdefault(id(cell), place)
        if before != place:
            paths = arguments.paths()
            raise ArgumentError(
                f"{name}: {cell.what} is given as {paths[before]} and as {paths[place]}",
                fix="pass it once",
            )
    cells = [*given, *closed]
    others = [leaf for leaf in arguments.leaves if not isinstance(leaf, Cell)]
    values = [cell.load() for cell in cells]
    with lending(given):
        output, values = pure(others, values)
    store(cells, values)
    return output
