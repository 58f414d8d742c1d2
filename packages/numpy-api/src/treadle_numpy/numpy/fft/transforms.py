"""What all Fourier transforms share: axes, lengths and norms around the primitive, which takes the last axes.

`transform` pads and cuts the axes to their lengths, brings them to the end, transforms up to three at once, brings them
back and scales the result by its norm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.core import inexact_dtype
from treadle_ir.core.dtypes import complex_of, is_complex, real_part, user_name
from treadle_ir.errors import integer, shown
from treadle_ir.primitives.fourier import FftKind
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.axes import as_axes, as_axis
from treadle_numpy.operands.coerce import coerce_array
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import as_shape

Norm: TypeAlias = Literal["backward", "ortho", "forward"]
_AT_ONCE: Final = 3  # axes of one operation


def as_norm(function: str, norm: object) -> Norm:
    """Return a `norm` argument; None is "backward".

    Raises:
        ArgumentError: it is none of the three.
    """
    named = norm if isinstance(norm, str) else None
    if norm is None or named == "backward":
        return "backward"
    if named == "ortho":
        return "ortho"
    if named == "forward":
        return "forward"
    raise ArgumentError(
        f'{function}: Invalid norm value {shown(norm)}; should be "backward","ortho" or "forward".'
    )


def opposite(norm: Norm) -> Norm:
    """Return the norm of the inverse transform that scales as this one does."""
    if norm == "ortho":
        return norm
    return "forward" if norm == "backward" else "backward"


def along_one(
    function: str, kind: FftKind, a: object, n: int | None, axis: object, norm: object
) -> Array:
    """Return the transform along one axis."""
    x = _operand(function, kind, a)
    if isinstance(axis, (tuple, list)):
        raise ArgumentError(
            f"{function}: axis is {shown(axis)}, but one axis is transformed",
            fix=f"use treadle.numpy.fft.{function}n for several",
        )
    axes = (as_axis(function, axis, x.ndim),)
    lengths = None if n is None else (_length(function, "n", n),)
    return transform(function, kind, x, lengths, axes, as_norm(function, norm))


def along_several(
    function: str,
    kind: FftKind,
    a: object,
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: object,
    count: int | None = None,
) -> Array:
    """Return the transform along several axes: by default the last ones, as many as there are lengths, or all.

    `count` is how many axes there must be; None: any number.
    """
    x = _operand(function, kind, a)
    lengths = None if s is None else as_shape(function, s)
    if lengths is not None and 0 in lengths:
        raise ArgumentError(f"{function}: s is {lengths}, but every length must be at least 1")
    if axes is None and lengths is not None:
        axes = tuple(range(-len(lengths), 0))
    named = as_axes(function, axes, x.ndim)
    if count is not None and len(named) != count:
        raise ArgumentError(
            f"{function}: axes is {shown(axes)}, but {count} axes are transformed",
            fix=f"use treadle.numpy.fft.{function.rstrip('2')}n for another number",
        )
    if lengths is not None and len(lengths) != len(named):
        raise ArgumentError(
            f"{function}: s has {len(lengths)} lengths for the {len(named)} axes {named}",
            fix="give one length for each axis",
        )
    return transform(function, kind, x, lengths, named, as_norm(function, norm))


def transform(
    function: str,
    kind: FftKind,
    x: Array,
    lengths: tuple[int, ...] | None,
    axes: tuple[int, ...],
    norm: Norm,
) -> Array:
    """Return the transform of an operand of the right element type along axes that it has."""
    real = kind in ("rfft", "irfft")
    if not axes:
        if real:
            raise ArgumentError(
                f"{function}: no axes, but real transforms need one", fix="name an axis"
            )
        return x
    if lengths is None:
        lengths = tuple([x.shape[axis] for axis in axes])
        if kind == "irfft":
            lengths = (*lengths[:-1], 2 * max(lengths[-1] - 1, 0))
    for axis, length in zip(axes, lengths, strict=True):
        halved = kind == "irfft" and axis == axes[-1]
        x = resized(x, axis, length // 2 + 1 if halved and length else length)
    order = [i for i in range(x.ndim) if i not in axes] + list(axes)
    x = _transposed(x, order)
    x = _in_groups(kind, x, lengths)
    x = _transposed(x, [order.index(i) for i in range(x.ndim)])
    n = math.prod(lengths)
    power = {"backward": 0.0, "ortho": 0.5, "forward": 1.0}[norm]
    if not power or n < 2:
        return x
    return ops.multiply(x, x.dtype.type(n ** (power if kind in ("ifft", "irfft") else -power)))


def resized(x: Array, axis: int, size: int) -> Array:
    """Return the first elements along an axis, or all and zeros after them."""
    own = x.shape[axis]
    if own > size:
        return slice_along(x, axis, 0, size)
    if own == size:
        return x
    high = [size - own if i == axis else 0 for i in range(x.ndim)]
    return ops.pad(x, x.dtype.type(0), low=[0] * x.ndim, high=high)


def _in_groups(kind: FftKind, x: Array, lengths: tuple[int, ...]) -> Array:
    """The last axes, then further ones brought to the end, for one operation takes only three; inverses reversed."""
    if len(lengths) <= _AT_ONCE:
        return ops.fft(x, kind=kind, lengths=lengths)
    inverse = kind in ("ifft", "irfft")
    complex_kind: FftKind = "ifft" if inverse else "fft"
    starts = list(range(len(lengths) - _AT_ONCE, -_AT_ONCE, -_AT_ONCE))
    for start in reversed(starts) if inverse else starts:
        group = range(max(start, 0), start + _AT_ONCE)
        own_kind = kind if start == starts[0] else complex_kind
        first = x.ndim - len(lengths)
        moved = [first + i for i in group]
        order = [i for i in range(x.ndim) if i not in moved] + moved
        x = ops.fft(
            _transposed(x, order), kind=own_kind, lengths=tuple([lengths[i] for i in group])
        )
        x = _transposed(x, [order.index(i) for i in range(x.ndim)])
    return x


def _transposed(x: Array, order: list[int]) -> Array:
    if order == list(range(x.ndim)):
        return x
    return ops.transpose(x, permutation=tuple(order))


def _operand(function: str, kind: FftKind, a: object) -> Array:
    """Return the operand in the element type that the transform takes."""
    x = coerce_array(function, 0, a)
    dtype = inexact_dtype(x.dtype)
    if kind != "rfft":
        return converted(x, complex_of(dtype))
    if is_complex(dtype):
        raise DTypeError(
            f"{function}: only real valued inputs supported for {function}, got {user_name(dtype)}",
            fix=f"use {function.replace('rfft', 'fft')}, or pass the real part",
        )
    return converted(x, real_part(complex_of(dtype)))  # at least f32


def _length(function: str, name: str, value: object) -> int:
    length = integer(function, name, value)
    if length < 1:
        raise ArgumentError(f"{function}: {name} is {length}, but must be at least 1")
    return length
