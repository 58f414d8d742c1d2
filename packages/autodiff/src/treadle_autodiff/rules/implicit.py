"""Rules of solutions, by the implicit function theorem: the derivative solves a linear equation.

For A(c) x = b, with constants c:         A dx = db - (dA) x
For f(c, x) = 0, with f's derivatives:    (df/dx) dx = -(df/dc) dc

Right-hand sides are linear in the tangents; so is what solves the equation. The transpose of `x = A^-1 b` solves
with the transpose of A: ct_b = A^-T ct_x.

Source: S. Krantz, H. Parks, The Implicit Function Theorem, 2002; M. Blondel and others, Efficient and Modular
Implicit Differentiation, 2022, section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import final

from treadle_autodiff.linearize import Pushforward, linearize_flat, linearize_leading
from treadle_autodiff.programs import transpose_program
from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Linearization,
    LinearOperands,
    jvp_rule,
    linearize_rule,
    transpose_rule,
    transpose_rules,
)
from treadle_autodiff.rules.control.operands import nonzero_flags
from treadle_autodiff.tangents import (
    Linear,
    Tangent,
    Tangents,
    Zero,
    add,
    materialise,
    tangent_type,
)
from treadle_ir import Operand, Operands, Program, Value, bind, ops, type_of
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.call import CustomJvpCall, Given
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.process import frozen
from treadle_ir.tracing import derived, interpret_unchecked as interpret


def _minus_pushed(derivative: Pushforward | None, tangents: Tangents) -> Tangents:
    """Return minus the tangents of a program's results; no tangents if the derivative is None."""
    if derivative is None:
        return ()
    return [each if isinstance(each, Zero) else ops.negate(each) for each in derivative(tangents)]


# --- linear equations -------------------------------------------------------------------------------


def _solved(primitive: LinearSolve, primals: Operands, flags: Sequence[bool]) -> Linearization:
    constants = primals[: primitive.constants]
    results = bind(primitive, *primals)
    types = [type_of(result).tangent() for result in results]
    x = results[: len(primals) - len(constants)]
    of_map = linearize_leading(primitive.matvec, constants, x, flags[: len(constants)])

    def linear(tangents: Tangents) -> Tangents:
        right: Tangents = [
            tangent if flag else Zero(tangent_type(tangent))
            for tangent, flag in zip(tangents, flags, strict=True)
        ][len(constants) :]
        moved = _minus_pushed(of_map, tangents[: len(constants)])
        if moved:
            right = [add(db, each) for db, each in zip(right, moved, strict=True)]
        zeros = [Zero(type) for type in types]
        if all(isinstance(each, Zero) for each in right):
            return zeros
        solution = bind(primitive, *constants, *[materialise(each) for each in right])
        return [*solution[: len(x)], *zeros[len(x) :]]

    return results, linear


@jvp_rule(LinearSolve)
def linear_solve_jvp(primitive: LinearSolve, primals: Operands, tangents: Tangents, /) -> Duals:
    """The same equation with another right-hand side."""
    results, linear = _solved(primitive, primals, nonzero_flags(tangents))
    return results, linear(tangents)


@linearize_rule(LinearSolve)
def linear_solve_linearize(
    primitive: LinearSolve, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """The solution now, the same equation with another right-hand side later."""
    return _solved(primitive, primals, nonzero)


@final
@frozen(eq=False)
class _Transposed:
    """The transposed equation; `captured` goes first among its constants."""

    primitive: LinearSolve
    captured: tuple[Operand, ...]


@transpose_rule(LinearSolve)
def linear_solve_transpose(
    primitive: LinearSolve, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The transposed equation, with the cotangent of `x` for its right-hand side."""
    known = [x for x in operands[: primitive.constants] if not isinstance(x, Linear)]
    if len(known) != primitive.constants:
        raise transpose_rules.missing(LinearSolve)
    transposed = derived(primitive.matvec, ("solve", primitive), lambda: _transposed(primitive))
    b = operands[primitive.constants :]
    given = [materialise(ct) for ct in cotangents[: len(b)]]
    outgoing = bind(transposed.primitive, *transposed.captured, *known, *given)
    return [
        *(None for _ in known),
        *(ct if isinstance(x, Linear) else None for ct, x in zip(outgoing, b, strict=False)),
    ]


def _transposed(primitive: LinearSolve) -> _Transposed:
    if primitive.symmetric:
        back = primitive.transpose_solve or primitive.solve
        return _Transposed(
            LinearSolve(primitive.matvec, back, primitive.solve, primitive.constants, True), ()
        )
    if primitive.transpose_solve is None:
        raise DerivativeError(
            "custom_linear_solve: reverse mode solves the transposed equation, and there is no transpose_solve",
            fix="give `transpose_solve`, or `symmetric=True` where the map is its own transpose; "
            "forward mode (jvp, jacfwd) needs neither",
        )
    parameters = len(primitive.matvec.parameters)
    linear = [i >= primitive.constants for i in range(parameters)]
    count = parameters - primitive.constants
    matvec = transpose_program(primitive.matvec, linear, [True] * count, instantiate=True)
    extra = len(matvec.captured)
    return _Transposed(
        LinearSolve(
            matvec.program,
            _with_unused(primitive.transpose_solve, matvec.captured),
            _with_unused(primitive.solve, matvec.captured),
            extra + primitive.constants,
        ),
        matvec.captured,
    )


def _with_unused(program: Program, operands: Operands) -> Program:
    """The program with leading parameters for operands that it does not read."""
    leading = [Value(type_of(operand)) for operand in operands]
    if not leading:
        return program
    return Program((*leading, *program.parameters), program.equations, program.results)


# --- roots -------------------------------------------------------------------------------------------


@jvp_rule(Root)
def root_jvp(primitive: Root, primals: Operands, tangents: Tangents, /) -> Duals:
    """Apply `tangent_solve` to the function's derivative by the constants; the guess has no effect."""
    count = primitive.constants
    constants = primals[:count]
    results = bind(primitive, *primals)
    out: list[Tangent] = [Zero(type_of(result).tangent()) for result in results]
    flags = nonzero_flags(tangents)[:count]
    x = results[: len(primals) - count]
    of_function = linearize_leading(primitive.function, constants, x, flags)
    right = _minus_pushed(of_function, tangents[:count])
    if all(isinstance(each, Zero) for each in right):
        return results, out
    given = [materialise(each) for each in right]
    out[: len(x)] = interpret(primitive.tangent_solve, *constants, *x, *given)
    return results, out


@linearize_rule(Root)
def root_linearize(primitive: Root, primals: Operands, nonzero: Sequence[bool], /) -> Linearization:
    """The jvp rule, split in what is known and what is linear: `tangent_solve` does both."""
    places = [i for i, flag in enumerate(nonzero) if flag]

    def all_operands(active: Operands) -> list[Operand]:
        operands = list(primals)
        for place, operand in zip(places, active, strict=True):
            operands[place] = operand
        return operands

    def function(*active: Operand) -> Operands:
        return bind(primitive, *all_operands(active))

    def jvp(active: Operands, given: Given) -> tuple[Operands, Given]:
        tangents: list[Tangent] = [Zero(type_of(primal).tangent()) for primal in primals]
        for place, tangent in zip(places, given, strict=True):
            if tangent is not None:
                tangents[place] = tangent
        results, out = root_jvp(primitive, all_operands(active), tangents)
        return results, [None if isinstance(each, Zero) else each for each in out]

    call = CustomJvpCall("root", function, jvp)
    linearized = linearize_flat(
        partial(bind, call), [primals[place] for place in places], [True] * len(places)
    )

    def linear(tangents: Tangents) -> Tangents:
        return linearized.tangents(*[materialise(tangents[place]) for place in places])

    return linearized.results, linear


transpose_rules.absent(
    Root, because="it is differentiated as the solution of a linear equation, which is transposed"
)
