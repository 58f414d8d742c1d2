"""What the rules share: operands in groups, flags of those with tangents, programs that take them in another order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, final

from treadle_autodiff.tangents import Tangent, Zero
from treadle_ir import Program, Type, Value, float0, type_of

Flags: TypeAlias = tuple[bool, ...]


def nonzero_flags(tangents: Sequence[Tangent]) -> Flags:
    """Which tangents are there; those of integers have no data."""
    return tuple(
        [not isinstance(tangent, Zero) and type_of(tangent).dtype != float0 for tangent in tangents]
    )


def those(items: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    """The items whose flags are set."""
    return [item for item, flag in zip(items, flags, strict=True) if flag]


def union(flags: Sequence[Sequence[bool]]) -> Flags:
    """Which places are set in any of several lists of flags."""
    return tuple([any(each) for each in zip(*flags, strict=True)])


def rearranged(program: Program, parameters: Sequence[int], results: Sequence[int]) -> Program:
    """The program with its parameters and results in another order."""
    return Program(
        tuple([program.parameters[i] for i in parameters]),
        program.equations,
        tuple([program.results[i] for i in results]),
    )


def unused(types: Sequence[Type]) -> list[Value]:
    """Parameters that a program takes and does not read."""
    return [Value(type) for type in types]


@final
@dataclass(frozen=True, slots=True)
class Parts:
    """Operands of a loop in their three groups; a while loop has no xs."""

    constants: int
    carries: int

    def __call__(self, items: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Constants, carries, xs."""
        fixed = self.constants + self.carries
        return items[: self.constants], items[self.constants : fixed], items[fixed:]


def carried_flags(
    nonzero_of: Callable[[Flags], Sequence[bool]], start: Sequence[bool], carries: int
) -> Flags:
    """The carries that have a tangent: at first, or after some turn. `nonzero_of` runs the body's derivative."""
    carried = tuple(start)
    while True:
        after = union((carried, nonzero_of(carried)[:carries]))
        if after == carried:
            return carried
        carried = after
