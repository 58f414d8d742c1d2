"""Exponentials, logarithms, and the special functions that are made of them."""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.array import Array, Operand
from treadle_ir.primitive import Attributeless
from treadle_ir.primitives.elementwise.families import Unary
from treadle_ir.registry import register
from treadle_ir.trace import bind


@register
@final
class Digamma(Attributeless, Unary):
    """The derivative of `lgamma`.

    It is -inf at 0 of either sign, and NaN at negative whole numbers.
    """

    __slots__ = ()
    name: ClassVar[str] = "digamma"
    kinds: ClassVar[str] = "f"


@register
@final
class Erf(Attributeless, Unary):
    """The error function."""

    __slots__ = ()
    name: ClassVar[str] = "erf"
    kinds: ClassVar[str] = "f"


@register
@final
class ErfInv(Attributeless, Unary):
    """The inverse of `erf`."""

    __slots__ = ()
    name: ClassVar[str] = "erf_inv"
    kinds: ClassVar[str] = "f"


@register
@final
class Erfc(Attributeless, Unary):
    """`1 - erf(x)`, without the cancellation."""

    __slots__ = ()
    name: ClassVar[str] = "erfc"
    kinds: ClassVar[str] = "f"


@register
@final
class Exponential(Attributeless, Unary):
    """`e ** x`."""

    __slots__ = ()
    name: ClassVar[str] = "exponential"
    kinds: ClassVar[str] = "fc"


@register
@final
class Exponential2(Attributeless, Unary):
    """`2 ** x`."""

    __slots__ = ()
    name: ClassVar[str] = "exponential2"
    kinds: ClassVar[str] = "fc"


@register
@final
class ExponentialMinusOne(Attributeless, Unary):
    """`e ** x - 1`, without the cancellation near 0."""

    __slots__ = ()
    name: ClassVar[str] = "exponential_minus_one"
    kinds: ClassVar[str] = "fc"


@register
@final
class Lgamma(Attributeless, Unary):
    """The logarithm of the gamma function's absolute value."""

    __slots__ = ()
    name: ClassVar[str] = "lgamma"
    kinds: ClassVar[str] = "f"


@register
@final
class Log(Attributeless, Unary):
    """Natural logarithm."""

    __slots__ = ()
    name: ClassVar[str] = "log"
    kinds: ClassVar[str] = "fc"


@register
@final
class LogPlusOne(Attributeless, Unary):
    """`log(1 + x)`, without the cancellation near 0."""

    __slots__ = ()
    name: ClassVar[str] = "log_plus_one"
    kinds: ClassVar[str] = "fc"


@register
@final
class Logistic(Attributeless, Unary):
    """`1 / (1 + e ** -x)`."""

    __slots__ = ()
    name: ClassVar[str] = "logistic"
    kinds: ClassVar[str] = "fc"


_DIGAMMA: Final = Digamma()


def digamma(x: Operand) -> Array:
    """The derivative of `lgamma`."""
    return bind(_DIGAMMA, x)[0]


_ERF: Final = Erf()


def erf(x: Operand) -> Array:
    """The error function."""
    return bind(_ERF, x)[0]


_ERF_INV: Final = ErfInv()


def erf_inv(x: Operand) -> Array:
    """The inverse of `erf`."""
    return bind(_ERF_INV, x)[0]


_ERFC: Final = Erfc()


def erfc(x: Operand) -> Array:
    """`1 - erf(x)`, without the cancellation."""
    return bind(_ERFC, x)[0]


_EXPONENTIAL: Final = Exponential()


def exponential(x: Operand) -> Array:
    """`e ** x`."""
    return bind(_EXPONENTIAL, x)[0]


_EXPONENTIAL2: Final = Exponential2()


def exponential2(x: Operand) -> Array:
    """`2 ** x`."""
    return bind(_EXPONENTIAL2, x)[0]


_EXPONENTIAL_MINUS_ONE: Final = ExponentialMinusOne()


def exponential_minus_one(x: Operand) -> Array:
    """`e ** x - 1`, without the cancellation near 0."""
    return bind(_EXPONENTIAL_MINUS_ONE, x)[0]


_LGAMMA: Final = Lgamma()


def lgamma(x: Operand) -> Array:
    """The logarithm of the gamma function's absolute value."""
    return bind(_LGAMMA, x)[0]


_LOG: Final = Log()


def log(x: Operand) -> Array:
    """Natural logarithm."""
    return bind(_LOG, x)[0]


_LOG_PLUS_ONE: Final = LogPlusOne()


def log_plus_one(x: Operand) -> Array:
    """`log(1 + x)`, without the cancellation near 0."""
    return bind(_LOG_PLUS_ONE, x)[0]


_LOGISTIC: Final = Logistic()


def logistic(x: Operand) -> Array:
    """`1 / (1 + e ** -x)`."""
    return bind(_LOGISTIC, x)[0]
