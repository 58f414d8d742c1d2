"""Programs as they are staged: recorded while a test runs, and what all of them must satisfy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from treadle_ir import Operands, ParseError, Program, StagingTrace
from treadle_ir.equality import equal_programs
from treadle_ir.text import parse_program
from treadle_ir.verify import verify


@contextmanager
def recorded() -> Iterator[list[Program]]:
    """All programs that any thread stages in the meantime, in the order in which they are finished."""
    programs: list[Program] = []
    original = StagingTrace.program

    def program(self: StagingTrace, results: Operands) -> Program:
        made = original(self, results)
        programs.append(made)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StagingTrace, "program", program)
        yield programs


def check(program: Program) -> None:
    """A program verifies, and comes back from its text; Python functions in it have none, and the parser says so."""
    verify(program)
    text = str(program)
    if "<opaque " in text:
        with pytest.raises(ParseError, match="has no text"):
            parse_program(text)
        return
    parsed = parse_program(text)
    assert equal_programs(parsed, program)
    assert str(parsed) == text
    verify(parsed)


def check_all(programs: list[Program]) -> None:
    """Check each of them; a failure shows the program."""
    for program in programs:
        try:
            check(program)
        except Exception as error:
            error.add_note(str(program))
            raise
