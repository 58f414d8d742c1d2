"""parse(print(p)) equals p, and printing is canonical."""

from __future__ import annotations

import pytest

from conformance.cases import examples
from treadle_ir import bind, stage
from treadle_ir.equality import equal_programs
from treadle_ir.testing.examples import Example
from treadle_ir.text import parse_program


@pytest.mark.parametrize("example", examples(lambda example: example.parses))
def test_round_trip(example: Example) -> None:
    program = stage(lambda *xs: bind(example.primitive, *xs), *example.types).program
    text = str(program)
    parsed = parse_program(text)
    assert equal_programs(parsed, program)
    assert str(parsed) == text
