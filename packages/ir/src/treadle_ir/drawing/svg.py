"""A program as a picture in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from treadle_ir.core.program import Program
from treadle_ir.drawing.graph import (
    Node,
    chained,
    flattened,
    merged,
    nodes_of,
    size_when_flat,
)
from treadle_ir.drawing.layout import arrange, lanes_of, layers_of
from treadle_ir.errors.kinds import ArgumentError

MOST_DRAWN: Final = 2_000
"""The operations of the largest program that is drawn, unless the caller raises the limit."""
ROW: Final = 33  # pixels from row to row
HEIGHT: Final = 19  # of a pill
FAR: Final = 4  # rows: longer edges run next to the pills, not behind them
_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_FILLS: Final = {  # fill, border and text by the kind of an operation, readable on light and dark pages
    "plain": ("#eaf2fb", "#3b7cc4", "#1d4d80"),
    "contract": ("#c8553d", "#c8553d", "#ffffff"),
    "reduce": ("#f2ebf9", "#8a56b8", "#5d3689"),
    "choose": ("#fbf3dd", "#c2951b", "#70510a"),
    "move": ("#f3f4f8", "#b6bdcc", "#525a6e"),
    "input": ("#ffffff", "#3a4256", "#3a4256"),
    "output": ("#3a4256", "#3a4256", "#ffffff"),
}
STYLE: Final = (
    "<style>.treadle .edge{fill:none;stroke:#8f98ac;stroke-width:1.1}.treadle .far{stroke:#b9c0ce}"
    ".treadle text{font:10.5px sans-serif;text-anchor:middle}"
    + "".join(
        [
            f".treadle .{kind} rect{{fill:{fill};stroke:{stroke}}}.treadle .{kind} text{{fill:{text}}}"
            for kind, (fill, stroke, text) in _FILLS.items()
        ]
    )
    + "</style>"
)


def svg(
    program: Program,
    names: Sequence[str] | None = None,
    *,
    standalone: bool = True,
    most: int = MOST_DRAWN,
) -> str:
    """Return a picture of a program as SVG: a pill for each operation, data flowing downwards.

    Operations that do the same with the same inputs for the same users share a pill ("slice ×9"); calls of jitted
    functions are opened. Each pill has a tooltip with the types that it makes and the user's line.

    Args:
        program: the program.
        names: a name for each parameter; the numbers of the text format by default.
        standalone: whether the picture contains its colours and may be a file of its own; else the style sheet of the
            page that contains it has them.
        most: the number of operations from which on the program is refused.

    Raises:
        ArgumentError: the program has more operations, or there is not a name for each parameter.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, drawing, ops, stage
        >>> program = stage(lambda x: [ops.sine(x)], ArrayType((3,), np.dtype(np.float32))).program
        >>> drawing.svg(program).count("<rect")
        3
    """
    if names is None:
        names = [f"%{number}" for number in range(len(program.parameters))]
    if len(names) != len(program.parameters):
        raise ArgumentError(
            f"svg: there are {len(names)} names for {len(program.parameters)} parameters",
            fix="give a name for each parameter, or none",
        )
    size = size_when_flat(program)
    if size > most:
        raise ArgumentError(
            f"svg: the program has {size} operations, which is more than {most}",
            fix="draw one of the programs nested in it, or raise `most`",
        )
    nodes = nodes_of(flattened(program), names)
    if not nodes:
        nodes = [Node("no operations", "output", [])]
    rows = layers_of(merged(chained(nodes)))
    arrange(rows)
    nodes = [node for row in rows for node in row]
    height_of = {id(node): 16 + i * ROW for i, row in enumerate(rows) for node in row}
    left = min(node.x - node.width / 2 for node in nodes) - 6
    right = max(node.x + node.width / 2 for node in nodes) + 6
    lines, pills, far = [], [], []
    for node in nodes:
        x, y = node.x - left, height_of[id(node)]
        for user in node.below:
            to_x, to_y = user.x - left, height_of[id(user)] - HEIGHT / 2
            start = y + HEIGHT / 2
            if to_y - start > FAR * ROW:
                far.append((start, to_y, x, to_x))
                continue
            bend = max(10.0, (to_y - start) * 0.45)
            lines.append(
                f'<path class="edge" d="M{x:.1f} {start:.1f}C{x:.1f} {start + bend:.1f} '
                f'{to_x:.1f} {to_y - bend:.1f} {to_x:.1f} {to_y:.1f}"/>'
            )
        note = "\n".join(node.notes[:4]) + ("\n…" if len(node.notes) > 4 else "")
        pills.append(
            f'<g class="op {node.kind}"><title>{escape(note)}</title>'
            f'<rect x="{x - node.width / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{node.width:.1f}"'
            f' height="{HEIGHT}" rx="{HEIGHT / 2}"/>'
            f'<text x="{x:.1f}" y="{y + 3.6:.1f}">{escape(node.label)}</text></g>'
        )
    lanes = lanes_of([(start, end) for start, end, _, _ in far])
    edge = right - left
    for (start, end, x, to_x), lane in zip(far, lanes, strict=True):
        at = edge + 6 + 4 * lane
        lines.append(
            f'<path class="edge far" d="M{x:.1f} {start:.1f}C{x:.1f} {start + 16:.1f} '
            f"{at} {start:.1f} {at} {start + ROW:.1f}V{end - ROW:.1f}"
            f'C{at} {end:.1f} {to_x:.1f} {end - 16:.1f} {to_x:.1f} {end:.1f}"/>'
        )
    width, height = edge + 10 + 4 * (max(lanes, default=-2) + 1), 16 + len(rows) * ROW
    name, style, namespace = "graph", "", ""
    if standalone:
        name, style, namespace = "graph treadle", STYLE, f' xmlns="{_NAMESPACE}"'
    return (
        f'<svg class="{name}"{namespace} role="img"'
        f' width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}">'
        f"{style}{''.join(lines)}{''.join(pills)}</svg>"
    )
