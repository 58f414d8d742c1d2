"""Products of vectors, matrices and tensors: dot, matmul, tensordot and their relatives, all by `dot_general`.

`precision` is one of "default", "high", "highest" (or an enum member of that name) and says how exactly an
accelerator multiplies; `preferred_element_type` is the element type of sum and result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from treadle_ir import Array, current_trace
from treadle_ir.primitives.contract import DotGeneral
from treadle_numpy.coercion import (
    ArrayLike,
    Plans,
    ValueArgumentError,
    array_of,
    as_axis,
    as_index,
    broadcast_to_shape,
    common_shape,
    named_only,
    operand_type,
    ops,
    promote,
    remember,
    shape_of,
)
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.elementwise import conjugate
from treadle_numpy.manipulation import ShapeValueError, expand_dims, moveaxis, ravel, squeeze

_PRECISIONS = {
    "default": "default",
    "high": "high",
    "highest": "highest",
    "fastest": "default",
    "float32": "highest",
    "bfloat16": "default",
    "bfloat16_3x": "high",
    "tensorfloat32": "high",
}


def precision_name(precision: Any) -> str:
    """A `precision` argument as the primitive's: the higher one of a pair.

    Raises:
        ValueArgumentError: there is no such precision.
    """
    if precision is None:
        return "default"
    if isinstance(precision, (tuple, list)):
        names = [precision_name(p) for p in precision]
        return max(names, key=["default", "high", "highest"].index)
    name = str(getattr(precision, "name", precision)).lower()
    if name not in _PRECISIONS:
        raise ValueArgumentError(
            f"precision is {precision!r}, which is none of {', '.join(_PRECISIONS)}"
        )
    return _PRECISIONS[name]


def contracted(
    x: Any,
    y: Any,
    contracting: Any,
    batching: Any = ((), ()),
    precision: Any = None,
    element_type: Any = None,
) -> Array:
    """`dot_general` of operands of one element type, scalars of the host made arrays."""
    return ops.dot_general(
        array_of(x),
        array_of(y),
        contracting=contracting,
        batching=batching,
        precision=precision_name(precision),
        element_type=as_dtype("preferred_element_type", element_type),
    )


def _mismatch(name: str, x: Any, y: Any) -> ShapeValueError:
    return ShapeValueError(
        f"{name}: contracting dimensions must have the same size, got shapes {shape_of(x)} and {shape_of(y)}",
        fix="transpose or reshape one of them: the last axis of the first meets the second-to-last of the second",
    )


_DOTS: Final[Plans] = {}
_PRODUCTS: Final[Plans] = {}


def _remembered(plans: Plans, a: Any, b: Any) -> Array | None:
    """The product of two arrays whose types have been met before; None if they have not."""
    try:
        primitive = plans.get((a.type, b.type))
    except AttributeError:
        return None
    if primitive is None:
        return None
    found: Array = current_trace().process(primitive, (a, b))[0]  # type: ignore[assignment]
    return found


def dot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The product summed over the last axis of `a` and the second-to-last (or only) axis of `b`.

    Raises:
        ShapeValueError: the summed axes have different sizes.

    Example:
        >>> import numpy as np
        >>> print(dot(np.ones(3, np.float32), np.ones(3, np.float32)))
        3.0
    """
    plain = precision is None and preferred_element_type is None
    if plain:
        product = _remembered(_DOTS, a, b)
        if product is not None:
            return product
    x, y = promote("dot", a, b)
    rank_x, rank_y = len(shape_of(x)), len(shape_of(y))
    if not rank_x or not rank_y:
        return ops.multiply(x, y)
    along = max(rank_y - 2, 0)
    if shape_of(x)[-1] != shape_of(y)[along]:
        raise _mismatch("dot", x, y)
    if plain and x is a and y is b and isinstance(a, Array) and isinstance(b, Array):
        remember(_DOTS, (a.type, b.type), DotGeneral(((rank_x - 1,), (along,))))
    return contracted(x, y, ((rank_x - 1,), (along,)), ((), ()), precision, preferred_element_type)


def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The matrix product; leading axes broadcast, vectors count as a row on the left and a column on the right.

    Raises:
        ShapeValueError: an operand has no axes, or the summed axes have different sizes.

    Example:
        >>> import numpy as np
        >>> print(matmul(np.eye(2, dtype=np.float32), np.array([1.0, 2.0], np.float32)))
        [1. 2.]
    """
    plain = precision is None and preferred_element_type is None
    if plain:
        try:
            primitive = _PRODUCTS[a.type, b.type]  # type: ignore[union-attr]  # NumPy's arrays have no type
        except (AttributeError, KeyError):
            primitive = None
        if primitive is not None:
            return cast("Array", current_trace().process(primitive, (a, b))[0])  # type: ignore[arg-type]
    x, y = promote("matmul", a, b)
    shape_x, shape_y = shape_of(x), shape_of(y)
    if not shape_x or not shape_y:
        raise ShapeValueError(
            f"matmul: input operand {0 if not shape_x else 1} must have ndim at least 1, but it has ndim 0",
            fix="use `*` to multiply by a scalar",
        )
    rank_x, rank_y = len(shape_x), len(shape_y)
    along = max(rank_y - 2, 0)
    if shape_x[-1] != shape_y[along]:
        raise _mismatch("matmul", x, y)
    plain = plain and x is a and y is b and isinstance(a, Array) and isinstance(b, Array)
    batch_x, batch_y = shape_x[:-2], shape_y[:-2]
    if not batch_y:  # if the left one has leading axes, they are free
        if plain:
            remember(_PRODUCTS, (x.type, y.type), DotGeneral(((rank_x - 1,), (along,))))
        return contracted(
            x, y, ((rank_x - 1,), (along,)), ((), ()), precision, preferred_element_type
        )
    if not batch_x and rank_x <= 2:
        result = contracted(
            x, y, ((rank_x - 1,), (along,)), ((), ()), precision, preferred_element_type
        )
        return moveaxis(result, 0, -2) if rank_x == 2 else result
    batch = common_shape("matmul", [batch_x, batch_y])
    x = array_of(broadcast_to_shape(x, (*batch, *shape_x[-2:])))
    y = array_of(broadcast_to_shape(y, (*batch, *shape_y[-2:])))
    axes = tuple(range(len(batch)))
    contracting, batching = ((len(batch) + 1,), (len(batch),)), (axes, axes)
    if plain and x is a and y is b:
        remember(_PRODUCTS, (x.type, y.type), DotGeneral(contracting, batching))
    return contracted(x, y, contracting, batching, precision, preferred_element_type)


def vdot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The sum of the products of all elements, the first ones conjugated."""
    return dot(
        ravel(conjugate(a)),
        ravel(b),
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axis: int = -1,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The products summed along one axis, the first operand conjugated; the other axes broadcast.

    Raises:
        ShapeValueError: an operand has no axes, or the summed axes have different sizes.
    """
    x, y = promote("vecdot", conjugate(x1), x2)
    x, y = array_of(x), array_of(y)
    if not x.ndim or not y.ndim:
        raise ShapeValueError(
            f"vecdot: operands need at least one axis, got shapes {x.shape} and {y.shape}"
        )
    x, y = moveaxis(x, axis, -1), moveaxis(y, axis, -1)
    if x.shape[-1] != y.shape[-1]:
        raise _mismatch("vecdot", x, y)
    batch = common_shape("vecdot", [x.shape[:-1], y.shape[:-1]])
    x, y = (
        broadcast_to_shape(x, (*batch, x.shape[-1])),
        broadcast_to_shape(y, (*batch, y.shape[-1])),
    )
    axes = tuple(range(len(batch)))
    return contracted(
        x, y, ((len(batch),), (len(batch),)), (axes, axes), precision, preferred_element_type
    )


def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Matrices times vectors; leading axes broadcast."""
    return squeeze(matmul(x1, expand_dims(x2, -1)), -1)


def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Vectors, conjugated, times matrices; leading axes broadcast."""
    return squeeze(matmul(expand_dims(conjugate(x1), -2), x2), -2)


def inner(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The products summed over the last axes of both.

    Raises:
        ShapeValueError: the last axes have different sizes.
    """
    x, y = promote("inner", a, b)
    rank_x, rank_y = len(shape_of(x)), len(shape_of(y))
    if not rank_x or not rank_y:
        return ops.multiply(x, y)
    if shape_of(x)[-1] != shape_of(y)[-1]:
        raise _mismatch("inner", x, y)
    return contracted(
        x, y, ((rank_x - 1,), (rank_y - 1,)), ((), ()), precision, preferred_element_type
    )


def outer(a: ArrayLike, b: ArrayLike, out: None = None) -> Array:
    """The product of each element of the one with each of the other, as a matrix.

    Example:
        >>> import numpy as np
        >>> print(outer(np.arange(2), np.arange(3)))
        [[0 0 0]
         [0 1 2]]
    """
    named_only("outer", out=out)
    x, y = promote("outer", a, b)
    x, y = array_of(x), array_of(y)
    shape = (x.size, y.size)
    rows = ops.broadcast_in_dim(ops.reshape(x, shape=(x.size,)), shape=shape, dimensions=(0,))
    columns = ops.broadcast_in_dim(ops.reshape(y, shape=(y.size,)), shape=shape, dimensions=(1,))
    return ops.multiply(rows, columns)


def tensordot(
    a: ArrayLike,
    b: ArrayLike,
    axes: int | Sequence[Any] = 2,
    *,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The products summed over the last `axes` of `a` and the first of `b`, or over pairs of axes.

    Raises:
        ShapeValueError: paired axes have different sizes.
        ValueArgumentError: `axes` is neither a number of axes that both have nor a pair.

    Example:
        >>> import numpy as np
        >>> print(tensordot(np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), 1).shape)
        (2, 4)
    """
    x, y = promote("tensordot", a, b)
    rank_x, rank_y = len(shape_of(x)), len(shape_of(y))
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ValueArgumentError(f"tensordot: axes must be an integer or a pair, got {axes!r}")
        left = list(axes[0] if isinstance(axes[0], (tuple, list)) else (axes[0],))
        right = list(axes[1] if isinstance(axes[1], (tuple, list)) else (axes[1],))
    else:
        count = as_index("tensordot", "axes", axes)
        if count > min(rank_x, rank_y):
            raise ValueArgumentError(
                f"tensordot: {count} axes of shapes {shape_of(x)} and {shape_of(y)}"
            )
        left, right = list(range(rank_x - count, rank_x)), list(range(count))
    pairs = (
        tuple([as_axis("tensordot", i, rank_x) for i in left]),
        tuple([as_axis("tensordot", i, rank_y) for i in right]),
    )
    if len(pairs[0]) != len(pairs[1]) or [shape_of(x)[i] for i in pairs[0]] != [
        shape_of(y)[i] for i in pairs[1]
    ]:
        raise _mismatch("tensordot", x, y)
    return contracted(x, y, pairs, ((), ()), precision, preferred_element_type)


def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """The Kronecker product: each element of `a` replaced by its multiple of `b`."""
    x, y = promote("kron", a, b)
    x, y = array_of(x), array_of(y)
    rank = max(x.ndim, y.ndim)
    own_x, own_y = (1,) * (rank - x.ndim) + x.shape, (1,) * (rank - y.ndim) + y.shape
    apart = tuple([n for pair in zip(own_x, own_y, strict=True) for n in pair])
    x = ops.broadcast_in_dim(
        ops.reshape(x, shape=own_x), shape=apart, dimensions=tuple(range(0, 2 * rank, 2))
    )
    y = ops.broadcast_in_dim(
        ops.reshape(y, shape=own_y), shape=apart, dimensions=tuple(range(1, 2 * rank, 2))
    )
    return ops.reshape(
        ops.multiply(x, y), shape=tuple([n * m for n, m in zip(own_x, own_y, strict=True)])
    )


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Array:
    """The vector product of vectors of two or three elements.

    Raises:
        ShapeValueError: the vectors have not 2 or 3 elements.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promote("cross", a, b)
    x, y = moveaxis(array_of(x), axisa, -1), moveaxis(array_of(y), axisb, -1)
    if x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise ShapeValueError(
            "cross: vectors must have 2 or 3 elements", fix="say along which axis with `axis`"
        )
    batch = common_shape("cross", [x.shape[:-1], y.shape[:-1]])
    x, y = (
        array_of(broadcast_to_shape(x, (*batch, x.shape[-1]))),
        array_of(broadcast_to_shape(y, (*batch, y.shape[-1]))),
    )

    def part(v: Array, i: int) -> Any:
        if i >= v.shape[-1]:
            return operand_type(v).dtype.type(0)
        start, limit = (0,) * len(batch) + (i,), (*batch, i + 1)
        return ops.reshape(ops.slice(v, start=start, limit=limit), shape=batch)

    def minor(i: int, j: int) -> Array:
        return ops.subtract(
            ops.multiply(part(x, i), part(y, j)), ops.multiply(part(x, j), part(y, i))
        )

    if x.shape[-1] == y.shape[-1] == 2:
        return minor(0, 1)
    parts = [ops.reshape(minor(i, j), shape=(*batch, 1)) for i, j in ((1, 2), (2, 0), (0, 1))]
    return moveaxis(ops.concatenate(parts, dimension=len(batch)), -1, axisc)
