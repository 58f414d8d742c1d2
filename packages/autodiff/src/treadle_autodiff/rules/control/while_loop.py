"""Rules of while: forward mode is one loop over primals and tangents; reverse mode needs a bound of the iterations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from treadle_autodiff.programs import jvp_program
from treadle_autodiff.registry import LinearFunction, jvp_rule, linearize_rule, transpose_rule
from treadle_autodiff.rules.call import with_zeros
from treadle_autodiff.rules.control.operands import nonzero_flags, those
from treadle_autodiff.rules.control.scan import scan_linearize
from treadle_autodiff.tangents import Linear, Tangent, Zero, materialise
from treadle_ir import (
    DerivativeError,
    Flags,
    LoopParts,
    Operand,
    Operands,
    Program,
    bind,
    derived,
    frozen,
    interpret_unchecked as interpret,
    ops,
    reached_carries,
    rearranged,
    stage,
    type_of,
    unsharded,
    unused_parameters,
)
from treadle_ir.primitives.control import Case, Scan, While


@final
@frozen(eq=False)
class _WhileJvp:
    """A while loop over primals and tangents; `captured` goes first among the body's constants."""

    primitive: While
    captured: tuple[Operand, ...]
    carried: Flags


@jvp_rule(While)
def while_jvp(
    primitive: While, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """One loop over primals and tangents; the condition sees the primals only."""
    of_cond = primitive.cond_constants
    parts = LoopParts(primitive.body_constants, len(primals) - of_cond - primitive.body_constants)
    flags = nonzero_flags(tangents)[of_cond:]
    loop = derived(
        primitive.body,
        ("while_jvp", primitive.cond, parts, flags, of_cond, primitive.trip_bound),
        lambda: _while_jvp(primitive, parts, flags),
    )
    constants, carries, _ = parts(primals[of_cond:])
    dconstants, dcarries, _ = parts(tangents[of_cond:])
    outputs = bind(
        loop.primitive,
        *primals[:of_cond],
        *loop.captured,
        *constants,
        *those(dconstants, parts(flags)[0]),
        *carries,
        *[materialise(tangent) for tangent in those(dcarries, loop.carried)],
    )
    count = len(carries)
    return outputs[:count], with_zeros(outputs[count:], loop.carried, primitive.body.result_types)


def _while_jvp(primitive: While, parts: LoopParts, flags: Flags) -> _WhileJvp:
    body = primitive.body
    of_constants, of_carries, _ = parts(flags)
    carried = reached_carries(
        lambda carried: jvp_program(body, (*of_constants, *carried)).nonzero,
        of_carries,
    )
    jvp = jvp_program(body, (*of_constants, *carried), carried)
    captured, count = len(jvp.captured), len(body.parameters)
    last = captured + count + sum(of_constants)
    first = captured + parts.constants
    order = [
        *range(first),
        *range(captured + count, last),
        *range(first, captured + count),
        *range(last, len(jvp.program.parameters)),
    ]
    derived = rearranged(jvp.program, order, range(len(jvp.program.results)))
    tangents = unused_parameters(those([type.tangent() for type in body.result_types], carried))
    cond = primitive.cond
    return _WhileJvp(
        While(
            Program((*cond.parameters, *tangents), cond.equations, cond.results),
            derived,
            primitive.cond_constants,
            first + sum(of_constants),
            primitive.trip_bound,
        ),
        jvp.captured,
        carried,
    )


@linearize_rule(While)
def while_linearize(
    primitive: While, primals: Operands, nonzero: Sequence[bool], /
) -> tuple[Operands, LinearFunction]:
    """With a trip bound, as a scan. Without, the results now, and for later a loop over both."""
    if primitive.trip_bound is not None:
        bounded = derived(
            primitive.body,
            ("while_bounded", primitive.cond, primitive.cond_constants, primitive.body_constants),
            lambda: _Bounded(_bounded_iteration(primitive)),
        )
        constants = primitive.cond_constants + primitive.body_constants
        carries = len(primals) - constants
        scan = Scan(bounded.iteration, primitive.trip_bound, constants, carries)
        return scan_linearize(scan, primals, nonzero)

    def linear(tangents: Sequence[Tangent]) -> Sequence[Tangent]:
        known = [
            tangent if flag else Zero(type_of(x).tangent())
            for tangent, x, flag in zip(tangents, primals, nonzero, strict=True)
        ]
        return while_jvp(primitive, primals, known)[1]

    return bind(primitive, *primals), linear


@final
@frozen(eq=False)
class _Bounded:
    iteration: Program
    captured: tuple[Operand, ...] = ()


def _bounded_iteration(primitive: While) -> Program:
    """One iteration of a scan that stands for a while loop: the body if the condition still holds, else nothing."""
    of_cond, of_body = primitive.cond_constants, primitive.body_constants
    cond, body = primitive.cond, primitive.body
    # A program of its own: what is cached with `body` must not keep `body` alive.
    go_on = Program(body.parameters, body.equations, body.results)
    stay_parameters = unused_parameters(body.parameter_types)
    stay = Program(tuple(stay_parameters), (), tuple(stay_parameters[of_body:]))

    def iteration(*operands: Operand) -> Operands:
        carries = operands[of_cond + of_body :]
        (holds,) = interpret(cond, *operands[:of_cond], *carries)
        index = ops.convert(holds, dtype=np.dtype(np.int32))
        return bind(Case((stay, go_on)), index, *operands[of_cond:])

    types = (*cond.parameter_types[:of_cond], *body.parameter_types)
    staged = stage(iteration, *unsharded(types))
    assert not staged.captured, "programs are closed"
    return staged.program


@transpose_rule(While)
def while_transpose(
    primitive: While, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """Impossible: the number of iterations to go back is not known.

    Raises:
        DerivativeError: always.
    """
    raise DerivativeError(
        "reverse-mode differentiation (grad, vjp, jacrev) cannot differentiate a while loop, or a fori_loop whose "
        "bounds are traced: how many intermediate values to keep is not known when the program is made",
        fix="use lax.scan, or lax.fori_loop with Python integers as bounds; or give lax.while_loop `max_steps`; "
        "forward mode (jvp, jacfwd) can differentiate any loop",
    )
