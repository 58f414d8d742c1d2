"""Which checkpoints of a program XLA has to be kept from merging with one another.

XLA merges equal computations within one computation of its own: the program with all its calls in place, or the
body of a loop or branch with its calls in place. A `checkpoint` that computes again needs a barrier where such
a region also holds the forward pass, or another recomputation; alone (the backward loop of a differentiated
scan) it has nothing to be merged with, and is faster without.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from treadle_ir import Primitive, Program, Type
from treadle_ir.core import InlineCall
from treadle_ir.primitives.call import Checkpoint

SMALL_BYTES: Final = 1 << 16
"""Operands within this get no barrier: there is little to save, and small loops are better left whole."""


def kept_apart(program: Program) -> frozenset[int]:
    """The checkpoints to be kept apart, by id of the primitive, which the program keeps alive."""
    apart: set[int] = set()
    regions = [program]
    known = {id(program)}
    while regions:
        checkpoints: list[Checkpoint] = []
        inline = [regions.pop()]
        seen = {id(inline[0])}
        while inline:
            for equation in inline.pop().equations:
                primitive = equation.primitive
                if isinstance(primitive, Checkpoint):
                    checkpoints.append(primitive)
                calls = _is_inlined(primitive)
                for nested in primitive.programs().values():
                    if id(nested) not in (seen if calls else known):
                        (seen if calls else known).add(id(nested))
                        (inline if calls else regions).append(nested)
        again = sum(each.recomputes for each in checkpoints)
        if again > 1 or (again and any(each.stores for each in checkpoints)):
            apart.update(id(each) for each in checkpoints if each.prevent_cse)
    return frozenset(apart)


def _is_inlined(primitive: Primitive) -> bool:
    """Return whether XLA inlines the programs of an operation: of a call, or of a loop that is lowered unrolled."""
    flows = primitive.flows()
    unrolled = flows is not None and flows.iterations is not None and flows.iterations.unrolled
    return unrolled or isinstance(primitive, InlineCall)


def large(types: Iterable[Type]) -> bool:
    """Whether arrays of these types are worth a barrier."""
    return sum(type.nbytes for type in types) > SMALL_BYTES
