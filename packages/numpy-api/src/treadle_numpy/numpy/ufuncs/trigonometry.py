"""Trigonometry."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.errors import alias
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.numpy.ufuncs.making import binary, unary
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand, without_weak_arrays
from treadle_numpy.operands.scalars import number

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "rad2deg",
    "radians",
    "sin",
    "sinh",
    "tan",
    "tanh",
]


def _complex_atan2(y: Operand, x: Operand) -> Array:
    """Compute `-i log((x + i y) / sqrt(x^2 + y^2))`, which is the angle where both are real."""
    i = number(1j, x)
    size = ops.sqrt(ops.add(ops.square(x), ops.square(y)))
    turned = ops.log(ops.divide(ops.add(x, ops.multiply(i, y)), size))
    return ops.negate(ops.multiply(i, turned))


arctan2 = binary(
    "arctan2",
    primitives.Atan2(),
    "The angle of the point (x2, x1), in (-pi, pi].",
    'print(f"{float(arctan2(1.0, 1.0)):.4f}")\n        0.7854',
    inexact=True,
    by_parts=_complex_atan2,
)
atan2 = alias(arctan2, "atan2")
sin = unary(
    "sin", primitives.Sine(), "The sine of an angle in radians.", "print(sin(0.0))\n        0.0"
)
cos = unary(
    "cos", primitives.Cosine(), "The cosine of an angle in radians.", "print(cos(0.0))\n        1.0"
)
tan = unary(
    "tan", primitives.Tan(), "The tangent of an angle in radians.", "print(tan(0.0))\n        0.0"
)
arcsin = unary(
    "arcsin", primitives.Asin(), "The angle with this sine.", "print(arcsin(0.0))\n        0.0"
)
arccos = unary(
    "arccos", primitives.Acos(), "The angle with this cosine.", "print(arccos(1.0))\n        0.0"
)
arctan = unary(
    "arctan", primitives.Atan(), "The angle with this tangent.", "print(arctan(0.0))\n        0.0"
)
sinh = unary("sinh", primitives.Sinh(), "The hyperbolic sine.", "print(sinh(0.0))\n        0.0")
cosh = unary("cosh", primitives.Cosh(), "The hyperbolic cosine.", "print(cosh(0.0))\n        1.0")
tanh = unary("tanh", primitives.Tanh(), "The hyperbolic tangent.", "print(tanh(0.0))\n        0.0")
arcsinh = unary(
    "arcsinh",
    primitives.Asinh(),
    "The inverse hyperbolic sine.",
    "print(arcsinh(0.0))\n        0.0",
)
arccosh = unary(
    "arccosh",
    primitives.Acosh(),
    "The inverse hyperbolic cosine.",
    "print(arccosh(1.0))\n        0.0",
)
arctanh = unary(
    "arctanh",
    primitives.Atanh(),
    "The inverse hyperbolic tangent.",
    "print(arctanh(0.0))\n        0.0",
)
asin = alias(arcsin, "asin")
acos = alias(arccos, "acos")
atan = alias(arctan, "atan")
asinh = alias(arcsinh, "asinh")
acosh = alias(arccosh, "acosh")
atanh = alias(arctanh, "atanh")


@composed
def deg2rad(x: ArrayLike, /) -> Array:
    """Degrees as radians; integers become floats.

    Example:
        >>> print(f"{float(deg2rad(180)):.4f}")
        3.1416
    """
    operand = without_weak_arrays(inexact_operand("deg2rad", x))
    return ops.multiply(operand, number(np.pi / 180, operand))


@composed
def rad2deg(x: ArrayLike, /) -> Array:
    """Radians as degrees; integers become floats.

    Example:
        >>> print(f"{float(rad2deg(np.pi)):.3f}")
        180.000
    """
    operand = without_weak_arrays(inexact_operand("rad2deg", x))
    return ops.multiply(operand, number(180 / np.pi, operand))


radians = alias(deg2rad, "radians")
degrees = alias(rad2deg, "degrees")
