"""The same bits read as elements of another type: what `x.view` and `lax.bitcast_convert_type` share.

Everything goes through unsigned words, which are split and joined by shifts along the last axis: the lowest bits
first, as hosts and devices store them. A 4-bit integer counts as 4 bits. Complex numbers are two words.
"""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, DTypeError, ShapeError, ops
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, DType, bit_width, is_key, key_refused


def _unsigned(bits: int) -> DType:
    return BY_NAME[f"u{bits}"]


def _word_width(dtype: DType) -> int:
    return bit_width(dtypes.real_part(dtype))


def words(x: Array) -> Array:
    """The bits of each element as unsigned integers along a new last axis: two for a complex number, else one."""
    parts = [ops.real(x), ops.imag(x)] if dtypes.is_complex(x.dtype) else [x]
    unsigned = _unsigned(_word_width(x.dtype))
    if dtypes.is_bool(x.dtype):
        parts = [ops.convert(x, dtype=unsigned)]
    columns = [
        ops.reshape(ops.bitcast_convert(part, dtype=unsigned), shape=(*x.shape, 1))
        for part in parts
    ]
    return ops.concatenate(columns, dimension=x.ndim)


def from_words(x: Array, dtype: DType) -> Array:
    """Restore elements from their `words`; the last axis is dropped."""
    shape = x.shape[:-1]
    if dtypes.is_complex(dtype):
        return _joined(ops.bitcast_convert(x, dtype=dtypes.real_part(dtype)))
    x = ops.reshape(x, shape=shape)
    if dtypes.is_bool(dtype):
        return ops.convert(x, dtype=dtype)
    return ops.bitcast_convert(x, dtype=dtype)


def regrouped(x: Array, bits: int) -> Array:
    """Unsigned words along the last axis, split or joined into words of so many bits."""
    own = bit_width(x.dtype)
    *outer, last = x.shape
    if own == bits:
        return x
    if bits < own:
        shape = (*outer, last, own // bits)
        wide = ops.broadcast_in_dim(x, shape=shape, dimensions=tuple(range(x.ndim)))
        places = ops.iota(shape=shape, dtype=x.dtype, dimension=x.ndim)
        shifted = ops.shift_right_logical(wide, ops.multiply(places, x.dtype.type(bits)))
        parts = ops.and_(shifted, x.dtype.type((1 << bits) - 1))
        return ops.reshape(
            ops.convert(parts, dtype=_unsigned(bits)), shape=(*outer, last * (own // bits))
        )
    wanted = _unsigned(bits)
    shape = (*outer, last * own // bits, bits // own)
    wide = ops.convert(ops.reshape(x, shape=shape), dtype=wanted)
    places = ops.iota(shape=shape, dtype=wanted, dimension=x.ndim)
    shifted = ops.shift_left(wide, ops.multiply(places, wanted.type(own)))
    return ops.reduce_or(shifted, axes=(x.ndim,))


def _parts_in_turn(x: Array) -> Array:
    """Real and imaginary parts in turn along the last axis; unlike words of bits, they have derivatives."""
    parts = [ops.reshape(part, shape=(*x.shape, 1)) for part in (ops.real(x), ops.imag(x))]
    return ops.reshape(
        ops.concatenate(parts, dimension=x.ndim), shape=(*x.shape[:-1], 2 * x.shape[-1])
    )


def _joined(x: Array) -> Array:
    """Complex numbers of the real and imaginary parts in the last axis."""
    shape = x.shape[:-1]
    whole = (0,) * len(shape)
    real, imag = [
        ops.reshape(ops.slice(x, start=(*whole, i), limit=(*shape, i + 1)), shape=shape)
        for i in range(2)
    ]
    return ops.complex(real, imag)


def viewed(x: Array, dtype: DType) -> Array:
    """Return the bits of the last axis read as elements of another type; its size changes with the elements' width.

    Complex numbers read as their parts, and the other way round, have derivatives.

    Raises:
        ArgumentError: there is no last axis, or its bits make no whole number of elements.
    """
    if x.dtype == dtype:
        return x
    if is_key(x.dtype) or is_key(dtype):
        raise key_refused("view")
    own, new = bit_width(x.dtype), bit_width(dtype)
    if own != new and not x.ndim:
        raise ArgumentError(
            "view: the size of the element type of an array without axes cannot change"
        )
    if own != new and (x.shape[-1] * own) % new:
        raise ArgumentError(
            f"view: the last axis of shape {x.shape} has {x.shape[-1] * own} bits, no multiple of {new}"
        )
    if dtypes.is_complex(x.dtype) and dtype == dtypes.real_part(x.dtype):
        return _parts_in_turn(x)
    if dtypes.is_complex(dtype) and x.dtype == dtypes.real_part(dtype):
        return _joined(ops.reshape(x, shape=(*x.shape[:-1], x.shape[-1] // 2, 2)))
    pieces = words(x)
    if x.ndim:
        pieces = ops.reshape(pieces, shape=(*x.shape[:-1], x.shape[-1] * pieces.shape[-1]))
    pieces = regrouped(pieces, _word_width(dtype))
    *outer, last = pieces.shape
    each = new // _word_width(dtype)
    sizes = (*outer, last // each) if x.ndim else ()
    return from_words(ops.reshape(pieces, shape=(*sizes, each)), dtype)


def bitcast(x: Array, dtype: DType) -> Array:
    """Return the same bits as elements of another type; a narrower one adds a last axis, a wider one takes it away.

    Raises:
        DTypeError: one of the two types is boolean or complex, and the other is not the same.
        ShapeError: there is no last axis of the size that makes one wider element.
    """
    own, new = bit_width(x.dtype), bit_width(dtype)
    if own == new or x.dtype == dtype:
        return ops.bitcast_convert(x, dtype=dtype)
    if {x.dtype.kind, dtype.kind} & {"b", "c"}:
        raise DTypeError(
            f"bitcast_convert_type: {x.dtype} cannot be read as {dtype}, but only as itself",
            fix="use the array's `.view(dtype)`",
        )
    if new < own:
        parts = regrouped(words(x), new)
        return from_words(ops.reshape(parts, shape=(*parts.shape, 1)), dtype)
    if not x.ndim or x.shape[-1] * own != new:
        raise ShapeError(
            f"bitcast_convert_type: {x.shape} of {x.dtype} has no last axis of size {new // own} to make {dtype} of"
        )
    joined = regrouped(ops.reshape(words(x), shape=x.shape), new)
    return from_words(joined, dtype)
