import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import Operand, ReferenceEvaluator, evaluating, ops


def convolved(x: Operand, kernel: Operand) -> list[Operand]:
    layout = (0, 1, 2)
    wide = np.dtype("c16")
    return [
        ops.convolution(
            x,
            kernel,
            padding=((0, 0),),
            lhs_spec=layout,
            rhs_spec=layout,
            out_spec=layout,
            element_type=wide,
        )
    ]


@pytest.mark.xla
def test_a_complex_convolution_is_computed_in_the_wider_type_that_was_asked_for(
    compiled: Callable[..., Any],
) -> None:
    rng = np.random.default_rng(4711)
    x, kernel = (
        (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)
        for shape in ((1, 2, 7), (3, 2, 3))
    )
    (result,) = compiled(convolved, x, kernel)(x, kernel)
    with evaluating(ReferenceEvaluator()):
        (expected,) = convolved(x, kernel)
    assert result.dtype == np.complex128
    np.testing.assert_allclose(result, np.asarray(expected), rtol=1e-13)


@pytest.mark.xla
def test_one_feature_is_not_given_to_eigen(compiled_text: Callable[..., str]) -> None:
    layout = (0, 1, 2)

    def f(x: Operand, kernel: Operand) -> list[Operand]:
        return [
            ops.convolution(
                x, kernel, padding=((1, 1),), lhs_spec=layout, rhs_spec=layout, out_spec=layout
            )
        ]

    def axes(features: int) -> str:
        like = np.ones((2, features, 7), np.float32), np.ones((1, features, 3), np.float32)
        found = re.search(r"dim_labels=(\w+)_", compiled_text(f, *like))
        assert found is not None
        return found[1]

    assert "3" in axes(1)  # the fourth spatial axis
    assert "1" not in axes(3)
