"""What is broadcast over a large array is computed once, however XLA would put it into the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_compiler import Partitioning, lower_program
from treadle_ir import AbstractMesh, ArrayType, bind, ops, stage
from treadle_ir.primitives.call import Call

F32 = np.dtype("f4")
ONCE = 'inlineable = "false"'
ROW = ArrayType((1000,), F32)
MATRIX = ArrayType((1000, 1000), F32)


def polynomial(length: int) -> Callable[[Any], Any]:
    def compute(x: Any) -> Any:
        for _ in range(length):
            x = ops.add(ops.multiply(x, x), x)
        return x

    return compute


def text(function: Callable[..., Sequence[Any]], *types: ArrayType, **options: Any) -> str:
    return lower_program(stage(function, *types).program, **options).text


def over(
    make: Callable[[Any], Any], shape: Sequence[int], axes: Sequence[int]
) -> Callable[[Any], Sequence[Any]]:
    return lambda x: [ops.broadcast_in_dim(make(x), shape=shape, dimensions=axes)]


@pytest.mark.parametrize("make", [ops.cosine, ops.sine, ops.tan, ops.lgamma, polynomial(10)])
def test_a_row_that_costs_much_is_computed_once(make: Callable[[Any], Any]) -> None:
    assert text(over(make, (1000, 1000), (1,)), ROW).count(ONCE) == 1


@pytest.mark.parametrize("make", [ops.negate, ops.exponential, ops.sqrt, polynomial(3)])
def test_one_that_costs_little_or_that_xla_keeps_is_left_in_place(
    make: Callable[[Any], Any],
) -> None:
    assert ONCE not in text(over(make, (1000, 1000), (1,)), ROW)


@pytest.mark.parametrize(
    ("shape", "target", "axes", "once"),
    [
        ((200,), (300, 200), (1,), True),
        ((1, 200), (300, 200), (0, 1), True),
        ((20, 200), (20, 300, 200), (0, 2), True),
        ((200,), (200, 300), (0,), False),  # the same in all of a row
        ((20, 200), (20, 200, 300), (0, 1), False),
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


def shifted(x: Any, by: int) -> Any:
    """The rows of a matrix in a circle."""
    size = x.shape[0]
    by %= size
    parts = [
        ops.slice(x, start=[start, 0], limit=[limit, x.shape[1]], strides=[1, 1])
        for start, limit in [(size - by, size), (0, size - by)]
    ]
    return ops.concatenate(parts, dimension=0)


def laplacian(x: Any) -> Any:
    return ops.add(ops.add(shifted(x, 1), shifted(x, -1)), ops.add(shifted(x, 2), shifted(x, -2)))


def test_a_stencil_of_a_stencil_computes_the_inner_one_once() -> None:
    assert text(lambda x: [laplacian(laplacian(x))], MATRIX).count(ONCE) == 1
    assert text(lambda x: [laplacian(laplacian(laplacian(x)))], MATRIX).count(ONCE) == 2
    assert ONCE not in text(lambda x: [laplacian(x)], MATRIX)  # the operand is in memory
    assert ONCE not in text(lambda x: [laplacian(ops.multiply(x, x))], MATRIX)
    assert ONCE not in text(lambda x: [laplacian(laplacian(x))], ArrayType((9, 9), F32))


def test_parts_of_one_array_are_not_several_readers() -> None:
    def halves(x: Any) -> Any:
        x = ops.cosine(x)
        return [
            ops.slice(x, start=[start, 0], limit=[start + 500, 1000], strides=[1, 1])
            for start in (0, 500)
        ]

    assert ONCE not in text(halves, MATRIX)


def test_what_a_table_gives_often_is_computed_once() -> None:
    def looked_up(table: Any, i: Any) -> Any:
        return [
            ops.gather(
                ops.cosine(table),
                i,
                offset_dims=(),
                collapsed_slice_dims=(0,),
                start_index_map=(0,),
                slice_sizes=(1,),
            )
        ]

    def places(count: int) -> ArrayType:
        return ArrayType((count, 1), np.dtype("i4"))

    assert text(looked_up, ROW, places(100_000)).count(ONCE) == 1
    assert ONCE not in text(looked_up, ROW, places(1000))


def test_what_several_results_need_is_computed_once_if_it_costs_more_than_to_keep_it() -> None:
    def two(make: Callable[[Any], Any]) -> Callable[[Any], Sequence[Any]]:
        def results(x: Any) -> Any:
            y = make(x)
            return [ops.add(y, x), ops.multiply(y, x)]

        return results

    assert text(two(ops.cosine), MATRIX).count(ONCE) == 1
    assert ONCE not in text(two(polynomial(10)), MATRIX)
    assert ONCE not in text(lambda x: [ops.multiply(*two(ops.cosine)(x))], MATRIX)  # one result


def test_an_operation_of_several_results() -> None:
    def words(x: Any) -> Any:
        pair = ops.threefry2x32(x, x, x, x)
        return [ops.broadcast_in_dim(each, shape=(1000, 1000), dimensions=(1,)) for each in pair]

    assert text(words, ArrayType((1000,), np.dtype("u4"))).count(ONCE) == 2


def test_a_called_program_reads_as_its_operations_do() -> None:
    inner = stage(lambda x: [laplacian(x)], MATRIX).program

    def outer(x: Any) -> Any:
        (y,) = bind(Call(inner, "inner"), x)
        return bind(Call(inner, "inner"), y)

    assert text(outer, MATRIX).count(ONCE) == 1


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
    few = text(outer, ArrayType((5, 3), F32), ArrayType((200, 5), F32))
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


@pytest.mark.parametrize("make", [ops.cosine, ops.lgamma, polynomial(10)])
def test_the_values_are_the_same(compiled: Callable[..., Any], make: Callable[[Any], Any]) -> None:
    x = np.array([*np.linspace(-0.9, 0.9, 200), -0.0, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        (row,) = compiled(lambda x: [make(x)], x)(x)
        (found,) = compiled(over(make, (300, 204), (1,)), x)(x)
    np.testing.assert_array_equal(found, np.broadcast_to(row, (300, 204)))
    np.testing.assert_array_equal(np.signbit(found), np.broadcast_to(np.signbit(row), (300, 204)))
