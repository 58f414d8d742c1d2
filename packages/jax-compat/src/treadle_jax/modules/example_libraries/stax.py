"""`jax.example_libraries.stax`, for numpyro: layers as pairs of functions.

`init(key, input_shape)` gives the shape of the output and the parameters, `apply(params, inputs, **kwargs)` the output.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import treadle.numpy as tnp
from treadle import lax, nn, random
from treadle.nn.initializers import glorot_normal, normal

Init: TypeAlias = Callable[..., tuple[Any, Any]]
Apply: TypeAlias = Callable[..., Any]
Layer: TypeAlias = tuple[Init, Apply]
Shape: TypeAlias = tuple[int, ...]

__all__ = [
    "Conv",
    "Dense",
    "Dropout",
    "Elu",
    "Exp",
    "FanInConcat",
    "FanInSum",
    "FanOut",
    "Flatten",
    "Gelu",
    "GeneralConv",
    "Identity",
    "LeakyRelu",
    "LogSoftmax",
    "Relu",
    "Selu",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "elementwise",
    "parallel",
    "serial",
    "shape_dependent",
]


_GLOROT = glorot_normal()
_NORMAL = normal()
_NARROW = normal(1e-6)


def Dense(  # noqa: N802 - JAX's name
    out_dim: int,
    W_init: Any = _GLOROT,  # noqa: N803
    b_init: Any = _NORMAL,
) -> Layer:
    """A product with a matrix, and a sum."""

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        first, second = random.split(rng)
        params = W_init(first, (input_shape[-1], out_dim)), b_init(second, (out_dim,))
        return (*input_shape[:-1], out_dim), params

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        weights, bias = params
        return tnp.dot(inputs, weights) + bias

    return init, apply


def GeneralConv(  # noqa: N802 - JAX's name
    dimension_numbers: tuple[str, str, str],
    out_chan: int,
    filter_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: str = "VALID",
    W_init: Any = None,  # noqa: N803
    b_init: Any = _NARROW,
) -> Layer:
    """A convolution, and a sum."""
    lhs, rhs, out = dimension_numbers
    steps = tuple(strides) if strides else (1,) * len(filter_shape)
    make = W_init or glorot_normal(rhs.index("I"), rhs.index("O"))

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        sizes = iter(filter_shape)
        kernel = tuple(
            out_chan if c == "O" else input_shape[lhs.index("C")] if c == "I" else next(sizes)
            for c in rhs
        )
        output_shape = lax.conv_general_shape_tuple(
            input_shape, kernel, steps, padding, dimension_numbers
        )
        bias = tuple(out_chan if c == "C" else 1 for c in out)
        first, second = random.split(rng)
        return output_shape, (make(first, kernel), b_init(second, bias))

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        weights, bias = params
        convolved = lax.conv_general_dilated(
            inputs, weights, steps, padding, dimension_numbers=dimension_numbers
        )
        return convolved + bias

    return init, apply


Conv = functools.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))


def elementwise(fun: Callable[..., Any], **fun_kwargs: Any) -> Layer:
    """A function of the inputs, without parameters."""

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return fun(inputs, **fun_kwargs)

    return (lambda rng, input_shape: (input_shape, ())), apply


Tanh = elementwise(tnp.tanh)
Relu = elementwise(nn.relu)
Exp = elementwise(tnp.exp)
LogSoftmax = elementwise(nn.log_softmax, axis=-1)
Softmax = elementwise(nn.softmax, axis=-1)
Softplus = elementwise(nn.softplus)
Sigmoid = elementwise(nn.sigmoid)
Elu = elementwise(nn.elu)
LeakyRelu = elementwise(nn.leaky_relu)
Selu = elementwise(nn.selu)
Gelu = elementwise(nn.gelu)
Identity = elementwise(lambda x: x)
Flatten: Layer = (
    lambda rng, shape: ((shape[0], math.prod(shape[1:])), ()),
    lambda params, inputs, **kwargs: tnp.reshape(inputs, (inputs.shape[0], -1)),
)
FanInSum: Layer = (
    lambda rng, shapes: (shapes[0], ()),
    lambda params, inputs, **kwargs: functools.reduce(tnp.add, inputs),
)


def FanOut(num: int) -> Layer:  # noqa: N802 - JAX's name
    """The input, so many times."""
    return (
        lambda rng, shape: ([shape] * num, ()),
        lambda params, inputs, **kwargs: [inputs] * num,
    )


def FanInConcat(axis: int = -1) -> Layer:  # noqa: N802 - JAX's name
    """The inputs, joined along an axis."""

    def init(rng: Any, shapes: Sequence[Shape]) -> tuple[Shape, Any]:
        place = axis % len(shapes[0])
        joined = sum(shape[place] for shape in shapes)
        return (*shapes[0][:place], joined, *shapes[0][place + 1 :]), ()

    return init, lambda params, inputs, **kwargs: tnp.concatenate(inputs, axis)


def Dropout(rate: float, mode: str = "train") -> Layer:  # noqa: N802 - JAX's name
    """Elements kept with the probability `rate`, and scaled; in other modes than "train" the input."""

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        key = kwargs.get("rng")
        if key is None:
            raise ValueError(
                "Dropout: call the function with a key, `apply(params, inputs, rng=key)`"
            )
        if mode != "train":
            return inputs
        kept = random.bernoulli(key, rate, inputs.shape)
        return tnp.where(kept, inputs / rate, 0)

    return (lambda rng, input_shape: (input_shape, ())), apply


def serial(*layers: Layer) -> Layer:
    """Layers one after the other."""
    inits, applies = zip(*layers, strict=True)

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        params = []
        for each in inits:
            rng, key = random.split(rng)
            input_shape, param = each(key, input_shape)
            params.append(param)
        return input_shape, params

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        key = kwargs.pop("rng", None)
        keys = [None] * len(layers) if key is None else random.split(key, len(layers))
        for each, param, k in zip(applies, params, keys, strict=True):
            inputs = each(param, inputs, rng=k, **kwargs)
        return inputs

    return init, apply


def parallel(*layers: Layer) -> Layer:
    """Layers side by side, one for each input."""
    inits, applies = zip(*layers, strict=True)

    def init(rng: Any, input_shape: Sequence[Shape]) -> tuple[Any, Any]:
        keys = random.split(rng, len(layers))
        made = [each(k, shape) for each, k, shape in zip(inits, keys, input_shape, strict=True)]
        return [shape for shape, _ in made], tuple(params for _, params in made)

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        key = kwargs.pop("rng", None)
        keys = [None] * len(layers) if key is None else random.split(key, len(layers))
        return [
            each(param, x, rng=k, **kwargs)
            for each, param, x, k in zip(applies, params, inputs, keys, strict=True)
        ]

    return init, apply


def shape_dependent(make_layer: Callable[[Shape], Layer]) -> Layer:
    """A layer that is made when the shape of its input is known."""
    return (
        lambda rng, input_shape: make_layer(input_shape)[0](rng, input_shape),
        lambda params, inputs, **kwargs: make_layer(inputs.shape)[1](params, inputs, **kwargs),
    )
