"""Keep XLA from merging the forward pass of a checkpoint with its recomputation.

XLA merges equal computations within one computation of its own: the program with all its calls in place, or the
body of a loop or branch with its calls in place. A `checkpoint` that computes again needs a barrier where such
a region also holds the forward pass, or another recomputation; alone (the backward loop of a differentiated
scan) it has nothing to be merged with, and is faster without.

Without barriers XLA would see one computation written twice, do it once and keep the result, which is what
`checkpoint` is there to avoid. The cotangents of the recomputation pass through its barrier with the rest, so
it cannot start before the backward pass has come this far. Its results pass through another, or XLA would put
off the sum over all uses of a weight to the end and fuse it into one loop over as many arrays.
The forward pass gets a barrier on the CPU, where XLA fuses elementwise operations into all their consumers:
in a chain of checkpoints it would compute the chain from its start for each of them (100 sines in 10 checkpoints:
3 times the time) rather than store what each was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from treadle_compiler.legalise.features import Features
from treadle_compiler.legalise.rewriting import Rewrite, map_equations
from treadle_compiler.legalise.target import Target
from treadle_ir import Equation, Primitive, Program, Type, Value
from treadle_ir.core import PURE, InlineCall
from treadle_ir.primitives.call import Checkpoint, OptimizationBarrier

SMALL_BYTES: Final = 1 << 16
"""Operands within this get no barrier: there is little to save, and small loops are better left whole."""


def applies(features: Features) -> bool:
    """Return whether there is a checkpoint."""
    return Checkpoint in features.primitives


def keep_recomputation(program: Program, target: Target) -> Program:
    """Put barriers around the checkpoints that XLA would merge with others, where their operands are large."""
    apart = kept_apart(program)
    if not apart:
        return program

    def needs_barrier(equation: Equation) -> bool:
        primitive = equation.primitive
        if id(primitive) not in apart or not isinstance(primitive, Checkpoint):
            return False
        forward = primitive.stores and target.platform == "cpu"
        return (primitive.recomputes or forward) and large([x.type for x in equation.operands])

    def rewrite_of(each: Program) -> Rewrite | None:
        # Results tell equations apart: checkpoints that contain others have been exchanged.
        marked = {
            x for equation in each.equations if needs_barrier(equation) for x in equation.results
        }
        if not marked:
            return None
        return lambda equation: (
            _between_barriers(equation) if not marked.isdisjoint(equation.results) else None
        )

    return map_equations(program, rewrite_of)


def _between_barriers(equation: Equation) -> Sequence[Equation]:
    checkpoint = equation.primitive
    assert isinstance(checkpoint, Checkpoint)
    given = tuple([Value(x.type) for x in equation.operands])
    before = Equation(OptimizationBarrier(), equation.operands, given, PURE, equation.source)
    if not checkpoint.recomputes:
        return [before, equation._replace(operands=given)]
    results = tuple([Value(x.type) for x in equation.results])
    after = Equation(OptimizationBarrier(), results, equation.results, PURE, equation.source)
    return [before, equation._replace(operands=given, results=results), after]


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
    """Return whether arrays of these types are worth a barrier."""
    return sum(type.nbytes for type in types) > SMALL_BYTES
