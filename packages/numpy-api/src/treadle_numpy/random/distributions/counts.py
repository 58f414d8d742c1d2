"""Poisson and binomial numbers, by counting for small means and by transformed rejection for larger ones.

Sources: Knuth, "The art of computer programming" 2, 3.4.1 (counting exponential waiting times); Devroye, "Non-uniform
random variate generation" (1986), X.4 (counting geometric waiting times); Hörmann, "The transformed rejection method
for generating Poisson random variables" (1993), algorithm PTRS; Hörmann, "The generation of binomial random variates"
(1993), algorithm BTRS.

The loops run over whole arrays, until the last element is done. In rejection loops an element keeps its last accepted
proposal, not its first, as JAX has it: proposals do not depend on each other, so the distribution is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import BY_NAME, is_integer
from treadle_numpy.lax.control.loops import while_loop
from treadle_numpy.numpy.dtypes.limits import iinfo
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.real import coerce_real, real_operand
from treadle_numpy.operands.shapes import Shape
from treadle_numpy.random.distributions.gammas import exact_method
from treadle_numpy.random.distributions.parameters import float_dtype, result_shape, split_key
from treadle_numpy.random.distributions.uniform import uniform_floats
from treadle_numpy.random.keys import KeyLike, single

__all__ = ["binomial", "poisson"]
_SMALL_MEAN: Final = 10.0  # from here on rejection is quicker than counting, and exact
_FLOAT32: Final = BY_NAME["f32"]
# What log(k!) has beyond Stirling's formula in k + 1, for k from 0 to 9: Hörmann's table.
_STIRLING_TAIL: Final = (
    *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.0207906721037650),
    *(0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720),
    *(0.00925546218271273, 0.00833056343336287),
)


class _Counting(NamedTuple):
    """The key of the next numbers; of each element, how many there were, and their sum."""

    key: Array
    number: Array
    total: Array


class _Rejecting(NamedTuple):
    """The key of the next proposals; of each element, its last accepted one, -inf until there is one.

    A separate flag could disagree with it: XLA may compute twice whether a proposal is accepted, with other
    roundings.
    """

    key: Array
    kept: Array


def _any(flags: Array) -> Array:
    return ops.reduce_or(flags, axes=tuple(range(flags.ndim)))


def _counted(
    key: Array,
    start: Array,
    goes_on: Callable[[Array], Array],
    step: Callable[[Array], Array],
    *,
    later: bool,
) -> Array:
    """Return how many steps, each a function of a uniform number, a sum takes from 0 until it does not go on, less one.

    `later`: the second half of a split key makes the numbers, not the first.
    """

    def body(state: _Counting) -> _Counting:
        halves = split_key(state.key, 2)
        key, drawn = halves if later else halves[::-1]
        one = start.dtype.type(1)
        going = goes_on(state.total)
        u = uniform_floats(drawn, start.shape, start.dtype)
        return _Counting(
            key,
            ops.select(going, ops.add(state.number, one), state.number),
            ops.select(going, ops.add(state.total, step(u)), state.total),
        )

    counted: _Counting = while_loop(
        lambda state: _any(goes_on(state.total)), body, _Counting(key, start, start)
    )
    return ops.subtract(counted.number, start.dtype.type(1))


def _rejected(
    key: Array,
    start: Array,
    proposed: Callable[[Array, Array, Array], tuple[Array, Array]],
) -> Array:
    """Whole numbers that are proposed from u - 1/2, 1/2 - abs(u - 1/2) and v until each element accepted one."""
    dtype = start.dtype
    half = dtype.type(0.5)

    def body(state: _Rejecting) -> _Rejecting:
        key, first, second = split_key(state.key, 3)
        u = ops.subtract(uniform_floats(first, start.shape, dtype), half)
        v = uniform_floats(second, start.shape, dtype)
        whole, accept = proposed(u, ops.subtract(half, ops.abs(u)), v)
        return _Rejecting(key, ops.select(accept, whole, state.kept))

    none = dtype.type(-np.inf)
    found: _Rejecting = while_loop(
        lambda state: _any(ops.compare(state.kept, none, direction="eq")),
        body,
        _Rejecting(key, ops.add(start, none)),
    )
    return found.kept


def _of(dtype: DType) -> Callable[[float], np.generic]:
    """Constants of an element type."""

    def constant(value: float) -> np.generic:
        made: np.generic = dtype.type(value)
        return made

    return constant


def _width(root: Array) -> Array:
    """Hörmann's parameter b: how wide the proposals are spread, from a standard deviation."""
    c = _of(root.dtype)
    return ops.multiply(root, c(2.53))


def _poisson_by_rejection(key: Array, mean: Array) -> Array:
    """PTRS, for means of 10 and more."""
    c = _of(mean.dtype)
    logarithm = ops.log(mean)
    b = ops.add(_width(ops.sqrt(mean)), c(0.931))
    a = ops.add(ops.multiply(b, c(0.02483)), c(-0.059))
    inverse = ops.add(ops.divide(c(1.1328), ops.subtract(b, c(3.4))), c(1.1239))
    level = ops.subtract(c(0.9277), ops.divide(c(3.6224), ops.subtract(b, c(2))))

    def proposed(u: Array, edge: Array, v: Array) -> tuple[Array, Array]:
        slope = ops.add(ops.divide(ops.multiply(a, c(2)), edge), b)
        k = ops.floor(ops.add(ops.add(ops.multiply(slope, u), mean), c(0.43)))
        hat = ops.add(ops.divide(a, ops.square(edge)), b)
        left = ops.log(ops.divide(ops.multiply(v, inverse), hat))
        right = ops.subtract(
            ops.subtract(ops.multiply(k, logarithm), mean), ops.lgamma(ops.add(k, c(1)))
        )
        inside = ops.and_(
            ops.compare(edge, c(0.07), direction="ge"), ops.compare(v, level, direction="le")
        )
        corner = ops.and_(
            ops.compare(edge, c(0.013), direction="lt"), ops.compare(v, edge, direction="gt")
        )
        outside = ops.or_(ops.compare(k, c(0), direction="lt"), corner)
        fits = ops.and_(ops.not_(outside), ops.compare(left, right, direction="le"))
        return k, ops.or_(inside, fits)

    return _rejected(key, ops.multiply(mean, c(0)), proposed)


def _poisson_by_counting(key: Array, mean: Array) -> Array:
    """Exponential waiting times until their sum exceeds the mean; -1 where that is negative or NaN."""
    zeros = ops.broadcast_in_dim(mean.dtype.type(0), shape=mean.shape, dimensions=())
    limit = ops.negate(mean)
    return _counted(
        key, zeros, lambda total: ops.compare(total, limit, direction="gt"), ops.log, later=True
    )


def _whole(x: Array, dtype: DType) -> Array:
    """Whole numbers as integers; those that are too large are the largest one."""
    most = iinfo(dtype).max
    fits = ops.compare(x, x.dtype.type(most + 1), direction="lt")
    return ops.select(
        fits, ops.convert(ops.select(fits, x, x.dtype.type(0)), dtype=dtype), dtype.type(most)
    )


@composed(numbers=["lam"], loops=True)
def poisson(
    key: KeyLike,
    lam: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    *,
    method: str = "exact",
    out_sharding: Device = None,
) -> Array:
    """Draw from the Poisson distribution with mean `lam`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    The computation is in float32: numbers above 2 ** 24 are rounded to 24 bits. The same key gives JAX's numbers, but
    where the rounding of a logarithm decides whether a proposal is accepted.

    Args:
        key: a random key.
        lam: means; negative values and NaN give -1, too large values the largest integer.
        shape: of the result; the shape of `lam` if None. `lam` must broadcast to it.
        dtype: an integer type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not one of integers.

    Source: Knuth for means below 10; Hörmann 1993, algorithm PTRS, for others.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = poisson(key(0), 3.0, (1000,))
        >>> bool(2.8 < drawn.mean() < 3.2)
        True
    """
    if out_sharding is not None:
        return with_out_sharding(poisson, out_sharding, key, lam, shape, dtype, method=method)
    exact_method("poisson", method)
    wanted = default_dtype(int) if dtype is None else as_dtype("poisson", dtype)
    if not is_integer(wanted):
        raise ArgumentError(f"dtype argument to `poisson` must be an integer dtype, got {wanted}")
    operand = coerce_real("poisson", 1, lam)
    sizes = result_shape("poisson", shape, operand)
    mean = _broadcast(operand, _FLOAT32, sizes)
    one, zero = single("poisson", key), _FLOAT32.type(0)
    large = ops.and_(
        ops.compare(mean, _FLOAT32.type(_SMALL_MEAN), direction="ge"), ops.is_finite(mean)
    )
    infinite = ops.compare(mean, _FLOAT32.type(np.inf), direction="eq")
    counted = _poisson_by_counting(one, ops.select(ops.or_(large, infinite), zero, mean))
    drawn = _poisson_by_rejection(one, ops.select(large, mean, _FLOAT32.type(1e5)))
    few = ops.select(ops.compare(mean, zero, direction="eq"), zero, counted)
    both = ops.select(large, drawn, ops.select(infinite, mean, few))
    return _whole(both, wanted)


def _broadcast(x: ArrayLike, dtype: DType, shape: tuple[int, ...]) -> Array:
    """Return a parameter in an element type and a shape, as a constant to derivatives."""
    operand = array_of(converted(coerce("random", 1, x), dtype))
    return ops.stop_gradient(array_of(broadcast_to_shape(operand, shape)))


def _binomial_by_counting(key: Array, n: Array, p: Array) -> Array:
    """Geometric waiting times until their sum exceeds the number of trials."""
    zeros = ops.broadcast_in_dim(n.dtype.type(0), shape=n.shape, dimensions=())
    failure = ops.log_plus_one(ops.negate(p))
    return _counted(
        key,
        zeros,
        lambda total: ops.compare(total, n, direction="le"),
        lambda u: ops.ceil(ops.divide(ops.log(u), failure)),
        later=False,
    )


def _stirling_tail(k: Array) -> Array:
    """Compute `log(k!)` less Stirling's formula in `k + 1`: from the table, or the first terms of the series."""
    c = _of(k.dtype)
    next = ops.add(k, c(1))
    square = ops.square(next)
    inner = ops.subtract(c(1 / 360), ops.divide(c(1 / 1260), square))
    tail = ops.divide(ops.subtract(c(1 / 12), ops.divide(inner, square)), next)
    for place, value in enumerate(_STIRLING_TAIL):
        tail = ops.select(ops.compare(k, c(place), direction="eq"), c(value), tail)
    return tail


def _binomial_by_rejection(key: Array, n: Array, p: Array) -> Array:
    """BTRS, for means of more than 10 and chances of at most 1/2."""
    c = _of(n.dtype)
    one, half = c(1), c(0.5)
    miss = ops.subtract(one, p)
    mean = ops.multiply(n, p)
    root = ops.sqrt(ops.multiply(mean, miss))
    b = ops.add(_width(root), c(1.15))
    a = ops.add(ops.add(ops.multiply(b, c(0.0248)), ops.multiply(p, c(0.01))), c(-0.0873))
    center = ops.add(mean, half)
    level = ops.subtract(c(0.92), ops.divide(c(4.2), b))
    odds = ops.divide(p, miss)
    alpha = ops.multiply(ops.add(ops.divide(c(5.1), b), c(2.83)), root)
    mode = ops.floor(ops.multiply(ops.add(n, one), p))
    rest = ops.add(ops.subtract(n, mode), one)
    first = ops.multiply(
        ops.add(mode, half), ops.log(ops.divide(ops.add(mode, one), ops.multiply(odds, rest)))
    )
    tails = ops.add(_stirling_tail(mode), _stirling_tail(ops.subtract(n, mode)))
    fixed = ops.add(first, tails)

    def proposed(u: Array, edge: Array, v: Array) -> tuple[Array, Array]:
        slope = ops.add(ops.divide(ops.multiply(a, c(2)), edge), b)
        k = ops.floor(ops.add(ops.multiply(slope, u), center))
        outside = ops.or_(ops.compare(k, c(0), direction="lt"), ops.compare(k, n, direction="gt"))
        inside = ops.and_(
            ops.compare(edge, c(0.07), direction="ge"), ops.compare(v, level, direction="le")
        )
        hat = ops.add(ops.divide(a, ops.square(edge)), b)
        left = ops.log(ops.divide(ops.multiply(v, alpha), hat))
        possible = ops.select(outside, c(0), k)
        others = ops.subtract(n, possible)
        left_over = ops.add(others, one)
        middle = ops.multiply(ops.add(n, one), ops.log(ops.divide(rest, left_over)))
        last = ops.multiply(
            ops.add(possible, half),
            ops.log(ops.divide(ops.multiply(odds, left_over), ops.add(possible, one))),
        )
        own = ops.add(_stirling_tail(possible), _stirling_tail(others))
        right = ops.subtract(ops.add(ops.add(fixed, middle), last), own)
        fits = ops.and_(ops.not_(outside), ops.compare(left, right, direction="le"))
        return k, ops.or_(inside, fits)

    return _rejected(key, ops.multiply(n, c(0)), proposed)


@composed(numbers=["n", "p"], loops=True)
def binomial(
    key: KeyLike,
    n: ArrayLike,
    p: ArrayLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Binomial numbers, as floats: how many of `n` trials succeed that each succeed with probability `p`.

    The computation is in float32, or in float64 where `p` is. Its derivatives are 0. The same key gives JAX's numbers,
    but where the rounding of a logarithm decides whether a proposal is accepted, and where `p` has 16 bits.

    Args:
        key: a random key.
        n: numbers of trials, rounded down; negative values and NaN give NaN.
        p: probabilities; values outside of [0, 1] give NaN.
        shape: of the result; what `n` and `p` broadcast to if None.
        dtype: a floating type; the default one if None.

    Raises:
        ArgumentError: the shapes do not broadcast, or the type is not a floating one.

    Source: Devroye 1986, X.4, for means of up to 10; Hörmann 1993, algorithm BTRS, for larger ones.

    Example:
        >>> from treadle_numpy.random import key
        >>> drawn = binomial(key(0), 10, 0.3, (1000,))
        >>> bool(2.8 < drawn.mean() < 3.2)
        True
    """
    wanted = float_dtype("binomial", dtype)
    trials = coerce_real("binomial", 1, n)
    chance = real_operand("binomial", p)
    sizes = result_shape("binomial", shape, trials, chance)
    own = chance.dtype if chance.dtype.itemsize > 4 else _FLOAT32
    drawn = binomial_floats(
        single("binomial", key), _broadcast(trials, own, sizes), _broadcast(chance, own, sizes)
    )
    return array_of(converted(drawn, wanted))


def binomial_floats(key: Array, n: Array, p: Array) -> Array:
    """Apply `binomial` from one key, for parameters of one shape and type."""
    c = _of(n.dtype)
    zero, half = c(0), c(0.5)
    n = ops.floor(n)
    valid = ops.and_(
        ops.compare(n, zero, direction="ge"),
        ops.and_(ops.compare(p, zero, direction="ge"), ops.compare(p, c(1), direction="le")),
    )
    finite = ops.and_(valid, ops.is_finite(n))
    rare = ops.compare(p, half, direction="lt")
    chance = ops.select(rare, p, ops.subtract(c(1), p))
    large = ops.and_(finite, ops.compare(ops.multiply(n, chance), c(_SMALL_MEAN), direction="gt"))
    few = ops.and_(finite, ops.not_(large))
    counted = _binomial_by_counting(key, ops.select(few, n, zero), ops.select(few, chance, half))
    drawn = _binomial_by_rejection(
        key, ops.select(large, n, c(1e4)), ops.select(large, chance, half)
    )
    both = ops.select(large, drawn, counted)
    hits = ops.select(rare, both, ops.subtract(n, both))
    endless = ops.select(ops.compare(p, zero, direction="eq"), zero, n)
    return ops.select(finite, hits, ops.select(valid, endless, c(np.nan)))
