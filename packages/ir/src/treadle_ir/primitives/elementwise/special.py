"""Special functions that are computed by formulas: one formula each is the reference and the lowering.

How exact they are is said in `treadle_ir.formulas`.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.array import Array, Operand
from treadle_ir.errors import ArgumentError
from treadle_ir.families import Elementwise
from treadle_ir.frozen import frozen
from treadle_ir.primitive import Attributeless
from treadle_ir.primitives.elementwise.families import Binary, Unary, check_kind, common_type
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import Type

# Operands of the functions that can be differentiated by their formulas.
COUNTS: Final = {
    "bessel_i0e": 1,
    "bessel_i1e": 1,
    "igamma": 2,
    "igamma_grad_a": 2,
    "igammac": 2,
    "polygamma": 2,
    "random_gamma_grad": 2,
    "regularized_incomplete_beta": 3,
    "zeta": 2,
}


@register
@final
class BesselI0e(Attributeless, Unary):
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 0."""

    __slots__ = ()
    name: ClassVar[str] = "bessel_i0e"
    kinds: ClassVar[str] = "f"


@register
@final
class BesselI1e(Attributeless, Unary):
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 1."""

    __slots__ = ()
    name: ClassVar[str] = "bessel_i1e"
    kinds: ClassVar[str] = "f"


@register
@final
class Igamma(Attributeless, Binary):
    """The regularised lower incomplete gamma function of `a` and `x`."""

    __slots__ = ()
    name: ClassVar[str] = "igamma"
    kinds: ClassVar[str] = "f"


@register
@final
class IgammaGradA(Attributeless, Binary):
    """The derivative of `igamma` by `a`."""

    __slots__ = ()
    name: ClassVar[str] = "igamma_grad_a"
    kinds: ClassVar[str] = "f"


@register
@final
class Igammac(Attributeless, Binary):
    """The regularised upper incomplete gamma function of `a` and `x`: `1 - igamma(a, x)`, without the cancellation."""

    __slots__ = ()
    name: ClassVar[str] = "igammac"
    kinds: ClassVar[str] = "f"


@register
@final
class Polygamma(Attributeless, Binary):
    """The derivative of whole order `n` of `digamma`, at `x`."""

    __slots__ = ()
    name: ClassVar[str] = "polygamma"
    kinds: ClassVar[str] = "f"


@register
@final
class RandomGammaGrad(Attributeless, Binary):
    """How a sample `x` of the gamma distribution of shape `a` changes with `a`."""

    __slots__ = ()
    name: ClassVar[str] = "random_gamma_grad"
    kinds: ClassVar[str] = "f"


@register
@final
class Zeta(Attributeless, Binary):
    """The Hurwitz zeta function: the sum of `(q + k) ** -s` over whole `k >= 0`."""

    __slots__ = ()
    name: ClassVar[str] = "zeta"
    kinds: ClassVar[str] = "f"


@register
@final
@frozen
class FormulaDerivative(Elementwise):
    """A derivative of one of these functions, by the formula that is differentiated step by step.

    `function` is the name of a primitive, `orders` tells how often it is differentiated by each operand.

    Constraints:
        (C1) function is the name of a primitive that has a formula for so many operands
        (C2) orders are whole numbers of 0 or more
    """

    name: ClassVar[str] = "formula_derivative"
    function: str
    orders: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The type that the operands share."""
        if COUNTS.get(self.function) != len(operands) or len(self.orders) != len(operands):  # C1
            raise ArgumentError(
                f"formula_derivative: {self.function} has no formula for {len(operands)} operands and "
                f"{len(self.orders)} orders"
            )
        if min(self.orders) < 0:  # C2
            raise ArgumentError(f"formula_derivative: orders are {self.orders}, but not negative")
        type = common_type(self.function, operands)
        check_kind(self.function, "f", type.dtype)
        return (type,)


@register
@final
class RegularizedIncompleteBeta(Attributeless, Elementwise):
    """The regularised incomplete beta function of `a`, `b` and `x`."""

    __slots__ = ()
    name: ClassVar[str] = "regularized_incomplete_beta"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The type that the operands share."""
        a, b, x = operands
        type = common_type(self.name, (a, b, x))
        check_kind(self.name, "f", type.dtype)
        return (type,)


_BESSEL_I0E: Final = BesselI0e()


def bessel_i0e(x: Operand) -> Array:
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 0."""
    return bind(_BESSEL_I0E, x)[0]


_BESSEL_I1E: Final = BesselI1e()


def bessel_i1e(x: Operand) -> Array:
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 1."""
    return bind(_BESSEL_I1E, x)[0]


_IGAMMA: Final = Igamma()


def igamma(a: Operand, x: Operand) -> Array:
    """The regularised lower incomplete gamma function of `a` and `x`."""
    return bind(_IGAMMA, a, x)[0]


_IGAMMA_GRAD_A: Final = IgammaGradA()


def igamma_grad_a(a: Operand, x: Operand) -> Array:
    """The derivative of `igamma` by `a`."""
    return bind(_IGAMMA_GRAD_A, a, x)[0]


_IGAMMAC: Final = Igammac()


def igammac(a: Operand, x: Operand) -> Array:
    """The regularised upper incomplete gamma function of `a` and `x`: `1 - igamma(a, x)`, without the cancellation."""
    return bind(_IGAMMAC, a, x)[0]


_POLYGAMMA: Final = Polygamma()


def polygamma(n: Operand, x: Operand) -> Array:
    """The derivative of whole order `n` of `digamma`, at `x`."""
    return bind(_POLYGAMMA, n, x)[0]


_RANDOM_GAMMA_GRAD: Final = RandomGammaGrad()


def random_gamma_grad(a: Operand, x: Operand) -> Array:
    """How a sample `x` of the gamma distribution of shape `a` changes with `a`."""
    return bind(_RANDOM_GAMMA_GRAD, a, x)[0]


_ZETA: Final = Zeta()


def zeta(s: Operand, q: Operand) -> Array:
    """The Hurwitz zeta function: the sum of `(q + k) ** -s` over whole `k >= 0`."""
    return bind(_ZETA, s, q)[0]


_REGULARIZED_INCOMPLETE_BETA: Final = RegularizedIncompleteBeta()


def regularized_incomplete_beta(a: Operand, b: Operand, x: Operand) -> Array:
    """The regularised incomplete beta function of `a`, `b` and `x`."""
    return bind(_REGULARIZED_INCOMPLETE_BETA, a, b, x)[0]


def formula_derivative(*operands: Operand, function: str, orders: tuple[int, ...]) -> Array:
    """A derivative of one of these functions, of such orders by its operands."""
    return bind(FormulaDerivative(function, orders), *operands)[0]
