"""Special functions that are computed by formulas: one formula each is the reference and the lowering.

`treadle_ir.formulas` documents their accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, final

from treadle_ir.core.families import Elementwise
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.primitives.elementwise.families import (
    Binary,
    Several,
    Unary,
    check_kind,
    common_type,
)
from treadle_ir.primitives.elementwise.operations import Op, declare
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

OPERATIONS: Final = declare(
    __name__,
    Op(
        "bessel_i0e",
        Unary,
        "f",
        "`exp(-|x|)` times the modified Bessel function of the first kind and order 0.",
    ),
    Op(
        "bessel_i1e",
        Unary,
        "f",
        "`exp(-|x|)` times the modified Bessel function of the first kind and order 1.",
    ),
    Op(
        "cosine_integral",
        Unary,
        "f",
        "`gamma + log(x)` and the integral of `(cos(t) - 1) / t` from 0 to `x`.",
    ),
    Op("dawson", Unary, "f", "`exp(-x^2)` times the integral of `exp(t^2)` from 0 to `x`."),
    Op("erfc_inv", Unary, "f", "The inverse of `erfc`."),
    Op("erfcx", Unary, "f", "`exp(x^2) erfc(x)`."),
    Op("expi", Unary, "f", "The principal value of the integral of `exp(t) / t` up to `x`."),
    Op("fresnel_cosine", Unary, "f", "The integral of `cos(pi t^2 / 2)` from 0 to `x`."),
    Op("fresnel_sine", Unary, "f", "The integral of `sin(pi t^2 / 2)` from 0 to `x`."),
    Op("sine_integral", Unary, "f", "The integral of `sin(t) / t` from 0 to `x`."),
    Op("spence", Unary, "f", "The dilogarithm of `1 - x`."),
    Op(
        "expn",
        Binary,
        "f",
        "The integral of `exp(-x t) / t^n` for `t` from 1, for whole `n >= 0`.",
        operands=("n", "x"),
    ),
    Op(
        "igamma",
        Binary,
        "f",
        "The regularised lower incomplete gamma function of `a` and `x`.",
        operands=("a", "x"),
    ),
    Op("igamma_grad_a", Binary, "f", "The derivative of `igamma` by `a`.", operands=("a", "x")),
    Op(
        "igammac",
        Binary,
        "f",
        "The regularised upper incomplete gamma function of `a` and `x`: `1 - igamma(a, x)`, without the cancellation.",
        operands=("a", "x"),
    ),
    Op(
        "owens_t",
        Binary,
        "f",
        "The probability that X > h and 0 < Y < a X, for independent normal X and Y.",
        operands=("h", "a"),
    ),
    Op(
        "polygamma",
        Binary,
        "f",
        "The derivative of whole order `n` of `digamma`, at `x`.",
        operands=("n", "x"),
    ),
    Op(
        "random_gamma_grad",
        Binary,
        "f",
        "The derivative of a sample `x` of the gamma distribution of shape `a` with respect to `a`.",
        operands=("a", "x"),
    ),
    Op(
        "zeta",
        Binary,
        "f",
        "The Hurwitz zeta function: the sum of `(q + k) ** -s` over whole `k >= 0`.",
        operands=("s", "q"),
    ),
    Op(
        "hyp1f1",
        Several,
        "f",
        "Kummer's hypergeometric function of `x`, with parameters `a` and `b`.",
        operands=("a", "b", "x"),
    ),
    Op(
        "hyp2f1",
        Several,
        "f",
        "Gauss' hypergeometric function of `x <= 1`, with parameters `a`, `b` and `c`.",
        operands=("a", "b", "c", "x"),
    ),
    Op(
        "regularized_incomplete_beta",
        Several,
        "f",
        "The regularised incomplete beta function of `a`, `b` and `x`.",
        operands=("a", "b", "x"),
    ),
)

WITH_FORMULA: Final[Mapping[type[Elementwise], int]] = {
    primitive: len(row.parameters) for primitive, row in OPERATIONS.items()
}
"""The functions that have a formula, with the number of their operands."""
_COUNTS: Final = {primitive.name: count for primitive, count in WITH_FORMULA.items()}


@register
@final
@frozen
class FormulaDerivative(Elementwise):
    """A derivative of one of these functions, by differentiating its formula step by step.

    `function` is the name of a primitive; `orders` are the orders of the derivative by each operand.

    Constraints:
        (C1) function is the name of a primitive that has a formula for this number of operands
        (C2) orders are not negative
    """

    name: ClassVar[str] = "formula_derivative"
    function: str
    orders: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type that the operands share."""
        if _COUNTS.get(self.function) != len(operands) or len(self.orders) != len(operands):  # C1
            raise ArgumentError(
                f"formula_derivative: {self.function} has no formula for {len(operands)} operands and "
                f"{len(self.orders)} orders"
            )
        if min(self.orders) < 0:  # C2
            raise ArgumentError(f"formula_derivative: orders are {self.orders}, but not negative")
        type = common_type(self.function, operands)
        check_kind(self.function, "f", type.dtype)
        return (type,)


def formula_derivative(*operands: Operand, function: str, orders: tuple[int, ...]) -> Array:
    """Return a derivative of one of these functions, of the given orders by its operands."""
    return bind(FormulaDerivative(function, orders), *operands)[0]
