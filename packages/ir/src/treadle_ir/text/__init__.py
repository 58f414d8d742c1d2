"""The text format of programs, both ways: `docs/text-format.md` has the grammar."""

from __future__ import annotations

from treadle_ir.core.printing import (
    print_equation as print_equation,
    print_program as print_program,
)
from treadle_ir.text.colour import coloured as coloured, wants_colour as wants_colour
from treadle_ir.text.difference import (
    Difference as Difference,
    first_difference as first_difference,
)
from treadle_ir.text.parser import parse_program as parse_program
