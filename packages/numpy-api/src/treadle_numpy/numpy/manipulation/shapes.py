"""Shapes: questions about them, reshape and its relatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, overload

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.core import is_symbolic_dim
from treadle_ir.errors import names, sequence
from treadle_ir.primitives.shape import Reshape
from treadle_ir.tracing import current_trace
from treadle_numpy.numpy.manipulation.axes import transpose
from treadle_numpy.operands.axes import as_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.plans import Plans, key_with_integers, remember
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import Shape, as_index

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "expand_dims",
    "ndim",
    "ravel",
    "reshape",
    "shape",
    "size",
    "squeeze",
]


def shape(a: ArrayLike | Sequence[Any] | None) -> tuple[int, ...]:
    """Return the size of each axis, of an array or of what says its shape, such as a ShapeDtypeStruct; None has no
    axes.

    Example:
        >>> import numpy as np
        >>> print(shape(np.array([[1, 2], [3, 4]])))
        (2, 2)
    """
    value: object = a  # of whatever class, and a class itself has no shape
    given = None if isinstance(value, type) else getattr(value, "shape", None)
    if isinstance(given, tuple):  # of an array, or of what stands for one
        return given
    if isinstance(a, (list, tuple)):
        return tuple(array_from("shape", a, None).shape)
    if a is None:  # the error of an argument that was left out
        return ()
    return tuple(coerce_array("shape", 0, a).shape)


def ndim(a: ArrayLike | Sequence[Any] | None) -> int:
    """Return the number of axes.

    Example:
        >>> import numpy as np
        >>> print(ndim(np.array([[1, 2], [3, 4]])))
        2
    """
    return len(shape(a))


def size(a: ArrayLike | Sequence[Any] | None, axis: int | Sequence[int] | None = None) -> int:
    """Return the number of elements, or along some axes.

    Example:
        >>> import numpy as np
        >>> print(size(np.array([[1, 2], [3, 4]])))
        4
    """
    sizes = shape(a)
    count = 1
    for i in as_axes("size", axis, len(sizes)):
        count *= sizes[i]
    return count


def wanted_shape(function: str, total: int, old: tuple[int, ...], new: Shape) -> tuple[int, ...]:
    """Return the shape that a reshape asks for, with a -1 worked out.

    Raises:
        ShapeError: the elements do not fill it.
    """
    if getattr(new, "ndim", 1) == 0 or isinstance(new, int) or is_symbolic_dim(new):
        new = (as_index(function, "a size", new),)
    sizes = [as_index(function, "a size", n) for n in sequence(function, "shape", new)]
    unknown = [i for i, n in enumerate(sizes) if n == -1]
    count = 1
    for n in sizes:
        if n != -1:
            count *= n
    if len(unknown) == 1 and count and total % count == 0:
        sizes[unknown[0]] = total // count
        count = total
    if unknown[1:]:
        raise ShapeError(
            f"cannot reshape array of shape {old} into shape {tuple(sizes)}: only one size may be -1",
            fix="write the other sizes out",
        )
    if count != total or any(n < 0 for n in sizes):
        raise ShapeError(
            f"cannot reshape array of shape {old} (size {total}) into shape {tuple(sizes)} (size {count})",
            fix="the sizes must multiply to the number of elements; one of them may be -1 to be worked out",
        )
    return tuple(sizes)


_RESHAPES: Final[Plans] = {}


def reshape(
    a: ArrayLike,
    shape: Shape,
    order: str = "C",
    *,
    copy: bool | None = None,
    out_sharding: Device = None,
) -> Array:
    """Return the same elements in another shape.

    Args:
        a: an array.
        shape: the new sizes, with the same product; one of them may be -1, which follows from the others.
        order: "C": row-major order; "F": column-major order of both arrays.
        copy: has no effect: arrays are immutable.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: the sizes do not go with the number of elements.
        ArgumentError: another order.

    Example:
        >>> import numpy as np
        >>> print(reshape(np.arange(4), (2, -1)))
        [[0 1]
         [2 3]]
    """
    if out_sharding is not None:
        return with_out_sharding(reshape, out_sharding, a, shape, order, copy=copy)
    names("reshape", order=order)
    key = None
    if order == "C":
        key = key_with_integers(a, shape)
        if key is not None:
            primitive = _RESHAPES.get(key)
            if primitive is not None:
                found: Array = current_trace().process(primitive, (a,))[0]  # type: ignore[arg-type, assignment]
                return found
    x = coerce_array("reshape", 0, a)
    own = x.shape
    sizes = wanted_shape("reshape", x.size, own, shape)
    if key is not None and own != sizes:
        remember(_RESHAPES, key, Reshape(sizes))
    if order == "F":
        turned = ops.reshape(transpose(x), shape=sizes[::-1])
        return transpose(turned)
    if order not in ("C", "A"):
        raise ArgumentError(f"reshape: order must be 'C' or 'F', got {order!r}")
    return x if own == sizes else ops.reshape(x, shape=sizes)


def ravel(a: ArrayLike, order: str = "C", *, out_sharding: Device = None) -> Array:
    """Flatten an array into a vector.

    Args:
        a: an array.
        order: "C": row-major order; "F": column-major order.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> import numpy as np
        >>> print(ravel(np.array([[1, 2], [3, 4]])))
        [1 2 3 4]
    """
    if out_sharding is not None:
        return with_out_sharding(ravel, out_sharding, a, order)
    names("ravel", order=order)
    return reshape(a, (-1,) if size(a) else (0,), "C" if order == "K" else order)


def squeeze(a: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """Remove axes of size 1.

    Args:
        a: an array.
        axis: an axis or several; all axes of size 1 if None.

    Raises:
        ShapeError: an axis has not size 1.

    Example:
        >>> import numpy as np
        >>> print(squeeze(np.ones((1, 3))).shape)
        (3,)
    """
    x = coerce_array("squeeze", 0, a)
    if axis is None:
        drop = tuple([i for i, n in enumerate(x.shape) if n == 1])
    else:
        drop = as_axes("squeeze", axis, x.ndim)
        if any(x.shape[i] != 1 for i in drop):
            raise ShapeError(
                f"squeeze: axes {drop} of shape {x.shape} are not all of size 1",
                fix="take one element with `x[0]`, reduce over the axis, or leave `axis` out",
            )
    return (
        ops.reshape(x, shape=tuple([n for i, n in enumerate(x.shape) if i not in drop]))
        if drop
        else x
    )


def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> Array:
    """Insert axes of size 1.

    Args:
        a: an array.
        axis: the place, or the places, of the new axes in the result.

    Example:
        >>> import numpy as np
        >>> print(expand_dims(np.arange(2), 0).shape)
        (1, 2)
    """
    x = coerce_array("expand_dims", 0, a)
    several = isinstance(axis, Iterable) and getattr(axis, "ndim", 1) != 0
    names = sequence("expand_dims", "axis", axis) if several else (axis,)
    ndim = x.ndim + len(names)
    places = as_axes("expand_dims", names, ndim)
    rest = iter(x.shape)
    return ops.reshape(x, shape=tuple([1 if i in places else next(rest) for i in range(ndim)]))


@overload
def atleast_1d(ary: ArrayLike, /) -> Array: ...
@overload
def atleast_1d(first: ArrayLike, second: ArrayLike, /, *arys: ArrayLike) -> list[Array]: ...
def atleast_1d(*arys: ArrayLike) -> Array | list[Array]:
    """Return the arrays, with an axis if they have none.

    Example:
        >>> print(atleast_1d(3.0).shape)
        (1,)
    """
    results = [
        x if x.ndim else ops.reshape(x, shape=(1,))
        for x in [coerce_array("atleast_1d", 0, a) for a in arys]
    ]
    return results[0] if len(results) == 1 else results


@overload
def atleast_2d(ary: ArrayLike, /) -> Array: ...
@overload
def atleast_2d(first: ArrayLike, second: ArrayLike, /, *arys: ArrayLike) -> list[Array]: ...
def atleast_2d(*arys: ArrayLike) -> Array | list[Array]:
    """Return the arrays, with leading axes of size 1 up to two axes.

    Example:
        >>> import numpy as np
        >>> print(atleast_2d(np.arange(3)).shape)
        (1, 3)
    """
    results = [
        x if x.ndim > 1 else ops.reshape(x, shape=(1, x.size))
        for x in [coerce_array("atleast_2d", 0, a) for a in arys]
    ]
    return results[0] if len(results) == 1 else results


@overload
def atleast_3d(ary: ArrayLike, /) -> Array: ...
@overload
def atleast_3d(first: ArrayLike, second: ArrayLike, /, *arys: ArrayLike) -> list[Array]: ...
def atleast_3d(*arys: ArrayLike) -> Array | list[Array]:
    """Return the arrays, with axes of size 1 around theirs up to three axes.

    Example:
        >>> import numpy as np
        >>> print(atleast_3d(np.arange(3)).shape)
        (1, 3, 1)
    """
    results = []
    for a in arys:
        x = coerce_array("atleast_3d", 0, a)
        if x.ndim < 2:
            x = ops.reshape(x, shape=(1, x.size, 1))
        elif x.ndim == 2:
            x = ops.reshape(x, shape=(*x.shape, 1))
        results.append(x)
    return results[0] if len(results) == 1 else results
