"""What a program does and what it costs, from its text: operations, FLOPs, bytes moved, memory, what devices tell each
other, and a picture.

Needs treadle-ir and nothing else: no compiler, no accelerator.

    python program_report.py program.treadle --svg program.svg
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from treadle_ir import ParseError, Program, Value, parse_program
from treadle_ir.analysis import (
    Distribution,
    distributions,
    equation_costs,
    peak_memory,
    program_cost,
)
from treadle_ir.rewrite import inline

MAX_BOXES = 60  # a picture with more boxes is grouped

Line = tuple[str, int]


# --- the table ---------------------------------------------------------------------------------------


@dataclass
class Row:
    """What one line of the user's code comes to."""

    equations: int = 0
    flops: int = 0
    moved: int = 0
    at_peak: int = 0
    operations: Counter[str] = field(default_factory=Counter)


def rows_by_line(program: Program) -> dict[Line, Row]:
    """The costs of a program by the line that its equations come from; ("", 0) where none is known."""
    rows: dict[Line, Row] = {}
    for equation, cost in zip(program.equations, equation_costs(program), strict=True):
        row = rows.setdefault((equation.source.file, equation.source.line), Row())
        row.equations += 1
        row.flops += cost.flops
        row.moved += cost.bytes
        row.operations[equation.primitive.name] += 1
    parameters = set(program.parameters)
    for value, source, size in peak_memory(program).at_peak:
        if value not in parameters:
            rows.setdefault((source.file, source.line), Row()).at_peak += size
    return rows


def shown(line: Line) -> str:
    """`train.py:41`."""
    return f"{os.path.basename(line[0])}:{line[1]}" if line[0] else "(no line)"


def human(number: int, unit: str = "") -> str:
    """Three digits and a prefix: `1.23 M`."""
    value = float(number) if number < 1 << 1000 else float("inf")
    for prefix in ("", "k", "M", "G", "T", "P"):
        if value < 1000:
            digits = f"{value:.0f}" if not prefix else f"{value:.3g}"
            return f"{digits} {prefix}{unit}".rstrip()
        value /= 1000
    return f"{value:.3g} E{unit}"


def table(rows: list[list[str]]) -> list[str]:
    """Columns aligned: the first and the last to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            text.ljust(width) if i in (0, len(row) - 1) else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def report(program: Program, name: str) -> str:
    """The report as text."""
    memory = peak_memory(program)
    cost = program_cost(program)
    parameters = sum(size for value, _, size in memory.at_peak if value in set(program.parameters))
    lines = [
        f"{name}: ({', '.join(map(str, program.parameter_types))}) -> ({', '.join(map(str, program.result_types))})",
        "",
    ]
    rows = [["line", "equations", "FLOPs", "bytes moved", "at peak", "operations"]]
    for line, row in sorted(rows_by_line(program).items()):
        most = ", ".join(f"{n} {op}" if n > 1 else op for op, n in row.operations.most_common(4))
        more = " ..." if len(row.operations) > 4 else ""
        costs = [human(row.flops), human(row.moved, "B"), human(row.at_peak, "B")]
        rows.append([shown(line), str(row.equations), *costs, most + more])
    rows.append(["parameters", "", "", "", human(parameters, "B"), ""])
    total = [human(cost.flops), human(cost.bytes, "B"), human(memory.peak, "B")]
    rows.append(["total", str(len(program.equations)), *total, ""])
    lines.extend(table(rows))
    lines.append("")
    if memory.at is not None:
        equation = program.equations[memory.at]
        place = shown((equation.source.file, equation.source.line))
        where = f"while equation {memory.at} ({equation.primitive.name}) runs, {place}"
        lines.append(f"peak memory: {human(memory.peak, 'B')}, {where}")
    if not cost.exact:
        lines.append(
            "the number of iterations of a loop is unknown: its bound is counted, or one iteration where it has none"
        )
    counts = Counter(equation.primitive.name for equation in program.equations)
    lines.append(
        "operations: " + ", ".join(f"{name} {count}" for name, count in counts.most_common())
    )
    for each in distributions(program):
        lines += ["", *on_devices(each)]
    return "\n".join(lines) + "\n"


def on_devices(distribution: Distribution) -> list[str]:
    """Describe the cost of a shard_map on each device, and its exchanges."""
    mesh = ", ".join(f"{name}: {size}" for name, size in distribution.mesh.shape.items())
    place = shown((distribution.source.file, distribution.source.line))
    times = "" if distribution.times == 1 else f" {distribution.times} times"
    lines = [
        f"each of {distribution.mesh.size} devices ({mesh}), {place}:{times} "
        f"{human(distribution.bytes_per_device, 'B')} of {human(distribution.operand_bytes, 'B')} operands, "
        f"at most {human(distribution.peak, 'B')} at once, sends {human(distribution.sent, 'B')}"
    ]
    if distribution.exchanges:
        rows = [["collective", "devices", "given", "sent", "times", "line"]]
        for each in distribution.exchanges:
            name = f"{each.operation} ({', '.join(map(str, each.axis_names))})"
            times = f"{each.times}" if each.exact else f"{each.times}?"
            sizes = [human(each.given, "B"), human(each.sent, "B")]
            line = shown((each.source.file, each.source.line))
            rows.append([name, str(each.devices), *sizes, times, line])
        lines.extend(table(rows))
    return lines


# --- the picture -------------------------------------------------------------------------------------


@dataclass
class Box:
    """A box of the picture."""

    title: str
    detail: str
    kind: str  # "parameter", "equation", "result"
    rank: int = 0
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        """Wide enough for the longer of the two lines."""
        return 24 + 7.2 * max(len(self.title), len(self.detail))


def graph(program: Program) -> tuple[list[Box], list[tuple[int, int]]]:
    """Boxes and the edges between them: a box per equation, or per line of code in a large program."""
    boxes: list[Box] = []
    edges: dict[tuple[int, int], None] = {}
    home: dict[Value, int] = {}
    grouping = groups(program)
    if len(program.parameters) > MAX_BOXES // 3:
        boxes.append(Box("parameters", f"{len(program.parameters)}", "parameter"))
        home.update(dict.fromkeys(program.parameters, 0))
    else:
        for number, parameter in enumerate(program.parameters):
            home[parameter] = len(boxes)
            boxes.append(Box(f"%{number}", str(parameter.type), "parameter"))
    of_group: dict[object, int] = {}
    counts: dict[int, Counter[str]] = {}
    for equation, group in zip(program.equations, grouping, strict=True):
        if group not in of_group:
            of_group[group] = len(boxes)
            counts[len(boxes)] = Counter()
            types = ", ".join(str(result.type) for result in equation.results[:3])
            boxes.append(Box(equation.primitive.name, types, "equation"))
        box = of_group[group]
        counts[box][equation.primitive.name] += 1
        for operand in equation.operands:
            if isinstance(operand, Value) and home[operand] != box:
                edges[home[operand], box] = None
        home.update(dict.fromkeys(equation.results, box))
    if len(of_group) < len(program.equations):
        for group, box in of_group.items():
            if isinstance(group, tuple):
                boxes[box].title = shown(group)
            else:
                boxes[box].title = f"part {group}"
            boxes[box].detail = ", ".join(
                f"{n} {op}" if n > 1 else op for op, n in counts[box].most_common(3)
            )
    end = len(boxes)
    results = [str(result.type) for result in program.results]
    detail = ", ".join(results[:3]) + (f" and {len(results) - 3} more" if len(results) > 3 else "")
    boxes.append(Box("results", detail, "result"))
    edges.update(
        {(home[result], end): None for result in program.results if isinstance(result, Value)}
    )
    return boxes, list(edges)


def groups(program: Program) -> list[object]:
    """The group of each equation: itself, its line, or, where there are too many lines, a part of the program."""
    count = len(program.equations)
    if count <= MAX_BOXES:
        return list(range(count))
    lines: list[object] = [(each.source.file, each.source.line) for each in program.equations]
    if 1 < len(set(lines)) <= MAX_BOXES:
        return lines
    return [index * MAX_BOXES // count for index in range(count)]


def place(boxes: list[Box], edges: list[tuple[int, int]]) -> None:
    """Give each box a place: below all that it needs, near the middle of what it needs."""
    into: dict[int, list[int]] = {}
    for start, end in edges:
        if start < end:  # lines of a loop lead back; such edges do not count for the order
            into.setdefault(end, []).append(start)
    rows: dict[int, list[int]] = {}
    for index, box in enumerate(boxes):
        box.rank = max((boxes[start].rank + 1 for start in into.get(index, ())), default=0)
        rows.setdefault(box.rank, []).append(index)
    last = max(rows)
    if boxes[-1].rank < last:  # results come at the bottom
        rows[boxes[-1].rank].remove(len(boxes) - 1)
        boxes[-1].rank = last + 1
        rows.setdefault(last + 1, []).append(len(boxes) - 1)
    middle = 0.0
    for rank in sorted(rows):
        row = rows[rank]

        def wish(index: int) -> float:
            starts = into.get(index)
            return sum(boxes[s].x for s in starts) / len(starts) if starts else boxes[index].x

        row.sort(key=wish)
        width = sum(boxes[index].width for index in row) + 24 * (len(row) - 1)
        wishes = [wish(index) for index in row]
        centre = sum(wishes) / len(wishes) if wishes else middle
        left = centre - width / 2
        for index in row:
            box = boxes[index]
            box.x = left + box.width / 2
            box.y = 90.0 * rank
            left += box.width + 24


COLOURS = {"parameter": "#dbeafe", "equation": "#ffffff", "result": "#dcfce7"}


def draw(program: Program) -> str:
    """The program as a picture: an SVG file that needs nothing else."""
    boxes, edges = graph(program)
    place(boxes, edges)
    left = min(box.x - box.width / 2 for box in boxes) - 20
    right = max(box.x + box.width / 2 for box in boxes) + 20
    height = max(box.y for box in boxes) + 80
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} -20 {right - left:.0f} {height:.0f}" '
        f'width="{right - left:.0f}" height="{height:.0f}" font-family="monospace" font-size="12">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#64748b"/></marker></defs>',
        f'<rect x="{left:.0f}" y="-20" width="{right - left:.0f}" height="{height:.0f}" fill="#f8fafc"/>',
    ]
    for start, end in edges:
        a, b = boxes[start], boxes[end]
        dashes = ' stroke-dasharray="4 3"' if start > end else ""
        y1, y2 = a.y + 40, b.y
        bend = max(30.0, abs(y2 - y1) / 2)
        parts.append(
            f'<path d="M{a.x:.1f} {y1:.1f}C{a.x:.1f} {y1 + bend:.1f} {b.x:.1f} {y2 - bend:.1f} {b.x:.1f} {y2:.1f}" '
            f'fill="none" stroke="#94a3b8"{dashes} marker-end="url(#tip)"/>'
        )
    for box in boxes:
        x = box.x - box.width / 2
        rounding = 4 if box.kind == "equation" else 18
        middle = f'x="{box.x:.1f}" text-anchor="middle"'
        title, detail = escape(box.title), escape(box.detail)
        parts.append(
            f'<rect x="{x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="40" rx="{rounding}" '
            f'fill="{COLOURS[box.kind]}" stroke="#334155"/>'
            f'<text {middle} y="{box.y + 17:.1f}" font-weight="bold">{title}</text>'
            f'<text {middle} y="{box.y + 32:.1f}" fill="#475569">{detail}</text>'
        )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


# --- the command -------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Read a program, print the report, draw the picture."""
    parser = argparse.ArgumentParser(description="What a treadle program does and what it costs.")
    parser.add_argument("program", type=Path, help="a program in the text format")
    parser.add_argument("--svg", type=Path, help="draw the graph into this file")
    parser.add_argument(
        "--calls", action="store_true", help="show calls as calls, not what they call"
    )
    options = parser.parse_args(arguments)
    path: Path = options.program
    try:
        text = path.read_text(encoding="utf-8")
        program = parse_program(text, file=str(path))
    except ParseError as error:
        print("\n".join([f"error: {error}", *error.__notes__]), file=sys.stderr)
        return 2
    except UnicodeDecodeError as error:
        print(f"error: {path} is not a text: byte {error.start} is not UTF-8", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {path} cannot be read: {error.strerror}", file=sys.stderr)
        return 2
    if not options.calls:
        program = inline(program)
    print(report(program, path.name), end="")
    if options.svg is not None:
        try:
            options.svg.write_text(draw(program), encoding="utf-8")
        except OSError as error:
            print(f"error: {options.svg} cannot be written: {error.strerror}", file=sys.stderr)
            return 2
        print(f"graph: {options.svg}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
