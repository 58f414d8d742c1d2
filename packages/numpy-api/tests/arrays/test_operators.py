"""Operators with operands that are not arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArrayType, stage


def test_sequences_repeat_as_often_as_an_argument_without_a_derivative_says() -> None:
    seen: list[Any] = []

    def f(x: Any, n: Any) -> Any:
        seen.extend([[0] * n, n * (1, 2), "a" * n])
        return x * n

    assert float(grad(f)(np.float32(1), 2)) == 2
    assert seen == [[0, 0], (1, 2, 1, 2), "aa"]


def test_sequences_with_arrays_are_refused() -> None:
    def multiplied(x: Any) -> Any:
        return [[0] * x]

    def added(x: Any) -> Any:
        return [x + (1, 2)]  # noqa: RUF005

    for function in (multiplied, added):
        for shape in ((), (2,)):
            with pytest.raises(TypeError, match="make it an array first"):
                stage(function, ArrayType(shape, np.dtype("f4")))
