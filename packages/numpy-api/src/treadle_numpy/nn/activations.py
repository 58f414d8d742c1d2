"""Activation functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from treadle_autodiff import custom_jvp
from treadle_ir import ArgumentError, Array, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import (
    greatest_exponent,
    is_bool,
    is_complex,
    is_inexact,
    is_integer,
    is_unsigned,
)
from treadle_ir.errors import flags
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.searching.choosing import where as where_
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, multiply, negative
from treadle_numpy.numpy.ufuncs.exponentials import expm1, log_of_sum, logaddexp
from treadle_numpy.numpy.ufuncs.powers import sqrt, square
from treadle_numpy.numpy.ufuncs.trigonometry import tanh
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.promote import (
    converted,
    inexact_operand,
    promote,
    weakly_inexact_operand,
    with_dtype,
)
from treadle_numpy.operands.scalars import literal, number, zero_like

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "identity",
    "leaky_relu",
    "log1mexp",
    "log_sigmoid",
    "mish",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softplus",
    "sparse_plus",
    "sparse_sigmoid",
    "squareplus",
    "swish",
    "tanh",
]


@partial(custom_jvp, pure=True)
def _relu(x: Operand) -> Array:
    return ops.maximum(x, zero_like(x))


@_relu.defjvp
def _relu_jvp(primals: Sequence[Operand], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    # the derivative at 0 is 0: half of it, as maximum has, would let dead units creep
    (x,), (dx,) = primals, tangents
    y = _relu(x)
    return y, ops.select(_above_zero(x, y), dx, zero_like(x))


def _above_zero(x: Operand, y: Operand) -> Array:
    """Return where `maximum(x, 0)`, which is `y`, selected `x`; only `maximum` orders complex numbers."""
    zero = zero_like(x)
    if is_complex(operand_type(x).dtype):
        return ops.compare(y, zero, direction="ne")
    return ops.compare(x, zero, direction="gt")


@composed
def relu(x: ArrayLike) -> Array:
    """Compute `max(x, 0)`; the derivative at 0 is 0.

    Args:
        x: an array.

    Example:
        >>> print(relu(np.array([-1.0, 2.0], np.float32)))
        [0. 2.]
    """
    operand = coerce("relu", 0, x)
    type = operand_type(operand)
    if is_bool(type.dtype):  # as together with the number 0
        operand = with_dtype(operand, type, default_dtype(int), True)
    result: Array = _relu(array_of(operand))
    return result


@partial(custom_jvp, pure=True)
def _relu6(x: Operand) -> Array:
    return ops.minimum(ops.maximum(x, zero_like(x)), number(6, x))


@_relu6.defjvp
def _relu6_jvp(primals: Sequence[Operand], tangents: Sequence[Operand]) -> tuple[Operand, Operand]:
    (x,), (dx,) = primals, tangents
    y, six = _relu6(x), number(6, x)
    if is_complex(operand_type(x).dtype):
        below_six = ops.compare(y, six, direction="ne")
    else:
        below_six = ops.compare(x, six, direction="lt")
    return y, ops.select(ops.and_(_above_zero(x, y), below_six), dx, zero_like(x))


@composed
def relu6(x: ArrayLike) -> Array:
    """Compute `min(max(x, 0), 6)`; its derivative at 0 and 6 is 0.

    Example:
        >>> print(relu6(np.array([-1.0, 2.0, 8.0], np.float32)))
        [0. 2. 6.]
    """
    result: Array = _relu6(array_of(weakly_inexact_operand("relu6", x)))
    return result


@composed
def identity(x: ArrayLike) -> Array:
    """Return the operand itself.

    Example:
        >>> print(identity(2.5))
        2.5
    """
    return coerce_array("identity", 0, x)


@composed
def sigmoid(x: ArrayLike) -> Array:
    """Compute `1 / (1 + exp(-x))`.

    Example:
        >>> print(sigmoid(0.0))
        0.5
    """
    return ops.logistic(inexact_operand("sigmoid", x))


@composed
def log_sigmoid(x: ArrayLike) -> Array:
    """Compute `log(sigmoid(x))`, without underflow.

    Example:
        >>> print(log_sigmoid(np.array([-500.0, 0.0], np.float32)).round(4))
        [-500.       -0.6931]
    """
    return negative(softplus(negative(inexact_operand("log_sigmoid", x))))


@partial(custom_jvp, pure=True)
def _softplus(x: Operand) -> Array:
    return log_of_sum(x, zero_like(x))


@_softplus.defjvp
def _softplus_jvp(
    primals: Sequence[Operand], tangents: Sequence[Operand]
) -> tuple[Operand, Operand]:
    (x,), (dx,) = primals, tangents
    return _softplus(x), ops.multiply(dx, ops.logistic(x))


def _float_operand(function: str, x: object) -> Operand:
    """Coerce one operand, integers and booleans to floats; a boolean to a weak one, as with a Python number."""
    operand = coerce(function, 0, x)
    if is_bool(operand_type(operand).dtype):
        return weakly_inexact_operand(function, operand)
    return inexact_operand(function, operand)


@composed
def softplus(x: ArrayLike) -> Array:
    """Compute `log(1 + exp(x))`, without overflow.

    Example:
        >>> print(softplus(500.0))
        500.0
    """
    operand = _float_operand("softplus", x)
    if is_complex(operand.dtype):
        return logaddexp(operand, 0.0)
    result: Array = _softplus(operand)
    return result


@composed
def soft_sign(x: ArrayLike) -> Array:
    """Compute `x / (1 + |x|)`.

    Example:
        >>> print(soft_sign(np.array([-1.0, 3.0], np.float32)))
        [-0.5   0.75]
    """
    operand = _float_operand("soft_sign", x)
    size = ops.abs(operand)
    return divide(operand, ops.add(size, number(1, size)))


@composed
def squareplus(x: ArrayLike, b: ArrayLike = 4) -> Array:
    """Compute `(x + sqrt(x ** 2 + b)) / 2`.

    A smooth relu; `b` says how smooth: for 0 it is relu itself.

    Example:
        >>> print(squareplus(np.array([-1.5, 0.0, 1.5], np.float32)))
        [0.5 1.  2. ]
    """
    operand = coerce("squareplus", 0, x)
    if is_bool(operand_type(operand).dtype):  # whose squares are integers
        operand = converted(operand, default_dtype(int))
    operand, b = promote("squareplus", operand, b, inexact=True)
    if is_complex(operand.dtype):
        return multiply(add(operand, sqrt(add(square(operand), b))), 0.5)
    # Squares overflow where roots of them do not: large numbers take part divided by a power of two.
    half = greatest_exponent(operand.dtype) // 2
    far = ops.compare(ops.abs(operand), number(2.0 ** (half - 1), operand), direction="gt")
    share = where_(far, number(2.0 ** -(half + 1), operand), number(1, operand))
    root = sqrt(add(square(multiply(operand, share)), multiply(multiply(b, share), share)))
    whole = where_(far, number(2.0**half, operand), number(0.5, operand))
    return add(multiply(operand, 0.5), multiply(whole, root))


@composed
def silu(x: ArrayLike) -> Array:
    """Compute `x * sigmoid(x)`.

    Example:
        >>> print(silu(np.array([-500.0, 0.0, 500.0], np.float32)))
        [ -0.   0. 500.]
    """
    operand = inexact_operand("silu", x)
    return ops.multiply(operand, ops.logistic(operand))


swish = silu


@composed
def mish(x: ArrayLike) -> Array:
    """Compute `x * tanh(softplus(x))`.

    Example:
        >>> print(mish(np.array([-500.0, 0.0, 500.0], np.float32)))
        [ -0.   0. 500.]
    """
    operand = _float_operand("mish", x)
    return multiply(operand, tanh(softplus(operand)))


def _negative_branch(x: Operand) -> Operand:
    """Return the operand where it is negative, else 0: keeps exponentials of the branch not taken finite."""
    return ops.select(ops.compare(x, zero_like(x), direction="gt"), zero_like(x), x)


@composed
def elu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """Return `x` where it is positive, else `alpha * (exp(x) - 1)`.

    Example:
        >>> print(elu(np.array([-500.0, 0.0, 2.0], np.float32)))
        [-1.  0.  2.]
    """
    operand = weakly_inexact_operand("elu", x)
    positive = ops.compare(operand, zero_like(operand), direction="gt")
    return array_of(where_(positive, operand, multiply(alpha, expm1(_negative_branch(operand)))))


@composed
def celu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """Compute `max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))`.

    Example:
        >>> print(celu(np.array([-500.0, 0.0, 2.0], np.float32), alpha=0.5))
        [-0.5  0.   2. ]
    """
    operand = weakly_inexact_operand("celu", x)
    positive = ops.compare(operand, zero_like(operand), direction="gt")
    below = multiply(alpha, expm1(divide(_negative_branch(operand), alpha)))
    return array_of(where_(positive, operand, below))


@composed
def selu(x: ArrayLike) -> Array:
    """Return the scaled `elu` that keeps mean 0 and variance 1 (Klambauer et al. 2017).

    Example:
        >>> print(selu(np.array([0.0, 1.0], np.float32)).round(4))
        [0.     1.0507]
    """
    return multiply(1.0507009873554804934193349852946, elu(x, 1.6732632423543772848170429916717))


@composed
def leaky_relu(x: ArrayLike, negative_slope: ArrayLike = 0.01) -> Array:
    """Return `x` where it is not negative, else `negative_slope * x`.

    Example:
        >>> print(leaky_relu(np.array([-2.0, 2.0], np.float32), 0.5))
        [-1.  2.]
    """
    operand = coerce("leaky_relu", 0, x)
    above = ops.compare(operand, zero_like(operand), direction="ge")
    return array_of(where_(above, operand, multiply(negative_slope, operand)))


@composed
def hard_tanh(x: ArrayLike) -> Array:
    """`x` between -1 and 1, else the nearer of them; of booleans, the numbers 0 and 1.

    Raises:
        DTypeError: it has no numbers.

    Example:
        >>> print(hard_tanh(np.array([-2.0, 0.5, 2.0], np.float32)))
        [-1.   0.5  1. ]
    """
    operand = coerce("hard_tanh", 0, x)
    type = operand_type(operand)
    if is_bool(type.dtype):
        return ops.convert(operand, dtype=default_dtype(int), weak=True)
    if not (is_integer(type.dtype) or is_inexact(type.dtype)):
        raise DTypeError(f"hard_tanh: needs numbers, got {type}")
    one = number(1, operand)
    above = ops.compare(operand, one, direction="gt")
    if is_unsigned(type.dtype):
        return ops.select(above, one, operand)
    low = number(-1, operand)
    below = ops.compare(operand, low, direction="lt")
    return ops.select(above, one, ops.select(below, low, operand))


@composed
def hard_sigmoid(x: ArrayLike) -> Array:
    """Compute `relu6(x + 3) / 6`.

    Example:
        >>> print(hard_sigmoid(np.array([-4.0, 0.0, 4.0], np.float32)))
        [0.  0.5 1. ]
    """
    return divide(relu6(add(coerce("hard_sigmoid", 0, x), 3.0)), 6.0)


@composed
def hard_silu(x: ArrayLike) -> Array:
    """Compute `x * hard_sigmoid(x)`.

    Example:
        >>> print(hard_silu(np.array([-4.0, 0.0, 4.0], np.float32)))
        [-0.  0.  4.]
    """
    return multiply(weakly_inexact_operand("hard_silu", x), hard_sigmoid(x))


hard_swish = hard_silu


@composed
def gelu(x: ArrayLike, approximate: bool = True) -> Array:
    """Compute `x` times the normal distribution function of `x`.

    Args:
        x: an array.
        approximate: whether to approximate the distribution function by a tanh (Hendrycks, Gimpel 2016).

    Example:
        >>> print(gelu(np.array([-50.0, 0.0, 50.0], np.float32)))
        [-0.  0. 50.]
    """
    flags("gelu", approximate=approximate)
    operand = inexact_operand("gelu", x)
    one, half = literal(1, operand), literal(0.5, operand)
    if approximate:
        near: Operand = operand
        if operand.dtype == np.float16:  # beyond, tanh is 1 or -1, while cubes and slopes overflow
            near = ops.clamp(number(-10, operand), operand, number(10, operand))
        cube = ops.integer_power(near, exponent=3)
        inner = ops.multiply(
            literal(np.sqrt(2 / np.pi), operand),
            ops.add(near, ops.multiply(literal(0.044715, operand), cube)),
        )
        return ops.multiply(operand, ops.multiply(half, ops.add(one, ops.tanh(inner))))
    scaled = ops.multiply(ops.negate(operand), literal(np.sqrt(0.5), operand))
    return ops.multiply(ops.multiply(half, operand), ops.erfc(scaled))


@composed
def glu(x: ArrayLike, axis: int = -1) -> Array:
    """Return the first half of an axis times the sigmoid of the second.

    Raises:
        ArgumentError: the axis has an odd size.

    Example:
        >>> print(glu(np.array([3.0, 4.0, 0.0, 500.0], np.float32)))
        [1.5 4. ]
    """
    operand = array_of(inexact_operand("glu", x))
    along = as_axis("glu", axis, operand.ndim)
    size = operand.shape[along]
    if size % 2:
        raise ArgumentError(f"glu: axis {axis} has size {size}, which is not even")
    first, second = (
        slice_along(operand, along, 0, size // 2),
        slice_along(operand, along, size // 2, size),
    )
    return ops.multiply(first, ops.logistic(second))


@composed
def sparse_plus(x: ArrayLike) -> Array:
    """0 below -1, `x` above 1, and the parabola `(x + 1) ** 2 / 4` between them.

    A softplus that is exactly 0 and exactly linear away from 0; its derivative is `sparse_sigmoid`.

    Source: Martins, Astudillo, "From softmax to sparsemax" (2016).

    Example:
        >>> print(sparse_plus(np.array([-2.0, 0.0, 2.0], np.float32)))
        [0.   0.25 2.  ]
    """
    operand = weakly_inexact_operand("sparse_plus", x)
    one = number(1, operand)
    parabola = ops.multiply(ops.square(ops.add(operand, one)), number(0.25, operand))
    above = ops.compare(operand, one, direction="ge")
    below = ops.compare(operand, number(-1, operand), direction="le")
    return ops.select(below, zero_like(operand), ops.select(above, operand, parabola))


@composed
def sparse_sigmoid(x: ArrayLike) -> Array:
    """0 below -1, 1 above 1, and `(x + 1) / 2` between them: the derivative of `sparse_plus`.

    Source: Martins, Astudillo 2016.

    Example:
        >>> print(sparse_sigmoid(np.array([-2.0, 0.0, 2.0], np.float32)))
        [0.  0.5 1. ]
    """
    operand = weakly_inexact_operand("sparse_sigmoid", x)
    half = number(0.5, operand)
    line = ops.add(ops.multiply(operand, half), half)
    return ops.minimum(ops.maximum(line, zero_like(operand)), number(1, operand))


@composed
def log1mexp(x: ArrayLike) -> Array:
    """Compute `log(1 - exp(-x))` for `x >= 0`, without loss of digits; NaN for negative `x`.

    Source: Mächler, "Accurately computing log(1 - exp(-|a|))" (2012).

    Example:
        >>> print(log1mexp(np.array([1e-30, np.inf])).round(3))
        [-69.078  -0.   ]
    """
    operand = inexact_operand("log1mexp", x)
    near = ops.compare(operand, number(np.log(2), operand), direction="lt")
    small = ops.log(ops.negate(ops.exponential_minus_one(ops.negate(operand))))
    # where the first is taken, the second sees a number at which its derivatives are finite; the first's always are
    distant = ops.select(near, number(1, operand), operand)
    large = ops.log_plus_one(ops.negate(ops.exponential(ops.negate(distant))))
    return ops.select(near, small, large)
