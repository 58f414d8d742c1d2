"""What a program costs: operations, floating-point operations and bytes by line, and the memory at its peak."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from treadle_insight.finding import bytes_text, count_text
from treadle_insight.place import Place
from treadle_insight.report import Table
from treadle_insight.subject import Subject
from treadle_ir import Equation, Program, Value
from treadle_ir.analysis import Cost, equation_costs, peak_memory, program_cost
from treadle_ir.errors import Source, SymbolicSizeError, stored_name

_MOST: Final = 24  # values that a table shows
_WIDTH: Final = 60  # characters of a line of source code


def tables(subject: Subject) -> Iterator[Table]:
    """Yield the table of costs by line, and the table of what is alive where memory is at its peak.

    A program with symbolic sizes has no costs in numbers, and no tables.

    Args:
        subject: the program.
    """
    program = subject.program
    if program.equations:
        with suppress(SymbolicSizeError):
            yield from [_by_line(program), _at_peak(subject)]


def _by_line(program: Program) -> Table:
    """Return the costs of lines, those with most floating-point operations first."""
    lines: dict[tuple[str, int], list[int]] = {}
    known: dict[tuple[object, int], tuple[str, int]] = {}  # a line is searched once for each place
    places: dict[tuple[str, int], Source] = {}
    exact = True
    for equation, cost in _costs(program):
        source = equation.source
        place = source.code or (source.file, source.line), source.offset
        key = known.get(place)
        if key is None:
            key = known[place] = source.file, source.line
            places.setdefault(key, source)
        line = lines.setdefault(key, [0, 0, 0])
        line[0] += 1
        line[1] += cost.flops
        line[2] += cost.bytes
        exact = exact and cost.exact
    total = sum([flops for _, flops, _ in lines.values()])
    ordered = sorted(lines.items(), key=lambda each: (-each[1][1], -each[1][2]))
    rows = [
        (
            _shown(places[key]),
            str(operations),
            f"{count_text(flops)}flop",
            f"{flops / total:.0%}" if total else "",
            bytes_text(moved),
        )
        for key, (operations, flops, moved) in ordered
    ]
    bound = "" if exact else "; loops of unknown length count once"
    whole = f"{count_text(total)}flop, {bytes_text(sum([x[2] for x in lines.values()]))} moved"
    title = f"cost by line: {whole}, as if nothing were fused{bound}"
    return Table(title, ("line", "operations", "work", "share", "moved"), tuple(rows))


def _costs(program: Program) -> Iterator[tuple[Equation, Cost]]:
    """Yield the operations of a program, also of bodies of loops and of branches, each with its cost in a whole run.

    Of several branches, the most expensive one counts.
    """
    left = [(program, 1, True)]
    while left:
        inner, times, exact = left.pop()
        for equation, cost in zip(inner.equations, equation_costs(inner), strict=True):
            flows = equation.primitive.flows()
            if flows is None or not flows.regions:
                repeated = cost.times(times)
                yield equation, Cost(repeated.flops, repeated.bytes, repeated.exact and exact)
                continue
            regions = flows.regions
            if flows.exclusive:
                regions = (max(regions, key=lambda each: program_cost(each).flops),)
            loop = flows.iterations
            count = 1 if loop is None or loop.most is None else loop.most
            known = loop is None or loop.exact
            left += [(each, times * count, exact and known) for each in regions]


def _at_peak(subject: Subject) -> Table:
    """Return the values that are alive where memory is at its peak, the largest first."""
    program = subject.program
    profile = peak_memory(program)
    labels = dict(zip(program.parameters, subject.names, strict=False))
    captured = {*program.parameters[: len(subject.captured)]}
    rows = [
        (bytes_text(size), str(value.type), _name(value, labels, captured, source), _shown(source))
        for value, source, size in profile.at_peak[:_MOST]
    ]
    rest = profile.at_peak[_MOST:]
    if rest:
        size = sum([size for *_, size in rest])
        rows.append((bytes_text(size), "", f"{len(rest)} more values", ""))
    where = "" if profile.at is None else f" at {Place.of(program.equations[profile.at].source)}"
    title = f"memory: at most {bytes_text(profile.peak)}{where}; alive then"
    return Table(title, ("size", "type", "value", "made at"), tuple(rows))


def _name(value: Value, labels: dict[Value, str], captured: set[Value], source: Source) -> str:
    """Return how users know a value: an argument's path, a captured variable, the variable that it was stored to."""
    label = labels.get(value)
    if label is None:
        return stored_name(source)
    return f"{label} (captured)" if value in captured else f"argument {label}"


def _shown(source: Source) -> str:
    """Return a place with its line of source code, as far as there is room."""
    if not source.line:
        return ""
    place = Place.of(source)
    text = place.text
    return f"{place}  {text if len(text) <= _WIDTH else text[: _WIDTH - 3] + '...'}"
