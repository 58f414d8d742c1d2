"""Special functions that are computed by formulas: one formula each is the reference and the lowering.

How exact they are is said in `treadle_ir.formulas`.
"""

from __future__ import annotations

from collections.abc import Mapping
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
class CosineIntegral(Attributeless, Unary):
    """`gamma + log(x)` and the integral of `(cos(t) - 1) / t` from 0 to `x`."""

    __slots__ = ()
    name: ClassVar[str] = "cosine_integral"
    kinds: ClassVar[str] = "f"


@register
@final
class Dawson(Attributeless, Unary):
    """`exp(-x^2)` times the integral of `exp(t^2)` from 0 to `x`."""

    __slots__ = ()
    name: ClassVar[str] = "dawson"
    kinds: ClassVar[str] = "f"


@register
@final
class ErfcInv(Attributeless, Unary):
    """The inverse of `erfc`."""

    __slots__ = ()
    name: ClassVar[str] = "erfc_inv"
    kinds: ClassVar[str] = "f"


@register
@final
class Erfcx(Attributeless, Unary):
    """`exp(x^2) erfc(x)`."""

    __slots__ = ()
    name: ClassVar[str] = "erfcx"
    kinds: ClassVar[str] = "f"


@register
@final
class Expi(Attributeless, Unary):
    """The principal value of the integral of `exp(t) / t` up to `x`."""

    __slots__ = ()
    name: ClassVar[str] = "expi"
    kinds: ClassVar[str] = "f"


@register
@final
class FresnelCosine(Attributeless, Unary):
    """The integral of `cos(pi t^2 / 2)` from 0 to `x`."""

    __slots__ = ()
    name: ClassVar[str] = "fresnel_cosine"
    kinds: ClassVar[str] = "f"


@register
@final
class FresnelSine(Attributeless, Unary):
    """The integral of `sin(pi t^2 / 2)` from 0 to `x`."""

    __slots__ = ()
    name: ClassVar[str] = "fresnel_sine"
    kinds: ClassVar[str] = "f"


@register
@final
class SineIntegral(Attributeless, Unary):
    """The integral of `sin(t) / t` from 0 to `x`."""

    __slots__ = ()
    name: ClassVar[str] = "sine_integral"
    kinds: ClassVar[str] = "f"


@register
@final
class Spence(Attributeless, Unary):
    """The dilogarithm of `1 - x`."""

    __slots__ = ()
    name: ClassVar[str] = "spence"
    kinds: ClassVar[str] = "f"


@register
@final
class Expn(Attributeless, Binary):
    """The integral of `exp(-x t) / t^n` for `t` from 1, for whole `n >= 0`."""

    __slots__ = ()
    name: ClassVar[str] = "expn"
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
class OwensT(Attributeless, Binary):
    """The probability that X > h and 0 < Y < a X, for independent normal X and Y."""

    __slots__ = ()
    name: ClassVar[str] = "owens_t"
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


class Several(Elementwise):
    """Family: three operands or more, floating, of one element type; the result has their type."""

    __slots__ = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The type that the operands share."""
        type = common_type(self.name, operands)
        check_kind(self.name, "f", type.dtype)
        return (type,)


@register
@final
class Hyp1f1(Attributeless, Several):
    """Kummer's hypergeometric function of `x`, with parameters `a` and `b`."""

    __slots__ = ()
    name: ClassVar[str] = "hyp1f1"


@register
@final
class Hyp2f1(Attributeless, Several):
    """Gauss' hypergeometric function of `x <= 1`, with parameters `a`, `b` and `c`."""

    __slots__ = ()
    name: ClassVar[str] = "hyp2f1"


@register
@final
class RegularizedIncompleteBeta(Attributeless, Several):
    """The regularised incomplete beta function of `a`, `b` and `x`."""

    __slots__ = ()
    name: ClassVar[str] = "regularized_incomplete_beta"


# The functions that have a formula, with the number of their operands.
WITH_FORMULA: Final[Mapping[type[Elementwise], int]] = {
    BesselI0e: 1,
    BesselI1e: 1,
    CosineIntegral: 1,
    Dawson: 1,
    ErfcInv: 1,
    Erfcx: 1,
    Expi: 1,
    Expn: 2,
    FresnelCosine: 1,
    FresnelSine: 1,
    Hyp1f1: 3,
    Hyp2f1: 4,
    Igamma: 2,
    IgammaGradA: 2,
    Igammac: 2,
    OwensT: 2,
    Polygamma: 2,
    RandomGammaGrad: 2,
    RegularizedIncompleteBeta: 3,
    SineIntegral: 1,
    Spence: 1,
    Zeta: 2,
}
_COUNTS: Final = {primitive.name: count for primitive, count in WITH_FORMULA.items()}


_BESSEL_I0E: Final = BesselI0e()


def bessel_i0e(x: Operand) -> Array:
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 0."""
    return bind(_BESSEL_I0E, x)[0]


_BESSEL_I1E: Final = BesselI1e()


def bessel_i1e(x: Operand) -> Array:
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 1."""
    return bind(_BESSEL_I1E, x)[0]


_COSINE_INTEGRAL: Final = CosineIntegral()


def cosine_integral(x: Operand) -> Array:
    """`gamma + log(x)` and the integral of `(cos(t) - 1) / t` from 0 to `x`."""
    return bind(_COSINE_INTEGRAL, x)[0]


_DAWSON: Final = Dawson()


def dawson(x: Operand) -> Array:
    """`exp(-x^2)` times the integral of `exp(t^2)` from 0 to `x`."""
    return bind(_DAWSON, x)[0]


_ERFC_INV: Final = ErfcInv()


def erfc_inv(x: Operand) -> Array:
    """The inverse of `erfc`."""
    return bind(_ERFC_INV, x)[0]


_ERFCX: Final = Erfcx()


def erfcx(x: Operand) -> Array:
    """`exp(x^2) erfc(x)`."""
    return bind(_ERFCX, x)[0]


_EXPI: Final = Expi()


def expi(x: Operand) -> Array:
    """The principal value of the integral of `exp(t) / t` up to `x`."""
    return bind(_EXPI, x)[0]


_FRESNEL_COSINE: Final = FresnelCosine()


def fresnel_cosine(x: Operand) -> Array:
    """The integral of `cos(pi t^2 / 2)` from 0 to `x`."""
    return bind(_FRESNEL_COSINE, x)[0]


_FRESNEL_SINE: Final = FresnelSine()


def fresnel_sine(x: Operand) -> Array:
    """The integral of `sin(pi t^2 / 2)` from 0 to `x`."""
    return bind(_FRESNEL_SINE, x)[0]


_SINE_INTEGRAL: Final = SineIntegral()


def sine_integral(x: Operand) -> Array:
    """The integral of `sin(t) / t` from 0 to `x`."""
    return bind(_SINE_INTEGRAL, x)[0]


_SPENCE: Final = Spence()


def spence(x: Operand) -> Array:
    """The dilogarithm of `1 - x`."""
    return bind(_SPENCE, x)[0]


_EXPN: Final = Expn()


def expn(n: Operand, x: Operand) -> Array:
    """The integral of `exp(-x t) / t^n` for `t` from 1, for whole `n >= 0`."""
    return bind(_EXPN, n, x)[0]


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


_OWENS_T: Final = OwensT()


def owens_t(h: Operand, a: Operand) -> Array:
    """The probability that X > h and 0 < Y < a X, for independent normal X and Y."""
    return bind(_OWENS_T, h, a)[0]


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


_HYP1F1: Final = Hyp1f1()


def hyp1f1(a: Operand, b: Operand, x: Operand) -> Array:
    """Kummer's hypergeometric function of `x`, with parameters `a` and `b`."""
    return bind(_HYP1F1, a, b, x)[0]


_HYP2F1: Final = Hyp2f1()


def hyp2f1(a: Operand, b: Operand, c: Operand, x: Operand) -> Array:
    """Gauss' hypergeometric function of `x <= 1`, with parameters `a`, `b` and `c`."""
    return bind(_HYP2F1, a, b, c, x)[0]


_REGULARIZED_INCOMPLETE_BETA: Final = RegularizedIncompleteBeta()


def regularized_incomplete_beta(a: Operand, b: Operand, x: Operand) -> Array:
    """The regularised incomplete beta function of `a`, `b` and `x`."""
    return bind(_REGULARIZED_INCOMPLETE_BETA, a, b, x)[0]


def formula_derivative(*operands: Operand, function: str, orders: tuple[int, ...]) -> Array:
    """A derivative of one of these functions, of such orders by its operands."""
    return bind(FormulaDerivative(function, orders), *operands)[0]
