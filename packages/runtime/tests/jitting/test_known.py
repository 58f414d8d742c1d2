"""What depends on captured arrays alone is computed before the program is compiled."""

import numpy as np
import pytest

from treadle_ir import ops
from treadle_ir.core.dtypes import KEY
from treadle_runtime import from_host, jit
from treadle_runtime.jitting.known import MOST


def array(*values):
    return from_host(np.array(values, np.float32))


def shifted(c, **options):
    """`x + lgamma(c) * 2`, and `exp(c)`."""

    def function(x):
        y = ops.multiply(ops.lgamma(c), np.float32(2))
        return ops.add(x, ops.broadcast_in_dim(y, shape=x.shape, dimensions=(0,))), ops.exponential(
            c
        )

    return jit(function, **options)


X = np.arange(3, dtype=np.float32)


def test_it_is_not_in_the_compiled_program():
    text = shifted(array(4.5)).lower(X).compile().as_text()
    assert "log(" not in text
    assert "exponential(" not in text
    # of an argument it is
    of_argument = jit(lambda c: ops.lgamma(c)).lower(np.ones(1, np.float32)).compile().as_text()
    assert "log" in of_argument


@pytest.mark.parametrize("options", [{}, {"donate_argnums": 0}, {"keep_unused": True}])
def test_the_numbers_are_those_of_the_operations(options):
    for value in (4.5, 0.25, 4.5):  # equal programs with other captured numbers
        first, second = shifted(array(value), **options)(from_host(X))
        lgamma = {4.5: 2.4537365708424423, 0.25: 1.2880225246980775}[value]  # mpmath
        np.testing.assert_allclose(first, X + 2 * lgamma, rtol=1e-6)
        np.testing.assert_allclose(second, [np.exp(value)], rtol=1e-6)


def test_equal_functions_are_compiled_once_whatever_they_captured():
    texts = {shifted(array(value)).lower(X).as_text() for value in (1.5, 2.5)}
    assert len(texts) == 1


def test_many_elements_are_left_to_the_compiler():
    many = from_host(np.ones(MOST + 1, np.float32))
    text = jit(lambda x: ops.add(x, ops.exponential(many))).lower(many).compile().as_text()
    assert "exponential(" in text


def test_a_result_may_be_captured_itself():
    c = array(1.0, 2.0)
    plain, doubled = jit(lambda: (c, ops.add(c, c)))()
    np.testing.assert_array_equal(plain, [1, 2])
    np.testing.assert_array_equal(doubled, [2, 4])


def test_weak_types_stay_weak():
    c = from_host(np.float32(3), weak=True)
    assert jit(lambda x: ops.multiply(ops.exponential(c), c))(X).type.weak


def scaled(c, **options):
    """A call within the program that takes a captured scalar."""
    inner = jit(lambda x, c: ops.multiply(x, ops.broadcast_in_dim(c, shape=x.shape, dimensions=())))
    return jit(lambda x: inner(x, c), **options)


@pytest.mark.parametrize("value", [2.5, np.nan, np.float16(0.5), 3, True, 1 + 2j])
def test_scalars_that_nested_programs_take_are_constants(value):
    c = from_host(np.asarray(value))
    x = from_host(np.arange(3).astype(c.dtype))
    for options in ({}, {"keep_unused": True}, {"donate_argnums": 0}):
        given = from_host(np.asarray(x))
        np.testing.assert_array_equal(scaled(c, **options)(given), np.asarray(x) * value)
    lowered = scaled(c).lower(x)
    assert "%arg1" not in lowered.as_text()
    np.testing.assert_array_equal(lowered.compile()(x), np.asarray(x) * value)


def test_other_scalars_are_other_programs():
    results = [scaled(from_host(np.float32(value)))(X) for value in (2, 3, 2)]
    np.testing.assert_array_equal(results, [2 * X, 3 * X, 2 * X])


def test_arrays_and_keys_stay_parameters():
    c = array(2.0)
    inner = jit(lambda x, c: ops.multiply(x, ops.broadcast_in_dim(c, shape=(3,), dimensions=(0,))))
    assert "%arg1" in jit(lambda x: inner(x, c)).lower(X).as_text()
    key = ops.random_wrap(np.zeros(2, np.uint32), dtype=KEY)
    bits = jit(lambda key: ops.random_bits(key, shape=(2,)))
    np.testing.assert_array_equal(jit(lambda: bits(key))(), bits(key))
