"""Gauss' hypergeometric function of a few elements, by its series as a matrix: one row of terms for each element.

SciPy's function loses all digits for some parameters from 13 on, and the reference, which adds one term at a time to
all elements, takes up to 200 ms.

Source: DLMF 15.2.1, 15.8.1.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from treadle_runtime.arrays.array import Elements

_MOST: Final = 64  # elements
_COUNTS: Final = (48, 192, 1024)  # numbers of terms, which are tried in turn
_REST: Final = 1e-11  # omitted part of the sum: far below the rounding of float32


def hyp2f1(a: Elements, b: Elements, c: Elements, x: Elements) -> Elements:
    """Return F(a, b; c; x) = (1 - x)^-a F(a, c - b; c; x / (x - 1)), by the side whose terms are not negative.

    Args:
        a: positive parameters.
        b: positive parameters.
        c: positive parameters, not less than `b` where `x` is negative.
        x: numbers less than one.

    Returns:
        The values in the operands' common shape, with an error below the rounding of float32; NaN if there are too many
        elements, or if one of them needs too many terms.
    """
    shape = np.broadcast_shapes(a.shape, b.shape, c.shape, x.shape)
    a, b, c, x = [np.broadcast_to(each, shape).reshape(-1, 1) for each in (a, b, c, x)]
    negative = x < 0.0
    second = np.where(negative, c - b, b)
    z = np.where(negative, x / (x - 1.0), x)
    for count in _COUNTS if math.prod(shape) <= _MOST else ():
        k = np.arange(float(count))
        ratios = (a + k) * (second + k) / ((c + k) * (k + 1.0)) * z
        terms = np.multiply.accumulate(ratios, axis=1)
        total = 1.0 + np.add.reduce(terms, axis=1, keepdims=True)
        last = ratios[:, -1:]
        # the omitted terms are at most a geometric series
        if ((last < 1.0) & (terms[:, -1:] * last < _REST * total * (1.0 - last))).all():
            value: Elements = total * np.where(negative, 1.0 - x, 1.0) ** -a
            return value.reshape(shape)
    return np.full(shape, math.nan)
