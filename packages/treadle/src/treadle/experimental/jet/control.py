"""Taylor mode through calls, branches and loops: nested programs that return series behind their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from treadle.experimental.jet.registry import jet_rule
from treadle.experimental.jet.series import Series, terms, zero_series
from treadle.experimental.jet.trace import by_derivative, composed
from treadle_ir import (
    Flags,
    InlineCall,
    Operand,
    Operands,
    Program,
    Type,
    bind,
    derived,
    either,
    frozen,
    interpret_unchecked as interpret,
    reached_carries,
    share_captures,
    stage_tree,
    unsharded,
)
from treadle_ir.primitives.call import CustomJvpStaged, CustomVjpCall, CustomVjpStaged
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.rewrite import prune


@final
@frozen(eq=False)
class JetProgram:
    """A program from values and the series of those that move to results and the series of those that move.

    `captured` operands (there are none, as a rule) go first; the coefficients of each series stand together.
    """

    program: Program
    captured: tuple[Operand, ...]
    moving: Flags  # per result


def jet_program(
    program: Program, moving: Flags, order: int, forced: Flags | None = None
) -> JetProgram:
    """Return a program's series, with those parameters moving; results that are `forced` get a series in any case."""
    wanted = (False,) * len(program.results) if forced is None else forced

    def make() -> JetProgram:
        types = unsharded(program.parameter_types)
        given = [type.strong() for type, flag in zip(types, moving, strict=True) if flag]

        def function(*operands: Operand) -> tuple[Operands, Flags]:
            series = _series(operands[len(types) :], moving, order)
            results, found = composed(
                lambda *xs: interpret(program, *xs), operands[: len(types)], series, order
            )
            moved = either([each is not zero_series for each in found], wanted)
            return [*results, *_coefficients(results, found, moved, order)], moved

        staged, moved = stage_tree(function, *types, *_repeated(given, order))
        return JetProgram(prune(staged.program), staged.captured, moved)

    return derived(program, ("jet", moving, order, wanted), make)


def _repeated(types: Sequence[Type], order: int) -> list[Type]:
    return [type for type in types for _ in range(order)]


def _series(coefficients: Operands, moving: Sequence[bool], order: int) -> list[Series]:
    """Return the series of each value, from the coefficients of those that move."""
    found: list[Series] = []
    start = 0
    for flag in moving:
        found.append(coefficients[start : start + order] if flag else zero_series)
        start += order if flag else 0
    return found


def _coefficients(
    values: Operands, series: Sequence[Series], moving: Sequence[bool], order: int
) -> list[Operand]:
    """Return the coefficients of the operands that move; zeros for an operand without a series."""
    return [
        coefficient
        for x, each, flag in zip(values, series, moving, strict=True)
        if flag
        for coefficient in terms(x, each, order)[1:]
    ]


def _flags(series: Sequence[Series]) -> Flags:
    return tuple([each is not zero_series for each in series])


def _split(outputs: Operands, moving: Flags, order: int) -> tuple[Operands, list[Series]]:
    count = len(moving)
    return outputs[:count], _series(outputs[count:], moving, order)


@jet_rule(InlineCall)
def call_jet(
    primitive: InlineCall, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Apply the program of series of a call."""
    moving = _flags(series)
    made = jet_program(primitive.program, moving, order)
    coefficients = _coefficients(primals, series, moving, order)
    sources = (
        *(None for _ in made.captured),
        *range(len(primals)),
        *(None for _ in coefficients),
    )
    call = primitive.rebuilt(made.program, sources)
    return _split(bind(call, *made.captured, *primals, *coefficients), made.moving, order)


jet_rule(CustomJvpStaged)(by_derivative)  # by the user's rule


@jet_rule(CustomVjpStaged)
def custom_vjp_jet(
    primitive: CustomVjpStaged, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return the function itself: a rule for reverse mode gives no series."""
    return composed(lambda *xs: interpret(primitive.program, *xs), primals, series, order)


@jet_rule(CustomVjpCall)
def custom_vjp_function_jet(
    primitive: CustomVjpCall, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return the function itself: a rule for reverse mode gives no series."""
    return composed(lambda *xs: primitive.function(*xs), primals, series, order)


@jet_rule(Case)
def case_jet(
    primitive: Case, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return a choice between programs of series; a result moves if it does in any branch."""
    index, *rest = primals
    moving = _flags(series[1:])
    each = [jet_program(branch, moving, order).moving for branch in primitive.branches]
    forced = tuple([any(flags) for flags in zip(*each, strict=True)])
    made = [jet_program(branch, moving, order, forced) for branch in primitive.branches]
    programs, captured = share_captures(
        [branch.program for branch in made], [branch.captured for branch in made]
    )
    coefficients = _coefficients(rest, series[1:], moving, order)
    outputs = bind(Case(tuple(programs)), index, *captured, *rest, *coefficients)
    return _split(outputs, forced, order)


def _reordered(
    program: Program, groups: Sequence[Sequence[int]], results: Sequence[int]
) -> Program:
    """Return a program with its parameters in groups, and its results in another order."""
    return Program(
        tuple([program.parameters[i] for group in groups for i in group]),
        program.equations,
        tuple([program.results[i] for i in results]),
    )


def _places(moving: Sequence[bool], start: int, order: int) -> list[list[int]]:
    """For each value, where its coefficients stand behind `start` values; nowhere if it does not move."""
    places = []
    for flag in moving:
        places.append([*range(start, start + order)] if flag else [])
        start += order if flag else 0
    return places


@jet_rule(Scan)
def scan_jet(
    primitive: Scan, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return a loop that carries values and series."""
    first = primitive.constants
    fixed = first + primitive.carries
    flags = _flags(series)

    def after(carried: Flags) -> Flags:
        return jet_program(primitive.body, (*flags[:first], *carried, *flags[fixed:]), order).moving

    carried = reached_carries(after, flags[first:fixed])
    moving = (*flags[:first], *carried, *flags[fixed:])
    ys = len(primitive.body.results) - primitive.carries
    made = jet_program(primitive.body, moving, order, (*carried, *(False for _ in range(ys))))
    captured = len(made.captured)
    places = _places(moving, captured + len(moving), order)
    count = len(made.moving)
    out_places = _places(made.moving, count, order)

    def group(start: int, stop: int) -> list[int]:
        values = [captured + i for i in range(start, stop)]
        return [*values, *(place for each in places[start:stop] for place in each)]

    constants, carries, xs = group(0, first), group(first, fixed), group(fixed, len(moving))
    of_carries = [
        *range(primitive.carries),
        *(place for each in out_places[: primitive.carries] for place in each),
    ]
    of_ys = [
        *range(primitive.carries, count),
        *(place for each in out_places[primitive.carries :] for place in each),
    ]
    body = _reordered(
        made.program, [range(captured), constants, carries, xs], [*of_carries, *of_ys]
    )
    loop = Scan(
        body,
        primitive.length,
        captured + len(constants),
        len(carries),
        primitive.reverse,
        primitive.unroll,
    )
    inputs = [*made.captured, *primals, *_coefficients(primals, series, moving, order)]
    outputs = bind(loop, *made.captured, *(inputs[place] for place in (*constants, *carries, *xs)))
    found = dict(zip((*of_carries, *of_ys), outputs, strict=True))
    return _split([found[place] for place in range(len(found))], made.moving, order)


@jet_rule(While)
def while_jet(
    primitive: While, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return a loop that carries values and series; the condition looks at the values."""
    of_cond, of_body = primitive.cond_constants, primitive.body_constants
    flags = _flags(series[of_cond:])

    def after(carried: Flags) -> Flags:
        return jet_program(primitive.body, (*flags[:of_body], *carried), order).moving

    carried = reached_carries(after, flags[of_body:])
    moving = (*flags[:of_body], *carried)
    made = jet_program(primitive.body, moving, order, carried)
    captured = len(made.captured)
    places = _places(moving, captured + len(moving), order)
    constants = [
        *range(captured),
        *range(captured, captured + of_body),
        *(place for each in places[:of_body] for place in each),
    ]
    carries = [
        *range(captured + of_body, captured + len(moving)),
        *(place for each in places[of_body:] for place in each),
    ]
    body = _reordered(made.program, [constants, carries], range(len(made.program.results)))
    operands = primals[of_cond:]
    inputs = [
        *made.captured,
        *operands,
        *_coefficients(operands, series[of_cond:], moving, order),
    ]
    extra = [made.program.parameters[place] for place in carries[len(carried) :]]
    cond = Program(
        (*primitive.cond.parameters, *extra), primitive.cond.equations, primitive.cond.results
    )
    loop = While(cond, body, of_cond, len(constants), primitive.trip_bound)
    outputs = bind(loop, *primals[:of_cond], *(inputs[place] for place in (*constants, *carries)))
    return _split(outputs, carried, order)
