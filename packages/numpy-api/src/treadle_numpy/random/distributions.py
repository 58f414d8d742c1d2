"""Distributions, each from uniform bits by the algorithm that JAX's documentation of it describes.

They agree with JAX bit for bit where the computation is exact (integers, uniform floats, permutations, choices),
and up to the rounding of log and erf_inv elsewhere.

Long because there is one function for each distribution.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from treadle_ir import ArgumentError, Array, DType, default_dtype, ops as raw_ops
from treadle_ir.dtypes import BY_NAME, is_complex, is_floating, is_integer, real_part
from treadle_numpy.coercion import (
    ValueArgumentError,
    array_from,
    array_of,
    as_axis,
    as_shape,
    broadcast_to_shape,
    coerce,
    common_shape,
    converted,
    host_elements,
    operand_type,
    ops,
    promote,
    shape_of,
)
from treadle_numpy.creation import arange
from treadle_numpy.dtypes import DTypeLike, as_dtype, finfo
from treadle_numpy.elementwise import add, multiply, subtract
from treadle_numpy.indexing import take
from treadle_numpy.manipulation import broadcast_to, moveaxis, reshape, slice_along
from treadle_numpy.random.bits import random_bits, unit_floats
from treadle_numpy.random.keys import single
from treadle_numpy.reductions import argmax, cumsum
from treadle_numpy.searching import searchsorted
from treadle_numpy.sorting import argsort, top_k


def _float_dtype(name: str, dtype: DTypeLike | None) -> DType:
    wanted = as_dtype(name, float if dtype is None else dtype)
    assert wanted is not None
    if not is_floating(wanted):
        raise ValueArgumentError(f"dtype argument to `{name}` must be a float dtype, got {wanted}")
    return wanted


def _shape(name: str, shape: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape asked for, or that parameters broadcast to; parameters must broadcast to it."""
    own = common_shape(name, [shape_of(p) for p in parameters]) if parameters else ()
    if shape is None:
        return own
    sizes = as_shape(name, shape)
    if common_shape(name, [sizes, own]) != sizes:
        raise ValueArgumentError(
            f"{name} parameter shapes {own} do not broadcast to the requested shape {sizes}"
        )
    return sizes


def _parameter(x: Any, dtype: DType, shape: tuple[int, ...]) -> Any:
    """A parameter in an element type, spread over a shape (scalars are left alone)."""
    operand = converted(coerce("random", 1, x), dtype)
    return broadcast_to_shape(operand, shape) if shape_of(operand) else operand


def _split(words: Any, count: int) -> list[Any]:
    parts = ops.random_split(words, shape=(count,))
    return [ops.reshape(slice_along(parts, 0, i, i + 1), shape=(2,)) for i in range(count)]


def uniform(
    key: Any, shape: Any = (), dtype: DTypeLike | None = None, minval: Any = 0.0, maxval: Any = 1.0
) -> Array:
    """Uniform floats in [minval, maxval).

    Example:
        >>> from treadle_numpy.random import key
        >>> print(f"{float(uniform(key(0))):.4f}")
        0.9477
    """
    wanted = _float_dtype("uniform", dtype)
    sizes = _shape("uniform", shape, coerce("uniform", 3, minval), coerce("uniform", 4, maxval))
    return _uniform(single("uniform", key), sizes, wanted, minval, maxval)


def _uniform(
    words: Any, shape: tuple[int, ...], dtype: DType, low: Any = 0.0, high: Any = 1.0
) -> Array:
    first, last = _parameter(low, dtype, shape), _parameter(high, dtype, shape)
    floats = unit_floats(words, shape, dtype)
    if isinstance(low, float) and isinstance(high, float) and (low, high) == (0.0, 1.0):
        return floats
    return ops.maximum(ops.add(ops.multiply(floats, ops.subtract(last, first)), first), first)


def _normal(words: Any, shape: tuple[int, ...], dtype: DType) -> Array:
    low = np.nextafter(np.asarray(-1.0, dtype), np.asarray(0.0, dtype), dtype=dtype)[()]
    return ops.multiply(
        ops.erf_inv(_uniform(words, shape, dtype, low, dtype.type(1))), dtype.type(np.sqrt(2))
    )


def normal(key: Any, shape: Any = (), dtype: DTypeLike | None = None) -> Array:
    """Normal floats with mean 0 and variance 1; complex ones have independent parts of variance 1/2.

    Example:
        >>> from treadle_numpy.random import key
        >>> normal(key(0), (2, 3)).shape
        (2, 3)
    """
    wanted = as_dtype("normal", float if dtype is None else dtype)
    assert wanted is not None
    sizes, words = as_shape("normal", shape), single("normal", key)
    if is_complex(wanted):
        first, second = _split(words, 2)
        part = real_part(wanted)
        half = part.type(np.sqrt(2))
        real, imag = _normal(first, sizes, part), _normal(second, sizes, part)
        return ops.complex(ops.divide(real, half), ops.divide(imag, half))
    return _normal(words, sizes, _float_dtype("normal", wanted))


def truncated_normal(
    key: Any, lower: Any, upper: Any, shape: Any = None, dtype: DTypeLike | None = None
) -> Array:
    """Normal floats between two bounds."""
    wanted = _float_dtype("truncated_normal", dtype)
    a, b = coerce("truncated_normal", 1, lower), coerce("truncated_normal", 2, upper)
    sizes = _shape("truncated_normal", shape, a, b)
    low, high = _parameter(a, wanted, sizes), _parameter(b, wanted, sizes)
    root = wanted.type(np.sqrt(2))
    u = _uniform(
        single("truncated_normal", key),
        sizes,
        wanted,
        ops.erf(ops.divide(low, root)),
        ops.erf(ops.divide(high, root)),
    )
    drawn = ops.multiply(ops.erf_inv(u), root)
    return ops.clamp(
        ops.next_after(low, wanted.type(np.inf)), drawn, ops.next_after(high, wanted.type(-np.inf))
    )


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None, mode: str = "low") -> Array:
    """Booleans that are true with probability `p`.

    Raises:
        ValueArgumentError: a mode that is not there.
    """
    if mode != "low":
        raise ValueArgumentError(
            f"bernoulli: mode {mode!r} is not supported", fix="only 'low', the default, is there"
        )
    (chance,) = promote("bernoulli", p, inexact=True)
    dtype = operand_type(chance).dtype
    sizes = _shape("bernoulli", shape, chance)
    return ops.compare(
        _uniform(single("bernoulli", key), sizes, dtype),
        _parameter(chance, dtype, sizes),
        direction="lt",
    )


def rademacher(key: Any, shape: Any = (), dtype: DTypeLike | None = None) -> Array:
    """-1 or 1, each with probability 1/2."""
    wanted = as_dtype("rademacher", int if dtype is None else dtype)
    assert wanted is not None
    heads = bernoulli(key, 0.5, as_shape("rademacher", shape))
    return ops.select(heads, wanted.type(1), wanted.type(-1))


def randint(
    key: Any, shape: Any, minval: Any, maxval: Any, dtype: DTypeLike | None = None
) -> Array:
    """Integers in [minval, maxval), uniform up to a bias below 2 ** -32.

    Raises:
        ValueArgumentError: the element type is not an integer.
        ArgumentError: a bound is not an integer.

    Example:
        >>> from treadle_numpy.random import key
        >>> randint(key(0), (3,), 0, 10).shape
        (3,)
    """
    wanted = as_dtype("randint", int if dtype is None else dtype)
    assert wanted is not None
    if not is_integer(wanted):
        raise ValueArgumentError(
            f"dtype argument to `randint` must be an integer dtype, got {wanted}"
        )
    sizes = as_shape("randint", shape)
    for i, bound in enumerate((minval, maxval)):
        if not is_integer(operand_type(coerce("randint", i + 2, bound)).dtype):
            raise ArgumentError(
                "randint: minval and maxval must be integers", fix="convert them with int(...)"
            )
    limits = np.iinfo(wanted)
    low, high, beyond = (
        _bound(minval, wanted, limits),
        _bound(maxval, wanted, limits),
        _beyond(maxval, wanted, limits),
    )
    low = broadcast_to_shape(low, sizes) if shape_of(low) else low
    high = broadcast_to_shape(high, sizes) if shape_of(high) else high
    # narrow integers are drawn with 32 bits, so that the bias stays small
    width = max(32, wanted.itemsize * 8)
    unsigned = BY_NAME[f"u{width}"]
    if wanted.itemsize < 4:
        low, high = [ops.convert(x, dtype=np.dtype(np.int32)) for x in (low, high)]
    first, second = _split(single("randint", key), 2)
    upper, lower = random_bits(first, sizes, width), random_bits(second, sizes, width)

    def as_unsigned(x: Any) -> Any:
        return x if operand_type(x).dtype == unsigned else ops.bitcast_convert(x, dtype=unsigned)

    span: Any = as_unsigned(ops.subtract(high, low))
    span = ops.select(ops.compare(high, low, direction="le"), unsigned.type(1), span)
    wider = ops.and_(beyond, ops.compare(high, low, direction="gt"))
    span = ops.select(wider, ops.add(span, unsigned.type(1)), span)
    # 2 ** width mod span, in two steps that do not overflow; a span of 0 stands for 2 ** width
    root = ops.remainder(unsigned.type(1 << (width // 2)), span)
    factor = ops.remainder(ops.multiply(root, root), span)
    mixed = ops.add(ops.multiply(ops.remainder(upper, span), factor), ops.remainder(lower, span))
    offset = ops.remainder(mixed, span)
    own = operand_type(low).dtype
    result = ops.add(low, offset if own == unsigned else ops.bitcast_convert(offset, dtype=own))
    return result if own == wanted else ops.convert(result, dtype=wanted)


def _bound(value: Any, dtype: DType, limits: Any) -> Any:
    """A bound of integers, cut to what the element type can hold."""
    if isinstance(value, int):
        return dtype.type(min(max(value, int(limits.min)), int(limits.max)))
    operand = coerce("randint", 2, value)
    own = np.iinfo(operand_type(operand).dtype)
    low, high = max(int(limits.min), int(own.min)), min(int(limits.max), int(own.max))
    kept = ops.clamp(
        operand_type(operand).dtype.type(low), operand, operand_type(operand).dtype.type(high)
    )
    return converted(kept, dtype)


def _beyond(value: Any, dtype: DType, limits: Any) -> Any:
    """Whether the upper bound lies above what the element type can hold."""
    if isinstance(value, int):
        return np.bool_(value > int(limits.max))
    operand = coerce("randint", 3, value)
    own = np.iinfo(operand_type(operand).dtype)
    if int(own.max) <= int(limits.max):
        return np.bool_(False)
    return ops.compare(operand, operand_type(operand).dtype.type(int(limits.max)), direction="gt")


def _shuffled(words: Any, x: Array, axis: int) -> Array:
    """Each vector along an axis in random order: sorted by random keys, often enough that ties do not matter."""
    rounds = math.ceil(3 * math.log(max(1, x.size)) / math.log(2**32 - 1))
    for _ in range(rounds):
        words, here = _split(words, 2)
        keys = random_bits(here, x.shape, 32)
        x = cast("Array", raw_ops.sort([keys, x], dimension=axis, num_keys=1, stable=True)[1])
    return x


def permutation(key: Any, x: Any, axis: int = 0, independent: bool = False) -> Array:
    """A random order of `x` along an axis, or of the integers below it.

    Raises:
        ArgumentError: `x` is a number, but not an integer, or is being traced.

    Example:
        >>> from treadle_numpy.random import key
        >>> sorted(permutation(key(0), 3).tolist())
        [0, 1, 2]
    """
    words = single("permutation", key)
    operand = array_from("permutation", x, None)
    if not operand.ndim:
        if not is_integer(operand.dtype):
            raise ArgumentError("x must be an integer or at least 1-dimensional")
        count = host_elements(operand)
        if count is None:
            raise ArgumentError("permutation: the number of integers must be known while tracing")
        return _shuffled(words, arange(int(count)), 0)
    along = as_axis("permutation", axis, operand.ndim)
    if independent or operand.ndim == 1:
        return _shuffled(words, operand, along)
    order = _shuffled(words, arange(operand.shape[along]), 0)
    return take(operand, order, along, mode="clip")


def gumbel(
    key: Any, shape: Any = (), dtype: DTypeLike | None = None, mode: str | None = None
) -> Array:
    """Gumbel floats: `-log(-log(u))`.

    Raises:
        ValueArgumentError: a mode that is not there.
    """
    if mode not in (None, "low"):
        raise ValueArgumentError(
            f"gumbel: mode {mode!r} is not supported", fix="only 'low', the default, is there"
        )
    return _gumbel(single("gumbel", key), as_shape("gumbel", shape), _float_dtype("gumbel", dtype))


def _gumbel(words: Any, shape: tuple[int, ...], dtype: DType) -> Array:
    tiny = dtype.type(finfo(dtype).tiny)
    return ops.negate(
        ops.log(ops.negate(ops.log(_uniform(words, shape, dtype, tiny, dtype.type(1)))))
    )


def exponential(key: Any, shape: Any = (), dtype: DTypeLike | None = None) -> Array:
    """Exponential floats with mean 1."""
    wanted = _float_dtype("exponential", dtype)
    u = _uniform(single("exponential", key), as_shape("exponential", shape), wanted)
    return ops.negate(ops.log_plus_one(ops.negate(u)))


def laplace(key: Any, shape: Any = (), dtype: DTypeLike | None = None) -> Array:
    """Laplace floats with mean 0 and scale 1."""
    wanted = _float_dtype("laplace", dtype)
    low = wanted.type(-1.0 + float(finfo(wanted).epsneg))
    u = _uniform(single("laplace", key), as_shape("laplace", shape), wanted, low, wanted.type(1))
    return ops.multiply(ops.sign(u), ops.log_plus_one(ops.negate(ops.abs(u))))


def logistic(key: Any, shape: Any = (), dtype: DTypeLike | None = None) -> Array:
    """Logistic floats with mean 0 and scale 1."""
    wanted = _float_dtype("logistic", dtype)
    low = wanted.type(finfo(wanted).tiny)
    u = _uniform(single("logistic", key), as_shape("logistic", shape), wanted, low, wanted.type(1))
    return ops.log(ops.divide(u, ops.subtract(wanted.type(1), u)))


def cauchy(key: Any, shape: Any = (), dtype: DTypeLike | None = None) -> Array:
    """Cauchy floats."""
    wanted = _float_dtype("cauchy", dtype)
    low = wanted.type(finfo(wanted).eps)
    u = _uniform(single("cauchy", key), as_shape("cauchy", shape), wanted, low, wanted.type(1))
    return ops.tan(ops.multiply(wanted.type(np.pi), ops.subtract(u, wanted.type(0.5))))


def lognormal(
    key: Any, sigma: Any = 1.0, shape: Any = None, dtype: DTypeLike | None = None
) -> Array:
    """The exponential of normal floats with standard deviation `sigma`."""
    wanted = _float_dtype("lognormal", dtype)
    scale = coerce("lognormal", 1, sigma)
    sizes = _shape("lognormal", shape, scale)
    drawn = _normal(single("lognormal", key), sizes, wanted)
    return ops.exponential(ops.multiply(drawn, _parameter(scale, wanted, sizes)))


def rayleigh(key: Any, scale: Any, shape: Any = None, dtype: DTypeLike | None = None) -> Array:
    """Rayleigh floats: `scale * sqrt(-2 log u)`."""
    wanted = _float_dtype("rayleigh", dtype)
    factor = coerce("rayleigh", 1, scale)
    sizes = _shape("rayleigh", shape, factor)
    u = _uniform(single("rayleigh", key), sizes, wanted)
    return multiply(
        _parameter(factor, wanted, sizes), ops.sqrt(ops.multiply(ops.log(u), wanted.type(-2)))
    )


def weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = (), dtype: DTypeLike | None = None
) -> Array:
    """Weibull floats: `scale * (-log(1 - u)) ** (1 / concentration)`."""
    wanted = _float_dtype("weibull_min", dtype)
    a, b = coerce("weibull_min", 1, scale), coerce("weibull_min", 2, concentration)
    sizes = _shape("weibull_min", shape, a, b)
    u = _uniform(single("weibull_min", key), sizes, wanted)
    power = ops.divide(wanted.type(1), _parameter(b, wanted, sizes))
    return multiply(
        ops.power(ops.negate(ops.log_plus_one(ops.negate(u))), power), _parameter(a, wanted, sizes)
    )


def maxwell(key: Any, shape: Any = (), dtype: DTypeLike | None = None) -> Array:
    """Maxwell floats: the length of a normal vector of three elements."""
    wanted = _float_dtype("maxwell", dtype)
    sizes = as_shape("maxwell", shape)
    drawn = _normal(single("maxwell", key), (*sizes, 3), wanted)
    return ops.sqrt(ops.reduce_add(ops.square(drawn), axes=(len(sizes),)))


def pareto(key: Any, b: Any, shape: Any = None, dtype: DTypeLike | None = None) -> Array:
    """Pareto floats: `exp(e / b)` for exponential e."""
    wanted = _float_dtype("pareto", dtype)
    index = coerce("pareto", 1, b)
    sizes = _shape("pareto", shape, index)
    return ops.exponential(
        ops.divide(exponential(key, sizes, wanted), _parameter(index, wanted, sizes))
    )


def geometric(key: Any, p: Any, shape: Any = None, dtype: DTypeLike | None = None) -> Array:
    """The number of trials up to the first success."""
    whole = as_dtype("geometric", int if dtype is None else dtype)
    assert whole is not None
    (chance,) = promote("geometric", p, inexact=True)
    own = operand_type(chance).dtype
    sizes = _shape("geometric", shape, chance)
    u = _uniform(single("geometric", key), sizes, own)
    trials = ops.divide(ops.log(u), ops.log_plus_one(ops.negate(_parameter(chance, own, sizes))))
    return ops.convert(ops.add(ops.floor(trials), own.type(1)), dtype=whole)


def triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: DTypeLike | None = None
) -> Array:
    """Triangular floats from `left` to `right` with the peak at `mode`."""
    wanted = _float_dtype("triangular", dtype)
    parameters = [coerce("triangular", i + 1, x) for i, x in enumerate((left, mode, right))]
    sizes = _shape("triangular", shape, *parameters)
    low, peak, high = [_parameter(x, wanted, sizes) for x in parameters]
    u = _uniform(single("triangular", key), sizes, wanted)
    width = ops.subtract(high, low)
    share = ops.divide(ops.subtract(peak, low), width)
    rise = add(low, ops.sqrt(multiply(multiply(u, width), ops.subtract(peak, low))))
    fall = subtract(
        high,
        ops.sqrt(multiply(multiply(subtract(wanted.type(1), u), width), ops.subtract(high, peak))),
    )
    return ops.select(ops.compare(u, share, direction="lt"), rise, fall)


def categorical(
    key: Any,
    logits: Any,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    mode: str | None = None,
) -> Array:
    """Positions along an axis, with probabilities that are the softmax of `logits`.

    Raises:
        ValueArgumentError: the shape does not end in that of the logits, or replacement is needed for so many.

    Example:
        >>> from treadle_numpy.random import key
        >>> print(categorical(key(0), np.array([0.0, -np.inf], np.float32)))
        0
    """
    (operand,) = promote("categorical", logits, inexact=True)
    x = array_of(operand)
    along = as_axis("categorical", axis, x.ndim)
    batch = x.shape[:along] + x.shape[along + 1 :]
    sizes = batch if shape is None else as_shape("categorical", shape)
    extra = len(sizes) - len(batch)
    if extra < 0 or common_shape("categorical", [sizes, batch]) != sizes:
        raise ValueArgumentError(
            f"categorical: the shape {sizes} does not end in the batch shape {batch} of the logits"
        )
    words = single("categorical", key)
    if replace:
        # the noise has the logits' own axis order, behind the extra axes
        inner = list(sizes[extra:])
        inner.insert(along, x.shape[along])
        noise = _gumbel(words, (*sizes[:extra], *inner), x.dtype)
        return argmax(add(noise, broadcast_to(x, (*sizes[:extra], *inner))), axis=extra + along)
    noisy = ops.add(_gumbel(words, x.shape, x.dtype), x)
    count = 1
    for n in sizes[:extra]:
        count *= n
    if count > x.shape[along]:
        raise ValueArgumentError(
            f"categorical: {count} draws without replacement from {x.shape[along]}"
        )
    _, places = top_k(moveaxis(noisy, along, -1), count)
    return reshape(moveaxis(places, -1, 0), sizes)


def choice(
    key: Any,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    mode: str | None = None,
) -> Array:
    """Random elements of `a`, or of the integers below it, with or without replacement.

    Raises:
        ValueArgumentError: there are fewer elements than are drawn, or `p` has another shape.
        ArgumentError: the number of integers is being traced.
    """
    words = single("choice", key)
    sizes = as_shape("choice", shape)
    pool = array_from("choice", a, None)
    along = as_axis("choice", axis, pool.ndim) if pool.ndim else 0
    if pool.ndim:
        count = pool.shape[along]
    else:
        elements = host_elements(pool)
        if elements is None:
            raise ArgumentError("choice: the number of integers must be known while tracing")
        count = int(elements)
    draws = 1
    for n in sizes:
        draws *= n
    if draws and not count:
        raise ValueArgumentError("a must be greater than 0 unless no samples are taken")
    if not replace and draws > count:
        raise ValueArgumentError(
            f"Cannot take a larger sample (size {draws}) than population (size {count}) when 'replace=False'"
        )
    if p is None:
        if replace:
            places = randint(key, sizes, 0, count)
        elif pool.ndim:
            mixed = permutation(key, pool, along)
            result = slice_along(mixed, along, 0, draws)
            return reshape(result, pool.shape[:along] + sizes + pool.shape[along + 1 :])
        else:
            places = reshape(slice_along(permutation(key, count), 0, 0, draws), sizes)
    else:
        (weights,) = promote("choice", p, inexact=True)
        weights = array_of(weights)
        if weights.shape != (count,):
            raise ValueArgumentError(
                f"p must be None or a 1D vector with the same size as a.shape[axis]. p has shape {weights.shape} and "
                f"a.shape[axis] is {count}."
            )
        dtype = weights.dtype
        if replace:
            sums = cumsum(weights)
            total = ops.reshape(slice_along(sums, 0, count - 1, count), shape=())
            drawn = multiply(total, ops.subtract(dtype.type(1), _uniform(words, sizes, dtype)))
            places = searchsorted(sums, drawn)
        else:
            noisy = ops.add(_gumbel(words, (count,), dtype), ops.log(weights))
            places = reshape(slice_along(argsort(ops.negate(noisy)), 0, 0, draws), sizes)
    if not pool.ndim:
        return array_of(converted(places, default_dtype(int)))
    return take(pool, places, along, mode="clip")
