from __future__ import annotations

import numpy as np

from treadle_batching import Axis, batch_rules
from treadle_ir import bind
from treadle_ir.primitives.reduce import Argmax, ReduceAdd
from treadle_ir.primitives.shape import Concatenate, Pad, Transpose
from treadle_ir.primitives.sort import TopK

AXIS = Axis(2)
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def test_pad_with_a_value_for_each_example() -> None:
    pad = Pad((1,), (0,), (1,))
    for x, dim in ((X[:, 0], 0), (X[0, 0], None)):
        (y,), (out,) = batch_rules[pad](pad, AXIS, [x, np.array([7, 8], np.float32)], [dim, 0])
        for i, value in enumerate((7, 8)):
            assert out is not None
            expected = bind(pad, x if dim is None else x[i], np.float32(value))[0]
            np.testing.assert_array_equal(np.take(np.asarray(y), i, out), expected)


def test_concatenate_repeats_what_is_not_batched() -> None:
    (y,), (dim,) = batch_rules[Concatenate(0)](Concatenate(0), AXIS, [X[0, 0], X[:, 1]], [None, 0])
    assert dim == 0
    np.testing.assert_array_equal(y, np.stack([np.r_[X[0, 0], X[i, 1]] for i in range(2)]))


def test_batch_is_found_where_the_rule_says() -> None:
    for dim in range(4):
        x = np.stack([X, X + 1], dim)
        for primitive in (
            ReduceAdd((0, 2)),
            Argmax(1, np.dtype("i4")),
            Transpose((2, 0, 1)),
            TopK(2),
        ):
            results, dims = batch_rules[primitive](primitive, AXIS, [x], [dim])
            for i in range(2):
                for y, out, expected in zip(results, dims, bind(primitive, X + i), strict=True):
                    assert out is not None
                    np.testing.assert_array_equal(np.take(np.asarray(y), i, out), expected)
