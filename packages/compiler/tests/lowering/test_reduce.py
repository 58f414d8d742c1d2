"""What XLA:CPU computes for reductions, sorting and cumulative operations, with sizes and elements that are awkward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

from treadle_compiler.lowering.reduce import LONG_STRIP, SHORT, STRIPS
from treadle_ir import Primitive, bind
from treadle_ir.primitives.cumulative import (
    CumulativeAdd,
    CumulativeLogsumexp,
    CumulativeMaximum,
    CumulativeMultiply,
)
from treadle_ir.primitives.reduce import Argmax, Argmin, ReduceMaximum, ReduceMinimum
from treadle_ir.primitives.sort import Sort, TopK

pytestmark = pytest.mark.xla
LONG = STRIPS * LONG_STRIP  # elements, from which on they are folded before they are reduced
I32 = np.dtype(np.int32)


Agree: TypeAlias = Callable[..., None]


@pytest.fixture
def agree(compiled: Any) -> Agree:
    """Asserts that XLA and the reference evaluator give a primitive the same results, to the bit."""

    def check(primitive: Primitive, *operands: Any) -> None:
        actual = compiled(lambda *xs: bind(primitive, *xs), *operands)(*operands)
        for ours, expected in zip(actual, bind(primitive, *operands), strict=True):
            np.testing.assert_array_equal(ours, expected)

    return check


SHAPES = [((1500,), 0), ((3, 1500), 1), ((100, 30), 0), ((4, 5, 600), 2), ((40000,), 0)]


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("operation", [ReduceMaximum, ReduceMinimum])
def test_nan_is_the_maximum_of_every_shape(
    agree: Agree, operation: Any, shape: tuple[int, ...], axis: int
) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x.reshape(-1)[x.size // 3] = np.nan
    agree(operation((axis,)), x)


@pytest.mark.parametrize(("shape", "axis"), [((40, 5), 1), ((40, 50), 1), ((40, 50), 0)])
def test_a_maximum_that_need_not_keep_nan(
    agree: Agree, compiled: Any, shape: tuple[int, ...], axis: int
) -> None:
    primitive = ReduceMaximum((axis,), keeps_nan=False)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    agree(primitive, x)
    agree(primitive, np.full(shape, -np.inf, np.float32))
    x[0, 0] = np.nan  # where the result is anything, the others are what they are
    found = compiled(lambda x: bind(primitive, x), x)(x)[0]
    np.testing.assert_array_equal(found[1:], x.max(axis)[1:])


# Zeros of both signs, which are equal, NaN of both signs, and what is next to infinity.
EXTREME = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0, 6e4, -6e4]


@pytest.mark.parametrize("size", [1, 2, 10, SHORT])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u1", "i4", "u4", "i8"])
def test_extremes_along_a_short_axis(agree: Agree, dtype: str, axis: int, size: int) -> None:
    generator = np.random.default_rng(size)
    shape = (size, 70) if axis == 0 else (70, size)
    if dtype[0] == "f":
        x = generator.choice(np.array(EXTREME, dtype), shape)
    else:
        ends = np.iinfo(np.dtype(dtype))
        x = generator.choice(np.array([ends.min, ends.max, 0, 1, ends.max - 1], dtype), shape)
    for position in (Argmax, Argmin):
        agree(position(axis, I32), x)
    for extreme in (ReduceMaximum, ReduceMinimum):
        agree(extreme((axis,)), x)


@pytest.mark.parametrize(("shape", "axis"), SHAPES[1:3])
@pytest.mark.parametrize("operation", [ReduceMaximum, ReduceMinimum])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_infinities_of_both_signs_and_overflow_are_not_nan(
    agree: Agree, operation: Any, shape: tuple[int, ...], axis: int, dtype: str
) -> None:
    limits = np.finfo(dtype)
    choices = np.array([limits.max, limits.min, 0, 1, np.inf, -np.inf], dtype)
    random = np.random.default_rng(0)
    agree(operation((axis,)), random.choice(choices[:4], shape))
    agree(operation((axis,)), random.choice(choices, shape))
    agree(operation((axis,)), np.full(shape, -np.inf, dtype))


@pytest.mark.parametrize("operation", [ReduceMaximum, ReduceMinimum])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((LONG - STRIPS,), (0,)),  # too short by a strip
        ((LONG,), (0,)),
        ((LONG + 1,), (0,)),
        ((LONG + STRIPS + 7,), (0,)),
        ((257, 301), (0, 1)),
        ((301, 257), (0,)),
        ((2, 17, 5000), (0, 1)),
        ((3, 100, 100), (0,)),
        ((3, LONG + 5), (1,)),
        ((5, LONG), ()),
    ],
)
def test_long_extremes_keep_every_element_and_every_nan(
    compiled: Any, operation: Any, dtype: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    random = np.random.default_rng(5)
    extreme = np.max if operation is ReduceMaximum else np.min
    x = random.standard_normal(shape).astype(dtype)
    reduced = compiled(lambda x: bind(operation(axes), x), x)
    np.testing.assert_array_equal(reduced(x)[0], extreme(x, axes))
    places = [0, x.size - 1, *random.integers(0, x.size, 12)]
    for place in places:
        for value in (99.0, -99.0, np.inf, -np.inf, np.nan):
            changed = x.copy()
            changed.reshape(-1)[place] = value
            np.testing.assert_array_equal(reduced(changed)[0], extreme(changed, axes))


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("operation", [Argmax, Argmin])
def test_first_nan_then_first_extreme(
    agree: Agree, operation: Any, shape: tuple[int, ...], axis: int
) -> None:
    x = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)
    agree(operation(axis, I32), x)
    x.reshape(-1)[[x.size // 3, x.size // 2, x.size - 1]] = np.nan
    agree(operation(axis, I32), x)
    agree(operation(axis, I32), np.full(shape, -np.inf, np.float32))


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
def test_sort_agrees_for_every_kind_of_key(agree: Agree, dtype: str, n: int) -> None:
    x = awkward(dtype, n)
    agree(Sort(0), x)
    agree(Sort(0), x, np.arange(len(x), dtype=np.int32))
    agree(TopK(len(x) // 2), x)


def test_sort_of_several_keys_along_another_axis(agree: Agree) -> None:
    random = np.random.default_rng(2)
    first, second = (
        random.integers(0, 3, (2, 9, 4)),
        random.integers(-2, 2, (2, 9, 4)).astype(np.float32),
    )
    place = np.arange(72, dtype=np.int32).reshape(2, 9, 4)
    for axis in range(3):
        agree(Sort(axis, 2), first, second, place)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"), [((5000,), 0), ((3, 70), 1), ((70, 3), 0), ((2, 33, 5), 1)]
)
def test_cumulative_agrees_to_the_bit(
    agree: Agree, shape: tuple[int, ...], axis: int, reverse: bool
) -> None:
    random = np.random.default_rng(
        3
    )  # products stay above the subnormal numbers, which XLA:CPU takes for zero
    x = (random.uniform(0.99, 1.01, shape) * random.choice([-1, 1], shape)).astype(np.float32)
    for operation in (CumulativeAdd, CumulativeMultiply, CumulativeMaximum):
        agree(operation(axis, reverse), x)
    x.reshape(-1)[7] = np.nan
    agree(CumulativeMaximum(axis, reverse), x)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"), [((40001,), 0), ((1, 40000, 1), 1), ((5, 8192), 1), ((3, 4, 4096), 2)]
)
def test_cumulative_sum_in_blocks(
    agree: Agree, compiled: Any, shape: tuple[int, ...], axis: int, reverse: bool
) -> None:
    random = np.random.default_rng(4)
    integers = random.integers(-(2**31), 2**31, shape, np.int32)
    agree(CumulativeAdd(axis, reverse), integers)  # wraps around
    x = random.standard_normal(shape).astype(np.float32)
    (actual,) = compiled(lambda x: bind(CumulativeAdd(axis, reverse), x), x)(x)
    turned = np.flip(x, axis) if reverse else x
    exact = np.cumsum(turned.astype(np.float64), axis)
    exact = np.flip(exact, axis) if reverse else exact
    np.testing.assert_allclose(actual, exact, rtol=1e-5, atol=1e-3)
    x.reshape(-1)[[7, 20000]] = np.inf, -np.inf
    (actual,) = compiled(lambda x: bind(CumulativeAdd(axis, reverse), x), x)(x)
    (expected,) = bind(CumulativeAdd(axis, reverse), x)
    np.testing.assert_allclose(actual, np.asarray(expected), rtol=1e-5, atol=1e-3)


def test_cumulative_logsumexp_of_extremes(compiled: Any) -> None:
    x = np.array([-np.inf, -np.inf, 1000, 1000, 3, np.inf, np.inf], np.float32)
    (actual,) = compiled(lambda x: bind(CumulativeLogsumexp(0), x), x)(x)
    np.testing.assert_allclose(actual, np.asarray(bind(CumulativeLogsumexp(0), x)[0]), rtol=1e-6)
