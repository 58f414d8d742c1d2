import numpy as np

import treadle
import treadle.numpy as tnp

W = np.ones((3, 3), np.float32)


def test_a_closed_over_numpy_array_is_captured_once() -> None:
    program = treadle.make_jaxpr(lambda x: (x @ W) @ W + tnp.asarray(W))(tnp.ones((3, 3)))
    arrays = {id(each) for each in program.consts}
    assert len(arrays) == len(program.consts) <= 2  # as an array for @, as it is for +


def test_writing_to_it_afterwards_changes_nothing() -> None:
    w = W.copy()
    f = treadle.jit(lambda x: x @ w)
    before = np.asarray(f(W))
    w[:] = 7
    np.testing.assert_array_equal(f(W), before)
