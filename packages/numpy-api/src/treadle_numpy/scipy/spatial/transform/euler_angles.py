"""Angles about axes: quaternions [..., 4] (x, y, z, w) of them, and back.

The way back: Bernardes and Viollet, PLoS ONE 17 (2022) e0276302.
"""

from __future__ import annotations

import functools

import numpy as np

from treadle_ir import ArgumentError, Array
from treadle_ir.errors import names, shown
from treadle_numpy.numpy.manipulation.joining import stack
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.hypotenuse import hypot
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.numpy.ufuncs.trigonometry import arctan2, cos, sin


def product(p: Array, q: Array) -> Array:
    """Return the rotation by q, then by p."""
    a, b, c, d = [p[..., i] for i in range(4)]
    x, y, z, w = [q[..., i] for i in range(4)]
    return stack(
        [
            d * x + a * w + b * z - c * y,
            d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w,
            d * w - a * x - b * y - c * z,
        ],
        -1,
    )


def axes_of(function: str, seq: str, whole: bool) -> tuple[list[int], bool]:
    """Return the axes of a sequence, and whether they turn with the body (upper case).

    Raises:
        ArgumentError: it is not one to three letters, all lower or all upper case, neighbours different.
    """
    names(function, seq=seq)
    letters = seq.lower() if isinstance(seq, str) else ""  # type: ignore[redundant-expr]  # for untyped callers
    right = letters and set(letters) <= set("xyz") and seq in (letters, letters.upper())
    if not right or len(letters) > 3 or (whole and len(letters) != 3):
        count = "three" if whole else "one to three"
        raise ArgumentError(
            f"{function}: seq must be {count} of the letters x, y, z, or of X, Y, Z, got {shown(seq)}"
        )
    if any([letters[i] == letters[i + 1] for i in range(len(letters) - 1)]):
        raise ArgumentError(f"{function}: neighbouring axes must differ, got {shown(seq)}")
    return ["xyz".index(each) for each in letters], seq != letters


def quaternions(angles: Array, axes: list[int], intrinsic: bool) -> Array:
    """Return the quaternions of angles [..., n] about n axes."""
    turns = []
    for i, axis in enumerate(axes):
        half = angles[..., i] / 2
        parts = [half * 0] * 3 + [cos(half)]
        parts[axis] = sin(half)
        turns.append(stack(parts, -1))
    ordered = turns if intrinsic else turns[::-1]
    return functools.reduce(product, ordered)


def angles(q: Array, axes: list[int], intrinsic: bool) -> Array:
    """Angles [..., 3]; the third is 0 where only the sum or difference of first and third is known."""
    i, j, k = axes[::-1] if intrinsic else axes
    symmetric = i == k
    if symmetric:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) // 2
    x, y, z, w = q[..., i], q[..., j], q[..., k] * sign, q[..., 3]
    a, b, c, d = (w, x, y, z) if symmetric else (w - y, x + z, y + w, z - x)
    middle = 2 * arctan2(hypot(c, d), hypot(a, b))
    total, difference = arctan2(b, a), arctan2(d, c)
    few = 1e-7 if q.dtype == np.float64 else 1e-4
    flat, turned = abs(middle) <= few, abs(middle - np.pi) <= few
    first, third = total - difference, total + difference
    if intrinsic:
        first, third = third, first
    first = where(flat, 2 * total, where(turned, 2 * difference * (1 if intrinsic else -1), first))
    third = where(flat | turned, 0, third)
    if not symmetric:
        if intrinsic:
            first = first * sign
        else:
            third = third * sign
        middle = middle - np.pi / 2
    return stack([_wrapped(each) for each in (first, middle, third)], -1)


def _wrapped(x: Array) -> Array:
    """Wrap angles to the range from -pi to pi."""
    x = where(x < -np.pi, x + 2 * np.pi, x)
    return where(x > np.pi, x - 2 * np.pi, x)
