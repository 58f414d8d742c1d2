"""`axis_index_groups`: collectives among some of the batch elements of a named axis each."""

from __future__ import annotations

from collections.abc import Hashable

from treadle_ir import ArgumentError, ops
from treadle_ir.errors import integers, sequence, shown
from treadle_ir.primitives.collective import Groups


def as_groups(
    name: str, given: object, axis_name: Hashable, *, unequal: bool = False
) -> Groups | None:
    """Groups of numbers of batch elements along a named axis, or a tuple of them; None where there are none.

    With `unequal` they may have unequal sizes.

    Raises:
        NameError: no such axis is being mapped.
        ArgumentError: they do not have each batch element once, or have unequal sizes.
    """
    count = ops.axis_size(axis_name)
    if given is None:
        return None
    argument = "axis_index_groups"
    groups = tuple([integers(name, argument, group) for group in sequence(name, argument, given)])
    numbers = sorted([number for group in groups for number in group])
    if numbers != [*range(count)]:
        raise ArgumentError(
            f"{name}: axis_index_groups must cover all indices exactly once, those below {count}, "
            f"but is {shown(given)}",
            fix="put each number of a batch element into one group",
        )
    sizes = {*map(len, groups)}
    if 0 in sizes or (len(sizes) > 1 and not unequal):
        raise ArgumentError(
            f"{name}: axis_index_groups is {shown(given)}, whose groups have sizes {sorted(sizes)}",
            fix="leave empty groups out" if 0 in sizes else "use groups of one size",
        )
    return groups
