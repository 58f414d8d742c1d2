"""Python's `round` of arrays."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import DTypeError

X = np.array([0.5, 1.5, 2.25], np.float32)


@pytest.mark.parametrize("run", [lambda f: f, treadle.jit])
def test_round_of_arrays(run) -> None:
    whole = run(round)(tnp.asarray(X))
    assert whole.dtype == np.int32
    np.testing.assert_array_equal(whole, [0, 2, 2])
    tenths = run(lambda x: round(x, 1))(tnp.asarray(X))
    assert tenths.dtype == np.float32
    np.testing.assert_array_equal(tenths, np.round(X, 1))
    with pytest.raises(DTypeError):
        run(round)(tnp.ones(2, bool))


def test_round_of_a_scalar_is_an_array_too() -> None:
    assert isinstance(round(tnp.asarray(2.5)), treadle.Array)
    assert round(tnp.asarray(2.5)) == 2
    with treadle.enable_x64(True):
        assert round(tnp.asarray(2.5)).dtype == np.int64
