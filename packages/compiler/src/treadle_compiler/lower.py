"""Program to StableHLO text: deterministic, linear in equations, nested programs shared as functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import final

from treadle_compiler.context import LoweringContext
from treadle_compiler.legalise import Stage, Target, legalise
from treadle_compiler.legalise.features import features_of
from treadle_compiler.legalise.memories import (
    Memories,
    applies as memories_apply,
    resulting_memories,
)
from treadle_compiler.module import Module
from treadle_compiler.partitioning import (
    CustomPart,
    Inspection,
    ManualScope,
    Partitioning,
    sharding_text,
)
from treadle_compiler.settings import DUMP_IR_TO
from treadle_compiler.types import is_in_parts
from treadle_compiler.walk import Walk
from treadle_ir import AbstractMesh, Program, Type, UnsupportedError
from treadle_ir.core import DimShardings, partial_sums_of, with_partial_sums
from treadle_ir.events import ProgramLowered, Request, heard, tell
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.process import frozen


@final
@frozen(eq=False)
class LoweredModule:
    """A program as StableHLO text, and what the text refers to."""

    text: str
    program: Program
    platform: str
    name: str  # of the function, for messages and events
    callbacks: tuple[Callable[..., object], ...]  # host functions, by the index in the custom calls
    donated: frozenset[int]  # parameters whose buffers results may take over
    partitioning: Partitioning | None = None  # for several devices
    inspections: tuple[Inspection, ...] = ()  # by the number in the custom calls
    memories: Memories | None = None  # where one is not in the device's own
    custom_parts: tuple[CustomPart, ...] = ()  # by the number in the custom calls
    named: Callable[[], str] | None = None  # makes the text in which operations have their names
    request: Request | None = None  # for events


def lower_program(
    program: Program,
    *,
    name: str = "main",
    platform: str = "cpu",
    donated: frozenset[int] = frozenset(),
    aliases: dict[int, int] | None = None,
    locations: bool = False,
    partitioning: Partitioning | None = None,
    memories: Memories | None = None,
    request: Request | None = None,
) -> LoweredModule:
    """Write a program as StableHLO for a platform.

    Args:
        program: what to lower.
        name: the function's, for messages and events; the text does not contain it.
        platform: `cpu`, `cuda`, `rocm` or `tpu`: it selects the rules.
        donated: parameters whose buffers may be used for results, as XLA chooses.
        aliases: parameters whose buffer a given result takes over (parameter to result).
        locations: write each operation's place in the user's code.
        partitioning: how parameters and results are sharded over several devices.
        memories: in which memory of their device they are, where one is not in the device's own.
        request: the call that it is for, for events.

    Raises:
        MissingRuleError: a primitive has no lowering rule.
    """
    started = time.perf_counter()
    stages: list[Stage] = []
    dumps = DUMP_IR_TO() is not None and not locations
    target = Target(platform, partitioning is not None, partitioning, memories)
    legal = legalise(program, target, stages.append if dumps else None)
    placed = None  # asked of the program as it was, whose features are known
    if memories_apply(features_of(program), memories):
        placed = resulting_memories(legal, memories)
    pairs = {} if aliases is None else _in_one_memory(aliases, placed)
    marks, ends = _marks(program, donated, pairs, partitioning, placed)

    def written(located: bool, named: str | None = None) -> Walk:
        module = Module(legal, platform, partitioning)
        walk = Walk(module, located, named)
        walk.write_main(LoweringContext(module, walk), marks, ends)
        return walk

    walk = written(locations)
    module = walk.module
    text = module.text()
    if dumps:
        from treadle_compiler.dump import dump  # noqa: PLC0415 - few dump

        stages.insert(0, ("", program))
        dump(name, platform, stages, lambda located: written(located).module.text())
    if heard():
        seconds = time.perf_counter() - started
        tell(ProgramLowered(name, platform, len(text), seconds, request))
    callbacks = tuple(module.callbacks)
    given = donated | frozenset(pairs)
    inspections = tuple(module.inspections)
    # What is registered while text is written is registered once, and rules of libraries' own run once.
    may_repeat = not (module.custom_parts or inspections or walk.has_own_rules)
    return LoweredModule(
        text,
        program,
        platform,
        name,
        callbacks,
        given,
        partitioning,
        inspections,
        placed,
        tuple(module.custom_parts),
        (lambda: written(False, name).module.text()) if may_repeat else None,
        request,
    )


def part_text(program: Program, platform: str, mesh: AbstractMesh) -> str:
    """A program of one device of a mesh as StableHLO, for a place in a program that is partitioned already.

    Raises:
        MissingRuleError: a primitive has no lowering rule.
        UnsupportedError: it calls back into Python.
    """
    legal = legalise(program, Target(platform, partitioned=True))
    module = Module(legal, platform, Partitioning(mesh, (), ()))
    walk = Walk(module)
    context = LoweringContext(module, walk)
    context.manual = ManualScope(mesh, mesh.axis_names)
    walk.write_main(context)
    if module.callbacks:
        raise UnsupportedError(
            "the function of one device calls back into Python, which it cannot while XLA partitions a program",
            fix="leave pure_callback, io_callback and debug.print out of it",
        )
    return module.part()


def repartitioned(lowered: LoweredModule, results: Sequence[DimShardings | None]) -> LoweredModule:
    """Lower the same program with other shardings of its results."""
    assert lowered.partitioning is not None
    return lower_program(
        lowered.program,
        name=lowered.name,
        platform=lowered.platform,
        donated=lowered.donated,
        partitioning=replace(lowered.partitioning, results=tuple(results)),
        memories=lowered.memories,
    )


def _in_one_memory(pairs: dict[int, int], memories: Memories | None) -> dict[int, int]:
    """Return the pairs of parameters and results that are in the same memory: only they may share a buffer."""
    if memories is None:
        return pairs
    given = [each or DEVICE_MEMORY for each in memories.parameters]
    return {i: result for i, result in pairs.items() if given[i] == memories.results[result]}


def _marks(
    program: Program,
    donated: frozenset[int],
    pairs: dict[int, int],
    partitioning: Partitioning | None,
    memories: Memories | None,
) -> tuple[list[list[str]], list[list[str]]]:
    """Return the attributes of each parameter and of each result of the whole program."""
    marks, ends = [], []
    for index in range(len(program.parameters)):
        said = []
        if index in pairs and partitioning is None:
            said.append(f"tf.aliasing_output = {pairs[index]} : i32")
        elif index in donated or index in pairs:  # of several devices, XLA knows which parts fit
            said.append("jax.buffer_donor = true")
        if partitioning is not None:
            type = program.parameters[index].type
            said.append(_sharding(partitioning.parameters[index], type))
        if memories is not None:
            said += _memory_kind(memories.parameters[index])
        marks.append(said)
    for index in range(len(program.results)):
        said = []
        dims = None if partitioning is None else partitioning.results[index]
        if dims is not None:
            said.append(_sharding(dims, program.results[index].type))
        if memories is not None:
            said += _memory_kind(memories.results[index])
        ends.append(said)
    return marks, ends


def _memory_kind(kind: str | None) -> list[str]:
    return [] if kind in (None, DEVICE_MEMORY) else [f'mhlo.memory_kind = "{kind}"']


def _sharding(dims: DimShardings, type: Type) -> str:
    if is_in_parts(type):  # elements in parts have one more axis there
        dims = with_partial_sums((*dims, ()), partial_sums_of(dims))
    return f"sdy.sharding = {sharding_text('@mesh', dims)}"
