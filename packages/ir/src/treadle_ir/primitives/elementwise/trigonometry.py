"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.array import Array, Operand
from treadle_ir.primitive import Attributeless
from treadle_ir.primitives.elementwise.families import Binary, Unary
from treadle_ir.registry import register
from treadle_ir.trace import bind


@register
@final
class Acos(Attributeless, Unary):
    """Inverse cosine."""

    __slots__ = ()
    name: ClassVar[str] = "acos"
    kinds: ClassVar[str] = "fc"


@register
@final
class Acosh(Attributeless, Unary):
    """Inverse hyperbolic cosine."""

    __slots__ = ()
    name: ClassVar[str] = "acosh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Asin(Attributeless, Unary):
    """Inverse sine."""

    __slots__ = ()
    name: ClassVar[str] = "asin"
    kinds: ClassVar[str] = "fc"


@register
@final
class Asinh(Attributeless, Unary):
    """Inverse hyperbolic sine."""

    __slots__ = ()
    name: ClassVar[str] = "asinh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Atan(Attributeless, Unary):
    """Inverse tangent."""

    __slots__ = ()
    name: ClassVar[str] = "atan"
    kinds: ClassVar[str] = "fc"


@register
@final
class Atanh(Attributeless, Unary):
    """Inverse hyperbolic tangent."""

    __slots__ = ()
    name: ClassVar[str] = "atanh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Cosh(Attributeless, Unary):
    """Hyperbolic cosine."""

    __slots__ = ()
    name: ClassVar[str] = "cosh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Cosine(Attributeless, Unary):
    """Cosine of an angle in radians."""

    __slots__ = ()
    name: ClassVar[str] = "cosine"
    kinds: ClassVar[str] = "fc"


@register
@final
class Sine(Attributeless, Unary):
    """Sine of an angle in radians."""

    __slots__ = ()
    name: ClassVar[str] = "sine"
    kinds: ClassVar[str] = "fc"


@register
@final
class Sinh(Attributeless, Unary):
    """Hyperbolic sine."""

    __slots__ = ()
    name: ClassVar[str] = "sinh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Tan(Attributeless, Unary):
    """Tangent of an angle in radians."""

    __slots__ = ()
    name: ClassVar[str] = "tan"
    kinds: ClassVar[str] = "fc"


@register
@final
class Tanh(Attributeless, Unary):
    """Hyperbolic tangent."""

    __slots__ = ()
    name: ClassVar[str] = "tanh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Atan2(Attributeless, Binary):
    """The angle of the point (y, x): `atan2(y, x)` in (-pi, pi]."""

    __slots__ = ()
    name: ClassVar[str] = "atan2"
    kinds: ClassVar[str] = "f"


_ACOS: Final = Acos()


def acos(x: Operand) -> Array:
    """Inverse cosine."""
    return bind(_ACOS, x)[0]


_ACOSH: Final = Acosh()


def acosh(x: Operand) -> Array:
    """Inverse hyperbolic cosine."""
    return bind(_ACOSH, x)[0]


_ASIN: Final = Asin()


def asin(x: Operand) -> Array:
    """Inverse sine."""
    return bind(_ASIN, x)[0]


_ASINH: Final = Asinh()


def asinh(x: Operand) -> Array:
    """Inverse hyperbolic sine."""
    return bind(_ASINH, x)[0]


_ATAN: Final = Atan()


def atan(x: Operand) -> Array:
    """Inverse tangent."""
    return bind(_ATAN, x)[0]


_ATANH: Final = Atanh()


def atanh(x: Operand) -> Array:
    """Inverse hyperbolic tangent."""
    return bind(_ATANH, x)[0]


_COSH: Final = Cosh()


def cosh(x: Operand) -> Array:
    """Hyperbolic cosine."""
    return bind(_COSH, x)[0]


_COSINE: Final = Cosine()


def cosine(x: Operand) -> Array:
    """Cosine of an angle in radians."""
    return bind(_COSINE, x)[0]


_SINE: Final = Sine()


def sine(x: Operand) -> Array:
    """Sine of an angle in radians."""
    return bind(_SINE, x)[0]


_SINH: Final = Sinh()


def sinh(x: Operand) -> Array:
    """Hyperbolic sine."""
    return bind(_SINH, x)[0]


_TAN: Final = Tan()


def tan(x: Operand) -> Array:
    """Tangent of an angle in radians."""
    return bind(_TAN, x)[0]


_TANH: Final = Tanh()


def tanh(x: Operand) -> Array:
    """Hyperbolic tangent."""
    return bind(_TANH, x)[0]


_ATAN2: Final = Atan2()


def atan2(y: Operand, x: Operand) -> Array:
    """The angle of the point (y, x): `atan2(y, x)` in (-pi, pi]."""
    return bind(_ATAN2, y, x)[0]
