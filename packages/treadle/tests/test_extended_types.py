"""Element types that libraries define: arrays of them are moved, converted, differentiated by the library's rules."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import dtypes, lax, random
from treadle.core import ShapedArray
from treadle.dtypes import ExtendedDType, extended, issubdtype, prng_key
from treadle.errors import DTypeError

pytestmark = pytest.mark.xla


class GreatestKind(extended):
    """The kind of element types whose tangents are accumulated by their maximum."""


class GreatestRules:
    """What treadle asks about such types."""

    @staticmethod
    def physical_element_aval(dtype: Any) -> ShapedArray:
        return ShapedArray((), dtype.number)

    @staticmethod
    def convert_from(dtype: Any, other: Any) -> bool:
        return bool(other == dtype.number)

    @staticmethod
    def convert_to(other: Any, dtype: Any) -> bool:
        return bool(other == dtype.number)

    @staticmethod
    def tangent_dtype(dtype: Any) -> Any:
        return dtype

    @staticmethod
    def zero(dtype: Any) -> Any:
        return tnp.zeros((), dtype.number).astype(dtype)

    @staticmethod
    def add(dtype: Any, x: Any, y: Any) -> Any:
        return tnp.maximum(x.astype(dtype.number), y.astype(dtype.number)).astype(dtype)


@dataclasses.dataclass(frozen=True)
class Greatest(ExtendedDType):
    """A float whose tangents are accumulated by their maximum."""

    number: Any
    _rules: Any = GreatestRules
    type: Any = GreatestKind

    @property
    def name(self) -> str:
        return f"greatest{self.number.itemsize * 8}"

    def __repr__(self) -> str:
        return self.name


f32, f16 = tnp.dtype("float32"), tnp.dtype("float16")
G32: Any = Greatest(f32)
G16: Any = Greatest(f16)


def transformed() -> Any:
    return pytest.mark.parametrize("transform", [lambda f: f, treadle.jit], ids=["eager", "jit"])


def test_the_element_type() -> None:
    x = lax.convert_element_type(tnp.arange(3.0), G32)
    assert (x.dtype, x.shape, x.itemsize, x.nbytes) == (G32, (3,), 4, 12)
    assert str(treadle.typeof(x)) == "greatest32[3]"
    assert repr(x) == "Array([0., 1., 2.], dtype=greatest32)"
    assert x.dtype == Greatest(f32) != Greatest(f16)
    assert issubdtype(x.dtype, GreatestKind)
    assert issubdtype(x.dtype, extended)
    assert not issubdtype(x.dtype, prng_key)
    assert not issubdtype(x.dtype, tnp.floating)
    assert not issubdtype(tnp.float32, GreatestKind)
    assert treadle.eval_shape(lambda y: y, x).dtype == G32
    traced = treadle.make_jaxpr(lambda y: y.astype(G32))(tnp.arange(3.0))
    assert "greatest32[3] = convert" in str(traced)


@transformed()
def test_only_the_rules_convert(transform: Any) -> None:
    x = tnp.arange(3.0)
    there = transform(lambda x: x.astype(G32))(x)
    np.testing.assert_array_equal(transform(lambda y: y.astype(f32))(there), x)
    with pytest.raises(DTypeError, match="from greatest32 to float16"):
        transform(lambda y: y.astype(f16))(there)
    with pytest.raises(DTypeError, match="from float16 to greatest32"):
        transform(lambda y: y.astype(G32))(x.astype(f16))
    with pytest.raises(DTypeError, match="from greatest32 to greatest16"):
        transform(lambda y: y.astype(G16))(there)
    with pytest.raises(DTypeError, match="key"):
        transform(lambda k: k.astype(G32))(random.key(0))


@transformed()
def test_such_arrays_are_moved_but_no_numbers(transform: Any) -> None:
    x = tnp.arange(4.0)
    moves: list[Any] = [
        lambda y: y[1:3],
        lambda y: y[tnp.array([2, 0])],
        lambda y: tnp.concatenate([y, y[:1]]),
        lambda y: y.reshape(2, 2).T,
        lambda y: y.at[0].set(y[3]),
        lambda y: tnp.where(tnp.array([True, False, True, False]), y, y[::-1]),
        lambda y: treadle.vmap(lambda z: z)(y),
        lambda y: lax.scan(lambda c, z: (z, c), y[0], y)[1],
    ]
    for move in moves:
        moved = transform(move)(x.astype(G32))
        np.testing.assert_array_equal(moved.astype(f32), move(x))
    for compute in (lambda y: y + y, tnp.sin, tnp.sum, lambda y: y == y, lambda y: y * 2):
        with pytest.raises(DTypeError, match="greatest32"):
            transform(compute)(x.astype(G32))
    with pytest.raises(DTypeError, match="greatest32"):
        np.asarray(x.astype(G32))


@transformed()
def test_tangents_are_added_by_the_rules(transform: Any) -> None:
    # JAX gives the same for both.
    def loss(x: Any) -> Any:
        y = x.astype(G32)
        return sum(k * y.astype(f32) for k in (2.0, 5.0, 3.0))

    def loop(x: Any) -> Any:
        y = x.astype(G32)
        return lax.scan(lambda c, k: (c + k * y.astype(f32), None), 0.0, tnp.array([2.0, 5.0, 3.0]))[0]  # fmt: skip

    assert transform(treadle.grad(loss))(1.0) == 5.0
    assert transform(treadle.grad(loop))(1.0) == 5.0
    assert transform(treadle.grad(lambda x: loss(x) + 7 * x))(1.0) == 12.0
    assert transform(lambda x: treadle.jvp(loss, (x,), (1.0,)))(1.0) == (10.0, 10.0)
    batched = transform(treadle.vmap(treadle.grad(loss)))(tnp.arange(3.0))
    assert batched.tolist() == [5.0, 5.0, 5.0]


class PairRules:
    """Rules of an element of two integers; what is left out has no meaning for it."""

    @staticmethod
    def physical_element_aval(dtype: Any) -> ShapedArray:
        return ShapedArray((2,), np.dtype("int32"))


class Pair(ExtendedDType):
    """Two integers."""

    name, type, _rules = "pair", extended, PairRules


def test_elements_of_several_numbers() -> None:
    pair: Any = Pair()
    x = tnp.zeros((3,), pair)
    assert (x.dtype.name, x.shape, x.nbytes) == ("pair", (3,), 24)
    moved = treadle.jit(lambda y: tnp.concatenate([y, y])[::-1].reshape(2, 3))(x)
    assert repr(treadle.typeof(moved)) == "ShapedArray(pair[2,3])"
    with pytest.raises(DTypeError, match="from pair to int32"):
        x.astype(tnp.int32)


def test_limits_are_among_the_questions() -> None:
    assert dtypes.finfo is tnp.finfo
    assert dtypes.iinfo is tnp.iinfo
