"""Arguments without a derivative give Python the value that the user passed; those with one refuse."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArgumentError, ArrayType, ops, stage
from treadle_ir.errors import TracerArrayConversionError

X = np.float32(3)


@pytest.mark.parametrize(
    ("ask", "n", "expected"),
    [
        (str, 2, "2"),
        (lambda n: f"layer{n}", 2, "layer2"),
        (lambda n: f"{n:.1f}", 2.5, "2.5"),
        (lambda n: f"{n:>4}", 2, "   2"),
        (math.trunc, 2.5, 2),
        (lambda n: pickle.loads(pickle.dumps(n)), 2, 2),
        (lambda n: np.asarray(n).dtype, 2.5, np.dtype(np.float64)),
        (lambda n: np.asarray(n).dtype, np.float16(2.5), np.dtype(np.float16)),
        (hash, 2.5, hash(2.5)),
    ],
)
def test_values_of_arguments_without_a_derivative(ask: Any, n: Any, expected: Any) -> None:
    seen = []

    def f(x: Any, n: Any) -> Any:
        seen.append(ask(n))
        return ops.square(x)

    assert float(grad(f)(X, n)) == 6
    assert seen == [expected]


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (hash, TypeError),
        (pickle.dumps, ArgumentError),
        (np.asarray, TracerArrayConversionError),
    ],
)
def test_arguments_with_a_derivative_refuse(ask: Any, error: type[Exception]) -> None:
    def f(x: Any) -> Any:
        with pytest.raises(error):
            ask(x)
        assert str(x) == repr(x)
        return ops.square(x)

    assert float(grad(f)(X)) == 6


def test_numbers_stay_numbers_while_jit_stages() -> None:
    seen: list[Any] = []

    def f(x: Any, n: Any) -> Any:
        seen.append((n > 1, [*range(n)], isinstance(n, int)))
        return ops.square(x)

    stage(lambda x: [grad(f)(x, 2)], ArrayType((), np.dtype("f4")))
    assert seen == [(True, [0, 1], True)]
