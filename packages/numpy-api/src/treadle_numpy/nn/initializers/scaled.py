"""Initializers whose variance follows from the shape: variance scaling, and the schemes named after their authors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ShapeError, ops
from treadle_ir.core.dtypes import is_complex, is_floating, real_part
from treadle_ir.errors import integers, names, shown
from treadle_numpy.nn.initializers.protocol import Initializer
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import Shape, as_index, as_shape
from treadle_numpy.random.distributions.normal import normal, truncated_normal
from treadle_numpy.random.distributions.parameters import split_key
from treadle_numpy.random.distributions.uniform import uniform_floats
from treadle_numpy.random.keys import KeyLike, single

__all__ = [
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
]

Axes: TypeAlias = int | Sequence[int]

_MODES: Final = ("fan_in", "fan_out", "fan_avg", "fan_geo_avg")
_DISTRIBUTIONS: Final = ("truncated_normal", "normal", "uniform")
_CUT: Final = 2.0  # truncated normal numbers lie between -2 and 2 standard deviations
_DEVIATION: Final = 0.87962566103423978  # of a standard normal number between -2 and 2
# The divisor of complex numbers of modulus up to 2 by which one key gives the documented weights; their deviation is
# 0.96196, so the weights have 1.9 % too much variance.
_COMPLEX_DEVIATION: Final = 0.95311164380491208


def _choice(argument: str, value: str, known: Sequence[str]) -> None:
    names("variance_scaling", **{argument: value})
    if value not in known:
        raise ArgumentError(
            f"invalid {argument} for variance scaling initializer: {shown(value)}",
            fix=f"use one of {', '.join(known)}",
        )


def _listed(argument: str, axes: Axes) -> tuple[int, ...]:
    """Return the axes that an argument names, as integers; negative ones as they are."""
    if isinstance(axes, (tuple, list)):
        return integers("variance_scaling", argument, axes)
    return (as_index("variance_scaling", f"`{argument}`", axes),)


def _sizes(shape: tuple[int, ...], argument: str, axes: tuple[int, ...]) -> int:
    """Return the product of the sizes of axes."""
    if len(shape) < 2 and axes == {"in_axis": (-2,), "out_axis": (-1,)}.get(argument):
        raise ShapeError(
            f"Can't compute input and output sizes of a {len(shape)}-dimensional weights tensor with default "
            f"{argument}. Must be at least 2D or specify {argument} explicitly.",
            fix="pass the axes of inputs and outputs: `in_axis`, `out_axis`, `batch_axis`",
        )
    place = f"variance_scaling, {argument}"
    return prod([shape[as_axis(place, each, len(shape))] for each in axes])


def _fan(shape: tuple[int, ...], mode: str, axes: Mapping[str, tuple[int, ...]]) -> float:
    """Return how many numbers each output is made of, or each input goes to: what the variance is divided by."""
    ins, outs, copies = [_sizes(shape, argument, each) for argument, each in axes.items()]
    if not prod(shape):
        return 1.0  # nothing is drawn
    field = prod(shape) / ins / outs / copies  # of a convolution: the positions of its window
    fan_in, fan_out = ins * field, outs * field
    if mode == "fan_in":
        return fan_in
    if mode == "fan_out":
        return fan_out
    return (fan_in + fan_out) / 2 if mode == "fan_avg" else float(np.sqrt(fan_in * fan_out))


def _disc(key: Array, shape: tuple[int, ...], dtype: DType, cut: float | None) -> Array:
    """Complex numbers: uniform on the disc of radius sqrt(2), whose mean square modulus is 1, or normal ones cut off.

    Squared moduli are uniform on [0, 2], or have the distribution function (1 - exp(-t)) / (1 - exp(-cut ** 2)): both
    are inverted. The first key makes the modulus, the second the angle.
    """
    first, second = split_key(key, 2)
    part = real_part(dtype)
    share, turn = uniform_floats(first, shape, part), uniform_floats(second, shape, part)
    if cut is None:
        square = ops.multiply(share, part.type(2))
    else:
        below = ops.multiply(share, part.type(-np.expm1(-(cut**2))))
        square = ops.negate(ops.log_plus_one(ops.negate(below)))
    modulus, angle = ops.sqrt(square), ops.multiply(turn, part.type(2 * np.pi))
    return ops.complex(
        ops.multiply(modulus, ops.cosine(angle)), ops.multiply(modulus, ops.sine(angle))
    )


def _drawn(
    distribution: str, key: Array, shape: tuple[int, ...], dtype: DType, deviation: Array
) -> Array:
    """Draw numbers of a distribution with mean 0 and a standard deviation."""
    if distribution == "normal":
        return multiply(normal(key, shape, dtype), deviation)
    if distribution == "uniform":
        if is_complex(dtype):
            return multiply(_disc(key, shape, dtype, None), deviation)
        edge = multiply(deviation, sqrt(array_of(dtype.type(3))))
        return multiply(uniform_floats(key, shape, dtype, dtype.type(-1), dtype.type(1)), edge)
    if is_complex(dtype):
        whole = divide(deviation, dtype.type(_COMPLEX_DEVIATION))
        return multiply(_disc(key, shape, dtype, _CUT), whole)
    whole = divide(deviation, dtype.type(_DEVIATION))
    return multiply(truncated_normal(key, -_CUT, _CUT, shape, dtype), whole)


def variance_scaling(
    scale: ArrayLike,
    mode: str,
    distribution: str,
    in_axis: Axes = -2,
    out_axis: Axes = -1,
    batch_axis: Axes = (),
    dtype: DTypeLike | None = None,
) -> Initializer:
    """Return an initializer of numbers with mean 0 and variance `scale / fan`, where `fan` follows from the shape.

    Axes that are neither inputs, outputs nor batch are the window of a convolution, and belong to both fans. Complex
    numbers have that variance as mean square modulus; truncated ones 1.9 % more.

    Args:
        scale: a positive number.
        mode: `fan_in`, `fan_out`, `fan_avg`, their mean, or `fan_geo_avg`, their geometric mean.
        distribution: `normal`; `truncated_normal`, cut at two standard deviations before it is scaled; `uniform`.
        in_axis: the axis or axes of inputs.
        out_axis: the axis or axes of outputs.
        batch_axis: the axis or axes that belong to neither fan.
        dtype: the element type where the call gives none, floating or complex.

    Raises:
        ArgumentError: another mode, distribution or element type.
        AxisError: the shape has no such axis; ShapeError: it has fewer axes than the defaults need.

    Source: Glorot, Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010);
        He, Zhang, Ren, Sun, "Delving deep into rectifiers" (2015).

    Example:
        >>> from treadle_numpy.random import key
        >>> weights = variance_scaling(2.0, "fan_in", "normal")(key(0), (100, 50))
        >>> bool(0.018 < weights.var() < 0.022)
        True
    """
    coerce("variance_scaling", 0, scale)
    _choice("mode", mode, _MODES)
    _choice("distribution", distribution, _DISTRIBUTIONS)
    given = {"in_axis": in_axis, "out_axis": out_axis, "batch_axis": batch_axis}
    axes = {argument: _listed(argument, each) for argument, each in given.items()}
    default = dtype

    def init(
        key: KeyLike, shape: Shape, dtype: DTypeLike | None = default, out_sharding: Device = None
    ) -> Array:
        wanted = as_dtype("variance_scaling", float if dtype is None else dtype)
        if not is_floating(wanted) and not is_complex(wanted):
            raise ArgumentError(
                f"dtype argument to `variance_scaling` must be a float or complex dtype, got {wanted}"
            )
        sizes = as_shape("variance_scaling", shape)
        variance = divide(scale, _fan(sizes, mode, axes))
        deviation = sqrt(array_of(converted(coerce("variance_scaling", 0, variance), wanted)))
        one = single("variance_scaling", key)
        return placed(_drawn(distribution, one, sizes, wanted, deviation), out_sharding)

    return init


def glorot_uniform(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: DTypeLike | None = None
) -> Initializer:
    """Glorot's uniform initializer: `variance_scaling(1, "fan_avg", "uniform")`.

    Source: Glorot, Bengio 2010.

    Example:
        >>> from treadle_numpy.random import key
        >>> weights = glorot_uniform()(key(0), (4, 2))
        >>> bool((abs(weights) <= 1).all())
        True
    """
    return variance_scaling(1.0, "fan_avg", "uniform", in_axis, out_axis, batch_axis, dtype)


def glorot_normal(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: DTypeLike | None = None
) -> Initializer:
    """Glorot's normal initializer: `variance_scaling(1, "fan_avg", "truncated_normal")`.

    Source: Glorot, Bengio 2010.

    Example:
        >>> from treadle_numpy.random import key
        >>> glorot_normal()(key(0), (4, 2)).shape
        (4, 2)
    """
    return variance_scaling(
        1.0, "fan_avg", "truncated_normal", in_axis, out_axis, batch_axis, dtype
    )


def lecun_uniform(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: DTypeLike | None = None
) -> Initializer:
    """LeCun's uniform initializer: `variance_scaling(1, "fan_in", "uniform")`.

    Source: LeCun, Bottou, Orr, Müller, "Efficient backprop" (1998).

    Example:
        >>> from treadle_numpy.random import key
        >>> weights = lecun_uniform()(key(0), (3, 2))
        >>> bool((abs(weights) <= 1).all())
        True
    """
    return variance_scaling(1.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


def lecun_normal(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: DTypeLike | None = None
) -> Initializer:
    """LeCun's normal initializer: `variance_scaling(1, "fan_in", "truncated_normal")`.

    Source: LeCun, Bottou, Orr, Müller 1998.

    Example:
        >>> from treadle_numpy.random import key
        >>> lecun_normal()(key(0), (3, 2), "bfloat16").dtype
        dtype(bfloat16)
    """
    return variance_scaling(1.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


def he_uniform(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: DTypeLike | None = None
) -> Initializer:
    """He's uniform initializer, for layers before a relu: `variance_scaling(2, "fan_in", "uniform")`.

    Source: He et al. 2015.

    Example:
        >>> from treadle_numpy.random import key
        >>> weights = he_uniform()(key(0), (6, 2))
        >>> bool((abs(weights) <= 1).all())
        True
    """
    return variance_scaling(2.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)


def he_normal(
    in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: DTypeLike | None = None
) -> Initializer:
    """He's normal initializer, for layers before a relu: `variance_scaling(2, "fan_in", "truncated_normal")`.

    Source: He et al. 2015.

    Example:
        >>> from treadle_numpy.random import key
        >>> he_normal(in_axis=0, out_axis=1)(key(0), (3, 3, 8)).shape
        (3, 3, 8)
    """
    return variance_scaling(2.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)


xavier_uniform = glorot_uniform
xavier_normal = glorot_normal
kaiming_uniform = he_uniform
kaiming_normal = he_normal
