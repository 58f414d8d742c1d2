"""Program to StableHLO text: deterministic, linear in equations, nested programs shared as functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import final

from treadle_compiler.dump import dump
from treadle_compiler.memories import Memories
from treadle_compiler.partitioning import (
    CustomPart,
    Inspection,
    ManualScope,
    Partitioning,
    sharding_text,
)
from treadle_compiler.settings import DUMP_IR_TO
from treadle_compiler.types import is_in_parts
from treadle_compiler.writer import ModuleWriter
from treadle_ir import AbstractMesh, Program, Type, UnsupportedError
from treadle_ir.core import Layout, sums_of, with_sums
from treadle_ir.events import ProgramLowered, heard, tell
from treadle_ir.process import frozen
from treadle_ir.rewrite import without_shardings


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
) -> LoweredModule:
    """Write a program as StableHLO for a platform.

    Args:
        program: what to lower.
        name: the function's, for messages and events; it is no part of the text.
        platform: `cpu`, `cuda`, `rocm` or `tpu`: it selects the rules.
        donated: parameters whose buffers may be used for results, as XLA chooses.
        aliases: parameters whose buffer a given result takes over (parameter to result).
        locations: write each operation's place in the user's code.
        partitioning: how parameters and results lie over several devices.
        memories: in which memory of their device they are, where one is not in the device's own.

    Raises:
        MissingRuleError: a primitive has no lowering rule.
    """
    started = time.perf_counter()
    # How values are partitioned the operations say, and XLA: rules, which may stage functions, have plain types.
    shown, program = program, without_shardings(program)
    pairs = aliases or {}
    marks, ends = _marks(program, donated, pairs, partitioning)

    def written(located: bool, named: str | None = None) -> ModuleWriter:
        writer = ModuleWriter(program, platform, located, partitioning, memories, named)
        writer.write_function("@main", program, "public", marks, ends)
        return writer

    writer = written(locations)
    apart = writer.memories_differ(pairs)
    if apart:  # a result takes a buffer over only in one and the same memory
        same = {index: result for index, result in pairs.items() if index not in apart}
        marks, ends = _marks(program, donated, same, partitioning)
        pairs, writer = same, written(locations)
    text = writer.text()
    if DUMP_IR_TO() is not None and not locations:
        dump(name, platform, shown, lambda located: written(located).text())
    if heard():
        tell(ProgramLowered(name, platform, len(text), time.perf_counter() - started))
    callbacks = tuple(writer.callbacks)
    given = donated | frozenset(pairs)
    inspections = tuple(writer.inspections)
    # What is registered while text is written is registered once, and rules of libraries' own run once.
    may_repeat = not (writer.custom_parts or inspections or writer.has_own_rules)
    return LoweredModule(
        text,
        program,
        platform,
        name,
        callbacks,
        given,
        partitioning,
        inspections,
        writer.memories,
        tuple(writer.custom_parts),
        (lambda: written(False, name).text()) if may_repeat else None,
    )


def part_text(program: Program, platform: str, mesh: AbstractMesh) -> str:
    """A program of one device of a mesh as StableHLO, for a place in a program that is partitioned already.

    Raises:
        MissingRuleError: a primitive has no lowering rule.
        UnsupportedError: it calls back into Python.
    """
    writer = ModuleWriter(program, platform, False, Partitioning(mesh, (), ()))
    writer.manual = ManualScope(mesh, mesh.axis_names)
    writer.write_function("@main", program, "public")
    if writer.callbacks:
        raise UnsupportedError(
            "the function of one device calls back into Python, which it cannot while XLA partitions a program",
            fix="leave pure_callback, io_callback and debug.print out of it",
        )
    return writer.part()


def repartitioned(lowered: LoweredModule, results: Sequence[Layout | None]) -> LoweredModule:
    """The same program with other layouts of its results."""
    assert lowered.partitioning is not None
    return lower_program(
        lowered.program,
        name=lowered.name,
        platform=lowered.platform,
        donated=lowered.donated,
        partitioning=replace(lowered.partitioning, results=tuple(results)),
        memories=lowered.memories,
    )


def _marks(
    program: Program,
    donated: frozenset[int],
    pairs: dict[int, int],
    partitioning: Partitioning | None,
) -> tuple[list[list[str]], list[list[str]]]:
    """What is said of each parameter and of each result of the whole program."""
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
        marks.append(said)
    for index in range(len(program.results)):
        layout = None if partitioning is None else partitioning.results[index]
        type = program.results[index].type
        ends.append([] if layout is None else [_sharding(layout, type)])
    return marks, ends


def _sharding(layout: Layout, type: Type) -> str:
    held: Layout = layout
    if is_in_parts(type):  # elements in parts have one more axis there
        held = with_sums((*layout, ()), sums_of(layout))
    return f"sdy.sharding = {sharding_text('@mesh', held)}"
