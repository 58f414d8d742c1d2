from __future__ import annotations

import numpy as np

from treadle_autodiff import Linear, transpose_rules
from treadle_ir import ArrayType
from treadle_ir.primitives.shape import BroadcastInDim, Concatenate, Pad

F32 = np.dtype(np.float32)


def test_only_linear_operands_get_cotangents() -> None:
    ct, known = np.arange(5, dtype=F32), np.zeros(2, F32)
    rule = transpose_rules[Concatenate(0)]
    first, second = rule(Concatenate(0), [ct], [known, Linear(ArrayType((3,), F32))])
    assert first is None
    np.testing.assert_array_equal(second, [2, 3, 4])


def test_pad_value_gets_the_padding_only() -> None:
    """Exact also where the elements' own cotangents are infinite: nothing is subtracted."""
    pad = Pad((1,), (-1,), (1,))
    ct = np.array([1, np.inf, 4, np.nan, 2], F32)[:5]
    x, value = Linear(ArrayType((3,), F32)), Linear(ArrayType((), F32))
    ct_x, ct_value = transpose_rules[pad](pad, [ct], [x, value])
    np.testing.assert_array_equal(ct_x, [np.inf, np.nan, 0])
    assert ct_value == 1 + 4 + 2


def test_spread_axes_are_summed() -> None:
    spread = BroadcastInDim((2, 3, 4), (0, 2))
    (ct_x,) = transpose_rules[spread](
        spread, [np.ones((2, 3, 4), F32)], [Linear(ArrayType((2, 1), F32))]
    )
    np.testing.assert_array_equal(ct_x, [[12], [12]])
