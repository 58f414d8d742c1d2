"""Errors of transposition are in the user's terms."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import custom_jvp, grad, linear_transpose
from treadle_ir import ArrayType, MissingRuleError, ops, stage

WRONG: list[tuple[str, Callable[[Any], Any]]] = [
    ("multiply", lambda t: ops.multiply(t, t)),
    ("divide", lambda t: ops.divide(t, t)),
    ("sine", ops.sine),
]


@pytest.mark.parametrize(("name", "bend"), WRONG, ids=[name for name, _ in WRONG])
def test_a_jvp_rule_that_is_not_linear_in_its_tangents(
    name: str, bend: Callable[[Any], Any]
) -> None:
    @custom_jvp
    def f(x: Any) -> Any:
        return ops.multiply(x, x)

    f.defjvp(lambda primals, tangents: (f(*primals), bend(tangents[0])))
    with pytest.raises(MissingRuleError, match=f"`{name}` of such operands is not linear") as info:
        grad(f)(np.float32(2))
    assert "must be linear in them" in "".join(info.value.__notes__)


def test_a_function_that_is_not_linear() -> None:
    pulled = linear_transpose(lambda x: ops.multiply(x, x), np.float32(1))
    with pytest.raises(MissingRuleError, match="not linear"):
        pulled(np.float32(1))


def test_a_linear_custom_jvp_function_is_transposed_as_what_it_computes() -> None:
    @custom_jvp
    def thrice(x):
        return ops.multiply(x, np.float32(3))

    @thrice.defjvp
    def thrice_jvp(primals, tangents):
        return thrice(*primals), thrice(*tangents)

    x = np.ones(2, np.float32)
    (back,) = linear_transpose(thrice, x)(x)
    np.testing.assert_array_equal(back, [3, 3])


@pytest.mark.parametrize("order", [1, -1])
def test_cotangents_of_many_slices_are_concatenated(order: int) -> None:
    """Also with gaps, along either axis, and where slices overlap; the work is not the square of their number."""
    bounds = [(3 * i + i % 2, 3 * i + 3) for i in range(40)][::order]
    x = np.arange(240, dtype=np.float32).reshape(2, 120)
    weights = np.zeros_like(x)

    def columns(x: Any) -> list[Any]:
        return [ops.slice(x, start=(0, a), limit=(2, b)) for a, b in bounds]

    def rows(x: Any) -> list[Any]:
        flat = ops.reshape(x, shape=(240, 1))
        return [
            ops.slice(flat, start=(2 * a, 0), limit=(min(2 * b + 3, 240), 1)) for a, b in bounds
        ]

    def total(x: Any, parts: Any) -> Any:
        sums = [
            ops.multiply(ops.reduce_add(part, axes=(0, 1)), np.float32(number))
            for number, part in enumerate(parts(x), 1)
        ]
        return reduce(ops.add, sums, ops.reduce_add(x, axes=(0, 1)))

    for number, (a, b) in enumerate(bounds, 1):
        weights[:, a:b] += number
    np.testing.assert_array_equal(grad(total)(x, columns), weights + 1)
    flat = np.zeros(240, np.float32)
    for number, (a, b) in enumerate(bounds, 1):
        flat[2 * a : 2 * b + 3] += number
    np.testing.assert_array_equal(grad(total)(x, rows), flat.reshape(2, 120) + 1)
    x_type = ArrayType((2, 120), x.dtype)
    staged = stage(lambda x: [grad(total)(x, columns)], x_type).program
    whole = [each for each in staged.equations if each.results[0].type == x_type]
    assert len(whole) <= 3, staged  # what is as large as the array
