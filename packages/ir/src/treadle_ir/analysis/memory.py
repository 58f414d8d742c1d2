"""Peak memory of a program by liveness: a value occupies memory from its definition to its last use.

Parameters belong to the caller and stay for the whole run; results stay from their definition on. Nothing is fused
and nothing is reused in place, so this is an upper bound of what a compiler that does either needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from treadle_ir.core.equality import has_programs, inside_out, programs_of
from treadle_ir.core.program import Program
from treadle_ir.core.values import Value
from treadle_ir.errors.source import NOWHERE, Source
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.interpreter import last_uses


@final
@frozen
class MemoryProfile:
    """Bytes in use while each equation runs, and the values in use at the peak."""

    peak: int
    at: int | None  # the equation at the peak; None in a program without equations
    while_running: tuple[int, ...]  # by equation
    at_peak: tuple[
        tuple[Value, Source, int], ...
    ]  # value, source of its definition, bytes; the largest first

    def by_line(self) -> dict[tuple[str, int], int]:
        """Return the bytes at the peak by the (file, line) that defines the values; ("", 0) for parameters."""
        lines: dict[tuple[str, int], int] = {}
        for _, source, size in self.at_peak:
            line = (source.file, source.line)
            lines[line] = lines.get(line, 0) + size
        return lines


def peak_memory(program: Program) -> MemoryProfile:
    """Return the peak memory of a program, with the equation and the values that cause it."""
    extra: dict[int, int] = {}  # by nested program: the bytes that it needs beyond its parameters
    running: list[int] = []
    for each in inside_out(program):  # the program itself is the last one
        running = _while_running(each, extra)
        parameters = sum({value: value.type.nbytes for value in each.parameters}.values())
        extra[id(each)] = max(running, default=parameters) - parameters
    if not running:
        kept = tuple((x, NOWHERE, x.type.nbytes) for x in program.parameters)
        return MemoryProfile(sum(size for *_, size in kept), None, (), kept)
    peak = max(running)
    at = running.index(peak)
    return MemoryProfile(peak, at, tuple(running), _live_at(program, at))


def _while_running(program: Program, extra: Mapping[int, int]) -> list[int]:
    drops = last_uses(program)
    parameters = set(program.parameters)
    in_use = sum(value.type.nbytes for value in program.parameters)
    running: list[int] = []
    for index, equation in enumerate(program.equations):
        results = sum(result.type.nbytes for result in equation.results)
        inside = 0
        if has_programs(equation.primitive):
            # A nested program's results are counted in `extra` already.
            needs = [extra[id(each)] for each in programs_of(equation.primitive)]
            inside = max(0, max(needs, default=0) - results)
        in_use += results
        running.append(in_use + inside)
        in_use -= sum(
            value.type.nbytes for value in drops.get(index, ()) if value not in parameters
        )
    return running


def _live_at(program: Program, at: int) -> tuple[tuple[Value, Source, int], ...]:
    drops = last_uses(program)
    parameters = set(program.parameters)
    live: dict[Value, Source] = dict.fromkeys(program.parameters, NOWHERE)
    for index, equation in enumerate(program.equations[: at + 1]):
        live.update(dict.fromkeys(equation.results, equation.source))
        if index < at:
            for value in drops.get(index, ()):
                if value not in parameters:
                    live.pop(value, None)
    found = [(value, source, value.type.nbytes) for value, source in live.items()]
    found.sort(key=lambda each: -each[2])
    return tuple(found)
