"""What is broadcast over a large array is computed once, however XLA would put it into the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_compiler import Partitioning, lower_program
from treadle_ir import AbstractMesh, ArrayType, ops, stage

F32 = np.dtype("f4")
ONCE = 'inlineable = "false"'


def long_polynomial(x: Any) -> Any:
    for _ in range(20):
        x = ops.add(ops.multiply(x, x), x)
    return x


def short_polynomial(x: Any) -> Any:
    for _ in range(3):
        x = ops.add(ops.multiply(x, x), x)
    return x


def text(function: Callable[..., Sequence[Any]], *types: ArrayType, **options: Any) -> str:
    return lower_program(stage(function, *types).program, **options).text


def over(
    make: Callable[[Any], Any], shape: Sequence[int], axes: Sequence[int]
) -> Callable[[Any], Sequence[Any]]:
    return lambda x: [ops.broadcast_in_dim(make(x), shape=shape, dimensions=axes)]


@pytest.mark.parametrize("make", [ops.cosine, ops.sine, ops.tan, ops.lgamma, long_polynomial])
def test_a_row_that_costs_much_is_computed_once(make: Callable[[Any], Any]) -> None:
    assert text(over(make, (300, 200), (1,)), ArrayType((200,), F32)).count(ONCE) == 1


@pytest.mark.parametrize("make", [ops.negate, ops.exponential, ops.sqrt, short_polynomial])
def test_one_that_costs_little_or_that_xla_keeps_is_left_in_place(
    make: Callable[[Any], Any],
) -> None:
    assert ONCE not in text(over(make, (300, 200), (1,)), ArrayType((200,), F32))


@pytest.mark.parametrize(
    ("shape", "target", "axes", "once"),
    [
        ((200,), (300, 200), (1,), True),
        ((1, 200), (300, 200), (0, 1), True),
        ((20, 200), (20, 300, 200), (0, 2), True),
        ((200,), (200, 300), (0,), False),  # the same in all of a row
        ((20, 200), (20, 200, 300), (0, 1), False),
        ((200,), (4, 200), (1,), False),  # few rows
        ((20, 200), (20, 4, 200), (0, 2), False),
        ((20,), (30, 20), (1,), False),  # a small result
        ((1,), (300, 200), (1,), False),
        ((), (300, 200), (), False),
        ((0,), (300, 0), (1,), False),
    ],
)
def test_where_it_matters(
    shape: tuple[int, ...], target: tuple[int, ...], axes: tuple[int, ...], once: bool
) -> None:
    assert (ONCE in text(over(ops.cosine, target, axes), ArrayType(shape, F32))) is once


def test_the_column_of_an_outer_product_is_not_repeated_and_the_row_is() -> None:
    def outer(x: Any, y: Any) -> Any:
        return [ops.dot_general(x, y, contracting=((), ()), batching=((), ()))]

    types = ArrayType((300,), F32), ArrayType((200,), F32)
    assert text(lambda x, y: outer(x, ops.cosine(y)), *types).count(ONCE) == 1
    assert ONCE not in text(lambda x, y: outer(ops.cosine(x), y), *types)


def test_a_batch_of_outer_products() -> None:
    def outer(x: Any, y: Any) -> Any:
        return [ops.dot_general(x, ops.cosine(y), contracting=((), ()), batching=((0,), (1,)))]

    many = text(outer, ArrayType((5, 300), F32), ArrayType((200, 5), F32))
    few = text(outer, ArrayType((50, 3), F32), ArrayType((200, 50), F32))
    assert many.count(ONCE) == 1
    assert ONCE not in few


def test_only_on_one_cpu() -> None:
    function, type = over(ops.cosine, (304, 200), (1,)), ArrayType((200,), F32)
    spread = Partitioning(AbstractMesh((2,), ("x",)), ((None,),), ((("x",), None),))
    assert ONCE not in text(function, type, platform="cuda")
    assert ONCE not in text(function, type, partitioning=spread)


def test_xla_keeps_what_is_computed_once_out_of_the_loop(
    compiled_text: Callable[..., str],
) -> None:
    x = np.linspace(0.0, 3.0, 200)
    found = compiled_text(over(lambda x: ops.multiply(ops.cosine(x), x), (300, 200), (1,)), x)
    cosines = [line for line in found.splitlines() if " cosine(" in line]
    assert len(cosines) == 1
    inside = found[: found.index(cosines[0])].rpartition("{\n")[0].splitlines()[-1]
    assert "[300,200]" not in inside


@pytest.mark.parametrize("make", [ops.cosine, ops.lgamma, long_polynomial])
def test_the_values_are_the_same(compiled: Callable[..., Any], make: Callable[[Any], Any]) -> None:
    x = np.array([*np.linspace(-0.9, 0.9, 200), -0.0, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        (row,) = compiled(lambda x: [make(x)], x)(x)
        (found,) = compiled(over(make, (300, 204), (1,)), x)(x)
    np.testing.assert_array_equal(found, np.broadcast_to(row, (300, 204)))
    np.testing.assert_array_equal(np.signbit(found), np.broadcast_to(np.signbit(row), (300, 204)))
