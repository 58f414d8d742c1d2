"""`jax.example_libraries.stax`, for numpyro and for examples of JAX's: layers as pairs of functions.

`init(key, input_shape)` gives the shape of the output and the parameters, `apply(params, inputs, **kwargs)` the output.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.nn import (  # JAX's stax has them, too
    elu as elu,
    gelu as gelu,
    leaky_relu as leaky_relu,
    log_softmax as log_softmax,
    relu as relu,
    selu as selu,
    sigmoid as sigmoid,
    softmax as softmax,
    softplus as softplus,
    standardize as standardize,
)
from treadle.nn.initializers import (
    glorot_normal as glorot_normal,
    normal as normal,
    ones as ones,
    zeros as zeros,
)

glorot, randn, logsoftmax = glorot_normal, normal, log_softmax  # older names of JAX's stax

Init: TypeAlias = Callable[..., tuple[Any, Any]]
Apply: TypeAlias = Callable[..., Any]
Layer: TypeAlias = tuple[Init, Apply]
Shape: TypeAlias = tuple[int, ...]

__all__ = [
    "AvgPool",
    "BatchNorm",
    "Conv",
    "Conv1DTranspose",
    "ConvTranspose",
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
    "GeneralConvTranspose",
    "Identity",
    "LeakyRelu",
    "LogSoftmax",
    "MaxPool",
    "Relu",
    "Selu",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "SumPool",
    "Tanh",
    "elementwise",
    "elu",
    "gelu",
    "glorot",
    "glorot_normal",
    "leaky_relu",
    "log_softmax",
    "logsoftmax",
    "normal",
    "ones",
    "parallel",
    "randn",
    "relu",
    "selu",
    "serial",
    "shape_dependent",
    "sigmoid",
    "softmax",
    "softplus",
    "standardize",
    "zeros",
]


glorot, randn, logsoftmax = glorot_normal, normal, log_softmax  # JAX's other names of them
_GLOROT = glorot_normal()
_NORMAL = normal()
_NARROW = normal(1e-6)


def Dense(  # noqa: N802 - JAX's name
    out_dim: int,
    W_init: Any = _GLOROT,  # noqa: N803
    b_init: Any = _NORMAL,
) -> Layer:
    """Return a product with a matrix, and a sum."""

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        first, second = random.split(rng)
        params = W_init(first, (input_shape[-1], out_dim)), b_init(second, (out_dim,))
        return (*input_shape[:-1], out_dim), params

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        weights, bias = params
        return tnp.dot(inputs, weights) + bias

    return init, apply


def _convolution(function: Callable[..., Any], doc: str) -> Callable[..., Layer]:
    """Return the function that makes layers of a convolution of `lax`, with a sum."""

    def make(
        dimension_numbers: tuple[str, str, str],
        out_chan: int,
        filter_shape: Sequence[int],
        strides: Sequence[int] | None = None,
        padding: str = "VALID",
        W_init: Any = None,  # noqa: N803 - JAX's name
        b_init: Any = _NARROW,
    ) -> Layer:
        lhs, rhs, out = dimension_numbers
        convolve = functools.partial(function, dimension_numbers=dimension_numbers)
        steps = tuple(strides) if strides else (1,) * len(filter_shape)
        make_weights = W_init or glorot_normal(rhs.index("I"), rhs.index("O"))

        def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
            sizes = iter(filter_shape)
            kernel = tuple(
                out_chan if c == "O" else input_shape[lhs.index("C")] if c == "I" else next(sizes)
                for c in rhs
            )
            output = treadle.eval_shape(
                lambda x, w: convolve(x, w, steps, padding),
                *(treadle.ShapeDtypeStruct(shape, "float32") for shape in (input_shape, kernel)),
            )
            bias = tuple(out_chan if c == "C" else 1 for c in out)
            first, second = random.split(rng)
            return output.shape, (make_weights(first, kernel), b_init(second, bias))

        def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
            weights, bias = params
            return convolve(inputs, weights, steps, padding) + bias

        return init, apply

    make.__doc__ = doc
    return make


GeneralConv = _convolution(lax.conv_general_dilated, "A convolution, and a sum.")
GeneralConvTranspose = _convolution(lax.conv_transpose, "A transposed convolution, and a sum.")
Conv = functools.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
ConvTranspose = functools.partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = functools.partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))


def BatchNorm(  # noqa: N802 - JAX's name
    axis: int | Sequence[int] = (0, 1, 2),
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
    beta_init: Any = zeros,
    gamma_init: Any = ones,
) -> Layer:
    """Inputs of mean 0 and variance 1 along the axes, then stretched and moved by parameters."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        shape = tuple(n for i, n in enumerate(input_shape) if i not in axes)
        first, second = random.split(rng)
        beta = beta_init(first, shape) if center else ()
        return input_shape, (beta, gamma_init(second, shape) if scale else ())

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        beta, gamma = params
        outputs = standardize(inputs, axes, epsilon=epsilon)
        if scale:
            outputs = outputs * tnp.expand_dims(gamma, axes)
        return outputs + tnp.expand_dims(beta, axes) if center else outputs

    return init, apply


def _pooling(reduce: Callable[..., Any], init_value: float, mean: bool = False) -> Any:
    """Return the function that makes layers which reduce windows: of a spec such as "NHWC", its letters but N and C."""

    def make(
        window_shape: Sequence[int],
        strides: Sequence[int] | None = None,
        padding: str = "VALID",
        spec: str | None = None,
    ) -> Layer:
        places = [i for i, c in enumerate(spec) if c not in "NC"] if spec else None

        def whole(sizes: Sequence[int]) -> tuple[int, ...]:
            if places is None:
                return (1, *sizes, 1)
            by_place = dict(zip(places, sizes, strict=True))
            return tuple(by_place.get(i, 1) for i in range(len(places) + 2))

        window, steps = whole(window_shape), whole(strides or (1,) * len(window_shape))

        def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
            padded = lax.padtype_to_pads(input_shape, window, steps, padding)
            return lax.reduce_window_shape_tuple(input_shape, window, steps, padded), ()

        def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
            def reduced(x: Any) -> Any:
                return lax.reduce_window(x, init_value, reduce, window, steps, padding)

            outputs = reduced(inputs)
            return outputs / reduced(tnp.ones(inputs.shape, inputs.dtype)) if mean else outputs

        return init, apply

    return make


MaxPool = _pooling(lax.max, -math.inf)
SumPool = _pooling(lax.add, 0.0)
AvgPool = _pooling(lax.add, 0.0, mean=True)


def elementwise(fun: Callable[..., Any], **fun_kwargs: Any) -> Layer:
    """Return a function of the inputs, without parameters."""

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return fun(inputs, **fun_kwargs)

    return (lambda rng, input_shape: (input_shape, ())), apply


Tanh = elementwise(tnp.tanh)
Relu = elementwise(relu)
Exp = elementwise(tnp.exp)
LogSoftmax = elementwise(log_softmax, axis=-1)
Softmax = elementwise(softmax, axis=-1)
Softplus = elementwise(softplus)
Sigmoid = elementwise(sigmoid)
Elu = elementwise(elu)
LeakyRelu = elementwise(leaky_relu)
Selu = elementwise(selu)
Gelu = elementwise(gelu)
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
    """Return the input, so many times."""
    return (
        lambda rng, shape: ([shape] * num, ()),
        lambda params, inputs, **kwargs: [inputs] * num,
    )


def FanInConcat(axis: int = -1) -> Layer:  # noqa: N802 - JAX's name
    """Return the inputs, joined along an axis."""

    def init(rng: Any, shapes: Sequence[Shape]) -> tuple[Shape, Any]:
        place = axis % len(shapes[0])
        joined = sum(shape[place] for shape in shapes)
        return (*shapes[0][:place], joined, *shapes[0][place + 1 :]), ()

    return init, lambda params, inputs, **kwargs: tnp.concatenate(inputs, axis)


def Dropout(rate: float, mode: str = "train") -> Layer:  # noqa: N802 - JAX's name
    """Dropout: keep elements with the probability `rate`, and scale them; in modes other than "train", the input."""

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
    """Return a layer that is made when the shape of its input is known."""
    return (
        lambda rng, input_shape: make_layer(input_shape)[0](rng, input_shape),
        lambda params, inputs, **kwargs: make_layer(inputs.shape)[1](params, inputs, **kwargs),
    )
