"""Products of vectors, matrices and tensors: dot, matmul, tensordot and their relatives, all by `dot_general`.

`precision` is one of "default", "high", "highest" (or an enum member of that name) and says how exactly an
accelerator multiplies; `preferred_element_type` is the element type of sum and result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from treadle_ir import ArgumentError, Array, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.errors import shown
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.tracing import current_trace
from treadle_numpy.lax.contraction import contracted
from treadle_numpy.lax.precision import PrecisionLike, precision_name
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.shapes import expand_dims, ravel, squeeze
from treadle_numpy.numpy.ufuncs.parts import conjugate
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.plans import Plans, remember
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.shapes import as_index
from treadle_numpy.settings import MATMUL_PRECISION

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]


def _mismatch(name: str, x: Operand, y: Operand) -> ShapeError:
    return ShapeError(
        f"{name}: contracting dimensions must have the same size, got shapes {x.shape} and {y.shape}",
        fix="transpose or reshape one of them: the last axis of the first meets the second-to-last of the second",
    )


Axes: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
_DOTS: Final[Plans] = {}
_PRODUCTS: Final[Plans] = {}


def _planned(plans: Plans, a: ArrayLike, b: ArrayLike) -> Array | None:
    """Return the product of two arrays by a cached plan; None if there is none for their types."""
    try:
        primitive = plans.get((a.type, b.type, MATMUL_PRECISION()))  # type: ignore[union-attr]  # NumPy's have none
    except AttributeError:
        return None
    if primitive is None:
        return None
    return current_trace().process(primitive, (a, b))[0]  # type: ignore[arg-type, return-value]


def _plan(
    plans: Plans, x: Operand, y: Operand, contracting: Axes, batching: Axes = ((), ())
) -> None:
    """Keep the product for arrays of these types, with the precision that is set."""
    precision = precision_name(None)
    primitive = DotGeneral(contracting, batching, precision)
    remember(plans, (operand_type(x), operand_type(y), MATMUL_PRECISION()), primitive)


def dot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    out_sharding: Device = None,
) -> Array:
    """Multiply arrays: sum products over the last axis of `a` and the second-to-last (or only) axis of `b`.

    Args:
        a: an array.
        b: an array.
        precision: the precision with which accelerators multiply at least.
        preferred_element_type: the dtype of the result, and of the sums, if it is wider.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        The array `[*axes of a but the last, *axes of b but the summed one]`; a product by a scalar if one has no
        axes.

    Raises:
        ShapeError: the summed axes have different sizes.

    Example:
        >>> import numpy as np
        >>> print(dot(np.ones(3, np.float32), np.ones(3, np.float32)))
        3.0
    """
    if out_sharding is not None:
        return with_out_sharding(
            dot,
            out_sharding,
            a,
            b,
            precision=precision,
            preferred_element_type=preferred_element_type,
        )
    plain = precision is None and preferred_element_type is None
    if plain:
        product = _planned(_DOTS, a, b)
        if product is not None:
            return product
    x, y = promote("dot", a, b)
    rank_x, rank_y = len(x.shape), len(y.shape)
    if not rank_x or not rank_y:
        return _scaled(x, y, preferred_element_type)
    along = max(rank_y - 2, 0)
    if x.shape[-1] != y.shape[along]:
        raise _mismatch("dot", x, y)
    if plain and x is a and y is b and isinstance(a, Array) and isinstance(b, Array):
        _plan(_DOTS, a, b, ((rank_x - 1,), (along,)))
    return contracted(x, y, ((rank_x - 1,), (along,)), ((), ()), precision, preferred_element_type)


def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    out_sharding: Device = None,
) -> Array:
    """Multiply matrices: `[..., n, k]` and `[..., k, m]` give `[..., n, m]`.

    Args:
        a: an array of one axis or more; a vector counts as a row.
        b: an array of one axis or more; a vector counts as a column.
        precision: the precision with which accelerators multiply at least.
        preferred_element_type: the dtype of the result, and of the sums, if it is wider.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        The products, whose leading axes are broadcast; the axis of a vector is dropped.

    Raises:
        ShapeError: an operand has no axes, or the summed axes have different sizes.

    Example:
        >>> import numpy as np
        >>> print(matmul(np.eye(2, dtype=np.float32), np.array([1.0, 2.0], np.float32)))
        [1. 2.]
    """
    if out_sharding is not None:
        return with_out_sharding(
            matmul,
            out_sharding,
            a,
            b,
            precision=precision,
            preferred_element_type=preferred_element_type,
        )
    plain = precision is None and preferred_element_type is None
    if plain:
        product = _planned(_PRODUCTS, a, b)
        if product is not None:
            return product
    x, y = promote("matmul", a, b)
    shape_x, shape_y = x.shape, y.shape
    if not shape_x or not shape_y:
        raise ShapeError(
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
            _plan(_PRODUCTS, x, y, ((rank_x - 1,), (along,)))
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
        _plan(_PRODUCTS, x, y, contracting, batching)
    return contracted(x, y, contracting, batching, precision, preferred_element_type)


@composed
def vdot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Return the sum of the products of all elements, the first ones conjugated.

    Example:
        >>> import numpy as np
        >>> print(vdot(np.array([1, 2, 3]), np.array([1, 2, 3])))
        14
    """
    return dot(
        ravel(conjugate(a)),
        ravel(b),
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


@composed
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axis: int = -1,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Return the products summed along one axis, the first operand conjugated; the other axes broadcast.

    Raises:
        ShapeError: an operand has no axes, or the summed axes have different sizes.

    Example:
        >>> import numpy as np
        >>> print(vecdot(np.array([1, 2, 3]), np.array([1, 2, 3])))
        14
    """
    x, y = promote("vecdot", conjugate(x1), x2)
    x, y = array_of(x), array_of(y)
    if not x.ndim or not y.ndim:
        raise ShapeError(
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


def _scaled(x: Operand, y: Operand, element_type: DTypeLike | None) -> Array:
    """Return the product with a number, in the element type that is wanted."""
    product = ops.multiply(x, y)
    wanted = as_dtype("preferred_element_type", element_type)
    return product if wanted is None else converted(product, wanted)


def _with_axes(name: str, *operands: tuple[ArrayLike, int]) -> list[Array]:
    """Return the operands with the least number of axes that they need."""
    arrays = []
    for i, (operand, least) in enumerate(operands):
        x = coerce_array(name, i, operand)
        if x.ndim < least:
            axes = "one axis" if least == 1 else f"{least} axes"
            raise ShapeError(f"{name}: argument {i} has shape {x.shape}, but needs at least {axes}")
        arrays.append(x)
    return arrays


@composed
def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Matrices times vectors; leading axes broadcast.

    Raises:
        ShapeError: the first has fewer than two axes, the second none, or their sizes differ.

    Example:
        >>> import numpy as np
        >>> print(matvec(np.array([[1, 2], [3, 4]]), np.array([1, 10])))
        [21 43]
    """
    matrix, vector = _with_axes("matvec", (x1, 2), (x2, 1))
    return squeeze(matmul(matrix, expand_dims(vector, -1)), -1)


@composed
def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Vectors, conjugated, times matrices; leading axes broadcast.

    Raises:
        ShapeError: the first has no axes, the second fewer than two, or their sizes differ.

    Example:
        >>> import numpy as np
        >>> print(vecmat(np.array([1, 10]), np.array([[1, 2], [3, 4]])))
        [31 42]
    """
    vector, matrix = _with_axes("vecmat", (x1, 1), (x2, 2))
    return squeeze(matmul(expand_dims(conjugate(vector), -2), matrix), -2)


@composed
def inner(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Return the products summed over the last axes of both.

    Raises:
        ShapeError: the last axes have different sizes.

    Example:
        >>> import numpy as np
        >>> print(inner(np.array([1, 2, 3]), np.array([1, 2, 3])))
        14
    """
    x, y = promote("inner", a, b)
    rank_x, rank_y = len(x.shape), len(y.shape)
    if not rank_x or not rank_y:
        return _scaled(x, y, preferred_element_type)
    if x.shape[-1] != y.shape[-1]:
        raise _mismatch("inner", x, y)
    return contracted(
        x, y, ((rank_x - 1,), (rank_y - 1,)), ((), ()), precision, preferred_element_type
    )


@composed
def outer(a: ArrayLike, b: ArrayLike, out: None = None) -> Array:
    """Compute the outer product of two vectors; other arrays are flattened.

    Args:
        a: an array.
        b: an array.
        out: must be None: arrays are immutable.

    Returns:
        The matrix `[size of a, size of b]`.

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


@composed
def tensordot(
    a: ArrayLike,
    b: ArrayLike,
    axes: int | Sequence[int | Sequence[int]] = 2,
    *,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    out_sharding: Device = None,
) -> Array:
    """Sum products over several axes of two arrays.

    Args:
        a: an array.
        b: an array.
        axes: the number of last axes of `a` and first axes of `b`, or a pair of sequences of axes of `a` and `b`.
        precision: the precision with which accelerators multiply at least.
        preferred_element_type: the dtype of the result, and of the sums, if it is wider.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        The array `[*other axes of a, *other axes of b]`.

    Raises:
        ShapeError: paired axes have different sizes.
        ArgumentError: `axes` is neither a number of axes that both have nor a pair.

    Example:
        >>> import numpy as np
        >>> print(tensordot(np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), 1).shape)
        (2, 4)
    """
    if out_sharding is not None:
        return with_out_sharding(
            tensordot,
            out_sharding,
            a,
            b,
            axes,
            precision=precision,
            preferred_element_type=preferred_element_type,
        )
    x, y = promote("tensordot", a, b)
    rank_x, rank_y = len(x.shape), len(y.shape)
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ArgumentError(f"tensordot: axes must be an integer or a pair, got {shown(axes)}")
        left = list(axes[0] if isinstance(axes[0], (tuple, list)) else (axes[0],))
        right = list(axes[1] if isinstance(axes[1], (tuple, list)) else (axes[1],))
    else:
        count = as_index("tensordot", "axes", axes)
        if count > min(rank_x, rank_y):
            raise ArgumentError(f"tensordot: {count} axes of shapes {x.shape} and {y.shape}")
        left, right = list(range(rank_x - count, rank_x)), list(range(count))
    pairs = (
        tuple([as_axis("tensordot", i, rank_x) for i in left]),
        tuple([as_axis("tensordot", i, rank_y) for i in right]),
    )
    if len(pairs[0]) != len(pairs[1]):
        raise ShapeError(
            f"tensordot: axes must be two sequences of one length, got {tuple(left)} and {tuple(right)}",
            fix="pair each axis of the first with one of the second: ((0, 1), (1, 0))",
        )
    if [x.shape[i] for i in pairs[0]] != [y.shape[i] for i in pairs[1]]:
        raise ShapeError(
            f"tensordot: axes {pairs[0]} of {x.shape} and {pairs[1]} of {y.shape} must have equal sizes",
            fix="say with `axes` which are paired; an integer n pairs the last n with the first n",
        )
    return contracted(x, y, pairs, ((), ()), precision, preferred_element_type)


@composed
def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the Kronecker product: each element of `a` replaced by its multiple of `b`.

    Example:
        >>> import numpy as np
        >>> print(kron(np.array([1, 10]), np.array([1, 2])))
        [ 1  2 10 20]
    """
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


@composed
def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Array:
    """Return the vector product of vectors of three elements.

    Raises:
        ShapeError: vectors do not have three elements; NumPy, too, no longer accepts two.

    Example:
        >>> import numpy as np
        >>> print(cross(np.array([1, 0, 0]), np.array([0, 1, 0])))
        [0 0 1]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promote("cross", a, b)
    x, y = moveaxis(array_of(x), axisa, -1), moveaxis(array_of(y), axisb, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ShapeError(
            f"cross: dimension must be 3 for cross product, got vectors of {x.shape[-1]} and {y.shape[-1]} elements",
            fix="say along which axis with `axis`; of vectors of two elements it is x[..., 0] * y[..., 1] - "
            "x[..., 1] * y[..., 0]",
        )
    batch = common_shape("cross", [x.shape[:-1], y.shape[:-1]])
    x, y = (
        array_of(broadcast_to_shape(x, (*batch, x.shape[-1]))),
        array_of(broadcast_to_shape(y, (*batch, y.shape[-1]))),
    )

    def part(v: Array, i: int) -> Operand:
        start, limit = (0,) * len(batch) + (i,), (*batch, i + 1)
        return ops.reshape(ops.slice(v, start=start, limit=limit), shape=batch)

    def minor(i: int, j: int) -> Array:
        return ops.subtract(
            ops.multiply(part(x, i), part(y, j)), ops.multiply(part(x, j), part(y, i))
        )

    parts = [ops.reshape(minor(i, j), shape=(*batch, 1)) for i, j in ((1, 2), (2, 0), (0, 1))]
    joined = converted(ops.concatenate(parts, dimension=len(batch)), x.dtype)  # no longer weak
    return moveaxis(joined, -1, axisc)
