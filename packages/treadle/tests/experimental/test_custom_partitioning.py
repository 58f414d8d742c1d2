"""`custom_partitioning` on one device, where it is the function; several devices are in conformance/sharding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, UnsupportedError
from treadle.experimental.custom_partitioning import (
    ArrayMapping,
    SdyShardingRule,
    custom_partitioning,
)

X = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)


def _unasked(*given: Any) -> Any:
    raise AssertionError("no function is called on one device")


def _sine() -> custom_partitioning:
    @custom_partitioning
    def sine(x: Any) -> Any:
        """The sine."""
        return tnp.sin(x)

    assert sine.def_partition(_unasked, sharding_rule="i j -> i j") is _unasked
    return sine


def test_it_is_the_function() -> None:
    sine = _sine()
    np.testing.assert_allclose(sine(X), np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(treadle.jit(sine)(X), np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(treadle.vmap(sine)(X), np.sin(X), rtol=1e-6)
    found = treadle.grad(lambda x: sine(x).sum())(X)
    np.testing.assert_allclose(found, np.cos(X), rtol=1e-6)
    assert (getattr(sine, "__name__", ""), sine.__doc__) == ("sine", "The sine.")


def test_static_arguments() -> None:
    power = custom_partitioning(lambda x, n, y: x**n + y["a"], static_argnums=1)
    power.def_partition(_unasked)
    for found in (power(X, 2, {"a": X}), power(X, y={"a": X}, n=2)):
        np.testing.assert_allclose(found, X**2 + X, rtol=1e-6)
    with pytest.raises(ArgumentError, match="have no hash"):
        power(X, [2], {"a": X})
    many = custom_partitioning(lambda x: x, static_argnums=(3,))
    many.def_partition(_unasked)
    with pytest.raises(ArgumentError, match="static_argnums is"):
        many(X)


def test_equal_calls_are_one_primitive() -> None:
    sine = _sine()
    programs = [treadle.make_jaxpr(sine)(X) for _ in range(2)]
    assert str(programs[0]) == str(programs[1])
    assert "custom_partitioning" in str(programs[0])


def test_what_is_refused() -> None:
    with pytest.raises(ArgumentError, match="is partitioned"):
        custom_partitioning(lambda x: x)(X)
    with pytest.raises(ArgumentError, match="must be a function"):
        custom_partitioning(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="must be a function"):
        _sine().def_partition(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="sharding_rule must be a string"):
        _sine().def_partition(_unasked, sharding_rule=3)  # type: ignore[arg-type]
    rule = SdyShardingRule((ArrayMapping("i"),), (ArrayMapping("i"),))
    with pytest.raises(ArgumentError, match="belong to a sharding rule in words"):
        _sine().def_partition(_unasked, sharding_rule=rule, need_replication_factors=("i",))
    with pytest.raises(ArgumentError, match="no factor z"):
        _sine().def_partition(_unasked, sharding_rule="i j -> i j", z=3)

    def outer(y: Any) -> Any:
        inner = custom_partitioning(lambda x: x + y)
        inner.def_partition(_unasked)
        return inner(y)

    with pytest.raises(UnsupportedError, match="closes over arrays"):
        treadle.jit(outer)(X)
