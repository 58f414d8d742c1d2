"""Rules of calls: one per transformation for `InlineCall`, and the custom rules' own.

The derivative of a call is a call of the derivative program, so a jitted function stays one compiled unit
under differentiation, and its derivative programs are made once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treadle_autodiff.linearize import linearize_flat
from treadle_autodiff.programs import (
    jvp_program,
    linearize_program,
    strong,
    transpose_program,
    transposed_with_cells,
)
from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Flat,
    Linearization,
    LinearOperands,
    jvp_rule,
    jvp_rules,
    linearize_rule,
    locally_constant,
    transpose_rule,
    transpose_rules,
)
from treadle_autodiff.tangents import Linear, Tangent, Tangents, Zero, materialise
from treadle_ir import ArrayType, Operand, Operands, Program, Value, bind, type_of
from treadle_ir.core import Flags, InlineCall
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import source
from treadle_ir.primitives.call import (
    BACKWARD_ONLY,
    Checkpoint,
    CustomJvpCall,
    CustomJvpStaged,
    CustomVjpCall,
    CustomVjpLinear,
    CustomVjpRule,
    CustomVjpStaged,
    Given,
    OptimizationBarrier,
    StopGradient,
    captured_error,
    forward_mode_error,
)
from treadle_ir.primitives.collective import AllReduce
from treadle_ir.refs import Cell, store
from treadle_ir.tracing import interpret_unchecked as interpret
from treadle_ir.tree import tree_flatten


def with_zeros(
    returned: Sequence[Operand], nonzero: Sequence[bool], types: Sequence[object]
) -> list[Tangent]:
    """Tangents per result, `Zero` where the program returned none."""
    given = iter(returned)
    return [
        next(given) if flag else Zero(type.tangent())
        for flag, type in zip(nonzero, types, strict=True)
        if isinstance(type, ArrayType)
    ]


@jvp_rule(InlineCall)
def call_jvp(primitive: InlineCall, primals: Operands, tangents: Tangents, /) -> Duals:
    """One call of the jvp program."""
    nonzero = [not isinstance(tangent, Zero) for tangent in tangents]
    jvp = jvp_program(primitive.program, nonzero)
    given = [tangent for tangent in tangents if not isinstance(tangent, Zero)]
    sources = (
        *(None for _ in jvp.captured),
        *range(len(primals)),
        *(i for i, flag in enumerate(nonzero) if flag),
    )
    outputs = bind(primitive.rebuilt(jvp.program, sources), *jvp.captured, *primals, *given)
    count = len(primitive.program.results)
    return outputs[:count], with_zeros(outputs[count:], jvp.nonzero, primitive.program.result_types)


def _as_given(residuals: Operands, known: Program, operands: Operands) -> list[Operand]:
    """The residuals of a call, and where one is an operand of it, that operand: nothing is kept twice."""
    given = dict(zip(known.parameters, operands, strict=True))
    results = known.results[len(known.results) - len(residuals) :]
    return [
        given.get(atom, residual) if isinstance(atom, Value) else residual
        for atom, residual in zip(results, residuals, strict=True)
    ]


@linearize_rule(InlineCall)
def call_linearize(
    primitive: InlineCall, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """A call of the known program now, a call of the linear program for later."""
    split = linearize_program(primitive.program, nonzero)
    sources = (*(None for _ in split.captured), *range(len(primals)))
    outputs = bind(primitive.rebuilt(split.known, sources), *split.captured, *primals)
    count = len(primitive.program.results)
    residuals = _as_given(outputs[count:], split.known, (*split.captured, *primals))
    types = primitive.program.result_types

    def linear(tangents: Tangents) -> Tangents:
        if not any(split.nonzero):
            return with_zeros((), split.nonzero, types)
        given = [tangent for tangent in tangents if not isinstance(tangent, Zero)]
        places = (*(None for _ in residuals), *(i for i, flag in enumerate(nonzero) if flag))
        call = primitive.differentiated(split.linear, places)
        return with_zeros(bind(call, *residuals, *given), split.nonzero, types)

    return outputs[:count], linear


@transpose_rule(InlineCall)
def call_transpose(
    primitive: InlineCall, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """One call of the transposed program; backward rules in it may write to references."""
    linear, nonzero = _flags(cotangents, operands)
    return transposed_with_cells(
        primitive.program,
        ("call", linear, nonzero),
        lambda cells: _call_transposed(primitive, cotangents, operands, cells),
    )


def _flags(cotangents: Tangents, operands: LinearOperands) -> tuple[Flags, Flags]:
    """Return which operands are linear, and which cotangents are not zero."""
    linear = tuple([isinstance(operand, Linear) for operand in operands])
    return linear, tuple([not isinstance(cotangent, Zero) for cotangent in cotangents])


def _call_transposed(
    primitive: InlineCall,
    cotangents: Tangents,
    operands: LinearOperands,
    cells: tuple[Cell, ...],
) -> Cotangents:
    """The transposed call, which takes and returns what cells hold that are used in its program."""
    linear, nonzero = _flags(cotangents, operands)
    transposed = transpose_program(primitive.program, linear, nonzero, cells=cells)
    held, structure = tree_flatten([cell.load() for cell in cells])
    known = [operand for operand in operands if not isinstance(operand, Linear)]
    given = [cotangent for cotangent in cotangents if not isinstance(cotangent, Zero)]
    places = (
        *(None for _ in (*transposed.captured, *held)),
        *(i for i, flag in enumerate(linear) if not flag),
        *(None for _ in given),
    )
    call = primitive.differentiated(transposed.program, places)
    if isinstance(call, Checkpoint):
        call = replace(call, recomputes=True)
    results = bind(call, *transposed.captured, *map(strong, held), *known, *given)
    count = len(results) - len(held)
    store(cells, structure.unflatten(results[count:]))
    outputs, flags = iter(results[:count]), iter(transposed.nonzero)
    return [
        (next(outputs) if next(flags) else Zero(operand.type.tangent()))
        if isinstance(operand, Linear)
        else None
        for operand in operands
    ]


def _given(tangents: Tangents) -> Given:
    """Tangents as the rules of users' functions take them."""
    return [None if isinstance(tangent, Zero) else tangent for tangent in tangents]


def _with_types(results: Operands, tangents: Given) -> Duals:
    """Results and their tangents, as such a rule returned them."""
    return results, [
        Zero(type_of(result).tangent()) if tangent is None else tangent
        for result, tangent in zip(results, tangents, strict=True)
    ]


def _refuse_captured(label: str, nonzero: Sequence[bool]) -> None:
    """Refuse tangents of operands that a function with its own rule captured: the rule would leave them out."""
    if any(nonzero):
        raise captured_error(label)


@jvp_rule(CustomJvpCall)
def custom_jvp_function_jvp(
    primitive: CustomJvpCall, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The user's rule."""
    return _with_types(*primitive.jvp(primals, _given(tangents)))


@jvp_rule(CustomJvpStaged)
def custom_jvp_call_jvp(
    primitive: CustomJvpStaged, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The user's rule, run now."""
    captured = primitive.derivative.captured
    nonzero = [not isinstance(tangent, Zero) for tangent in tangents]
    _refuse_captured(primitive.label, _inexact(primals[:captured], nonzero))
    return _with_types(*primitive.derivative(primals, _given(tangents[captured:])))


@linearize_rule(CustomJvpStaged)
def custom_jvp_call_linearize(
    primitive: CustomJvpStaged, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """Linearize what the user's rule computes."""
    captured = primitive.derivative.captured
    _refuse_captured(primitive.label, _inexact(primals[:captured], nonzero))

    here = source.Place("", _place_of_rule(primitive))

    def function(*operands: Operand) -> Operands:
        wrapped = CustomJvpCall(
            primitive.label,
            lambda *xs: interpret(primitive.program, *primals[:captured], *xs),
            lambda xs, ts: primitive.derivative([*primals[:captured], *xs], ts),
            primitive.derivative.pure,
        )
        if here.replayed is None:
            return bind(wrapped, *operands)
        with source.placed(here):
            return bind(wrapped, *operands)

    linearized = linearize_flat(function, primals[captured:], nonzero[captured:])

    def linear(tangents: Tangents) -> Tangents:
        return linearized.tangents(*(t for t in tangents[captured:] if not isinstance(t, Zero)))

    return linearized.results, linear


def _place_of_rule(primitive: CustomJvpStaged) -> source.Source | None:
    """Return the location of the equations of a rule that runs after its call; None if it has lines of the user's.

    A rule in treadle itself has no such lines: the call that differentiates the program would be found in their place.
    """
    rule = getattr(primitive.derivative.jvp, "rule", None)
    code = getattr(rule, "__code__", None)
    if code is None or not source.is_internal(code.co_filename) or code.co_name == "jvp":
        return None
    return source.derivative_source(primitive.label)


def _inexact(primals: Operands, nonzero: Sequence[bool]) -> list[bool]:
    """Return which primals have tangents with data."""
    return [
        flag and is_inexact(type_of(primal).dtype)
        for primal, flag in zip(primals, nonzero, strict=False)
    ]


def _custom_vjp_linearize(
    label: str, rule: CustomVjpRule, primals: Operands, nonzero: Sequence[bool]
) -> Linearization:
    operands = primals[rule.captured :]
    _refuse_captured(label, _inexact(primals[: rule.captured], nonzero))
    results, residuals, backward = rule.forward(operands, tuple(nonzero[rule.captured :]))
    types = tuple([type_of(result).tangent().unsharded for result in results])

    def linear(tangents: Tangents) -> Tangents:
        primitive = CustomVjpLinear(label, backward, len(residuals), types)
        return list(
            bind(primitive, *residuals, *[materialise(t) for t in tangents[rule.captured :]])
        )

    return results, linear


@linearize_rule(CustomVjpCall)
def custom_vjp_function_linearize(
    primitive: CustomVjpCall, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """The user's forward function now; the backward one when the tape is transposed."""
    return _custom_vjp_linearize(primitive.label, primitive.rule, primals, nonzero)


@linearize_rule(CustomVjpStaged)
def custom_vjp_call_linearize(
    primitive: CustomVjpStaged, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """The same for a call that was staged."""
    return _custom_vjp_linearize(primitive.label, primitive.rule, primals, nonzero)


@transpose_rule(CustomVjpLinear)
def custom_vjp_linear_transpose(
    primitive: CustomVjpLinear, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The user's backward function.

    The cotangent of what all devices share is summed over them, if the function has not done so.
    """
    count = primitive.residuals
    residuals = [operand for operand in operands[:count] if not isinstance(operand, Linear)]
    outgoing = [
        _summed(ct, x)
        for ct, x in zip(
            primitive.backward(residuals, _given(cotangents)), operands[count:], strict=True
        )
    ]
    return [
        *(None for _ in range(count)),
        *(
            None if not isinstance(x, Linear) else Zero(x.type.tangent()) if ct is None else ct
            for ct, x in zip(outgoing, operands[count:], strict=True)
        ),
    ]


def _summed(cotangent: Operand | None, operand: Operand | Linear) -> Operand | None:
    if cotangent is None or not isinstance(operand, Linear):
        return cotangent
    more = type_of(cotangent).varying - operand.type.varying
    if not more:
        return cotangent
    return bind(AllReduce("add", tuple(sorted(more)), invariant=True), cotangent)[0]


for _vjp in (CustomVjpCall, CustomVjpStaged, CustomVjpLinear):
    jvp_rules.absent(_vjp, because=BACKWARD_ONLY, error=forward_mode_error)
# A `custom_jvp` function that is linear is transposed as what it computes.
for _primitive in (CustomJvpCall, CustomVjpCall, CustomVjpStaged):
    transpose_rules.absent(
        _primitive, because="it is differentiated by its own rule, never transposed"
    )


@jvp_rule(OptimizationBarrier)
def optimization_barrier_jvp(
    primitive: OptimizationBarrier, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The identity; tangents get a barrier of their own."""
    results = bind(primitive, *primals)
    given = [tangent for tangent in tangents if not isinstance(tangent, Zero)]
    returned = iter(bind(primitive, *given) if given else ())
    return results, [t if isinstance(t, Zero) else next(returned) for t in tangents]


@transpose_rule(OptimizationBarrier)
def optimization_barrier_transpose(
    primitive: OptimizationBarrier, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The identity."""
    return [
        ct if isinstance(x, Linear) else None for ct, x in zip(cotangents, operands, strict=True)
    ]


locally_constant(StopGradient, Flat.ASKED)
transpose_rules.absent(StopGradient, because="its derivative is zero")
