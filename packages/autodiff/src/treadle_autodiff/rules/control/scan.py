"""Rules of scan: the derivative of a loop is a loop.

Which carries have a tangent is found by running the body's derivative until that set stays the same. Derived
bodies are cached with the body that they come from, so that a loop is transformed, and compiled, once.

Linearizing a loop splits it in two. The known loop computes results, and stacks the residuals of the linear loop. A
residual that is the same in every iteration is not stacked: it is computed once, before the loop. Elements of the xs or
the ys are not stacked a second time either.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import or_
from typing import Any, TypeVar, final

from treadle_autodiff.programs import (
    jvp_program,
    linearize_program,
)
from treadle_autodiff.registry import Duals, Linearization, jvp_rule, linearize_rule
from treadle_autodiff.rules.call import with_zeros
from treadle_autodiff.rules.control.invariant import hoisted
from treadle_autodiff.rules.control.operands import (
    dual_groups,
    dual_places,
    nonzero_flags,
    tangent_places,
    those,
)
from treadle_autodiff.tangents import Tangents, materialise
from treadle_ir import ArrayType, Atom, Literal, Operand, Operands, Program, Type, bind
from treadle_ir.analysis import forward
from treadle_ir.core import Flags, ScanOperands, ScanResults
from treadle_ir.primitives.control import Scan
from treadle_ir.process import frozen
from treadle_ir.rewrite import prune
from treadle_ir.tracing import derived, interpret_unchecked as interpret, rearranged

T = TypeVar("T")


def signature(scan: Scan, *flags: Flags) -> tuple[object, ...]:
    """Return what a derived body depends on besides the body: the groups of operands, not the number of iterations."""
    return (scan.constants, scan.carries, *flags)


def _result_types(scan: Scan) -> list[Type]:
    carry, ys = scan.result_groups(scan.body.result_types)
    return [
        *carry,
        *[y.with_shape((scan.length, *y.shape)) for y in ys if isinstance(y, ArrayType)],
    ]


def _tangents_of_carry(scan: Scan, nonzero: Flags) -> list[bool]:
    """Return which results of the body must have a tangent: the carry that has one, be it in one iteration only."""
    carry = scan.operand_groups(nonzero).carry
    return [*carry, *[False] * (len(scan.body.results) - len(carry))]


# --- forward ---------------------------------------------------------------------------------------


@final
@frozen(eq=False)
class _JvpScan:
    """The jvp of a scan's body, whose constants begin with what it captured."""

    body: Program
    captured: tuple[Operand, ...]
    nonzero: Flags  # per operand: whether it has a tangent in some iteration
    returned: Flags  # per result
    places: tuple[
        int, ...
    ]  # of the primal results, then of their tangents, among the results of the loop


@jvp_rule(Scan)
def scan_jvp(primitive: Scan, primals: Operands, tangents: Tangents, /) -> Duals:
    """One loop over primals and tangents."""
    flags = nonzero_flags(tangents)
    loop = derived(
        primitive.body,
        ("scan_jvp", *signature(primitive, flags)),
        lambda: _scan_jvp(primitive, flags),
    )
    operands = dual_groups(
        ScanOperands(loop.captured), primitive.operand_groups, primals, tangents, loop.nonzero
    )
    outputs = bind(primitive.with_body(loop.body, operands), *map(materialise, operands.flat()))
    ordered, count = [outputs[place] for place in loop.places], len(loop.returned)
    return ordered[:count], with_zeros(ordered[count:], loop.returned, _result_types(primitive))


def _scan_jvp(scan: Scan, flags: Flags) -> _JvpScan:
    (nonzero,) = forward(
        scan.flows(), flags, lambda body, given: jvp_program(body, given).nonzero, or_
    ).parameters
    jvp = jvp_program(scan.body, nonzero, _tangents_of_carry(scan, nonzero))
    captured, nothing = ScanOperands(range(len(jvp.captured))), ScanResults(range(0))
    parameters = dual_places(captured, scan.operand_groups, nonzero)
    results = dual_places(nothing, scan.result_groups, jvp.nonzero).flat()
    body = rearranged(jvp.program, parameters.flat(), results)
    places = tuple(sorted(range(len(results)), key=results.__getitem__))
    return _JvpScan(body, jvp.captured, nonzero, jvp.nonzero, places)


# --- linearize -------------------------------------------------------------------------------------


@final
@frozen(eq=False)
class LinearizedScan:
    """A scan in two, with what is the same in every iteration taken out.

    `before` runs once, on `captured` and the constants. The known body's constants are `captured`, the constants,
    and the results of `before`. The linear body takes residuals, and tangents of the operands that `nonzero` marks.
    A residual is a literal, or the place of a value among the constants of the known loop, its xs and its results.
    """

    before: Program
    known: Program
    captured: tuple[Operand, ...]
    linear: Program
    residuals: ScanOperands[int | Literal]
    nonzero: Flags  # per operand: whether it has a tangent in some iteration
    returned: Flags  # per result


@linearize_rule(Scan)
def scan_linearize(primitive: Scan, primals: Operands, nonzero: Sequence[bool], /) -> Linearization:
    """The known loop now, stacking residuals; the linear loop over them for later."""
    results, split, residuals = run_known(primitive, primals, tuple(nonzero))
    types = _result_types(primitive)

    def linear(tangents: Tangents) -> Tangents:
        if not any(split.returned):
            return with_zeros((), split.returned, types)
        operands = linear_operands(primitive, split, residuals, tangents)
        scan = primitive.with_body(split.linear, operands)
        returned = bind(scan, *map(materialise, operands.flat()))
        return with_zeros(returned, split.returned, types)

    return results, linear


def run_known(
    scan: Scan, primals: Operands, flags: Flags
) -> tuple[Operands, LinearizedScan, ScanOperands[Operand]]:
    """Run the known half of a loop. Return its results, both halves, and the residuals for the linear one."""
    split = derived(
        scan.body,
        ("scan_linearize", *signature(scan, flags)),
        lambda: _linearize_scan(scan, flags),
    )
    given, carry, xs = ScanOperands(split.captured).joined(scan.operand_groups(primals))
    consts = [*given, *interpret(split.before, *given)]
    operands = ScanOperands(consts, carry, xs)
    outputs = bind(scan.with_body(split.known, operands), *operands.flat())
    available = [*consts, *xs, *outputs]
    fixed, _, stacked = [
        [x if isinstance(x, Literal) else available[x] for x in group] for group in split.residuals
    ]
    return outputs[: len(scan.body.results)], split, ScanOperands(fixed, xs=stacked)


def linear_operands(
    scan: Scan, split: LinearizedScan, residuals: ScanOperands[Any], tangents: Sequence[Any]
) -> ScanOperands[Any]:
    """Return the operands of the linear half: in each group residuals, then tangents."""
    groups = scan.operand_groups
    return residuals.joined(groups(tangents).where(groups(split.nonzero)))


def _linearize_scan(scan: Scan, flags: Flags) -> LinearizedScan:
    none = [False] * len(scan.body.results)
    (nonzero,) = forward(
        scan.flows(), flags, lambda body, given: linearize_program(body, given, none).nonzero, or_
    ).parameters
    split = linearize_program(scan.body, nonzero, _tangents_of_carry(scan, nonzero))
    known, captured, count = split.known, len(split.captured), len(scan.body.results)
    parameters = ScanOperands(known.parameters[:captured]).joined(
        scan.operand_groups(known.parameters[captured:])
    )
    results, residuals = known.results[:count], known.results[count:]
    before, computed = hoisted(known, parameters.consts, residuals)
    consts = [*parameters.consts, *computed]
    available = [*enumerate([*consts, *parameters.xs, *results])]
    first = len(available) - count
    # The carry after the last iteration is not the value that an iteration has.
    place = {atom: i for i, atom in [*available[first + scan.carries :], *available[:first]]}
    sources: list[int | Literal] = []
    stacked: list[Atom] = []
    for atom in residuals:
        if isinstance(atom, Literal):
            sources.append(atom)
        elif atom in place:
            sources.append(place[atom])
        else:
            sources.append(len(available) + len(stacked))
            stacked.append(atom)
    is_fixed = [isinstance(source, Literal) or source < len(consts) for source in sources]

    def residual_groups(items: Sequence[T]) -> ScanOperands[T]:
        moving = [not flag for flag in is_fixed]
        return ScanOperands(those(items, is_fixed), xs=those(items, moving))

    made_before = set(computed)
    known_body = Program(
        (*consts, *parameters.carry, *parameters.xs),
        tuple([e for e in known.equations if made_before.isdisjoint(e.results)]),
        (*results, *stacked),
    )
    # The linear body's parameters are residuals, then tangents; a scan wants constants, carry, xs.
    tangents = tangent_places(nonzero, split.residuals)
    order = residual_groups(range(split.residuals)).joined(
        scan.operand_groups(tangents).where(scan.operand_groups(nonzero))
    )
    return LinearizedScan(
        before,
        prune(known_body),
        split.captured,
        rearranged(split.linear, order.flat(), range(len(split.linear.results))),
        residual_groups(sources),
        nonzero,
        split.nonzero,
    )
