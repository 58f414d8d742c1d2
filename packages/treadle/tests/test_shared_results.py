"""A result that all examples of a batch share has one cotangent, which a custom rule counts once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError


@pytest.mark.parametrize("generic", [False, True])
def test_a_shared_result_is_counted_once(generic: bool) -> None:
    """As JAX 0.12 does with `generic_batching`; without it, JAX refuses what it counted wrongly before."""

    @treadle.custom_vjp
    def f(x: Any, y: Any) -> Any:
        return x * y, 3 * y

    def bwd(kept: Any, cts: Any) -> Any:
        x, y = kept
        return cts[0] * y, cts[0] * x + 3 * cts[1]

    f.defvjp(lambda x, y: (f(x, y), (x, y)), bwd, generic_batching=generic)

    def total(x: Any, y: Any) -> Any:
        products, shared = treadle.vmap(f, in_axes=(0, None))(x, y)
        return products.sum() + shared.sum()

    x, y = tnp.array([1.0, 2.0, 3.0]), tnp.float32(2.0)
    of_x, of_y = treadle.grad(total, (0, 1))(x, y)
    assert of_x.tolist() == [2.0] * 3
    assert float(of_y) == float(np.sum([1, 2, 3])) + 3 * 3


def test_generic_batching_is_a_flag() -> None:
    f = treadle.custom_vjp(lambda x: x)
    with pytest.raises(ArgumentError, match="generic_batching must be true or false"):
        f.defvjp(lambda x: (x, None), lambda _, ct: (ct,), generic_batching="yes")  # type: ignore[arg-type]
