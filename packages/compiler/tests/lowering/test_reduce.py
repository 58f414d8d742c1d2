"""What XLA:CPU computes for reductions, sorting and cumulative operations, with sizes and elements that are awkward."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from treadle_compiler import CompileOptions, compile_text, jaxlib, lower_program
from treadle_ir import Primitive, bind, stage, type_of
from treadle_ir.primitives.cumulative import (
    CumulativeAdd,
    CumulativeLogsumexp,
    CumulativeMaximum,
    CumulativeMultiply,
)
from treadle_ir.primitives.reduce import Argmax, Argmin, ReduceMaximum, ReduceMinimum
from treadle_ir.primitives.sort import Sort, TopK

pytestmark = pytest.mark.xla
I32 = np.dtype(np.int32)


class Aval:
    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype, self.weak_type = shape, np.dtype(dtype), False


@cache
def client() -> Any:  # jaxlib has no types
    return jaxlib().xla_client.make_cpu_client(asynchronous=False, num_devices=1)


def compiled(primitive: Primitive, *operands: Any) -> list[Any]:
    xc, device = jaxlib().xla_client, client().local_devices()[0]
    staged = stage(lambda *xs: bind(primitive, *xs), *[type_of(x) for x in operands])
    text = lower_program(staged.program).text
    executable = compile_text(client(), text, [device], CompileOptions())
    place = xc.GSPMDSharding(xc.DeviceList((device,)), xc.HloSharding.replicate())
    buffers = [
        xc.batched_device_put(
            Aval(x.shape, x.dtype),
            place,
            [np.ascontiguousarray(x)],
            [device],
            True,
            enable_x64=True,
        )
        for x in operands
    ]
    make = jaxlib().core.array_result_handler
    quiet = {"_skip_checks": True} if "_skip_checks" in (make.__doc__ or "") else {}
    handlers = [
        make(Aval(t.shape, t.dtype), xc.SingleDeviceSharding(device), False, **quiet)  # type: ignore[attr-defined]
        for t in staged.program.result_types
    ]
    outputs = executable.execute_sharded(buffers).consume_with_handlers(handlers)
    return [np.asarray(memoryview(y)) for y in outputs]


def assert_agree(primitive: Primitive, *operands: Any) -> None:
    for actual, expected in zip(
        compiled(primitive, *operands), bind(primitive, *operands), strict=True
    ):
        np.testing.assert_array_equal(actual, expected)


SHAPES = [((1500,), 0), ((3, 1500), 1), ((100, 30), 0), ((4, 5, 600), 2), ((40000,), 0)]


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("operation", [ReduceMaximum, ReduceMinimum])
def test_nan_is_the_maximum_of_every_shape(
    operation: Any, shape: tuple[int, ...], axis: int
) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x.reshape(-1)[x.size // 3] = np.nan
    assert_agree(operation((axis,)), x)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("operation", [Argmax, Argmin])
def test_first_nan_then_first_extreme(operation: Any, shape: tuple[int, ...], axis: int) -> None:
    x = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)
    assert_agree(operation(axis, I32), x)
    x.reshape(-1)[[x.size // 3, x.size // 2, x.size - 1]] = np.nan
    assert_agree(operation(axis, I32), x)
    assert_agree(operation(axis, I32), np.full(shape, -np.inf, np.float32))


def awkward(dtype: Any, n: int) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(1)
    if np.dtype(dtype).kind == "f":
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45])
        values = np.concatenate([random.standard_normal(n), special, special]).astype(dtype)
    else:
        info = np.iinfo(dtype)
        values = random.integers(info.min, info.max, n, dtype, endpoint=True)
        values = np.concatenate(
            [values, values[: n // 2], np.array([info.min, info.max, 0], dtype)]
        )
    return random.permutation(values)


DTYPES = ["f2", "f4", "f8", "i1", "u2", "i4", "u4", "i8", "u8"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [5, 700])
def test_sort_agrees_for_every_kind_of_key(dtype: str, n: int) -> None:
    x = awkward(dtype, n)
    assert_agree(Sort(0), x)
    assert_agree(Sort(0), x, np.arange(len(x), dtype=np.int32))
    assert_agree(TopK(len(x) // 2), x)


def test_sort_of_several_keys_along_another_axis() -> None:
    random = np.random.default_rng(2)
    first, second = (
        random.integers(0, 3, (2, 9, 4)),
        random.integers(-2, 2, (2, 9, 4)).astype(np.float32),
    )
    place = np.arange(72, dtype=np.int32).reshape(2, 9, 4)
    for axis in range(3):
        assert_agree(Sort(axis, 2), first, second, place)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"), [((5000,), 0), ((3, 70), 1), ((70, 3), 0), ((2, 33, 5), 1)]
)
def test_cumulative_agrees_to_the_bit(shape: tuple[int, ...], axis: int, reverse: bool) -> None:
    random = np.random.default_rng(
        3
    )  # products stay above the subnormal numbers, which XLA:CPU takes for zero
    x = (random.uniform(0.99, 1.01, shape) * random.choice([-1, 1], shape)).astype(np.float32)
    for operation in (CumulativeAdd, CumulativeMultiply, CumulativeMaximum):
        assert_agree(operation(axis, reverse), x)
    x.reshape(-1)[7] = np.nan
    assert_agree(CumulativeMaximum(axis, reverse), x)


def test_cumulative_logsumexp_of_extremes() -> None:
    x = np.array([-np.inf, -np.inf, 1000, 1000, 3, np.inf, np.inf], np.float32)
    (actual,) = compiled(CumulativeLogsumexp(0), x)
    np.testing.assert_allclose(actual, np.asarray(bind(CumulativeLogsumexp(0), x)[0]), rtol=1e-6)
