"""The passes in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, final

from treadle_compiler.legalise import (
    elements,
    memories,
    metadata,
    narrow,
    once,
    partial_sums,
    recompute,
)
from treadle_compiler.legalise.features import Features, features_of
from treadle_compiler.legalise.target import Target
from treadle_ir import Program, rewrite
from treadle_ir.process import frozen

Stage: TypeAlias = tuple[str, Program]
"""The name of a pass that changed the program, and the program after it."""


@final
@frozen
class Pass:
    """A pass, and whether it has work to do in a program with these features."""

    name: str
    applies: Callable[[Features, Target], bool]
    run: Callable[[Program, Target], Program]


def _materialise_partial_sums(program: Program, target: Target) -> Program:
    assert target.partitioning is not None, "the pass applies to partitioned programs"
    return partial_sums.materialise_partial_sums(program, target.partitioning)


PASSES: Final = (
    # How values are partitioned the operations say, and XLA: rules, which may stage functions, have plain types.
    Pass(
        "without_shardings",
        lambda features, _: any([type.sharding is not None for type in features.types]),
        lambda program, _: rewrite.without_shardings(program),
    ),
    # It finds equations by their results, which later passes replace.
    Pass(
        "attach_metadata",
        lambda features, _: metadata.applies(features),
        lambda program, _: metadata.attach_metadata(program),
    ),
    # What XLA repeats is counted in the operations that the user wrote, before others are added.
    Pass(
        "compute_expensive_once",
        lambda _, target: once.applies(target),
        lambda program, _: once.compute_expensive_once(program),
    ),
    Pass(
        "keep_recomputation",
        lambda features, _: recompute.applies(features),
        recompute.keep_recomputation,
    ),
    Pass(
        "widen_narrow_dtypes",
        lambda features, _: narrow.applies(features),
        lambda program, _: narrow.widen_narrow_dtypes(program),
    ),
    Pass(
        "split_elements",
        lambda features, _: elements.applies(features),
        lambda program, _: elements.split_elements(program),
    ),
    # Operations are linear in partial sums, or not, as they will be written.
    Pass(
        "materialise_partial_sums",
        lambda features, target: partial_sums.applies(features, target.partitioning),
        _materialise_partial_sums,
    ),
    # The other passes add operations that compute. What they put around moves, such as barriers, may stay in memory.
    Pass(
        "place_memories",
        lambda features, target: memories.applies(features, target.memories),
        lambda program, target: memories.place_memories(program, target.memories),
    ),
)


def legalise(
    program: Program, target: Target, observe: Callable[[Stage], object] | None = None
) -> Program:
    """Run the passes that have work to do.

    Args:
        program: what to legalise; it is returned if nothing has to change.
        target: where it will run.
        observe: called with each pass that changed the program, and the program after it.
    """
    features = features_of(program)
    for each in PASSES:
        if each.applies(features, target):
            before, program = program, each.run(program, target)
            if observe is not None and program is not before:
                observe((each.name, program))
    return program
