"""Single operations on a million elements, jitted: those that must be three times as fast, and those not worse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

from cases.base import Budget, Case, Namespace

SIZE: Final = 1_000_000
SQUARE: Final = (1000, 1000)
THRICE: Final = Budget(jax=1 / 3)
LEVEL: Final = Budget(jax=1.05)

Operation = Callable[..., Any]


def numbers(*shape: int, seed: int = 0) -> Any:
    """Normal numbers, the same in every process, most of them between -30 and 30."""
    drawn = numpy.random.default_rng(seed).standard_normal(shape)
    return (10 * drawn).astype(numpy.float32)


def positive(*shape: int) -> Any:
    """Numbers above zero."""
    return numpy.abs(numbers(*shape)) + numpy.float32(0.01)


def whole(*shape: int) -> Any:
    """Integers from 0 to 999."""
    return numpy.random.default_rng(3).integers(0, 1000, shape, numpy.int32)


def mask(*shape: int) -> Any:
    """True for three in ten."""
    return numpy.random.default_rng(4).random(shape) < 0.3


def operation(
    name: str,
    budget: Budget,
    function: Callable[[Namespace], Operation],
    *operands: Callable[[], Any],
) -> Case:
    """Make a case: the function of a namespace, jitted, on operands that are on the device."""

    def make(ns: Namespace) -> Callable[[], Any]:
        compiled = ns.jit(function(ns))
        placed = [ns.top.device_put(operand()) for operand in operands]
        return lambda: compiled(*placed)

    return Case(name, make, budget=budget)


def elementwise(name: str, budget: Budget) -> Case:
    """A function of `numpy` of one flat array."""
    return operation(f"{name} 1e6", budget, lambda ns: getattr(ns.np, name), flat)


def drawn(name: str, budget: Budget) -> Case:
    """A million random numbers."""

    def function(ns: Namespace) -> Operation:
        return lambda key: getattr(ns.random, name)(key, (SIZE,))

    return keyed(f"random.{name} 1e6", budget, function)


def keyed(name: str, budget: Budget, function: Callable[[Namespace], Operation]) -> Case:
    """A case whose operand is a random key."""

    def make(ns: Namespace) -> Callable[[], Any]:
        compiled, key = ns.jit(function(ns)), ns.random.key(0)
        return lambda: compiled(key)

    return Case(name, make, budget=budget)


def flat() -> Any:
    """A million numbers in one row."""
    return numbers(SIZE)


def matrix() -> Any:
    """A million numbers in a square."""
    return numbers(*SQUARE)


def other_matrix() -> Any:
    """Others."""
    return numbers(*SQUARE, seed=1)


def layernorm(ns: Namespace) -> Operation:
    """Rows with mean 0 and variance 1."""

    def function(x: Any) -> Any:
        mean = x.mean(axis=-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        return (x - mean) / ns.np.sqrt(variance + 1e-5)

    return function


def softmax(ns: Namespace) -> Operation:
    """Rows that add up to 1."""

    def function(x: Any) -> Any:
        e = ns.np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return function


CASES: Final = [
    operation("sort 1e6", THRICE, lambda ns: ns.np.sort, flat),
    operation("sort 1e5", THRICE, lambda ns: ns.np.sort, lambda: numbers(100_000)),
    operation("sort rows", THRICE, lambda ns: lambda x: ns.np.sort(x, axis=1), matrix),
    operation("sort columns", THRICE, lambda ns: lambda x: ns.np.sort(x, axis=0), matrix),
    operation("argsort 1e6", THRICE, lambda ns: ns.np.argsort, flat),
    operation("argsort rows", THRICE, lambda ns: lambda x: ns.np.argsort(x, axis=1), matrix),
    operation("argsort columns", THRICE, lambda ns: lambda x: ns.np.argsort(x, axis=0), matrix),
    operation("median 1e6", THRICE, lambda ns: ns.np.median, flat),
    operation("median rows", THRICE, lambda ns: lambda x: ns.np.median(x, axis=1), matrix),
    operation("median columns", THRICE, lambda ns: lambda x: ns.np.median(x, axis=0), matrix),
    keyed(
        "random.permutation 1e6",
        THRICE,
        lambda ns: lambda key: ns.random.permutation(key, SIZE),
    ),
    keyed(
        "random.permutation 1e5",
        THRICE,
        lambda ns: lambda key: ns.random.permutation(key, 100_000),
    ),
    operation(
        "nonzero(size) 1e6",
        THRICE,
        lambda ns: lambda x: ns.np.nonzero(x, size=400_000),
        lambda: mask(SIZE),
    ),
    operation(
        "nonzero(size) 1000x1000",
        THRICE,
        lambda ns: lambda x: ns.np.nonzero(x, size=400_000),
        lambda: mask(*SQUARE),
    ),
    operation("argmax 1e6", THRICE, lambda ns: ns.np.argmax, flat),
    operation("argmax rows", THRICE, lambda ns: lambda x: ns.np.argmax(x, axis=1), matrix),
    operation("argmax columns", THRICE, lambda ns: lambda x: ns.np.argmax(x, axis=0), matrix),
    elementwise("sin", THRICE),
    elementwise("cos", THRICE),
    elementwise("tan", LEVEL),
    operation("cumsum 1e6", THRICE, lambda ns: ns.np.cumsum, flat),
    operation("cumsum rows", THRICE, lambda ns: lambda x: ns.np.cumsum(x, axis=1), matrix),
    operation("cumsum columns", THRICE, lambda ns: lambda x: ns.np.cumsum(x, axis=0), matrix),
    drawn("uniform", THRICE),
    drawn("normal", LEVEL),
    operation(
        "histogram 1e6, 10 bins", LEVEL, lambda ns: lambda x: ns.np.histogram(x, bins=10), flat
    ),
    operation(
        "histogram 1e5, 100 bins",
        LEVEL,
        lambda ns: lambda x: ns.np.histogram(x, bins=100),
        lambda: numbers(100_000),
    ),
    operation("x % y 1e6", LEVEL, lambda ns: lambda x, y: x % y, flat, lambda: positive(SIZE)),
    operation("x ** 2.5 1e6", LEVEL, lambda ns: lambda x: x**2.5, lambda: positive(SIZE)),
    elementwise("cbrt", LEVEL),
    elementwise("arctan", LEVEL),
    elementwise("exp", LEVEL),
    operation("log 1e6", LEVEL, lambda ns: ns.np.log, lambda: positive(SIZE)),
    elementwise("tanh", LEVEL),
    operation("softmax rows", LEVEL, softmax, matrix),
    operation("layernorm rows", LEVEL, layernorm, matrix),
    operation(
        "gather 1e6 of 1000",
        LEVEL,
        lambda ns: lambda x, i: x[i],
        lambda: numbers(1000),
        lambda: whole(SIZE),
    ),
    operation("gather rows", LEVEL, lambda ns: lambda x, i: x[i], matrix, lambda: whole(1000)),
    operation("x + x.T", LEVEL, lambda ns: lambda x, y: x + y.T, matrix, other_matrix),
    operation("matmul 1000x1000", LEVEL, lambda ns: lambda x, y: x @ y, matrix, other_matrix),
    operation(
        "concatenate 10 x 1e5",
        LEVEL,
        lambda ns: lambda *xs: ns.np.concatenate(xs),
        *[lambda i=i: numbers(100_000, seed=i) for i in range(10)],
    ),
]
