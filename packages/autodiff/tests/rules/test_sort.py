from __future__ import annotations

import numpy as np

from treadle_autodiff import Zero, jvp_rules
from treadle_ir import ArrayType, ops
from treadle_ir.core import float0
from treadle_ir.primitives.sort import Sort, TopK

X, DX = np.array([3, 1, 2], np.float32), np.array([30, 10, 20], np.float32)


def test_tangents_move_with_their_elements() -> None:
    (_,), (dy,) = jvp_rules[Sort(0)](Sort(0), [X], [DX])
    np.testing.assert_array_equal(dy, [10, 20, 30])


def test_zeros_and_nans_are_ordered_as_without_derivatives() -> None:
    x = np.array([0.0, np.nan, -0.0, -1.0, 0.0, -0.0], np.float32)
    (y,), (dy,) = jvp_rules[Sort(0)](Sort(0), [x], [np.arange(6, dtype=np.float32)])
    assert np.asarray(y).tobytes() == np.asarray(ops.sort([x], dimension=0)[0]).tobytes()
    assert np.signbit(np.asarray(y)).tolist() == [True, True, True, False, False, False]
    np.testing.assert_array_equal(np.asarray(dy), [3, 2, 5, 0, 4, 1])


def test_payloads_move_and_integers_have_no_tangents() -> None:
    keys = np.array([2, 3, 1], np.int32)
    zero = Zero(ArrayType((3,), float0))
    results, tangents = jvp_rules[Sort(0)](Sort(0), [keys, X], [zero, DX])
    assert [np.asarray(y).tolist() for y in results] == [[1, 2, 3], [2, 3, 1]]
    assert tangents[0] is zero
    np.testing.assert_array_equal(tangents[1], [20, 30, 10])


def test_top_k() -> None:
    (values, places), (dv, dp) = jvp_rules[TopK(2)](TopK(2), [X], [DX])
    assert not isinstance(dv, Zero)
    assert tuple(np.asarray(x).tolist() for x in (values, places, dv)) == ([3, 2], [0, 2], [30, 20])
    assert isinstance(dp, Zero)
    assert dp.type == ArrayType((2,), float0)
