"""Counterparts in NumPy give what the operations of the functions give, to the last bit and the signs of zeros."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from treadle_ir import ArrayType
from treadle_ir.calling import host_functions
from treadle_ir.settings import X64
from treadle_numpy import numpy as tnp
from treadle_numpy.numpy import in_numpy

FLOATS = [np.dtype(np.float32), np.dtype(np.float64)]
OF_TWO = {"floor_divide": tnp.floor_divide, "divmod": tnp.divmod}
OF_ONE = {"frexp": tnp.frexp, "modf": tnp.modf, "spacing": tnp.spacing}


def special(dtype):
    """Numbers at which formulas branch."""
    info = np.finfo(dtype)
    positive = [0.0, 0.5, 1.0, 3.75, info.tiny, info.smallest_subnormal, info.max, np.inf, np.nan]
    return np.array([*positive, *[-x for x in positive]], dtype)


def numbers(dtype):
    """Vectors of any floats, zeros of both signs, subnormal numbers, infinities and NaN among them."""
    return arrays(dtype, st.integers(1, 12), elements=st.floats(width=8 * dtype.itemsize))


def assert_same(found, expected):
    """Equal, and zeros of the same sign."""
    found, expected = np.asarray(found), np.asarray(expected)
    np.testing.assert_array_equal(found, expected, strict=True)
    number = expected == expected
    np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(expected)[number])


def operations(function, *operands):
    """Return the results of the operations, applied one by one."""
    with X64.override(True):
        results = function.__wrapped__(*operands)
    return results if isinstance(results, tuple) else (results,)


def of_types(name, *operands):
    """The counterpart for operands like these."""
    return getattr(in_numpy, name)([ArrayType(x.shape, x.dtype) for x in operands])


def check(name, function, *operands):
    """Compare a counterpart with the operations; whether it gave anything."""
    with np.errstate(all="ignore"):
        found = of_types(name, *operands)(*operands)
    if found is not None:
        for one, other in zip(found, operations(function, *operands), strict=True):
            assert_same(one, other)
    return found is not None


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", OF_ONE)
def test_each_special_number_has_what_the_operations_give(name, dtype):
    served = [check(name, OF_ONE[name], x) for x in special(dtype).reshape(-1, 1)]
    assert any(served)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", OF_ONE)
@given(data=st.data())
def test_any_numbers_have_what_the_operations_give(name, dtype, data):
    check(name, OF_ONE[name], data.draw(numbers(dtype)))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@given(data=st.data())
def test_polynomials_are_those_of_the_operations(dtype, data):
    assert check("polyval", tnp.polyval, data.draw(numbers(dtype)), data.draw(numbers(dtype)))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", OF_TWO)
def test_quotients_of_special_numbers_have_what_the_operations_give(name, dtype):
    numbers = np.array([*special(dtype), 7.0, 1 / 3], dtype)
    x, y = (each.ravel() for each in np.meshgrid(numbers, numbers))
    assert check(name, OF_TWO[name], x, y)
    positive = y > 0
    assert check(name, OF_TWO[name], x[positive], y[positive])
    ordinary = (abs(x) < 10) & (y > 0.1) & (y < 10)
    assert check(name, OF_TWO[name], x[ordinary], y[ordinary])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", OF_TWO)
def test_any_quotients_have_what_the_operations_give(name, dtype):
    rng = np.random.default_rng(0)
    bits = np.frombuffer(rng.bytes(2000 * dtype.itemsize), dtype).reshape(2, -1)
    normal = rng.standard_normal((2, 1000)).astype(dtype)
    integers = rng.integers(1, 9, (2, 1000)).astype(dtype)
    # quotients that are so large that some are halfway between integers, where NumPy rounds otherwise
    large = rng.uniform(1, 4, (2, 1000)).astype(dtype)
    large[0] *= 2.0 ** np.finfo(dtype).nmant
    negative = (-integers[0], integers[1])
    for x, y in (bits, normal, integers, large, (normal[0], integers[0]), negative):
        assert check(name, OF_TWO[name], x, y)
        assert check(name, OF_TWO[name], x[:50, None], y[:20])


def test_ordinary_numbers_are_served():
    x = np.linspace(-3, 3, 10, dtype=np.float32)
    for name, function in OF_ONE.items():
        assert check(name, function, x)


def test_what_numpy_says_otherwise_is_left_to_the_operations():
    infinite = np.array([np.inf, 1.0], np.float32)
    greatest = np.array([np.finfo(np.float32).max], np.float32)
    with np.errstate(all="ignore"):
        assert of_types("frexp", infinite)(infinite) is None
        assert of_types("spacing", greatest)(greatest) is None


@pytest.mark.parametrize("name", OF_ONE)
def test_types_that_are_not_served_have_no_counterpart(name):
    for x in (np.arange(3), np.float32(1), np.ones(3, np.float16)):
        assert of_types(name, x) is None


def test_operands_of_two_types_have_no_counterpart():
    for name in ("polyval", *OF_TWO):
        assert of_types(name, np.ones(3), np.ones(3, np.float32)) is None
    assert of_types("polyval", np.ones((3, 2)), np.ones(2)) is None


def test_the_functions_have_them():
    for name, function in {**OF_ONE, **OF_TWO, "polyval": tnp.polyval}.items():
        assert host_functions[function.__wrapped__] is getattr(in_numpy, name)
