"""`buffer_callback`: results are written where they are wanted."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, DerivativeError, MissingRuleError, RangeError
from treadle.experimental.buffer_callback import (
    Buffer,
    ExecutionContext,
    ExecutionStage,
    buffer_callback,
)

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def add_one(context: Any, out: Any, x: Any) -> None:
    np.add(np.asarray(x), 1, out=np.asarray(out))


def plus_one(x: Any, **options: Any) -> Any:
    declared = treadle.ShapeDtypeStruct(x.shape, np.float32)
    return buffer_callback(add_one, declared, **options)(x)


def test_runs_by_itself_and_compiled() -> None:
    np.testing.assert_array_equal(plus_one(X), X + 1)
    np.testing.assert_array_equal(treadle.jit(plus_one)(X), X + 1)
    np.testing.assert_array_equal(treadle.jit(lambda x: plus_one(x * 2) * 3)(X), (2 * X + 1) * 3)

    def twice(x: Any) -> Any:
        return treadle.lax.fori_loop(0, 2, lambda _, x: plus_one(x), x)

    np.testing.assert_array_equal(treadle.jit(twice)(X), X + 2)


def test_what_a_callback_gets() -> None:
    seen: list[Any] = []

    def callback(context: Any, out: Any, x: Any) -> None:
        seen.append((type(context), context.stage, type(x), x.shape, x.dtype, x.ndim))
        seen.append((x.writeable, out.writeable))
        np.asarray(out)[...] = np.from_dlpack(x) * 2

    doubled = treadle.jit(buffer_callback(callback, X))(X)
    np.testing.assert_array_equal(doubled, 2 * X)
    assert seen[0] == (ExecutionContext, ExecutionStage.EXECUTE, Buffer, (2, 3), np.float32, 2)
    assert seen[1] == (False, True)


def test_trees() -> None:
    declared = {"sum": X, "rows": [treadle.ShapeDtypeStruct((2,), np.float32)]}

    def callback(context: Any, out: Any, pair: Any, scale: Any) -> None:
        one, other = map(np.asarray, pair)
        np.asarray(out["sum"])[...] = one + np.asarray(scale) * other
        np.asarray(out["rows"][0])[...] = one.sum(1)

    got = treadle.jit(buffer_callback(callback, declared))((X, X), np.float32(3))
    np.testing.assert_array_equal(got["sum"], 4 * X)
    np.testing.assert_array_equal(got["rows"][0], X.sum(1))


@pytest.mark.parametrize(
    "method", ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]
)
def test_batches(method: str) -> None:
    mapped = treadle.vmap(lambda x: plus_one(x, vmap_method=method), in_axes=1, out_axes=1)
    np.testing.assert_array_equal(mapped(X), X + 1)
    np.testing.assert_array_equal(treadle.jit(mapped)(X), X + 1)
    with pytest.raises(MissingRuleError, match="add_one"):
        treadle.vmap(plus_one)(X)


def test_has_no_derivative() -> None:
    with pytest.raises(DerivativeError, match=r"buffer_callback: .*add_one"):
        treadle.grad(lambda x: plus_one(x).sum())(X)


def test_exceptions_come_out_as_they_were_raised() -> None:
    def failing(context: Any, out: Any, x: Any) -> None:
        raise KeyError("mine")

    for run in (lambda f: f, treadle.jit):
        with pytest.raises(KeyError, match="mine"):
            np.asarray(run(buffer_callback(failing, X))(X))
        np.testing.assert_array_equal(plus_one(X), X + 1)


def test_memory_is_taken_over_only_where_it_has_no_other_use() -> None:
    def in_place(context: Any, out: Any, x: Any) -> None:
        np.asarray(out)[...] = np.asarray(x) + 1

    x = tnp.asarray(X)
    call = buffer_callback(in_place, X, input_output_aliases={0: 0})
    np.testing.assert_array_equal(call(x), X + 1)
    np.testing.assert_array_equal(x, X)
    with pytest.raises(RangeError, match="1 arguments and 1 results"):
        buffer_callback(in_place, X, input_output_aliases={1: 0})(x)


def test_effects_are_kept() -> None:
    calls: list[bool] = []

    def unused(effect: bool) -> Any:
        def callback(context: Any, out: Any, x: Any) -> None:
            calls.append(effect)

        def function(x: Any) -> Any:
            buffer_callback(callback, X, has_side_effect=effect)(x)
            return x

        return treadle.jit(function)

    unused(False)(X)
    unused(True)(X)
    assert calls == [True]


SEVERAL = """
import numpy as np
import treadle
from treadle.experimental.buffer_callback import buffer_callback
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P

def add_one(context, out, x):
    np.add(np.asarray(x), 1, out=np.asarray(out))

def failing(context, out, x):
    raise KeyError("mine")

def call(x, callback=add_one):
    return buffer_callback(callback, treadle.ShapeDtypeStruct(x.shape, np.float32))(x)

mesh = treadle.make_mesh((4,), ("x",), (AxisType.Auto,))
x = np.arange(24, dtype=np.float32).reshape(8, 3)
laid = treadle.device_put(x, NamedSharding(mesh, P("x")))
mapped = treadle.jit(treadle.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x")))
for f in (call, treadle.jit(call), mapped):
    np.testing.assert_array_equal(f(laid), x + 1)
try:
    np.asarray(treadle.jit(lambda x: call(x, failing).sum() + x)(laid))
except KeyError:
    print("done")
"""


def test_over_several_devices() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SEVERAL],
        env={**os.environ, "TREADLE_NUM_CPU_DEVICES": "4"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.stdout.strip() == "done", run.stderr


def test_options_are_checked() -> None:
    with pytest.raises(ArgumentError, match="callback"):
        buffer_callback(3, X)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="vmap_method"):
        buffer_callback(add_one, X, vmap_method="some")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="declared"):
        buffer_callback(add_one, "text")
    with pytest.raises(ArgumentError, match="argument"):
        buffer_callback(add_one, X)("text")
