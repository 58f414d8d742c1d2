"""Spherical harmonics."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from treadle_ir import Array, DTypeError, Literal, Operand, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import integer, refused
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import literal, zero_like

__all__ = ["sph_harm_y"]

_MOST: Final = 1 << 12  # degrees: each is some operations of their own


@composed
def sph_harm_y(
    n: ArrayLike,
    m: ArrayLike,
    theta: ArrayLike,
    phi: ArrayLike,
    diff_n: int | None = None,
    n_max: int | None = None,
) -> Array:
    """Return the spherical harmonic of degree `n` and order `m`, at polar angle `theta` and azimuth `phi`; complex.

    All four broadcast. `n_max` is the greatest degree; it has to be given where `n` is traced. 0 where `abs(m) > n`.

    Raises:
        DTypeError: `n` or `m` is not of integer type.
        UnsupportedError: `diff_n` is given.

    Source: DLMF 14.30.1; the recurrence 14.10.3 over the degree, normalised.

    Example:
        >>> print(f"{complex(sph_harm_y(1, 0, 0.0, 0.0)):.4f}")
        0.4886+0.0000j
    """
    if diff_n is not None:
        raise UnsupportedError("sph_harm_y: diff_n is not supported", fix="use `treadle.grad`")
    degree, order = coerce("sph_harm_y", 0, n), coerce("sph_harm_y", 1, m)
    for name, operand in (("n", degree), ("m", order)):
        type = operand_type(operand)
        if not is_integer(type.dtype):
            raise DTypeError(
                f"sph_harm_y: {name} has type {type}, but degrees and orders are integers",
                fix="pass integers",
            )
    most = integer(
        "sph_harm_y",
        "n_max",
        int(np.max(np.asarray(_elements(degree)), initial=0)) if n_max is None else n_max,
    )
    if not 0 <= most <= _MOST:
        raise refused("sph_harm_y", "n_max", f"0 to {_MOST}", most)
    polar, azimuth = promote("sph_harm_y", theta, phi, inexact=True)
    degree, order = [converted(x, polar.dtype) for x in (degree, order)]
    degree, order, polar, azimuth = broadcast("sph_harm_y", [degree, order, polar, azimuth])
    size = ops.abs(order)
    legendre = _legendre(degree, size, polar, most)
    angle = ops.multiply(size, azimuth)
    # Y(n, -m) = (-1)^m conj(Y(n, m))
    negative = ops.compare(order, zero_like(order), direction="lt")
    half = ops.multiply(size, literal(0.5, size))
    odd = ops.compare(ops.floor(half), half, direction="ne")
    flipped = ops.and_(negative, odd)
    legendre = ops.select(flipped, ops.negate(legendre), legendre)
    sine = ops.multiply(legendre, ops.sine(angle))
    imaginary = ops.select(negative, ops.negate(sine), sine)
    return ops.complex(ops.multiply(legendre, ops.cosine(angle)), imaginary)


def _legendre(n: Operand, m: Operand, theta: Operand, most: int) -> Array:
    """Return the associated Legendre function of cos(theta), normalised for harmonics; m >= 0."""
    one = literal(1, theta)
    x, sine = ops.cosine(theta), ops.sine(theta)
    zero = ops.multiply(zero_like(x), ops.add(ops.add(n, m), x))
    diagonal: Operand = ops.add(zero, literal(1 / math.sqrt(4 * math.pi), theta))
    before: Operand = zero
    value: Operand = zero
    found: Operand = zero
    square = ops.square(m)
    for degree in range(most + 1):
        if degree:
            factor = ops.multiply(literal(-math.sqrt((2 * degree + 1) / (2 * degree)), x), sine)
            rising = ops.compare(m, literal(degree, m), direction="ge")
            diagonal = ops.multiply(diagonal, ops.select(rising, factor, one))
        above = ops.compare(m, literal(degree, m), direction="lt")
        lower = ops.subtract(literal((degree - 1) ** 2, m), square)
        upper = ops.select(above, ops.subtract(literal(degree**2, m), square), one)
        scale = ops.sqrt(ops.divide(literal(max(4 * degree**2 - 1, 1), m), upper))
        inner = ops.select(above, lower, zero_like(lower))
        ratio = ops.divide(inner, literal(max(4 * (degree - 1) ** 2 - 1, 1), m))
        # the root of a constant: its slope at 0 would be infinite
        back = ops.stop_gradient(ops.sqrt(ratio))
        following = ops.multiply(
            ops.stop_gradient(scale),
            ops.subtract(ops.multiply(x, value), ops.multiply(back, before)),
        )
        here = ops.compare(m, literal(degree, m), direction="eq")
        start = ops.select(here, diagonal, zero)
        before, value = value, ops.select(above, following, start)
        wanted = ops.compare(n, literal(degree, n), direction="eq")
        found = ops.select(wanted, value, found)
    return array_of(found)


def _elements(n: Operand) -> object:
    return n.value if isinstance(n, Literal) else n
