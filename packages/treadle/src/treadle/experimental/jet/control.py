"""Taylor mode through calls, branches and loops: nested programs that return series behind their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import or_
from typing import Any, TypeVar, final

from treadle.experimental.jet.registry import jet_rule
from treadle.experimental.jet.series import Series, terms, zero_series
from treadle.experimental.jet.trace import by_derivative, composed
from treadle_ir import Operand, Operands, Program, Type, bind
from treadle_ir.analysis import forward
from treadle_ir.core import (
    Flags,
    Groups,
    InlineCall,
    ScanOperands,
    WhileOperands,
    elementwise_or,
    unsharded,
)
from treadle_ir.primitives.call import CustomJvpStaged, CustomVjpCall, CustomVjpStaged
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.process import frozen
from treadle_ir.rewrite import prune
from treadle_ir.tracing import (
    derived,
    interpret_unchecked as interpret,
    rearranged,
    share_captures,
    stage_tree,
)

G = TypeVar("G", bound=Groups[Any])


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
            moved = elementwise_or([each is not zero_series for each in found], wanted)
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


def _places(moving: Sequence[bool], start: int, order: int) -> list[list[int]]:
    """Return for each value where its coefficients are after `start` values; nowhere if it does not move."""
    places = []
    for flag in moving:
        places.append([*range(start, start + order)] if flag else [])
        start += order if flag else 0
    return places


def _with_series(groups: Callable[[range], G], moving: Flags, start: int, order: int) -> G:
    """Return for each group the places of its values, the first of which is `start`, then of their coefficients."""
    values = range(start, start + len(moving))
    places = groups(_places(moving, values.stop, order))  # type: ignore[arg-type]  # lists of places
    flat = [[place for each in group for place in each] for group in places]
    return groups(values).joined(type(places)(*flat))


@jet_rule(Scan)
def scan_jet(
    primitive: Scan, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return a loop that carries values and series."""
    (moving,) = forward(
        primitive.flows(),
        _flags(series),
        lambda body, given: jet_program(body, given, order).moving,
        or_,
    ).parameters
    carried = primitive.operand_groups(moving).carry
    ys = len(primitive.body.results) - len(carried)
    made = jet_program(primitive.body, moving, order, (*carried, *[False] * ys))
    captured = len(made.captured)
    parameters = ScanOperands(range(captured)).joined(
        _with_series(primitive.operand_groups, moving, captured, order)
    )
    results = _with_series(primitive.result_groups, made.moving, 0, order).flat()
    loop = primitive.with_body(rearranged(made.program, parameters.flat(), results), parameters)
    inputs = [*made.captured, *primals, *_coefficients(primals, series, moving, order)]
    outputs = bind(loop, *(inputs[place] for place in parameters.flat()))
    found = dict(zip(results, outputs, strict=True))
    return _split([found[place] for place in range(len(found))], made.moving, order)


@jet_rule(While)
def while_jet(
    primitive: While, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return a loop that carries values and series; the condition looks at the values."""
    cond = primitive.cond

    def returned(program: Program, given: Flags) -> Flags:
        return (False,) if program is cond else jet_program(program, given, order).moving

    _, moving = forward(primitive.flows(), _flags(series), returned, or_).parameters
    carried = tuple(primitive.body_groups(moving).carry)
    made = jet_program(primitive.body, moving, order, carried)
    captured = len(made.captured)
    parameters = WhileOperands(range(primitive.cond_constants), range(captured)).joined(
        _with_series(primitive.body_groups, moving, captured, order)
    )
    body = rearranged(made.program, parameters.for_body, range(len(made.program.results)))
    coefficients = [made.program.parameters[i] for i in parameters.carry[len(carried) :]]
    derived_cond = Program((*cond.parameters, *coefficients), cond.equations, cond.results)
    loop = primitive.with_programs(derived_cond, body, parameters)
    groups = primitive.operand_groups(primals)
    inputs = [
        *made.captured,
        *groups.for_body,
        *_coefficients(groups.for_body, primitive.operand_groups(series).for_body, moving, order),
    ]
    outputs = bind(loop, *groups.cond_consts, *(inputs[i] for i in parameters.for_body))
    return _split(outputs, carried, order)
