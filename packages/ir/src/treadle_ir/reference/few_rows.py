"""Elimination and substitution of a few rows, on Python's floats.

Row by row NumPy takes ten calls, however short the rows are: 15 microseconds for each. Results are rounded once, to the
element type, so they are at least as exact as those of arithmetic in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

Elements = np.ndarray[Any, np.dtype[Any]]

MOST: Final = 64  # elements of a matrix: from here on XLA is the quicker one
_MOST_PRODUCTS: Final = 512


def are_few(*matrices: Elements) -> bool:
    """Whether these are single matrices of few real elements, of 32 or 64 bits."""
    return all([x.ndim == 2 and 0 < x.size <= MOST and x.dtype.char in "fd" for x in matrices])


def eliminated(a: Elements) -> list[Elements]:
    """L and U in one matrix, the pivots, and the permutation of rows: `Lu` of a matrix."""
    rows: list[list[float]] = a.tolist()
    count, columns = a.shape
    order, pivots = list(range(count)), []
    for i in range(min(count, columns)):
        sizes = [abs(row[i]) for row in rows[i:]]
        # As of NumPy, the first NaN is the greatest.
        places = [place for place, size in enumerate(sizes) if size != size]
        pivot = i + (places[0] if places else sizes.index(max(sizes)))
        pivots.append(pivot)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        order[i], order[pivot] = order[pivot], order[i]
        upper = rows[i]
        divisor = upper[i] or 1.0
        for row in rows[i + 1 :]:
            factor = row[i] = row[i] / divisor
            for c in range(i + 1, columns):
                row[c] -= factor * upper[c]
    return [
        np.array(rows, a.dtype),
        np.array(pivots, np.int32),
        np.array(order, np.int32),
    ]


def are_few_products(a: Elements, b: Elements) -> bool:
    """Whether substitution has few products to do."""
    return are_few(a, b) and a.shape[0] * b.size <= _MOST_PRODUCTS


def substituted(a: Elements, b: Elements, *, lower: bool, unit_diagonal: bool) -> Elements:
    """The solutions of `a x = b` with a triangular matrix, of which the other triangle is not read."""
    rows: list[list[float]] = a.tolist()
    found: list[list[float]] = b.tolist()
    count = len(rows)
    for i in range(count) if lower else reversed(range(count)):
        coefficients, right = rows[i], found[i]
        for j in range(i) if lower else range(i + 1, count):
            factor = coefficients[j]
            right = [r - factor * x for r, x in zip(right, found[j], strict=True)]
        found[i] = right if unit_diagonal else _divided(right, coefficients[i])
    return np.array(found, b.dtype)


def _divided(row: Sequence[float], divisor: float) -> list[float]:
    if divisor:
        return [x / divisor for x in row]
    # As IEEE 754 says; Python raises.
    infinity = math.copysign(math.inf, divisor)
    return [math.nan if not x or x != x else math.copysign(1, x) * infinity for x in row]


def tridiagonal_solved(
    lower: Elements, diagonal: Elements, upper: Elements, b: Elements
) -> Elements:
    """The solutions of a tridiagonal system, by elimination with row interchanges; NaN for a singular one.

    Source: LAPACK's `gtsv`.
    """
    below, second = lower.tolist(), upper.tolist()
    found: list[list[float]] = b.tolist()
    count = len(second)
    second[-1] = 0.0
    # Of each row the elements from the diagonal on, of which there are three after an interchange.
    rows: list[list[float]] = [[d, u, 0.0] for d, u in zip(diagonal.tolist(), second, strict=True)]
    for i in range(count - 1):
        kept, other = rows[i], [below[i + 1], *rows[i + 1][:2]]
        if abs(other[0]) > abs(kept[0]):
            kept, other = other, kept
            found[i], found[i + 1] = found[i + 1], found[i]
        factor = other[0] / kept[0] if other[0] else 0.0
        rows[i] = kept
        rows[i + 1] = [other[1] - factor * kept[1], other[2] - factor * kept[2], 0.0]
        found[i + 1] = [y - factor * x for x, y in zip(found[i], found[i + 1], strict=True)]
    if any([row[0] == 0 for row in rows]):
        return np.full(b.shape, np.nan, b.dtype)
    for i in reversed(range(count)):
        right = found[i]
        for offset in (1, 2):
            if i + offset < count:
                x = rows[i][offset]
                right = [r - x * y for r, y in zip(right, found[i + offset], strict=True)]
        found[i] = [r / rows[i][0] for r in right]
    return np.array(found, b.dtype)
