"""Differences of neighbours, derivatives and integrals made of them: diff, gradient, trapezoid."""

from __future__ import annotations

from typing import Final

from treadle_ir import ArgumentError, Array, Operand, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_bool, is_complex
from treadle_ir.errors import integer, integer_or_none
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import Axis, as_axes, as_axis
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import number, zero_like

__all__ = ["diff", "ediff1d", "gradient", "trapezoid"]


_MOST_DIFFERENCES: Final = 1 << 12  # each is an operation of its own


@composed
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Return the differences of neighbours along an axis, `n` times.

    Raises:
        AxisError: `a` has no such axis.
        ArgumentError: `n` is negative, or `a` has no axes.

    Example:
        >>> import numpy as np
        >>> print(diff(np.array([1, 4, 9], np.int32)))
        [3 5]
    """
    n = integer("diff", "n", n)
    x = coerce_array("diff", 0, a)
    if n < 0:
        raise ArgumentError(f"order must be non-negative but got {n}")
    if not x.ndim:
        raise ArgumentError("diff requires input that is at least one dimensional")
    along = as_axis("diff", axis, x.ndim)
    if n == 0:
        return x
    if n > _MOST_DIFFERENCES:
        raise ArgumentError(f"diff: n={n} is more than {_MOST_DIFFERENCES}")
    parts = [x]
    for value, first in ((prepend, True), (append, False)):
        if value is not None:
            extra = coerce_array("diff", 3, value)
            if not extra.ndim:
                extra = ops.broadcast_in_dim(
                    extra,
                    shape=tuple([1 if i == along else m for i, m in enumerate(x.shape)]),
                    dimensions=(),
                )
            parts = [extra, *parts] if first else [*parts, extra]
    if len(parts) > 1:
        x = concatenate(parts, along)
    for _ in range(n):
        size = x.shape[along]
        low = [0] * x.ndim
        low[along] = min(1, size)
        high = list(x.shape)
        high[along] = max(size - 1, 0)
        later = ops.slice(x, start=tuple(low), limit=x.shape, strides=(1,) * x.ndim)
        earlier = ops.slice(x, start=(0,) * x.ndim, limit=tuple(high), strides=(1,) * x.ndim)
        x = (
            ops.compare(later, earlier, direction="ne")
            if is_bool(x.dtype)
            else ops.subtract(later, earlier)
        )
    return x


@composed
def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Array:
    """Return the differences of neighbours in the flat array, with values before and after.

    Raises:
        DTypeError: the elements are booleans.

    Example:
        >>> import numpy as np
        >>> print(ediff1d(np.array([1, 4, 9], np.int32), to_end=0))
        [3 5 0]
    """
    x = ravel(coerce_array("ediff1d", 0, ary))
    parts = [subtract(x[1:], x[:-1])]  # which refuses booleans
    if to_begin is not None:
        parts.insert(0, converted(ravel(to_begin), x.dtype))
    if to_end is not None:
        parts.append(converted(ravel(to_end), x.dtype))
    return concatenate(parts)


@composed
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """Return the integral by the trapezoidal rule.

    Raises:
        AxisError: `y` has no such axis.
        ShapeError: `x` does not go with `y`.

    Example:
        >>> import numpy as np
        >>> print(trapezoid(np.array([1.0, 2.0, 3.0], np.float32)))
        4.0
    """
    if x is None:
        (values,) = promote("trapezoid", y, inexact=True)
        values = moveaxis(array_of(values), axis, -1)
        step: ArrayLike = dx
    else:
        values, places = [array_of(v) for v in promote("trapezoid", y, x, inexact=True)]
        step = diff(places) if places.ndim == 1 else moveaxis(diff(places, axis=axis), axis, -1)
        values = moveaxis(values, axis, -1)
    if x is None and values.shape[-1] > 1 and coerce("trapezoid", 2, step).shape == ():
        # One pass over all, which XLA reads faster than a part. Infinite ends stay: subtraction would lose them.
        values = multiply(step, values)  # before the sum, which may be too great for its type
        ends = values[..., :: values.shape[-1] - 1]
        halves = ops.multiply(ends, values.dtype.type(0.5))
        if is_complex(halves.dtype):
            return ops.add(sum(values[..., 1:-1], -1), sum(halves, -1))
        surplus = sum(ops.select(ops.is_finite(ends), halves, zero_like(halves)), -1)
        return ops.subtract(sum(values, -1), surplus)
    pairs = ops.add(values[..., 1:], values[..., :-1])
    a, b = promote_shapes("trapezoid", *promote("trapezoid", step, pairs))
    total = sum(ops.multiply(a, b), -1)
    return ops.multiply(total, total.dtype.type(0.5))


@composed
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Axis = None, edge_order: int | None = None
) -> Array | list[Array]:
    """Central differences along axes, one-sided at the ends.

    Raises:
        AxisError: `f` has no such axis.
        UnsupportedError: `edge_order` is not 1.
        ArgumentError: an axis has fewer than two elements, or the spacings do not go with the axes.

    Example:
        >>> import numpy as np
        >>> print(gradient(np.array([1.0, 4.0, 9.0], np.float32)))
        [3. 4. 5.]
    """
    edge_order = integer_or_none("gradient", "edge_order", edge_order)
    if edge_order is not None and edge_order != 1:
        raise UnsupportedError("gradient: edge_order other than 1 is not supported")
    operand, *spacings = promote("gradient", f, *varargs, inexact=True)
    x = array_of(operand)
    axes = as_axes("gradient", axis, x.ndim)
    steps: list[Operand] = spacings or [number(1, x)]
    if len(steps) == 1:
        steps *= len(axes)
    if len(steps) != len(axes):
        raise ArgumentError(f"gradient: {len(steps)} spacings for {len(axes)} axes")
    results = []
    for along, spacing in zip(axes, steps, strict=True):
        size = x.shape[along]
        if size < 2:
            raise ArgumentError(
                "Shape of array too small to calculate a numerical gradient, at least 2 elements are required."
            )
        first = ops.subtract(slice_along(x, along, 1, 2), slice_along(x, along, 0, 1))
        last = ops.subtract(
            slice_along(x, along, size - 1, size), slice_along(x, along, size - 2, size - 1)
        )
        ahead, behind = slice_along(x, along, 2, size), slice_along(x, along, 0, size - 2)
        if len(spacing.shape):
            gaps = array_of(spacing)
            if gaps.shape != (size,):
                raise ArgumentError(
                    "gradient: spacings given as an array must match the length of the axis"
                )
            gaps = ops.subtract(slice_along(gaps, 0, 1, size), slice_along(gaps, 0, 0, size - 1))
            gaps = ops.reshape(
                gaps, shape=tuple([size - 1 if i == along else 1 for i in range(x.ndim)])
            )
            near, far = slice_along(gaps, along, 0, size - 2), slice_along(gaps, along, 1, size - 1)
            middle = slice_along(x, along, 1, size - 1)
            # the parabola through three points: weights -far/(near*sum), (far-near)/(near*far), near/(far*sum)
            both = ops.add(near, far)
            w0 = ops.negate(ops.divide(far, ops.multiply(near, both)))
            w1 = ops.divide(ops.subtract(far, near), ops.multiply(near, far))
            w2 = ops.divide(near, ops.multiply(far, both))
            inner = add(add(multiply(w0, behind), multiply(w1, middle)), multiply(w2, ahead))
            first = divide(first, slice_along(gaps, along, 0, 1))
            last = divide(last, slice_along(gaps, along, size - 2, size - 1))
        else:
            inner = ops.divide(ops.subtract(ahead, behind), ops.multiply(spacing, number(2, x)))
            first, last = ops.divide(first, spacing), ops.divide(last, spacing)
        results.append(ops.concatenate([first, inner, last], dimension=along))
    return (
        results[0]
        if len(axes) == 1 and (axis is None or not isinstance(axis, (tuple, list)))
        else results
    )
