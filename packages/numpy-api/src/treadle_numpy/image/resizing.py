"""Images resized, scaled and moved: along each axis, a product with a matrix of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ShapeError, UnsupportedError, ops
from treadle_ir.core import default_dtype, inexact_dtype, is_symbolic
from treadle_ir.core.dtypes import BY_NAME, real_part
from treadle_ir.errors import allocating, flags, sequence
from treadle_numpy.image.kernels import KERNELS, Method, ResizeMethod, as_method
from treadle_numpy.lax.precision import Precision, PrecisionLike
from treadle_numpy.numpy.contraction.products import tensordot
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, subtract
from treadle_numpy.numpy.ufuncs.extremes import maximum, minimum
from treadle_numpy.numpy.ufuncs.logic import (
    greater,
    greater_equal,
    less_equal,
    logical_and,
    not_equal,
)
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of, on_host
from treadle_numpy.operands.axes import as_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import size_scalar
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["resize", "scale_and_translate"]

Factors: TypeAlias = ArrayLike | Sequence[ArrayLike]


def resize(
    image: ArrayLike,
    shape: Shape,
    method: Method,
    antialias: bool = True,
    precision: PrecisionLike = Precision.HIGHEST,
) -> Array:
    """Return an image of another shape.

    Shapes:
        image: [n1, n2, ...]
        result: [m1, m2, ...], which is `shape`; axes of the same size stay as they are

    Args:
        image: of any number of axes; integers become floats, but for "nearest".
        shape: a size for each axis.
        method: "nearest", "linear", "cubic", "cubic-pytorch", "lanczos3", "lanczos5", "area", or a `ResizeMethod`.
        antialias: make the kernel as many times wider as the image becomes smaller. "nearest" and "area" have none.
        precision: of the products on accelerators.

    Pixels are squares: the centre of the first is 1/2 from the edge, and edges stay edges. Weights of each pixel add up
    to 1, also where the kernel reaches over an edge.

    Raises:
        ShapeError: there is not one size for each axis, or pixels are asked for where there are none.
        ArgumentError: there is no such method.

    Example:
        >>> print(resize(np.array([1.0, 3.0], np.float32), (4,), "linear"))
        [1.  1.5 2.5 3. ]
    """
    flags("resize", antialias=antialias)
    how = as_method(method)
    x = coerce_array("resize", 0, image)
    sizes = _shape_of("resize", shape, x)
    changed = [d for d, (n, m) in enumerate(zip(x.shape, sizes, strict=True)) if n != m]
    if any([not x.shape[d] for d in changed]):
        raise ShapeError(
            f"resize: an image of shape {x.shape} has no pixels to make an image of shape {sizes} of"
        )
    if how is ResizeMethod.NEAREST:
        for d in changed:
            x = take(x, _nearest(x.shape[d], sizes[d]), d, mode="clip")
        return x
    x = array_of(converted(x, inexact_dtype(x.dtype)))
    exact = _weight_type(x.dtype)
    for d in changed:
        if sizes[d]:
            factor = _ratio(sizes[d], x.shape[d], exact)
            start = array_of(np.asarray(0, exact))
            x = _along(x, d, sizes[d], factor, start, how, antialias, precision)
        else:
            x = take(x, np.zeros(0, np.int32), d)
    return x


def scale_and_translate(
    image: ArrayLike,
    shape: Shape,
    spatial_dims: Sequence[int],
    scale: Factors,
    translation: Factors,
    method: Method,
    antialias: bool = True,
    precision: PrecisionLike = Precision.HIGHEST,
) -> Array:
    """Return an image made larger or smaller by a factor along some axes, and moved, in a frame of another shape.

    Shapes:
        image: [n1, n2, ...]
        scale, translation: [number of spatial_dims]
        result: [m1, m2, ...], which is `shape`

    Args:
        image: of any number of axes; integers become floats.
        shape: a size for each axis.
        spatial_dims: the axes that are scaled.
        scale: how many pixels of the result there are to one of the image, along each of these axes.
        translation: where the edge of the image comes to lie, in pixels of the result.
        method: as `resize` takes it, but not "nearest".
        antialias: as `resize`.
        precision: of the products on accelerators.

    What lies outside of the image is 0. Derivatives by scale and translation are there.

    Raises:
        ShapeError: there is not one size for each axis, or one factor for each of the axes scaled.
        AxisError: there is no such axis.
        UnsupportedError: the method is "nearest".

    Example:
        >>> pixels = np.array([1.0, 2.0, 3.0], np.float32)
        >>> print(scale_and_translate(pixels, (4,), (0,), np.ones(1), np.array([2.0]), "linear"))
        [0. 0. 1. 2.]
    """
    flags("scale_and_translate", antialias=antialias)
    how = as_method(method)
    if how is ResizeMethod.NEAREST:
        raise UnsupportedError(
            "scale_and_translate: the method 'nearest' is not supported",
            fix="use resize, or another method",
        )
    x = coerce_array("scale_and_translate", 0, image)
    sizes = _shape_of("scale_and_translate", shape, x)
    axes = as_axes(
        "scale_and_translate", sequence("scale_and_translate", "spatial_dims", spatial_dims), x.ndim
    )
    x = array_of(converted(x, inexact_dtype(x.dtype)))
    exact = _weight_type(x.dtype)
    factors, starts = [
        array_of(converted(_vector(name, each, len(axes)), exact))
        for name, each in (("scale", scale), ("translation", translation))
    ]
    for d, (n, m) in enumerate(zip(x.shape, sizes, strict=True)):
        if d not in axes and n != m:
            raise ShapeError(
                f"scale_and_translate: axis {d} is not scaled, so its size stays {n}, but shape says {m}",
                fix="name it in `spatial_dims`",
            )
    for i, d in enumerate(axes):
        x = _along(x, d, sizes[d], factors[i], starts[i], how, antialias, precision)
    return x


def _shape_of(function: str, shape: Shape, x: Array) -> tuple[int, ...]:
    sizes = as_shape(function, shape)
    if len(sizes) != x.ndim:
        raise ShapeError(
            f"{function}: shape must have one size for each axis of the image, got {sizes} for {x.shape}"
        )
    if on_host():
        with allocating():  # what does not fit into memory is refused before the first product
            np.empty(sizes, x.dtype)
    return sizes


def _vector(name: str, given: Factors, count: int) -> Array:
    found = array_from("scale_and_translate", given, None)
    if found.shape != (count,):
        raise ShapeError(
            f"scale_and_translate: {name} must have one number for each of {count} axes, got shape {found.shape}"
        )
    if found.dtype.kind == "c":
        raise ArgumentError(f"scale_and_translate: {name} must be real")
    return found


def _weight_type(dtype: DType) -> DType:
    """Return the type that weights are computed in: float32 at least."""
    real = real_part(dtype)
    return real if real == BY_NAME["f64"] else BY_NAME["f32"]


def _ratio(size: int, of: int, exact: DType) -> Array:
    """Return one size divided by another."""
    if is_symbolic((size, of)):
        return divide(size_scalar(size, exact), size_scalar(of, exact))
    return array_of(np.asarray(size / of, exact))


def _counted(
    size: int, exact: DType
) -> Any:  # Any: NumPy's array, or of a size that is symbolic ours
    """Return the numbers below a size."""
    if is_symbolic((size,)):
        return ops.iota(shape=(size,), dtype=exact, dimension=0)
    return np.arange(size, dtype=exact)


def _nearest(n: int, m: int) -> ArrayLike:
    """Return which of n pixels is nearest to each of m."""
    if not is_symbolic((n, m)):
        places: np.ndarray[Any, Any] = np.floor((np.arange(m) + 0.5) * n / m).astype(np.int32)
        return places
    exact = default_dtype(float)
    middles = add(_counted(m, exact), 0.5)
    places_of = divide(multiply(middles, size_scalar(n, exact)), size_scalar(m, exact))
    return converted(ops.floor(places_of), default_dtype(int))


def _along(
    x: Array,
    axis: int,
    size: int,
    scale: Array,
    translation: Array,
    method: ResizeMethod,
    antialias: bool,
    precision: PrecisionLike,
) -> Array:
    """Return the image scaled along one axis."""
    weights = _weights(x.shape[axis], size, scale, translation, method, antialias)
    product = tensordot(
        x, converted(weights, real_part(x.dtype)), axes=([axis], [0]), precision=precision
    )
    return moveaxis(converted(product, x.dtype), -1, axis)


def _weights(
    n: int, m: int, scale: Array, translation: Array, method: ResizeMethod, antialias: bool
) -> Array:
    """Return how much of each of n pixels is in each of m: [n, m]; columns add up to 1, or are 0 beyond the image."""
    exact = scale.dtype
    inverse = divide(1, scale)
    pixels = _counted(n, exact)[:, None]
    # the edges of the new pixels, in the old ones' places
    edges = multiply(subtract(_counted(m + 1, exact)[None], translation), inverse)
    starts, stops = edges[:, :-1], edges[:, 1:]
    centres = multiply(add(starts, stops), 0.5)
    if method is ResizeMethod.AREA:
        low, high = minimum(starts, stops), maximum(starts, stops)
        raw = maximum(0, subtract(minimum(high, pixels + 1), maximum(low, pixels)))
    else:
        width = maximum(abs(inverse), 1) if antialias else 1
        distance = divide(abs(subtract(centres, pixels + exact.type(0.5))), width)
        raw = KERNELS[method](distance)
    total = sum(raw, 0, keepdims=True)
    some = greater(abs(total), 1000 * finfo(exact).eps)
    parts = where(some, divide(raw, where(not_equal(total, 0), total, 1)), 0)
    inside = logical_and(greater_equal(centres, 0), less_equal(centres, size_scalar(n, exact)))
    return array_of(where(inside, parts, 0))
