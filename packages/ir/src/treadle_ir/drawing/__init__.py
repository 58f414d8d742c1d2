"""Programs as pictures: SVG, the language of Graphviz, and what a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.drawing.dot import to_dot as to_dot
    from treadle_ir.drawing.graph import flattened as flattened
    from treadle_ir.drawing.html import program_html as program_html
    from treadle_ir.drawing.svg import svg as svg

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.drawing.dot": "to_dot",
            "treadle_ir.drawing.graph": "flattened",
            "treadle_ir.drawing.html": "program_html",
            "treadle_ir.drawing.svg": "svg",
        },
    )
