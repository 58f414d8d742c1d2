"""A program in a notebook: a line, a picture and the text, each bounded; picture and text fold."""

from __future__ import annotations

from html import escape
from typing import Final

from treadle_ir.core.equality import inside_out
from treadle_ir.core.printing import print_program
from treadle_ir.core.program import Program
from treadle_ir.drawing.graph import size_when_flat
from treadle_ir.drawing.svg import svg
from treadle_ir.text.colour import PARTS

MOST_PICTURED: Final = 150  # inputs and operations: a larger picture cannot be read in a cell
MOST_PRINTED: Final = 20_000  # operations: printing more takes seconds
MOST_LINES: Final = 200
_LONGEST: Final = 500  # characters of a line
_COLOURS: Final = {"name": "#3b6fc4", "type": "#1f8a8a", "value": "#a04db0"}


def program_html(program: Program) -> str:
    """Return a program as HTML for a notebook, however large the program is.

    Args:
        program: the program.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, drawing, ops, stage
        >>> program = stage(lambda x: [ops.sine(x)], ArrayType((3,), np.dtype(np.float32))).program
        >>> drawing.program_html(program).count("<details")
        2
    """
    heading = f"<code>{escape(_shortened(repr(program)))}</code>"
    return f"<div>{heading}{_picture(program)}{_text(program)}</div>"


def _picture(program: Program) -> str:
    count = len(program.parameters) + size_when_flat(program)
    if count > MOST_PICTURED:
        hint = "<code>treadle_ir.drawing.svg</code>"
        return f"<p>{count} inputs and operations are too many for a picture here: {hint}</p>"
    picture = f'<div style="overflow:auto;max-height:40em">{svg(program)}</div>'
    return f"<details open><summary>picture</summary>{picture}</details>"


def _text(program: Program) -> str:
    count = sum([len(each.equations) for each in inside_out(program)])
    if count > MOST_PRINTED:
        return f"<p>{count} operations are too many to print here: <code>print(program)</code></p>"
    lines = print_program(program).splitlines()
    shown = "\n".join([_coloured(_shortened(line)) for line in lines[:MOST_LINES]])
    if len(lines) > MOST_LINES:
        shown += f"\n… {len(lines) - MOST_LINES} more lines"
    return f"<details><summary>text</summary><pre>{shown}</pre></details>"


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"


def _coloured(line: str) -> str:
    """Return a line of text as HTML, in the colours of its parts."""
    pieces, end = [], 0
    for found in PARTS.finditer(line):
        colour = _COLOURS[found.lastgroup or "name"]
        pieces += [
            escape(line[end : found.start()]),
            f'<span style="color:{colour}">{escape(found[0])}</span>',
        ]
        end = found.end()
    return "".join([*pieces, escape(line[end:])])
