"""Programs whose tracing, lowering and compiling is timed apart, and whose results are compared."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy

from cases.base import Case, Namespace

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def weights(*shape: int, seed: int = 0) -> Any:
    """The same numbers in every process."""
    drawn = numpy.random.default_rng(seed + sum(shape)).standard_normal(shape)
    return (drawn / numpy.sqrt(shape[0])).astype(numpy.float32)


def mlp(ns: Namespace) -> Program:
    """Three dense layers and a mean squared loss."""
    sizes = (64, 128, 128, 10)
    params = [(weights(a, b), weights(b)) for a, b in pairwise(sizes)]

    def loss(params: Any, x: Any, y: Any) -> Any:
        for w, b in params[:-1]:
            x = ns.np.tanh(x @ w + b)
        w, b = params[-1]
        return ns.np.mean((x @ w + b - y) ** 2)

    return loss, (params, weights(32, 64), weights(32, 10))


def transformer(layers: int) -> Callable[[Namespace], Program]:
    """Attention and a dense block, layer after layer, in plain NumPy-API code."""
    length, width, heads, vocabulary = 32, 64, 4, 96

    def make(ns: Namespace) -> Program:
        np = ns.np
        params = {
            "embedding": weights(vocabulary, width),
            "layers": [
                {
                    "qkv": weights(width, 3 * width, seed=i),
                    "out": weights(width, width, seed=i),
                    "up": weights(width, 4 * width, seed=i),
                    "down": weights(4 * width, width, seed=i),
                    "scale": numpy.ones((2, width), numpy.float32),
                    "shift": numpy.zeros((2, width), numpy.float32),
                }
                for i in range(layers)
            ],
        }
        tokens = numpy.random.default_rng(0).integers(0, vocabulary, (4, length), numpy.int32)

        def normed(x: Any, scale: Any, shift: Any) -> Any:
            mean = x.mean(axis=-1, keepdims=True)
            variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
            return (x - mean) / np.sqrt(variance + 1e-5) * scale + shift

        def softmax(x: Any) -> Any:
            e = np.exp(x - x.max(axis=-1, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)

        def attention(x: Any, layer: Any) -> Any:
            batch = x.shape[0]
            parts = (x @ layer["qkv"]).reshape(batch, length, 3, heads, width // heads)
            q, k, v = (parts[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
            scores = q @ k.transpose(0, 1, 3, 2) / numpy.float32((width // heads) ** 0.5)
            mask = np.tril(np.ones((length, length), bool))
            mixed = softmax(np.where(mask, scores, -1e9)) @ v
            return mixed.transpose(0, 2, 1, 3).reshape(batch, length, width) @ layer["out"]

        def loss(params: Any, tokens: Any) -> Any:
            x = params["embedding"][tokens]
            for layer in params["layers"]:
                scale, shift = layer["scale"], layer["shift"]
                x = x + attention(normed(x, scale[0], shift[0]), layer)
                hidden = normed(x, scale[1], shift[1]) @ layer["up"]
                x = x + np.maximum(hidden, 0) @ layer["down"]
            probabilities = softmax(x @ params["embedding"].T)
            return -np.mean(np.log(probabilities[:, :, 0] + 1e-6))

        return loss, (params, tokens)

    return make


def loop(ns: Namespace) -> Program:
    """A Python loop of 2,000 steps, which tracing unrolls."""

    def function(x: Any) -> Any:
        for i in range(2000):
            x = x * 0.999 if i % 2 else ns.np.sin(x)
        return ns.np.sum(x)

    return function, (weights(100),)


def nested_jits(ns: Namespace) -> Program:
    """50 jitted functions, each calling the next."""

    def inner(x: Any) -> Any:
        return ns.np.sum(x)

    function: Any = inner
    for _ in range(50):

        def outer(x: Any, called: Any = function) -> Any:
            return called(x * 0.99 + 0.01) + 1.0

        function = ns.jit(outer)
    return function, (weights(100),)


def gradient(make: Callable[[Namespace], Program]) -> Callable[[Namespace], Program]:
    """The same under `grad`."""

    def made(ns: Namespace) -> Program:
        function, operands = make(ns)
        return ns.grad(function), operands

    return made


def per_example(ns: Namespace) -> Program:
    """`vmap(grad(mlp))`: the gradient of each example by itself."""
    function, (params, x, y) = mlp(ns)
    return ns.vmap(ns.grad(function), in_axes=(None, 0, 0)), (params, x, y)


def nested_grad(depth: int) -> Callable[[Namespace], Program]:
    """`grad` of `grad` of ... a scalar function."""

    def make(ns: Namespace) -> Program:
        def function(x: Any) -> Any:
            for _ in range(5):
                x = ns.np.tanh(x) * ns.np.sin(x) + x
            return x

        derivative: Any = function
        for _ in range(depth):
            derivative = ns.grad(derivative)
        return derivative, (numpy.float32(0.4),)

    return make


CASES: Final = [
    Case("MLP", mlp, kind="stages"),
    Case("transformer, 2 layers", transformer(2), kind="stages"),
    Case("transformer, 12 layers", transformer(12), kind="stages", slow=True),
    Case("loop of 2,000 steps", loop, kind="stages"),
    Case("50 nested jits", nested_jits, kind="stages"),
    Case("grad of MLP", gradient(mlp), kind="stages"),
    Case("grad of transformer, 2 layers", gradient(transformer(2)), kind="stages"),
    Case("grad of transformer, 12 layers", gradient(transformer(12)), kind="stages", slow=True),
    Case("grad of loop of 2,000 steps", gradient(loop), kind="stages", slow=True),
    Case("grad of 50 nested jits", gradient(nested_jits), kind="stages"),
    Case("vmap(grad(MLP))", per_example, kind="stages"),
    *(Case(f"grad nested {n} deep", nested_grad(n), kind="stages") for n in (1, 2, 3, 4)),
]
