"""Functions of neural networks: activations, softmax, one_hot, normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import Array
from treadle_numpy.coercion import (
    ArrayLike,
    Axis,
    ValueArgumentError,
    array_of,
    as_axis,
    as_index,
    broadcast_to_shape,
    coerce,
    common_shape,
    ops,
    promote,
)
from treadle_numpy.creation import lower_mask
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.einsum import einsum
from treadle_numpy.elementwise import (
    add,
    divide,
    exp,
    expm1,
    inexact_operand,
    literal,
    log,
    logaddexp,
    maximum,
    multiply,
    negative,
    sqrt,
    square,
    subtract,
    tanh as tanh,
    zero_like,
)
from treadle_numpy.manipulation import slice_along
from treadle_numpy.reductions import max, sorted_axes, sum
from treadle_numpy.scipy_special import logsumexp as logsumexp
from treadle_numpy.searching import where as where_
from treadle_numpy.statistics import mean as mean_of


@custom_jvp
def _relu(x: Any) -> Any:
    return ops.maximum(x, zero_like(x))


@_relu.defjvp
def _relu_jvp(primals: Any, tangents: Any) -> Any:
    # the derivative at 0 is 0: half of it, as maximum has, would let dead units creep
    (x,), (dx,) = primals, tangents
    zero = zero_like(x)
    return _relu(x), ops.select(ops.compare(x, zero, direction="gt"), dx, zero)


def relu(x: ArrayLike) -> Array:
    """`max(x, 0)`; its derivative at 0 is 0.

    Example:
        >>> print(relu(np.array([-1.0, 2.0], np.float32)))
        [0. 2.]
    """
    result: Array = _relu(array_of(coerce("relu", 0, x)))
    return result


@custom_jvp
def _relu6(x: Any) -> Any:
    return ops.minimum(ops.maximum(x, zero_like(x)), literal(6, x))


@_relu6.defjvp
def _relu6_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    inside = ops.and_(
        ops.compare(x, zero_like(x), direction="gt"), ops.compare(x, literal(6, x), direction="lt")
    )
    return _relu6(x), ops.select(inside, dx, zero_like(x))


def relu6(x: ArrayLike) -> Array:
    """`min(max(x, 0), 6)`; its derivative at 0 and 6 is 0."""
    result: Array = _relu6(array_of(coerce("relu6", 0, x)))
    return result


def identity(x: ArrayLike) -> Array:
    """The operand itself."""
    return array_of(coerce("identity", 0, x))


def sigmoid(x: ArrayLike) -> Array:
    """`1 / (1 + exp(-x))`.

    Example:
        >>> print(sigmoid(0.0))
        0.5
    """
    return ops.logistic(inexact_operand("sigmoid", x))


def log_sigmoid(x: ArrayLike) -> Array:
    """`log(sigmoid(x))`, without underflow."""
    return negative(softplus(negative(inexact_operand("log_sigmoid", x))))


def softplus(x: ArrayLike) -> Array:
    """`log(1 + exp(x))`, without overflow.

    Example:
        >>> print(softplus(500.0))
        500.0
    """
    return logaddexp(x, 0.0)


def soft_sign(x: ArrayLike) -> Array:
    """`x / (1 + |x|)`."""
    operand = inexact_operand("soft_sign", x)
    return ops.divide(operand, ops.add(ops.abs(operand), literal(1, operand)))


def squareplus(x: ArrayLike, b: ArrayLike = 4) -> Array:
    """`(x + sqrt(x ** 2 + b)) / 2`."""
    operand = inexact_operand("squareplus", x)
    return multiply(add(operand, sqrt(add(square(operand), b))), 0.5)


def silu(x: ArrayLike) -> Array:
    """`x * sigmoid(x)`."""
    operand = inexact_operand("silu", x)
    return ops.multiply(operand, ops.logistic(operand))


swish = silu


def mish(x: ArrayLike) -> Array:
    """`x * tanh(softplus(x))`."""
    operand = inexact_operand("mish", x)
    return multiply(operand, tanh(softplus(operand)))


def _negative_branch(x: Any) -> Any:
    """The operand where it is negative, else 0: keeps exponentials of the branch not taken finite."""
    return ops.select(ops.compare(x, zero_like(x), direction="gt"), zero_like(x), x)


def elu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
    operand = inexact_operand("elu", x)
    positive = ops.compare(operand, zero_like(operand), direction="gt")
    return array_of(where_(positive, operand, multiply(alpha, expm1(_negative_branch(operand)))))


def celu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """`max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))`."""
    operand = inexact_operand("celu", x)
    zero = zero_like(operand)
    below = multiply(alpha, expm1(divide(_negative_branch(operand), alpha)))
    return add(maximum(operand, zero), below)


def selu(x: ArrayLike) -> Array:
    """The scaled `elu` that keeps mean 0 and variance 1 (Klambauer et al. 2017)."""
    return multiply(1.0507009873554804934193349852946, elu(x, 1.6732632423543772848170429916717))


def leaky_relu(x: ArrayLike, negative_slope: ArrayLike = 0.01) -> Array:
    """`x` where it is not negative, else `negative_slope * x`."""
    operand = inexact_operand("leaky_relu", x)
    above = ops.compare(operand, zero_like(operand), direction="ge")
    return array_of(where_(above, operand, multiply(negative_slope, operand)))


def hard_tanh(x: ArrayLike) -> Array:
    """`x` between -1 and 1, else the nearer of them."""
    operand = coerce("hard_tanh", 0, x)
    one, low = literal(1, operand), literal(-1, operand)
    above, below = (
        ops.compare(operand, one, direction="gt"),
        ops.compare(operand, low, direction="lt"),
    )
    return ops.select(above, one, ops.select(below, low, operand))


def hard_sigmoid(x: ArrayLike) -> Array:
    """`relu6(x + 3) / 6`."""
    return divide(relu6(add(x, 3.0)), 6.0)


def hard_silu(x: ArrayLike) -> Array:
    """`x * hard_sigmoid(x)`."""
    return multiply(inexact_operand("hard_silu", x), hard_sigmoid(x))


hard_swish = hard_silu


def gelu(x: ArrayLike, approximate: bool = True) -> Array:
    """`x` times the normal distribution function of `x`; by a tanh if `approximate` (Hendrycks, Gimpel 2016)."""
    operand = inexact_operand("gelu", x)
    one, half = literal(1, operand), literal(0.5, operand)
    if approximate:
        cube = ops.integer_power(operand, exponent=3)
        inner = ops.multiply(
            literal(np.sqrt(2 / np.pi), operand),
            ops.add(operand, ops.multiply(literal(0.044715, operand), cube)),
        )
        return ops.multiply(operand, ops.multiply(half, ops.add(one, ops.tanh(inner))))
    scaled = ops.multiply(ops.negate(operand), literal(np.sqrt(0.5), operand))
    return ops.multiply(ops.multiply(half, operand), ops.erfc(scaled))


def glu(x: ArrayLike, axis: int = -1) -> Array:
    """The first half of an axis times the sigmoid of the second.

    Raises:
        ValueArgumentError: the axis has an odd size.
    """
    operand = array_of(inexact_operand("glu", x))
    along = as_axis("glu", axis, operand.ndim)
    size = operand.shape[along]
    if size % 2:
        raise ValueArgumentError(f"glu: axis {axis} has size {size}, which is not even")
    first, second = (
        slice_along(operand, along, 0, size // 2),
        slice_along(operand, along, size // 2, size),
    )
    return ops.multiply(first, ops.logistic(second))


def _exponentials(name: str, x: Any, axis: Any, where: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """The operand less its greatest element, its exponential, and the axes; masked places have exponential 0."""
    operand = array_of(inexact_operand(name, x))
    axes = sorted_axes(name, axis, operand.ndim)
    top = max(
        operand, axes, keepdims=True, initial=-np.inf if where is not None else None, where=where
    )
    top = ops.stop_gradient(
        ops.select(ops.is_finite(top), top, zero_like(top)) if where is not None else top
    )
    safe = (
        operand
        if where is None
        else array_of(where_(where, operand, broadcast_to_shape(top, operand.shape)))
    )
    shifted = subtract(safe, top)
    powers = exp(shifted)
    if where is not None:
        powers = array_of(where_(where, powers, zero_like(powers)))
    return shifted, powers, axes


def softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """Exponentials divided by their sum along an axis.

    Example:
        >>> print(softmax(np.array([1000.0, 1000.0], np.float32)))
        [0.5 0.5]
    """
    _, powers, axes = _exponentials("softmax", x, axis, where)
    return divide(powers, sum(powers, axes, keepdims=True))


def log_softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Array:
    """The logarithm of softmax."""
    shifted, powers, axes = _exponentials("log_softmax", x, axis, where)
    result = subtract(shifted, log(sum(powers, axes, keepdims=True)))
    return result if where is None else array_of(where_(where, result, literal(-np.inf, result)))


def logmeanexp(
    a: ArrayLike, axis: Axis = None, where: ArrayLike | None = None, keepdims: bool = False
) -> Array:
    """`log(mean(exp(a)))`, without overflow."""
    total = logsumexp(a, axis, keepdims=keepdims, where=where)
    x = array_of(coerce("logmeanexp", 0, a))
    if where is None:
        count: Any = 1
        for i in sorted_axes("logmeanexp", axis, x.ndim):
            count *= x.shape[i]
        return subtract(total, float(np.log(count)))
    shape = common_shape("logmeanexp", [x.shape])
    mask = broadcast_to_shape(array_of(coerce("logmeanexp", 2, where)), shape)
    return subtract(total, log(sum(mask, axis, total.dtype, keepdims=keepdims)))


def standardize(
    x: ArrayLike,
    axis: Axis = -1,
    mean: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    epsilon: ArrayLike = 1e-5,
    where: ArrayLike | None = None,
) -> Array:
    """Shifted to mean 0 and scaled to variance 1 along axes."""
    operand = inexact_operand("standardize", x)
    if mean is None:
        mean = mean_of(operand, axis, keepdims=True, where=where)
    if variance is None:
        # the mean of squares less the square of the mean
        squares = mean_of(square(operand), axis, keepdims=True, where=where)
        variance = maximum(subtract(squares, square(mean)), 0.0)
    root = ops.rsqrt(add(variance, epsilon))
    return multiply(subtract(operand, mean), root)


def one_hot(x: Any, num_classes: int, *, dtype: DTypeLike | None = None, axis: int = -1) -> Array:
    """For each number a vector with a one at that position; zeros where it is out of range.

    Example:
        >>> print(one_hot(np.array([0, 2]), 3))
        [[1. 0. 0.]
         [0. 0. 1.]]
    """
    count = as_index("one_hot", "num_classes", num_classes)
    operand = array_of(coerce("one_hot", 0, x))
    wanted = as_dtype("one_hot", float if dtype is None else dtype)
    place = as_axis("one_hot", axis, operand.ndim + 1)
    shape = (*operand.shape[:place], count, *operand.shape[place:])
    others = tuple([i for i in range(len(shape)) if i != place])
    spread = ops.broadcast_in_dim(operand, shape=shape, dimensions=others)
    classes = ops.iota(shape=shape, dtype=operand.dtype, dimension=place)
    return ops.convert(ops.compare(spread, classes, direction="eq"), dtype=wanted)


def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
) -> Array:
    """Attention (Vaswani et al. 2017): softmax of scaled products of queries and keys, times values.

    Shapes:
        query: [*batch, T, N, H]; key, value: [*batch, S, N, H]
        result: as query
    """
    q, k, v = [
        array_of(x) for x in promote("dot_product_attention", query, key, value, inexact=True)
    ]
    factor = 1.0 / float(np.sqrt(q.shape[-1])) if scale is None else scale
    scores = multiply(einsum("...tnh,...snh->...nts", q, k), factor)
    if bias is not None:
        scores = add(scores, bias)
    if mask is not None:
        scores = array_of(where_(mask, scores, literal(-np.inf, scores)))
    if is_causal:
        causal = lower_mask(q.shape[-3], k.shape[-3], 0)
        scores = array_of(where_(causal, scores, literal(-np.inf, scores)))
    return einsum("...nts,...snh->...tnh", softmax(scores), v)
