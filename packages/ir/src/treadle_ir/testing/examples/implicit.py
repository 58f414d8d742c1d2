"""Examples of solutions: equations that are solved exactly, so that finite differences of solutions are derivatives."""

from __future__ import annotations

from typing import Final

from treadle_ir import ops
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.testing.examples import Example, array_type, example
from treadle_ir.tracing.array import Operand
from treadle_ir.tracing.staging import stage


def _scaled(symmetric: bool, *types: str) -> LinearSolve:
    """Return the equation `a * x = b`, element by element."""
    a, b = map(array_type, types)
    return LinearSolve(
        stage(lambda a, x: [ops.multiply(a, x)], a, b).program,
        stage(lambda a, b: [ops.divide(b, a)], a, b).program,
        None if symmetric else stage(lambda a, b: [ops.divide(b, a)], a, b).program,
        constants=1,
        symmetric=symmetric,
    )


def _shear(a: Operand, x: Operand, y: Operand) -> list[Operand]:
    return [ops.add(x, ops.multiply(a, y)), y]


def _sheared_back(a: Operand, u: Operand, v: Operand) -> list[Operand]:
    return [ops.subtract(u, ops.multiply(a, v)), v, ops.exponential(u)]


def _sheared_back_transposed(a: Operand, u: Operand, v: Operand) -> list[Operand]:
    return [u, ops.subtract(v, ops.multiply(a, u))]


_PAIR: Final = [array_type("f64[3]")] * 3
# x + a y = u, y = v, of which the solver tells more than the solution, and the transposed one's does not.
_SHEAR: Final = LinearSolve(
    stage(_shear, *_PAIR).program,
    stage(_sheared_back, *_PAIR).program,
    stage(_sheared_back_transposed, *_PAIR).program,
    constants=1,
)


def _cube_root(kind: str, tells: bool = False) -> Root:
    """Return the root of `x * x * x - c`."""
    of = array_type(kind)

    def solve(c: Operand, guess: Operand) -> list[Operand]:
        return [ops.cbrt(c), ops.subtract(c, guess)] if tells else [ops.cbrt(c)]

    def slope(x: Operand) -> Operand:
        return ops.add(ops.add(ops.multiply(x, x), ops.multiply(x, x)), ops.multiply(x, x))

    return Root(
        stage(lambda c, x: [ops.subtract(ops.multiply(x, ops.multiply(x, x)), c)], of, of).program,
        stage(solve, of, of).program,
        stage(lambda c, x, y: [ops.divide(y, slope(x))], of, of, of).program,
        constants=1,
    )


_POSITIVE: Final = (0.5, 2.0)
EXAMPLES: Final[list[Example]] = [
    example(_scaled(False, "f64[3]", "f64[3]"), "f64[3]", "f64[3]", domain=_POSITIVE),
    example(
        _scaled(True, "f32[2]", "f32[2]"),
        "f32[2]",
        "f32[2]",
        domain=_POSITIVE,
        label="symmetric",
    ),
    example(_scaled(False, "f64[]", "f64[]"), "f64[]", "f64[]", domain=_POSITIVE),
    example(_scaled(False, "f64[0]", "f64[0]"), "f64[0]", "f64[0]", label="empty"),
    example(_scaled(False, "c128[2]", "c128[2]"), "c128[2]", "c128[2]", domain=_POSITIVE),
    # The solver's results other than the solution have no derivatives.
    example(_SHEAR, "f64[3]", "f64[3]", "f64[3]", differentiable=False, label="more results"),
    example(_cube_root("f64[3]"), "f64[3]", "f64[3]", domain=_POSITIVE),
    example(_cube_root("f32[1]"), "f32[1]", "f32[1]", domain=_POSITIVE),
    example(_cube_root("f64[]"), "f64[]", "f64[]", domain=_POSITIVE),
    example(_cube_root("f64[0]"), "f64[0]", "f64[0]", label="empty"),
    example(
        _cube_root("f64[2]", tells=True),
        "f64[2]",
        "f64[2]",
        domain=_POSITIVE,
        differentiable=False,
        label="more results",
    ),
]
