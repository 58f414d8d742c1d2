"""Rewrite a program for what is known of its parameters, and nested programs for what is known of theirs.

A rewrite is a generator: it yields a request for each nested program and receives the program's specialisation. The
generators are on a stack of their own, so programs may be nested deeply; equal requests are answered once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, final

from treadle_compiler.legalise.rewriting import note_written_length
from treadle_ir import Atom, Equation, Primitive, Program
from treadle_ir.core import InlineCall, run_requests
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.composite import Composite
from treadle_ir.primitives.custom_vmap import CustomVmapStaged
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.rewrite import with_nested, with_primitive

K = TypeVar("K")  # what is known of a value
W = TypeVar("W")  # what is wanted of a result


@final
class Request(NamedTuple, Generic[K, W]):
    """A program, what is known of its parameters, and what is wanted of its results; None leaves these as they are."""

    program: Program
    parameters: tuple[K, ...]
    results: tuple[W, ...] | None = None


@final
class Specialised(NamedTuple, Generic[K]):
    """A program for such parameters, and what is known of its results."""

    program: Program
    results: tuple[K, ...]


# Any: the requests of one rewrite, which the caller answers.
Steps: TypeAlias = Generator[Request[K, W], Any, Specialised[K]]


def specialise(first: Request[K, W], rewrite: Callable[[Request[K, W]], Steps[K, W]]) -> Program:
    """Return the program of a request as `rewrite` specialises it and the programs that it requests.

    Args:
        first: the whole program, and what is known and wanted of its ends.
        rewrite: returns the generator that answers a request.
    """
    answers: dict[tuple[object, ...], Specialised[K]] = {}

    def work(request: Request[K, W]) -> Steps[K, W]:
        answer = yield from rewrite(request)
        answers[_key(request)] = answer
        if answer.program is not request.program:
            note_written_length(answer.program, request.program)
        return answer

    whole: Specialised[K] = run_requests(
        work(first), lambda request: answers.get(_key(request)), work
    )
    return whole.program


def _key(request: Request[K, W]) -> tuple[object, ...]:
    return (id(request.program), *request[1:])  # the first program contains all others


def specialise_nested(
    equation: Equation, request: Callable[[Program], Request[K, W]]
) -> Generator[Request[K, W], Any, Equation]:
    """Return an equation with its nested programs specialised.

    Args:
        equation: any equation.
        request: returns the request for a nested program.
    """
    primitive = equation.primitive
    nested = primitive.programs().values()
    if not nested:
        return equation
    made: dict[int, Program] = {}
    for each in nested:
        answer: Specialised[K] = yield request(each)
        made[id(each)] = answer.program
    return with_primitive(equation, with_nested(primitive, made))


def with_operands(equation: Equation, operands: tuple[Atom, ...]) -> Equation:
    """Return `equation` with other operands; itself if they are the same."""
    return equation if operands == equation.operands else equation._replace(operands=operands)


def are_unchanged(equations: Sequence[Equation], before: Sequence[Equation]) -> bool:
    """Return whether a rewrite has changed none of a program's equations."""
    return len(equations) == len(before) and all(
        [one is two for one, two in zip(equations, before, strict=True)]
    )


_OPAQUE: Final = (Composite, CustomPartitioning)
"""Calls that XLA sees as one operation."""


def is_transparent(primitive: Primitive) -> bool:
    """Return whether an operation is a call that lowering may write in place."""
    return isinstance(primitive, InlineCall) and not isinstance(primitive, _OPAQUE)


def call_of(call: Primitive, program: Program, *, in_place: bool) -> Primitive:
    """Return a call of another program.

    Args:
        call: a transparent call.
        program: what it calls instead.
        in_place: whether the equations must be written where the call is, since parameters or results of a function of
            the module cannot be what the operands or results are.
    """
    assert isinstance(call, InlineCall)
    if in_place and isinstance(call, Call | CustomVmapStaged):
        return Call(program, getattr(call, "label", ""), "lowering")
    return call if program is call.program else call.with_regions((program,))


def with_regions(
    primitive: Primitive, before: Sequence[Program], programs: Sequence[Program]
) -> Primitive:
    """Return an operation with other programs as the regions of its flows; itself if they are the same."""
    if all([one is two for one, two in zip(before, programs, strict=True)]):
        return primitive
    return primitive.with_regions(programs)
