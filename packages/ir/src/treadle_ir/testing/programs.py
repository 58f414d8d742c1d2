"""What every program promises, and a way to see all programs that code makes: staged, derived and rewritten.

with recorded() as programs:
    jit(grad(f))(x)
check_programs(programs)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from treadle_ir.analysis.verifier import verify
from treadle_ir.core.equality import (
    contained,
    equal_programs,
    inside_out,
    program_hash,
)
from treadle_ir.core.program import Program
from treadle_ir.core.registry import find_primitive
from treadle_ir.errors.kinds import ParseError
from treadle_ir.events.kinds import Event, ProgramMade, listening
from treadle_ir.text import parse_program, print_program


@contextmanager
def recorded() -> Iterator[list[Program]]:
    """All programs that any thread makes in the meantime, in the order in which they are made.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> with recorded() as programs:
        ...     staged = stage(lambda x: [ops.sine(x)], ArrayType((3,), np.dtype("f4")))
        >>> programs == [staged.program]
        True
    """
    programs: list[Program] = []

    def listener(event: Event) -> None:
        if isinstance(event, ProgramMade):
            programs.append(event.program)

    with listening(listener):
        yield programs


def outermost(programs: Iterable[Program]) -> list[Program]:
    """Return the programs that no other of the given programs contains."""
    each = list({id(program): program for program in programs}.values())
    inside = {id(inner) for program in each for inner in contained(program)}
    return [program for program in each if id(program) not in inside]


def check_program(program: Program) -> None:
    """Check that a program is valid, and that its text reads back as the same program.

    Python functions in attributes have no text; the parser must report them.

    Raises:
        VerifyError: the program is not valid.
        AssertionError: its text does not read back.
    """
    verify(program)
    _check_text(program, print_program(program))


def check_programs(
    programs: Iterable[Program],
    known: set[tuple[int, int]] | None = None,
    *,
    most: int | None = None,
) -> None:
    """Check programs, each of those that contain others with what it contains; a failure shows the program.

    `known` has hashes of programs that are not read again, with their texts': pass the same set
    again, and equal programs are read once. With `most`, programs are taken from the last to the
    first, and left out where they would bring the number of equations over it.
    """
    known = set() if known is None else known
    left = most
    for program in reversed(outermost(programs)):
        if left is not None:
            size = sum(len(each.equations) for each in inside_out(program))
            if size > left:
                continue
            left -= size
        try:
            verify(program)
            text = print_program(program)
            # Both: of two programs with one text, one is not what the text says.
            key = hash(text), program_hash(program)
            if key not in known:
                _check_text(program, text)
                known.add(key)
        except Exception as error:
            error.add_note(print_program(program))
            raise


def _check_text(program: Program, text: str) -> None:
    try:
        parsed = parse_program(text)
    except ParseError as error:
        if "<opaque " in text and "has no text" in str(error):
            return
        if not _is_registered(program):  # an operation of an evaluator, within its plans
            return
        raise
    assert equal_programs(parsed, program), "the text reads back as another program"
    assert print_program(parsed) == text, "the text is not canonical"


def _is_registered(program: Program) -> bool:
    """Return whether all primitives of a program may stand in text."""
    return all(
        [
            find_primitive(equation.primitive.name) is type(equation.primitive)
            for each in inside_out(program)
            for equation in each.equations
        ]
    )
