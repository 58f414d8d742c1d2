"""The recurrence y_k = a_k y_{k-1} + b_k along an axis, in a number of operations that grows with log2 of its size."""

from __future__ import annotations

from typing import Final

from treadle_autodiff.rules.reduce import shift
from treadle_ir import Operand, UnsupportedError, ops, type_of
from treadle_ir.core import is_symbolic

_FEW: Final = 16
"""Sizes up to which every element is updated in every pass: fewer operations, which are smaller than their start."""


def recurrence(a: Operand, b: Operand, axis: int, reverse: bool) -> Operand:
    """The solution with y_{-1} = 0 along an axis (from its end when `reverse`); b enters linearly.

    Steps are affine maps: (a, b) after (a', b') is (a a', a b' + b). The maps of pairs of neighbours make a recurrence
    of half the size, whose solution is every second element; the elements between follow from these in one step.

    Raises:
        UnsupportedError: the axis has a symbolic size.

    Source: G. Blelloch, "Prefix sums and their applications", 1990.
    """
    size = type_of(b).shape[axis]
    if is_symbolic((size,)):
        raise UnsupportedError(
            f"the derivative of a cumulative product or logsumexp takes log2 of a size many passes, but axis {axis} "
            f"of {type_of(b)} is symbolic",
            fix="export the function for a known size of this axis, or take cumsum of logarithms",
        )
    if not reverse:
        return _solved(a, b, axis)
    back_a, back_b = [ops.reverse(x, dimensions=(axis,)) for x in (a, b)]
    return ops.reverse(_solved(back_a, back_b, axis), dimensions=(axis,))


def _solved(a: Operand, b: Operand, axis: int) -> Operand:
    size = type_of(b).shape[axis]
    if size <= _FEW:
        return _in_passes(a, b, axis)
    half = size // 2
    first_a, first_b = [_every_second(x, axis, 0) for x in (a, b)]
    second_a, second_b = [_every_second(x, axis, 1) for x in (a, b)]
    paired_a, paired_b = [_up_to(x, axis, half) for x in (first_a, first_b)]
    steps = ops.add(ops.multiply(second_a, paired_b), second_b)
    second = _solved(ops.multiply(second_a, paired_a), steps, axis)
    before = _padded(second, axis, 1, size % 2 - 1)
    first = ops.add(ops.multiply(first_a, before), first_b)
    return _up_to(_interleaved(first, _padded(second, axis, 0, size % 2), axis), axis, size)


def _in_passes(a: Operand, b: Operand, axis: int) -> Operand:
    """After the pass with distance s, (a_k, b_k) is the composition of 2s steps.

    Source: Hillis and Steele, "Data parallel algorithms", 1986.
    """
    size, distance = type_of(b).shape[axis], 1
    while distance < size:
        b = ops.add(b, ops.multiply(a, shift(b, distance, axis, 0)))
        if 2 * distance < size:
            a = ops.multiply(a, shift(a, distance, axis, 1))
        distance *= 2
    return b


def _every_second(x: Operand, axis: int, first: int) -> Operand:
    shape = type_of(x).shape
    return ops.slice(
        x,
        start=[first if i == axis else 0 for i in range(len(shape))],
        limit=shape,
        strides=[2 if i == axis else 1 for i in range(len(shape))],
    )


def _up_to(x: Operand, axis: int, count: int) -> Operand:
    shape = type_of(x).shape
    if shape[axis] == count:
        return x
    limit = [count if i == axis else n for i, n in enumerate(shape)]
    return ops.slice(x, start=[0] * len(shape), limit=limit)


def _padded(x: Operand, axis: int, low: int, high: int) -> Operand:
    type = type_of(x)
    if not low and not high:
        return x
    lows, highs = [[n if i == axis else 0 for i in range(type.ndim)] for n in (low, high)]
    return ops.pad(x, type.dtype.type(0), low=lows, high=highs)


def _interleaved(x: Operand, y: Operand, axis: int) -> Operand:
    """The elements of two arrays in turns."""
    shape = list(type_of(x).shape)
    each = (*shape[: axis + 1], 1, *shape[axis + 1 :])
    pairs = ops.concatenate([ops.reshape(z, shape=each) for z in (x, y)], dimension=axis + 1)
    shape[axis] *= 2
    return ops.reshape(pairs, shape=shape)
