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
