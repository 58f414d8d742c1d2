"""A function with a loop: its numbers are arrays when the evaluator gets it."""

import numpy as np
import pytest

from treadle_ir import ops
from treadle_ir.calling import composed

given: list[object] = []


@composed(numbers=["x", "y"], loops=True)
def scaled(key, x, y=2.0, count=3):
    """`x * y`, and what it was called with."""
    given[:] = [key, x, y, count]
    return ops.multiply(x, y)


@pytest.mark.parametrize("x", [1.5, np.float32(1.5), np.full(2, 1.5, np.float32)])
def test_numbers_become_arrays(x):
    np.testing.assert_array_equal(np.asarray(scaled("k", x, y=2.0)), np.multiply(x, 2, dtype="f4"))
    key, held, factor, count = given
    assert (key, count) == ("k", 3)
    assert not isinstance(held, float)
    assert not isinstance(factor, float)
    assert np.shape(held) == np.shape(x)


def test_anything_else_is_for_the_function_to_refuse():
    with pytest.raises(Exception, match="nothing"):
        scaled("k", "nothing")


def test_a_parameter_that_is_not_there_is_a_mistake():
    with pytest.raises(ValueError, match="tuple"):
        composed(numbers=["z"], loops=True)(lambda x: x)
