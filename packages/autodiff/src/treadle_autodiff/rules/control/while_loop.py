"""Rules of while: forward mode is one loop over primals and tangents; reverse mode needs a bound of the iterations."""

from __future__ import annotations

from collections.abc import Sequence
from operator import or_
from typing import final

import numpy as np

from treadle_autodiff.programs import jvp_program
from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Linearization,
    LinearOperands,
    jvp_rule,
    linearize_rule,
    transpose_rule,
)
from treadle_autodiff.rules.call import with_zeros
from treadle_autodiff.rules.control.operands import dual_groups, dual_places, nonzero_flags, those
from treadle_autodiff.rules.control.scan import scan_linearize
from treadle_autodiff.tangents import Tangents, Zero, materialise
from treadle_ir import Operand, Operands, Program, bind, ops, stage, type_of
from treadle_ir.analysis import forward
from treadle_ir.core import Flags, WhileOperands, unsharded
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.process import frozen
from treadle_ir.tracing import (
    derived,
    interpret_unchecked as interpret,
    rearranged,
    unused_parameters,
)


@final
@frozen(eq=False)
class _WhileJvp:
    """A while loop over primals and tangents; `captured` goes first among the body's constants."""

    primitive: While
    captured: tuple[Operand, ...]
    nonzero: Flags  # per parameter of the body: whether it has a tangent in some iteration


@jvp_rule(While)
def while_jvp(primitive: While, primals: Operands, tangents: Tangents, /) -> Duals:
    """One loop over primals and tangents; the condition sees the primals only."""
    groups = primitive.operand_groups(nonzero_flags(tangents))
    no_tangent = [False] * primitive.cond_constants
    flags = (*no_tangent, *groups.for_body)
    loop = derived(
        primitive.body,
        (
            "while_jvp",
            primitive.cond,
            primitive.cond_constants,
            primitive.body_constants,
            flags,
            primitive.trip_bound,
        ),
        lambda: _while_jvp(primitive, flags),
    )
    operands = dual_groups(
        WhileOperands(body_consts=loop.captured),
        primitive.operand_groups,
        primals,
        tangents,
        (*no_tangent, *loop.nonzero),
    )
    outputs = bind(loop.primitive, *map(materialise, operands.flat()))
    types = primitive.body.result_types
    carried = primitive.body_groups(loop.nonzero).carry
    return outputs[: len(types)], with_zeros(outputs[len(types) :], carried, types)


def _while_jvp(loop: While, flags: Flags) -> _WhileJvp:
    cond, body = loop.cond, loop.body

    def tangents(region: Program, given: Flags) -> Sequence[bool]:
        return (False,) if region is cond else jvp_program(region, given).nonzero

    _, nonzero = forward(loop.flows(), flags, tangents, or_).parameters
    carried = loop.body_groups(nonzero).carry
    jvp = jvp_program(body, nonzero, carried)
    captured = WhileOperands(body_consts=range(len(jvp.captured)))
    order = dual_places(captured, loop.body_groups, nonzero)
    results = range(len(jvp.program.results))
    derived_body = rearranged(jvp.program, order.for_body, results)
    unused = unused_parameters(those([type.tangent() for type in body.result_types], carried))
    derived_cond = Program((*cond.parameters, *unused), cond.equations, cond.results)
    operands = WhileOperands(range(loop.cond_constants), order.body_consts, order.carry)
    derived_loop = loop.with_programs(derived_cond, derived_body, operands)
    return _WhileJvp(derived_loop, jvp.captured, nonzero)


@linearize_rule(While)
def while_linearize(
    primitive: While, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """With a trip bound, as a scan. Without, the results now, and for later a loop over both."""
    if primitive.trip_bound is not None:
        bounded = derived(
            primitive.body,
            ("while_bounded", primitive.cond, primitive.cond_constants, primitive.body_constants),
            lambda: _Bounded(_bounded_iteration(primitive)),
        )
        of_cond, of_body, carry = map(len, primitive.operand_groups(primals))
        scan = Scan(bounded.iteration, primitive.trip_bound, of_cond + of_body, carry)
        return scan_linearize(scan, primals, nonzero)

    def linear(tangents: Tangents) -> Tangents:
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
    cond, body = primitive.cond, primitive.body
    # A program of its own: what is cached with `body` must not keep `body` alive.
    go_on = Program(body.parameters, body.equations, body.results)
    unused = unused_parameters(body.parameter_types)
    stay = Program(tuple(unused), (), tuple(primitive.body_groups(unused).carry))

    def iteration(*operands: Operand) -> Operands:
        groups = primitive.operand_groups(operands)
        (holds,) = interpret(cond, *groups.for_cond)
        index = ops.convert(holds, dtype=np.dtype(np.int32))
        return bind(Case((stay, go_on)), index, *groups.for_body)

    types = (*cond.parameter_types[: primitive.cond_constants], *body.parameter_types)
    staged = stage(iteration, *unsharded(types))
    assert not staged.captured, "programs are closed"
    return staged.program


@transpose_rule(While)
def while_transpose(
    primitive: While, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
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
