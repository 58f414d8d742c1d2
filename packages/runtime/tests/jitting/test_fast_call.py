"""Calls of programs with callbacks: the fast way runs, counts and raises as the general one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import DonatedError
from treadle_runtime import (
    ShapeDtypeStruct,
    debug_callback,
    effects_barrier,
    from_host,
    io_callback,
    jit,
    pure_callback,
)
from treadle_runtime.jitting.miss import MISS

ops: Any = treadle_ir.ops
SCALAR = ShapeDtypeStruct((), np.float32)


def array(value: float) -> Any:
    return from_host(np.float32(value))


def host_function(ways: str, seen: list[float], errors: list[Exception]) -> Any:
    """A jitted function that calls back once, and adds one to what came; each error of the list is raised once."""

    def back(x: Any) -> Any:
        seen.append(float(x))
        if errors:
            raise errors.pop()
        return np.float32(x)

    def f(x: Any) -> Any:
        if ways == "pure":
            y = pure_callback(back, SCALAR, x)
        elif ways == "debug":
            debug_callback(back, x)
            y = x
        else:
            y = io_callback(back, SCALAR, x, ordered=ways == "ordered")
        return {"y": ops.add(y, np.float32(1))}

    return jit(f)


@pytest.mark.parametrize("ways", ["pure", "debug", "io", "ordered"])
def test_a_callback_is_called_once_in_each_call(ways: str) -> None:
    seen: list[float] = []
    f = host_function(ways, seen, [])
    for call in range(5):
        assert float(f(array(call))["y"]) == call + 1
    effects_barrier()
    assert seen == [0, 1, 2, 3, 4]
    assert f.cache.fast((array(5),), {}) is not MISS  # it has the fast way
    assert f.cache.fast(("no array",), {}) is MISS


@pytest.mark.parametrize("ways", ["pure", "io", "ordered"])
@pytest.mark.parametrize("error", [TypeError("of the user"), ValueError("other"), KeyError(1)])
def test_what_a_callback_raises_comes_out(ways: str, error: Exception) -> None:
    seen: list[float] = []
    errors: list[Exception] = []
    f = host_function(ways, seen, errors)
    for call in range(5):
        f(array(call))
    errors.append(error)
    with pytest.raises(type(error)) as raised:
        f(array(5))
    assert raised.value is error
    assert seen == [0, 1, 2, 3, 4, 5]  # it is not run again
    assert float(f(array(6))["y"]) == 7


def test_nothing_is_called_with_a_deleted_array() -> None:
    seen: list[float] = []
    f = host_function("io", seen, [])
    for call in range(4):
        f(array(call))
    gone = array(4)
    give = jit(lambda x: ops.add(x, x), donate_argnums=0)
    give(gone)
    with pytest.raises(DonatedError, match="deleted"):
        f(gone)
    assert seen == [0, 1, 2, 3]


def test_a_donated_argument_is_gone_after_each_call() -> None:
    errors: list[Exception] = []

    def back(x: Any) -> Any:
        if errors:
            raise errors.pop()
        return x

    f = jit(lambda x: ops.add(io_callback(back, SCALAR, x), x), donate_argnums=0)
    x = array(1)
    for call in range(5):
        before, x = x, f(x)
        assert float(x) == 2.0 ** (call + 1)
        with pytest.raises(DonatedError):
            float(before)
    errors.append(TypeError("now"))
    with pytest.raises(TypeError, match="now"):
        f(x)
    assert f.cache.fast((array(1),), {}) is not MISS
