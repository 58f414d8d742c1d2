"""Bounds of random integers."""

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy.random import geometric, key, poisson, rademacher, randint


def test_floats_are_bounds_without_their_fractions() -> None:
    wanted = np.asarray(randint(key(0), (20,), 2, 9))
    for low, high in ((2.0, np.float64(9)), (2.7, 9.5), (2, np.full(20, 9.2, np.float32))):
        assert np.array_equal(randint(key(0), (20,), low, high), wanted)
    ends = np.iinfo(np.int32)
    assert np.array_equal(
        randint(key(0), (20,), -np.inf, 1e20), randint(key(0), (20,), ends.min, ends.max)
    )
    assert not np.asarray(randint(key(0), (20,), False, True)).any()
    with pytest.raises(ArgumentError, match="must be real numbers, got complex64"):
        randint(key(0), (20,), 2, np.complex64(3))


@pytest.mark.parametrize(
    ("dtype", "least", "most"), [("int2", -2, 1), ("int4", -8, 7), ("uint4", 0, 15)]
)
def test_element_types_narrower_than_a_byte(dtype: str, least: int, most: int) -> None:
    drawn = randint(key(0), (400,), -100, 100, dtype)
    assert drawn.dtype == dtype
    assert set(np.asarray(drawn).tolist()) == set(range(least, most + 1))
    counted = poisson(key(0), 2.0, (400,), dtype)
    assert counted.dtype == dtype
    wide = np.asarray(poisson(key(0), 2.0, (400,)))
    np.testing.assert_array_equal(np.asarray(counted).astype(int), np.minimum(wide, most))


def test_minus_one_of_unsigned_integers_is_the_greatest() -> None:
    assert set(np.asarray(rademacher(key(0), (20,), "uint8")).tolist()) == {1, 255}


@pytest.mark.parametrize("dtype", ["bool", "float32"])
def test_trials_are_integers(dtype: str) -> None:
    with pytest.raises(ArgumentError, match="must be an int dtype, got"):
        geometric(key(0), 0.5, (3,), dtype)


@pytest.mark.parametrize("shape", [(), (3, 1)])
def test_bounds_broadcast_to_the_shape(shape: tuple[int, ...]) -> None:
    low, high = np.arange(3), np.arange(3) + 1
    with pytest.raises(ArgumentError, match="randint parameter shapes"):
        randint(key(0), shape, low, high)
    assert randint(key(0), (2, 3), low, high).tolist() == [[0, 1, 2]] * 2
    assert randint(key(0), (3,), 0, high[:1]).tolist() == [0, 0, 0]
